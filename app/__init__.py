"""What this application does: pages in controllers/, tools for AI clients in mcps/, the work itself in services/."""

from pathlib import Path

PUBLIC = Path(__file__).parent / "public"
VIEWS = Path(__file__).parent / "views"
