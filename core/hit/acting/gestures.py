"""Gestures of the arms: they hang loose and swing, spread to catch the balance, or guard what was hit. Each goes together with the others."""

from __future__ import annotations

import numpy as np

from ... import rotation
from ...arrays import Array
from ...body import Body
from ...motion import Motion
from ...places import chain, link_of, struck
from ...signals import smooth_step
from ..flinch import Hit
from .arms import SIDES, Arm
from .pendulum import bounded, toward, trailing, turned
from .scene import Scene

# Loose: m, rad/s, of critical damping, and times as far as an arm would go by itself; rad at most.
LOOSE = {"upper_arm": (0.45, 5.0, 0.2, 1.6, 1.1), "forearm": (0.3, 7.0, 0.25, 1.6, 0.9)}
# Balance: rad by which both arms come up aside, and besides the one on the side that the body does not fall to; by which they go ahead of a body
# that falls back, and behind one that falls ahead; and by which elbows are bent.
UP, HIGHER, AHEAD, BEHIND, BENT = 0.75, 0.75, 0.75, 0.55, 0.35
SPREADS_S = 0.2  # s in which they come up
# Guard: s in which the hand gets there, stays, and goes back.
GUARDS_S, STAYS_S, LEAVES_S = 0.28, 0.8, 0.6
OFF_M = 0.035  # m from the surface to the middle of the hand
BESIDE_M = 0.07  # m from the middle of the trunk to each of two hands on it
MIDDLE = 0.5  # of the trunk's half width: a hit within it is for both hands
ASIDE = {"torso": np.radians(55.0), "pelvis": np.radians(75.0), "head": np.radians(90.0)}  # how far round from its front a hand guards each
HANGS = 0.75  # of the way down, that the elbow of a guarding arm goes
READY = (0.45, -0.5, -1.4)  # rad, of an arm that is about to guard: out, ahead, and at the elbow


def loose(scene: Scene, motion: Motion, much: float) -> Motion:
    """The motion with arms that trail ``much``, 0 to 1, behind the body and swing past it."""
    body = scene.body
    for side in SIDES:
        arm = Arm(body, side)
        rotations, points = motion.rotations.copy(), arm.points(motion)
        along = points[:, 2] - motion.world()[0][:, arm.upper]
        swing = _trailing(scene, motion, arm.upper, along, "upper_arm")
        rotations[:, arm.upper] = turned(motion, arm.upper, arm.trunk, much * scene.weight[:, None] * swing)
        bend = rotation.rotate(rotation.conjugate(motion.world()[1][:, arm.upper]),
                               _trailing(scene, motion, arm.fore, points[:, 2] - points[:, 0], "forearm"))[:, 1]
        low, high = body.limits[arm.fore, 1]
        bent = rotation.hinge_angle(motion.rotations[:, arm.fore])
        rotations[:, arm.fore] = rotation.hinge(np.clip(bent + much * scene.weight * bend, low, np.maximum(high, bent)))
        motion = Motion(motion.skeleton, motion.fps, motion.root_positions, rotations)
    return motion


def _trailing(scene: Scene, motion: Motion, link: int, along: Array, part: str) -> Array:
    length, rate, damping, gain, most = LOOSE[part]
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    return bounded(gain * trailing(scene, motion, link, along, length, rate, damping), most)


def balancing(scene: Scene, motion: Motion, much: float) -> Motion:
    """The motion with arms that come up and out ``much``, 0 to 1, against the side that the body falls to, as long as it is out of balance."""
    rotations, (ahead, left) = motion.rotations.copy(), scene.unbalance.T
    share = much * np.linalg.norm(scene.unbalance, axis=1) * smooth_step(scene.since(scene.hits[0]) / SPREADS_S)
    for side in SIDES:
        arm = Arm(scene.body, side)
        up = arm.side * (UP + HIGHER * np.maximum(0.0, -arm.side * left))
        forward = -AHEAD * np.maximum(0.0, -ahead) + BEHIND * np.maximum(0.0, ahead)
        goal = rotation.from_euler(np.stack([up, forward, np.zeros_like(up)], axis=1))
        rotations[:, arm.upper] = toward(motion.rotations[:, arm.upper], goal, share)
        rotations[:, arm.fore] = toward(motion.rotations[:, arm.fore], rotation.hinge(np.full(len(up), -BENT)), share)
    return Motion(motion.skeleton, motion.fps, motion.root_positions, rotations)


