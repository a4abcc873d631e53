"""Centre of mass with the point below it, and centre of pressure."""

from __future__ import annotations

from math import isnan

from . import shapes
from .last_bake import LastBake

MASS_COLOR = (1.0, 0.80, 0.25, 1.0)
PRESSURE_COLOR = (0.95, 0.35, 0.55, 1.0)
LIFT = 0.004  # m over the ground, so that it does not flicker


def draw_mass(bake: LastBake, frame: int) -> None:
    x, y, z = bake.mass[frame]
    ground = float(bake.floor[frame]) + LIFT
    shapes.lines([(x, y, z), (x, y, ground)], MASS_COLOR, 1.0)
    shapes.lines(shapes.loop(shapes.ring((x, y, ground), 0.05)), MASS_COLOR, 2.0)
    size = 0.035
    tips = [(x + size, y, z), (x, y + size, z), (x - size, y, z), (x, y - size, z)]
    for pole in ((x, y, z + size), (x, y, z - size)):
        shapes.triangles([point for a, b in zip(tips, (*tips[1:], tips[0]), strict=True) for point in (pole, a, b)], MASS_COLOR)


def draw_pressure(bake: LastBake, frame: int) -> None:
    x, y, z = bake.pressure[frame]
    if isnan(x):
        return
    middle = (x, y, z + LIFT)
    shapes.triangles(shapes.fan(shapes.ring(middle, 0.025)), PRESSURE_COLOR)
    shapes.lines(shapes.loop(shapes.ring(middle, 0.04)), PRESSURE_COLOR, 2.0)
