"""The servos with which a body goes through a pose graph."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..body import Body
from ..control.pose_graph import PoseGraph


def servos_of(graph: PoseGraph, body: Body) -> Array:
    """(3, L) stiffness N·m/rad, damping N·m·s/rad and largest torque N·m, as ``World.set_servos`` takes them."""
    rows = [(0.0, 0.0, 0.0)] + [graph.servos[name.split(".")[0]] for name in body.names[1:]]
    return np.array(rows).T * body.mass
