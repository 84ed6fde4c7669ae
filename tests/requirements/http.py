"""MCP 2026-07-28: basic/transports/streamable-http, what binds servers."""

from tests.requirements.requirement import Requirement, page

_http = page("MCP-HTTP", "MCP 2026-07-28, basic/transports/streamable-http")
_HEADERS = "lazymcp/test_parameter_headers.py"

HTTP: tuple[Requirement, ...] = (
    _http(
        1,
        "",
        "There is one endpoint, and it takes POST.",
        "lazymcp/test_http.py::test_only_post_is_served",
        "lazymcp/test_standalone.py::test_tools_are_called_without_lifespan_and_without_redirect",
    ),
    _http(
        2,
        "Security & Endpoint",
        "The Origin header of every request is checked.",
        "lazymcp/test_gate.py::test_a_page_may_call_from_this_host_and_from_where_it_is_allowed",
    ),
    _http(
        3,
        "Security & Endpoint",
        "A wrong Origin is answered with 403.",
        "lazymcp/test_http.py::test_a_foreign_page_cannot_even_read_the_refusal",
    ),
    _http(
        4,
        "Sending Messages",
        "A notification that is accepted is answered with 202 and no body.",
        "lazymcp/test_http.py::test_a_notification_is_accepted",
    ),
    _http(
        5,
        "Sending Messages",
        "A notification that cannot be accepted is answered with an error of HTTP.",
        "lazymcp/test_clauses.py::test_a_notification_that_cannot_be_accepted_is_an_error_of_http",
    ),
    _http(
        6,
        "Sending Messages",
        "A request is answered with one JSON object or with a stream of events.",
        "lazymcp/test_exchange.py::test_a_tool_that_talks_is_streamed",
        "lazymcp/test_exchange.py::test_who_takes_no_stream_gets_json_without_the_talk",
    ),
    _http(
        7,
        "Receiving Messages",
        "Notifications on a stream belong to the request that opened it.",
        "lazymcp/test_clauses.py::test_what_a_stream_carries_belongs_to_its_request",
    ),
    _http(
        8,
        "Receiving Messages",
        "No request stands on a stream.",
        later="issue 3",
    ),
    _http(
        9,
        "Cancellation",
        "A client that closes the stream has cancelled its request.",
        "lazymcp/test_exchange.py::test_leaving_cancels_the_tool_and_nothing_more_is_sent",
    ),
    _http(
        10,
        "Cancellation",
        "Nothing more is sent for it.",
        "lazymcp/test_exchange.py::test_leaving_cancels_the_tool_and_nothing_more_is_sent",
    ),
    _http(
        11,
        "Protocol Version Header",
        "MCP-Protocol-Version that differs from the body is refused with 400 and HeaderMismatch.",
        "lazymcp/test_routing.py::test_a_header_that_is_missing_or_different_is_refused",
    ),
    _http(
        12,
        "Protocol Version Header",
        "A version that is not served is refused with 400, -32022 and the versions that are.",
        "lazymcp/test_http.py::test_another_version_is_refused_with_those_we_know",
    ),
    _http(
        13,
        "Protocol Version Header",
        "A method that is not there is answered with 404 and -32601.",
        "lazymcp/test_methods.py::test_an_unknown_method_is_404",
    ),
    _http(
        14,
        "Protocol Version Header",
        "A request of this revision without the header is refused; without one, older clients are taken to speak 2025-03-26.",
        "lazymcp/test_routing.py::test_a_header_that_is_missing_or_different_is_refused",
        "lazymcp/test_legacy.py::test_a_missing_version_header_is_the_oldest",
    ),
    _http(15, "Schema Extension", "x-mcp-header is not empty.", later="issue 3"),
    _http(16, "Schema Extension", "x-mcp-header is a token of HTTP.", later="issue 3"),
    _http(17, "Schema Extension", "x-mcp-header has no control characters.", later="issue 3"),
    _http(18, "Schema Extension", "x-mcp-header is unique in its tool, whatever the case.", later="issue 3"),
    _http(
        19,
        "Schema Extension",
        "x-mcp-header stands on strings, booleans and integers only, and integers stay in the safe range.",
        later="issue 3",
    ),
    _http(
        20,
        "Schema Extension",
        "x-mcp-header stands where only properties lead: no array, no composition, no condition, no $ref.",
        later="issue 3",
    ),
    _http(
        21,
        "Value Encoding",
        "An encoded Mcp-Name or Mcp-Param-* is decoded before it is compared.",
        "lazymcp/test_routing.py::test_a_name_may_be_base64",
        "lazymcp/test_routing.py::test_a_name_that_looks_encoded_is_encoded_itself",
    ),
    _http(
        22, "Server Behavior for Custom Headers", "Mcp-Param-* with characters that are not allowed is refused.", later="issue 3"
    ),
    _http(
        23,
        "Server Behavior for Custom Headers",
        "Mcp-Param-* that differs from the body is refused with 400 and -32020.",
        later="issue 3",
    ),
    _http(24, "Server Behavior for Custom Headers", "A parameter with a value is compared with its header.", later="issue 3"),
    _http(25, "Server Behavior for Custom Headers", "For a parameter that is null no header is expected.", later="issue 3"),
    _http(26, "Server Behavior for Custom Headers", "For a parameter that is absent no header is expected.", later="issue 3"),
    _http(
        27,
        "Server Behavior for Custom Headers",
        "A parameter with a value and without its header is refused.",
        later="issue 3",
    ),
    _http(
        28,
        "Case Sensitivity",
        "Names of headers are compared whatever their case, values as they stand.",
        "lazymcp/test_clauses.py::test_names_of_headers_have_no_case_and_values_have",
    ),
    _http(
        29,
        "Server Validation",
        "Headers that differ from the body are refused.",
        "lazymcp/test_routing.py::test_a_header_that_is_missing_or_different_is_refused",
        "lazymcp/test_routing.py::test_unknown_methods_are_compared_too",
    ),
    _http(
        30,
        "Server Validation",
        "The refusal has the status 400 and is a JSON-RPC error with the code -32020.",
        "lazymcp/test_routing.py::test_a_header_that_is_missing_or_different_is_refused",
    ),
    _http(
        31,
        "Server Validation",
        "An encoded value is decoded before it is compared, and one that cannot be decoded is refused.",
        "lazymcp/test_routing.py::test_a_name_may_be_base64",
    ),
)
