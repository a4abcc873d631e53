"""Team: who tries plans out. A plan's score does not depend on who tries it, so any team gives the same result, bit for bit."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Protocol

import numpy as np

from ..arrays import Array
from ..errors import JobError
from ..version import VERSION
from .stage import Scores, Stage, packed, try_plans


class Team(Protocol):
    def tried(self, frame: int, starts: Array, before: Array, knots: Array) -> Scores: ...


class Threads:
    """This process, with ``count`` threads where the engine can use them."""

    def __init__(self, stage: Stage, count: int = 1):
        self._stage, self._count = stage, count

    def tried(self, frame: int, starts: Array, before: Array, knots: Array) -> Scores:
        return self._stage.tried(frame, starts, before, knots, self._count)


class Processes:
    """``count`` shares of each batch for any ``concurrent.futures`` executor, whose processes need not be on this machine."""

    def __init__(self, stage: Stage, executor: Executor, count: int):
        self._stage = VERSION, stage.digest(), packed(stage)
        self._executor, self._count = executor, count

    def tried(self, frame: int, starts: Array, before: Array, knots: Array) -> Scores:
        shares = zip(*(np.array_split(values, self._count) for values in (starts, before, knots)), strict=True)
        futures = [self._executor.submit(try_plans, *self._stage, frame, *share) for share in shares if len(share[0])]
        try:
            return Scores.joined([future.result() for future in futures])
        except (AttributeError, ImportError, TypeError) as error:  # what a worker of another version says before it can tell its version
            raise JobError(f"A worker does not understand the plan ({error}): install Footfall {VERSION} on all workers.") from error
