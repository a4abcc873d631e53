"""A character that moves while a device sends, in a window."""

import os
import time
from collections import deque
from itertools import pairwise

import bpy
from simulating import add_mannequin, running, traces, wait

from tests import sending

SET, SLACK = 0.5, 0.05  # s: the latency, and how much more there may be until a pose is on the rig
DEVICE = os.environ.get("FOOTFALL_TEST_DEVICE", "moticon@60Hz")
KICKS = int(os.environ.get("FOOTFALL_TEST_KICKS", "2"))


def begin(window) -> bpy.types.Object:
    """A mannequin that listens."""
    from footfall.blender_addon import files

    rig = add_mannequin(window)
    folder = files.new_file("sent", "")
    folder.mkdir()
    listening = rig.footfall.listening
    listening.address, listening.database, listening.latency = sending.free_address(), str(sending.small_database(folder)), SET
    with window.context():
        bpy.ops.ed.undo_push()
    rig["folder"] = str(folder)
    return rig


def listen(window, rig: bpy.types.Object) -> object:
    with window.context():
        bpy.ops.footfall.listen("INVOKE_DEFAULT")
    assert rig.name in running(), "nobody listens"
    return running()[rig.name]


def check_listen(window):
    """The character moves at the set latency, Blender stays quick, Stop leaves the take as keys, and one undo takes it back.

    The usual pose is not early, and not later than the set latency and the longest while for which Blender itself did nothing else: a
    machine that draws without a graphics card, or does other work beside it, may be busy just when a pose is due. How many were in time is printed.
    """
    from pathlib import Path

    rig = begin(window)
    name, before = rig.name, traces(rig)
    window.look_at(0.0, 0.0, 0.8, 4.0)
    window.open_panels("FOOTFALL_PT_pressures", "FOOTFALL_PT_listening")
    yield from window.show_tab()
    yield from window.settle()
    window.panels("listen")
    listening = listen(window, rig)
    yield from wait(lambda: listening.doing.startswith("Waiting"))
    sender = sending.send(sending.kicks(Path(rig["folder"]), DEVICE, KICKS), rig.footfall.listening.address)
    listening._delays = deque()  # of all poses
    ticks, poses, pictured = [], set(), False

    def tick() -> float:
        ticks.append(time.monotonic())
        return 0.001

    bpy.app.timers.register(tick)
    while sender.poll() is None:
        poses.add(tuple(bpy.data.objects[name].pose.bones["thigh.R"].rotation_quaternion))
        if len(listening._delays) > 2 and not pictured:
            pictured = True
            window.picture("listening")
        yield 0.03
    bpy.app.timers.unregister(tick)
    yield 0.7
    with window.context():
        bpy.ops.footfall.stop_listening()
    yield from wait(lambda: name not in running())
    yield 0.5
    delays = sorted(list(listening._delays)[len(listening._delays) // 4:])  # the first ones wait for what is loaded
    gaps = sorted(after - before for before, after in pairwise(ticks))
    heard = dict(listening.heard)
    middle, most = delays[len(delays) // 2], delays[int(0.95 * len(delays))]
    in_time = sum(delay <= SET + SLACK for delay in delays) / len(delays)
    print(f"  {len(delays)} poses; from feet to rig {1000 * middle:.0f} ms, 95 % within {1000 * most:.0f} ms, at most {1000 * delays[-1]:.0f} ms; "
          f"{in_time:.0%} within the set latency and {1000 * SLACK:.0f} ms; longest gap of ticks {1000 * gaps[-1]:.0f} ms; {heard}", flush=True)
    assert SET - 0.02 <= middle <= SET + SLACK + gaps[-1]
    assert len(poses) > 1 and heard["lost"] == heard["bad"] == 0
    rig = bpy.data.objects[name]
    report, action = rig.footfall.bake.report, rig.animation_data.action
    assert report.startswith("Heard") and action == rig.footfall.bake.action and len(window.window.scene.footfall.pressures) == 1
    window.picture("listened")
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert traces(bpy.data.objects[name]) == before and len(window.window.scene.footfall.pressures) == 0


def check_escape_while_listening(window):
    """Nothing is left of it, with poses on the rig or without."""
    from pathlib import Path

    rig = begin(window)
    name, before = rig.name, traces(rig)
    listening = listen(window, rig)
    yield from wait(lambda: listening.doing.startswith("Waiting"))
    sender = sending.send(sending.kicks(Path(rig["folder"]), DEVICE), rig.footfall.listening.address)
    yield from wait(lambda: listening.delay is not None)
    yield 0.5
    window.press("ESC")
    yield from wait(lambda: name not in running())
    yield 0.3
    assert traces(bpy.data.objects[name]) == before
    sender.terminate()
