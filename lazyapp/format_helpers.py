"""Times and numbers as people read them. English; an application with other languages gives helpers of the same name."""

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from markupsafe import Markup

from lazyapp.markup import tag

_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
# How long a unit lasts, from the longest; a month and a year are what they are on average.
_UNITS = (("year", 31_556_952), ("month", 2_629_746), ("week", 604_800), ("day", 86_400), ("hour", 3_600), ("minute", 60))
_NOW_S = 45

Moment = dt.datetime | dt.date


def format_number(number: int | float | Decimal, places: int | None = None) -> str:
    """A number with its thousands apart: `1,234,567.5`.

    Args:
        number: what to write.
        places: how many after the point; None: as many as it has.
    """
    return f"{number:,}" if places is None else f"{number:,.{places}f}"


def pluralize(count: int | float | Decimal, one: str, many: str = "") -> str:
    """A count and its noun: `1 account`, `2 accounts`; `pluralize(n, "person", "people")` where the plural is another word."""
    return f"{format_number(count)} {one if count == 1 else many or _plural(one)}"


class Times:
    """Times in one zone, seen from one moment.

    Args:
        zone: in which times are shown.
        now: the present moment, with a zone.
    """

    def __init__(self, zone: Callable[[], dt.tzinfo], now: Callable[[], dt.datetime]) -> None:
        self._zone = zone
        self._now = now

    @property
    def helpers(self) -> Mapping[str, Callable[..., Any]]:
        """What views call, by name."""
        return {"format_time": self.format_time, "time_ago": self.time_ago, "time_tag": self.time_tag}

    def format_time(self, moment: Moment, form: str = "") -> str:
        """A time or a day for people, `30 November 2026, 14:05`.

        Args:
            moment: a time without a zone is taken for UTC.
            form: one of `strftime`; the names of days and months are English whatever the machine's language.
        """
        here = self._local(moment)
        if not form:
            form = "%-d %B %Y, %H:%M" if isinstance(here, dt.datetime) else "%-d %B %Y"
        names = {
            "%-d": str(here.day),
            "%B": _MONTHS[here.month - 1],
            "%b": _MONTHS[here.month - 1][:3],
            "%A": _DAYS[here.weekday()],
            "%a": _DAYS[here.weekday()][:3],
        }
        for sign, name in names.items():
            form = form.replace(sign, name)
        return here.strftime(form)

    def time_ago(self, moment: dt.datetime) -> str:
        """How long ago it was, or how long it will be: `3 minutes ago`, `in 2 days`."""
        then = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
        seconds = (self._now() - then).total_seconds()
        if abs(seconds) < _NOW_S:
            return "just now"
        size = abs(seconds)
        # Rounded within the unit that it fills: 59 minutes and 40 seconds are an hour.
        name, length = next((unit for unit in _UNITS if size >= unit[1] - min(unit[1] / 48, 1800)), _UNITS[-1])
        text = pluralize(max(round(size / length), 1), name)
        return f"{text} ago" if seconds > 0 else f"in {text}"

    def time_tag(self, moment: Moment, text: str = "", form: str = "", **attributes: Any) -> Markup:
        """A `<time>` that programs read too: `time_tag(note.made_at)`, `time_tag(note.made_at, time_ago(note.made_at))`.

        Args:
            moment: as in `format_time`.
            text: what people read instead of the formatted time.
            form: as in `format_time`.
            attributes: of the element.
        """
        here = self._local(moment)
        machine = here.isoformat(timespec="seconds") if isinstance(here, dt.datetime) else here.isoformat()
        return tag("time", {"datetime": machine, **attributes}, text or self.format_time(moment, form))

    def _local(self, moment: Moment) -> Moment:
        """In our zone; a time without one is UTC, and a day is a day everywhere."""
        if not isinstance(moment, dt.datetime):
            return moment
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(self._zone())


def _plural(noun: str) -> str:
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"
