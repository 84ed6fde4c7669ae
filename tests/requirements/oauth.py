"""What AI clients need of an authorization server before a person sees a page, by the clauses that say so.

Several standards are about one server, so each entry names its own.
"""

from tests.requirements.requirement import Requirement


def clause(number: int, source: str, text: str, /, *tests: str, left_to: str = "") -> Requirement:
    """An entry of the list, `OAUTH-<number>`."""
    return Requirement(id=f"OAUTH-{number}", source=source, text=text, tests=tests, left_to=left_to)


OAUTH: tuple[Requirement, ...] = (
    clause(
        1,
        "RFC 9728, sections 3.1 and 3.3",
        "The resource's document is the same at the root and below the path, and names the exact URL that people type.",
        "lazyoauth/test_metadata.py::test_the_resources_document_is_the_same_at_both_addresses",
    ),
    clause(
        2,
        "RFC 9728, section 5.1; RFC 6750, sections 3 and 3.1",
        "A call without a token is told where to get one; invalid_token is said only of a token that came.",
        "lazyoauth/test_bearer.py::test_without_a_token_the_challenge_says_where_to_get_one",
        "lazyoauth/test_bearer.py::test_a_bad_token_is_called_invalid",
    ),
    clause(
        3,
        "RFC 8414, sections 3 to 3.2",
        "The server's document is JSON without null members at each form of its well-known address.",
        "lazyoauth/test_metadata.py::test_the_servers_document_is_at_every_form_of_its_address",
        "lazyoauth/test_metadata.py::test_a_document_that_breaks_the_standard_is_refused_at_start",
    ),
    clause(
        4,
        "RFC 8414, sections 2, 3.3 and 6.2",
        "The issuer comes from the settings, without a slash at its end, and is the same bytes everywhere, whatever "
        "host was asked.",
        "lazyoauth/test_metadata.py::test_a_forged_host_gets_into_no_document",
        "lazyoauth/test_metadata.py::test_a_forged_host_gets_into_no_challenge_and_no_answer",
        "lazyoauth/test_config.py::test_a_setting_that_cannot_work_is_named",
        "attacks/test_wire.py::test_a41_a_header_puts_a_name_into_a_document",
        "conformance/test_authorization_server.py::test_the_official_suite_logs_in_and_finds_nothing",
    ),
    clause(
        5,
        "RFC 8414, section 2; MCP 2026-07-28, authorization",
        "The document says what clients choose by: their ways to prove themselves, S256, documents as ids, iss; and "
        "each endpoint answers.",
        "lazyoauth/test_metadata.py::test_the_document_says_how_clients_may_prove_themselves",
        "lazyoauth/test_metadata.py::test_every_endpoint_in_the_document_answers",
    ),
    clause(
        6,
        "RFC 9207, section 2",
        "Answers and errors to the client carry iss, once, equal to the issuer.",
        "lazyoauth/test_authorize.py::test_the_answer_carries_state_and_iss_once",
        "attacks/test_redirects.py::test_a07_a_client_is_told_nothing_or_two_things_about_who_answers",
    ),
    clause(
        7,
        "RFC 8707, sections 2 to 2.2",
        "The resource is compared as what it names; missing it is ours, another is refused, and later it can only be repeated.",
        "lazyoauth/test_resources.py::test_the_spellings_that_clients_use_are_one_resource",
        "lazyoauth/test_resources.py::test_another_resource_is_refused",
        "lazyoauth/test_resources.py::test_a_request_without_resource_means_ours",
        "lazyoauth/test_grants.py::test_the_audience_is_the_resource_as_the_client_spelled_it",
        "attacks/test_tokens.py::test_a18_the_resource_is_swapped",
    ),
    clause(
        8,
        "RFC 6749, section 3.3",
        "Scopes that nobody knows are left out rather than refused, none means the usual ones, and the answer says what"
        " was granted.",
        "lazyoauth/test_scopes.py::test_what_is_known_is_granted_and_the_rest_ignored",
        "lazyoauth/test_scopes.py::test_a_client_that_repeats_its_first_request_is_not_refused",
    ),
    clause(
        9,
        "RFC 9700, section 2.1; RFC 8252, section 7.3",
        "Redirect URIs are compared as strings; on loopback any port will do.",
        "lazyoauth/test_redirects.py::test_everything_else_must_be_the_same_string",
        "lazyoauth/test_redirects.py::test_on_loopback_the_port_is_free",
    ),
    clause(
        10,
        "RFC 7591, sections 2 and 5",
        "A redirect URI that is not supported is left out; one that can mislead is none; without any there is no client.",
        "lazyoauth/test_registration.py::test_one_unsupported_uri_does_not_cost_the_others",
        "lazyoauth/test_registration.py::test_a_registration_without_a_usable_uri_is_refused",
        "lazyoauth/test_redirects.py::test_a_redirect_uri_that_can_mislead_is_refused",
        "attacks/test_redirects.py::test_a06_a_dangerous_address_is_registered",
    ),
    clause(
        11,
        "RFC 7591, section 3.2.1",
        "A registration is answered with everything that was registered, and no secret.",
        "lazyoauth/test_registration.py::test_real_clients_register_at_first_try",
        "lazyoauth/test_registration.py::test_registration_gives_no_more_than_an_id",
    ),
    clause(
        12,
        "RFC 6749, sections 4.1.2.1 and 5.2",
        "An unknown client is told to the person at the authorization endpoint, and by 401 invalid_client at the token endpoint.",
        "lazyoauth/test_authorize.py::test_an_unknown_client_is_told_to_the_person",
        "lazyoauth/test_authentication.py::test_an_unknown_client_is_told_so_that_it_registers_again",
    ),
    clause(
        13,
        "RFC 6749, sections 2.3.1, 3.2 and 5.2",
        "The token endpoint takes a form, a client id in the body or the header, and answers with JSON, errors too.",
        "lazyoauth/test_authentication.py::test_a_client_says_who_it_is_in_the_body_or_in_the_header",
        "lazyoauth/test_authentication.py::test_who_came_with_basic_is_answered_in_kind",
        "lazyoauth/test_grants.py::test_a_bad_request_gets_the_error_of_the_standard",
    ),
    clause(
        14,
        "draft-ietf-oauth-client-id-metadata-document",
        "A client whose document lists several ways to prove itself comes by one that is supported.",
        "lazyoauth/test_client_documents.py::test_of_several_authentication_methods_one_that_we_support_is_chosen",
        "lazyoauth/test_client_documents.py::test_a_client_with_a_document_logs_in_refreshes_and_calls",
    ),
    clause(
        15,
        "Fetch, section 3.2",
        "Scripts of any origin may call what machines call, without credentials, and a preflight needs no token; the "
        "pages they may not.",
        "lazyoauth/test_http.py::test_a_script_on_any_page_may_call_what_machines_call",
        "lazyoauth/test_http.py::test_no_script_may_call_the_pages",
        "lazyoauth/test_bearer.py::test_a_preflight_needs_no_token",
        "attacks/test_wire.py::test_a44_a_script_of_another_site_calls_as_the_person",
    ),
    clause(
        16,
        "RFC 9700, section 4.12; CSP Level 3, section 6.4.1",
        "After a form comes 303, and no policy keeps the browser from the client's address, a private-use one included.",
        "lazyoauth/test_pages.py::test_redirects_after_a_form_are_303",
        "lazyoauth/test_answers.py::test_every_page_has_the_headers_that_protect_it",
        "lazyoauth/test_authorize.py::test_a_private_use_redirect_is_followed_as_it_is",
        "attacks/test_pages.py::test_a39_a_password_is_carried_on_by_a_redirect",
    ),
    clause(
        17,
        "design, section 5",
        "The endpoints are exact paths of their own, beside whatever else an application serves.",
        "lazyoauth/test_server.py::test_routes_are_exact_paths_and_the_resources_are_apart",
        "lazyoauth/test_server.py::test_fastapi_takes_the_routes_and_the_guard_as_they_are",
        "flows/test_without_mcp.py::test_mcp_and_its_documents_are_not_there_and_the_rest_works",
    ),
    clause(
        18,
        "https://github.com/jagduvi1/Cellarion/pull/785",
        "Limits count clients and networks so that the users of one platform, who share an address, do not use up each other's.",
        "lazyoauth/test_http.py::test_token_requests_are_limited_by_client_and_network",
        "lazyoauth/test_http.py::test_made_up_clients_are_counted_as_one",
        "lazyoauth/test_registration.py::test_a_whole_platform_may_register_from_one_address",
    ),
    clause(
        19,
        "https://github.com/anthropics/claude-ai-mcp/issues/1061 and 299",
        "Firewalls let the clients' programs through, and proxies pass on /mcp and what lies below it.",
        left_to="whoever runs it, whom `lazyapp oauth doctor` and docs/production.md tell",
    ),
    clause(
        20,
        "RFC 9728, section 3; RFC 6749, section 5.2",
        "The guard covers the resource alone, and no framework's error page is ever the answer of an endpoint.",
        "lazyapp/test_app.py::test_with_oauth_mcp_asks_for_a_token_and_names_its_metadata",
        "lazyoauth/test_http.py::test_a_malformed_body_is_an_oauth_error",
        "lazyoauth/test_http.py::test_a_failure_of_ours_is_an_oauth_error_with_a_reference",
    ),
)
