"""Hits in a window: clicking where a character is hit, variations as ghosts, and the balance map on the ground around it."""

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from references import add_recorded_walk
from simulating import running, wait


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
