"""lazyapp/developing/later.py: made at the first request, and once."""

from lazyapp.developing.later import Later


async def test_a_part_is_made_when_it_is_asked_for_and_once():
    made: list[str] = []

    def make():
        made.append("made")

        async def part(scope, receive, send):
            made.append(scope["path"])

        return part

    later = Later(make)
    assert made == []
    for path in ("/a", "/b"):
        await later({"path": path}, None, None)  # type: ignore[arg-type]
    assert made == ["made", "/a", "/b"]
