"""A bake in a window: Blender stays quick, it can be cancelled or killed without a trace, one undo takes it back, two run at once."""

import os
import signal
import time
from itertools import pairwise

import bpy

SECONDS = 40.0  # of motion: long enough to look at it while it is being simulated
TICKS = 20.0  # a second, at least
PATIENCE = 120.0


def running() -> dict:
    from footfall.blender_addon.running import RUNNING

    return RUNNING


def start(window, seconds: float = SECONDS) -> bpy.types.Object:
    """Press Simulate for the active character."""
    rig = bpy.context.view_layer.objects.active
    rig.footfall.motion.seconds = seconds
    with window.context():
        bpy.ops.footfall.simulate("INVOKE_DEFAULT")
    assert rig.name in running(), "the simulation did not start"
    return rig


def add_mannequin(window, x: float = 0.0) -> bpy.types.Object:
    with window.context():
        window.window.scene.cursor.location = (x, 0.0, 0.0)
        bpy.ops.footfall.add_mannequin()
        bpy.ops.ed.undo_push()
    return bpy.context.view_layer.objects.active


def wait(until, seconds: float = PATIENCE) -> float:
    """Yield from this until ``until()``, for so many ``seconds`` at most."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "it takes too long"
        yield 0.05


def traces(rig: bpy.types.Object) -> list:
    """What a bake could leave behind: the pose to the last bit, the animation, the settings, the data."""
    fields = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
    pose = [(bone.name, *(tuple(getattr(bone, field)) for field in fields)) for bone in rig.pose.bones]
    bake = rig.footfall.bake
    names = [sorted(item.name for item in getattr(bpy.data, kind)) for kind in ("actions", "objects", "meshes", "curves", "collections", "materials")]
    return [pose, rig.animation_data is not None, bake.result, bake.report, bake.action, [tuple(row) for row in bake.space], names,
            rig.footfall.bone_map, bpy.context.scene.frame_current]


def check_stays_quick(window):
    """With live preview, a timer keeps ticking, the character moves, and the panel shows the progress."""
    add_mannequin(window)
    yield from window.show_tab()
    window.look_at(0.0, -4.0, 0.8, 9.0)
    ticks, poses, words = [], set(), set()
    rig = start(window)
    name = rig.name

    def tick() -> float:
        ticks.append(time.monotonic())
        words.update(one.doing for one in running().values())  # some are there for a moment only
        return 0.001

    bpy.app.timers.register(tick)
    pictured, fractions = False, []
    try:
        end = time.monotonic() + PATIENCE
        while name in running():
            fractions.append(running()[name].fraction)
            assert time.monotonic() < end, "it takes too long"
            poses.add(tuple(bpy.data.objects[name].pose.bones["thigh.L"].rotation_quaternion))
            if running()[name].fraction > 0.1 and not pictured:
                pictured = True
                window.picture("simulating")
            yield 0.03
    finally:
        bpy.app.timers.unregister(tick)
    rate = (len(ticks) - 1) / (ticks[-1] - ticks[0])
    gaps = sorted(after - before for before, after in pairwise(ticks))
    print(f"  {rate:.0f} ticks a second, longest gap {1000 * gaps[-1]:.0f} ms; {len(poses)} poses seen", flush=True)
    assert pictured and rate >= TICKS
    assert fractions == sorted(fractions) and fractions[-1] > 0.9, "the bar runs backwards, or ends before it is full"
    assert words >= {"Simulating 40 s of the gait 'walk'", "Leading the legs around each other", "Writing it down"}, words
    assert len(poses) > 2, "the preview does not move the character"
    yield 0.5
    rig = bpy.data.objects[name]
    assert rig.footfall.bake.report.startswith("Walked") and rig.animation_data.action == rig.footfall.bake.action
    window.picture("baked")


def check_undo_takes_it_back(window):
    rig = add_mannequin(window)
    before = traces(rig)
    name = start(window, 3.0).name
    yield from wait(lambda: name not in running())
    yield 0.3
    assert bpy.data.objects[name].animation_data.action
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert traces(bpy.data.objects[name]) == before


def check_escape_leaves_no_trace(window):
    rig = add_mannequin(window)
    rig.pose.bones["upper_arm.L"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    before = traces(rig)
    name = start(window).name
    yield from wait(lambda: running()[name].fraction > 0.3)
    window.press("ESC")
    yield from wait(lambda: name not in running())
    yield 0.3
    assert traces(bpy.data.objects[name]) == before


def check_cancel_button_leaves_no_trace(window):
    before = traces(add_mannequin(window))
    name = start(window).name
    yield from wait(lambda: running()[name].fraction > 0.3)
    with window.context():
        bpy.ops.footfall.cancel()
    yield 0.3
    assert name not in running() and traces(bpy.data.objects[name]) == before


def check_undo_while_simulating(window):
    """Somebody else's undo in between neither stops the bake nor breaks it."""
    name = add_mannequin(window).name
    with window.context():
        bpy.ops.object.empty_add(location=(2, 2, 0))
        bpy.ops.ed.undo_push()
        bpy.context.view_layer.objects.active = bpy.data.objects[name]
    start(window)
    yield from wait(lambda: running()[name].fraction > 0.2)
    with window.context():
        bpy.ops.ed.undo()
    yield from wait(lambda: name not in running())
    yield 0.3
    assert bpy.data.objects[name].footfall.bake.report.startswith("Walked")


def check_a_killed_worker(window):
    before = traces(add_mannequin(window))
    name = start(window).name
    yield from wait(lambda: running()[name].fraction > 0.2)
    os.kill(running()[name]._worker._process.pid, signal.SIGKILL)
    yield from wait(lambda: name not in running())
    yield 0.5
    window.picture("killed")
    assert traces(bpy.data.objects[name]) == before


def check_two_at_once(window):
    names = []
    for x in (-1.0, 1.0):
        names.append(add_mannequin(window, x).name)
        start(window, 5.0)
    assert sorted(running()) == sorted(names)
    yield from wait(lambda: not running())
    yield 0.3
    for name in names:
        assert bpy.data.objects[name].footfall.bake.report.startswith("Walked")
    assert bpy.data.objects[names[0]].footfall.bake.action != bpy.data.objects[names[1]].footfall.bake.action
    window.look_at(0.0, -2.0, 0.8, 9.0)
    window.window.scene.frame_set(60)
    yield 0.3
    window.picture("two")
