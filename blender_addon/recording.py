"""An action as a recording: what an armature shows while it plays it, on the skeleton of its own bones."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
from mathutils import Matrix

from ..core import rotation
from ..core.anatomy.bones import ABOVE, ARM, CHAINS, LEG, SIDES, SLOTS, BoneMap, Tree
from ..core.anatomy.recognise import recognise
from ..core.errors import RigError
from ..core.formats import Clip
from ..core.motion import Motion
from ..core.skeleton import Skeleton
from . import mapping
from .animation import ALL, Animation, frames_of, of_action
from .playback import Playback
from .rig.fit import fit
from .rig.read import bone_ends, read_bones

# The part of the body that each part hangs on.
HANGS_ON = {"torso": "pelvis", "head": "torso", **ABOVE}
HANGS_ON |= {f"{part}.{side}": trunk for part, trunk in ((ARM[0], "torso"), (LEG[0], "pelvis")) for side in SIDES}
STRAY = 0.01  # m by which a joint may move against the bone that it hangs on before that is worth a word


class Recorder:
    """Reads an animation, in slices where that goes frame by frame (see ``playback``), and makes a clip of it.

    A character that is no person's size is scaled to one, as when it is simulated. Bones outside of the body are left out: controls may
    go anywhere, and fingers and faces are not simulated.
    """

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object, animation: Animation, first: int, last: int):
        """The frames ``first`` to ``last`` of the scene, both included. A FootfallError says why it cannot be read."""
        _check(context, armature, animation)
        bone_map = _bone_map(armature)
        self.name, self._armature = animation.action or armature.name, armature.name
        self._scale = fit(read_bones(armature), bone_map, base=armature.matrix_world.translation.z).placement.scale
        self._above = _joints(armature, bone_map)
        self._fps = context.scene.render.fps / context.scene.render.fps_base
        self._playback = Playback(armature, animation, self._above, range(first, last + 1))

    @property
    def fraction(self) -> float:
        """Done, 0–1."""
        return self._playback.fraction

    def go_on(self, seconds: float = ALL) -> bool:
        """Read on for about so long; whether all is read."""
        return self._playback.go_on(seconds)

    def clip(self) -> Clip:
        """Once all is read."""
        armature, world = bpy.data.objects[self._armature], Matrix(self._playback.worlds[0])
        matrices = np.stack([self._playback.worlds @ self._playback.matrices[name] for name in self._above], axis=1)
        resting, tips = [world @ armature.data.bones[name].matrix_local for name in self._above], bone_ends(armature)
        ends = [world @ tips[name] for name in self._above]
        return _clip(self.name, self._fps, self._above, matrices, resting, ends, self._scale)


def record(context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action) -> Clip:
    """Play an action and write down where the bones of the body are on every frame of the scene, with constraints and with what the
    armature object does itself. Scene, pose and action are as before when this returns."""
    recorder = Recorder(context, armature, of_action(armature, action), *frames_of(action))
    recorder.go_on()
    return recorder.clip()


def _check(context: bpy.types.Context, armature: bpy.types.Object, animation: Animation) -> None:
    data = armature.animation_data
    if armature.mode == "EDIT":
        raise RigError(f"'{armature.name}' is in Edit Mode: leave it first (Tab).")
    if data and data.use_tweak_mode:
        raise RigError(f"'{armature.name}' is in Tweak Mode: leave it first (Tab in the NLA editor).")
    if armature.name not in context.view_layer.objects or not armature.visible_get():
        raise RigError(f"'{armature.name}' is hidden, so that it does not move: show it first.")
    if armature.library and animation.action and not (data and data.action == bpy.data.actions[animation.action]):
        raise RigError(f"'{armature.name}' is linked from '{armature.library.name}' and plays only its own action: "
                       "make a library override of it first (Object > Library Override > Make).")
    if armature.matrix_world.determinant() <= 0.0:
        raise RigError(f"'{armature.name}' is mirrored or flattened by its scale: apply the scale first (Ctrl A).")


def _bone_map(armature: bpy.types.Object) -> BoneMap:
    """As it is remembered, or as it is recognised now; nothing is written, as the armature may be a linked one."""
    if armature.footfall.bone_map:
        return mapping.bone_map(armature)
    found = recognise(read_bones(armature))
    if not found.usable:
        raise RigError(found.summary)
    return found.map


def _joints(armature: bpy.types.Object, bone_map: BoneMap) -> dict[str, str | None]:
    """The bones of the body, parents first, and the one that each hangs on: by the armature where that tells, else by anatomy."""
    tree = Tree(read_bones(armature))
    root = bone_map.bones["pelvis"][0]
    above: dict[str, str | None] = {root: None}
    for slot in SLOTS:
        before = root if slot == "pelvis" else _by_anatomy(bone_map, slot)
        for name in bone_map.bones.get(slot, ()):
            path = tree.path(root, name)
            for upper, lower in pairwise(path):
                above.setdefault(lower, upper)
            if name not in above:
                above[name] = next((upper for upper in tree.up(name) if upper in above), before)
            before = name
    return above


def _by_anatomy(bone_map: BoneMap, slot: str) -> str:
    """The bone that a part of the body hangs on; where parts are missing, the nearest one further in."""
    while not bone_map.bones.get(HANGS_ON[slot]):
        slot = HANGS_ON[slot]
    return bone_map.bones[HANGS_ON[slot]][-1 if HANGS_ON[slot] in CHAINS else 0]


def _clip(name: str, fps: float, above: dict[str, str | None], matrices: np.ndarray, resting: list, ends: list, scale: float) -> Clip:
    """F frames of J bones, in the order of ``above``.

    Args:
        matrices: (F, J, 4, 4) world; resting: J of them, at rest in the first frame's place.
        ends: J world points, where the bones end at rest.
        scale: Blender units a metre.
    """
    names, notes = tuple(above), []
    parents = [-1 if upper is None else names.index(upper) for upper in above.values()]
    heads = matrices[..., :3, 3] / scale
    axes = matrices[..., :3, :3]
    turns = rotation.from_matrix(axes / np.linalg.norm(axes, axis=-2, keepdims=True))
    orientations = rotation.multiply(turns, rotation.conjugate(np.array([matrix.to_quaternion() for matrix in resting])))
    offsets, rotations = np.zeros((len(names), 3)), orientations.copy()
    for joint, parent in enumerate(parents[1:], start=1):
        back = rotation.conjugate(orientations[:, parent])
        away = rotation.rotate(back, heads[:, joint] - heads[:, parent])
        offsets[joint] = np.median(away, axis=0)
        rotations[:, joint] = rotation.multiply(back, orientations[:, joint])
        stray = np.linalg.norm(away - offsets[joint], axis=-1).max()
        if stray > STRAY:
            notes.append(f"Bone '{names[joint]}' moves by {100 * stray:.0f} cm against '{names[parent]}': it is kept at one distance.")
    tips = {bone: np.array(end - matrix.translation) / scale
            for joint, (bone, matrix, end) in enumerate(zip(names, resting, ends, strict=True)) if joint not in parents}
    motion = Motion(Skeleton(names, parents, offsets), fps, heads[:, 0], rotation.normalize(rotation.make_continuous(rotations)))
    return Clip(motion, name, tips, notes=notes)
