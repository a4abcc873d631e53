"""Effort: from calm to frantic.

What is quick in a reaction is taken out of a calm one, and made more of in a frantic one; who is frantic also beats the air with its arms as long as
it is out of balance (motion signal processing: Bruderlin and Williams 1995).
"""

from __future__ import annotations

import numpy as np

from ... import rotation
from ...motion import Motion
from ...signals import low_pass, smooth_step
from .pendulum import bounded
from .scene import Scene

SLOW_HZ = 1.1  # half of what is faster is quick
CALM, FRANTIC = 0.9, 2.0  # share of what is quick, that is taken away at most, and times as much that is added at most
MOST = {"torso": 0.3, "head": 0.4, "upper_arm": 0.6, "forearm": 0.5}  # rad that is added
BEATS_HZ, BEATS = 1.9, (0.5, 0.55, 0.6)  # of the arms; rad by which they circle, out and ahead, and the elbows bend
BENDS_S = 0.2  # s in which the arms begin to beat


def with_effort(scene: Scene, motion: Motion, effort: float) -> Motion:
    """The motion, calmer or more frantic in trunk, head and arms."""
    rotations, names = motion.rotations.copy(), scene.body.names
    for link, name in enumerate(names):
        most = MOST.get(name.partition(".")[0])
        if most:
            off = rotation.log(rotation.multiply(rotation.conjugate(scene.clip.rotations[:, link]), motion.rotations[:, link]))
            quick = off - low_pass(off, scene.fps, SLOW_HZ)
            change = (FRANTIC if effort > 0.0 else CALM) * effort * scene.weight[:, None] * quick
            rotations[:, link] = rotation.multiply(rotations[:, link], rotation.exp(bounded(change, most)))
    if effort > 0.0:
        _beat(scene, rotations, effort)
    return Motion(motion.skeleton, motion.fps, motion.root_positions, rotations)


def _beat(scene: Scene, rotations: np.ndarray, effort: float) -> None:
    """Let the arms of ``rotations`` (F, L, 4) circle in turn."""
    since = scene.since(scene.hits[0])
    much = effort * np.linalg.norm(scene.unbalance, axis=1) * smooth_step(since / BENDS_S)
    for side, way in (("L", 1.0), ("R", -1.0)):
        phase = 2.0 * np.pi * BEATS_HZ * since + (0.0 if way > 0.0 else 0.6 * np.pi)
        arm, elbow = scene.link(f"upper_arm.{side}"), scene.link(f"forearm.{side}")
        circle = np.stack([way * BEATS[0] * (1.0 + np.cos(phase)), -BEATS[1] * np.sin(phase), np.zeros_like(phase)], axis=1)
        rotations[:, arm] = rotation.multiply(rotation.exp(much[:, None] * circle), rotations[:, arm])
        low, high = scene.body.limits[elbow, 1]
        bend = rotation.hinge_angle(rotations[:, elbow]) - much * BEATS[2] * (1.0 - np.sin(phase)) * 0.5
        rotations[:, elbow] = rotation.hinge(np.clip(bend, low, high))
