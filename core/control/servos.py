"""Servos that are as stiff and as strong as a person's joints: the parts "joints", "damping_s" and "strengths" of presets/plan.json."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..body import Body


def servos(preset: dict[str, Any], body: Body, strength: str, struck: bool = False) -> tuple[Array, Array, Array]:
    """Stiffness N·m/rad, damping N·m·s/rad and largest torque N·m of each joint, (L,) each, as ``World.set_servos`` takes them.

    The ``preset`` has stiffness and largest torque of an athletic person for each kg of body mass: stiff enough that a standing body need not be
    planned to stay up, soft enough that a planned target bends what happens. A body that was ``struck`` is damped more: its feet slide less.
    """
    table = np.array([(0.0, 0.0)] + [preset["joints"][name.split(".")[0]] for name in body.names[1:]]) * body.mass
    return table[:, 0], preset["damping_s"]["struck" if struck else "usual"] * table[:, 0], preset["strengths"][strength] * table[:, 1]
