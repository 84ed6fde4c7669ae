"""The sockets that `lazyapp serve` binds."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from lazyapp.errors import ConfigurationError
from lazyapp.serving.listening import listen, port_of


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def bound(stack: ExitStack, addr: str, port: int) -> list[socket.socket]:
    return [stack.enter_context(listener) for listener in listen(addr, port)]


@pytest.mark.parametrize("addr", ["127.0.0.1", "localhost"])
def test_a_loopback_name_listens_on_both_loopback_addresses(addr: str, stack: ExitStack) -> None:
    """Design 5: both loopback sockets are bound, on one port."""
    sockets = bound(stack, addr, 0)
    hosts = {listener.getsockname()[0] for listener in sockets}
    assert "127.0.0.1" in hosts
    assert hosts <= {"127.0.0.1", "::1"}
    for host in hosts:
        socket.create_connection((host, port_of(sockets))).close()  # accepted by the kernel although nobody serves yet


def test_another_address_listens_there_alone(stack: ExitStack) -> None:
    [listener] = bound(stack, "0.0.0.0", 0)
    assert listener.getsockname()[0] == "0.0.0.0"


def test_a_port_in_use_is_answered_with_a_free_one(stack: ExitStack) -> None:
    """Design 7: one sentence that says what to type."""
    port = port_of(bound(stack, "127.0.0.1", 0))
    with pytest.raises(ConfigurationError, match=rf"^Port {port} is in use; .* run `lazyapp serve --port (\d+)`\.$") as refused:
        listen("127.0.0.1", port)
    proposed = int(str(refused.value).rpartition(" ")[2].strip("`."))
    assert proposed != port
    assert port_of(bound(stack, "127.0.0.1", proposed)) == proposed


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"192\.0\.2\.1 is no address of this machine; use --host 127\.0\.0\.1"):
        listen("192.0.2.1", 0)
