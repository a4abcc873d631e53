"""Gather: from where a body has come to stand back into a clip that stands, with a calm step of the foot that is out of its place.

Who was turned far by the hit turns back with more steps, the feet in turn. No physics: a step of half a second from one quiet stance to another needs none
that could be seen.
"""

from __future__ import annotations

import numpy as np

from .. import feet, rotation
from ..body import Body
from ..feet import legs
from ..motion import Motion
from ..result import Result
from ..signals import smooth_step

SECONDS = 0.6  # s that a step takes
LITTLE, MOST = 0.2, 0.9  # rad: a turn that feet make as they stand, and the most that a foot turns in a step
LIFT = 0.06  # of the leg's length, that the foot goes up


def place(body: Body, clip: Motion, time: float, stood: Result) -> np.ndarray:
    """The way (3,) m by which the clip is moved so that the foot on which the body stands most at the end of ``stood`` is in its place at ``time`` (s)
    of the clip."""
    ankle = feet.link(body, "foot", int(np.argmax(stood.foot_forces[-1, :, 2])))
    there = body.skeleton.forward_kinematics(stood.root_positions[-1], stood.rotations[-1])[0][ankle]
    here = body.skeleton.forward_kinematics(*clip.sample(time))[0][ankle]
    return (there - here) * (1.0, 1.0, 0.0)


def gathered(body: Body, motion: Motion, clip: Motion, start: int) -> Motion:
    """``motion`` until frame ``start``, whose pose goes over into ``clip`` from there on; both stand, with one foot in the same place."""
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    away = (motion.world()[0] - clip.world()[0])[start, ankles, :2]
    stays = int(np.argmin(np.linalg.norm(away, axis=-1)))
    turn = float(rotation.wrap(rotation.heading(motion.rotations[start, 0]) - rotation.heading(clip.rotations[start, 0])))
    rounds = int(np.ceil(abs(turn) / MOST)) if abs(turn) > LITTLE else 0
    seconds = SECONDS * max(1, 2 * rounds)
    frames = np.arange(start, min(start + round(seconds * clip.fps) + 1, clip.frames))
    times = (frames - start) / clip.fps
    done, arcs = np.stack([_progress(times, rounds, foot == stays) for foot in (0, 1)], axis=-1)
    held = Motion(clip.skeleton, clip.fps, np.repeat(motion.root_positions[start:start + 1], len(frames), axis=0),
                  np.repeat(motion.rotations[start:start + 1], len(frames), axis=0))
    goal = Motion(clip.skeleton, clip.fps, clip.root_positions[frames], clip.rotations[frames])
    part = done.mean(axis=1)
    (before, turns), (after, turns_after) = (tuple(values[:, ankles] for values in way.world()) for way in (held, goal))
    if not rounds:
        arcs = arcs * np.minimum(1.0, np.linalg.norm((after - before)[..., :2], axis=-1) / 0.05)
    # Feet go around the one that stays; where they were beside their places is made good with the first step of each.
    pivot = after[:, stays:stays + 1]
    beside = before - pivot - rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), turn), after - pivot)
    places = pivot + rotation.rotate(rotation.from_axis_angle((0.0, 0.0, 1.0), (1.0 - done) * turn), after - pivot)
    places += (1.0 - np.minimum(1.0, max(1, rounds) * done))[..., None] * beside
    places[..., 2] += arcs * LIFT * body.leg_length
    bends = rotation.log(rotation.slerp(held.rotations[:, toes], goal.rotations[:, toes], done))[..., 1]
    lowered = legs.lowered(body, held.blend(goal, part), places, np.ones((len(frames), 2), dtype=bool))
    reached = legs.reaching(body, lowered, places, rotation.slerp(turns, turns_after, done), bends)
    roots, rotations = motion.root_positions.copy(), motion.rotations.copy()
    roots[frames], rotations[frames] = reached.root_positions, reached.rotations
    roots[frames[-1] + 1:], rotations[frames[-1] + 1:] = clip.root_positions[frames[-1] + 1:], clip.rotations[frames[-1] + 1:]
    return Motion(clip.skeleton, clip.fps, roots, rotations)


def _progress(times: np.ndarray, rounds: int, second: bool) -> tuple[np.ndarray, np.ndarray]:
    """How far a foot has come at ``times`` (F,) s, from 0 to 1, and how high, likewise. In each round the feet step one after the other; without any
    they go at once."""
    if not rounds:
        done = smooth_step(times / SECONDS)
        return done, np.sin(np.pi * done)
    steps = smooth_step(times[:, None] / SECONDS - 2.0 * np.arange(rounds) - second)
    return steps.mean(axis=1), np.sin(np.pi * steps).sum(axis=1)
