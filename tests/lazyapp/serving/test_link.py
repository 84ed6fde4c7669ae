"""The line between the supervisor and a serving process."""

import os
import socket

from lazyapp.serving.banner import Surface
from lazyapp.serving.link import (
    Ask,
    Failed,
    Grace,
    Orders,
    WorkerLink,
    decode_answer,
    decode_report,
    encode_ask,
    encode_orders,
    encode_report,
    grace_for,
)
from lazyapp.settings import Settings


def test_a_report_arrives_as_it_was_sent() -> None:
    surface = Surface(client_name="shop", modules=("admin: 1 tool",), has_oauth=True, user="admin", is_password_ours=True)
    assert decode_report(encode_report(surface)) == surface
    failed = Failed("two\nlines", 2)
    assert decode_report(encode_report(failed)) == failed


def test_a_line_that_was_cut_is_no_report() -> None:
    """A process that dies while it speaks has said nothing."""
    assert decode_report(encode_report(Failed("x"))[:-1]) is None
    assert decode_report(b"") is None


def test_the_end_of_the_supervisor_is_noticed_and_the_line_is_not_inherited() -> None:
    """What the application starts in its turn must not hold the line open."""
    ours, theirs = socket.socketpair()
    descriptor = theirs.detach()
    os.set_inheritable(descriptor, True)
    link = WorkerLink(descriptor)
    assert not os.get_inheritable(descriptor)
    ours.sendall(b'["fastapi"]\n')
    assert link.read_names() == ["fastapi"]
    link.tell_ready()
    assert ours.recv(1000) == b"\n"
    orders = Orders(Grace(requests_s=1, process_s=5, delay_s=0.5), "brisk-otter", {"PORT": "3000"})
    with socket.create_server(("127.0.0.1", 0)) as listener:
        socket.send_fds(ours, [encode_orders(orders)], [listener.fileno()])
        read, [handed] = link.read_orders()
        with handed:
            assert read == orders
            assert handed.getsockname() == listener.getsockname()
            assert not handed.get_inheritable()
    assert "otter" not in repr(orders)
    link.report(Failed("no"))
    assert decode_report(ours.recv(1000)) == Failed("no")
    ours.sendall(encode_ask(Ask(1, "readyz")) + encode_ask(Ask(2, "metrics"))[:7])
    asks = link.asks()
    assert next(asks) == Ask(1, "readyz")
    link.answer(Ask(1, "readyz"), {"status": "ready"})
    assert decode_answer(ours.recv(1000)) == (1, {"status": "ready"})
    ours.close()
    assert list(asks) == [], "half a question is none"
    link.close()


def test_running_requests_get_more_time_in_production() -> None:
    """Design 7; and there, whoever sends visitors gets time to notice that this process is no longer ready."""
    development, production = grace_for(Settings(env="development")), grace_for(Settings(env="production"))
    assert development == Grace(requests_s=1, process_s=5, delay_s=0)
    assert production == Grace(requests_s=30, process_s=39, delay_s=5)
    given = grace_for(Settings(env="production", drain_delay_s=0, shutdown_timeout_s=2.5))
    assert given == Grace(requests_s=2.5, process_s=6.5, delay_s=0)
