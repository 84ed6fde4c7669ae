"""What lazyapp promises, each with its source and the tests that show it. `test_requirements.py` keeps the list honest.

SEED-n is paragraph n of the document that the project was created from, counted over its prose, code with what introduces it; a
paragraph with several promises has letters. `later` names what is not built yet: such a requirement has no test, and everything
else has one.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One promise.

    Args:
        id: what a test cites, `@pytest.mark.requirement("SEED-1")`.
        source: where the promise was made.
        text: it, in our own words.
        tests: node ids without parameters, `tests/flows/test_stdio.py::test_a_stray_print_does_no_harm`.
        later: the topic of the issue that will build it; empty when it is built.
    """

    id: str
    source: str
    text: str
    tests: tuple[str, ...] = ()
    later: str = ""


def _seed(number: str, section: str, text: str, *tests: str, later: str = "") -> Requirement:
    return Requirement(id=f"SEED-{number}", source=f"seed, {section}", text=text, tests=tests, later=later)


REQUIREMENTS = (
    _seed("1", "introduction", "/mcp exists only when Config.mcp registers a module."),
    _seed("2", "introduction", "A client calls tools, reads data, loads prompts, finds skills and shows App pages."),
    _seed("3", "stdio", "A local process serves the modules that HTTP serves, over stdin and stdout."),
    _seed("4", "stdio", "Options.views, from view_renderer(views), renders Apps with or without lazyapp: one implementation."),
    _seed("5a", "stdio", "stdout carries newline-delimited JSON-RPC and nothing else; diagnostics go to stderr."),
    _seed("5b", "stdio", "Numeric and string request ids come back as they were sent."),
    _seed("5c", "stdio", "A notification gets no answer."),
    _seed("5d", "stdio", "Concurrent answers never interleave."),
    _seed("5e", "stdio", "A message may have 64 MiB coming in, and any size going out."),
    _seed("5f", "stdio", "notifications/cancelled cancels the request that it names."),
    _seed("5g", "stdio", "End of input drains what is pending and leaves the streams open."),
    _seed("5h", "stdio", "Cancelling the server cancels what is pending and closes the streams."),
    _seed("5i", "stdio", "Modules are registered before serving begins; later is an error."),
    _seed("6", "stdio", "Neither lazyapp nor HTTP nor OAuth is needed; a module can tell the transport it is used over."),
    _seed("7", "directory shape", "app/mcps/*_mcp holds the modules, app/views/mcp/<module> their pages."),
    _seed("8", "directory shape", "Without a name a module is called after its class: AdminMCP is admin."),
    _seed("9", "define a module", "A tool is a spec with description, function and page, and can ask who is signed in."),
    _seed("10", "define a module", "The suffix of a method exports it; clients see <module>.<tool>."),
    _seed("11", "define a module", "The return type is the outputSchema, the value structuredContent; both can be given by hand."),
    _seed("12", "define a module", "Whatever a model can find has a description."),
    _seed("13", "register modules", "init/mcp.py registers the modules."),
    _seed("14", "register modules", "Config(mcp=...) wires them into the start of the application."),
    _seed("15a", "register modules", "With OAuth /mcp wants a bearer token, and the application's users log in to get one."),
    _seed("15b", "register modules", "Without Config.auth there are no users, unless LAZYAUTH_DEFAULT_PASS makes one."),
    _seed("15c", "register modules", "File, PostgreSQL, SSO or own accounts can be the users.", later="user backends"),
    _seed("15d", "register modules", "Without OAuth /mcp is open."),
    _seed("16a", "register modules", "Refresh-token families live in a store that a hook takes from the services."),
    _seed("16b", "register modules", "The table holds family, current jti, expiry and revocation, and no token."),
    _seed("16c", "register modules", "A client refreshes after the server was replaced; a replayed token is found out."),
    _seed("17", "resources and prompts", "A resource has a URI, name, description, media type, and a function that reads it."),
    _seed("18", "resources and prompts", "A prompt has messages, or makes them from arguments."),
    _seed("19", "resources and prompts", "tools(), resources(), prompts(), skills() and apps() may return lists of specs."),
    _seed("20", "skills", "A folder is a skill, served as resources."),
    _seed("21", "skills", "skill://index.json, SKILL.md and supporting files can be read, and folders listed."),
    _seed("22", "Apps", "A ui:// resource is declared beforehand and tools point to it."),
    _seed("23", "Apps", "The page is the view app/views/mcp/<module>/<name>."),
    _seed("24", "Apps", "use_layout wears the layout mcp_app; html is a static page."),
    _seed(
        "25",
        "Apps",
        "Domain and CSP stand in list and read, in standard and in ChatGPT's keys; an empty list is a policy.",
    ),
    _seed("26", "Apps", "A tool with a page still answers in text and structured content."),
    _seed("27", "Apps", "A result can keep values from the model: mcp_result_meta(), or WidgetOnly."),
    _seed("28", "Apps", "They travel in the result's _meta."),
    _seed("29", "authorize modules", "The mcps claim opens modules: by name, all by *, none without it."),
    _seed("30", "authorize modules", "Options.authorizer replaces that rule."),
    _seed("31", "authorize modules", "A tool decides about the operation itself, by user and scope."),
)
