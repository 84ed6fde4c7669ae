"""lazymcp/journal.py: 2025-11-25, basic/transports, "Resumability and redelivery", as far as it is about one process."""

import asyncio

import pytest

from lazymcp import journal as module
from lazymcp.journal import Journals


@pytest.fixture
def journals():
    return Journals()


async def rest(journal, after=0):
    return [event async for _, event in journal.follow(after)]


async def test_the_first_event_has_an_id_and_no_data(journals):
    """2025-11-25: "an SSE event consisting of an event ID and an empty data field"; older clients would try to read it."""
    journal = journals.open("s", polls=True)
    assert journal.open() == f"id: {journal.stream_id}.0\ndata: \n\n".encode()
    assert journals.open("s", polls=False).open() == b""


async def test_ids_are_unlike_those_of_any_other_stream(journals):
    """2025-11-25: unique across all streams of the session."""
    streams = [journals.open("s", polls=True) for _ in range(3)] + [Journals().open("s", polls=True)]
    events = [journal.add(b"{}") for journal in streams for _ in range(3)]
    assert len(set(events)) == len(events)


async def test_what_was_missed_is_told_again_and_what_comes_as_it_comes(journals):
    journal = journals.open("s", polls=True)
    first, second = journal.add(b"1"), journal.add(b"2")
    reading = asyncio.create_task(rest(journal, after=1))
    while not journal.is_followed:
        await asyncio.sleep(0)
    third = journal.add(b"3")
    journals.end(journal)
    assert await reading == [second, third]
    assert await rest(journal) == [first, second, third], "and again, for as long as it is kept"
    assert await rest(journal, after=99) == []


async def test_a_stream_has_one_reader(journals):
    """2025-11-25: a message goes out on one stream only."""
    journal = journals.open("s", polls=True)
    first = asyncio.create_task(rest(journal))
    while not journal.is_followed:
        await asyncio.sleep(0)
    second = asyncio.create_task(rest(journal))
    assert await asyncio.wait_for(first, 10) == []
    event = journal.add(b"1")
    journals.end(journal)
    assert await second == [event]


async def test_a_reader_is_sent_away_once(journals):
    journal = journals.open("s", polls=True)
    reading = asyncio.create_task(rest(journal))
    while not journal.is_followed:
        await asyncio.sleep(0)
    assert journal.send_away(20) == b"retry: 20\n\n"
    assert await asyncio.wait_for(reading, 10) == [b"retry: 20\n\n"]
    event = journal.add(b"1")
    journals.end(journal)
    assert await rest(journal) == [event]


async def test_what_nobody_reads_is_kept_within_bounds_and_the_answer_always(journals, monkeypatch):
    monkeypatch.setattr(module, "MAX_STREAM_BYTES", 1000)
    journal = journals.open("s", polls=True)
    for _ in range(100):
        journal.add(b"x" * 50)
    assert journal.size <= 1000
    answer = journal.add(b"y" * 5000)
    journals.end(journal)
    assert await rest(journal) == [answer]
    assert journal.add(b"late").startswith(b"id"), "and nothing is kept after the end"
    assert await rest(journal) == [answer]


async def test_finished_streams_are_forgotten(journals, monkeypatch):
    """https://github.com/modelcontextprotocol/python-sdk/issues/1283."""
    monkeypatch.setattr(module, "MAX_BYTES", 1000 + 2 * module._EACH)
    finished = [journals.open("s", polls=True) for _ in range(5)]
    for journal in finished:
        journal.add(b"x" * 400)
        journals.end(journal)
        journals.end(journal)
    assert [journals.find("s", journal.stream_id) is not None for journal in finished] == [False, False, False, True, True]
    monkeypatch.setattr(module, "KEEP_S", 0)
    late = journals.open("t", polls=True)
    journals.end(late)
    while journals.find("t", late.stream_id):
        await asyncio.sleep(0.001)
    assert journals.is_forgotten(late.stream_id)
    assert not journals.is_forgotten("another-1")
    journals.forget("s")
    assert (journals._kept, len(journals._finished), journals._size) == ({}, 0, 0)


async def test_a_stream_is_of_its_session_alone(journals):
    journal = journals.open("s", polls=True)
    assert journals.find("t", journal.stream_id) is None
    assert journals.find("s", journal.stream_id) is journal


async def test_many_small_streams_are_bounded_as_well(journals, monkeypatch):
    """Only their events counted: hundreds of thousands of short answers were kept, at 2 kB each besides."""
    monkeypatch.setattr(module, "MAX_BYTES", 100_000)
    for _ in range(200):
        journal = journals.open("s", polls=True)
        journal.add(b"{}")
        journals.end(journal)
    assert len(journals._kept) < 50
    journals.forget("s")
    assert journals._size == 0


async def test_a_reader_is_given_each_event_once_and_looks_at_no_other(journals):
    """A reader went through all that was kept with each event that came: 13,000 looks for each of 13,000."""
    journal = journals.open("s", polls=True)
    for number in range(100):
        journal.add(b"%d" % number)
    reading = journal.follow(10)
    assert [(await anext(reading))[0] for _ in range(90)] == list(range(11, 101))
    journal.add(b"more")
    assert journal._after(100) == [(101, last_event(journal))]
    assert (await anext(reading))[0] == 101
    journals.end(journal)
    journal.add(b"too late to be kept")
    assert (journal._after(101), journal._after(999), len(journal._after(0))) == ([], [], 101)
    await reading.aclose()


def last_event(journal):
    return journal._events[-1][1]
