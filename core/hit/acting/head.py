"""Head: it trails behind a body that is struck, by its weight, and it looks to where the hit came from."""

from __future__ import annotations

import numpy as np

from ... import rotation
from ...motion import Motion
from ...places import struck
from ...signals import smooth_step
from ..flinch import Hit
from .pendulum import bounded, toward, trailing, turned
from .scene import Scene

LENGTH, RATE, DAMPING, GAIN = 0.3, 8.0, 0.35, 2.5  # m, rad/s, of critical, and times as far as a head would go by itself
LAGS = 0.7  # rad, at most
TURNS_S, LOOKS_S, BACK_S = 0.3, 0.9, 0.6  # s in which the head turns, that it looks from then on, and in which it turns back
FURTHEST = np.radians(75.0)  # to the side, from where the trunk faces
TWISTS = 0.2  # of that, by the trunk
LOW = np.radians((-25.0, 30.0))  # up and down
STANDS_OFF = 1.0  # m from the body, from where somebody strikes


def lagging(scene: Scene, motion: Motion, much: float) -> Motion:
    """The motion with a head that trails ``much``, 0 to 1, behind."""
    head, torso = scene.link("head"), scene.link("torso")
    up = rotation.rotate(motion.world()[1][:, head], (0.0, 0.0, 1.0))
    turn = bounded(GAIN * trailing(scene, motion, head, up, LENGTH, RATE, DAMPING), LAGS)
    rotations = motion.rotations.copy()
    rotations[:, head] = turned(motion, head, torso, much * scene.weight[:, None] * turn)
    return Motion(motion.skeleton, motion.fps, motion.root_positions, rotations)


def looking(scene: Scene, motion: Motion, much: float) -> Motion:
    """The motion with a head that turns ``much``, 0 to 1, to where each hit came from, and back."""
    for hit in scene.hits:
        if np.hypot(*hit.force[:2]) > 1e-6 * np.linalg.norm(hit.force):
            motion = _look(scene, motion, hit, much)
    return motion


def _look(scene: Scene, motion: Motion, hit: Hit, much: float) -> Motion:
    body, head, torso = scene.body, scene.link("head"), scene.link("torso")
    since = scene.since(hit)
    share = much * scene.weight * smooth_step(since / TURNS_S) * smooth_step((TURNS_S + LOOKS_S + BACK_S - since) / BACK_S)
    positions, turns = motion.world()
    begin = min(int(hit.time * scene.fps), motion.frames - 1)
    came = -np.array(hit.force)[:2] / np.hypot(*hit.force[:2])
    # Which way it turns is settled at the hit: who is struck from behind does not look left and right by turns.
    faces = np.unwrap(rotation.heading(turns[:, torso]))
    aside = float(rotation.wrap(np.arctan2(came[1], came[0]) - faces[begin]))
    aside = np.clip(aside + faces[begin] - faces, -FURTHEST, FURTHEST)
    link, point = struck(body, hit.part)
    height = positions[:, link, 2] + rotation.rotate(turns[:, link], point)[:, 2]
    down = np.clip(np.arctan2(positions[:, head, 2] - height, STANDS_OFF), *LOW)
    rotations = motion.rotations.copy()
    twist = rotation.from_axis_angle((0.0, 0.0, 1.0), TWISTS * share * aside)
    rotations[:, torso] = rotation.multiply(motion.rotations[:, torso], twist)
    carries = rotation.multiply(turns[:, torso], twist)
    goal = rotation.multiply(rotation.from_axis_angle((0.0, 0.0, 1.0), faces + aside), rotation.hinge(down))
    rotations[:, head] = toward(motion.rotations[:, head], rotation.multiply(rotation.conjugate(carries), goal), share)
    return Motion(motion.skeleton, motion.fps, motion.root_positions, rotations)

