"""The world as it is asked of documents: names are resolved, and what failed is told in one sentence."""

from lazyoauth.addresses import is_public
from lazyoauth.network import FetchFailed, Network, Resolver


async def test_the_system_resolves_names_in_threads_of_its_own():
    """A silent name server must not hold the threads in which passwords are checked."""
    addresses = await Resolver()("localhost")
    assert addresses
    assert not any(is_public(address) for address in addresses)


def test_what_failed_is_for_the_log_and_not_for_a_stranger():
    """A25: what cannot be told apart from outside tells nothing of our network."""
    failure = FetchFailed("10.0.0.1 refused the connection")
    assert failure.detail == "10.0.0.1 refused the connection"
    assert failure.detail not in str(failure.to_dict())
    assert not failure.is_answer


def test_only_public_addresses_are_asked_where_nobody_says_otherwise():
    """CWE-918."""
    assert not Network().allows("127.0.0.1")
    assert Network().allows("93.184.216.34")
