"""How long to wait before a process is started again."""

from lazyapp.serving.back_off import BackOff


def test_each_pause_is_twice_the_one_before_up_to_a_limit() -> None:
    """Design 7: what a broken database ends must not be started in a loop."""
    pauses = BackOff(first_s=0.5, most_s=5, steady_s=60)
    assert [pauses.after(lived) for lived in (0, 0.1, 59, 0, 0, 0)] == [0.5, 1, 2, 4, 5, 5]


def test_after_a_long_life_the_next_one_starts_at_once_and_the_pauses_begin_anew() -> None:
    """A worker that dies after a day is an accident."""
    pauses = BackOff(first_s=0.5, most_s=5, steady_s=60)
    assert [pauses.after(lived) for lived in (0, 0, 60, 0, 0)] == [0.5, 1, 0, 0.5, 1]
