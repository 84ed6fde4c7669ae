"""What a client gets to see of the server under test when it uses everything that it knows, the same for all clients.

The client's side is played by one person: she fills in every form, unless she is asked for what she keeps to herself; her model
knows the capital of France; her work lies in one folder.
"""

from dataclasses import dataclass, field
from typing import Any, Final

FILLED: Final[dict[str, Any]] = {
    "name": "Ada",
    "color": "blue",
    "ok": True,
    "confirm": True,
    "context": "the engine",
    "username": "ada",
    "email": "ada@example.com",
}
DECLINED: Final = "What is your password?"
CAPITAL: Final = "Paris"
ROOT: Final = "file:///work/engine"
WATCHED: Final = "test://watched-resource"


def filled(schema: dict[str, Any]) -> dict[str, Any]:
    """A form as she fills it in."""
    return {name: FILLED[name] for name in schema["properties"]}


@dataclass(slots=True)
class Tour:
    """What came back, by what was tried. None is what the client does not know how to ask for."""

    sampled: str = ""
    rooted: str = ""
    elicited: str = ""
    declined: str = ""
    several: str = ""
    rounds: str = ""
    prompted: str = ""
    progress: list[float] = field(default_factory=list)
    logged: list[str] | None = None
    completed: list[str] = field(default_factory=list)
    header: str = ""
    heard: list[str] | None = None
    task: str | None = None
    skills: list[str] | None = None

    def check(self) -> None:
        """Everything must have been seen as it is."""
        assert self.sampled == CAPITAL
        assert ROOT in self.rooted
        assert "ada@example.com" in self.elicited
        assert self.declined == "User response: action=decline, content={}"
        assert all(part in self.several for part in (CAPITAL, "Ada", ROOT))
        assert self.rounds == "Ada likes blue"
        assert "the engine" in self.prompted
        assert self.progress == [0, 50, 100]
        assert self.logged in (None, ["Tool execution started", "Tool processing data", "Tool execution completed"])
        assert self.completed == ["paris", "prague"]
        assert self.header == "region: Île-de-France"
        assert self.heard is None or set(self.heard) == {"tools", WATCHED}
        assert self.task in (None, "tour took 0.1 seconds")
        assert self.skills in (None, ["release-notes", "triage"])
