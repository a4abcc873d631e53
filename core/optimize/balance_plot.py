"""A picture of a balance map: which strategy takes which push. Needs matplotlib."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..measure.plot import new_figure, save_figure
from ..result import STRATEGIES
from .balance_map import BalanceMap

COLORS = ("#2a9d5c", "#9bc53d", "#f2c14e", "#f08a4b", "#7b5ea7")
FALL = "#d8dade"
ARC = 12  # straight pieces in which the arc of a field is drawn


def plot_map(found: BalanceMap, path: str | Path, title: str) -> None:
    """Write a PNG: seen from above, the body faces up; each field is a push of that direction and strength."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    figure = new_figure(8.0, 7.0)
    axes = figure.add_subplot(projection="polar")
    axes.set_theta_zero_location("N")
    step, rise = 2.0 * np.pi / len(found.directions), float(found.forces[1] - found.forces[0]) if len(found.forces) > 1 else float(found.forces[0])
    edges = np.arange(len(found.directions) * ARC + 1) * (step / ARC) - step / 2.0
    rings = np.append(found.forces, found.forces[-1] + rise) - rise / 2.0
    axes.pcolormesh(edges, rings, np.repeat(found.strategies, ARC, axis=0).T, cmap=ListedColormap([FALL, *COLORS]), vmin=-1.5, vmax=len(COLORS) - 0.5)
    axes.set_ylim(0.0, rings[-1])
    axes.set_xticks(np.radians([0, 45, 90, 135, 180, 225, 270, 315]), ["forward", "", "left", "", "backward", "", "right", ""])
    axes.set_rlabel_position(22.5)
    axes.set_yticks(found.forces[:: max(1, len(found.forces) // 5)])
    axes.yaxis.set_major_formatter("{x:.0f} N")
    axes.grid(alpha=0.25)
    axes.set_title(title, pad=18)
    fields = [Patch(color=color, label=name) for color, name in zip((*COLORS, FALL), (*STRATEGIES, "falls"), strict=True)]
    figure.legend(handles=fields, loc="lower right", frameon=False)
    save_figure(figure, path)
