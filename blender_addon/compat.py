"""What differs between Blender 3.4, 4.2, 4.5 and 5.x, and nothing else."""

from __future__ import annotations

import bpy
import gpu

# Whether what is drawn as the cursors of brushes are can be anywhere in a window; in 3.4 it is cut off at the region under the mouse.
DRAWS_ANYWHERE = hasattr(gpu.state, "scissor_set")

KEY_ENUMS = ("interpolation", "easing", "type")
KEY_HANDLES = ("handle_left_type", "handle_right_type")
HANDLES = ("FREE", "AUTO", "VECTOR", "ALIGNED", "AUTO_CLAMPED")  # a new key has the last
KEY_FIELDS = {"co": 2, "handle_left": 2, "handle_right": 2, "amplitude": 1, "back": 1, "period": 1,
              **dict.fromkeys((*KEY_ENUMS, *KEY_HANDLES), 1)}  # values each


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


# Of a property with the path of a file: it may begin with "//", the folder of the .blend. Before 5.0 every one may.
FILE_OPTIONS = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (5, 0, 0) else set()

Curves = object  # where F-curves of one owner are: an Action before 4.4, a channelbag of one since


def new_action(name: str, owner: bpy.types.Object) -> tuple[bpy.types.Action, Curves]:
    """An empty Action for an object, and the place of its F-curves."""
    action = bpy.data.actions.new(name)
    if bpy.app.version < (4, 4, 0):
        return action, action
    return action, place_of_curves(action, action.slots.new(id_type="OBJECT", name=owner.name))


def copy_action(action: bpy.types.Action, slot: object, name: str) -> tuple[bpy.types.Action, object]:
    """A copy of an Action with all that it animates, and its slot that is this one's copy."""
    copy = action.copy()
    copy.name, copy.use_fake_user = name, False
    return copy, copy.slots[slot.identifier] if slot else None


def place_of_curves(action: bpy.types.Action, slot: object) -> Curves:
    """Where an Action has the F-curves of a slot."""
    if bpy.app.version < (4, 4, 0):
        return action
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def places_of_curves(action: bpy.types.Action) -> list[Curves]:
    """Those of all slots of an Action."""
    if bpy.app.version < (4, 4, 0):
        return [action]
    return [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]


def add_curve(curves: Curves, path: str, index: int, group: str) -> bpy.types.FCurve:
    if bpy.app.version < (4, 4, 0):
        return curves.fcurves.new(path, index=index, action_group=group)
    curve = curves.fcurves.new(path, index=index)
    if group:
        curve.group = curves.groups.get(group) or curves.groups.new(group)
    return curve


def remove_curves(curves: Curves, path: str) -> None:
    """Take the F-curves with that data path out."""
    for curve in [curve for curve in curves.fcurves if curve.data_path == path]:
        curves.fcurves.remove(curve)


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
    return [curve for place in places_of_curves(action) for curve in place.fcurves]


def find_curve(owner: bpy.types.ID, path: str, index: int) -> bpy.types.FCurve | None:
    """The F-curve that animates a property of an object, if there is one."""
    return next((curve for curve in curves_of(owner) if curve.data_path == path and curve.array_index == index), None)


def curves_of(owner: bpy.types.ID) -> list[bpy.types.FCurve]:
    """The F-curves of the Action that animates an object, without those that animate others."""
    data = owner.animation_data
    return [] if data is None or data.action is None else curves_for(owner, data.action)


def slot_for(owner: bpy.types.Object, action: bpy.types.Action) -> object:
    """The slot of an Action that animates an object, or would if it were assigned as ``assign_action`` does; None before 4.4, which had none."""
    if bpy.app.version < (4, 4, 0):
        return None
    if owner.animation_data and owner.animation_data.action == action:
        return owner.animation_data.action_slot
    return next((slot for slot in action.slots if slot.target_id_type in ("OBJECT", "UNSPECIFIED")), None)


def curves_for(owner: bpy.types.Object, action: bpy.types.Action) -> list[bpy.types.FCurve]:
    """The F-curves by which an Action animates an object, or would if it were assigned."""
    if bpy.app.version < (4, 4, 0):
        return list(action.fcurves)
    slot = slot_for(owner, action)
    bags = [strip.channelbag(slot) for layer in action.layers for strip in layer.strips] if slot else []
    return [curve for bag in bags if bag for curve in bag.fcurves]


def read_keys(curve: bpy.types.FCurve) -> dict[str, list]:
    """The fields of all keys of an F-curve, as ``write_keys`` takes them: a flat list each, with KEY_FIELDS values for a key."""
    keys, found = curve.keyframe_points, {}
    for field, size in KEY_FIELDS.items():
        if field in KEY_HANDLES:  # before 4.0 these come as garbage when they are read all at once
            found[field] = [HANDLES.index(getattr(key, field)) for key in keys]
            continue
        found[field] = [0 if field in KEY_ENUMS else 0.0] * (size * len(keys))
        keys.foreach_get(field, found[field])
    return found


def write_keys(curve: bpy.types.FCurve, fields: dict[str, list]) -> None:
    """Into an F-curve that has none."""
    keys = curve.keyframe_points
    keys.add(len(fields["interpolation"]))
    for field, values in fields.items():
        if field not in KEY_HANDLES:
            keys.foreach_set(field, values)
            continue
        for key, kind in zip(keys, values, strict=True):
            if HANDLES[kind] != getattr(key, field):
                setattr(key, field, HANDLES[kind])


def copy_curve(curve: bpy.types.FCurve, curves: Curves) -> bpy.types.FCurve:
    """Add a copy of an F-curve."""
    copy = add_curve(curves, curve.data_path, curve.array_index, curve.group.name if curve.group else "")
    write_keys(copy, read_keys(curve))
    copy.extrapolation, copy.mute = curve.extrapolation, curve.mute
    for modifier in curve.modifiers:
        _copy_settings(modifier, copy.modifiers.new(modifier.type))
    copy.update()
    return copy


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
