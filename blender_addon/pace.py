"""How often to draw: as often as drawing leaves time for everything else."""

from __future__ import annotations

SHARE = 0.3  # of the time that drawing may take
SHORTEST = 1 / 15  # s from one drawing to the next, at least


class Pace:
    """Ask ``due`` at every tick of a timer. A tick that comes late after a drawing tells how long that took. ``share`` may be changed."""

    def __init__(self, share: float = SHARE, shortest: float = SHORTEST) -> None:
        self.share, self._shortest = share, shortest
        self._asked: float | None = None
        self._next = 0.0

    def due(self, now: float) -> bool:
        """Whether to draw at ``now`` (s)."""
        if self._asked is not None:
            cost = now - self._asked
            self._next = max(self._asked + self._shortest, now + cost * (1 / self.share - 1))
            self._asked = None
        if now < self._next:
            return False
        self._asked = now
        return True
