"""Where the feet came down, from the first frame to the current one strong, later ones faint."""

from __future__ import annotations

from . import shapes
from .last_bake import LastBake

COLORS = ((0.35, 0.65, 1.0), (1.0, 0.55, 0.30))  # left, right
LIFT = 0.004  # m over the ground, so that they do not flicker


def draw(bake: LastBake, frame: float) -> None:
    for landed, foot, outline in bake.footprints:
        strength = 1.0 if landed <= frame else 0.35
        points = [(x, y, z + LIFT) for x, y, z in outline]
        shapes.triangles(shapes.fan(points), (*COLORS[foot], 0.25 * strength))
        shapes.lines(shapes.loop(points), (*COLORS[foot], 0.9 * strength), 2.0)
