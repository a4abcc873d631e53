"""A hit that is aimed in a window: its arrow and the disc beside it are dragged, and a ghost of what becomes of the character follows at once."""

import math
import time
from itertools import pairwise
from pathlib import Path

import bpy
from footfall.blender_addon import reaction
from footfall.blender_addon.aiming import arrow_of, disc_of
from mathutils import Vector
from simulating import running, wait

CLIPS = Path(__file__).resolve().parents[1] / "clips"
UPDATES = 10.0  # a second, at least, of the ghost while something is dragged
EVERY, MOVES = 0.016, 36  # s from one move of the mouse to the next, and how many of them


def add_hit(window, clip: str = "stand", frame: int = 20) -> bpy.types.Object:
    """A mannequin that plays a clip, with a hit on it that is ready to be aimed."""
    with window.context():
        bpy.ops.footfall.add_mannequin()
        rig = bpy.context.view_layer.objects.active
        bpy.ops.footfall.add_reference("EXEC_DEFAULT", True, filepath=str(CLIPS / f"{clip}.bvh"))
        motion = rig.footfall.motion
        motion.source, motion.method, motion.reference = "CLIP", "RETARGET", clip
        bpy.ops.footfall.simulate("EXEC_DEFAULT")
        window.window.scene.frame_set(frame)
        bpy.ops.footfall.add_hit("EXEC_DEFAULT")
        bpy.ops.ed.undo_push()
    x, y, z = rig.matrix_world @ rig.pose.bones["pelvis"].head
    window.look_at(x, y, z, 4.5)
    return rig


def ready(rig):
    """Yield from this until the ghost is there."""
    yield from wait(lambda: reaction.known_outlook(rig) is not None)
    yield 0.5


def drag_around(window, start, around, radius):
    """Drag from a place of the window around another one. Returns how many ghosts were drawn a second, and what they were of. It is the time that the
    thread works which follows the mouse: a machine that is busy with something else does not count, nor do the threads that draw in the place of a
    graphics card."""
    drawn, times = [], []

    def watch(*_) -> None:
        outlook = reaction.known_outlook(bpy.context.view_layer.objects.active)
        if outlook is not None and (not drawn or outlook is not drawn[-1]):
            drawn.append(outlook)
            times.append((time.monotonic(), time.thread_time()))

    # In the picture of the view, and over it, where a ghost is that is dragged.
    handle = bpy.types.SpaceView3D.draw_handler_add(watch, (), "WINDOW", "POST_PIXEL")
    over = bpy.types.WindowManager.draw_cursor_add(watch, (), "VIEW_3D", "WINDOW")
    try:
        window._event("MOUSEMOVE", "NOTHING", *start)
        yield 0.3
        window._event("MOUSEMOVE", "NOTHING", *start)
        yield 0.3
        window._event("LEFTMOUSE", "PRESS", *start)
        yield 0.2
        drawn.clear()
        times.clear()
        for number in range(MOVES):
            angle = 2.0 * math.pi * number / MOVES
            far = radius * (0.6 + 0.4 * math.sin(3.0 * angle))
            window._event("MOUSEMOVE", "NOTHING", round(around[0] + far * math.cos(angle)), round(around[1] + far * math.sin(angle)))
            yield EVERY
        yield 0.3
    finally:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
        bpy.types.WindowManager.draw_cursor_remove(over)
    clock, own = ((len(times) - 1) / (after - before) for before, after in zip(times[0], times[-1], strict=True))
    slowest = max(after - before for (_, before), (_, after) in pairwise(times))
    print(f"{len(times)} ghosts were drawn: {clock:.1f} a second by the clock, {own:.1f} for each second that Blender itself worked, "
          f"the slowest after {1000 * slowest:.0f} ms of that", flush=True)
    return own, drawn


def place_of_disc(window, rig):
    region = window.region("WINDOW")
    with bpy.context.temp_override(window=window.window, area=window.area, region=region):
        disc = disc_of(bpy.context, rig, reaction.known_outlook(rig))
    return round(region.x + disc.x), round(region.y + disc.y), disc


def settings(rig):
    push = rig.footfall.pushes[0]
    return push.feel, push.newtons, push.seconds, tuple(push.direction)


def check_the_disc_is_dragged(window):
    rig = add_hit(window)
    window.open_panels("FOOTFALL_PT_pushes")
    yield from window.show_tab()
    yield from ready(rig)
    window.picture("aiming_begins")
    before = settings(rig)
    x, y, disc = place_of_disc(window, rig)
    rate, drawn = yield from drag_around(window, (x, y), (x, y), disc.radius)
    window.picture("aiming_disc")
    assert rate >= UPDATES, f"only {rate:.1f} ghosts a second"
    assert len({one.answer.strategy for one in drawn}) == 3, "the disc has all that may become of it"
    window._event("ESC", "PRESS", x, y)
    yield 0.5
    assert settings(rig) == before, settings(rig)
    # A click is enough.
    window.click(x + round(0.5 * disc.radius), y)
    yield 0.5
    push = rig.footfall.pushes[0]
    assert push.feel == "OWN" and abs(push.newtons - 0.5 * disc.strongest) < 0.05 * disc.strongest, settings(rig)
    assert Vector(push.direction).dot(disc.right) > 0.99
    with window.context():
        bpy.ops.ed.undo()
    yield 0.5
    rig = bpy.data.objects["Mannequin"]
    assert settings(rig) == before, "one undo takes back one drag"


def check_the_arrow_is_dragged_and_simulated(window):
    rig = add_hit(window)
    window.open_panels("FOOTFALL_PT_pushes", "FOOTFALL_PT_bake")
    yield from window.show_tab()
    yield from ready(rig)
    before = settings(rig)
    arrow = arrow_of(rig, reaction.known_outlook(rig))
    start, around = window.pixel(arrow.tail), window.pixel(arrow.place)
    rate, _ = yield from drag_around(window, start, around, 160)
    window.picture("aiming_arrow")
    assert rate >= UPDATES, f"only {rate:.1f} ghosts a second"
    window._event("LEFTMOUSE", "RELEASE", *around)
    yield 0.5
    assert settings(rig) != before
    push = rig.footfall.pushes[0]
    push.strength, push.direction = 330.0, (1.0, 0.2, 0.0)
    window.window.scene.footfall.overlays.ghost = False
    yield from window.settle()
    window.picture("aiming_aimed")
    window.panels("aiming")
    with window.context():
        bpy.ops.footfall.simulate("INVOKE_DEFAULT")
    yield from wait(lambda: rig.name not in running())
    yield 0.5
    print(rig.footfall.bake.report, flush=True)
    assert "took the push at frame 20" in rig.footfall.bake.report
    window.picture("aiming_simulated")
