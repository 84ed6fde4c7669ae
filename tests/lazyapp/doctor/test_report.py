"""The report, as it is read."""

import json

from lazyapp.doctor.examine import Report
from lazyapp.doctor.finding import found
from lazyapp.doctor.report import lines, to_dict

URL = "https://mcp.example.com/mcp"
SICK = Report(
    url=URL,
    issuer="https://mcp.example.com",
    registered=["Claude"],
    findings=[
        found("registration-refused", "Cursor: 400 invalid_redirect_uri"),
        found("registration-refused", "VS Code: 400 invalid_redirect_uri"),
        found("scope-too-strict", "sent back with invalid_scope"),
        found("iss-not-announced", "absent"),
    ],
    asked=40,
    is_complete=True,
)


def test_the_same_fault_is_told_once_with_all_that_was_seen() -> None:
    text = "\n".join(lines(SICK))
    assert text.count("A real client's registration is refused") == 1
    assert "Cursor: 400" in text
    assert "VS Code: 400" in text
    assert text.index("Breaks logins") < text.index("Worth knowing")
    assert "Faults: 2 that break logins, 1 worth knowing. (40 requests)" in text
    assert "2026-11-30" in text


def test_lines_fit_a_terminal_save_for_addresses() -> None:
    assert [line for line in lines(SICK, width=80) if len(line) > 80 and "://" not in line] == []


def test_colour_is_for_terminals_only() -> None:
    assert "\x1b[" not in "\n".join(lines(SICK))
    assert "\x1b[31m✗" in "\n".join(lines(SICK, colour=True))


def test_health_is_said_in_one_sentence_and_limits_are_not_kept_secret() -> None:
    well = Report(url=URL, issuer="", registered=[], findings=[], asked=50, is_complete=True)
    assert list(lines(well))[-1] == "  Nothing found: every client known here can log in. (50 requests)"
    cut = Report(url=URL, issuer="", registered=[], findings=[], asked=120, is_complete=False)
    assert "not everything could be asked" in list(lines(cut))[-1]
    assert "every client" not in list(lines(cut))[-1]


def test_programs_are_told_the_same() -> None:
    told = json.loads(json.dumps(to_dict(SICK)))
    assert told["healthy"] is False
    assert [finding["id"] for finding in told["findings"]][:2] == ["registration-refused", "registration-refused"]
    assert told["url"] == URL
