"""Recordings by their paths: read and prepared once in a process, however often they are asked for, so that nobody may change them."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from ..body import Body
from ..errors import JobError
from ..formats import Clip, read_clip
from ..retarget import body_of
from .hold import held
from .loop import find_cycle, last_stride, looped, walking_on
from .reference import Reference, prepare
from .whole import gone_round

# s that recordings which go on are prepared for, or so many times that.
LONG_S = 10.0


@dataclass(frozen=True)
class Recording:
    """A file, and how it is used.

    Attributes:
        repair: interpolate where it has dropped out. loop: its best cycle goes on for as long as is asked.
        end: of one that is hit, how it goes on after its end for as long as is asked: "auto": a cycle goes round, a walk walks on, and of any other
            clip the last pose is held; "loop": it goes round; "hold": the last pose is held. None: it does not.
    """

    path: str
    repair: bool = False
    loop: bool = False
    end: str | None = None

    @property
    def name(self) -> str:
        return Path(self.path).stem


class Maker(Protocol):
    """Something else than a clip of which a reference is made: its file, its name, and how."""

    @property
    def path(self) -> str: ...

    @property
    def name(self) -> str: ...

    def reference(self, body: Body, seconds: float) -> Reference: ...


def own_body(recording: Recording) -> dict[str, Any]:
    """The body of the person in the recording, as a job's "body"."""
    return copy.deepcopy(_own_body(recording.path, _changed(recording.path)))


def own_length(recording: Recording) -> float:
    """Seconds."""
    return _clip(recording.path, _changed(recording.path)).motion.duration


def reference_of(recording: Recording, body: Body) -> Reference:
    """The recording as it is, prepared for a body."""
    return _prepared(recording.path, _changed(recording.path), recording.repair, pickle.dumps(body))


def lasting(recording: Recording | Maker, body: Body, seconds: float) -> Reference:
    """The recording prepared for a body, looped or held for ``seconds`` or more where it is to be."""
    if not isinstance(recording, Recording):
        return recording.reference(body, seconds)
    if recording.end is not None:
        return _going_on(recording, body, seconds)
    found = reference_of(recording, body)
    return _looped(found, seconds) if recording.loop else found


def _looped(found: Reference, seconds: float) -> Reference:
    cycle = find_cycle(found)
    return looped(found, cycle, math.ceil(seconds * found.motion.fps / (cycle.end - cycle.start)) + 1)


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


def _going_on(recording: Recording, body: Body, seconds: float) -> Reference:
    """A recording that is hit, for ``seconds`` or more, over ground that stands still."""
    once = recording, _changed(recording.path), pickle.dumps(body)
    found = _round(*once, LONG_S)
    if found.period is not None:
        # As many rounds for all who ask: what is prepared of more of them differs in the last digits.
        return found if seconds <= LONG_S else _round(*once, LONG_S * math.ceil(seconds / LONG_S))
    if recording.loop:
        return _looped(found, seconds)
    stride = last_stride(found) if recording.end != "hold" else None
    if stride is not None:
        return walking_on(found, stride, seconds)
    if recording.end == "loop":
        raise JobError(f"'{found.name}' cannot go round: it neither ends as it begins nor in the middle of a walk; hold its last pose instead.")
    return held(found, seconds)


@lru_cache(maxsize=8)
def _round(recording: Recording, changed: float, body: bytes, seconds: float) -> Reference:
    which = "any" if recording.loop or recording.end == "loop" else "none" if recording.end == "hold" else "usual"
    return gone_round(_clip(recording.path, changed), pickle.loads(body), seconds, repair=recording.repair, which=which)


def _changed(path: str) -> float:
    """When a file was written, so that a new one of the same name is read again."""
    try:
        return Path(path).stat().st_mtime
    except OSError:
        return 0.0
