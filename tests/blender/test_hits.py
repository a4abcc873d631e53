"""Hits on a clip, from the panel's settings to the keys."""

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
