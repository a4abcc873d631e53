"""Footing: a body that is played is put on its feet again."""

from __future__ import annotations

import numpy as np

from ... import feet, rotation
from ...arrays import Array
from ...feet import legs
from ...measure.limits import excess
from ...motion import Motion
from ...signals import envelope
from .scene import Scene
from .steps import Steps

LEGS = ("thigh", "shin", "foot")
BACK = np.linspace(0.0, 1.0, 6)  # shares of the way back to where physics has the pelvis, that are tried
STRAINED = np.radians(2.0)  # rad by which a joint of a leg may be further beyond its limits than physics has it
EVENED_S = 0.15  # s in which the pelvis gets there


def on_its_feet(scene: Scene, played: Motion, steps: Steps) -> Motion:
    """The motion with each foot where physics has it, or where its step is moved to; before the hit and after the return all is as it was.

    The pelvis goes back to where physics has it as far as legs would else have to bend beyond their limits."""
    body, before = scene.body, scene.motion
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    (places, turns), flat = before.world(), np.zeros((before.frames, 1))
    root = np.concatenate([steps.root, flat], axis=1)
    goals = places[:, ankles] + np.concatenate([steps.shifts, np.repeat(flat[:, None], 2, axis=1)], axis=2)
    bends, both = rotation.hinge_angle(before.rotations[:, toes]), np.ones((before.frames, 2), dtype=bool)
    # Where physics has legs that are too short, they may be so.
    usual = legs.lowered(body, before, places[:, ankles], both).root_positions[:, 2] - before.root_positions[:, 2]

    def standing(back: Array) -> Motion:
        pelvis = Motion(before.skeleton, before.fps,
                        played.root_positions + back[:, None] * (before.root_positions - played.root_positions) + root,
                        _pelvis_turned(played.rotations, rotation.slerp(played.rotations[:, 0], before.rotations[:, 0], back)))
        sinks = np.minimum(0.0, legs.lowered(body, pelvis, goals, both).root_positions[:, 2] - pelvis.root_positions[:, 2] - usual)
        return legs.reaching(body, pelvis.displace(np.outer(sinks, (0.0, 0.0, 1.0))), goals, turns[:, ankles], bends)

    own = [link for link, name in enumerate(body.names) if name.startswith(LEGS)]

    def strain(motion: Motion) -> Array:
        return np.maximum(excess(motion.rotations[:, own], body.limits[own]).max(axis=-1), 0.0)

    allowed = strain(before) + STRAINED
    found = standing(np.zeros(before.frames))
    if (strain(found) > allowed).any():
        sound = np.stack([(strain(standing(np.full(before.frames, share))) <= allowed).all(axis=1) for share in BACK])
        back = np.where(sound.any(axis=0), BACK[sound.argmax(axis=0)], 1.0)
        found = standing(envelope(back, EVENED_S * before.fps))
    roots, rotations = found.root_positions.copy(), found.rotations.copy()
    frames = np.arange(before.frames)
    same = (frames <= scene.first) | (frames >= max(scene.back, steps.over)) | ((scene.weight == 0.0) & scene.fell)
    roots[same], rotations[same] = (before.root_positions + root)[same], before.rotations[same]
    return Motion(before.skeleton, before.fps, roots, rotation.make_continuous(rotations))


def _pelvis_turned(rotations: Array, pelvis: Array) -> Array:
    found = rotations.copy()
    found[:, 0] = pelvis
    return found
