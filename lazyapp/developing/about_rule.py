"""What a query reads and calls, told by the rule that PostgreSQL keeps of a view of it.

`pg_rewrite.ev_action` is the tree that the parser made of the query, as text: names are resolved, `*` is written out, aliases are
gone. For its own check of permissions PostgreSQL keeps beside each relation the set of columns that are read of it, system catalogs
included, and each function stands there by its id.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lazyapp.secret_words import is_secret

NAMES = """
SELECT c.oid::bigint AS relation_id, a.attnum AS number, c.relname AS relation, a.attname AS column
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 WHERE c.oid = ANY($1::oid[])
"""
FUNCTIONS = "SELECT proname AS name, provolatile::text AS volatility FROM pg_proc WHERE oid = ANY($1::oid[])"

_FUNCTION = re.compile(r":(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)")
_READ = re.compile(r":relid (\d+)(?:(?!:relid ).)*?:selectedCols \(b([ \d]*)\)", re.DOTALL)
_TABLE = re.compile(r":relid [1-9]")
# FirstLowInvalidHeapAttributeNumber: column 1 is bit 8, and bit 7 is the row as one value.
_FIRST, _WHOLE_ROW = 7, 0
#: They change with each call, and change nothing.
_HARMLESS = frozenset({"random", "clock_timestamp", "timeofday", "gen_random_uuid", "uuidv4", "uuidv7"})
#: Stable, and yet they read what no parser sees: a table named in a text.
_READS_TABLES = re.compile(r"(table|query|cursor|schema|database)_to_xml")


class Rule(NamedTuple):
    """What a query reads and calls.

    Args:
        reads: pairs of a relation's id and a column's number; 0 is the whole row.
        function_ids: the ids of the functions, those of operators and aggregates among them.
        is_known: whether the tree has the form that is read here.
    """

    reads: frozenset[tuple[int, int]]
    function_ids: frozenset[int]
    is_known: bool = True

    @property
    def relation_ids(self) -> list[int]:
        """The relations of which something is read."""
        return sorted({relation for relation, _ in self.reads})


def read_rule(action: str) -> Rule:
    """The rule of a view, from its `pg_rewrite.ev_action`."""
    found = {(int(relation), int(bit) - _FIRST) for relation, bits in _READ.findall(action) for bit in bits.split()}
    functions = frozenset({int(each) for each in _FUNCTION.findall(action)} - {0})
    # A version that writes its trees otherwise must not make every secret readable.
    is_known = action.startswith("({QUERY ") and (_TABLE.search(action) is None or ":selectedCols " in action)
    return Rule(frozenset(found), functions, is_known)


def refusal(rule: Rule, names: Iterable[Mapping[str, Any]], functions: Iterable[Mapping[str, Any]]) -> str | None:
    """Why a query is not run; None where it is.

    Args:
        rule: of the query.
        names: what `NAMES` answered.
        functions: what `FUNCTIONS` answered.
    """
    if not rule.is_known:
        return "This version of PostgreSQL writes its rules in a form that is not known here, so nothing is read."
    for each in functions:
        if (each["volatility"] == "v" and each["name"] not in _HARMLESS) or _READS_TABLES.match(each["name"]):
            return (
                f"{each['name']}() may do more than compute, so it is not called here; "
                "functions that PostgreSQL knows as immutable or stable are."
            )
    for each in names:
        is_read = {(each["relation_id"], each["number"]), (each["relation_id"], _WHOLE_ROW)} & rule.reads
        if is_read and is_secret(each["column"]):
            return (
                f"{each['relation']}.{each['column']} holds secrets and is not shown; name the other columns, without * or the row."
            )
    return None
