"""What users of other MCP servers complained about in public, and how it is here. Sources are the threads."""

from tests.requirements.requirement import Requirement

_GITHUB = "https://github.com/"


def _complaint(number: int, text: str, threads: str, *tests: str) -> Requirement:
    source = " ".join(_GITHUB + thread for thread in threads.split())
    return Requirement(id=f"COMPLAINT-{number}", source=source, text=text, tests=tests)


COMPLAINTS: tuple[Requirement, ...] = (
    _complaint(
        1,
        "Any process goes on with a session.",
        "PrefectHQ/fastmcp/issues/1003",
        "lazymcp/test_legacy.py::test_any_server_with_the_secret_goes_on_with_a_session",
    ),
    _complaint(
        2,
        "A session survives the process that began it.",
        "modelcontextprotocol/python-sdk/issues/880",
        "lazymcp/test_sessions.py::test_any_process_with_the_secret_reads_it",
        "lazymcp/test_sessions.py::test_ids_outlive_the_replacement_of_the_secret",
    ),
    _complaint(
        3,
        "A session that is unknown or over is 404, so that the client begins a new one.",
        (
            "modelcontextprotocol/python-sdk/issues/1727 modelcontextprotocol/python-sdk/issues/1004 "
            "DAWNCR0W/affine-mcp-server/issues/301"
        ),
        "lazymcp/test_legacy.py::test_a_session_is_ended_with_404_and_a_missing_one_is_no_harm",
    ),
    _complaint(
        4,
        "A client whose proxy drops the session header is served all the same.",
        "datagouv/datagouv-mcp/issues/25 datagouv/datagouv-mcp/issues/52 anthropics/claude-code/issues/70386",
        "lazymcp/test_legacy.py::test_a_session_is_ended_with_404_and_a_missing_one_is_no_harm",
        "lazymcp/test_complaints_sessions.py::test_a_client_that_loses_its_session_header_is_served",
    ),
    _complaint(
        5,
        "It mounts in FastAPI and Starlette without any lifespan.",
        (
            "modelcontextprotocol/python-sdk/issues/1220 modelcontextprotocol/python-sdk/issues/1716 "
            "modelcontextprotocol/python-sdk/issues/1467 modelcontextprotocol/python-sdk/issues/713 "
            "PrefectHQ/fastmcp/issues/518 tadata-org/fastapi_mcp/issues/256"
        ),
        "lazymcp/test_scope.py::test_it_mounts_in_any_application_without_lifespan_wiring",
        "lazymcp/test_standalone.py::test_tools_are_called_without_lifespan_and_without_redirect",
    ),
    _complaint(
        6,
        "/mcp and /mcp/ both answer, and neither redirects.",
        (
            "modelcontextprotocol/python-sdk/issues/1168 PrefectHQ/fastmcp/issues/991 "
            "PrefectHQ/fastmcp/issues/1867 PrefectHQ/fastmcp/issues/1849 BerriAI/litellm/issues/23688"
        ),
        "lazyapp/test_app.py::test_mcp_answers_with_and_without_the_slash_and_never_redirects",
    ),
    _complaint(
        7,
        "A session begun at /mcp goes on at /mcp/.",
        "PrefectHQ/fastmcp/issues/585",
        "lazymcp/test_complaints_app.py::test_a_session_goes_on_at_the_other_spelling_of_the_path",
    ),
    _complaint(
        8,
        "The documents of OAuth stand at the root of the origin, with the path inserted.",
        (
            "PrefectHQ/fastmcp/issues/2077 PrefectHQ/fastmcp/issues/1685 PrefectHQ/fastmcp/issues/4390 "
            "modelcontextprotocol/python-sdk/issues/1264 modelcontextprotocol/python-sdk/pull/1288"
        ),
        "lazymcp/test_complaints_app.py::test_the_documents_stand_where_a_client_looks_for_them",
        "lazyoauth/test_metadata.py::test_the_resources_document_is_the_same_at_both_addresses",
    ),
    _complaint(
        9,
        "Issuer and resource are written as they were configured, without a slash at the end.",
        "modelcontextprotocol/python-sdk/issues/1919 modelcontextprotocol/python-sdk/issues/1265",
        "lazymcp/test_complaints_app.py::test_issuer_and_resource_stand_as_they_were_written",
    ),
    _complaint(
        10,
        "Challenges of 401 and 403 name the scope.",
        "modelcontextprotocol/python-sdk/issues/3103",
        "lazymcp/test_complaints_app.py::test_a_challenge_names_the_scope",
        "lazymcp/test_exchange.py::test_a_missing_scope_is_403_before_the_stream",
    ),
    _complaint(
        11,
        "Behind a proxy the configured name is served, and a refusal says which setting is missing.",
        (
            "modelcontextprotocol/python-sdk/issues/1798 brianglass/orthocal-python/pull/160 "
            "apache/doris-mcp-server/issues/203 open-orbis/open-orbis/pull/427"
        ),
        "lazymcp/test_gate.py::test_a_public_server_answers_to_the_names_it_is_given",
        "lazymcp/test_gate.py::test_the_refusal_says_which_option_to_set",
        "lazymcp/test_complaints_app.py::test_the_public_name_is_served_without_another_setting",
    ),
    _complaint(
        12,
        "Accept is read leniently.",
        "modelcontextprotocol/python-sdk/issues/2349",
        "lazymcp/test_http.py::test_accept_is_read_leniently",
    ),
    _complaint(
        13,
        "Pages may call where they are allowed to: preflights are free and headers are exposed.",
        "modelcontextprotocol/python-sdk/issues/1135 modelcontextprotocol/python-sdk/issues/1079",
        "lazymcp/test_http.py::test_options_is_free_and_pages_of_this_machine_may_call",
        "lazyoauth/test_http.py::test_a_script_on_any_page_may_call_what_machines_call",
    ),
    _complaint(
        14,
        "Sync tools run in threads, and the event loop goes on.",
        "modelcontextprotocol/python-sdk/issues/1646 modelcontextprotocol/python-sdk/issues/1839",
        "lazymcp/test_function.py::test_a_function_that_is_not_async_runs_in_a_thread",
        "lazymcp/test_load.py::test_two_hundred_sync_tools_hold_up_nobody",
    ),
    _complaint(
        15,
        "Services are opened once a process, not once a session or request.",
        (
            "modelcontextprotocol/python-sdk/issues/1304 PrefectHQ/fastmcp/issues/166 "
            "PrefectHQ/fastmcp/issues/1115 PrefectHQ/fastmcp/issues/1363"
        ),
        "lazymcp/test_complaints_app.py::test_services_are_opened_once_for_all_sessions",
    ),
    _complaint(
        16,
        "A string stays a string, however much it looks like JSON.",
        (
            "modelcontextprotocol/python-sdk/issues/381 modelcontextprotocol/python-sdk/issues/3055 "
            "PrefectHQ/fastmcp/issues/251 PrefectHQ/fastmcp/issues/3931"
        ),
        "lazymcp/test_function.py::test_a_string_stays_what_it_is",
    ),
    _complaint(
        17,
        "A tool that asks a client which cannot answer fails at once.",
        (
            "modelcontextprotocol/python-sdk/issues/1740 modelcontextprotocol/python-sdk/issues/680 "
            "PrefectHQ/fastmcp/issues/678 PrefectHQ/fastmcp/issues/1585"
        ),
        "lazymcp/test_complaints_sessions.py::test_asking_a_client_that_cannot_answer_fails_at_once",
    ),
    _complaint(
        18,
        "Sessions, tasks and memory do not grow with requests and with clients that leave.",
        (
            "modelcontextprotocol/python-sdk/issues/1283 modelcontextprotocol/python-sdk/issues/2455 "
            "modelcontextprotocol/python-sdk/issues/3228 modelcontextprotocol/python-sdk/issues/3300"
        ),
        "lazymcp/test_complaints_sessions.py::test_nothing_is_left_of_clients_that_left",
        "lazymcp/test_sessions.py::test_memory_is_bounded",
    ),
    _complaint(
        19,
        "Streams that are open at shutdown are ended properly.",
        (
            "modelcontextprotocol/python-sdk/issues/2150 modelcontextprotocol/python-sdk/pull/2716 "
            "modelcontextprotocol/python-sdk/pull/3218"
        ),
        "lazymcp/test_complaints_streams.py::test_a_server_that_stops_ends_its_streams",
        "lazymcp/test_exchange.py::test_a_stream_that_the_server_ends_says_so",
    ),
    _complaint(
        20,
        "A second server in the same process streams as the first did.",
        "modelcontextprotocol/python-sdk/issues/3494",
        "lazymcp/test_complaints_streams.py::test_a_second_server_in_the_process_streams_as_the_first",
    ),
    _complaint(
        21,
        "Nothing is sent for a request that was cancelled.",
        "modelcontextprotocol/python-sdk/issues/2480",
        "lazymcp/test_attendance.py::test_leaving_cancels_the_tool_and_nothing_more_is_sent",
        "lazymcp/test_stdio.py::test_a_cancelled_request_is_not_answered",
    ),
    _complaint(
        22,
        "A client that leaves ends the work that nobody waits for.",
        "modelcontextprotocol/python-sdk/issues/2507",
        "lazymcp/test_attendance.py::test_leaving_cancels_the_tool_and_nothing_more_is_sent",
        "lazymcp/test_complaints_streams.py::test_a_client_that_gives_up_ends_the_work",
    ),
    _complaint(
        23,
        "A CancelledError in a tool ends that request only.",
        "modelcontextprotocol/python-sdk/issues/2610",
        "lazymcp/test_stdio.py::test_a_handler_can_end_only_its_own_request",
        "lazymcp/test_exchange.py::test_a_tool_harms_nobody_but_itself",
    ),
    _complaint(
        24,
        "URI templates are matched as RFC 6570 expands them, and values are decoded once.",
        (
            "modelcontextprotocol/python-sdk/issues/159 modelcontextprotocol/python-sdk/issues/973 "
            "modelcontextprotocol/python-sdk/pull/1864 modelcontextprotocol/python-sdk/pull/3526"
        ),
        "lazymcp/test_uri_template.py::test_matching_is_expansion_in_reverse",
        "lazymcp/test_uri_template.py::test_values_are_decoded_once",
        "lazymcp/test_uri_template.py::test_a_plain_variable_stops_at_a_slash_and_a_reserved_one_does_not",
    ),
    _complaint(
        25,
        "Logins survive a restart and are known to every process.",
        "PrefectHQ/fastmcp/issues/1762 PrefectHQ/fastmcp/issues/2479 PrefectHQ/fastmcp/issues/1577",
        "flows/test_restart.py::test_a_killed_and_restarted_server_is_the_same_to_a_python_client",
        "flows/test_restart.py::test_login_on_one_server_refresh_on_another",
        "lazyoauth/test_sql.py::test_two_stores_on_one_database_never_both_win",
    ),
    _complaint(
        26,
        "An unknown tool is a protocol error, -32602.",
        (
            "modelcontextprotocol/python-sdk/pull/1872 modelcontextprotocol/python-sdk/pull/1149 "
            "modelcontextprotocol/typescript-sdk/issues/1510"
        ),
        "lazymcp/test_methods.py::test_an_unknown_tool_is_the_clients_mistake",
    ),
    _complaint(
        27,
        "An unknown method is -32601.",
        "modelcontextprotocol/python-sdk/issues/3193",
        "lazymcp/test_methods.py::test_an_unknown_method_is_404",
        "lazymcp/test_complaints_sessions.py::test_an_unknown_method_has_its_own_code_in_every_revision",
    ),
    _complaint(
        28,
        "A tool sees the headers and the user of its own request.",
        ("PrefectHQ/fastmcp/issues/1233 modelcontextprotocol/python-sdk/issues/638 modelcontextprotocol/python-sdk/issues/674"),
        "lazymcp/test_complaints_sessions.py::test_calls_at_the_same_time_see_each_their_own_request",
    ),
    _complaint(
        29,
        "Whatever prints, stdout carries messages only.",
        (
            "blockscout/mcp-server/issues/39 mcp-hangar/mcp-hangar/issues/563 homeassistant-ai/ha-mcp/issues/2374 "
            "espressif/esp-idf/issues/19087"
        ),
        "lazymcp/test_process_streams.py::test_stdout_carries_messages_only",
        "flows/test_stdio.py::test_a_stray_print_does_no_harm",
    ),
    _complaint(
        30,
        "A silent stream is kept alive, and proxies are asked not to hold it back.",
        "punkpeye/fastmcp/issues/120 dhyansraj/mcp-mesh/issues/267",
        "lazymcp/test_attendance.py::test_a_silent_stream_is_kept_alive",
        "lazymcp/test_exchange.py::test_a_tool_that_talks_is_streamed",
    ),
    _complaint(
        31,
        "Structured content fits its schema: optional values, failed calls, wrapped values, shared definitions.",
        (
            "IBM/mcp-context-forge/issues/4208 IBM/mcp-context-forge/issues/4042 "
            "modelcontextprotocol/python-sdk/issues/2626 modelcontextprotocol/python-sdk/pull/2667"
        ),
        "lazymcp/test_complaints_sessions.py::test_what_the_official_client_validates_is_valid",
        "lazymcp/test_output.py::test_anything_else_is_wrapped_in_answer_and_schema_alike",
    ),
    _complaint(
        32,
        "Without a session nothing is said about sessions.",
        "nextcloud/context_agent/issues/227",
        "lazymcp/test_complaints_sessions.py::test_nothing_is_said_about_sessions_where_there_are_none",
    ),
)
