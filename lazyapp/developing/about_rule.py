"""What a query reads and calls, told by the rule that PostgreSQL keeps of a view of it.

`pg_rewrite.ev_action` is the tree that the parser made of the query, as text: names are resolved, `*` is written out, aliases are
gone. For its own check of permissions PostgreSQL keeps beside each relation the set of columns that are read of it, system catalogs
included, and each function stands there by its id. A view in it has a rule of its own, which counts as if written out.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from lazyapp.secret_words import is_secret

NAMES = """
SELECT c.oid::bigint AS relation_id, a.attnum AS number, c.relname AS relation, a.attname AS column, c.oid < 16384 AS is_builtin
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 WHERE c.oid = ANY($1::oid[])
"""
# Below 16384 (FirstNormalObjectId) is what PostgreSQL brings itself. What else is written in C and immutable is an extension's.
FUNCTIONS = """
SELECT p.proname AS name, p.provolatile::text AS volatility, p.oid < 16384 OR (p.provolatile = 'i' AND l.lanname = 'c') AS is_known,
    p.proargtypes::oid[] && ARRAY['json'::regtype::oid, 'jsonb'::regtype::oid] AS takes_json
FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang WHERE p.oid = ANY($1::oid[])
"""
#: Of the application's own views; those of PostgreSQL are judged by their columns.
RULES = """
SELECT ev_class::bigint AS relation_id, ev_action::text AS action FROM pg_rewrite
WHERE ev_class >= 16384 AND ev_type = '1' AND ev_class = ANY($1::oid[])
"""

_FUNCTION = re.compile(r":(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)")
_READ = re.compile(r":relid (\d+)(?:(?!:relid ).)*?:selectedCols \(b([ \d]*)\)", re.DOTALL)
_TABLE = re.compile(r":relid ([1-9]\d*)")
# Texts, arrays of them and JSON paths, as the bytes that they are kept in.
_TEXT = re.compile(r":consttype (?:25|705|1009|1043|4072) [^{}\[]*:constvalue \d+ \[ ([-\d ]+)\]")
_FIELDS = re.compile(r":funccolnames \(([^)]+)\)")
_WORD = re.compile(r"[A-Za-z_][\w-]+")
_IN_JSON = re.compile(r"\{JSONEXPR |:refcontainertype 3802 ")
# FirstLowInvalidHeapAttributeNumber: column 1 is bit 8, and bit 7 is the row as one value.
_FIRST, _WHOLE_ROW = 7, 0
#: They change with each call, and change nothing.
_HARMLESS = frozenset({"random", "clock_timestamp", "timeofday", "gen_random_uuid", "uuidv4", "uuidv7"})
#: Stable, and yet they read what no parser sees: a table named in a text.
_READS_TABLES = re.compile(r"(table|query|cursor|schema|database)_to_xml")
#: They hold samples of what stands in columns.
_SAMPLES = re.compile(r"pg_stat(s|istic)(_|$)")
#: They take names and values apart.
_TAKES_APART = re.compile(r"jsonb?_each(_text)?$")


class Rule(NamedTuple):
    """What a query reads and calls.

    Args:
        reads: pairs of a relation's id and a column's number; 0 is the whole row.
        function_ids: the ids of the functions, those of operators and aggregates among them.
        relation_ids: the ids of all tables and views.
        words: those of the texts in it that name a secret.
        looks_into_json: whether it does so without a function.
        is_known: whether the tree has the form that is read here.
    """

    reads: frozenset[tuple[int, int]]
    function_ids: frozenset[int]
    relation_ids: frozenset[int] = frozenset()
    words: frozenset[str] = frozenset()
    looks_into_json: bool = False
    is_known: bool = True

    def joined(self, other: "Rule") -> "Rule":
        """This rule and that of a view in it."""
        return Rule(
            self.reads | other.reads,
            self.function_ids | other.function_ids,
            self.relation_ids | other.relation_ids,
            self.words | other.words,
            self.looks_into_json or other.looks_into_json,
            self.is_known and other.is_known,
        )


def read_rule(action: str) -> Rule:
    """The rule of a view, from its `pg_rewrite.ev_action`."""
    found = {(int(relation), int(bit) - _FIRST) for relation, bits in _READ.findall(action) for bit in bits.split()}
    functions = frozenset({int(each) for each in _FUNCTION.findall(action)} - {0})
    # A version that writes its trees otherwise must not make every secret readable.
    is_known = action.startswith("({QUERY ") and (_TABLE.search(action) is None or ":selectedCols " in action)
    relations = frozenset(int(each) for each in _TABLE.findall(action))
    return Rule(frozenset(found), functions, relations, _secret_words(action), _IN_JSON.search(action) is not None, is_known)


def _secret_words(action: str) -> frozenset[str]:
    texts = [bytes(int(each) % 256 for each in found.split()) for found in _TEXT.findall(action)]
    texts += [each.encode() for each in _FIELDS.findall(action)]
    return frozenset(word for text in texts for word in _WORD.findall(text.decode("latin-1")) if is_secret(word))


def refusal(rule: Rule, names: Iterable[Mapping[str, Any]], functions: Collection[Mapping[str, Any]]) -> str | None:
    """Why a query is not run; None where it is.

    Args:
        rule: of the query.
        names: what `NAMES` answered.
        functions: what `FUNCTIONS` answered.
    """
    if not rule.is_known:
        return "This version of PostgreSQL writes its rules in a form that is not known here, so nothing is read."
    return _function_refusal(functions) or _column_refusal(rule, names) or _json_refusal(rule, functions)


def _function_refusal(functions: Iterable[Mapping[str, Any]]) -> str | None:
    for each in functions:
        if (each["volatility"] == "v" and each["name"] not in _HARMLESS) or _READS_TABLES.match(each["name"]):
            return (
                f"{each['name']}() may do more than compute, so it is not called here; "
                "functions that PostgreSQL knows as immutable or stable are."
            )
        if not each["is_known"]:
            return f"{each['name']}() is not PostgreSQL's own, and what it reads is not known, so it is not called here."
    return None


def _column_refusal(rule: Rule, names: Iterable[Mapping[str, Any]]) -> str | None:
    for each in names:
        if not {(each["relation_id"], each["number"]), (each["relation_id"], _WHOLE_ROW)} & rule.reads:
            continue
        if each["is_builtin"] and _SAMPLES.match(each["relation"]):
            return f"{each['relation']} holds secrets and is not shown: values of every column are in it."
        if is_secret(each["column"]):
            return (
                f"{each['relation']}.{each['column']} holds secrets and is not shown; name the other columns, without * or the row "
                "and without a view that reads it."
            )
    return None


def _json_refusal(rule: Rule, functions: Collection[Mapping[str, Any]]) -> str | None:
    callers = [each["name"] for each in functions if each["takes_json"]]
    for name in callers:
        if _TAKES_APART.match(name):
            return f"{name}() may take secrets out of JSON, so it is not called here; select the whole, in which they are hidden."
    if rule.words and (callers or rule.looks_into_json):
        return f"{min(rule.words)!r} holds secrets and is not taken out of JSON; select the whole, in which it is hidden."
    return None
