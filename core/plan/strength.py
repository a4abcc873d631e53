"""How stiff and how strong the joints of a planned body are."""

from __future__ import annotations

import numpy as np

from ..body import Body

# Stiffness in N·m/rad and largest torque in N·m, for each kg of body mass, of an athletic person. Stiff enough that a standing body need not be
# planned to stay up, soft enough that a planned target bends what happens.
JOINTS = {"torso": (40.0, 7.0), "head": (4.4, 1.5), "upper_arm": (15.0, 3.0), "forearm": (10.0, 2.0), "thigh": (22.0, 6.0), "shin": (22.0, 5.5),
          "foot": (18.0, 4.2), "toes": (1.2, 1.0)}
DAMPING_S = 0.05  # s, damping over stiffness
STRENGTHS = {"human": 1.0, "hero": 2.0}  # of the largest torques


def servos(body: Body, strength: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stiffness N·m/rad, damping N·m·s/rad and largest torque N·m of each joint, (L,) each, as ``World.set_servos`` takes them."""
    table = np.array([(0.0, 0.0)] + [JOINTS[name.split(".")[0]] for name in body.names[1:]]) * body.mass
    return table[:, 0], DAMPING_S * table[:, 0], STRENGTHS[strength] * table[:, 1]
