"""How a simulation takes over from a clip: its pose and its velocity at the moment of the hit."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import rotation
from ..motion import Motion
from ..reference import Reference
from .flinch import Hit
from .lead import Lead

CLEARANCE = 0.002  # m over the ground, at least, at which soles are put: a pose that penetrates it would be thrown up


def at_hit(reference: Reference, clip: Motion, hits: list[Hit], begin: float,
           time_step: float) -> tuple[Motion, tuple[dict[str, Any], ...], dict[str, Any]]:
    """The clip from ``begin`` (s) on, the hits as events in its time, and its first moment as ``World.place`` takes it. The body is lifted where its
    soles would be in the ground."""
    body = reference.body
    start = Lead.of(clip, 1.0 / time_step).start(body, round(begin / time_step))
    positions, orientations = body.skeleton.forward_kinematics(*clip.sample(begin))
    soles = positions[body.sole_links] + rotation.rotate(orientations[body.sole_links], body.sole_points)
    x, y, z = start["position"]
    start["position"] = (x, y, z + max(0.0, CLEARANCE - float(np.min(soles[:, 2]))))
    return clip.slice(begin, clip.duration), tuple(hit.event(begin) for hit in hits), start
