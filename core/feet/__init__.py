"""Everything about feet, once: soles, stances, legs that reach for them, planting and pinning, loads, slide.

Foot 0 is the left, 1 the right. A sole has P points: the corners of heel, ball and toe tips, in the order of ``Body.sole_points``.
"""

from .sole import SIDES, depths, link, middles, sole_of, sole_positions, soles, speeds, velocities

__all__ = ["SIDES", "depths", "link", "middles", "sole_of", "sole_positions", "soles", "speeds", "velocities"]
