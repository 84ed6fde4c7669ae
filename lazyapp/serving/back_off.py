"""How long to wait before a process is started again: not at all when it had served for long, else longer each time.

Rules only. Whatever is wrong for all processes alike, a database that is away for example, is not made worse by a crowd of starts.
"""

from dataclasses import dataclass

FIRST_S, MOST_S, STEADY_S = 0.5, 30.0, 60.0


@dataclass(slots=True)
class BackOff:
    """The pauses of one place among the workers; `pause_s` is the last one, and only `after` changes it.

    Args:
        first_s: the first pause; each is twice the one before.
        most_s: none is longer.
        steady_s: a process that lived that long was well, and the next one starts at once.
    """

    first_s: float = FIRST_S
    most_s: float = MOST_S
    steady_s: float = STEADY_S
    pause_s: float = 0.0

    def after(self, lived_s: float) -> float:
        """The pause after a process that served for so long; 0 for one that could not start gives a pause too."""
        self.pause_s = 0.0 if lived_s >= self.steady_s else min(self.most_s, max(self.first_s, self.pause_s * 2))
        return self.pause_s
