"""Legs apart: makes a clip whose legs pass through each other fit for a body whose legs collide.

People are softer than boxes, and recordings are not exact: in a clip feet pass each other more closely than a body's shapes can. Feet that stand are
put further apart throughout the clip, and a foot that swings goes around the other one.
"""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..motion import Motion
from ..signals import envelope, nearby, smooth_step

ROOM = 0.01  # m between the legs at least
WIDEST = 0.08  # m that they are brought apart in a clip, at most: legs that are further in each other are meant to cross
SAMPLES = 6  # points along each link of a leg
AROUND_S = 0.1  # s in which a foot goes out of its way, and comes back to it


def apart(body: Body, motion: Motion, planted: Bools) -> Motion:
    """The motion with thighs so far outward that the legs do not touch; soles stay level. ``planted``: (F, 2) whether each foot stands."""
    wanted = np.clip(ROOM - gaps(body, motion), 0.0, WIDEST)
    standing = float(wanted[planted.all(axis=1)].max(initial=0.0))
    return _swung(body, motion, envelope(np.maximum(0.0, wanted - standing), AROUND_S * motion.fps), planted, standing)


def _swung(body: Body, motion: Motion, ways: Array, planted: Bools, standing: float) -> Motion:
    """The motion with swinging legs outward by ``ways`` (F,) m at the feet, and both by ``standing`` m in all. ``planted``: (F, 2)."""
    free = np.stack([_away_from(planted[:, foot], AROUND_S * motion.fps) for foot in (0, 1)], axis=1)
    # Of two feet in the air each goes half the way.
    outward = 0.5 * standing + ways[:, None] * free / np.maximum(1.0, free.sum(axis=1, keepdims=True))
    if not outward.any():
        return motion
    offsets = rotation.identity((motion.frames, len(body.names)))
    for foot, (side, sign) in enumerate((("L", 1.0), ("R", -1.0))):
        angles = sign * outward[:, foot] / body.leg_length
        offsets[:, body.names.index(f"thigh.{side}")] = rotation.from_axis_angle((1.0, 0.0, 0.0), angles)
        offsets[:, body.names.index(f"foot.{side}")] = rotation.from_axis_angle((1.0, 0.0, 0.0), -angles)
    return motion.displace(rotation_offsets=offsets)


def gaps(body: Body, motion: Motion) -> Array:
    """(F,) m between the legs, below 0 where they are in each other; a foot counts as a cylinder that is as wide as the foot."""
    left, right = ([_cylinder(body, motion, f"{name}.{side}") for name in ("shin", "foot", "toes")] for side in "LR")
    return np.min([np.linalg.norm(a[:, :, None] - b[:, None], axis=-1).min(axis=(1, 2)) - thick - other
                   for a, thick in left for b, other in right], axis=0)


def _cylinder(body: Body, motion: Motion, name: str) -> tuple[Array, float]:
    """Points (F, SAMPLES, 3) m along the middle of a link, and its radius, m."""
    link = body.names.index(name)
    positions, orientations = motion.world()
    shape = body.shapes[link]
    along, radius = ((0.0, 0.0, shape.size[1]), shape.size[0]) if shape.kind == "capsule" else ((shape.size[0], 0.0, 0.0), shape.size[1])
    points = np.array(shape.center) + np.linspace(-1.0, 1.0, SAMPLES)[:, None] * along
    return positions[:, link, None] + rotation.rotate(orientations[:, link, None], points), radius


def _away_from(on: Bools, reach: float) -> Array:
    """(F,) 0 where ``on`` (F,), 1 at ``reach`` frames away from there and further, smooth between."""
    far = np.full(len(on), reach)
    for frames in range(int(np.ceil(reach)), -1, -1):
        far[nearby(on, frames)] = frames
    return smooth_step(far / reach)
