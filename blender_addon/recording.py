"""An action as a recording: what an armature shows while it plays it, on the skeleton of its own bones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import bpy
import numpy as np

from ..core import rotation
from ..core.anatomy.bones import ABOVE, ARM, CHAINS, LEG, SIDES, SLOTS, BoneMap, Tree
from ..core.anatomy.recognise import recognise
from ..core.errors import FormatError, RigError
from ..core.formats import Clip
from ..core.motion import Motion
from ..core.skeleton import Skeleton
from . import compat, mapping
from .rig.fit import fit
from .rig.read import bone_ends, read_bones

# The part of the body that each part hangs on.
HANGS_ON = {"torso": "pelvis", "head": "torso", **ABOVE}
HANGS_ON |= {f"{part}.{side}": trunk for part, trunk in ((ARM[0], "torso"), (LEG[0], "pelvis")) for side in SIDES}
STRAY = 0.01  # m by which a joint may move against the bone that it hangs on before that is worth a word


def record(context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action) -> Clip:
    """Play an action and write down where the bones of the body are on every frame of the scene, with constraints and with what the
    armature object does itself. Scene, pose and action are as before when this returns.

    A character that is no person's size is scaled to one, as when it is simulated. Bones outside of the body are left out: controls may
    go anywhere, and fingers and faces are not simulated."""
    _check(context, armature, action)
    first, last = (round(frame) for frame in action.frame_range)
    if last <= first or not compat.action_curves(action):
        raise FormatError(f"The action '{action.name}' holds a pose and no motion: choose one with two frames or more.")
    bone_map = _bone_map(armature)
    scale = fit(read_bones(armature), bone_map, base=armature.matrix_world.translation.z).placement.scale
    above = _joints(armature, bone_map)
    scene = context.scene
    with playing(scene, armature, action):
        matrices = []
        for frame in range(first, last + 1):
            scene.frame_set(frame)
            if frame == first:
                world = armature.matrix_world.copy()
                resting = [world @ armature.data.bones[name].matrix_local for name in above]
            matrices.append([armature.matrix_world @ armature.pose.bones[name].matrix for name in above])
    tips = bone_ends(armature)
    ends = [world @ tips[name] for name in above]
    return _clip(action.name, scene.render.fps / scene.render.fps_base, above, matrices, resting, ends, scale)


def _check(context: bpy.types.Context, armature: bpy.types.Object, action: bpy.types.Action) -> None:
    data = armature.animation_data
    if armature.mode == "EDIT":
        raise RigError(f"'{armature.name}' is in Edit Mode: leave it first (Tab).")
    if data and data.use_tweak_mode:
        raise RigError(f"'{armature.name}' is in Tweak Mode: leave it first (Tab in the NLA editor).")
    if armature.name not in context.view_layer.objects or not armature.visible_get():
        raise RigError(f"'{armature.name}' is hidden, so that it does not move: show it first.")
    if armature.library and not (data and data.action == action):
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


@contextmanager
def playing(scene: bpy.types.Scene, armature: bpy.types.Object, action: bpy.types.Action) -> Iterator[None]:
    """Let the armature play the action, and nothing else where it is not the one that it plays anyway."""
    had_data, shown = armature.animation_data is not None, (scene.frame_current, scene.frame_subframe)
    data = armature.animation_data or armature.animation_data_create()
    other = data.action != action
    kept = [] if armature.library else _animated_values(armature, {*filter(None, (data.action, action))})
    before, layered, position = compat.assigned_action(armature), data.use_nla, armature.data.pose_position
    try:
        if other:
            data.use_nla = False
            compat.assign_action(armature, action)
        if position != "POSE":
            armature.data.pose_position = "POSE"
        yield
    finally:
        if other:
            compat.assign_action(armature, *before)
            data.use_nla = layered
        if position != "POSE":
            armature.data.pose_position = position
        scene.frame_set(shown[0], subframe=shown[1])
        for path, value in kept:
            _set(armature, path, value)
        if not had_data:
            armature.animation_data_clear()
        bpy.context.view_layer.update()


def _animated_values(owner: bpy.types.Object, actions: set[bpy.types.Action]) -> list[tuple[str, object]]:
    """The present value of everything that these actions animate, keyed since or not."""
    values = []
    for path in sorted({curve.data_path for action in actions for curve in compat.action_curves(action)}):
        try:
            value = owner.path_resolve(path)
        except ValueError:  # of a bone or a property that is not there
            continue
        values.append((path, tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value))
    return values


def _set(owner: bpy.types.Object, path: str, value: object) -> None:
    if path.endswith('"]'):  # a custom property
        holder, _, key = path[:-2].rpartition('["')
        (owner.path_resolve(holder) if holder else owner)[bpy.utils.unescape_identifier(key)] = value
        return
    holder, _, name = path.rpartition(".")
    setattr(owner.path_resolve(holder) if holder else owner, name, value)


def _clip(name: str, fps: float, above: dict[str, str | None], matrices: list[list], resting: list, ends: list, scale: float) -> Clip:
    """F frames of J bones, in the order of ``above``.

    Args:
        matrices: F lists of J world matrices (4×4); resting: J of them, at rest in the first frame's place.
        ends: J world points, where the bones end at rest.
        scale: Blender units a metre.
    """
    names, notes = tuple(above), []
    parents = [-1 if upper is None else names.index(upper) for upper in above.values()]
    heads = np.array([[matrix.translation for matrix in row] for row in matrices]) / scale
    turns = np.array([[matrix.to_quaternion() for matrix in row] for row in matrices])
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
