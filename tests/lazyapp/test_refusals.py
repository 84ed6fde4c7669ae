"""What production refuses, and the sentence it says; the rules that decide which starts are unsafe."""

from dataclasses import replace

import pytest

from lazyapp.refusals import Facts, refusals
from lazyapp.settings import Settings

SAFE = Facts(has_mcp=True, has_oauth=True, users_in_memory=1, states_are_shared=True, states_are_durable=True)


def settings(**values: object) -> Settings:
    return Settings(**({"env": "production", "given_public_url": "https://example.com", "addr": "0.0.0.0"} | values))  # type: ignore[arg-type]


def test_a_safe_start_is_not_refused() -> None:
    assert refusals(settings(), SAFE) == []


@pytest.mark.parametrize(
    ("values", "facts", "sentence"),
    [
        ({"given_public_url": ""}, SAFE, "PUBLIC_URL is not set"),
        ({"given_public_url": "http://example.com"}, SAFE, "must not travel over http"),
        ({"given_public_url": "http://example.com"}, Facts(), "must not travel over http"),
        ({}, Facts(has_oauth=True, users_in_memory=0, states_are_durable=True), "Nobody can log in"),
        ({}, Facts(has_oauth=True, users_in_memory=1, states_are_durable=False), "forgotten at every restart"),
        ({"workers": 2}, SAFE, "Users live in the memory of one process and 2 are to run"),
        (
            {"workers": 2},
            Facts(has_oauth=True, states_are_shared=False, states_are_durable=True),
            "would not see each other's refresh tokens",
        ),
        (
            {"workers": 3},
            replace(SAFE, users_in_memory=None, assertions_are_shared=False),
            "could be used again in each of 3 processes",
        ),
        ({}, replace(SAFE, has_test_documents=True), "LAZYOAUTH_TEST_DOCUMENTS lets others stand in"),
        ({"machines": 3}, Facts(), "LAZYAPP_MACHINES is 3, and SQLite is a file on one of them"),
        ({"machines": 2, "database_url": "postgresql://db/shop"}, SAFE, "memory of one process and 2 are to run"),
        ({}, Facts(has_mcp=True), "/mcp would answer anybody on the network"),
        ({"given_public_url": "", "addr": "0.0.0.0"}, Facts(has_mcp=True), "/mcp would answer anybody on the network"),
    ],
)
def test_an_unsafe_start_is_refused_with_what_to_do(values: dict[str, object], facts: Facts, sentence: str) -> None:
    found = refusals(settings(**values), facts)
    assert len(found) == 1
    assert sentence in found[0]


@pytest.mark.parametrize(
    ("values", "facts"),
    [
        ({"given_public_url": "http://localhost:3000", "addr": "127.0.0.1"}, SAFE),
        ({"given_public_url": "", "addr": "127.0.0.1"}, Facts(has_mcp=True)),
        ({}, Facts(has_mcp=True, has_authorizer=True)),
        ({"workers": 4}, Facts(has_oauth=True, states_are_shared=True, states_are_durable=True)),
        ({"workers": 4}, Facts()),
        ({"workers": 1}, replace(SAFE, assertions_are_shared=False)),
    ],
)
def test_what_only_this_machine_or_a_policy_guards_is_not_refused(values: dict[str, object], facts: Facts) -> None:
    assert refusals(settings(**values), facts) == []
