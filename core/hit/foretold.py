"""Foretold: how the push database has a hit taken, which is tried first. What is shown while a hit is aimed comes from the same answer."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ..balance_styles import known_styles
from ..errors import JobError
from ..motion import Motion
from ..pushes.answer import held_by, known
from ..pushes.database import Database, shipped
from ..pushes.ready import Ready
from ..pushes.response import NOTHING
from ..reference import Reference
from .flinch import Hit
from .held import Held
from .settings import ATTEMPTS

AROUND_S = 0.25  # s of the clip before and after a hit, by which its pose and velocity are compared with others


def foretold(reference: Reference, clip: Motion, hit: Hit) -> Held:
    """What has held in the response that suits a hit, in the world's axes, on a clip; nothing where the database knows none, as for kicks."""
    try:
        database = _database(shipped(reference.body))
    except JobError:  # none is installed
        return Held()
    first, end = (min(max(round((hit.time + away) * clip.fps), 0), clip.frames) for away in (-AROUND_S, AROUND_S))
    near = Motion(clip.skeleton, clip.fps, clip.root_positions[first:end], clip.rotations[first:end])
    ready, time = Ready.of(reference.body, near, reference.contacts_at(clip.fps, clip.frames)[first:end]), hit.time - first / clip.fps
    if not known(database, ready, time):
        return Held()
    walks, number = held_by(database, ready, time, hit.part, hit.force, hit.seconds)
    if number == NOTHING:
        return Held()
    return Held(attempt=ATTEMPTS[number]) if walks else Held(style=known_styles()[number])


@lru_cache(maxsize=2)
def _database(file: Path) -> Database:
    return Database.load(file)
