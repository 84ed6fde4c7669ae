"""The line between the supervisor and a serving process."""

import os
import socket

from lazyapp.serving.banner import Surface
from lazyapp.serving.link import Failed, WorkerLink, decode_report, encode_report, grace_for


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
    ours.sendall(b'{"password": "brisk-otter"}\n')
    assert link.read_password() == "brisk-otter"
    link.report(Failed("no"))
    assert decode_report(ours.recv(1000)) == Failed("no")
    ours.close()
    link.wait_for_end()
    link.close()


def test_running_requests_get_more_time_in_production() -> None:
    development, production = grace_for("development"), grace_for("production")
    assert development.requests_s < development.process_s < production.requests_s < production.process_s
