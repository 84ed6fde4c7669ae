"""`lazyapp generate skill`: a folder of instructions for a model beside its module, and a test that reads them."""

import textwrap

from lazyapp.errors import ConfigurationError
from lazyapp.generators.application import Application
from lazyapp.generators.imports import Import
from lazyapp.generators.layout import template
from lazyapp.generators.mcp_class import check_free, extended, find_class, split
from lazyapp.generators.mcp_test import file_of_tests, path_of_test
from lazyapp.generators.names import title
from lazyapp.generators.plan import Plan
from lazyapp.generators.tool import GENERATED

_LONGEST = 1024


def plan_skill(app: Application, dotted: str, description: str = "") -> Plan:
    """A skill of a module that is there.

    Args:
        app: whose.
        dotted: `shop.packing`; its folder is called `packing`.
        description: when a model should read it, at most 1024 characters.

    Raises:
        ConfigurationError: there is no such module, or the name or the description is unusable, or the name is taken.
    """
    of, name = split(dotted, "a skill")
    said = " ".join(description.split()) or f"{title(name)}: {GENERATED} tells how to look before answering."
    if len(said) > _LONGEST:
        raise ConfigurationError(f"The description has {len(said)} characters; a skill's has at most {_LONGEST}.")
    plan, found, folder = Plan(app.root), find_class(app, of), name.replace("_", "-")
    text = plan.read(found.path)
    check_free(found, text, [f"{name}_skill", name])
    imports = [Import("pathlib", "Path"), Import("lazymcp", "SkillSpec")]
    plan.change(found.path, extended(text, found, (imports, "", template("skill.py", name=name, folder=folder)), app))
    wrapped = "\n  ".join(textwrap.wrap(said, 110, break_long_words=False, break_on_hyphens=False))
    place = found.path.parent / folder / "SKILL.md"
    plan.create(place, template("skill.md", folder=folder, description=wrapped, title=title(name), module=of))
    body = template("skill_test.py", name=name, module=of, folder=folder)
    plan.create(
        path_of_test(of, name, "skill"), file_of_tests(app, of, f"The skill {folder} of {of}, as a client finds it.", [body])
    )
    plan.next += [f"Write {place}, then run: bin/test"]
    return plan
