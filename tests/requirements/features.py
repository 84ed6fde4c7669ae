"""MCP 2026-07-28: server/discover, tools, resources, prompts and their utilities, what binds servers."""

from tests.requirements.requirement import Requirement, page

_discover = page("MCP-DISCOVER", "MCP 2026-07-28, server/discover")
_tools = page("MCP-TOOLS", "MCP 2026-07-28, server/tools")
_resources = page("MCP-RESOURCES", "MCP 2026-07-28, server/resources")
_prompts = page("MCP-PROMPTS", "MCP 2026-07-28, server/prompts")
_completion = page("MCP-COMPLETION", "MCP 2026-07-28, server/utilities/completion")
_caching = page("MCP-CACHING", "MCP 2026-07-28, server/utilities/caching")
_logging = page("MCP-LOGGING", "MCP 2026-07-28, server/utilities/logging")

_SAME_FOR_ALL = "lazymcp/test_clauses_features.py::test_a_list_depends_on_the_token_and_not_on_the_connection"

FEATURES: tuple[Requirement, ...] = (
    _discover(
        1,
        "",
        "server/discover is implemented.",
        "lazymcp/test_methods.py::test_discover_tells_what_is_served",
    ),
    _tools(
        1,
        "Capabilities",
        "Who has tools declares tools.",
        "lazymcp/test_methods.py::test_discover_tells_what_is_served",
        "lazymcp/test_methods.py::test_a_server_offers_no_more_than_it_has",
    ),
    _tools(
        2,
        "Capabilities",
        "tools/list gives the tools that this caller has.",
        "lazymcp/test_methods.py::test_the_mcps_claim_opens_modules",
    ),
    _tools(3, "Capabilities", "The list does not depend on the connection or on earlier requests.", _SAME_FOR_ALL),
    _tools(
        4,
        "Tool",
        "inputSchema is a valid JSON Schema object.",
        "lazymcp/test_clauses.py::test_every_schema_that_is_published_is_valid_2020_12",
        "lazymcp/test_function.py::test_no_arguments_are_an_empty_object",
    ),
    _tools(
        5,
        "Output Schema",
        "Structured content conforms to the output schema.",
        "lazymcp/test_output.py::test_a_broken_promise_is_an_error_and_never_reaches_the_client",
        "lazymcp/test_methods.py::test_a_tool_answers_in_structure_text_and_metadata",
    ),
    _tools(
        6,
        "Security Considerations",
        "All input is validated.",
        "lazymcp/test_function.py::test_what_would_lose_something_is_refused",
        "lazymcp/test_methods.py::test_bad_arguments_are_news_for_the_model",
    ),
    _tools(
        7,
        "Security Considerations",
        "Access to tools is controlled.",
        "lazymcp/test_methods.py::test_what_is_hidden_is_answered_like_what_is_unknown",
        "lazymcp/test_exchange.py::test_a_tool_declares_the_scopes_it_needs",
    ),
    _tools(
        8,
        "Security Considerations",
        "Calls are limited in rate.",
        left_to="the application, by Config.middlewares or a limit in the tool: what a call costs is known there only",
    ),
    _tools(
        9,
        "Security Considerations",
        "Output is cleaned: what a failure says to the log stays there, and only declared fields leave.",
        "lazymcp/test_failures.py::test_everything_else_is_told_by_its_id",
        "lazymcp/test_output.py::test_widget_only_fields_travel_in_meta",
    ),
    _resources(
        1,
        "Capabilities",
        "Who has resources declares resources.",
        "lazymcp/test_methods.py::test_discover_tells_what_is_served",
    ),
    _resources(
        2,
        "Capabilities",
        "resources/list gives the resources that this caller has.",
        "lazymcp/test_methods.py::test_resources_are_listed_and_read",
    ),
    _resources(3, "Capabilities", "The list does not depend on the connection or on earlier requests.", _SAME_FOR_ALL),
    _resources(
        4,
        "Custom URI Schemes",
        "URIs of own schemes follow RFC 3986.",
        "lazymcp/test_resources.py::test_a_uri_is_a_text",
        "lazymcp/test_uri_template.py::test_templates_that_mean_nothing_or_two_things_are_refused",
    ),
    _resources(
        5,
        "Error Handling",
        "A resource that does not exist is answered with -32602.",
        "lazymcp/test_methods.py::test_an_unknown_resource_has_the_error_of_its_era",
    ),
    _resources(
        6,
        "Error Handling",
        "It is not answered with empty contents.",
        "lazymcp/test_resources.py::test_a_uri_that_names_nothing_is_not_found",
    ),
    _resources(
        7,
        "Security Considerations",
        "Every URI that comes in is validated.",
        "lazymcp/test_resources.py::test_a_uri_is_a_text",
        "lazymcp/test_uri_template.py::test_what_is_not_of_the_template_is_none",
        "lazymcp/test_fuzz.py::test_no_params_are_too_much",
    ),
    _resources(
        8,
        "Security Considerations",
        "Binary data is base64.",
        "lazymcp/test_methods.py::test_a_binary_resource_is_a_blob",
    ),
    _resources(
        9,
        "Security Considerations",
        "No path leads out of a folder that is served.",
        "lazymcp/test_skills.py::test_a_link_may_lead_to_a_file_of_the_same_skill_only",
        "lazymcp/test_clauses_features.py::test_no_uri_leads_out_of_a_skill",
    ),
    _prompts(
        1,
        "Capabilities",
        "Who has prompts declares prompts.",
        "lazymcp/test_methods.py::test_discover_tells_what_is_served",
    ),
    _prompts(
        2,
        "Capabilities",
        "prompts/list gives the prompts that this caller has.",
        "lazymcp/test_methods.py::test_prompts_are_listed_and_written",
    ),
    _prompts(3, "Capabilities", "The list does not depend on the connection or on earlier requests.", _SAME_FOR_ALL),
    _prompts(
        4,
        "Image Content",
        "An image is base64 and names its type.",
        "lazymcp/test_content.py::test_a_content_is_one_block",
        "lazymcp/test_content.py::test_media_are_bytes_of_their_family",
        "lazymcp/test_content.py::test_messages_of_a_prompt_hold_contents",
    ),
    _prompts(
        5,
        "Audio Content",
        "A sound is base64 and names its type.",
        "lazymcp/test_content.py::test_a_content_is_one_block",
        "lazymcp/test_content.py::test_media_are_bytes_of_their_family",
        "lazymcp/test_content.py::test_messages_of_a_prompt_hold_contents",
    ),
    _prompts(
        6,
        "Embedded Resources",
        "An embedded resource has a URI, a type, and text or base64.",
        "lazymcp/test_content.py::test_an_embedded_resource_has_a_uri",
        "lazymcp/test_content.py::test_a_content_is_one_block",
    ),
    _prompts(
        7,
        "Security",
        "Input and output of prompts are validated.",
        "lazymcp/test_prompts.py::test_bad_arguments_are_the_clients_mistake",
        "lazymcp/test_prompts.py::test_a_prompt_that_promises_a_mapping_is_refused",
    ),
    _completion(
        1,
        "Capabilities",
        "Who completes declares completions.",
        "lazymcp/test_completion_methods.py::test_the_capability_is_declared_where_something_completes",
    ),
    _completion(
        2,
        "Security",
        "All input of completions is validated.",
        "lazymcp/test_completion_methods.py::test_what_is_malformed_is_the_clients_mistake",
        "lazymcp/test_completion_methods.py::test_what_is_unknown_is_the_clients_mistake",
    ),
    _completion(
        3,
        "Security",
        "Completions are limited in rate.",
        left_to="the application, by Config.middlewares: what a suggestion costs is known there only",
    ),
    _completion(
        4,
        "Security",
        "Suggestions are only for who may see the item.",
        "lazymcp/test_completion_methods.py::test_what_a_caller_may_not_see_completes_like_the_unknown",
    ),
    _completion(
        5,
        "Security",
        "Completion does not tell what is hidden.",
        "lazymcp/test_completion_methods.py::test_what_a_caller_may_not_see_completes_like_the_unknown",
    ),
    _caching(
        1,
        "Cacheable Results",
        "Complete results of the six cacheable methods have ttlMs and cacheScope.",
        "lazymcp/test_methods.py::test_a_result_is_complete_in_one_place",
        "lazymcp/test_clauses_features.py::test_every_cacheable_result_has_its_hints",
    ),
    _caching(
        2,
        "Time-to-Live Field",
        "ttlMs is not negative.",
        "lazymcp/test_clauses_features.py::test_every_cacheable_result_has_its_hints",
    ),
    _caching(
        3,
        "Interaction with Pagination",
        "All pages of a list have the same cacheScope.",
        "lazymcp/test_clauses_features.py::test_all_pages_of_a_list_have_one_scope",
    ),
    _caching(
        4,
        "Security Considerations",
        "Public is only what everyone may see.",
        "lazymcp/test_lists.py::test_public_is_only_what_depends_on_nobody",
    ),
    _caching(
        5,
        "Security Considerations",
        "Access is checked at every item, whatever the scope of a cached list.",
        "lazymcp/test_methods.py::test_what_is_hidden_is_answered_like_what_is_unknown",
        "lazymcp/test_lists.py::test_what_is_kept_is_bounded_and_never_given_to_the_wrong_caller",
    ),
    _logging(
        1,
        "Capabilities",
        "Who sends log messages declares logging.",
        "lazymcp/test_methods.py::test_discover_tells_what_is_served",
    ),
    _logging(
        2,
        "Per-request log level",
        "Without a level in the request there is no notifications/message.",
        "lazymcp/test_exchange.py::test_log_messages_come_to_who_asks_for_them",
    ),
    _logging(
        3,
        "Per-request log level",
        "Log messages stand on the stream of the request that asked for them, and on no other.",
        "lazymcp/test_clauses.py::test_what_a_stream_carries_belongs_to_its_request",
    ),
    _logging(
        4,
        "Security",
        "Log messages hold no secrets, no personal data and no inner workings.",
        "lazymcp/test_failures.py::test_everything_else_is_told_by_its_id",
        "lazymcp/test_exchange.py::test_a_tool_sees_the_headers_but_no_credentials",
    ),
)
