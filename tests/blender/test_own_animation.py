"""Hits on what a character plays itself: before the hit it is that animation, with all that belongs to it, and again where the body has recovered."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from footfall.blender_addon import compat
from mathutils import Quaternion

from tests.blender.mannequins import add_bone, empty_scene, mannequin
from tests.cases import quick

HIT, LAST = 23, 60
RIGS = Path(__file__).resolve().parents[3] / "shared" / "rigs"
MILLIMETRES, DEGREES = 0.5, 0.1  # that a bone may be off, in the world
IMPORTED = [("Soldier", "Idle"), ("Soldier", "Walk"), ("Soldier", "Run"), ("Soldier", "TPose"), ("Michelle", "SambaDance"), ("Michelle", "TPose")]


def shown(rig, frames) -> np.ndarray:
    """(F, bones, 4, 4) world matrices."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame // 1), subframe=frame % 1)
        found.append([rig.matrix_world @ bone.matrix for bone in rig.pose.bones])
    return np.array(found)


def off(now: np.ndarray, before: np.ndarray) -> tuple[float, float]:
    """mm and degrees by which bones differ most."""
    axes = [matrices[..., :3, :3] / np.linalg.norm(matrices[..., :3, :3], axis=-2, keepdims=True) for matrices in (now, before)]
    apart = np.linalg.norm(axes[0] - axes[1], axis=(-2, -1)) / np.sqrt(8.0)
    away = np.linalg.norm(now[..., :3, 3] - before[..., :3, 3], axis=-1)
    return 1000.0 * away.max(), float(np.degrees(2.0 * np.arcsin(np.minimum(apart, 1.0))).max())


def same(now: np.ndarray, before: np.ndarray) -> bool:
    away, turned = off(now, before)
    return away < MILLIMETRES and turned < DEGREES


def hit(rig, frame: int, part: str = "torso", back: float = 0.6) -> None:
    bpy.context.scene.frame_set(frame)
    assert bpy.ops.footfall.add_hit() == {"FINISHED"}
    push = rig.footfall.pushes[0]
    push.part, push.feel, push.newtons, push.seconds, push.direction = part, "OWN", 150.0, 0.1, (0.3, 1.0, 0.0)
    rig.footfall.motion.hits.response, rig.footfall.motion.hits.back = "FLINCH", back
    assert bpy.ops.footfall.simulate() == {"FINISHED"}


def key(owner, path: str, values: dict, interpolation: str = "BEZIER") -> None:
    """Keys by hand: {frame: value}."""
    for frame, value in values.items():
        if path.startswith("["):
            owner[path[2:-2]] = value
        else:
            setattr(owner, path, value)
        owner.keyframe_insert(path, frame=frame)
    for curve in compat.action_curves(owner.id_data.animation_data.action):
        for point in curve.keyframe_points if curve.data_path.endswith(path) else ():
            point.interpolation = interpolation


@pytest.fixture
def actor(mannequin):
    """A mannequin with a twist bone, a finger and a prop, animated by hand: in every rotation mode, with every way from key to key."""
    bones = mannequin.data.bones
    arm, hand, end = bones["forearm.R"].head_local.copy(), bones["hand.R"].head_local.copy(), bones["hand.R"].tail_local.copy()
    add_bone(mannequin, "twist", arm, 0.5 * (arm + hand), parent="forearm.R")
    add_bone(mannequin, "finger", end, 2.0 * end - hand, parent="hand.R")
    add_bone(mannequin, "prop", end, end + (hand - arm), parent="finger")
    assert bpy.ops.footfall.recognise() == {"FINISHED"}
    posed = mannequin.pose.bones
    for name, mode in (("upper_arm.L", "XYZ"), ("upper_arm.R", "AXIS_ANGLE"), ("forearm.L", "ZYX"), ("finger", "XYZ"), ("prop", "XYZ")):
        posed[name].rotation_mode = mode
    key(posed["upper_arm.L"], "rotation_euler", {1: (0.1, 0.0, 0.2), 15: (0.6, 0.3, 0.1), 40: (-0.2, 0.1, 0.0), LAST: (0.1, 0.0, 0.2)})
    key(posed["forearm.L"], "rotation_euler", {1: (0.0, 0.0, 0.0), 30: (-0.7, 0.1, 0.0), LAST: (0.0, 0.0, 0.0)}, "SINE")
    key(posed["upper_arm.R"], "rotation_axis_angle", {1: (0.2, 1.0, 0.0, 0.0), 35: (-0.5, 1.0, 0.0, 0.0)}, "LINEAR")
    key(posed["chest"], "rotation_quaternion", {1: Quaternion(), 20: Quaternion((0, 0, 1), 0.3), 50: -Quaternion((0, 0, 1), -0.2)})
    key(posed["shoulder.L"], "rotation_quaternion", {1: Quaternion(), 22: Quaternion((1, 0, 0), 0.25), LAST: Quaternion((1, 0, 0), -0.2)})
    key(posed["shoulder.L"], "location", {1: (0.0, 0.0, 0.0), 30: (0.0, 0.01, 0.01)})
    key(posed["finger"], "rotation_euler", {5: (0.0, 0.0, 0.0), 28: (1.0, 0.2, 0.0), 90: (0.0, 0.0, 0.4)})
    key(posed["twist"], "scale", {1: (1.0, 1.0, 1.0), 50: (1.2, 0.9, 0.9)})
    mannequin["glow"] = 0.0
    key(mannequin, '["glow"]', {1: 0.0, 40: 2.0})
    key(mannequin, "location", {1: (0.0, 0.0, 0.0), 30: (0.2, 0.0, 0.0), LAST: (0.0, 0.0, 0.0)})
    copying = posed["prop"].constraints.new("COPY_ROTATION")
    copying.target, copying.subtarget, copying.name = mannequin, "head", "Copy"
    for frame, influence in ((1, 0.0), (25, 0.8), (50, 0.1)):
        copying.influence = influence
        mannequin.keyframe_insert('pose.bones["prop"].constraints["Copy"].influence', frame=frame)
    waving = compat.find_curve(mannequin, 'pose.bones["finger"].rotation_euler', 1)
    waving.modifiers.new("NOISE").strength = 0.2
    return mannequin


