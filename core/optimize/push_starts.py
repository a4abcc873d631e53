"""What is pushed for a push database: a body that stands in three ways, and that walks, at moments of its stride."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .. import feet, presets, rotation
from ..body import Body
from ..context import Context
from ..feet import legs
from ..formats import Clip
from ..jobs import make_job, run
from ..motion import Motion
from ..reference import Reference, find_cycle, held, looped, prepare

STAND_S = 1.0  # s that a stance lasts before the push
PHASES = 4  # moments of half a stride; the other half is their mirror image
WALK_S, WALK_FROM_S, ROUNDS = 8.0, 3.0, 12  # s that a body walks, from when on it counts, and how often a stride of it is repeated
FPS = 60.0  # frames a second of the walk
# Leg lengths forward and outward that the left and right foot are from under the hips.
STANCES = {"side by side": ((0.0, 0.0), (0.0, 0.0)), "one ahead": ((0.17, 0.0), (-0.17, 0.0)), "wide": ((0.0, 0.15), (0.0, 0.15))}
SYMMETRIC = ("side by side", "wide")
SINK = 0.01  # leg lengths that the pelvis is lower than with straight legs
ELBOW, SPREAD = 0.2, 0.1  # rad that elbows are bent, and that arms are off the sides


def starts() -> list[tuple[str, int]]:
    """(motion, moment) of all that is pushed; a stance has the moment 0."""
    return [*((name, 0) for name in STANCES), *(("walk", phase) for phase in range(PHASES))]


def moment(reference: Reference, name: str, phase: int) -> float:
    """s of a reference's motion at which it is pushed."""
    if name in STANCES or reference.period is None:
        return STAND_S
    return round(reference.period * (2.0 + 0.5 * phase / PHASES) * FPS) / FPS


@lru_cache(maxsize=8)
def reference_of(person: str, name: str, engine: str, seconds: float) -> Reference:
    """A stance or the walk on a body preset, for ``seconds`` or more."""
    body = presets.body(person)
    if name in STANCES:
        return held(prepare(Clip(_standing(body, name), name), body), seconds)
    walked = run(make_job({"gait": "walk", "body": person, "duration": WALK_S, "fps": FPS, "engine": engine}), Context(workers=1))
    motion = Motion(body.skeleton, FPS, walked.root_positions, rotation.make_continuous(walked.rotations)).slice(WALK_FROM_S, WALK_S)
    found = prepare(Clip(motion, name), body)
    return looped(found, find_cycle(found), ROUNDS)


def _standing(body: Body, name: str) -> Motion:
    """A second of standing."""
    frames = round(FPS * STAND_S) + 1
    rotations = rotation.identity((frames, len(body.names)))
    for side, out in (("L", 1.0), ("R", -1.0)):
        rotations[:, body.names.index(f"upper_arm.{side}")] = rotation.from_axis_angle((1.0, 0.0, 0.0), out * SPREAD)
        rotations[:, body.names.index(f"forearm.{side}")] = rotation.hinge(-ELBOW)
    upright = Motion(body.skeleton, FPS, np.tile((0.0, 0.0, body.standing_height), (frames, 1)), rotations)
    places, turns = upright.world()
    links = [feet.link(body, "foot", foot) for foot in (0, 1)]
    ankles = places[:, links]
    for foot, (forward, out) in enumerate(STANCES[name]):
        ankles[:, foot] += body.leg_length * np.array((forward, out * (1.0, -1.0)[foot], 0.0))
    both = np.ones((frames, 2), dtype=bool)
    sunk = legs.lowered(body, upright.displace((0.0, 0.0, -SINK * body.leg_length)), ankles, both)
    return legs.reaching(body, sunk, ankles, turns[:, links], np.zeros((frames, 2)))
