"""The process's own standard input and output, taken aside while a protocol speaks over them.

Nothing else may read the peer's messages or write between ours: not a stray print, not C code, not a program that a tool starts.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from lazymcp.pipes import DescriptorSink, DescriptorSource, Sink, Source, read_ahead

__all__ = ["own_stdin", "own_stdout"]


@contextlib.contextmanager
def own_stdin() -> Iterator[Source]:
    """The process's standard input, taken aside: meanwhile descriptor 0 is empty.

    A tool that starts a program would otherwise let it read the peer's messages.
    """
    ahead = read_ahead(sys.stdin.buffer, 0) if sys.stdin else b""
    aside = os.dup(0)
    with _nothing(os.O_RDONLY) as nothing:
        os.dup2(nothing, 0)
    source = DescriptorSource(aside, partial(os.close, aside), ahead)
    try:
        yield source
    finally:
        os.dup2(aside, 0)
        source.close()


@contextlib.contextmanager
def own_stdout() -> Iterator[Sink]:
    """The process's standard output, taken aside: meanwhile descriptor 1 and `sys.stdout` lead to standard error.

    A stray print, in Python or in C, or a program started by a tool would otherwise tear the protocol.
    """
    aside = os.dup(1)
    if sys.__stderr__:
        os.dup2(2, 1)
    else:  # closed when Python started, so that descriptor 2 may be anything by now
        with _nothing(os.O_WRONLY) as nothing:
            os.dup2(nothing, 1)
    before = sys.stdout
    # What was printed before, a banner perhaps, leaves its buffer only now.
    _flush(before)
    sys.stdout = sys.stderr
    sink = DescriptorSink(aside, partial(os.close, aside))
    try:
        yield sink
    finally:
        _flush(sys.stdout)
        _flush(before)
        _flush_c()
        sys.stdout = before
        os.dup2(aside, 1)
        sink.close()


@contextlib.contextmanager
def _nothing(flags: int) -> Iterator[int]:
    fd = os.open(os.devnull, flags)
    try:
        yield fd
    finally:
        os.close(fd)


def _flush(file: Any) -> None:
    with contextlib.suppress(AttributeError, OSError, ValueError):  # none, broken, closed
        file.flush()


def _flush_c() -> None:
    """Empty the buffer of C's own stdout, which would otherwise reach the true one when the process exits."""
    with contextlib.suppress(Exception):
        import ctypes  # only needed here, at the end

        ctypes.CDLL(None).fflush(None)
