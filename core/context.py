"""Context: what a method may use while it runs a job: who it tells how far it is, the workers it has, and where unfinished work is kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from .errors import JobError
from .physics import State

Progress = Callable[[float, State | None], None]  # fraction done (0–1), and the state; None where there is no body to show


def silent(_sentence: str) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class Context:
    """What a method may use while it runs a job.

    Attributes:
        progress: called now and then with the fraction that is done and the body's state; may raise to cancel.
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

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise JobError(f"--workers is {self.workers}; at least 1 is needed.")

    def tell(self, fraction: float, state: State | None = None) -> None:
        """How far the work is."""
        if self.progress:
            self.progress(fraction, state)

    def within(self, first: float, last: float) -> Context:
        """The same for a piece of the work: its progress goes from ``first`` to ``last``."""
        progress = self.progress
        return self if progress is None else replace(self, progress=lambda fraction, state: progress(first + fraction * (last - first), state))

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
