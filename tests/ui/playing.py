"""A character that is played in a window: keys steer it, the mouse pulls at it, Escape leaves the take as keys."""

import os
import time
from itertools import pairwise
from types import SimpleNamespace

import bpy
import numpy as np
from mathutils import Vector
from simulating import add_mannequin, running, traces, wait

FIGURES = "FOOTFALL_TEST_PLAYED" in os.environ  # whether it is to say how soon something is seen, too
SECONDS = float(os.environ.get("FOOTFALL_TEST_PLAYED", "12"))  # of play; 60 for the figures
LOOKS_AT = (0.0, 0.0, 0.8)  # m, of a view before anything is played
SWAYS_S = 2.0  # for which it is watched how much a body that stands moves by itself
QUIET = 0.01  # of a quaternion, from one look to the next, that it moves then at most
DRAWINGS = 9  # of an empty view, that tell how long Blender itself draws


def empty_view(window) -> float:
    """Yield from this: s that Blender takes to draw a view with nothing in it, as a play that is drawn slowly lightens it."""
    from footfall.blender_addon import light_view

    window.look_at(0.0, 0.0, 0.8, 6.0)
    light_view.lighten()
    yield 0.5
    took = []
    with window.context():
        for _ in range(DRAWINGS):
            begun = time.monotonic()
            bpy.ops.wm.redraw_timer(type="DRAW", iterations=1)
            took.append(time.monotonic() - begun)
    light_view.put_back()
    yield 0.5
    return sorted(took)[DRAWINGS // 2]


def begin(window) -> tuple[bpy.types.Object, object]:
    """A mannequin that is played, and stands."""
    rig = add_mannequin(window)
    window.look_at(*LOOKS_AT, 6.0)
    with window.context():
        bpy.ops.footfall.play("INVOKE_DEFAULT")
    assert rig.name in running(), "nobody plays"
    playing = running()[rig.name]
    yield from wait(lambda: playing.place is not None)
    yield 0.5
    return rig, playing


class Drawn:
    """What the window draws.

    Attributes:
        times: s, at which another pose was drawn, in stretches between which nobody looked. told, poses: of each, how much the body had been told,
            and (L, 4) rotations. ticks: s, at which Blender came to look at its timers. away: s that nobody looked.
    """

    def __init__(self, playing):
        self.times, self.told, self.poses, self.ticks, self.away, self._playing, self._seen = [[]], [], [], [], 0.0, playing, -1

    def __enter__(self):
        self._drawn, self._playing.drawn = self._playing.drawn, self._draw  # Blender calls it in the midst of drawing a view
        self._timer = self._tick  # the same object, to be known again
        bpy.app.timers.register(self._timer)
        return self

    def __exit__(self, *_):
        self._playing.drawn = self._drawn
        bpy.app.timers.unregister(self._timer)

    def picture(self, window, name: str) -> None:
        """Save a picture of the window, for which Blender waits."""
        begun = time.monotonic()
        window.picture(name)
        self.away += time.monotonic() - begun
        self.times.append([])

    def _draw(self) -> None:
        self._drawn()
        if self._playing.shown != self._seen:
            self._seen = self._playing.shown
            self.times[-1].append(time.monotonic())
            self.told.append(self._playing.played["told"])
            self.poses.append(np.array(self._playing.pose.rotations))

    def _tick(self) -> float:
        self.ticks.append(time.monotonic())
        return 0.002

    @property
    def count(self) -> int:
        return sum(map(len, self.times))

    def gaps(self) -> list[float]:
        """s from one pose to the next, the shortest first."""
        return sorted(after - before for stretch in self.times for before, after in pairwise(stretch))


def hold(window, *keys: str) -> None:
    for key in keys:
        window._event(key, "PRESS", *window._middle())


def let_go(window, *keys: str) -> None:
    for key in keys:
        window._event(key, "RELEASE", *window._middle())


def latency(playing, drawn, act) -> tuple[float, float]:
    """Yield from this: s from what ``act`` does until a pose is drawn of a body that was told of it, and until one is drawn that is not as it
    stood."""
    before, sway, quiet, begun = np.array(playing.pose.rotations), 0.0, time.monotonic(), time.monotonic()
    while time.monotonic() < quiet + SWAYS_S:  # how much it sways by itself, once it has come to rest
        assert time.monotonic() < begun + 60.0, f"it does not come to rest: {playing.doing}"
        now = np.array(playing.pose.rotations)
        moved, before = float(np.abs(now - before).max()), now
        sway = max(sway, moved)
        if moved > QUIET:
            sway, quiet = 0.0, time.monotonic()
        yield 0.005
    known, stood, first = drawn.told[-1], drawn.poses[-1], drawn.count
    begun = time.monotonic()
    act()
    heard = moved = None
    while heard is None or moved is None:
        assert time.monotonic() < begun + 30.0, f"nothing is seen of it in {drawn.count - first} pictures: {playing.doing}"
        yield 0.002
        times = [at - begun for stretch in drawn.times for at in stretch]
        later = list(zip(times, drawn.told, drawn.poses, strict=True))[first:]
        heard = next((after for after, told, _ in later if told > known), None)
        moved = next((after for after, _, pose in later if np.abs(pose - stood).max() > 3.0 * sway + 1e-4), None)
    return heard, moved


def runs(window, playing):
    """Yield from this until it runs; who has fallen is put back on its feet."""
    for _ in range(5):
        yield from wait(lambda: playing.doing in ("Run", "Lies"))
        if playing.doing == "Run":
            return
        window.press("R")
        yield from wait(lambda: not playing.played["down"])
    raise AssertionError("it does not come to run")


def stands(window, playing):
    """Yield from this until it stands; who has fallen, also while it came to a stand, is put back on its feet."""
    for _ in range(5):
        yield from wait(lambda: playing.doing in ("Stand", "Lies"))
        yield 1.0
        if playing.doing == "Stand":
            return
        window.press("R")
        yield from wait(lambda: not playing.played["down"])
    raise AssertionError("it does not come to a stand")


def takes_hold(window, playing) -> tuple[int, int]:
    """Yield from this until the mouse holds the torso; where it is. Where a picture takes a second to draw, the body may be elsewhere by then."""
    for _ in range(5):
        x, y = window.pixel(playing.middle("torso") - playing.ahead(window.area.spaces.active.region_3d))
        window._event("MOUSEMOVE", "NOTHING", x, y)
        yield 0.2
        window._event("LEFTMOUSE", "PRESS", x, y)
        yield 0.3
        if playing.pull:
            return x, y
        window._event("LEFTMOUSE", "RELEASE", x, y)
        yield 0.5
    raise AssertionError("the mouse did not take hold of it")


def check_play(window):
    """Walk, turn, run, be pulled at, stop: as keys and mouse say; the take is keys, one undo takes it back, and simulated again it is the same."""
    empty = yield from empty_view(window)
    rig, playing = yield from begin(window)
    name = rig.name
    window.open_panels("FOOTFALL_PT_playing")
    yield from window.show_tab()
    before_file = rig.footfall.bake.result
    window.picture("playing_stands")
    part, begun = SECONDS / 6, playing.place.copy()
    wall, played, worked = time.monotonic(), playing.seconds, time.process_time()

    def goes(metres: float):
        """Yield from this until it is so far from where it was, and for a part of the time at least."""
        start, until = playing.place.copy(), playing.seconds + part
        yield from wait(lambda: (playing.place - start).length > metres and playing.seconds > until)

    with Drawn(playing) as drawn:
        hold(window, "W")
        yield from goes(1.0)
        drawn.picture(window, "playing_walks")
        corner = playing.place.copy()
        let_go(window, "W")
        hold(window, "D")
        yield from goes(1.0)
        turned = playing.place - corner
        hold(window, "LEFT_SHIFT")
        yield from runs(window, playing)
        yield from goes(1.0)
        drawn.picture(window, "playing_runs")
        let_go(window, "LEFT_SHIFT", "D")
        yield from stands(window, playing)
        x, y = yield from takes_hold(window, playing)
        window._event("MOUSEMOVE", "NOTHING", x + 60, y)
        yield 0.3
        pulled = playing.pull
        drawn.picture(window, "playing_pulled")
        window._event("LEFTMOUSE", "RELEASE", x + 60, y)
        yield 2.0  # whether it keeps its balance shows a little later
        yield from stands(window, playing)
        yield from goes(0.0)
        wall, played, worked = time.monotonic() - wall, playing.seconds - played, time.process_time() - worked
    gaps = drawn.gaps()
    print(f"  {played:.1f} s played in {wall:.1f} s, {played / wall:.0%} of real time; {drawn.count / (wall - drawn.away):.1f} poses drawn a second, "
          f"usually after {1000 * gaps[len(gaps) // 2]:.0f} ms, 95 % within {1000 * gaps[int(0.95 * len(gaps))]:.0f} ms; "
          f"{'simple' if playing.simple else 'light' if playing.light else 'usual'} view; {playing.played['falls']} falls", flush=True)
    view = window.region("WINDOW")
    print(f"  a view of {view.width} by {view.height} with nothing in it takes {1000 * empty:.0f} ms; "
          f"a pose takes {1000 * worked / drawn.count:.0f} ms of the processor; {os.getloadavg()[0]:.1f} processes at work",
          flush=True)
    assert (corner - begun).to_2d().angle(turned.to_2d()) > 0.5, "it does not turn"
    assert pulled is not None, "the mouse let go of it"
    window.press("SPACE")
    yield from wait(lambda: playing.balls)
    yield 0.3
    window.picture("playing_ball")
    window.press("ESC")
    yield from wait(lambda: name not in running())
    yield 0.5
    rig = bpy.data.objects[name]
    print("  " + rig.footfall.bake.report, flush=True)
    assert rig.animation_data.action == rig.footfall.bake.action and rig.footfall.playing.take
    looks = window.area.spaces.active
    assert (looks.region_3d.view_location - Vector(LOOKS_AT)).length < 0.01 and looks.lock_object is None, "the view is not back"
    window.picture("playing_kept")
    first = result_of(rig)
    assert {event["type"] for event in first.job["events"]} >= {"steer", "gait", "push", "ball"} and first.job["played"]
    with window.context():
        bpy.ops.footfall.simulate_take("INVOKE_DEFAULT")
    yield from wait(lambda: name not in running())
    yield 0.3
    rig = bpy.data.objects[name]
    second = result_of(rig)
    assert rig.footfall.bake.result not in ("", before_file)
    for field in ("root_positions", "rotations", "torques", "object_positions"):
        assert np.array_equal(getattr(first, field), getattr(second, field)), f"{field} of the take simulated again differ"


def result_of(rig):
    from footfall.blender_addon import files
    from footfall.core.result import Result

    return Result.load(files.found(rig.footfall.bake.result))


def check_undo_takes_a_take_back(window):
    rig = add_mannequin(window)
    before, name = traces(rig), rig.name
    with window.context():
        bpy.ops.footfall.play("INVOKE_DEFAULT")
    playing = running()[name]
    yield from wait(lambda: playing.seconds > 1.0)
    window.press("ESC")
    yield from wait(lambda: name not in running())
    yield 0.3
    assert bpy.data.objects[name].animation_data.action
    with window.context():
        bpy.ops.ed.undo()
    yield 0.3
    assert traces(bpy.data.objects[name]) == before


def check_a_simple_picture(window):
    """While it lies over the views the rig waits; a save takes it off until the rig and the view are there again; Escape leaves all as usual."""
    from footfall.blender_addon import files
    from footfall.blender_addon import playing as module
    from footfall.blender_addon.operators.playing import _view_under
    from footfall.blender_addon.overlays.over import looks_of

    rig, playing = yield from begin(window)
    name, unseen, looks = rig.name, module.UNSEEN_S, window.area.spaces.active
    assert _view_under(bpy.context, mouse_in(window.region("WINDOW"))) and not _view_under(bpy.context, mouse_in(window.region("UI")))
    window.to_view()  # it is drawn as cursors are, where the mouse is somewhere in the window
    hold(window, "W")
    module.UNSEEN_S = 60.0  # however long a picture takes here, it is seen
    try:
        with window.context():
            playing._quicken(rig)  # as where Blender draws too slowly
            playing._quicken(rig)
        yield from covered(playing)
        posed, begun = traces(rig)[0], playing.place.copy()
        yield from wait(lambda: (playing.place - begun).length > 0.5)
        assert traces(rig)[0] == posed, "the rig does not wait"
        window.picture("playing_simple")
        viewers, playing.throw = [], lambda viewer: viewers.append((viewer, playing.ahead(looks.region_3d)))
        window.press("SPACE")
        yield from wait(lambda: viewers)
        (viewer, ahead), blender_has = viewers[0], looks.region_3d.view_matrix.inverted().translation
        assert ahead.length > 0.4 and (viewer - blender_has - ahead).length < 1e-4, "a ball is thrown from elsewhere"
        bpy.ops.wm.save_as_mainfile(filepath=str(files.new_file("covered", ".blend")), copy=True)
        assert not playing.is_covered and not rig.footfall.bake.before_preview and looks.overlay.show_overlays, "it is in the file"
        yield from covered(playing)
        assert rig.footfall.bake.before_preview and traces(rig)[0] != posed, "the rig is not where the picture begins"
        assert looks.lock_object == rig and playing.followed == looks.region_3d.as_pointer(), "the view does not go along"
        let_go(window, "W")
        window.press("ESC")
        yield from wait(lambda: name not in running())
    finally:
        module.UNSEEN_S = unseen
    yield 0.3
    rig = bpy.data.objects[name]
    assert playing._cover is None and rig.animation_data.action == rig.footfall.bake.action
    assert looks.lock_object is None and looks.overlay.show_overlays and (looks.region_3d.view_location - Vector(LOOKS_AT)).length < 0.01
    with window.context():
        bpy.ops.screen.region_quadview()
    yield 0.3
    parts = looks_of(window.area)
    assert [view.view_perspective for _, view in parts] == ["ORTHO", "ORTHO", "ORTHO", "PERSP"] and parts[-1][1] == looks.region_3d
    under = [_view_under(bpy.context, mouse_in(part)) for part, _ in parts]  # None where the sidebar lies over it
    assert any(under) and all(one in (None, part) for one, part in zip(under, parts, strict=True)), "another part of the quad view is taken"


def covered(playing):
    """Yield from this until the simple picture is drawn over the views."""
    yield from wait(lambda: playing.is_covered)
    laid = time.monotonic()
    yield from wait(lambda: playing._cover.drawn > laid)


def mouse_in(region: bpy.types.Region) -> SimpleNamespace:
    """An event of the mouse in the middle of a region."""
    return SimpleNamespace(mouse_x=region.x + region.width // 2, mouse_y=region.y + region.height // 2)


def how_soon(window, playing):
    """Say how soon a pull and a key are in what is drawn, and how soon the body moves."""
    with Drawn(playing) as drawn:
        x, y = yield from takes_hold(window, playing)
        heard, moved = yield from latency(playing, drawn, lambda: window._event("MOUSEMOVE", "NOTHING", x + 300, y))
        window._event("LEFTMOUSE", "RELEASE", x + 300, y)
        print(f"  a pull is in what is drawn after {1000 * heard:.0f} ms, and the body gives way to it after {1000 * moved:.0f} ms", flush=True)
        yield from stands(window, playing)
        heard, moved = yield from latency(playing, drawn, lambda: hold(window, "W"))
        let_go(window, "W")
        print(f"  a key is in what is drawn after {1000 * heard:.0f} ms, and a body that stands moves after {1000 * moved:.0f} ms", flush=True)


def check_a_fall_and_how_soon_it_is_seen(window):
    """The character that falls is put back on its feet by a key. For the figures: how soon something is seen of the mouse and of a key."""
    rig, playing = yield from begin(window)
    name = rig.name
    if FIGURES:
        yield from how_soon(window, playing)
    yield from stands(window, playing)
    falls = playing.played["falls"]
    playing.tell({"type": "push", "part": "torso", "frame": "world", "duration": 0.2, "force": [3000.0, 0.0, 0.0]})
    yield from wait(lambda: playing.played["down"])
    yield 1.5
    window.picture("playing_fallen")
    window.press("R")
    yield from wait(lambda: not playing.played["down"])
    yield 0.5
    window.picture("playing_up")
    assert playing.played["falls"] == falls + 1 and playing.place.z > 0.8
    window.press("ESC")
    yield from wait(lambda: name not in running())
