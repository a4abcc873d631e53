"""Many jobs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import as_completed

from .context import Context
from .errors import FootfallError
from .job import Job
from .jobs import run
from .result import Result


def run_all(jobs: Sequence[Job], context: Context) -> list[Result | FootfallError]:
    """The results of jobs in their order, on the context's workers, or what is wrong with them. Progress is told as they end."""
    with context.executor() as (executor, _):
        tasks = [executor.submit(_run_alone, job) for job in jobs]
        for done, _ in enumerate(as_completed(tasks), 1):
            context.tell(done / len(tasks), doing=f"{done} of {len(tasks)} jobs are done")
        return [task.result() for task in tasks]


def _run_alone(job: Job) -> Result | FootfallError:
    """On one core: its neighbours have the others."""
    try:
        return run(job, Context(workers=1))
    except FootfallError as error:
        return error
