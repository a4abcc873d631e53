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
from .underfoot import usual_peak

ABOVE = 0.36  # share of the height that is for the force
COLOURS: dict[int, Colour] = {0: LEFT, 1: RIGHT, EITHER: TRUNK}
# From no pressure to the greatest one.
RAMP = np.array([(40, 50, 90), (50, 110, 190), (70, 190, 150), (240, 200, 60), (230, 60, 40)], dtype=float)
PATH: Colour = (255, 255, 255)
DOT_EDGE: Colour = (0, 0, 0)
TRAIL_S = 1.0  # s of the path of the centre that are drawn with a moment
MOMENTS = 1500  # of the path of the centre that are drawn
MARGIN = 0.06  # share of the height around everything


def draw_picture(recording: Recording, side: int = 256) -> Pixels:
    """(side, side, 4) RGBA, 0 to 255, clear where nothing is drawn: force over time above, the feet below it, seen from above, toes up."""
    image = np.zeros((side, side, 4))
    feet, below = feet_of(recording), round(ABOVE * side)
    _draw_forces(image[:below], recording, feet)
    for place, foot in enumerate(feet):
        begin, end = (side * number // len(feet) for number in (place, place + 1))
        _draw_pressure(image[below:, begin:end], recording, recording.layout.feet == foot)
    return np.round(image).astype(np.uint8)


def draw_moment(recording: Recording, frame: int, height: int, width: int) -> Pixels:
    """(height, width, 4) as above: what is felt on one frame, the path of its centre in the second before, and that centre. All frames of a recording
    show the same piece of a pad in the same colours."""
    image, feet = np.zeros((height, width, 4)), feet_of(recording)
    for place, foot in enumerate(feet):
        begin, end = (width * number // len(feet) for number in (place, place + 1))
        _draw_pressure(image[:, begin:end], recording, recording.layout.feet == foot, frame)
    return np.round(image).astype(np.uint8)


def colours_of(shares: Array) -> Array:
    """(N, 3) from 0 to 255: how pressures are drawn that are these shares (N,) of the greatest one."""
    places = np.clip(shares, 0.0, 1.0) * (len(RAMP) - 1)
    return np.stack([np.interp(places, np.arange(len(RAMP)), RAMP[:, channel]) for channel in range(3)], axis=1)


def _draw_forces(image: Array, recording: Recording, feet: list[int]) -> None:
    height, width = image.shape[:2]
    margin = MARGIN * height
    felt = {foot: np.nan_to_num(force(recording, foot)) for foot in feet}
    greatest = max((float(level.max(initial=0.0)) for level in felt.values()), default=0.0) or 1.0
    floor = height - margin
    draw_line(image, np.array([[0.0, floor], [width, floor]]), FLOOR, 0.5)
    steps = np.unique(np.linspace(0, len(recording.times), width + 1).astype(int))[:-1]
    for foot, level in felt.items():
        peaks = np.maximum.reduceat(level, steps)
        across = recording.times[steps] / max(float(recording.times[-1]), 1e-9) * (width - 1)
        points = np.stack([across, floor - peaks / greatest * (height - 2.0 * margin)], axis=1)
        for line in pairwise(points):
            draw_line(image, np.array(line), COLOURS[foot], 0.8)


def _looked_at(recording: Recording, under: Bools) -> Bools:
    """Of a pad only where somebody stepped, with some cells around it."""
    stepped_on = under & (np.nan_to_num(recording.pressures).max(axis=0) > 0.0)
    if recording.layout.grid is None or not stepped_on.any():
        return under
    places, around = recording.layout.centres, 3.0 * float(np.sqrt(np.median(recording.layout.areas)))
    low, high = places[stepped_on].min(axis=0) - around, places[stepped_on].max(axis=0) + around
    return under & ((places >= low) & (places <= high)).all(axis=1)


def _draw_pressure(image: Array, recording: Recording, under: Bools, frame: int | None = None) -> None:
    """``frame``: of this one; None: the greatest of all."""
    height, width = image.shape[:2]
    margin = MARGIN * height
    under = _looked_at(recording, under)
    places, sides = recording.layout.centres[under], np.sqrt(recording.layout.areas[under])
    low, high = (places - 0.5 * sides[:, None]).min(axis=0), (places + 0.5 * sides[:, None]).max(axis=0)
    room = np.array([height, width])
    scale = float(np.min((room - 2.0 * margin) / np.maximum(high - low, 1e-6)))
    top, left = 0.5 * (room - scale * (high - low))

    def to_pixels(points: Array) -> Array:
        return np.stack([left + scale * (high[1] - points[..., 1]), top + scale * (high[0] - points[..., 0])], axis=-1)

    pressures = np.nan_to_num(recording.pressures[:, under])
    felt = pressures.max(axis=0) if frame is None else pressures[frame]
    peak = float(felt.max()) if frame is None else usual_peak(pressures)
    colours = colours_of(felt / max(peak, 1e-9))
    for order in np.argsort(felt, kind="stable"):
        (x, y), side = to_pixels(places[order]), scale * sides[order] + 1e-6  # or there could be a gap between two cells
        (begin, end), (first, last) = ((max(0, round(at - 0.5 * side)), max(1, round(at + 0.5 * side))) for at in (x, y))
        image[first:max(first + 1, last), begin:max(begin + 1, end)] = (*colours[order], 255.0)
    path = to_pixels(centre(recording, under))
    if frame is None:
        path = path[::max(1, len(recording.times) // MOMENTS)]
    else:
        path = path[int(np.searchsorted(recording.times, recording.times[frame] - TRAIL_S)):frame + 1]
    for line in pairwise(path):
        if not np.isnan(line).any():
            draw_line(image, np.array(line), PATH, 0.3)
    if frame is not None and not np.isnan(path[-1]).any():
        for colour, radius in ((DOT_EDGE, 3.5), (PATH, 2.0)):
            draw_line(image, np.array([path[-1], path[-1]]), colour, radius)
