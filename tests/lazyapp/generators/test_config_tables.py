"""`lazyapp.generators.config_tables`."""

import pytest

from lazyapp.generators.application import Application
from lazyapp.generators.config_tables import hook_tables
from lazyapp.generators.imports import Import
from lazyapp.generators.plan import Plan

BASE = Import("app.models", "Base")


def hooked(application: Application, line: str) -> Plan:
    config = application.root / application.config
    config.write_text(config.read_text().replace("        drawer=draw,\n", f"        drawer=draw,\n{line}"))
    plan = Plan(application.root)
    hook_tables(plan, application, BASE, "app.models.base")
    return plan


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "tables=Base.metadata,\n"),
        ("        tables=metadata,\n", "        tables=[metadata, Base.metadata],\n"),
        ("        tables=a.metadata,  # é\n", "        tables=[a.metadata, Base.metadata],  # é\n"),
        ("        tables=[a, b],\n", "        tables=[a, b, Base.metadata],\n"),
    ],
)
def test_the_models_are_named_beside_what_is_named_already(application: Application, before: str, after: str) -> None:
    text = hooked(application, before).read(application.config)
    assert after in text
    assert "from app.models import Base\n" in text


@pytest.mark.parametrize("line", ["        tables=[Base.metadata],\n", "        tables=Base.metadata,\n"])
def test_what_names_them_is_left_as_it_is(application: Application, line: str) -> None:
    plan = hooked(application, line)
    assert (plan.changed, plan.by_hand) == ({}, [])


@pytest.mark.parametrize(
    "line", ["        tables=tables(),\n", "        tables=[\n            a,\n        ],\n", f"        tables=[{'a, ' * 50}],\n"]
)
def test_what_is_laid_out_otherwise_is_told(application: Application, line: str) -> None:
    plan = hooked(application, line)
    assert plan.changed == {}
    assert plan.by_hand[0][2].endswith("lazyapp.Config(…, tables=Base.metadata)")


def test_another_base_is_not_taken_for_ours(application: Application) -> None:
    config = application.root / application.config
    config.write_text(f"from x import Base\n{config.read_text()}")
    assert hooked(application, "").by_hand[0][1] == "it has another Base"


def test_the_line_is_found_below_a_form_feed(application: Application) -> None:
    """The language reference, 2.1.2: a form feed ends no line."""
    text = hooked(application, "        # a\x0cb\n        tables=metadata,\n").read(application.config)
    assert "        # a\x0cb\n        tables=[metadata, Base.metadata],\n" in text
