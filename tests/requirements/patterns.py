"""MCP 2026-07-28: basic/patterns and client/elicitation, what binds servers."""

from tests.requirements.requirement import Requirement, page

_patterns = page("MCP-PATTERNS", "MCP 2026-07-28, basic/patterns")
_mrtr = page("MCP-MRTR", "MCP 2026-07-28, basic/patterns/mrtr")
_listen = page("MCP-LISTEN", "MCP 2026-07-28, basic/patterns/subscriptions")
_cancel = page("MCP-CANCEL", "MCP 2026-07-28, basic/patterns/cancellation")
_progress = page("MCP-PROGRESS", "MCP 2026-07-28, basic/patterns/progress")
_elicit = page("MCP-ELICIT", "MCP 2026-07-28, client/elicitation")

PATTERNS: tuple[Requirement, ...] = (
    _patterns(1, "", "The server starts no request.", later="issue 3"),
    _mrtr(1, "", "What the server wants of the client stands in input_required results, and nowhere else.", later="issue 3"),
    _mrtr(
        2,
        "Supported Requests",
        "Only tools/call, prompts/get and resources/read are answered with input_required.",
        later="issue 3",
    ),
    _mrtr(3, "Server Requirements", "The keys of inputRequests are unique in the request.", later="issue 3"),
    _mrtr(
        4,
        "Server Requirements",
        "An input request is elicitation/create, sampling/createMessage or roots/list.",
        later="issue 3",
    ),
    _mrtr(5, "Server Requirements", "requestState is taken for an attacker's.", later="issue 3"),
    _mrtr(
        6,
        "Server Requirements",
        "requestState is protected, and one that fails the check is refused.",
        later="issue 3",
    ),
    _mrtr(
        7,
        "Server Requirements",
        "What must be redeemed once only is guarded by the server itself.",
        left_to="the tool's author: only the application knows what is redeemed; a state is bound to caller, call and time",
    ),
    _mrtr(
        8,
        "Server Requirements",
        "An input_required result has inputRequests or requestState.",
        later="issue 3",
    ),
    _mrtr(9, "Server Requirements", "A client is asked only what it declared that it can answer.", later="issue 3"),
    _mrtr(
        10,
        "Server Requirements",
        "Nothing rests on the client's coming back: no state is kept for it.",
        later="issue 3",
    ),
    _listen(1, "Opening a Stream", "Only the types that were asked for are sent.", later="issue 3"),
    _listen(
        2,
        "Acknowledgment",
        "notifications/subscriptions/acknowledged is the first message and bears the subscription's id.",
        later="issue 3",
    ),
    _listen(3, "Acknowledgment", "No notification of the subscription comes before it.", later="issue 3"),
    _cancel(1, "", "A subscription that the server ends is ended on the wire.", later="issue 3"),
    _cancel(2, "", "The server sends notifications/cancelled for nothing else.", later="issue 3"),
    _cancel(
        3,
        "Transport-Specific Cancellation",
        "Over HTTP a disconnect is a cancellation.",
        "lazymcp/test_exchange.py::test_leaving_cancels_the_tool_and_nothing_more_is_sent",
    ),
    _cancel(4, "Behavior Requirements", "What the server cancels is a subscription.", later="issue 3"),
    _cancel(
        5,
        "Timing Considerations",
        "A cancellation that comes early, late or twice does no harm.",
        "lazymcp/test_stdio.py::test_a_request_is_cancelled_before_it_begins",
        "lazymcp/test_stdio.py::test_only_the_request_that_is_named_is_cancelled",
        "lazymcp/test_fuzz_conversation.py::test_any_conversation_over_stdio_keeps_its_rules",
    ),
    _progress(
        1,
        "Progress Flow",
        "A progress token is a string or an integer.",
        "lazymcp/test_clauses.py::test_a_progress_token_is_a_string_or_an_integer",
    ),
    _progress(2, "Progress Flow", "Progress rises.", "lazymcp/test_context.py::test_progress_rises_and_goes_to_who_asked"),
    _progress(
        3,
        "Behavior Requirements",
        "Progress names only the token of a request that is at work.",
        "lazymcp/test_clauses.py::test_what_a_stream_carries_belongs_to_its_request",
    ),
    _progress(
        4,
        "Implementation Notes",
        "After the answer there is no more progress.",
        "lazymcp/test_clauses.py::test_nothing_follows_the_answer",
    ),
    _elicit(
        1,
        "User Interaction Model",
        "No form asks for passwords, keys or tokens.",
        left_to="the tool's author; docs/mcp says that ctx.elicit_url is for these",
    ),
    _elicit(
        2,
        "User Interaction Model",
        "What needs them goes through URL mode.",
        left_to="the tool's author, who has ctx.elicit_url for it",
    ),
    _elicit(3, "URL Mode", "A URL request has mode, message and url.", later="issue 3"),
    _elicit(4, "URL Mode", "Its url is a valid URL.", later="issue 3"),
    _elicit(5, "Statefulness", "What is kept between asking and answer belongs to one user.", later="issue 3"),
    _elicit(6, "Statefulness", "Who the user is comes from the access token.", later="issue 3"),
    _elicit(7, "Error Handling", "Decline, cancel and failure of the client are handled.", later="issue 3"),
    _elicit(
        8,
        "Safe URL Handling",
        "A URL carries nothing about the user and opens nothing by itself.",
        left_to="the tool's author, who writes the URL",
    ),
    _elicit(9, "Identifying the User", "What a client says about its user proves nothing.", later="issue 3"),
    _elicit(
        10,
        "Phishing",
        "Whoever opens the URL is the user who was asked.",
        left_to="the page behind the URL: it asks lazyauth.current_user(), as every page does",
    ),
)
