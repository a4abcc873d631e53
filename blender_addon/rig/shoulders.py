"""Clavicles follow the arms. Arrays only, no Blender."""

from __future__ import annotations

import numpy as np

from ...core import rotation

SHARE = 0.25  # of how far an arm is turned away, that its clavicle takes: an arm is raised by about two parts in its joint and one behind it


def follow(trunk: np.ndarray, arm: np.ndarray, along: np.ndarray) -> np.ndarray:
    """(F, 4) how a clavicle changes, world axes, from how the trunk that it hangs on changes and how its upper arm does, both (F, 4).

    ``along``: (F, 3) unit vectors, where the arm points before the change. Where the arm only goes with the trunk, so does the clavicle. The share
    is of the sine: an arm that is turned right round has no side to which a clavicle could follow it.
    """
    turned = rotation.rotate(rotation.multiply(rotation.conjugate(trunk), arm), along)
    return rotation.multiply(trunk, rotation.exp(SHARE * np.cross(along, turned)))
