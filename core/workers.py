"""Workers: processes that share work, on this machine or on a Dask cluster.

Only who needs them loads this: Blender crashes when it quits after a script that has loaded multiprocessing.
"""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from .errors import JobError, SimulationError
from .version import VERSION

ANSWERS_S = 10  # s within which a Dask scheduler has to answer

Team = tuple[Executor, int]  # who works, and how many they are


@contextmanager
def on_this_machine(count: int) -> Iterator[Team]:
    """``count`` processes, which end with the block: when all is done, or at once where it is left by an error or by Ctrl-C."""
    processes = ProcessPoolExecutor(count, initializer=_listen_to_parent)
    try:
        yield processes, count
    except BrokenProcessPool as error:
        raise SimulationError("A worker process has died in the middle of its work, perhaps for want of memory: try fewer --workers.") from error
    except BaseException:
        # Nobody waits for what they do now, and an executor has no public way to end it before Python 3.14.
        for process in list(processes._processes.values()):
            process.terminate()
        raise
    finally:
        processes.shutdown(cancel_futures=True)


def _listen_to_parent() -> None:
    """In a worker process: leave Ctrl-C to the process that it works for, and end with it, even if that was killed and could not say so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


@contextmanager
def on_dask(address: str, count: int | None, say: Callable[[str], None]) -> Iterator[Team]:
    """The workers of a Dask cluster: ``count`` of them, or all. ``say``: called with a sentence that the user should know."""
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
        try:
            _refuse_other_versions(client)
            threads = sum(client.nthreads().values())
            if not threads:
                say(f"The Dask cluster at '{address}' has no workers yet: the work waits for them.")
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
