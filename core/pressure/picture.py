"""A small picture of a recording, drawn with nothing but numpy, so that it works inside Blender too.

It shows the force over time, and the greatest pressures with the path of their centre.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..arrays import Array, Bools
from ..reference.strip import FLOOR, LEFT, RIGHT, TRUNK, Colour, Pixels, draw_line
from .loads import centre, feet_of, force
from .recording import EITHER, Recording

SQUARES = 8  # side by side: four of force over time, four of pressure
COLOURS: dict[int, Colour] = {0: LEFT, 1: RIGHT, EITHER: TRUNK}
# From no pressure to the greatest one.
RAMP = np.array([(40, 50, 90), (50, 110, 190), (70, 190, 150), (240, 200, 60), (230, 60, 40)], dtype=float)
PATH: Colour = (255, 255, 255)
MARGIN = 0.06  # share of the height around everything


def draw_picture(recording: Recording, height: int = 128) -> Pixels:
    """(height, 8 × height, 4) RGBA, 0 to 255, clear where nothing is drawn. Toes are to the right, the left side is up."""
    image = np.zeros((height, SQUARES * height, 4))
    half = SQUARES // 2 * height
    feet = feet_of(recording)
    _draw_forces(image[:, :half], recording, feet)
    for place, foot in enumerate(feet):
        begin, end = (half + half * number // len(feet) for number in (place, place + 1))
        _draw_pressure(image[:, begin:end], recording, recording.layout.feet == foot)
    return np.round(image).astype(np.uint8)


def _draw_forces(image: Array, recording: Recording, feet: list[int]) -> None:
    height, width = image.shape[:2]
    margin = MARGIN * height
    felt = {foot: np.nan_to_num(force(recording, foot)) for foot in feet}
    greatest = max((float(level.max(initial=0.0)) for level in felt.values()), default=0.0) or 1.0
    floor = height - margin
    draw_line(image, np.array([[0.0, floor], [width, floor]]), FLOOR, 0.5)
    steps = np.unique(np.linspace(0, len(recording.times), width // 2 + 1).astype(int))
    for foot, level in felt.items():
        peaks = np.maximum.reduceat(level, steps[:-1])
        across = (recording.times[steps[:-1]] / max(float(recording.times[-1]), 1e-9)) * (width - 1)
        points = np.stack([across, floor - peaks / greatest * (height - 2.0 * margin)], axis=1)
        for line in pairwise(points):
            draw_line(image, np.array(line), COLOURS[foot], 1.0)


def _looked_at(recording: Recording, under: Bools) -> Bools:
    """Of a pad only where somebody stepped, with some cells around it."""
    stepped_on = under & (np.nan_to_num(recording.pressures).max(axis=0) > 0.0)
    if recording.layout.grid is None or not stepped_on.any():
        return under
    places, around = recording.layout.centres, 3.0 * float(np.sqrt(np.median(recording.layout.areas)))
    low, high = places[stepped_on].min(axis=0) - around, places[stepped_on].max(axis=0) + around
    return under & ((places >= low) & (places <= high)).all(axis=1)


def _draw_pressure(image: Array, recording: Recording, under: Bools) -> None:
    height, width = image.shape[:2]
    margin = MARGIN * height
    under = _looked_at(recording, under)
    places, sides = recording.layout.centres[under], np.sqrt(recording.layout.areas[under])
    low, high = (places - 0.5 * sides[:, None]).min(axis=0), (places + 0.5 * sides[:, None]).max(axis=0)
    scale = float(np.min((np.array([width, height]) - 2.0 * margin) / np.maximum(high - low, 1e-6)))
    corner = 0.5 * (np.array([width, height]) - scale * (high - low))

    def to_pixels(points: Array) -> Array:
        return corner + scale * np.stack([points[..., 0] - low[0], high[1] - points[..., 1]], axis=-1)

    greatest = np.nan_to_num(recording.pressures[:, under]).max(axis=0)
    shares = np.clip(greatest / max(float(greatest.max()), 1e-9), 0.0, 1.0) * (len(RAMP) - 1)
    colours = np.stack([np.interp(shares, np.arange(len(RAMP)), RAMP[:, channel]) for channel in range(3)], axis=1)
    for order in np.argsort(greatest, kind="stable"):
        (x, y), side = to_pixels(places[order]), scale * sides[order]
        left, top = max(0, round(x - 0.5 * side)), max(0, round(y - 0.5 * side))
        image[top:max(top + 1, round(y + 0.5 * side)), left:max(left + 1, round(x + 0.5 * side))] = (*colours[order], 255.0)
    path = to_pixels(centre(recording, under))
    path = path[~np.isnan(path).any(axis=1)]
    chosen = path[np.unique(np.linspace(0, len(path) - 1, 200).astype(int))] if len(path) else path
    for line in pairwise(chosen):
        if np.hypot(*(line[1] - line[0])) < 0.3 * height:  # from one step to the next there is no path
            draw_line(image, np.array(line), PATH, 0.6)
