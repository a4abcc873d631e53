"""Context: what a method may use while it runs a job: who it tells how far it is, the workers it has, and where unfinished work is kept."""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .errors import JobError, SimulationError
from .physics import State
from .version import VERSION

Progress = Callable[[float, State | None], None]  # fraction done (0–1), and the state; None where there is no body to show

ANSWERS_S = 10  # s within which a Dask scheduler has to answer


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
        with _on_dask(self.dask, self.workers, self.say) if self.dask else _on_this_machine(self.cores) as team:
            yield team


@contextmanager
def _on_this_machine(count: int) -> Iterator[tuple[Executor, int]]:
    processes = ProcessPoolExecutor(count, initializer=_end_with_parent)
    try:
        yield processes, count
    except BrokenProcessPool as error:
        raise SimulationError("A worker process has died in the middle of its work, perhaps for want of memory: try fewer --workers.") from error
    finally:
        processes.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """In a worker process: end when the process that it works for has ended, even if that was killed and could not say so."""
    parent = multiprocessing.parent_process()
    if parent:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


@contextmanager
def _on_dask(address: str, count: int | None, say: Callable[[str], None]) -> Iterator[tuple[Executor, int]]:
    try:
        import distributed
        from distributed.comm import CommClosedError
    except ModuleNotFoundError as error:
        raise JobError("--dask needs Dask: install it with pip install distributed, here and on the workers.") from error
    try:
        client = distributed.Client(address, timeout=ANSWERS_S)
    except (OSError, ValueError) as error:
        raise JobError(f"No Dask scheduler answers at '{address}' ({error}): check the address, or leave --dask out.") from error
    # What it would say where the cluster goes away is said below, in one sentence.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    with client:
        _refuse_other_versions(client)
        threads = sum(client.nthreads().values())
        if not threads:
            say(f"The Dask cluster at '{address}' has no workers yet: the work waits for them.")
        try:
            yield client.get_executor(pure=False), count or threads or 1
        except distributed.KilledWorker as error:
            raise SimulationError(f"Workers of the Dask cluster at '{address}' have died in the middle of the work: look into their logs.") from error
        except (CancelledError, CommClosedError) as error:
            raise SimulationError(f"The Dask cluster at '{address}' has gone away in the middle of the work: start it, and try again.") from error


def _refuse_other_versions(client: Any) -> None:
    """Workers that would give other results, or none."""
    try:
        versions = client.run(_version)
    except (ImportError, AttributeError) as error:
        raise JobError(f"A Dask worker has no Footfall, or another one ({error}): install Footfall {VERSION} on all workers.") from error
    for worker, version in versions.items():
        if version != VERSION:
            raise JobError(f"The Dask worker at '{worker}' has Footfall {version}: install Footfall {VERSION} on all workers.")


def _version() -> str:
    """In a worker."""
    return VERSION
