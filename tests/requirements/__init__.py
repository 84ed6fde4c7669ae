"""What lazyapp promises, and every MUST that binds an MCP server or its authorization server: source, and tests that show it.

`tests/test_requirements.py` keeps the list honest. What only binds clients and hosts is left out, and so is SHOULD, which the tests
themselves cite. Where two pages say the same, the clause stands in the first.
"""

from tests.requirements.basic import BASIC
from tests.requirements.complaints import COMPLAINTS
from tests.requirements.extensions import EXTENSIONS
from tests.requirements.features import FEATURES
from tests.requirements.http import HTTP
from tests.requirements.oauth import OAUTH
from tests.requirements.oauth_grants import OAUTH_GRANTS
from tests.requirements.patterns import PATTERNS
from tests.requirements.requirement import Requirement
from tests.requirements.seed import SEED
from tests.requirements.tasks import TASKS

__all__ = ["CLAUSES", "REQUIREMENTS", "Requirement"]

REQUIREMENTS = (*SEED, *BASIC, *HTTP, *PATTERNS, *FEATURES, *EXTENSIONS, *TASKS, *OAUTH, *OAUTH_GRANTS, *COMPLAINTS)

#: How many clauses of each page are listed: ids run from 1 to that number. Counted in the pages of MCP 2026-07-28, and of SEP-2663,
#: SEP-2640 and SEP-1865 as they stood when that revision came out.
CLAUSES = {
    "MCP-BASIC": 29,
    "MCP-VERSION": 4,
    "MCP-TRANSPORT": 2,
    "MCP-STDIO": 4,
    "MCP-HTTP": 31,
    "MCP-PATTERNS": 1,
    "MCP-MRTR": 10,
    "MCP-LISTEN": 3,
    "MCP-CANCEL": 5,
    "MCP-PROGRESS": 4,
    "MCP-ELICIT": 10,
    "MCP-DISCOVER": 1,
    "MCP-TOOLS": 9,
    "MCP-RESOURCES": 9,
    "MCP-PROMPTS": 7,
    "MCP-COMPLETION": 5,
    "MCP-CACHING": 5,
    "MCP-LOGGING": 4,
    "MCP-PAGINATION": 0,  # its MUSTs bind clients
    "MCP-TASKS": 25,
    "MCP-SKILLS": 24,
    "MCP-APPS": 7,
    "OAUTH": 50,  # of RFC 6749 and those around it, what AI clients meet; see oauth.py and oauth_grants.py
    "COMPLAINT": 32,
}
