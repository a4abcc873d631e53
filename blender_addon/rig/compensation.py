"""Keys for an armature whose object moves by itself: what carries the body makes up for it, so that the body goes through the world as simulated."""

from __future__ import annotations

import numpy as np

from ...core import rotation
from .retarget import Channels, Retarget
from .trying import turn_of


def compensated(channels: Channels, retarget: Retarget, worlds: np.ndarray) -> Channels:
    """The channels on an object that is at ``worlds`` (F, 4, 4) on their frames, and not where the retarget has it."""
    back = np.linalg.inv(worlds) @ retarget.world
    turns = rotation.from_matrix(back[:, :3, :3] / np.linalg.norm(back[:, :3, :3], axis=1, keepdims=True))
    rotations, locations = dict(channels.rotations), dict(channels.locations)
    for name, values in channels.rotations.items():
        if retarget.parents[name] is None:
            base = turn_of(retarget.free[name])
            turned = rotation.multiply(turns, rotation.multiply(base, values))
            rotations[name] = rotation.make_continuous(rotation.multiply(rotation.conjugate(base), turned))
    for name in retarget.travellers | retarget.hanging:
        shift, head = retarget.shifts[name], retarget.free[name][:3, 3]
        heads = np.einsum("fij,fj->fi", back[:, :3, :3], channels.locations[name] @ shift.T + head) + back[:, :3, 3]
        locations[name] = (heads - head) @ np.linalg.inv(shift).T
    return Channels(rotations, locations, channels.scales)