def test_every_curve_is_as_it_was_before_the_hit_and_after_the_recovery(actor):
    old = actor.animation_data.action
    frames = np.arange(1.0, HIT + 0.1, 0.5)  # also between the frames
    before, whole, clavicle = shown(actor, frames), shown(actor, range(1, LAST + 1)), actor.pose.bones.find("shoulder.L")
    curves = {(curve.data_path, curve.array_index): [curve.evaluate(frame) for frame in frames] for curve in compat.action_curves(old)}
    hit(actor, HIT)
    new, now = actor.animation_data.action, shown(actor, range(1, LAST + 1))
    assert new != old and same(shown(actor, frames), before)
    kept = {(curve.data_path, curve.array_index): [curve.evaluate(frame) for frame in frames] for curve in compat.action_curves(new)}
    assert kept.keys() >= curves.keys()
    for where, values in curves.items():
        assert kept[where] == pytest.approx(values, abs=1e-5), where
    away = [off(one, other)[0] for one, other in zip(now, whole, strict=True)]
    assert max(away[HIT:HIT + 12]) > 20.0 and away[HIT] < 6.0  # it is moved, and without a jump
    assert same(now[-10:], whole[-10:]), away
    assert off(now[HIT:HIT + 12, clavicle], whole[HIT:HIT + 12, clavicle])[1] > 0.5
    # The user's action is kept as it was.
    assert {(curve.data_path, curve.array_index): [curve.evaluate(frame) for frame in frames] for curve in compat.action_curves(old)} == curves


@pytest.mark.slow
def test_an_animation_that_is_baked_elsewhere_in_time_brings_everything_along(actor):
    for frame in (1, 30, LAST):  # the object's own way would be another one at other frames
        actor.keyframe_delete("location", frame=frame)
    whole = shown(actor, range(1, LAST + 1))
    bpy.context.scene.frame_set(HIT)
    bpy.ops.footfall.add_hit()
    actor.footfall.motion.frame_start, actor.footfall.pushes[0].frame = 11, HIT + 10
    actor.footfall.motion.hits.response, actor.footfall.motion.hits.back, actor.footfall.pushes[0].feel = "FLINCH", 0.6, "TAP"
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    now = shown(actor, range(11, LAST + 11))
    assert same(now[:HIT], whole[:HIT]) and same(now[-10:], whole[-10:])


@pytest.mark.slow
def test_a_hit_as_a_layer_leaves_what_is_below(actor):
    whole = shown(actor, range(1, LAST + 1))
    actor.footfall.bake.layer = True
    hit(actor, HIT)
    now = shown(actor, range(1, LAST + 1))
    assert same(now[:HIT], whole[:HIT]) and same(now[-10:], whole[-10:]) and not same(now[HIT + 4], whole[HIT + 4])


@pytest.mark.skipif(not RIGS.is_dir(), reason="there is no folder ../shared/rigs")
@pytest.mark.parametrize(("character", "name"), quick(IMPORTED, ("Soldier", "Idle")))
def test_imported_characters_are_as_they_were_before_a_hit(character, name):
    bpy.ops.import_scene.gltf(filepath=str(RIGS / f"threejs_{character}.glb"))
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.footfall.recognise() == {"FINISHED"}
    action = next(action for action in bpy.data.actions if action.name in (name, f"{name}_Character"))
    compat.assign_action(rig, action)
    first, last = (round(frame) for frame in action.frame_range)
    frame = first + min((last - first) // 2, 100)
    before = shown(rig, range(first, frame + 1))
    hit(rig, frame)
    assert rig.animation_data.action != action
    assert same(shown(rig, range(first, frame + 1)), before), off(shown(rig, range(first, frame + 1)), before)
