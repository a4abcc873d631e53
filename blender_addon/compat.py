"""What differs between Blender 3.4, 4.2, 4.5 and 5.x, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import bpy

KEY_ENUMS = ("interpolation", "easing", "handle_left_type", "handle_right_type")
KEY_FIELDS = {"co": 2, "handle_left": 2, "handle_right": 2, "amplitude": 1, "back": 1, "period": 1, **dict.fromkeys(KEY_ENUMS, 1)}  # values each


def material(name: str, color: tuple[float, float, float, float]) -> bpy.types.Material:
    """The material of that name, made in that colour where it is missing."""
    found = bpy.data.materials.get(name)
    if found:
        return found
    made = bpy.data.materials.new(name)
    made.diffuse_color = color
    if bpy.app.version < (5, 0, 0):
        made.use_nodes = True  # since 5.0 every material has nodes
    shader = next((node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED"), None)
    if shader:
        shader.inputs["Base Color"].default_value = color
        shader.inputs["Roughness"].default_value = 0.45
    return made


def new_action(name: str, owner: bpy.types.Object) -> tuple[bpy.types.Action, Callable[[str, int, str], bpy.types.FCurve]]:
    """An empty Action for an object, and a function (data path, index, group) that adds an F-curve to it."""
    action = bpy.data.actions.new(name)
    if bpy.app.version < (4, 4, 0):
        return action, lambda path, index, group: action.fcurves.new(path, index=index, action_group=group)
    slot = action.slots.new(id_type="OBJECT", name=owner.name)
    bag = action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)

    def add(path: str, index: int, group: str) -> bpy.types.FCurve:
        curve = bag.fcurves.new(path, index=index)
        curve.group = bag.groups.get(group) or bag.groups.new(group)
        return curve

    return action, add


def assign_action(owner: bpy.types.Object, action: bpy.types.Action | None, slot: object = None) -> None:
    """Make an Action the one that animates the object, with that slot of it or the first that fits."""
    data = owner.animation_data or owner.animation_data_create()
    data.action = action
    if bpy.app.version >= (4, 4, 0) and action is not None:
        fitting = slot or next(iter(data.action_suitable_slots), None)
        if fitting:
            data.action_slot = fitting


def assigned_action(owner: bpy.types.Object) -> tuple[bpy.types.Action | None, object]:
    """The Action that animates the object and its slot, as ``assign_action`` takes them."""
    data = owner.animation_data
    return (None, None) if data is None else (data.action, getattr(data, "action_slot", None))


def action_curves(action: bpy.types.Action) -> list[bpy.types.FCurve]:
    """All F-curves of an Action."""
    if bpy.app.version < (4, 4, 0):
        return list(action.fcurves)
    return [curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves]


def find_curve(owner: bpy.types.ID, path: str, index: int) -> bpy.types.FCurve | None:
    """The F-curve that animates a property of an object, if there is one."""
    return next((curve for curve in curves_of(owner) if curve.data_path == path and curve.array_index == index), None)


def curves_of(owner: bpy.types.ID) -> list[bpy.types.FCurve]:
    """The F-curves of the Action that animates an object, without those that animate others."""
    data = owner.animation_data
    if data is None or data.action is None:
        return []
    if bpy.app.version < (4, 4, 0):
        return list(data.action.fcurves)
    bags = [strip.channelbag(data.action_slot) for layer in data.action.layers for strip in layer.strips] if data.action_slot else []
    return [curve for bag in bags if bag for curve in bag.fcurves]


def curves_for(owner: bpy.types.Object, action: bpy.types.Action) -> list[bpy.types.FCurve]:
    """The F-curves by which an Action animates an object, or would if it were assigned as ``assign_action`` does."""
    data = owner.animation_data
    if bpy.app.version < (4, 4, 0):
        return list(action.fcurves)
    if data and data.action == action:
        return curves_of(owner)
    slot = next((slot for slot in action.slots if slot.target_id_type in ("OBJECT", "UNSPECIFIED")), None)
    bags = [strip.channelbag(slot) for layer in action.layers for strip in layer.strips] if slot else []
    return [curve for bag in bags if bag for curve in bag.fcurves]


def copy_curve(curve: bpy.types.FCurve, action: bpy.types.Action) -> None:
    """Add a copy of an F-curve to an Action of ours, which has one slot."""
    group = curve.group.name if curve.group else ""
    if bpy.app.version < (4, 4, 0):
        copy = action.fcurves.new(curve.data_path, index=curve.array_index, action_group=group)
    else:
        bag = action.layers[0].strips[0].channelbags[0]
        copy = bag.fcurves.new(curve.data_path, index=curve.array_index)
        if group:
            copy.group = bag.groups.get(group) or bag.groups.new(group)
    count = len(curve.keyframe_points)
    copy.keyframe_points.add(count)
    for field, size in KEY_FIELDS.items():
        values = [0] * (size * count) if field in KEY_ENUMS else [0.0] * (size * count)
        curve.keyframe_points.foreach_get(field, values)
        copy.keyframe_points.foreach_set(field, values)
    copy.extrapolation, copy.mute = curve.extrapolation, curve.mute
    for modifier in curve.modifiers:
        _copy_settings(modifier, copy.modifiers.new(modifier.type))
    copy.update()


def _copy_settings(source: bpy.types.FModifier, target: bpy.types.FModifier) -> None:
    for item in source.bl_rna.properties:
        if not item.is_readonly:
            setattr(target, item.identifier, getattr(source, item.identifier))


def selected_bones(armature: bpy.types.Object) -> list[str]:
    """Names of the selected bones, in whatever mode the armature is."""
    bones = armature.data.bones if bpy.app.version < (5, 0, 0) else armature.pose.bones
    return [bone.name for bone in bones if bone.select]


def progress(layout: bpy.types.UILayout, fraction: float, text: str) -> None:
    """A progress bar (fraction: done, 0–1); before 4.0, which had none, one made of letters."""
    if bpy.app.version < (4, 0, 0):
        done = round(12 * fraction)
        layout.label(text=f"{'▮' * done}{'▯' * (12 - done)} {fraction:.0%}, {text}", icon="TIME")
    else:
        layout.progress(factor=fraction, text=f"{fraction:.0%}, {text}" if text else f"{fraction:.0%}")
