"""What is told of a recording."""

from __future__ import annotations

from typing import Any

import numpy as np

from .faults import faults_of
from .loads import NAMES, feet_of, force
from .recording import Recording
from .stances import Stance, stances


def describe(recording: Recording) -> dict[str, Any]:
    """As plain data: device, ``rate`` (Hz), ``seconds``, ``frames``, ``sensors``, ``feet``, ``calibrated``, ``step_count``, ``strikes`` and
    ``contacts`` (s) of each foot, ``peak_force`` (N; counts of what is not calibrated), ``faults``.
    """
    feet, steps = feet_of(recording), stances(recording)
    end = float(recording.times[-1])
    return {
        "device": recording.device,
        "seconds": round(end, 3),
        "rate": round(recording.rate, 2),
        "frames": len(recording.times),
        "sensors": recording.pressures.shape[1],
        "feet": [NAMES[foot] for foot in feet],
        "calibrated": recording.calibrated,
        "step_count": len(steps),
        "strikes": {NAMES[foot]: [round(step.strike, 3) for step in of_foot(steps, foot) if step.strike is not None] for foot in feet},
        "contacts": {NAMES[foot]: [[round(step.strike or 0.0, 3), round(end if step.lift is None else step.lift, 3)] for step in of_foot(steps, foot)]
                     for foot in feet},
        "peak_force": {NAMES[foot]: round(float(np.nanmax(force(recording, foot), initial=0.0)), 1) for foot in feet},
        "faults": faults_of(recording),
    }


def of_foot(steps: list[Stance], foot: int) -> list[Stance]:
    return [step for step in steps if step.foot == foot]


def sentence(recording: Recording) -> str:
    """The same in a line: 'Novel pedar, 15.0 s at 100 Hz, left and right, 22 steps, at most 986 N; no faults.'"""
    told = describe(recording)
    peak, unit = max(told["peak_force"].values(), default=0.0), "N" if recording.calibrated else "counts"
    length = f"{told['seconds']:.1f} s at {told['rate']:.4g} Hz" if told["frames"] > 1 else "one frame"
    steps, faults = told["step_count"], len(told["faults"])
    return (f"{told['device']}, {length}, {' and '.join(told['feet'])}, {steps} step{'' if steps == 1 else 's'}, at most {peak:.0f} {unit}; "
            f"{faults or 'no'} fault{'' if faults == 1 else 's'}.")
