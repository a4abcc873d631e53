"""Arms and legs as two bones with a hinge between: how they are turned, given where their joints are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import rotation
from ..arrays import Array
from ..signals import smooth_step

# Sines of the bend between which the plane of a limb becomes reliable: one that is nearly straight bends in any plane.
STRAIGHT, BENT = np.sin(np.radians(4.0)), np.sin(np.radians(16.0))
# Sines of the bend between which a limb that bends against its hinge is believed: less of it is a hinge stretched too far.
OVERSTRETCHED, REVERSED = np.sin(np.radians(25.0)), np.sin(np.radians(45.0))
# Cosines between the axis that the joints show and the expected one: up to the first a limb bends against its hinge, from the second on with it.
AGAINST, WITH = -0.3, 0.3
# Sine of the bend from which a limb shows the axis of its hinge well enough to measure it.
CLEARLY_BENT = np.sin(np.radians(20.0))
# Frames, and share of all frames, in which a limb must be clearly bent to measure its hinge.
LEAST_FRAMES, LEAST_SHARE = 5, 0.02
# Length of the mean of the axes, each of length 1, from which they agree: bones that turn with the limb show the same axis all the time.
AGREEMENT = 0.9


class Limb(NamedTuple):
    """Where the joints of a leg or an arm are, (F, 3) or (3,) metres, world: hip, knee and ankle, or shoulder, elbow and wrist."""

    start: Array
    middle: Array
    end: Array


def hinge_hint(limb: Limb, turns: Array, at_rest: Array, stand_in: Array, sign: float) -> Array:
    """(F, 3) the axis of a knee (sign +1) or an elbow (−1), world, whether the limb is bent or not.

    A bent limb shows its axis. Where the clip's own bone turns with the limb, that axis lies in the bone, and is known in all frames.

    Args:
        turns: (F, 4) orientation of the clip's upper bone.
        at_rest: (3,) the axis in the frame of that bone as the resting pose has it, for a limb that never bends.
        stand_in: (F, 3) the axis as other parts of the body suggest it, for bones that do not turn with the limb.
    """
    normal = sign * np.cross(unit(limb.middle - limb.start), unit(limb.end - limb.middle))
    bent = np.linalg.norm(normal, axis=-1) > CLEARLY_BENT
    if bent.sum() < max(LEAST_FRAMES, LEAST_SHARE * len(bent)):
        return rotation.rotate(turns, at_rest)
    axis = rotation.rotate(rotation.conjugate(turns[bent]), unit(normal[bent])).mean(axis=0)
    if np.linalg.norm(axis) < AGREEMENT:
        return stand_in
    return rotation.rotate(turns, unit(axis) if axis @ at_rest > 0.0 else at_rest)


def bend(limb: Limb, hint: Array, sign: float) -> tuple[Array, Array]:
    """Orientations of the upper bone of a limb and the angle of its hinge, so that the limb's end lies where it does in the clip.

    The limb bends in the plane of its joints. Where it is nearly straight, so that this plane is chance, it bends about ``hint``. Where it is a
    little overstretched it becomes straight, because a hinge does not bend the other way.

    Args:
        hint: (F, 3) about where the axis of the hinge is.
        sign: +1 for a knee, which bends about its +Y axis; −1 for an elbow.

    Returns:
        (F, 4) orientation of the upper bone, world, and (F,) radians of the hinge about its Y axis, 0 where straight.
    """
    upper, lower, reach = unit(limb.middle - limb.start), unit(limb.end - limb.middle), unit(limb.end - limb.start)
    normal = sign * np.cross(upper, lower)
    sine = np.linalg.norm(normal, axis=-1)
    hint = unit(hint - dot(hint, reach)[:, None] * reach)
    plane = unit(normal)
    believed = np.maximum(_ramp(dot(plane, hint), AGAINST, WITH), _ramp(sine, OVERSTRETCHED, REVERSED))
    weight = (_ramp(sine, STRAIGHT, BENT) * believed)[:, None]
    axis = unit(weight * plane + (1.0 - weight) * hint)
    angle = np.clip(np.arctan2(dot(normal, axis), dot(upper, lower)), 0.0, None)
    return _upper(limb, axis, angle, sign), sign * angle


def bend_about(limb: Limb, axis: Array, sign: float) -> tuple[Array, Array]:
    """As :func:`bend`, for a limb of which only the ends are believed: it bends as much as in the clip, but about ``axis`` (F, 3)."""
    upper, lower, reach = unit(limb.middle - limb.start), unit(limb.end - limb.middle), unit(limb.end - limb.start)
    axis = unit(axis - dot(axis, reach)[:, None] * reach)
    angle = np.arctan2(np.linalg.norm(np.cross(upper, lower), axis=-1), dot(upper, lower))
    return _upper(limb, axis, angle, sign), sign * angle


def _upper(limb: Limb, axis: Array, angle: Array, sign: float) -> Array:
    """(F, 4) orientation of the upper bone where the hinge bends by ``angle`` (F,) about ``axis`` (F, 3) and the limb's end lies where it does."""
    ahead = lead(angle, np.linalg.norm(limb.middle - limb.start, axis=-1), np.linalg.norm(limb.end - limb.middle, axis=-1))
    along = rotation.rotate(rotation.from_axis_angle(axis, -sign * ahead), unit(limb.end - limb.start))
    return frames(along, axis)


def lead(angle: Array, upper: Array | float, lower: Array | float) -> Array:
    """(F,) radians between an upper bone and the line from its start to the limb's end, with the hinge bent by ``angle`` (F,).

    Args:
        upper, lower: metres, the lengths of the two bones.
    """
    return np.arctan2(lower * np.sin(angle), upper + lower * np.cos(angle))


def frames(along: Array, left: Array) -> Array:
    """(..., 4) that turn a limb, which hangs along −Z, to ``along`` (..., 3), and its Y axis as near to ``left`` (..., 3) as can be."""
    z = -unit(along)
    y = unit(left - dot(left, z)[..., None] * z)
    return rotation.from_matrix(np.stack([np.cross(y, z), y, z], axis=-1))


def unit(vectors: Array) -> Array:
    """(..., 3) of length 1; a vector without length stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > rotation.NOISE)


def dot(a: Array, b: Array) -> Array:
    """(...) the dot products of vectors (..., K)."""
    return np.sum(a * b, axis=-1)


def _ramp(value: Array, low: float, high: float) -> Array:
    """0 up to ``low``, 1 from ``high``, smooth between."""
    return smooth_step((value - low) / (high - low))
