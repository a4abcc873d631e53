"""Hits on a clip, from the panel's settings to the keys."""

import json

import bpy

from tests.blender.mannequins import empty_scene, mannequin, refused  # noqa: F401
from tests.blender.test_references import motions  # noqa: F401


def test_a_clip_takes_a_hit(mannequin, motions):
    """Up to the hit the keys are the clip's own, then the arm gives way, and by the end all is as in the clip again."""
    bpy.ops.footfall.add_reference(filepath=str(motions / "humanoid3d_punch.txt"))
    motion, scene = mannequin.footfall.motion, bpy.context.scene
    motion.source, motion.method = "CLIP", "HIT"
    assert "Nothing hits the character" in refused(bpy.ops.footfall.simulate)
    motion.method = "RETARGET"
    assert bpy.ops.footfall.simulate() == {"FINISHED"}

    def hand(frame):
        scene.frame_set(frame)
        return mannequin.matrix_world @ mannequin.pose.bones["forearm.R"].tail

    last = int(mannequin.animation_data.action.frame_range[1])
    clip = [hand(frame) for frame in range(1, last + 1)]
    scene.frame_set(10)
    bpy.ops.footfall.add_push()
    push = mannequin.footfall.pushes[0]
    push.part, push.newtons, push.seconds, push.direction = "hand.R", 60.0, 0.1, (1.0, 0.0, 0.0)
    motion.method, motion.hits.back = "HIT", 1.0
    assert bpy.ops.footfall.simulate() == {"FINISHED"}
    away = [(hand(frame) - before).length for frame, before in zip(range(1, last + 1), clip)]
    assert max(away[:10]) < 1e-4 and max(away[10:20]) > 0.05 and away[-1] < 1e-3, [round(value, 3) for value in away]
    assert "took the push at frame 10" in mannequin.footfall.bake.report


def test_a_standing_clip_keeps_its_balance(mannequin, motions, tmp_path):
    """A shove moves a character that stands; it steps or sways, stands again, and the clip goes on there."""
    data = json.loads((motions / "humanoid3d_punch.txt").read_text())
    data["Frames"] = [[0.05, *data["Frames"][0][1:]] for _ in range(80)]
    (tmp_path / "stand.txt").write_text(json.dumps(data))
    bpy.ops.footfall.add_reference(filepath=str(tmp_path / "stand.txt"))
    motion, scene = mannequin.footfall.motion, bpy.context.scene
    motion.source, motion.method, motion.hits.response = "CLIP", "HIT", "BALANCE"
    scene.frame_set(10)
    bpy.ops.footfall.add_push()
    push = mannequin.footfall.pushes[0]
    push.part, push.newtons, push.seconds, push.direction = "torso", 130.0, 0.2, (0.0, 1.0, 0.0)
    assert bpy.ops.footfall.simulate() == {"FINISHED"}

    def head(frame):
        scene.frame_set(frame)
        return mannequin.matrix_world @ mannequin.pose.bones["head"].head

    places = [head(frame) for frame in range(1, int(mannequin.animation_data.action.frame_range[1]) + 1)]
    assert max((place - places[0]).length for place in places[:10]) < 1e-3
    assert max((place - places[0]).length for place in places[10:]) > 0.03
    assert min(place.z for place in places) > 0.8 * places[0].z and (places[-1] - places[-10]).length < 0.01
