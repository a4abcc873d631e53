"""Recordings by their paths: read and prepared once in a process, however often they are asked for, so that nobody may change them."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..body import Body
from ..formats import Clip, read_clip
from ..retarget import body_of
from .hold import held
from .loop import find_cycle, looped
from .reference import Reference, prepare


@dataclass(frozen=True)
class Recording:
    """A file, and how it is used.

    Attributes:
        repair: interpolate where it has dropped out. loop: its best cycle goes on for as long as is asked.
        hold: its last pose is held for as long as is asked.
    """

    path: str
    repair: bool = False
    loop: bool = False
    hold: bool = False

    @property
    def name(self) -> str:
        return Path(self.path).stem


def own_body(recording: Recording) -> dict[str, Any]:
    """The body of the person in the recording, as a job's "body"."""
    return copy.deepcopy(_own_body(recording.path, _changed(recording.path)))


def own_length(recording: Recording) -> float:
    """Seconds."""
    return _clip(recording.path, _changed(recording.path)).motion.duration


def reference_of(recording: Recording, body: Body) -> Reference:
    """The recording as it is, prepared for a body."""
    return _prepared(recording.path, _changed(recording.path), recording.repair, pickle.dumps(body))


def lasting(recording: Recording, body: Body, seconds: float) -> Reference:
    """The recording prepared for a body, looped or held for ``seconds`` or more where it is to be."""
    found = reference_of(recording, body)
    if recording.loop:
        cycle = find_cycle(found)
        return looped(found, cycle, math.ceil(seconds * found.motion.fps / (cycle.end - cycle.start)) + 1)
    return held(found, seconds) if recording.hold else found


@lru_cache(maxsize=32)
def _clip(path: str, changed: float) -> Clip:
    return read_clip(path)


@lru_cache(maxsize=32)
def _own_body(path: str, changed: float) -> dict[str, Any]:
    return body_of(_clip(path, changed))


@lru_cache(maxsize=32)
def _prepared(path: str, changed: float, repair: bool, body: bytes) -> Reference:
    """``body``: pickled, so that bodies are told apart by what is in them."""
    return prepare(_clip(path, changed), pickle.loads(body), repair=repair)


def _changed(path: str) -> float:
    """When a file was written, so that a new one of the same name is read again."""
    try:
        return Path(path).stat().st_mtime
    except OSError:
        return 0.0
