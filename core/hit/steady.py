"""Steady feet: what slides under a body that was hit, as it lands or is shoved, stays where it comes to stand."""

from __future__ import annotations

from .. import rotation
from ..body import Body
from ..kinematic import pin
from ..measure.contacts import loaded
from ..motion import Motion
from ..result import Result


def with_steady_feet(found: Result, body: Body) -> Result:
    """What a simulation on a level floor found from the hit on, with feet that do not slide while they stand; who fell stays as found."""
    if found.outcome["fell"]:
        return found
    motion = Motion(body.skeleton, found.fps, found.root_positions, rotation.make_continuous(found.rotations))
    return pin.moved(found, body, pin.pinned_after(body, motion, loaded(found)))
