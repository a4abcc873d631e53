"""Work of workers for a character that ends in no bake: variations of its hits, its balance map."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import bpy

from ..core.errors import FootfallError, RigError
from .preferences import worker_python
from .running import RUNNING
from .worker import Worker


class Background:
    """To those who watch it is like a Simulation: ``tick`` until it is True, then ``finish``.

    Attributes:
        name: of the armature object. fraction: done, 0–1. left: s, or None where nobody knows. doing: what, in words.
    """

    warns = False
    fraction: float = 0.0
    left: float | None = None
    doing: str = ""

    def __init__(self, armature: bpy.types.Object):
        if armature.name in RUNNING:
            raise RigError(f"'{armature.name}' is being simulated already: wait for it, or cancel it.")
        self.name = armature.name

    @property
    def running(self) -> bool:
        return RUNNING.get(self.name) is self

    @property
    def workers(self) -> Iterable[Worker]:
        """Those that were started."""
        raise NotImplementedError

    def character(self) -> bpy.types.Object:
        armature = bpy.data.objects.get(self.name)
        if armature is None:
            raise RigError(f"'{self.name}' is gone: what was simulated for it was given up.")
        return armature

    def stop(self) -> bool:
        """Nothing can be kept half way."""
        self.cancel()
        return False

    def pause(self) -> None:
        """Nothing is shown on the character while this goes on."""

    def cancel(self) -> None:
        """End the workers and leave everything as it was."""
        for worker in self.workers:
            worker.cancel()
        if self.running:
            del RUNNING[self.name]


class OneWorker(Background):
    """One command of the core, in one worker that uses all cores, whose answer is JSON."""

    def begin(self, job: dict[str, Any], command: Sequence[str]) -> None:
        """Start. An engine or a Python that is missing is a FootfallError, and nothing has changed."""
        python = worker_python()
        if "engine" in job:
            python.check_engine(job["engine"])
        self._worker = Worker(job, Path(bpy.app.tempdir), python, tuple(command))
        RUNNING[self.name] = self

    @property
    def workers(self) -> tuple[Worker]:
        return (self._worker,)

    def tick(self, show: bool = False) -> bool:
        """Take in what has come from the worker; True when its answer is there."""
        status = self._worker.poll()
        self.fraction, self.left, self.doing = status.fraction, status.left, status.doing
        if status.error:
            raise FootfallError(status.error)
        return status.done

    def answer(self) -> Any:
        return json.loads(self._worker.poll().result.read_text(encoding="utf-8"))
