"""Pictures of a Result that a person can read: stick figures, footprints, forces, joint angles. Needs matplotlib."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import feet, rotation
from ..arrays import Array, Ints
from ..errors import JobError
from ..feet.loads import stances
from ..kinematics import body_weight, link_poses, sole_feet, sole_positions
from ..reference import Reference
from ..result import Result
from . import norms
from .balance import center_of_pressure, com_projection, convex_hull
from .gait import mean_heading
from .report import measure, sentence
from .span import fall_frame, steady

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIGURES = 12
LEFT, RIGHT, TRUNK, PRESSURE, FAINT = "#1f6fb4", "#d1495b", "#30343b", "#e9a100", "#9aa0a8"
_COLORS = {".L": LEFT, ".R": RIGHT}


def plot(result: Result, path: str | Path) -> None:
    """Write a PNG: stick figures over time, the ground from above, forces under the feet, joint angles beside norms."""
    figure = new_figure(13, 13)
    grid = figure.add_gridspec(4, 3, height_ratios=[1.9, 1.8, 1.7, 2.2])
    figure.suptitle(sentence(result, measure(result)), fontsize=12)
    _draw_strip(figure.add_subplot(grid[0, :]), result, _spread(0, result.frames, FIGURES), "side")
    _draw_map(figure.add_subplot(grid[1, :]), result)
    _draw_forces(figure.add_subplot(grid[2, :]), result)
    _draw_curves([figure.add_subplot(grid[3, column]) for column in range(3)], steady(result))
    save_figure(figure, path)


def strip(result: Result, path: str | Path, start: float, end: float, count: int = FIGURES) -> None:
    """Write a PNG of ``count`` stick figures from ``start`` to ``end`` seconds, from the side and beneath it from the front."""
    first, last = (int(np.clip(round(time * result.fps), 0, result.frames - 1)) for time in (start, end))
    if last <= first:
        lasts = result.frames / result.fps
        raise JobError(f"There is nothing to draw from {start:g} s to {end:g} s: the result lasts {lasts:g} s.")
    frames = _spread(first, last + 1, count)
    figure = new_figure(max(6.0, 1.1 * count), 5.5)
    side, front = figure.subplots(2, 1)
    _draw_strip(side, result, frames, "side")
    _draw_strip(front, result, frames, "front")
    save_figure(figure, path)


def new_figure(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise JobError("Pictures need matplotlib, which is not installed: install it, or measure without a plot.") from error
    return Figure(figsize=(width, height), dpi=100, layout="constrained")


def save_figure(figure: Figure, path: str | Path) -> None:
    # Drawn by Agg whatever the user's backend is, and without pyplot: nothing of the process's own plots is touched.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    try:
        FigureCanvasAgg(figure).print_figure(path, format="png")
    except OSError as error:
        raise JobError(f"Could not write '{path}': {error.strerror or error}; choose another place.") from error


def _spread(start: int, end: int, count: int) -> Ints:
    """Up to ``count`` frames, evenly from ``start`` to the last before ``end``."""
    return np.unique(np.linspace(start, end - 1, count).round().astype(int))


def _draw_strip(axes: Axes, result: Result, frames: Ints, view: str) -> None:
    """Figures side by side, however far they went. Side: forward is to the right. Front: facing us, its left at our right."""
    segments, colors = _sticks(result, frames)
    turned = _in_heading_frame(segments, result.root_positions[frames], mean_heading(result)[frames])
    flat = turned[..., [0 if view == "side" else 1, 2]]
    height = np.ptp(flat[..., 1])
    spacing = max(0.5 * height, 1.1 * np.ptp(flat[..., 0], axis=(1, 2)).max())
    flat[..., 0] += spacing * np.arange(len(frames))[:, None, None]
    ground = result.ground_heights[frames].mean(axis=1)

    from matplotlib.collections import LineCollection
    axes.add_collection(LineCollection(flat.reshape(-1, 2, 2), colors=colors * len(frames), linewidths=2, capstyle="round"))
    for number, frame in enumerate(frames):
        middle = spacing * number
        axes.plot([middle - spacing / 2, middle + spacing / 2], [ground[number]] * 2, color=FAINT, linewidth=1, zorder=0)
        axes.annotate(f"{frame / result.fps:.2f} s", (middle, ground.min()), (0, -6), textcoords="offset points",
                      ha="center", va="top", fontsize=8)
    axes.set_xlim(-0.6 * spacing, (len(frames) - 0.4) * spacing)
    axes.set_ylim(ground.min() - 0.12 * height, flat[..., 1].max() + 0.05 * height)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title(f"From the {view}", loc="left", fontsize=10)
    for place, (name, color) in enumerate((("left", LEFT), ("right", RIGHT))):
        axes.text(0.96 + 0.04 * place, 1.02, name, color=color, transform=axes.transAxes, ha="right", va="bottom", fontsize=10)


def _in_heading_frame(points: Array, origins: Array, headings: Array) -> Array:
    """(F, ..., 3) world points seen from (F, 3) origins along (F,) headings: metres forward, left, and height in the world."""
    shape = (-1, *[1] * (points.ndim - 2))
    x, y = (points[..., axis] - origins[:, axis].reshape(shape) for axis in (0, 1))
    cos, sin = np.cos(headings).reshape(shape), np.sin(headings).reshape(shape)
    return np.stack([cos * x + sin * y, cos * y - sin * x, points[..., 2]], axis=-1)


def _sticks(result: Result, frames: Ints) -> tuple[Array, list[str]]:
    """(frames, S, 2, 3) metres, world: line segments of bones and soles; and the S colours, the near (right) side last."""
    positions, orientations = (poses[frames] for poses in link_poses(result))
    pieces = []
    for link, name in enumerate(result.link_names):
        color = _COLORS.get(name[-2:], TRUNK)
        children = np.flatnonzero(result.parents == link)
        pieces += [(color, positions[:, link], positions[:, child]) for child in children]
        if _ends_free(result, link, children):
            reach = rotation.rotate(orientations[:, link], 2 * result.shape_centers[link])
            pieces.append((color, positions[:, link], positions[:, link] + reach))
    for foot, color in enumerate((LEFT, RIGHT)):
        pieces += [(color, *ends) for ends in _foot_sticks(result, frames, positions, foot)]
    pieces.sort(key=lambda piece: (LEFT, TRUNK, RIGHT).index(piece[0]))
    return np.stack([np.stack(ends, axis=1) for _, *ends in pieces], axis=1), [color for color, *_ in pieces]


def _ends_free(result: Result, link: int, children: Ints) -> bool:
    """Whether a link sticks out beyond its joints: a forearm, a head, the trunk of a body without a torso; feet have soles."""
    onward = result.offsets[children] @ result.shape_centers[link] > 0
    return not onward.any() and link not in result.sole_links


def _foot_sticks(result: Result, frames: Ints, positions: Array, foot: int) -> list[tuple[Array, Array]]:
    """Segments ((frames, 3), (frames, 3)) of one foot: ankle to heel, then along the sole, and the width of each of its rows."""
    points = np.flatnonzero(sole_feet(result) == foot)
    if not len(points):
        return []
    soles = sole_positions(result)[frames]
    # Rows from heel to tip: the toes follow the foot in the list of links, so link order comes before place in the link.
    places = [(int(result.sole_links[point]), round(float(result.sole_points[point, 0]), 4)) for point in points]
    rows = [points[[place == row for place in places]] for row in sorted(set(places))]
    middles = [soles[:, row].mean(axis=1) for row in rows]
    ankle = positions[:, result.sole_links[rows[0][0]]]
    widths = [(soles[:, row[0]], soles[:, row[-1]]) for row in rows]
    return [(ankle, middles[0]), (ankle, middles[min(1, len(rows) - 1)]), *pairwise(middles), *widths]


def _draw_map(axes: Axes, result: Result) -> None:
    """Footprints, centre of mass and centre of pressure from above; right is where the character faced at first."""
    heading = np.full(result.frames, mean_heading(result)[0])
    start = np.broadcast_to(result.root_positions[0], (result.frames, 3))
    soles, feet = _in_heading_frame(sole_positions(result), start, heading)[..., :2], sole_feet(result)

    from matplotlib.collections import PolyCollection
    for foot, (intervals, color, name) in enumerate(zip(stances(result), (LEFT, RIGHT), ("left foot", "right foot"), strict=True)):
        prints = [convex_hull(soles[(first + last) // 2, feet == foot]) for first, last in intervals]
        axes.add_collection(PolyCollection(prints, facecolors=color, edgecolors=color, alpha=0.35, label=name))
    for points, color, name in ((com_projection(result), TRUNK, "centre of mass"),
                                (center_of_pressure(result), PRESSURE, "centre of pressure")):
        line = _in_heading_frame(np.column_stack([points, np.zeros(result.frames)]), start, heading)
        axes.plot(line[:, 0], line[:, 1], color=color, linewidth=1.2, label=name)
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale_view()
    axes.set_xlabel("forward (m)")
    axes.set_ylabel("left (m)")
    axes.set_title("From above", loc="left", fontsize=10)
    axes.legend(loc="upper right", fontsize=8, ncols=4)


def _draw_forces(axes: Axes, result: Result) -> None:
    loads = result.foot_forces[:, :, 2] / body_weight(result)
    for foot, (color, name) in enumerate(((LEFT, "left foot"), (RIGHT, "right foot"))):
        axes.plot(result.times, loads[:, foot], color=color, linewidth=1.2, label=name)
    axes.axhline(1.0, color=FAINT, linewidth=0.8, linestyle=":")
    fall = fall_frame(result)
    if fall is not None:
        axes.axvline(fall / result.fps, color=TRUNK, linestyle="--", linewidth=1.2, label="fell")
    axes.set_xlim(0, max(result.times[-1], 1 / result.fps))
    axes.set_ylim(0, max(1.2, 1.05 * loads.max()))
    axes.set_xlabel("time (s)")
    axes.set_ylabel("body weights")
    axes.set_title("Vertical ground force", loc="left", fontsize=10)
    axes.legend(loc="upper right", fontsize=8, ncols=3)


def _draw_curves(row: list[Axes], result: Result) -> None:
    """Hip, knee and ankle over the mean cycle of each leg, over the band of people (mean ± 2 standard deviations)."""
    bands, cycle = norms.norms_of(result), np.linspace(0, 100, norms.POINTS)
    for axes, (joint, legs) in zip(row, norms.curves(result).items(), strict=True):
        band = bands[joint]
        axes.fill_between(cycle, band.mean - 2 * band.sd, band.mean + 2 * band.sd, color=FAINT, alpha=0.3, linewidth=0, label="people, ± 2 SD")
        # Dashes let the left leg show where both are alike.
        for leg, color, style, name in zip(legs, (LEFT, RIGHT), ("-", "--"), ("left", "right"), strict=True):
            if np.isfinite(leg).all():
                axes.plot(cycle, leg, color=color, linestyle=style, linewidth=1.8, label=name)
        if not np.isfinite(legs).any():
            axes.text(0.5, 0.5, "no full stride", transform=axes.transAxes, ha="center", va="center", color=TRUNK)
        axes.set_xlim(0, 100)
        axes.set_xlabel("% of the gait cycle")
        axes.set_title(f"{joint.capitalize()} {'dorsiflexion' if joint == 'ankle' else 'flexion'} (°)", loc="left", fontsize=10)
    if row[0].get_legend_handles_labels()[0]:
        row[0].legend(loc="best", fontsize=8)


def plot_reference(reference: Reference, path: str | Path) -> None:
    """Write a PNG: the height of both soles over time, with the stances that were found and where the clip is cut."""
    figure = new_figure(13, 5)
    soles = feet.soles(reference.body, reference.motion)[..., 2].min(axis=2)
    times = np.arange(reference.motion.frames) / reference.motion.fps
    for foot, (name, color) in enumerate((("left", LEFT), ("right", RIGHT))):
        axes = figure.add_subplot(2, 1, foot + 1)
        axes.plot(times, 1000 * soles[:, foot], color=color)
        axes.fill_between(times, 0, 1, where=reference.contacts[:, foot], transform=axes.get_xaxis_transform(), color=color, alpha=0.15, linewidth=0)
        for fragment in reference.fragments:
            axes.axvline(fragment.start / reference.motion.fps, color=FAINT, linewidth=0.8)
        axes.set_ylabel(f"{name} sole (mm)")
    axes.set_xlabel("s")
    figure.suptitle(reference.name)
    save_figure(figure, path)
