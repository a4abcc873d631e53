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
from .settings import HOME


def homeward(body: Body, there: Motion, clip: Motion, contacts: Bools, start: int) -> Motion:
    """``there``, which is the clip turned and moved elsewhere, as it comes back to the clip from frame ``start`` on. ``contacts``: (F, 2) of the
    clip."""
    frames = np.arange(clip.frames)
    away = float(np.linalg.norm((there.root_positions - clip.root_positions)[start, :2]))
    turned = float(np.linalg.norm(rotation.log(rotation.multiply(rotation.conjugate(clip.rotations[start, 0]), there.rotations[start, 0]))))
    span = max(away / HOME.pace, turned / HOME.turn, HOME.shortest_s) * clip.fps
    return nearing(body, there, clip, contacts, smooth_step((frames - start) / span))


def nearing(body: Body, there: Motion, clip: Motion, contacts: Bools, near: Array) -> Motion:
    """``there`` as it goes over into the clip: ``near`` (F,) of the way on each frame, from 0 to 1. Feet that stand stay where they are, and come
    nearer while they swing. ``contacts``: (F, 2) of both."""
    ankles, toes = ([feet.link(body, name, foot) for foot in (0, 1)] for name in ("foot", "toes"))
    steps = np.stack([_stepwise(near, contacts[:, foot]) for foot in (0, 1)], axis=1)
    (places, turns), (own, own_turns) = there.world(), clip.world()
    goals = places[:, ankles] + steps[:, :, None] * (own - places)[:, ankles]
    way = there.blend(clip, near)
    bends = rotation.log(rotation.slerp(there.rotations[:, toes], clip.rotations[:, toes], steps))[..., 1]
    return legs.reaching(body, legs.lowered(body, way, goals, contacts), goals, rotation.slerp(turns[:, ankles], own_turns[:, ankles], steps), bends)


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
