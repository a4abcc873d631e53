"""Context: what a method may use while it runs a job: who it tells how far it is, the workers it has, and where unfinished work is kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from .arrays import Array
from .errors import JobError
from .physics import State
from .result import Result


class Seen(NamedTuple):
    """A body to show: its root (3,) m and the rotations (L, 4) of its links, as a Result has them."""

    root: Array
    rotations: Array


# Fraction done (0–1) of the time that is expected, a body to show or None, and what is being done, as a sentence without a full stop.
Progress = Callable[[float, State | Seen | None, str], None]


def silent(_sentence: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Context:
    """What a method may use while it runs a job.

    Attributes:
        progress: called now and then with how far the work is, what there is to see of it, and what it does; may raise to cancel.
        doing: what is being done, for whoever tells progress without saying it.
        workers: how many processes share the work; None: one for each core, or all threads of a Dask cluster.
        dask: address of a Dask scheduler whose workers share the work instead (tcp://…, or tls://…).
        unfinished: file in which long work keeps what it has found, to go on from there when it is started again.
        say: called with a sentence that the user should know.
    """

    progress: Progress | None = None
    workers: int | None = None
    dask: str | None = None
    unfinished: Path | None = None
    say: Callable[[str], None] = silent
    doing: str = ""

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise JobError(f"--workers is {self.workers}; at least 1 is needed.")

    def tell(self, fraction: float, seen: State | Seen | None = None, doing: str = "") -> None:
        """How far the work is."""
        if self.progress:
            self.progress(fraction, seen, doing or self.doing)

    def within(self, first: float, last: float, doing: str = "") -> Context:
        """The same for a piece of the work: its progress goes from ``first`` to ``last``."""
        progress, named = self.progress, replace(self, doing=doing or self.doing)
        if progress is None:
            return named
        return replace(named, progress=lambda fraction, seen, doing: progress(first + fraction * (last - first), seen, doing))

    def amid(self, before: float, this: float, after: float, doing: str = "") -> Context:
        """The same for a piece of the work that takes ``this`` long, with ``before`` done before it and ``after`` expected after it; in any unit."""
        whole = before + this + after
        return self.within(before / whole, (before + this) / whole, doing)

    def hoping(self, before: float, this: float, after: float, unlucky: float, doing: str = "") -> Context:
        """As ``amid``, where ``unlucky`` more is expected after it only as long as nobody knows that it will do: the less, the further it comes."""
        progress, named = self.progress, replace(self, doing=doing or self.doing)
        if progress is None:
            return named
        return replace(named, progress=lambda fraction, seen, doing: progress(
            (before + fraction * this) / (before + this + after + (1.0 - fraction) * unlucky), seen, doing))

    def showing(self, best: Result | None) -> Context:
        """The same for a try of which nobody knows yet whether it will do: who watches sees the best one so far instead, or nothing."""
        progress = self.progress
        if progress is None:
            return self

        def instead(fraction: float, seen: State | Seen | None, doing: str) -> None:
            frame = None
            if best is not None and isinstance(seen, State):
                at = min(round(seen.time * best.fps), best.frames - 1)
                frame = Seen(best.root_positions[at], best.rotations[at])
            progress(fraction, frame, doing)

        return replace(self, progress=instead)

    @property
    def cores(self) -> int:
        """How many processes may work on this machine."""
        return self.workers or os.cpu_count() or 1

    @contextmanager
    def executor(self) -> Iterator[tuple[Executor, int]]:
        """Processes that share the work, here or on a Dask cluster, and how many there are. They end with the block.

        What they are given must be picklable: functions of a module, and plain data.
        """
        from .workers import on_dask, on_this_machine

        with on_dask(self.dask, self.workers, self.say) if self.dask else on_this_machine(self.cores) as team:
            yield team
