"""lazyapp/developing/about_rule.py: what a query reads and calls, by the rule of a view."""

from typing import Any

from lazyapp.developing.about_rule import read_rule, refusal

ACTION = (
    "({QUERY :rtable ({RANGETBLENTRY :relid 1259 :perminfoindex 1 :lateral false}) :rteperminfos ({RTEPERMISSIONINFO :relid 16385 "
    ":inh true :requiredPerms 2 :checkAsUser 0 :selectedCols (b 8 10) :insertedCols (b)} {RTEPERMISSIONINFO :relid 16390 :inh true "
    ":requiredPerms 2 :checkAsUser 0 :selectedCols (b 7) :insertedCols (b)}) :targetList ({FUNCEXPR :funcid 2621 :funcresulttype "
    "2278} {OPEXPR :opno 96 :opfuncid 0} {AGGREF :aggfnoid 2803})})"
)
NAMES = [
    {"relation_id": 16385, "number": 1, "relation": "readers", "column": "id", "is_builtin": False},
    {"relation_id": 16385, "number": 2, "relation": "readers", "column": "password", "is_builtin": False},
    {"relation_id": 16385, "number": 3, "relation": "readers", "column": "name", "is_builtin": False},
    {"relation_id": 16390, "number": 1, "relation": "logins", "column": "token", "is_builtin": False},
]


def test_columns_and_functions_are_read_from_the_tree() -> None:
    """PostgreSQL 18, src/include/nodes/parsenodes.h: RTEPermissionInfo.selectedCols is offset by the system columns."""
    rule = read_rule(ACTION)
    assert rule.reads == {(16385, 1), (16385, 3), (16390, 0)}
    assert rule.relation_ids == {1259, 16385, 16390}
    assert rule.function_ids == {2621, 2803}


def test_only_a_secret_that_is_read_is_refused() -> None:
    """docs/about.md, "Secrets"."""
    rule = read_rule(ACTION)
    assert refusal(rule, NAMES[:3], []) is None
    assert "logins.token" in str(refusal(rule, NAMES, []))


def test_a_tree_of_another_form_reads_nothing() -> None:
    """Saltzer and Schroeder, "Fail-safe defaults": what is not understood is refused."""
    for action in (ACTION.replace(":selectedCols", ":columnsRead"), ACTION.replace("{QUERY", "{SELECT"), ""):
        assert "not known here" in str(refusal(read_rule(action), NAMES[:1], []))


def test_a_function_that_may_do_something_is_refused() -> None:
    """PostgreSQL 18, 36.7 "Function Volatility Categories": a VOLATILE function can do anything."""
    rule = read_rule(ACTION)
    assert "pg_sleep()" in str(refusal(rule, [], [function("pg_sleep", "v")]))
    assert "table_to_xml()" in str(refusal(rule, [], [function("table_to_xml")]))
    assert "own_lookup()" in str(refusal(rule, [], [function("own_lookup", is_known=False)]))
    assert refusal(rule, [], [function("random", "v"), function("now")]) is None


def test_a_view_counts_as_if_it_were_written_out() -> None:
    """PostgreSQL 18, 39.2 "Views and the Rule System"."""
    rule = read_rule(ACTION).joined(read_rule("({QUERY :relid 16400 :selectedCols (b 9) {FUNCEXPR :funcid 7}})"))
    assert rule.reads == {(16385, 1), (16385, 3), (16390, 0), (16400, 2)}
    assert rule.function_ids == {2621, 2803, 7}
    assert not rule.joined(read_rule("{SELECT")).is_known


def test_a_secret_is_not_taken_out_of_json() -> None:
    """PostgreSQL 18, 9.16 "JSON Functions and Operators": `data ->> 'token'` has any name."""
    text = "{CONST :consttype 25 :constlen -1 :location -1 :constvalue 9 [ 36 0 0 0 116 111 107 101 110 ]}"
    rule = read_rule(f"({{QUERY {text}}})")
    assert rule.words == {"token"}
    assert "'token' holds secrets" in str(refusal(rule, [], [function("jsonb_object_field_text", takes_json=True)]))
    assert "'token' holds secrets" in str(refusal(rule._replace(looks_into_json=True), [], []))
    assert refusal(rule, [], [function("upper")]) is None
    assert "jsonb_each_text()" in str(refusal(read_rule(ACTION), [], [function("jsonb_each_text", takes_json=True)]))


def function(name: str, volatility: str = "s", is_known: bool = True, takes_json: bool = False) -> dict[str, Any]:
    return {"name": name, "volatility": volatility, "is_known": is_known, "takes_json": takes_json}
