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
        tests: node ids below `tests/`, without parameters: `flows/test_stdio.py::test_a_stray_print_does_no_harm`.
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
    _seed(
        "1",
        "introduction",
        "/mcp exists only when Config.mcp registers a module.",
        "flows/test_without_mcp.py::test_mcp_and_its_documents_are_not_there_and_the_rest_works",
    ),
    _seed(
        "2",
        "introduction",
        "A client calls tools, reads data, loads prompts, finds skills and shows App pages.",
        "flows/test_clients.py::test_the_python_sdk_logs_in_and_sees_everything",
        "flows/test_clients.py::test_fastmcp_logs_in_and_sees_everything",
        "flows/test_clients.py::test_the_typescript_sdk_logs_in_and_sees_everything",
    ),
    _seed(
        "3",
        "stdio",
        "A local process serves the modules that HTTP serves, over stdin and stdout.",
        "flows/test_stdio.py::test_the_same_module_is_served_over_stdio",
    ),
    _seed(
        "4",
        "stdio",
        "Options.views, from view_renderer(views), renders Apps with or without lazyapp: one implementation.",
        "flows/test_seed.py::test_an_app_is_a_rendered_view_with_its_policy_in_list_and_read",
    ),
    _seed(
        "5a",
        "stdio",
        "stdout carries newline-delimited JSON-RPC and nothing else; diagnostics go to stderr.",
        "lazymcp/test_process_streams.py::test_stdout_carries_messages_only",
        "flows/test_stdio.py::test_a_stray_print_does_no_harm",
    ),
    _seed(
        "5b",
        "stdio",
        "Numeric and string request ids come back as they were sent.",
        "lazymcp/test_stdio.py::test_ids_come_back_as_they_were_given",
    ),
    _seed("5c", "stdio", "A notification gets no answer.", "lazymcp/test_stdio.py::test_notifications_are_never_answered"),
    _seed(
        "5d",
        "stdio",
        "Concurrent answers never interleave.",
        "lazymcp/test_lines.py::test_lines_never_mix_however_slowly_they_are_read",
    ),
    _seed(
        "5e",
        "stdio",
        "A message may have 64 MiB coming in, and any size going out.",
        "lazymcp/test_process_streams.py::test_a_message_has_64_mib_and_not_one_byte_more",
        "lazymcp/test_process_streams.py::test_an_answer_has_no_limit",
    ),
    _seed(
        "5f",
        "stdio",
        "notifications/cancelled cancels the request that it names.",
        "lazymcp/test_stdio.py::test_a_cancelled_request_is_not_answered",
        "lazymcp/test_stdio.py::test_only_the_request_that_is_named_is_cancelled",
    ),
    _seed(
        "5g",
        "stdio",
        "End of input drains what is pending and leaves the streams open.",
        "lazymcp/test_stdio.py::test_the_end_of_the_input_drains_what_is_pending",
        "lazymcp/test_stdio.py::test_streams_stay_open_at_the_end_of_the_input",
    ),
    _seed(
        "5h",
        "stdio",
        "Cancelling the server cancels what is pending and closes the streams.",
        "lazymcp/test_stdio.py::test_cancellation_cancels_requests_and_closes_streams",
    ),
    _seed(
        "5i",
        "stdio",
        "Modules are registered before serving begins; later is an error.",
        "flows/test_seed.py::test_modules_are_registered_before_serving",
    ),
    _seed(
        "6",
        "stdio",
        "Neither lazyapp nor HTTP nor OAuth is needed; a module can tell the transport it is used over.",
        "flows/test_stdio.py::test_a_short_script_is_a_server_and_knows_its_transport",
        "flows/test_seed.py::test_a_module_knows_its_transport",
    ),
    _seed(
        "7",
        "directory shape",
        "app/mcps/*_mcp holds the modules, app/views/mcp/<module> their pages.",
        "flows/test_clients.py::test_the_python_sdk_logs_in_and_sees_everything",
        "flows/test_stdio.py::test_a_stray_print_does_no_harm",
    ),
    _seed(
        "8",
        "directory shape",
        "Without a name a module is called after its class: AdminMCP is admin.",
        "flows/test_seed.py::test_a_tool_is_named_typed_and_linked_by_its_spec",
        "lazymcp/test_names.py::test_a_module_is_named_after_its_class",
    ),
    _seed(
        "9",
        "define a module",
        "A tool is a spec with description, function and page, and can ask who is signed in.",
        "flows/test_seed.py::test_a_tool_asks_who_is_signed_in",
    ),
    _seed(
        "10",
        "define a module",
        "The suffix of a method exports it; clients see <module>.<tool>.",
        "flows/test_seed.py::test_a_tool_is_named_typed_and_linked_by_its_spec",
        "lazymcp/test_names.py::test_an_item_is_named_after_its_method_without_the_suffix",
    ),
    _seed(
        "11",
        "define a module",
        "The return type is the outputSchema, the value structuredContent; both can be given by hand.",
        "flows/test_seed.py::test_a_tool_is_named_typed_and_linked_by_its_spec",
    ),
    _seed(
        "12",
        "define a module",
        "Whatever a model can find has a description.",
        "flows/test_seed.py::test_nothing_is_published_without_a_description",
    ),
    _seed(
        "13",
        "register modules",
        "init/mcp.py registers the modules.",
        "flows/test_clients.py::test_the_python_sdk_logs_in_and_sees_everything",
    ),
    _seed(
        "14",
        "register modules",
        "Config(mcp=...) wires them into the start of the application.",
        "flows/test_clients.py::test_the_python_sdk_logs_in_and_sees_everything",
        "flows/test_without_mcp.py::test_mcp_and_its_documents_are_not_there_and_the_rest_works",
    ),
    _seed(
        "15a",
        "register modules",
        "With OAuth /mcp wants a bearer token, and the application's users log in to get one.",
        "flows/test_clients.py::test_the_python_sdk_logs_in_and_sees_everything",
        "lazyoauth/test_server.py::test_a_stranger_logs_in_calls_refreshes_and_a_replay_ends_it",
    ),
    _seed(
        "15b",
        "register modules",
        "Without Config.auth there are no users, unless LAZYAUTH_DEFAULT_PASS makes one.",
        "lazyauth/test_memory.py::test_without_a_default_password_there_are_no_users",
        "lazyauth/test_memory.py::test_the_default_password_makes_one_administrator",
    ),
    _seed("15c", "register modules", "File, PostgreSQL, SSO or own accounts can be the users.", later="user backends"),
    _seed(
        "15d",
        "register modules",
        "Without OAuth /mcp is open.",
        "flows/test_without_oauth.py::test_mcp_is_open_and_nothing_speaks_of_oauth",
    ),
    _seed(
        "16a",
        "register modules",
        "Refresh-token families live in a store that a hook takes from the services.",
        "flows/test_restart.py::test_login_on_one_server_refresh_on_another",
    ),
    _seed(
        "16b",
        "register modules",
        "The table holds family, current jti, expiry and revocation, and no token.",
        "lazyoauth/test_sql.py::test_the_table_has_four_columns_and_nothing_secret",
    ),
    _seed(
        "16c",
        "register modules",
        "A client refreshes after the server was replaced; a replayed token is found out.",
        "flows/test_restart.py::test_a_killed_and_restarted_server_is_the_same_to_a_python_client",
        "flows/test_restart.py::test_a_refresh_token_used_twice_ends_the_login_at_once",
    ),
    _seed(
        "17",
        "resources and prompts",
        "A resource has a URI, name, description, media type, and a function that reads it.",
        "flows/test_seed.py::test_resources_are_listed_and_read",
    ),
    _seed(
        "18",
        "resources and prompts",
        "A prompt has messages, or makes them from arguments.",
        "flows/test_seed.py::test_prompts_are_messages_or_made_from_arguments",
    ),
    _seed(
        "19",
        "resources and prompts",
        "tools(), resources(), prompts(), skills() and apps() may return lists of specs.",
        "flows/test_seed.py::test_resources_are_listed_and_read",
        "flows/test_seed.py::test_prompts_are_messages_or_made_from_arguments",
    ),
    _seed("20", "skills", "A folder is a skill, served as resources.", "flows/test_seed.py::test_a_folder_is_a_skill"),
    _seed(
        "21",
        "skills",
        "skill://index.json, SKILL.md and supporting files can be read, and folders listed.",
        "flows/test_seed.py::test_a_folder_is_a_skill",
        "lazymcp/test_skills.py::test_the_root_of_a_skill_lists_its_direct_children",
    ),
    _seed(
        "22",
        "Apps",
        "A ui:// resource is declared beforehand and tools point to it.",
        "flows/test_seed.py::test_a_tool_is_named_typed_and_linked_by_its_spec",
    ),
    _seed(
        "23",
        "Apps",
        "The page is the view app/views/mcp/<module>/<name>.",
        "flows/test_seed.py::test_an_app_is_a_rendered_view_with_its_policy_in_list_and_read",
    ),
    _seed(
        "24",
        "Apps",
        "use_layout wears the layout mcp_app; html is a static page.",
        "flows/test_seed.py::test_an_app_is_a_rendered_view_with_its_policy_in_list_and_read",
        "flows/test_seed.py::test_a_page_may_be_static_and_an_empty_policy_is_a_policy",
    ),
    _seed(
        "25",
        "Apps",
        "Domain and CSP stand in list and read, in standard and in ChatGPT's keys; an empty list is a policy.",
        "flows/test_seed.py::test_an_app_is_a_rendered_view_with_its_policy_in_list_and_read",
        "flows/test_seed.py::test_a_page_may_be_static_and_an_empty_policy_is_a_policy",
    ),
    _seed(
        "26",
        "Apps",
        "A tool with a page still answers in text and structured content.",
        "flows/test_seed.py::test_what_only_the_page_sees_travels_in_meta",
    ),
    _seed(
        "27",
        "Apps",
        "A result can keep values from the model: mcp_result_meta(), or WidgetOnly.",
        "flows/test_seed.py::test_what_only_the_page_sees_travels_in_meta",
        "flows/test_clients.py::test_the_python_sdk_logs_in_and_sees_everything",
    ),
    _seed("28", "Apps", "They travel in the result's _meta.", "flows/test_seed.py::test_what_only_the_page_sees_travels_in_meta"),
    _seed(
        "29",
        "authorize modules",
        "The mcps claim opens modules: by name, all by *, none without it.",
        "flows/test_seed.py::test_the_mcps_claim_opens_modules",
    ),
    _seed(
        "30",
        "authorize modules",
        "Options.authorizer replaces that rule.",
        "flows/test_seed.py::test_an_authorizer_replaces_the_rule",
    ),
    _seed(
        "31",
        "authorize modules",
        "A tool decides about the operation itself, by user and scope.",
        "flows/test_seed.py::test_a_tool_decides_about_the_operation_itself",
    ),
)
