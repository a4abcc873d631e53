"""A character's feet under a hit: where the simulated ones are over the floor, they do not sink into it. Arrays only, no Blender.

The simulated feet are a box each, with toes that are a hinge; those of the character's own animation may be turned otherwise all the while. So turns
that are carried over alone may leave its soles some centimetres lower.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...core import rotation
from ...core.body import make_body
from .fit import Fit
from .reach import reach
from .retarget import Retarget

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Moved:
    """The simulated body on N frames: (N, 4) how each link is turned from rest, and (N, 3) where its joint is, both world."""

    turns: Arrays
    paths: Arrays

    def sole(self, fit: Fit, side: str) -> np.ndarray:
        """(N,) the height of the lowest point of a foot."""
        joints = {link: fit.placement.to_world(fit.joints[link]) for link in fit.joints}
        return _lowest(self.paths[link] + rotation.rotate(self.turns[link], point - joints[link]) for link, point in soles(fit, side))


def soles(fit: Fit, side: str) -> list[tuple[str, np.ndarray]]:
    """The corners of the sole of a foot at rest, (3,) world, and the link that each belongs to."""
    body = make_body(fit.body)
    return [(body.names[link], fit.placement.to_world(fit.joints[body.names[link]] + rotation.rotate(fit.rest[body.names[link]], point)))
            for link, point in zip(body.sole_links, body.sole_points, strict=True)
            if body.names[link].endswith(side) and body.names[link] in fit.joints]


def legs_reach(retarget: Retarget, heads: Arrays, turned: Arrays, changes: dict[str, np.ndarray], goals: Arrays, now: Moved, before: Moved) -> None:
    """Turn thighs and shins further in ``changes`` where a foot would be in the floor, so that it stands as the simulated one does.

    Args:
        heads, turned: (N, 3) and (N, 4) of bones in the character's own animation, world: where they begin, and how they are turned from rest.
        changes: (N, 4) how the bones turn from there, world axes. goals: (N, 3) where bones come that are carried by keys of their own.
        now, before: the simulated body, and as the clip has it.
    """
    for link, (thigh, shin, foot) in retarget.legs.items():
        hip = _carried(retarget, heads, changes, goals, thigh)
        knee = hip + rotation.rotate(changes[thigh], heads[shin] - heads[thigh])
        ankle = knee + rotation.rotate(changes[shin], heads[foot] - heads[shin])
        goal = ankle.copy()
        goal[:, 2] += _lift(retarget, heads, turned, changes, ankle, now, before, link)
        turns = reach(hip, knee, ankle, goal, rotation.rotate(now.turns[f"shin.{link[-1]}"], retarget.left))
        for name, turn in zip((thigh, shin), turns, strict=True):
            changes[name] = rotation.multiply(turn, changes[name])


def _lift(retarget: Retarget, heads: Arrays, turned: Arrays, changes: Arrays, ankle: np.ndarray, now: Moved, before: Moved, link: str) -> np.ndarray:
    """(N,) how much higher a foot with its ankle at (N, 3) must be, so that its sole is no deeper than the simulated one, seen from the clip."""
    fit, foot, side = retarget.fit, retarget.legs[link][-1], link[-1]
    own, there = [], []
    for part, point in soles(fit, side):
        name = retarget.controls.get(part, (foot,))[0]
        way = rotation.rotate(turned[name], point - (retarget.world @ retarget.rest[name])[:3, 3])
        own.append(heads[name] + way)
        there.append(ankle + rotation.rotate(changes[foot], heads[name] - heads[foot]) + rotation.rotate(changes[name], way))
    sunk = now.sole(fit, side) - before.sole(fit, side) - (_lowest(there) - _lowest(own))
    return np.clip(sunk, 0.0, np.maximum(retarget.placement.origin[2] - _lowest(there), 0.0))


def _lowest(points: Iterable[np.ndarray]) -> np.ndarray:
    """(N,) the lowest height of several paths (N, 3)."""
    return np.min([point[:, 2] for point in points], axis=0)


def _carried(retarget: Retarget, heads: Arrays, changes: Arrays, goals: Arrays, name: str) -> np.ndarray:
    """(N, 3) where a bone begins, by what carries it."""
    if name in goals:
        return goals[name]
    above = retarget.carriers[name]
    return _carried(retarget, heads, changes, goals, above) + rotation.rotate(changes[above], heads[name] - heads[above])
