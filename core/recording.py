"""The recordings that a job follows: read and prepared once, however often they are asked for, so that nobody may change them."""

from __future__ import annotations

import copy
import math
import pickle
from functools import lru_cache
from pathlib import Path

from .body import Body
from .formats import Clip, read_clip
from .reference import Reference, find_cycle, held, looped, prepare
from .retarget import body_of


def clips_of(reference: dict) -> list[Clip]:
    """The clips of a job's "reference"."""
    return [_clip(path, _changed(path)) for path in reference["clips"]]


def own_body(reference: dict) -> dict:
    """The body of the person in the first clip, as a job's "body"."""
    path = reference["clips"][0]
    return copy.deepcopy(_own_body(path, _changed(path)))


def own_length(reference: dict) -> float:
    """Seconds, of the first clip."""
    return clips_of(reference)[0].motion.duration


def references_of(reference: dict, body: Body) -> list[Reference]:
    """The clips, prepared for a body."""
    return [_prepared(path, _changed(path), reference["repair"], pickle.dumps(body)) for path in reference["clips"]]


def clip_of(reference: dict, body: Body, seconds: float) -> Reference:
    """The first clip, prepared for a body, at least ``seconds`` long: where it is to be looped its cycle goes on, where it is hit its last pose is held."""
    found = references_of(reference, body)[0]
    if not reference["loop"]:
        return held(found, seconds) if reference["method"] == "hit" else found
    cycle = find_cycle(found)
    return looped(found, cycle, math.ceil(seconds * found.motion.fps / (cycle.end - cycle.start)) + 1)


@lru_cache(maxsize=32)
def _clip(path: str, changed: float) -> Clip:
    return read_clip(path)


@lru_cache(maxsize=32)
def _own_body(path: str, changed: float) -> dict:
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
