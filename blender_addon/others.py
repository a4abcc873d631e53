"""Other characters of the scene, as their last bakes move them: in the way of one that is simulated, or too near to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from ..core import presets, rotation
from ..core.body import Body
from ..core.errors import FootfallError
from ..core.motion import Motion
from ..core.others import MOVING
from ..core.result import Result
from .rig.fit import Placement
from .spaces import placement_in, space_of
from .span import Span

NEAR = 0.5  # m between two pelves, over the ground, below which bodies meet
TOUCH = 0.12  # m between a joint of one and a joint of the other, below which limbs are in each other


@dataclass(frozen=True)
class Baked:
    """Another character: its name, its body, and its motion in frames ``frame`` + ``step`` · n of the scene, placed where it was simulated."""

    name: str
    body: Body
    motion: Motion
    placement: Placement
    frame: float
    step: float

    def at(self, frames: np.ndarray, placement: Placement) -> tuple[np.ndarray, np.ndarray]:
        """(F, L, 3) m and (F, L, 4) of its links on ``frames`` (F,) of the scene, in the simulated world that ``placement`` places. Before its bake
        and after it, it stands still."""
        roots, turns = self.motion.sample((frames - self.frame) / self.step / self.motion.fps)
        positions, orientations = self.motion.skeleton.forward_kinematics(roots, turns)
        turn = rotation.multiply(rotation.conjugate(placement.turn), self.placement.turn)
        return placement.to_job(self.placement.to_world(positions)), rotation.multiply(turn, orientations)


def in_the_way(scene: bpy.types.Scene, armature: bpy.types.Object, placement: Placement, span: Span) -> list[dict]:
    """The other characters as obstacles of a job that begins at ``placement`` and covers ``span``."""
    found, frames = [], np.arange(span.first, span.last + 1, dtype=float)
    for other in _others(scene, armature):
        positions, turns = other.at(frames, placement)
        size = other.placement.scale / placement.scale
        parts = [{"kind": shape.kind, **{key: (size * np.array(getattr(shape, key))).round(4).tolist() for key in ("size", "center")}}
                 for shape in other.body.shapes]
        found.append({"type": MOVING, "name": other.name, "fps": span.fps, "parts": parts,
                      "positions": positions.round(4).tolist(), "rotations": turns.round(5).tolist()})
    return found


def sentence(scene: bpy.types.Scene, armature: bpy.types.Object, placement: Placement, result: Result, first: float, step: float) -> str:
    """What a bake has to do with other characters: whom it bumps into, and whom it comes too near to; "" where it meets nobody.

    ``first``: the scene's frame of the result's first. ``step``: scene frames from one result frame to the next."""
    bumped = result.outcome.get("bumped_s", {})
    said = [f" Bumps into '{name}' at frame {round(first + step * time * result.fps)}." for name, time in bumped.items()]
    frames = first + step * np.arange(result.frames)
    joints = Motion(_body(result).skeleton, result.fps, result.root_positions, result.rotations).world()[0]
    for other in _others(scene, armature):
        felt = any(item.get("name") == other.name for item in result.job.get("obstacles", []) if item.get("type") == MOVING)
        theirs = other.at(frames, placement)[0]
        apart = np.linalg.norm(joints[:, 0, :2] - theirs[:, 0, :2], axis=1)
        nearest = np.linalg.norm(joints[:, :, None] - theirs[:, None], axis=-1).min(axis=(1, 2))
        meets = (apart < NEAR) | (nearest < TOUCH)
        if meets.any() and not felt:
            worst = int(np.argmin(np.where(meets, apart, np.inf)))
            said.append(f" '{armature.name}' and '{other.name}' meet: their hips are {apart[worst]:.1f} m apart at frame {round(frames[worst])}. "
                        "Move one of them, or turn Others Are in the Way on.")
    return "".join(said)


def _others(scene: bpy.types.Scene, armature: bpy.types.Object) -> Iterator[Baked]:
    """Those that play their last bake. One that walks in place has no way of its own; one whose result is gone cannot be known."""
    for other in scene.objects:
        if other.type != "ARMATURE" or other == armature or other.hide_render or not _plays_bake(other):
            continue
        bake = other.footfall.bake
        try:
            result = Result.load(Path(bpy.path.abspath(bake.result)))
        except FootfallError:
            continue
        body = _body(result)
        motion = Motion(body.skeleton, result.fps, result.root_positions, result.rotations)
        yield Baked(other.name, body, motion, placement_in(space_of(other, bake)), bake.frame, bake.step)


def _body(result: Result) -> Body:
    return presets.body(result.job["body"])


def _plays_bake(character: bpy.types.Object) -> bool:
    bake, data = character.footfall.bake, character.animation_data
    if not bake.result or bake.action is None or bake.looped or data is None:
        return False
    strips = (strip for track in data.nla_tracks if not track.mute for strip in track.strips)
    return data.action == bake.action or any(strip.action == bake.action for strip in strips)
