"""Feet that are dragged along the floor while they bear the body make a step instead: they are lifted, go, and come down.

Who is knocked aside slides on the soles for some hundredths of a second. That is physics, but it reads as skating."""

from __future__ import annotations

import dataclasses

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..motion import Motion
from ..result import Result
from ..rotation import hinge_angle
from ..signals import nearby, runs, smooth_step
from . import legs, sole
from .loads import bearing, stances
from .pin import moved, on_a_floor
from .slide import frame_slides

DRAGGED_M_S = 0.12  # m/s of the slowest point of a sole that bears the body
FAR, CREEPING_M_S = 0.012, 0.02  # m: in a stance in which it slides further than that, it is also dragged where it goes as slowly as this
GAP_S, STEP_S = 0.05, 0.25  # s between two drags that make one step; s that a step takes at least
LIFT, SHORT = 0.05, 0.05  # leg lengths that a foot is lifted; m: one that goes less far is lifted less
LEAST_LIFT = 0.3  # of the lift, that a foot has at least: else it would scrape the floor
ON_THE_SPOT, LIFTING = 0.12, 0.4  # of the time of a step: at either end, in which the foot only goes up or down; in which it gets all the way up


def stepped(share: Array) -> tuple[Array, Array]:
    """How far a foot has come in a step of which ``share`` is over, and how high it is, both from 0 to 1. It is lifted before it goes, and has
    arrived before it is put down: else it would skate."""
    return (smooth_step((share - ON_THE_SPOT) / (1.0 - 2.0 * ON_THE_SPOT)),
            smooth_step(share / LIFTING) * smooth_step((1.0 - share) / LIFTING))


def without_drags(result: Result, body: Body, where: Bools) -> Result:
    """The result with no foot that is dragged on frames ``where`` (F,); only on a level floor."""
    if result.outcome["fell"] or not on_a_floor(result):
        return result
    drags = _drags(result, where)
    first = int(np.argmax(where))
    motion = Motion(body.skeleton, result.fps, result.root_positions, rotation.make_continuous(result.rotations))
    ankles, toes = ([sole.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    places, turns = (values[:, ankles].copy() for values in motion.world())
    bends, changed = hinge_angle(motion.rotations[:, toes]), np.zeros(result.frames, dtype=bool)
    for foot in (0, 1):
        for start, end in runs(nearby(drags[:, foot], GAP_S * result.fps)):
            more = max(0, round(STEP_S * result.fps) - (end - start)) // 2
            frames = np.arange(max(start - more - 1, first), min(end + more, result.frames - 1) + 1)
            left, lands = frames[0], frames[-1]
            if left == lands:
                continue
            done, lift = stepped((frames - left) / (lands - left))
            way = places[lands, foot] - places[left, foot]
            high = LIFT * body.leg_length * min(1.0, max(LEAST_LIFT, float(np.linalg.norm(way[:2])) / SHORT))
            places[frames, foot] = places[left, foot] + done[:, None] * way + (lift * high)[:, None] * (0.0, 0.0, 1.0)
            turns[frames, foot] = rotation.slerp(turns[left, foot], turns[lands, foot], done)
            bends[frames, foot] = bends[left, foot] + done * (bends[lands, foot] - bends[left, foot])
            changed[frames] = True
    if not changed.any():
        return result
    reached = legs.reaching(body, motion, places, turns, bends)
    rotations = rotation.make_continuous(np.where(changed[:, None, None], reached.rotations, motion.rotations))
    return moved(result, body, dataclasses.replace(motion, rotations=rotations))


def _drags(result: Result, where: Bools) -> Bools:
    """(F, 2) whether each foot is dragged into a frame."""
    slid = np.where(bearing(result) & where[:, None], frame_slides(result), 0.0)
    drags = slid * result.fps > DRAGGED_M_S
    for foot, intervals in enumerate(stances(result)):
        for start, end in intervals:
            if slid[start:end, foot].sum() > FAR:
                drags[start:end, foot] |= slid[start:end, foot] * result.fps > CREEPING_M_S
    return drags
