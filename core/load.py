"""Load: what a body carries on its back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .body import Body, box_inertia

PACK_SIZE = (0.12, 0.17, 0.25)  # m, half the depth, width and height of what is carried on the back


def carrying(body: Body, kg: float) -> Body:
    """The same body with a load on its back, which lies against the upper half of the torso."""
    if not kg:
        return body
    torso = body.names.index("torso")
    (depth, _, half), (x, _, z) = body.shapes[torso].half_extents, body.shapes[torso].center
    pack = np.array([x - depth - PACK_SIZE[0], 0.0, z + 0.2 * half])
    own, where = float(body.masses[torso]), body.com_offsets[torso]
    centre = (own * where + kg * pack) / (own + kg)

    def about(mass: float, place: np.ndarray) -> np.ndarray:
        away = place - centre
        return mass * (float(away @ away) - away**2)

    masses, places, inertias = body.masses.copy(), body.com_offsets.copy(), body.inertias.copy()
    inertias[torso] += about(own, where) + about(kg, pack) + box_inertia(kg, PACK_SIZE)
    masses[torso], places[torso] = own + kg, centre
    return replace(body, masses=masses, com_offsets=places, inertias=inertias)
