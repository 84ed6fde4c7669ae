"""lazyapp/developing/about_rule.py: what a query reads and calls, by the rule of a view."""

from lazyapp.developing.about_rule import read_rule, refusal

ACTION = (
    "({QUERY :rtable ({RANGETBLENTRY :relid 1259 :perminfoindex 1 :lateral false}) :rteperminfos ({RTEPERMISSIONINFO :relid 16385 "
    ":inh true :requiredPerms 2 :checkAsUser 0 :selectedCols (b 8 10) :insertedCols (b)} {RTEPERMISSIONINFO :relid 16390 :inh true "
    ":requiredPerms 2 :checkAsUser 0 :selectedCols (b 7) :insertedCols (b)}) :targetList ({FUNCEXPR :funcid 2621 :funcresulttype "
    "2278} {OPEXPR :opno 96 :opfuncid 0} {AGGREF :aggfnoid 2803})})"
)
NAMES = [
    {"relation_id": 16385, "number": 1, "relation": "readers", "column": "id"},
    {"relation_id": 16385, "number": 2, "relation": "readers", "column": "password"},
    {"relation_id": 16385, "number": 3, "relation": "readers", "column": "name"},
    {"relation_id": 16390, "number": 1, "relation": "logins", "column": "token"},
]


def test_columns_and_functions_are_read_from_the_tree() -> None:
    """PostgreSQL 18, src/include/nodes/parsenodes.h: RTEPermissionInfo.selectedCols is offset by the system columns."""
    rule = read_rule(ACTION)
    assert rule.reads == {(16385, 1), (16385, 3), (16390, 0)}
    assert rule.relation_ids == [16385, 16390]
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
    assert "pg_sleep()" in str(refusal(rule, [], [{"name": "pg_sleep", "volatility": "v"}]))
    assert "table_to_xml()" in str(refusal(rule, [], [{"name": "table_to_xml", "volatility": "s"}]))
    assert refusal(rule, [], [{"name": "random", "volatility": "v"}, {"name": "now", "volatility": "s"}]) is None
