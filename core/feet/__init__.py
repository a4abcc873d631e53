"""Everything about feet, once.

- ``sole``: where soles are; ``level``: soles of recordings made level.
- ``stances``: when the feet of a motion stand; ``loads``: when the feet of a Result carry weight.
- ``plant``, ``pin``: feet that stay where they stand, in recordings and in what was simulated; ``fading`` and ``legs`` help them.
- ``slide``: how far feet slide all the same.
- ``apart``: legs that pass through each other, in recordings; ``around``: the same in what was simulated; ``pair`` and ``banded`` help it.

Foot 0 is the left, 1 the right. A sole has P points: the corners of heel, ball and toe tips, in the order of ``Body.sole_points``.
"""

from .sole import SIDES, depths, link, middles, sole_of, sole_positions, soles, speeds, velocities

__all__ = ["SIDES", "depths", "link", "middles", "sole_of", "sole_positions", "soles", "speeds", "velocities"]
