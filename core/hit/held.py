"""Held: how a hit was taken. Its result keeps it, and the job of the next hit, a little other one, may name it: then it is tried first."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..balance_styles import BalanceStyle
from ..errors import JobError
from .settings import Attempt


@dataclass(frozen=True)
class Held:
    """One of these, or none.

    Attributes:
        style: in which the balance was kept. attempt: in which the clip was tracked.
        knots: (windows, D) rad, of the plan, from the hit on; empty: there was none.
    """

    style: BalanceStyle | None = None
    attempt: Attempt | None = None
    knots: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def of(cls, where: str, data: Mapping[str, Any]) -> Held:
        """From what ``data`` gave. ``where``: the field that it is in, for the message."""
        try:
            style: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.get("style", {}).items()}
            knots = np.array(data.get("knots", []), dtype=float)
            if set(data) - {"style", "attempt", "knots"} or not np.isfinite(knots).all() or (knots.size and knots.ndim != 2):
                raise ValueError
            return cls(BalanceStyle(**style) if style else None, Attempt(**data["attempt"]) if data.get("attempt") else None,
                       tuple(tuple(row) for row in knots.tolist()))
        except (AttributeError, TypeError, ValueError) as error:
            raise JobError(f"{where} is not how a hit was taken: give what is under 'held' in the outcome of a result, or leave it out.") from error

    @property
    def data(self) -> dict[str, Any]:
        """As JSON."""
        found: dict[str, Any] = {}
        if self.style:
            found["style"] = dataclasses.asdict(self.style)
        if self.attempt:
            found["attempt"] = dataclasses.asdict(self.attempt)
        if self.knots:
            found["knots"] = [list(row) for row in self.knots]
        return found
