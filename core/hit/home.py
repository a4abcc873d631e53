"""Home: a walker that was pushed aside comes back to the way of its clip, in its own steps.

There is no physics in it: each step lands a little nearer to where the clip has it, as when people drift back to their side of a pavement.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .. import feet, rotation
from ..arrays import Array, Bools
from ..body import Body
from ..feet import legs
from ..motion import Motion
from ..signals import runs, smooth_step
from .settings import HOME, STUMBLE


def homeward(body: Body, elsewhere: Motion, clip: Motion, contacts: Bools, start: int) -> Motion:
    """``elsewhere``, which is the clip turned and moved, as it comes back to the clip from frame ``start`` on. ``contacts``: (F, 2) of the
    clip."""
    frames = np.arange(clip.frames)
    away = float(np.linalg.norm((elsewhere.root_positions - clip.root_positions)[start, :2]))
    turned = float(np.linalg.norm(rotation.log(rotation.multiply(rotation.conjugate(clip.rotations[start, 0]), elsewhere.rotations[start, 0]))))
    span = max(away / HOME.pace, turned / HOME.turn, HOME.shortest_s) * clip.fps
    return nearing(body, elsewhere, clip, contacts, smooth_step((frames - start) / span))


def there(body: Body, clip: Motion, motion: Motion, back: int, stance: int, little: float = 0.0) -> Motion:
    """The clip turned and moved to where ``motion`` is from frame ``back`` on, so that the foot that stands stays where it is. It is not turned by
    less than ``little`` (rad)."""
    span = slice(back, min(back + round(STUMBLE.fade_s * clip.fps), motion.frames, clip.frames))
    ways = rotation.heading(motion.rotations[span, 0]) - rotation.heading(clip.rotations[span, 0])
    angle = float(np.angle(np.exp(1j * ways).mean()))
    turn = rotation.from_axis_angle((0.0, 0.0, 1.0), angle if abs(angle) > little else 0.0)
    rotations = clip.rotations.copy()
    rotations[:, 0] = rotation.multiply(turn, rotations[:, 0])
    turned = Motion(clip.skeleton, clip.fps, rotation.rotate(turn, clip.root_positions), rotations)
    ball = feet.link(body, "toes", stance)
    away = (motion.world()[0][span, ball] - turned.world()[0][span, ball]).mean(axis=0)
    return turned.displace(away * (1.0, 1.0, 0.0))


def nearing(body: Body, before: Motion, clip: Motion, contacts: Bools, near: Array) -> Motion:
    """``before`` as it goes over into the clip: ``near`` (F,) of the way on each frame, from 0 to 1. Feet that stand stay where they are, and come
    nearer while they swing. Where nothing is between the two, it is exactly ``before`` or the clip. ``contacts``: (F, 2) of both."""
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    steps = np.stack([_stepwise(near, contacts[:, foot]) for foot in (0, 1)], axis=1)
    (places, turns), (own, own_turns) = before.world(), clip.world()
    goals = places[:, ankles] + steps[:, :, None] * (own - places)[:, ankles]
    way = before.blend(clip, near)
    bends = rotation.log(rotation.slerp(before.rotations[:, toes], clip.rotations[:, toes], steps))[..., 1]
    turned = rotation.slerp(turns[:, ankles], own_turns[:, ankles], steps)
    reached = legs.reaching(body, legs.lowered(body, way, goals, contacts), goals, turned, bends)
    still = ((near == 0.0) | (near == 1.0)) & (steps == near[:, None]).all(axis=1)
    return Motion(clip.skeleton, clip.fps, np.where(still[:, None], way.root_positions, reached.root_positions),
                  rotation.make_continuous(np.where(still[:, None, None], way.rotations, reached.rotations)))


def _stepwise(near: Array, stands: Bools) -> Array:
    """(F,) like ``near``, but one value while a foot stands; it changes while the foot swings."""
    values = near.copy()
    spans = runs(stands)
    for start, end in spans:
        values[start:end] = near[(start + end) // 2 if end < len(near) else start]
    for (_, start), (end, _) in pairwise(spans):
        swung = smooth_step((np.arange(start, end) - start + 1.0) / (end - start + 1.0))
        values[start:end] = values[start - 1] + swung * (values[end] - values[start - 1])
    return values
