"""Hands that stay on their prop: on a rail, a table or a wheel, where the clip has them; or on one thing that both hold."""

from __future__ import annotations

import numpy as np

from ... import rotation
from ...arrays import Array
from ...motion import Motion
from ...signals import envelope, smooth_step
from .arms import SIDES, Arm
from .scene import Scene

HELD = {"left": ("L",), "right": ("R",), "both": SIDES}
LETS_GO_S, HOLDS_M = 0.35, 0.005  # s before the body is back, in which a hand goes where the clip has it then; m that it may be off its place
GIVES_IN, GIVES_IN_S = np.linspace(0.0, 1.0, 9), 0.1  # shares of the way back of the trunk, that are tried, and s in which it goes there
SLIPS_S = 0.2  # s in which a hand lets go that cannot stay


def held(scene: Scene, motion: Motion, hands: str) -> tuple[Motion, str]:
    """The motion with hands that stay where they are to stay, and a sentence for the report where an arm does not reach."""
    places = _together(scene, motion) if hands == "together" else _in_place(scene, HELD[hands])
    motion, lost = _giving_in(scene, motion, places), False
    rotations = motion.rotations.copy()
    # From the hit on, and until the body is back where the clip may have moved to.
    frames = np.arange(motion.frames)
    share = scene.weight if scene.fell else ((frames > scene.first) & (frames < scene.back)) * (1.0 if hands == "together" else smooth_step(
        (scene.back - frames) / (LETS_GO_S * scene.fps)) if _moved(scene) else 1.0)
    for side, place in places.items():
        arm = Arm(scene.body, side)
        own, holds = arm.hand(motion), share > 0.0
        far = np.flatnonzero((arm.short_of(motion, place) > HOLDS_M) & holds)
        slips = smooth_step((int(far[0]) - np.arange(motion.frames)) / (SLIPS_S * scene.fps)) if len(far) else 1.0
        lost |= len(far) > 0
        reached = arm.reaching(motion, own + (share * slips)[:, None] * (place - own))
        rotations[holds, arm.upper], rotations[holds, arm.fore] = reached[holds, 0], reached[holds, 1]
    return (Motion(motion.skeleton, motion.fps, motion.root_positions, rotations),
            "A hand lets go of its prop, as the arm is too short to stay on it." if lost else "")


def _giving_in(scene: Scene, motion: Motion, places: dict[str, Array]) -> Motion:
    """The motion with a trunk that goes back to where the clip has it, as far as arms are else too short for their places."""
    torso, inside = scene.link("torso"), (np.arange(motion.frames) > scene.first) & (np.arange(motion.frames) < scene.back)

    def bent(back: Array) -> Motion:
        rotations = motion.rotations.copy()
        rotations[:, torso] = rotation.slerp(motion.rotations[:, torso], scene.clip.rotations[:, torso], back)
        return Motion(motion.skeleton, motion.fps, motion.root_positions, rotations)

    tried = [bent(np.full(motion.frames, share)) for share in GIVES_IN]
    short = np.array([[Arm(scene.body, side).short_of(one, place) for side, place in places.items()] for one in tried]).max(axis=1)
    enough = short <= np.maximum(short.min(axis=0), 0.5 * HOLDS_M)
    back = np.where(inside, GIVES_IN[enough.argmax(axis=0)], 0.0)
    return bent(np.where(inside, envelope(back, GIVES_IN_S * motion.fps), 0.0)) if back.any() else motion


def _moved(scene: Scene) -> bool:
    """Whether the body goes on from another place than the clip does."""
    at = min(scene.back, scene.motion.frames - 1)
    return bool(np.linalg.norm((scene.motion.root_positions - scene.clip.root_positions)[at]) > HOLDS_M)


def _in_place(scene: Scene, sides: tuple[str, ...]) -> dict[str, Array]:
    """(F, 3) m, world, of each hand: where the clip has it."""
    return {side: Arm(scene.body, side).hand(scene.clip) for side in sides}


def _together(scene: Scene, motion: Motion) -> dict[str, Array]:
    """The same of two hands that hold one thing: as far apart as in the clip, and along the trunk as there. The thing goes where they take it."""
    torso = scene.link("torso")
    turn = rotation.multiply(motion.world()[1][:, torso], rotation.conjugate(scene.clip.world()[1][:, torso]))
    arms = [Arm(scene.body, side) for side in SIDES]
    now, then = (np.stack([arm.hand(one) for arm in arms]) for one in (motion, scene.clip))
    half = 0.5 * rotation.rotate(turn, then[0] - then[1])
    middle = now.mean(axis=0)
    return {"L": middle + half, "R": middle - half}
