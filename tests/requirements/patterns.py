"""MCP 2026-07-28: basic/patterns and client/elicitation, what binds servers."""

from tests.requirements.requirement import Requirement, page

_patterns = page("MCP-PATTERNS", "MCP 2026-07-28, basic/patterns")
_mrtr = page("MCP-MRTR", "MCP 2026-07-28, basic/patterns/mrtr")
_listen = page("MCP-LISTEN", "MCP 2026-07-28, basic/patterns/subscriptions")
_cancel = page("MCP-CANCEL", "MCP 2026-07-28, basic/patterns/cancellation")
_progress = page("MCP-PROGRESS", "MCP 2026-07-28, basic/patterns/progress")
_elicit = page("MCP-ELICIT", "MCP 2026-07-28, client/elicitation")

PATTERNS: tuple[Requirement, ...] = (
    _patterns(
        1,
        "",
        "The server starts no request.",
        "lazymcp/test_clauses_asking.py::test_a_server_of_today_starts_no_request",
    ),
    _mrtr(
        1,
        "",
        "What the server wants of the client stands in input_required results, and nowhere else.",
        "lazymcp/test_clauses_asking.py::test_a_server_of_today_starts_no_request",
        "lazymcp/test_replay.py::test_each_question_ends_the_request_and_the_answers_are_kept",
    ),
    _mrtr(
        2,
        "Supported Requests",
        "Only tools/call, prompts/get and resources/read are answered with input_required.",
        "lazymcp/test_clauses_asking.py::test_three_methods_may_ask_and_no_other",
        "lazymcp/test_asking.py::test_what_may_not_ask_answers_with_an_error",
    ),
    _mrtr(
        3,
        "Server Requirements",
        "The keys of inputRequests are unique in the request.",
        "lazymcp/test_replay.py::test_a_key_names_one_question",
    ),
    _mrtr(
        4,
        "Server Requirements",
        "An input request is elicitation/create, sampling/createMessage or roots/list.",
        "lazymcp/test_clauses_asking.py::test_a_server_of_today_starts_no_request",
        "lazymcp/test_wire.py::test_the_judge_refuses_what_is_not_of_the_revision",
    ),
    _mrtr(
        5,
        "Server Requirements",
        "requestState is taken for an attacker's.",
        "lazymcp/test_fuzz.py::test_no_answer_to_a_question_is_too_much",
        "lazymcp/test_request_state.py::test_what_is_no_state_is_refused",
    ),
    _mrtr(
        6,
        "Server Requirements",
        "requestState is protected, and one that fails the check is refused.",
        "lazymcp/test_request_state.py::test_a_change_anywhere_is_found",
        "lazymcp/test_replay.py::test_a_state_of_another_request_or_user_is_refused",
        "lazymcp/test_replay.py::test_a_state_that_is_none_is_refused",
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
        "lazymcp/test_replay.py::test_each_question_ends_the_request_and_the_answers_are_kept",
        "lazymcp/test_wire.py::test_the_judge_refuses_what_is_not_of_the_revision",
    ),
    _mrtr(
        9,
        "Server Requirements",
        "A client is asked only what it declared that it can answer.",
        "lazymcp/test_replay.py::test_a_client_that_did_not_declare_it_is_not_asked",
        "lazymcp/test_asking.py::test_what_a_client_declared_decides_what_it_is_asked",
    ),
    _mrtr(
        10,
        "Server Requirements",
        "Nothing rests on the client's coming back: no state is kept for it.",
        "lazymcp/test_clauses_asking.py::test_nothing_is_kept_of_a_question_that_nobody_answers",
    ),
    _listen(
        1,
        "Opening a Stream",
        "Only the types that were asked for are sent.",
        "lazymcp/test_subscriptions.py::test_nothing_outside_the_filter_is_sent",
    ),
    _listen(
        2,
        "Acknowledgment",
        "notifications/subscriptions/acknowledged is the first message and bears the subscription's id.",
        "lazymcp/test_subscriptions.py::test_every_message_bears_the_id_of_the_request_in_its_own_type",
    ),
    _listen(
        3,
        "Acknowledgment",
        "No notification of the subscription comes before it.",
        "lazymcp/test_subscriptions.py::test_news_before_the_acknowledgement_waits_for_it",
    ),
    _cancel(
        1,
        "",
        "A subscription that the server ends is ended on the wire: by its result, as the page on subscriptions has it.",
        "lazymcp/test_clauses_asking.py::test_a_subscription_that_the_server_ends_is_ended_by_its_result",
    ),
    _cancel(
        2,
        "",
        "The server sends notifications/cancelled for nothing else.",
        "lazymcp/test_clauses_asking.py::test_a_subscription_that_the_server_ends_is_ended_by_its_result",
    ),
    _cancel(
        3,
        "Transport-Specific Cancellation",
        "Over HTTP a disconnect is a cancellation.",
        "lazymcp/test_attendance.py::test_leaving_cancels_the_tool_and_nothing_more_is_sent",
    ),
    _cancel(
        4,
        "Behavior Requirements",
        "What the server cancels is a subscription.",
        "lazymcp/test_clauses_asking.py::test_a_subscription_that_the_server_ends_is_ended_by_its_result",
    ),
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
    _elicit(
        3,
        "URL Mode",
        "A URL request has mode, message and url.",
        "lazymcp/test_elicitation.py::test_a_page_is_opened_by_the_client",
    ),
    _elicit(
        4,
        "URL Mode",
        "Its url is a valid URL.",
        "lazymcp/test_elicitation.py::test_a_page_is_secure_or_on_this_machine",
        "lazymcp/test_elicitation.py::test_any_other_page_is_refused",
    ),
    _elicit(
        5,
        "Statefulness",
        "What is kept between asking and answer belongs to one user.",
        "lazymcp/test_request_state.py::test_it_belongs_to_one_user",
    ),
    _elicit(
        6,
        "Statefulness",
        "Who the user is comes from the access token.",
        "lazymcp/test_request_state.py::test_it_belongs_to_one_user",
        "lazymcp/test_caller.py::test_a_request_is_who_the_token_speaks_for",
    ),
    _elicit(
        7,
        "Error Handling",
        "Decline, cancel and failure of the client are handled.",
        "lazymcp/test_asking.py::test_a_no_is_a_sentence_for_the_model",
        "lazymcp/test_elicitation.py::test_a_no_can_be_taken",
        "lazymcp/test_elicitation.py::test_what_is_no_answer_is_refused",
    ),
    _elicit(
        8,
        "Safe URL Handling",
        "A URL carries nothing about the user and opens nothing by itself.",
        left_to="the tool's author, who writes the URL",
    ),
    _elicit(
        9,
        "Identifying the User",
        "What a client says about its user proves nothing.",
        "lazymcp/test_request_state.py::test_it_belongs_to_one_user",
        "lazymcp/test_complaints_sessions.py::test_calls_at_the_same_time_see_each_their_own_request",
    ),
    _elicit(
        10,
        "Phishing",
        "Whoever opens the URL is the user who was asked.",
        left_to="the page behind the URL: it asks lazyauth.current_user(), as every page does",
    ),
)
