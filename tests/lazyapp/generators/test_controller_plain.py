"""`lazyapp.generators.controller_plain`."""

from lazyapp.generators.application import Application
from lazyapp.generators.controller_plain import custom_pages, plain
from lazyapp.generators.imports import Import
from lazyapp.generators.resource_actions import Drawn, values_of


def test_pages_without_a_table_keep_nothing_and_say_so(application: Application) -> None:
    pages = plain(application, Drawn("orders", ("index", "new", "create"), ()))
    assert "which is not kept yet" in "".join(pages.methods)
    assert list(pages.views) == ["index", "new"]
    assert '{{ link_to("Add an order", path_for("new_order")) }}' in pages.views["index"]
    assert len(pages.tests) == 2
    assert Import("pydantic", "Field") in pages.imports


def test_what_is_not_used_is_not_imported(application: Application) -> None:
    assert plain(application, Drawn("pages", (), ("about",))).imports == [Import("lazyapp", "Controller")]


def test_an_action_of_ones_own_is_a_page(application: Application) -> None:
    drawn = Drawn("pages", (), ("contact_us",))
    found = custom_pages(values_of(application, drawn), drawn)
    assert found.views == {"contact_us": '{% set title = "Contact us" %}\n<h1>{{ title }}</h1>\n'}
    assert '.get("/pages/contact-us")' in found.tests[0]
