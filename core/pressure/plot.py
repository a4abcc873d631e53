"""A picture of a recording: force over time, the greatest pressures, the path of their centre. Needs matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Bools
from ..measure.plot import FAINT, LEFT, RIGHT, TRUNK, new_figure, save_figure
from .loads import NAMES, centre, feet_of, force
from .recording import EITHER, Recording
from .report import sentence
from .stances import stances

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = {0: LEFT, 1: RIGHT, EITHER: TRUNK}


def plot(recording: Recording, path: str | Path) -> None:
    """Write a PNG."""
    figure = new_figure(12, 9)
    figure.suptitle(sentence(recording), fontsize=12)
    feet = feet_of(recording)
    grid = figure.add_gridspec(2, len(feet), height_ratios=[1.0, 1.6])
    _draw_forces(figure.add_subplot(grid[0, :]), recording, feet)
    for place, foot in enumerate(feet):
        _draw_pressure(figure.add_subplot(grid[1, place]), recording, recording.layout.feet == foot, NAMES[foot])
    save_figure(figure, path)


def _draw_forces(axes: Axes, recording: Recording, feet: list[int]) -> None:
    """Force over time, faintly coloured where a foot stands."""
    for foot in feet:
        axes.plot(recording.times, force(recording, foot), color=COLORS[foot], linewidth=1.2, label=NAMES[foot])
    for step in stances(recording):
        start, end = step.strike or 0.0, recording.times[-1] if step.lift is None else step.lift
        axes.axvspan(start, end, color=COLORS[step.foot], alpha=0.1, linewidth=0)
    axes.set_xlabel("s")
    axes.set_ylabel("N" if recording.calibrated else "counts")
    axes.margins(x=0)
    axes.legend(loc="upper right", fontsize=9)


def _draw_pressure(axes: Axes, recording: Recording, under: Bools, name: str) -> None:
    """The greatest pressure of every sensor, and the path of the centre, seen from above, toes up."""
    from matplotlib.collections import PolyCollection

    ahead, left = recording.layout.centres[under].T
    half = 0.5 * np.sqrt(recording.layout.areas[under])
    greatest = np.nan_to_num(recording.pressures[:, under]).max(axis=0) / (1e3 if recording.calibrated else 1.0)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    squares = np.stack([-left, ahead], axis=1)[:, None] + corners * half[:, None, None]
    drawn = PolyCollection(100.0 * squares, array=greatest, cmap="inferno_r", edgecolors=FAINT if under.sum() < 400 else "none", linewidths=0.2)
    axes.add_collection(drawn)
    axes.figure.colorbar(drawn, ax=axes, label="greatest pressure, " + ("kPa" if recording.calibrated else "counts"), shrink=0.8)
    path = 100.0 * centre(recording, under)
    axes.plot(-path[:, 1], path[:, 0], color="#19b36b", linewidth=1.2, alpha=0.8)
    axes.autoscale_view()
    axes.set_aspect("equal")
    axes.set_title(f"{name}: greatest pressure and path of its centre", fontsize=10)
    axes.set_xlabel("cm")
