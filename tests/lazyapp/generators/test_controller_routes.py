"""`lazyapp.generators.controller_routes`: a routes.py that was edited by hand."""

import ast
from pathlib import Path

import pytest

from lazyapp.generators.application import Application
from lazyapp.generators.controller import plan_controller
from lazyapp.generators.controller_routes import lines
from lazyapp.generators.resource_actions import Drawn

ROUTES = Path("init/routes.py")
TOP = "import lazyapp\n"
DRAW = "def draw(routes: lazyapp.Routes) -> None:\n"
LINE = 'routes.resources("orders", OrdersController, param="id:int")\n'


def planned(application: Application, text: str) -> tuple[str, list[str]]:
    (application.root / ROUTES).write_text(text)
    plan = plan_controller(application, "orders", ["index"])
    return plan.read(ROUTES), [reason for _, reason, _ in plan.by_hand]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{TOP}\n\n{DRAW}    routes.root(H.index)  # home\n    # the end\n", f"    {LINE}"),
        (
            f"{TOP}\n\n{DRAW}    with routes.resources(\n        'a',\n        A,\n    ) as a:\n        a.member.post('/x', A.x)\n",
            f"    {LINE}",
        ),
        ("import lazyapp as la\n\n\ndef draw(r: la.Routes) -> None:\n    r.root(H.index)\n", f"    {LINE.replace('routes', 'r')}"),
        ("from lazyapp import Routes\n\n\ndef anything(table: Routes):\n  '''Doc.'''\n", f"  {LINE.replace('routes', 'table')}"),
        (f"{TOP}\n\n{DRAW}    if True:\n        routes.root(H.index)\n\n\nX = 1\n", f"    {LINE}"),
        (f"{TOP}\n\n@decorated\n{DRAW}    routes.root(H.index)", f"    {LINE}"),
        (
            f"{TOP}\n\ndef draw(routes: 'lazyapp.Routes') -> None: # short\n    routes.root(H.index); routes.get('/x', H.x)\n",
            f"    {LINE}",
        ),
    ],
)
def test_a_file_that_was_edited_by_hand_is_given_its_line(application: Application, text: str, line: str) -> None:
    """docs/generators.md."""
    after, told = planned(application, text)
    assert told == []
    assert line in after
    assert "from app.controllers.orders_controller import OrdersController\n" in after
    ast.parse(after)
    # Nothing of the person's own is lost.
    kept = [
        each
        for each in after.splitlines()
        if each not in (line.rstrip("\n"), "from app.controllers.orders_controller import OrdersController")
    ]
    assert [each for each in kept if each] == [each for each in text.splitlines() if each]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{TOP}{DRAW}    routes.root(\n", "it has a syntax error"),
        ("import lazyapp\n", "it has no function that takes Routes"),
        ("def draw(routes):\n    routes.root(H.index)\n", "it has no function that takes Routes"),
        (f"{TOP}\n\n{DRAW}    pass\n\n\n{DRAW}    pass\n", "it has more than one function that takes Routes"),
        (f"{TOP}\n\n{DRAW}    return None\n", "draw returns before its end"),
        (f"from x import OrdersController\n\n\n{DRAW}    pass\n", "it has another OrdersController"),
        ("def draw(routes: Routes): routes.root(H.index)\n", "draw stands on one line"),
    ],
)
def test_what_is_not_certain_is_told_and_not_touched(application: Application, text: str, reason: str) -> None:
    """docs/generators.md."""
    after, told = planned(application, text)
    assert after == text
    assert [each.startswith(reason) for each in told] == [True]


def test_a_resource_that_is_drawn_already_stays_as_it_is(application: Application) -> None:
    text = f"{TOP}\n\n{DRAW}    routes.resources('orders', OrdersController)\n"
    assert planned(application, text) == (text, [])


def test_without_a_file_of_routes_they_are_told(application: Application) -> None:
    (application.root / ROUTES).unlink()
    [(path, reason, told)] = plan_controller(application, "orders", ["index"]).by_hand
    assert (path, reason) == (Path("init/app.py"), "it has no function that takes Routes")
    assert LINE.strip() in told


def test_actions_of_ones_own_are_lines_of_their_own() -> None:
    """docs/routes.md: a collection's actions."""
    assert lines("routes", Drawn("pages", (), ("about", "contact_us")), "C").splitlines() == [
        'routes.get("/pages/about", C.about)',
        'routes.get("/pages/contact-us", C.contact_us)',
    ]
    assert lines("orders", Drawn("orders", ("index",), ("today",)), "C").splitlines() == [
        'with orders.resources("orders", C, param="id:int") as orders_:',
        '    orders_.collection.get("/today", C.today)',
    ]
