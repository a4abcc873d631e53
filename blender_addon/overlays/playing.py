"""A character that is played: the keys, how it goes, the arrow of the pull, and balls in flight."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import gpu
from mathutils import Matrix, Vector

from ..aiming import length_of
from ..controls import GAITS
from ..light_view import is_light
from ..running import RUNNING
from . import shapes
from .legend import LINE, MARGIN, SIZE, TEXT
from .pushes import COLOR

WARNING = (1.0, 0.72, 0.25, 1.0)
FLOOR = (0.45, 0.45, 0.45, 1.0)
SQUARE, SQUARES = 1.0, 10  # m on a person, of a square on the floor; squares along each side
BALL = (1.0, 0.72, 0.25, 0.9)
TOP = 120  # pixels at a scale of 1 from the view's top to the first line, under what Blender itself writes there
KEYS = (("W A S D, arrows", "go, as you look"), ("Shift", "run"), ("1 – 9", "gait: {gait}"), ("Drag on it", "pull"), ("Space", "throw a ball"),
        ("R", "back on its feet"), ("Esc", "stop, keep the take"))
GAIT_KEYS = ("Shift", "1 – 9")  # of who has gaits
PAD = (("Gamepad", "stick: go   LB, RB: run   X, Y: gait   A: ball   B: on its feet   Start: stop"),)
COLUMN = 120  # pixels at a scale of 1, of the keys' names


def played() -> list[object]:
    """Those that are played now."""
    return [running for running in RUNNING.values() if hasattr(running, "controls")]


def draw(context: bpy.types.Context) -> None:
    """In the scene."""
    if not _seen(context):
        return
    for playing in played():
        if is_light(context) and playing.place is not None:
            gpu.state.depth_test_set("LESS_EQUAL")
            shapes.lines(_floor(playing), FLOOR)
            gpu.state.depth_test_set("NONE")
        _draw_moving(playing)


def draw_over(playing: object, area: bpy.types.Area, region: bpy.types.Region, looks: bpy.types.RegionView3D) -> None:
    """The simple picture of a view in which somebody is played, over the one that Blender has."""
    ahead = Matrix.Translation(-playing.ahead(looks))
    playing.simple.draw(region, looks.view_matrix @ ahead, looks.window_matrix, playing.place, lambda: _draw_moving(playing))
    _write(playing, area, region)
    playing.drawn()


def _draw_moving(playing: object) -> None:
    """What moves beside the character: balls, and the arrow of a pull."""
    for place, radius in playing.balls:
        for axes in ("xy", "yz", "xz"):
            shapes.lines(shapes.loop([place + _around(axes, x, y, radius) for x, y, _ in shapes.ring((0.0, 0.0, 0.0), 1.0)]), BALL, 2.0)
    if playing.pull:
        at = playing.middle(playing.pull.part)
        force = playing.force(at)
        if force.length > 1.0:
            length, direction = playing.placement.scale * length_of(force.length), force.normalized()
            shaft, head = shapes.arrow(at + length * direction, direction, length)
            shapes.lines(shaft, COLOR, 4.0)
            shapes.triangles(head, COLOR)


def _seen(context: bpy.types.Context) -> bool:
    """Whether something is to be drawn over a view; one that is lightened has no overlays of Blender's own."""
    return context.space_data.overlay.show_overlays or is_light(context)


def _floor(playing: object) -> Sequence[shapes.Point]:
    """Lines on the level ground around who is played, in place of the grid that a light view does without: one sees by them how fast it goes."""
    if not playing.level:
        return []
    x, y, _ = playing.placement.to_job(playing.place)
    west, south = round(x / SQUARE - SQUARES / 2), round(y / SQUARE - SQUARES / 2)
    corners = []
    for number in range(SQUARES + 1):
        corners += [(west + number, south), (west + number, south + SQUARES), (west, south + number), (west + SQUARES, south + number)]
    return playing.placement.to_world([(SQUARE * a, SQUARE * b, 0.0) for a, b in corners]).tolist()


def _around(axes: str, x: float, y: float, radius: float) -> Vector:
    way = Vector((0.0, 0.0, 0.0))
    setattr(way, axes[0], x * radius)
    setattr(way, axes[1], y * radius)
    return way


def draw_flat() -> None:
    """Over the scene, in pixels."""
    context = bpy.context
    for playing in played():
        if not playing.is_covered:
            playing.drawn()
            if _seen(context):
                _write(playing, context.area, context.region)


def _write(playing: object, area: bpy.types.Area, region: bpy.types.Region) -> None:
    """How it goes, and the keys."""
    scale = bpy.context.preferences.system.ui_scale
    left = next((region.width for region in area.regions if region.type == "TOOLS"), 0) + MARGIN * scale
    pieces = [(_state(playing), 0, 0, WARNING if playing.is_behind else TEXT)]
    for key, what in (*KEYS, *(PAD if playing.pad.is_there else ())):
        if key not in GAIT_KEYS or playing.controls.gait is not None:
            y = round(LINE * scale * (1 + len(pieces) // 2))
            pieces += [(key, 0, y, TEXT), (what.format(gait=_gait(playing)), round(COLUMN * scale), y, TEXT)]
    playing.written.draw(pieces, SIZE * scale, left, region.height - TOP * scale)


def _state(playing: object) -> str:
    if playing.place is None:
        return "Play Live: starting"
    how = f"slowed to {playing.rate:.0%}, as this computer cannot keep up" if playing.is_behind else f"{playing.rate:.0%} of real time"
    refused = playing.played.get("refused")
    return f"Play Live: {playing.doing.lower()}, {playing.seconds:.0f} s, {how}" + (f"   |   {refused}" if refused else "")


def _gait(playing: object) -> str:
    gait = playing.controls.gait
    number = f" ({GAITS.index(gait) + 1})" if gait in GAITS else ""
    return f"{gait.replace('_', ' ')}{number}"
