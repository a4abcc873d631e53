"""The disc beside the chosen hit: where its dot is dragged to is where the hit goes and how hard, in the colour of what is expected there."""

from __future__ import annotations

from itertools import groupby
from math import atan2, cos, pi, sin
from textwrap import wrap

import blf
import bpy
import numpy as np
from mathutils import Vector

from ..aiming import Disc, circle
from ..forecast import forecast_of
from ..reaction import Outlook, fates_of
from . import shapes
from .reaction import COLORS

ANGLES, RINGS = 48, 12  # of the grid on which strategies are looked up
FILL, BEHIND, UNKNOWN = 0.8, (0.08, 0.08, 0.09, 0.65), (0.45, 0.45, 0.47, 0.6)
LINE, DOT = (0.95, 0.95, 0.95, 0.9), (1.0, 1.0, 1.0, 1.0)
AROUND, DOT_SIZE, NOSE = 5, 5, 7  # pixels at a scale of 1: of the dark behind it, half of the dot, of the mark where the character faces
SIZE, ROW, GAP = 12, 16, 12  # pixels at a scale of 1: of letters, from line to line, from the disc to the text
LETTERS = 44  # of a line
TEXT = (0.97, 0.97, 0.97, 1.0)


class _Looked:
    """The strategies of the last disc that was drawn, and what they are of."""

    of: tuple = ()
    rows: list[list[str]] | None = None


def strategies(outlook: Outlook) -> list[list[str]] | None:
    """ANGLES lists of RINGS strategies of hits like the chosen one, in the job's axes from its x on, from the middle to the rim; None where nobody
    knows."""
    if outlook.answer is None:
        return None
    hit, clip = outlook.hits[outlook.chosen], outlook.clip
    of = (clip, hit.time, hit.part, outlook.before)
    if _Looked.of != of:
        angles, sizes = np.meshgrid(2.0 * pi * np.arange(ANGLES) / ANGLES, clip.strongest * (np.arange(RINGS) + 0.5) / RINGS, indexing="ij")
        impulses = np.stack([sizes * np.cos(angles), sizes * np.sin(angles), 0.0 * sizes], axis=-1).reshape(-1, 3)
        found = fates_of(outlook, impulses)
        _Looked.of, _Looked.rows = of, [found[n:n + RINGS] for n in range(0, len(found), RINGS)]
    return _Looked.rows


def draw(context: bpy.types.Context, outlook: Outlook, disc: Disc, force: Vector) -> None:
    """``force``: N, world, of the chosen hit."""
    scale, clip = context.preferences.system.ui_scale, outlook.clip
    shapes.triangles(shapes.fan(circle(disc.x, disc.y, disc.radius + AROUND * scale, 64)), BEHIND)
    rows = strategies(outlook)
    # The angle on the disc of the x axis of the job: up on the disc is ``ahead``.
    turn = clip.placement.yaw - atan2(disc.right.y, disc.right.x)
    if rows is None:
        shapes.triangles(shapes.fan(circle(disc.x, disc.y, disc.radius, 64)), UNKNOWN)
    else:
        points: dict[str, list] = {name: [] for name in COLORS}
        for number, row in enumerate(rows):
            start = 0
            for strategy, run in groupby(row):
                end = start + len(list(run))
                points[strategy] += _field(disc, turn + 2.0 * pi * number / ANGLES, start / RINGS, end / RINGS)
                start = end
        for strategy, triangles in points.items():
            shapes.triangles(triangles, (*COLORS[strategy], FILL))
    shapes.lines(shapes.loop(circle(disc.x, disc.y, disc.radius, 64)), LINE, 1.5)
    shapes.lines([(disc.x - 3 * scale, disc.y, 0), (disc.x + 3 * scale, disc.y, 0), (disc.x, disc.y - 3 * scale, 0), (disc.x, disc.y + 3 * scale, 0)],
                 LINE, 1.5)
    _nose(disc, turn + float(clip.ready.headings[clip.ready.frame(outlook.hits[outlook.chosen].time)]), NOSE * scale)
    x, y = disc.place(force)
    shapes.lines([(disc.x, disc.y, 0.0), (x, y, 0.0)], DOT, 2.0)
    shapes.triangles(shapes.fan(circle(x, y, (DOT_SIZE + 1.5) * scale, 20)), (0.0, 0.0, 0.0, 0.9))
    shapes.triangles(shapes.fan(circle(x, y, DOT_SIZE * scale, 20)), DOT)
    _text(disc, lines_of(outlook), scale)


def lines_of(outlook: Outlook) -> list[str]:
    """What is written under the disc."""
    hit, forecast = outlook.hits[outlook.chosen], forecast_of(outlook)
    numbers = f"{np.linalg.norm(hit.force):.0f} N for {hit.seconds:.3g} s"
    if forecast is None:
        return [numbers, *wrap(outlook.why, LETTERS)]
    words = forecast.words
    return [words[0].upper() + words[1:], numbers]


def _field(disc: Disc, angle: float, near: float, far: float) -> list:
    """Two triangles, or a part of the middle as one, between two parts of the radius."""
    half = pi / ANGLES + 0.004  # no gap between two of them

    def corner(at: float, part: float) -> tuple[float, float, float]:
        return disc.x + part * disc.radius * cos(at), disc.y + part * disc.radius * sin(at), 0.0

    a, b, c, d = corner(angle - half, near), corner(angle - half, far), corner(angle + half, far), corner(angle + half, near)
    return [a, b, c] if near == 0.0 else [a, b, c, a, c, d]


def _nose(disc: Disc, angle: float, size: float) -> None:
    """A mark at the rim where the character faces."""
    def at(radius: float, turn: float) -> tuple[float, float, float]:
        return disc.x + radius * cos(angle + turn), disc.y + radius * sin(angle + turn), 0.0

    base = disc.radius + 1.0
    shapes.triangles([at(base + size, 0.0), at(base, -0.12), at(base, 0.12)], LINE)


def _text(disc: Disc, lines: list[str], scale: float) -> None:
    blf.size(0, SIZE * scale)
    blf.enable(0, blf.SHADOW)
    blf.shadow(0, 3, 0.0, 0.0, 0.0, 1.0)
    blf.color(0, *TEXT)
    y = disc.y - disc.radius - (AROUND + GAP) * scale
    for number, line in enumerate(lines):
        width, _ = blf.dimensions(0, line)
        blf.position(0, disc.x - 0.5 * width, y - (number + 0.5) * ROW * scale, 0.0)
        blf.draw(0, line)
    blf.disable(0, blf.SHADOW)
