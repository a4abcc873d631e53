"""Proportions: the lengths of one person and the measures of a foot, from stature by the tables in ``anthropometry`` or between measured joints."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from . import anthropometry as human
from .errors import JobError, RigError

TOE_SHARE = 0.27  # of the foot's length, from the ball joint to the tips
HEEL_SHARE = 0.25  # of the foot's length, from the heel to the ankle joint


@dataclass(frozen=True)
class Proportions:
    """Lengths of one person in metres. ``pelvis`` reaches from the mid-hip to the back joint, ``torso`` on to the neck."""

    pelvis: float
    torso: float
    head: float
    upper_arm: float
    forearm: float
    hand: float
    thigh: float
    shin: float
    foot: float
    ankle_height: float
    hip_spacing: float
    shoulder_spacing: float
    foot_width: float

    @classmethod
    def from_stature(cls, height: float, sex: str) -> Proportions:
        table = human.SEGMENTS[sex]
        leg = human.ANKLE_HEIGHT + table["thigh"].length + table["shin"].length
        # The table's trunk and head run along a curved spine; shrink them so that the vertex is at the stature.
        upright = (1 - leg) / (human.TRUNK[sex] + human.HEAD_AND_NECK[sex])
        lower = table["lower_trunk"].length
        fractions = {
            "pelvis": lower * upright, "torso": (human.TRUNK[sex] - lower) * upright, "head": human.HEAD_AND_NECK[sex] * upright,
            "upper_arm": table["upper_arm"].length, "forearm": table["forearm"].length, "hand": table["hand"].length,
            "thigh": table["thigh"].length, "shin": table["shin"].length, "foot": table["foot"].length,
            "ankle_height": human.ANKLE_HEIGHT, "hip_spacing": human.HIP_SPACING, "shoulder_spacing": human.SHOULDER_SPACING,
            "foot_width": human.FOOT_WIDTH,
        }
        return cls(**{name: value * height for name, value in fractions.items()})

    @classmethod
    def from_joints(cls, offsets: dict[str, np.ndarray], sex: str = "male") -> Proportions:
        """Lengths between the joints of a person: ``offsets`` as ``Body.offsets`` by link, thighs, shins and feet at least. What has no
        joint follows the tables at the stature that the legs suggest."""
        def length(name: str) -> float:
            value = float(np.linalg.norm(offsets[name]))
            if not 0.01 < value < 10:
                raise RigError(f"Bone '{name}' starts {value:.3g} m from its parent; a body needs 0.01 to 10 m: check the rig's scale.")
            return value

        def mean(name: str) -> float:
            return (length(f"{name}.L") + length(f"{name}.R")) / 2

        for link in ("thigh", "shin", "foot"):
            for side in "LR":
                if f"{link}.{side}" not in offsets:
                    raise RigError(f"The skeleton has no joint '{link}.{side}': a body needs both legs.")
        table = human.SEGMENTS[sex]
        own = {"thigh": mean("shin"), "shin": mean("foot"), "hip_spacing": float(np.linalg.norm(offsets["thigh.L"] - offsets["thigh.R"]))}
        guess = cls.from_stature((own["thigh"] + own["shin"]) / (table["thigh"].length + table["shin"].length), sex)
        if "torso" in offsets:
            # Wherever a trunk bends, the mass below a person's waist stays with the hips.
            own["pelvis"] = max(length("torso"), 0.9 * guess.pelvis)
        if "head" in offsets:
            own["torso"] = length("head")
        if {"upper_arm.L", "upper_arm.R"} <= set(offsets):
            own["shoulder_spacing"] = float(np.linalg.norm(offsets["upper_arm.L"] - offsets["upper_arm.R"]))
        if {"forearm.L", "forearm.R"} <= set(offsets):
            arm = mean("forearm") / guess.upper_arm
            own.update(upper_arm=mean("forearm"), forearm=guess.forearm * arm, hand=guess.hand * arm)
        return replace(guess, **own)

    def scaled(self, factors: dict[str, float]) -> Proportions:
        """Each named length times its factor; "arm" and "leg" stand for their parts."""
        groups = {"arm": ("upper_arm", "forearm", "hand"), "leg": ("thigh", "shin")}
        known = [field.name for field in fields(self)]
        result = self
        for name, factor in factors.items():
            parts = groups.get(name, (name,))
            if parts[0] not in known:
                raise JobError(f"body.scale: there is no length '{name}'; known are {', '.join(known + list(groups))}.")
            result = replace(result, **{part: getattr(result, part) * factor for part in parts})
        return result


@dataclass(frozen=True)
class Foot:
    """Measures of a foot seen from the ankle joint, metres: ``heel`` behind it (negative), ``ball`` (the toe joint) and ``tip`` ahead of it,
    ``height`` of the ankle and ``ball_height`` of the toe joint over the sole, ``width``."""

    heel: float
    ball: float
    tip: float
    height: float
    ball_height: float
    width: float

    @classmethod
    def of(cls, lengths: Proportions) -> Foot:
        return cls(heel=-HEEL_SHARE * lengths.foot, ball=(1 - TOE_SHARE - HEEL_SHARE) * lengths.foot, tip=(1 - HEEL_SHARE) * lengths.foot,
                   height=lengths.ankle_height, ball_height=0.35 * lengths.ankle_height, width=lengths.foot_width)
