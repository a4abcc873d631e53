"""Hits in a window: clicking where a character is hit, variations as ghosts, and the balance map on the ground around it."""

import time
from itertools import pairwise

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from footfall.blender_addon import references
from references import add_recorded_walk
from simulating import add_mannequin, running, traces, wait


def check_click_where_it_is_hit(window):
    rig = add_recorded_walk(window)
    with window.context():
        window.window.scene.frame_set(20)
    x, y, z = rig.matrix_world @ rig.pose.bones["pelvis"].head
    window.look_at(x, y, z, 3.5)
    window.open_panels("FOOTFALL_PT_pushes")
    yield from window.show_tab()
    yield 0.5
    with window.context():
        bpy.ops.footfall.click_hit("INVOKE_DEFAULT")
    yield 0.3
    region = window.region("WINDOW")
    head = rig.pose.bones["head"]
    place = location_3d_to_region_2d(region, window.area.spaces.active.region_3d, rig.matrix_world @ ((head.head + head.tail) / 2))
    window.click(int(region.x + place.x), int(region.y + place.y))
    yield from wait(lambda: len(rig.footfall.pushes) == 1)
    push = rig.footfall.pushes[0]
    assert (push.part, push.frame, push.feel) == ("head", 20, "SHOVE"), (push.part, push.frame)
    assert rig.footfall.motion.method == "HIT"
    yield from window.settle()
    window.picture("hit_clicked")


def check_acting(window):
    rig = add_recorded_walk(window)
    with window.context():
        window.window.scene.frame_set(20)
        bpy.ops.footfall.add_hit()
        window.window.scene.cursor.location = (0.4, -0.5, 0.0)
        bpy.ops.footfall.mark_place(setting="step_to")
    settings = rig.footfall.motion.methods.hit
    assert tuple(settings.step_to.location)[:2] == tuple(window.window.scene.cursor.location)[:2]
    window.open_panels("FOOTFALL_PT_motion", "FOOTFALL_PT_acting")
    view = bpy.context.preferences.view
    view.ui_scale = 0.65  # all of it at once
    try:
        yield from window.show_tab()
        yield 0.3
        window.panels("acting")
    finally:
        view.ui_scale = 1.0


def check_variations(window):
    rig = add_recorded_walk(window)
    with window.context():
        window.window.scene.frame_set(30)
        bpy.ops.footfall.add_hit()
    rig.footfall.variations.count = 4
    rig.footfall.motion.hits.response = "FLINCH"
    window.open_panels("FOOTFALL_PT_bake", "FOOTFALL_PT_variations")
    yield from window.show_tab()
    with window.context():
        bpy.ops.footfall.vary_hits("INVOKE_DEFAULT")
    assert rig.name in running()
    yield 1.0
    window.panels("variations_running")
    yield from wait(lambda: rig.name not in running())
    assert len(rig.footfall.variations.found) == 4
    with window.context():
        window.window.scene.frame_set(42)
    x, y, z = rig.matrix_world @ rig.pose.bones["pelvis"].head
    window.look_at(x, y, z, 3.0)
    yield from window.settle()
    window.picture("variations_view")
    window.panels("variations")


def check_balance_map(window):
    from footfall.blender_addon import balance_map

    usual, balance_map.MOST = balance_map.MOST, "200"  # as many as can be waited for here
    try:
        with window.context():
            bpy.ops.footfall.add_mannequin()
        rig = bpy.context.view_layer.objects.active
        window.look_at(0.0, 0.0, 0.5, 4.0)
        window.open_panels("FOOTFALL_PT_pushes", "FOOTFALL_PT_balance")
        yield from window.show_tab()
        with window.context():
            bpy.ops.footfall.map_balance("INVOKE_DEFAULT")
        yield 2.0
        window.panels("balance_map_running")
        yield from wait(lambda: rig.name not in running(), 300.0)
        assert len(rig.footfall.balance.fields) == 16
        yield from window.settle()
        window.picture("balance_map_view")
        window.panels("balance_map")
    finally:
        balance_map.MOST = usual


def check_reading_stays_quick_and_can_be_cancelled(window):
    """An animation that only the scene can tell, long enough to look at while it is read: the window goes on, Esc leaves nothing, and without it
    the hit is there."""
    rig = add_mannequin(window)
    turned = rig.pose.bones["upper_arm.R"]
    for frame in (1, 6000):
        turned.keyframe_insert("rotation_quaternion", frame=frame)
    turned.constraints.new("LIMIT_ROTATION")
    with window.context():
        window.window.scene.frame_set(20)
        bpy.ops.ed.undo_push()
    turned.rotation_quaternion.x = 0.25  # posed, and not keyed
    before, ticks = traces(rig), []

    def tick() -> float:
        ticks.append(time.thread_time())  # what this thread works: a machine that is busy with something else does not count
        return 0.001

    window.open_panels("FOOTFALL_PT_pushes")
    yield from window.show_tab()
    with window.context():
        bpy.ops.footfall.add_hit("INVOKE_DEFAULT")
    reading, = references.READING
    bpy.app.timers.register(tick)
    yield from wait(lambda: reading.fraction > 0.1)
    yield from window.settle()
    window.panels("hit_reading")
    bpy.app.timers.unregister(tick)
    gaps = [after - earlier for earlier, after in pairwise(ticks)]
    assert max(gaps) < 0.7, f"the window stood still for {max(gaps):.2f} s"
    assert traces(rig) == before, "what is read has been seen"
    window.press("ESC")
    yield from wait(lambda: not references.READING)
    assert traces(rig) == before and not rig.footfall.pushes and not window.window.scene.footfall.references
    rig.animation_data.action = None
    for frame in (1, 60):
        turned.keyframe_insert("rotation_quaternion", frame=frame)
    with window.context():
        bpy.ops.footfall.add_hit("INVOKE_DEFAULT")
    yield from wait(lambda: not references.READING)
    assert [push.frame for push in rig.footfall.pushes] == [20] and rig.footfall.motion.method == "HIT"
