"""The balance of a gait by itself: its feedback, moved about the stride that it has.

Feedback answers how far the hips are from the stance foot, and how fast they go (Yin 2007, eq. 1). More of it would also move the aims of the usual
stride, and so the walk would be another one. Here the aims make up for that: the usual stride stays, and only what happens around it changes. So a
search can make a walk sturdier with few directions, and need not find the walk again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..control.gait import make_gait
from ..jobs import make_job
from ..kinematics import link_poses, velocity
from ..methods.gait import walk
from .parameters import CORONAL, SCALES, Parameter

AIMS = {"cd": ("swing_hip", -1.0), "cv": ("swing_hip", -1.0), "ankle_cd": ("stance_ankle", 1.0), "ankle_cv": ("stance_ankle", 1.0)}
REACH = 0.3  # standard deviation of what a round tries first, in units of the scales
SECONDS, SETTLED = 10.0, 4.0  # s that are walked to see the usual stride, and of these at the beginning that do not count


def usual_hips(data: dict[str, Any], name: str, job: dict[str, Any]) -> Array:
    """(S, 2, 2) for each state of a walk, forward and to the side: m of the hips from the stance foot, and m/s, on average; as on the left leg.

    Args:
        job: settings of the walk that is looked at.
    """
    result = walk(make_job({"gait": name, "duration": SECONDS, "catches_itself": False, **job}), gaits={name: make_gait(data, name)})
    positions, _ = link_poses(result)
    feet = positions[:, [result.link_names.index("foot.L"), result.link_names.index("foot.R")], :2]
    mirror = np.column_stack((np.ones(result.frames), np.where(result.stance == 0, 1.0, -1.0)))
    away = mirror * (result.root_positions[:, :2] - feet[np.arange(result.frames), result.stance])
    speed = mirror * velocity(result.root_positions[:, :2], result.fps)
    settled = result.times >= SETTLED
    return np.array([[[values[settled & (result.states == state), plane].mean() for values in (away, speed)] for plane in (0, 1)]
                     for state in range(len(data["states"]))])


def feedback_parameters(data: dict[str, Any], usual: Array) -> list[Parameter]:
    """The directions of a search that moves a gait's feedback about its usual stride, as ``usual_hips`` has it."""
    found = []
    for number, state in enumerate(data["states"]):
        for name, (aim, sign) in AIMS.items():
            for plane, scale in enumerate((SCALES[name], CORONAL[name])):
                distance, speed = usual[number, plane]
                if name == "ankle_cv" and plane == 0:
                    speed -= data["speed"]  # the ankle answers what is missing to the gait's speed
                share = sign * float(speed if name.endswith("cv") else distance)
                if name in state and aim in state:
                    found.append(Parameter((("states", number, name, plane),), scale, follows=((("states", number, aim, plane), share),)))
    return found
