"""lazyapp/metrics.py: what is counted, and the text that Prometheus reads."""

import logging
import time

from lazyapp.metrics import Metrics, added, exposition, started_at


def record(method: str, status: int) -> logging.LogRecord:
    arguments = ("127.0.0.1:1", method, "/", "1.1", status)
    return logging.LogRecord("uvicorn.access", logging.INFO, "", 0, '%s - "%s %s HTTP/%s" %d', arguments, None)


def test_answers_are_counted_by_method_and_class_of_status() -> None:
    """Nothing that a client chooses becomes a label: an unbounded set of labels is how a client fills a time-series database."""
    metrics = Metrics()
    for method, status in [("GET", 200), ("GET", 204), ("POST", 404), ("BREW", 405), ("KETTLE", 405)]:
        assert metrics.hear(record(method, status)), "the line is still logged"
    assert metrics.snapshot()["lazyapp_requests_total"] == {
        'method="GET",status="2xx"': 2,
        'method="POST",status="4xx"': 1,
        'method="other",status="4xx"': 2,
    }


def test_the_counts_of_several_processes_are_one_page_of_text() -> None:
    """Prometheus, exposition formats, text format 0.0.4."""
    one, other = Metrics(), Metrics()
    one.hear(record("GET", 200))
    other.hear(record("GET", 200))
    one.gauges["lazyapp_connections", ""] = lambda: 3
    other.gauges["lazyapp_connections", ""] = lambda: 4
    assert exposition(added([one.snapshot(), other.snapshot()])) == (
        "# HELP lazyapp_requests_total Answers begun, by method and class of status.\n"
        "# TYPE lazyapp_requests_total counter\n"
        'lazyapp_requests_total{method="GET",status="2xx"} 2\n'
        "# HELP lazyapp_connections Open connections.\n"
        "# TYPE lazyapp_connections gauge\n"
        "lazyapp_connections 7\n"
    )


def test_the_start_of_the_process_lies_before_now() -> None:
    started = started_at()["process_start_time_seconds"][""]
    assert time.time() - 24 * 3600 < started <= time.time()
