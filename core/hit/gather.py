"""Gather: a body that has come to stand after a hit gathers its feet under it again, to stand as the clip does.

The foot that is out of its place takes one calm step. A body that was turned far by the hit turns back with more steps, the feet in turn. There is no
physics in it: in a slow step from one quiet stance to another one would not see any.
"""

from __future__ import annotations

import numpy as np

from .. import feet, rotation
from ..arrays import Array
from ..body import Body
from ..feet import legs
from ..feet.drag import SHORT, stepped
from ..motion import Motion
from ..result import Result
from .settings import GATHER


def place(body: Body, clip: Motion, time: float, stood: Result) -> Array:
    """(3,) m by which the clip is moved, so that at its ``time`` (s) one of its feet is where that foot of the body is at the end of ``stood``: the
    foot that carries more."""
    ankle = feet.link(body, "foot", int(np.argmax(stood.foot_forces[-1, :, 2])))
    there = body.skeleton.forward_kinematics(stood.root_positions[-1], stood.rotations[-1])[0][ankle]
    here = body.skeleton.forward_kinematics(*clip.sample(time))[0][ankle]
    return (there - here) * (1.0, 1.0, 0.0)


def turned(motion: Motion, clip: Motion, frame: int) -> float:
    """rad by which the motion faces away from the clip."""
    return float(rotation.wrap(rotation.heading(motion.rotations[frame, 0]) - rotation.heading(clip.rotations[frame, 0])))


def gathered(body: Body, motion: Motion, clip: Motion, start: int) -> Motion:
    """``motion`` until frame ``start``, whose pose goes over into ``clip`` from there on; both stand, with one foot in the same place."""
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    away = (motion.world()[0] - clip.world()[0])[start, ankles, :2]
    stays = int(np.argmin(np.linalg.norm(away, axis=-1)))
    turn = turned(motion, clip, start)
    rounds = int(np.ceil(abs(turn) / GATHER.most)) if abs(turn) > GATHER.little else 0
    seconds = GATHER.step_s * max(1, 2 * rounds)
    frames = np.arange(start, min(start + round(seconds * clip.fps) + 1, clip.frames))
    times = (frames - start) / clip.fps
    done, arcs = np.stack([_progress(times, rounds, foot == stays) for foot in (0, 1)], axis=-1)
    stood = Motion(clip.skeleton, clip.fps, np.repeat(motion.root_positions[start:start + 1], len(frames), axis=0),
                   np.repeat(motion.rotations[start:start + 1], len(frames), axis=0))
    goal = Motion(clip.skeleton, clip.fps, clip.root_positions[frames], clip.rotations[frames])
    (before, turns), (after, turns_after) = (tuple(values[:, ankles] for values in way.world()) for way in (stood, goal))
    if not rounds:
        arcs = arcs * np.minimum(1.0, np.linalg.norm((after - before)[..., :2], axis=-1) / SHORT)
    # Feet go around the one that stays. What they were off their places is made up for with the first step of each.
    pivot = after[:, stays:stays + 1]
    beside = before - pivot - rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), turn), after - pivot)
    places = pivot + rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), (1.0 - done) * turn), after - pivot)
    places += (1.0 - np.minimum(1.0, max(1, rounds) * done))[..., None] * beside
    places[..., 2] += arcs * GATHER.lift * body.leg_length
    bends = rotation.log(rotation.slerp(stood.rotations[:, toes], goal.rotations[:, toes], done))[..., 1]
    lowered = legs.lowered(body, stood.blend(goal, done.mean(axis=1)), places, np.ones((len(frames), 2), dtype=bool))
    reached = legs.reaching(body, lowered, places, rotation.slerp(turns, turns_after, done), bends)
    roots, rotations = motion.root_positions.copy(), motion.rotations.copy()
    roots[frames], rotations[frames] = reached.root_positions, reached.rotations
    roots[frames[-1] + 1:], rotations[frames[-1] + 1:] = clip.root_positions[frames[-1] + 1:], clip.rotations[frames[-1] + 1:]
    return Motion(clip.skeleton, clip.fps, roots, rotations)


def _progress(times: Array, rounds: int, second: bool) -> tuple[Array, Array]:
    """How far a foot has come at ``times`` (F,) s, from 0 to 1, and how high it is, from 0 to 1. In each round the feet step one after the other;
    without rounds they go at once. ``second``: whether it is the second one to step."""
    starts = 2.0 * np.arange(rounds) + second if rounds else np.zeros(1)
    done, lifts = stepped(times[:, None] / GATHER.step_s - starts)
    return done.mean(axis=1), lifts.sum(axis=1)