def guarding(scene: Scene, motion: Motion, much: float) -> Motion:
    """The motion in which the nearest hand, or both, goes ``much``, 0 to 1, of the way to what was hit."""
    for hit in (hit for hit in scene.hits if any(hit.force)):  # one of no force comes from nowhere
        share = much * scene.weight * smooth_step(scene.since(hit) / GUARDS_S)
        share = share * smooth_step((GUARDS_S + STAYS_S + LEAVES_S - scene.since(hit)) / LEAVES_S)
        rotations = motion.rotations.copy()
        for arm, places in _guards(scene, motion, hit):
            ready = motion.rotations.copy()
            out, ahead, bent = READY
            ready[:, arm.upper] = rotation.from_euler(np.array([arm.side * out, ahead, 0.0]))
            ready[:, arm.fore] = rotation.hinge(np.array(bent))
            goal = arm.reaching(Motion(motion.skeleton, motion.fps, motion.root_positions, ready), places, HANGS)
            for link, one in ((arm.upper, 0), (arm.fore, 1)):
                rotations[:, link] = toward(motion.rotations[:, link], goal[:, one], share)
        motion = Motion(motion.skeleton, motion.fps, motion.root_positions, rotations)
    return motion


def _guards(scene: Scene, motion: Motion, hit: Hit) -> list[tuple[Arm, Array]]:
    """The arms that guard what a hit strikes, and (F, 3) m, world, where each hand goes."""
    body, (link, point) = scene.body, struck(scene.body, hit.part)
    positions, turns = motion.world()
    frame = min(int(hit.time * scene.fps), motion.frames - 1)
    outward = rotation.rotate(rotation.conjugate(turns[frame, link]), -np.array(hit.force) / np.linalg.norm(hit.force))
    trunk = body.names[link] in ASIDE
    if trunk:  # a hand gets to the front and the sides
        aside = np.clip(np.arctan2(outward[1], outward[0]), -ASIDE[body.names[link]], ASIDE[body.names[link]])
        outward = np.append(np.hypot(outward[0], outward[1]) * np.array([np.cos(aside), np.sin(aside)]), outward[2])
    place = np.array(point) + (_surface(body, link, outward) + OFF_M) * outward
    half = body.shapes[link].half_extents[1]
    struck_arm = chain(body, link_of(body, hit.part)) if not trunk else np.zeros(len(body.names), dtype=bool)
    arms = [arm for arm in (Arm(body, side) for side in SIDES) if not struck_arm[arm.upper] or body.names[link].startswith(("thigh", "shin"))]
    both = trunk and abs(place[1]) < MIDDLE * half and place[0] > 0.0
    if not both:
        at = positions[frame, link] + rotation.rotate(turns[frame, link], place)
        arms = [min(arms, key=lambda arm: float(np.linalg.norm(motion.world()[0][frame, arm.upper] - at)))]
    found = []
    for arm in arms:
        own = place + np.array([0.0, arm.side * BESIDE_M if both else 0.0, 0.0])
        found.append((arm, positions[:, link] + rotation.rotate(turns[:, link], own)))
    return found


def _surface(body: Body, link: int, outward: Array) -> float:
    """m from inside of a link to its surface, in a direction of its own."""
    half = np.array(body.shapes[link].half_extents)
    return float(1.0 / np.linalg.norm(outward / half))
