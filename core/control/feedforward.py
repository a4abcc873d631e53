"""Feedback error learning (thesis, section 7.6): torques that come again every cycle are learned and given ahead of time.

The table holds, for each joint of the upper body and for the virtual torque on the trunk, a torque for each few milliseconds of
the gait cycle. What the feedback had to add there is moved into the table (eq. 7.2), so that the feedback fades.
"""

from __future__ import annotations

from typing import Any, TypeVar

from .. import presets
from ..arrays import Vector
from ..errors import JobError

LIMIT = 0.2  # fraction of a joint's torque limit: the largest torque that is learned (section 7.7.2), since an impact cannot be foreseen
BLUR = 0.02  # fraction of each row that is replaced by the row before, and by the row after, whenever a step of learning ends
BIN = 0.004  # s between the rows of a table, which are interpolated: a staircase of torques would be a tremor

Torque = TypeVar("Torque", tuple[float, float], Vector, float)


class Feedforward:
    """Learned torques by channel name and time in the step. A channel holds one number for a hinge, two or three for a ball joint."""

    def __init__(self, bins: int, tables: dict[str, list[list[float]]] | None = None, rate: float = 0.0, lead: float = 0.0):
        """``bins`` for each half of the cycle; ``rate`` is α of eq. 7.2, 0 to use a table without learning on; ``lead`` is the time (s)
        that a torque is learned ahead of the feedback that asked for it, as the body answers late."""
        self.bins, self.rate, self.lead = bins, rate, lead
        self.tables = tables if tables is not None else {}
        self._now = self._learned = (0, 0.0)  # row, and how far towards the next one
        self.feedback_sum = self.feedforward_sum = 0.0

    def at(self, stance: int, seconds: float) -> None:
        """Say where in the cycle we are: the stance leg, and the time since its step began. After the last row the last row holds.

        It is time and not a fraction of the step, since states are timed: the torques that a change of state needs come at a fixed time.
        """
        row, _ = self._now
        if self.rate and stance != row // self.bins:
            self._smooth(row // self.bins)
        self._now, self._learned = self._place(stance, seconds), self._place(stance, seconds - self.lead)

    def _place(self, stance: int, seconds: float) -> tuple[int, float]:
        place = max(0.0, seconds / BIN)
        row = int(place)
        if row >= self.bins - 1:
            return (stance + 1) * self.bins - 1, 0.0
        return stance * self.bins + row, place - row

    def _smooth(self, half: int) -> None:
        """Blur one half of the tables a little. Learning from a lagging response builds up a trembling that this takes away."""
        first, last = half * self.bins, (half + 1) * self.bins
        for table in self.tables.values():
            rows = table[first:last]
            for n in range(1, self.bins - 1):
                table[first + n] = [v + BLUR * (a - 2 * v + b) for a, v, b in zip(rows[n - 1], rows[n], rows[n + 1], strict=True)]

    def add(self, channel: str, feedback: Torque, limit: float) -> Torque:
        """Feedback plus what is known beforehand; learns on the way. ``limit`` is the joint's torque limit (N·m)."""
        back: tuple[float, ...] = feedback if isinstance(feedback, tuple) else (feedback,)
        table = self.tables.get(channel)
        if table is None:
            table = self.tables[channel] = [[0.0] * len(back) for _ in range(2 * self.bins)]
        row, between = self._now
        ahead = [a + between * (b - a) for a, b in zip(table[row], table[row + 1], strict=True)] if between else table[row]
        total: Any = tuple(a + b for a, b in zip(ahead, back, strict=True))
        self.feedback_sum += sum(b * b for b in back) ** 0.5
        self.feedforward_sum += sum(a * a for a in ahead) ** 0.5
        if self.rate:
            most, (row, between) = LIMIT * limit, self._learned
            for at, share in ((row, 1.0 - between), (row + 1, between)):
                if share:
                    table[at] = [max(-most, min(most, a + self.rate * share * b)) for a, b in zip(table[at], back, strict=True)]
        return total if isinstance(feedback, tuple) else total[0]

    @property
    def ratio(self) -> float:
        """Feedback over feedforward torque since the sums were cleared, ∫‖fb‖ / ∫‖ff‖."""
        return self.feedback_sum / self.feedforward_sum if self.feedforward_sum else float("inf")

    def clear_sums(self) -> None:
        self.feedback_sum = self.feedforward_sum = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {"bins": self.bins, "tables": {name: [[round(v, 3) for v in row] for row in table] for name, table in self.tables.items()}}

    @classmethod
    def from_dict(cls, data: dict[str, Any], rate: float = 0.0) -> Feedforward:
        return cls(data["bins"], {name: [list(row) for row in table] for name, table in data["tables"].items()}, rate)


def learned_torques(gait_name: str) -> dict[str, Any]:
    """The torques learned for a gait, as ``Feedforward.from_dict`` takes them."""
    path = presets.FOLDER / "feedforward" / f"{gait_name}.json"
    if not path.is_file():
        raise JobError(f"feedforward: nothing was learned for '{gait_name}' yet; run `python -m core learn {gait_name}` first.")
    return presets.read_json(path)
