"""Foot pressure under a character: a square for each sensor, in the sole of the foot or on the floor, in the colours of pictures of pressure."""

from __future__ import annotations

import json
from functools import lru_cache

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ...core.errors import FootfallError
from ...core.pressure.picture import colours_of
from ...core.pressure.underfoot import Underfoot, in_units
from ..files import found
from ..spaces import space_of

LIFT = 0.004  # m on a person over the sole or the floor, so that it does not flicker
FELT, UNFELT = 0.95, 0.15  # opacity of a sensor that feels something, and of one of insoles that feels nothing
BEHIND = 0.75  # of that, where something is in front of it: the shoe that stands on it, above all


def is_current(character: bpy.types.Object) -> bool:
    """Whether what is kept is of what the character plays now."""
    kept, data = character.footfall.underfoot, character.animation_data
    return not kept.bound or kept.action == (data.action if data else None)


def squares(scene: bpy.types.Scene, character: bpy.types.Object) -> tuple[np.ndarray, np.ndarray] | None:
    """The corners (N, 4, 3), world, and colours (N, 4) of what is felt on the frame that is shown; None where there is nothing to draw."""
    kept = character.footfall.underfoot
    shown = load(character) if kept.file and is_current(character) else None
    if shown is None:
        return None
    time = (scene.frame_current_final - kept.frame) / kept.fps
    felt = shown.underfoot.at(time)
    if felt is None:
        return None
    pressed = felt > 0.0
    colours = np.concatenate([colours_of(felt / shown.peak) / 255.0, np.where(pressed, FELT, UNFELT)[:, None]], axis=1).astype(np.float32)
    if len(shown.underfoot.feet):
        return (shown.shares @ _soles_now(character, shown)).astype(np.float32), colours
    space = np.array(space_of(character, kept))
    corners = shown.underfoot.on_floor[pressed] + (*(time * shown.underfoot.belt), LIFT)
    return (corners @ space[:3, :3].T + space[:3, 3]).astype(np.float32), colours[pressed]


def meanings(scene: bpy.types.Scene, character: bpy.types.Object) -> dict[str, tuple[float, float, float, float]]:
    """What colours are for, and those colours; nothing where nothing is drawn."""
    if squares(scene, character) is None:
        return {}
    shown = load(character)
    return {f"Foot pressure of {text}{in_units(share * shown.peak, shown.underfoot.calibrated)}": (*(colours_of(np.array([share]))[0] / 255.0), FELT)
            for share, text in ((1.0, "at least "), (0.5, ""), (0.1, ""))}


def draw(scene: bpy.types.Scene, character: bpy.types.Object) -> None:
    found_ = squares(scene, character)
    if found_ is None or not len(found_[0]):
        return
    corners, colours = found_
    first = 4 * np.arange(len(corners), dtype=np.int32)[:, None]
    triangles = np.concatenate([first + (0, 1, 2), first + (0, 2, 3)]).astype(np.int32)
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    for test, opacity in (("NONE", BEHIND), ("LESS_EQUAL", 1.0)):
        gpu.state.depth_test_set(test)
        shader.bind()
        painted = np.repeat(colours * np.array((1.0, 1.0, 1.0, opacity), dtype=np.float32), 4, axis=0)
        batch_for_shader(shader, "TRIS", {"pos": corners.reshape(-1, 3), "color": painted}, indices=triangles).draw(shader)
    gpu.state.depth_test_set("NONE")


class Shown:
    """What is kept with a character, read once.

    Attributes:
        underfoot: the pressures. peak: what the last colour is for. bones: names of those that the corners of the soles move with.
        corners: (C, 4) of the soles at rest, armature's axes. shares: (S, 4, C) of insoles, see ``Underfoot.shares``.
    """

    def __init__(self, path: str, soles: str):
        self.underfoot = Underfoot.load(path)
        self.peak = max(self.underfoot.usual_peak, 1e-9)
        placed = json.loads(soles)
        self.bones = [bone for bone, _ in placed]
        places = np.array([place for _, place in placed])
        self.corners = np.concatenate([places, np.ones((len(places), 1))], axis=1)
        self.shares = self.underfoot.shares(places.reshape(2, -1, 3))


def load(character: bpy.types.Object) -> Shown | None:
    """None where it is not to be had."""
    kept = character.footfall.underfoot
    path = found(kept.file)
    try:
        return _load(str(path), path.stat().st_mtime_ns, kept.soles)
    except (OSError, FootfallError, ValueError):
        return None


@lru_cache(maxsize=16)
def _load(path: str, _: int, soles: str) -> Shown:
    return Shown(path, soles)


def _soles_now(character: bpy.types.Object, shown: Shown) -> np.ndarray:
    """(C, 3) world: where the corners of the soles are, as the character is posed."""
    bones, world = character.pose.bones, np.array(character.matrix_world)
    moved = {}
    for name in set(shown.bones):
        bone = bones.get(name)
        moved[name] = world @ (np.array(bone.matrix) @ np.linalg.inv(np.array(bone.bone.matrix_local)) if bone else np.eye(4))
    now = np.array([(moved[name] @ corner)[:3] for name, corner in zip(shown.bones, shown.corners, strict=True)])
    return now + (0.0, 0.0, LIFT * float(np.linalg.norm(world[:3, 2])))
