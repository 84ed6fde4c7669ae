"""`/_lazy/services`: the services in the order in which they were opened, what each needs, and whether it answers."""

from typing import Any, Final, NamedTuple

from lazyapp.developing.application import Application
from lazyapp.secret_words import without_passwords
from lazymcp.names import where

_LONGEST: Final = 500


class Row(NamedTuple):
    """One service.

    `state` is `ok`, `failing`, `silent` (it has no ping) or `waiting` (a request makes it); `wrong` says what fails.
    """

    name: str
    module: str
    place: str
    per_request: bool
    needs: tuple[str, ...]
    opening_ms: float | None
    state: str
    wrong: str


async def service_table(app: Application) -> dict[str, Any]:
    """What the page shows. Every ping is asked now."""
    services = app.services
    answers = await services.check()
    listed = []
    for kind, service in services.declared.items():
        wrong = answers.pop(service.name, None) if service.ping else None
        state = "waiting" if service.per_request else "silent" if service.ping is None else "ok" if wrong is None else "failing"
        listed.append(
            Row(
                service.name,
                kind.__module__,
                _place(service.factory),
                service.per_request,
                tuple(each.__name__ for each in services.asked_by(kind)),
                services.opening_ms.get(kind),
                state,
                without_passwords(wrong or "")[:_LONGEST],
            )
        )
    watched = [(name, without_passwords(wrong or "")[:_LONGEST]) for name, wrong in answers.items()]
    return {"services": listed, "watched": watched}


def _place(factory: Any) -> str:
    try:
        return where(factory)
    except (OSError, TypeError):
        return ""
