"""Find presets/stride.json: how the gait "walk" goes over its cycle, at several speeds, on the average man.

    python presets/find_stride.py

The walk is simulated at each speed, its strides are laid over each other, left on right, and what they have in common is kept:

- over the cycle, from a strike of the left foot (0) to its next one (1), with the other strike at 0.5 and the lifts ``lift`` after the strikes: how
  links are turned, and how the pelvis moves beside its even way, as sums of waves;
- over a swing, from the lift (0) to the strike (1): how the ankle gets ahead, how high the lowest point of the sole is, and how the foot is
  pitched, as polynomials beside an even change.
"""

import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core import jobs, presets, rotation
from core.feet import link, sole_positions
from core.feet.loads import stances
from core.kinematics import link_poses

SPEEDS = (0.9, 1.2, 1.5)  # m/s
LIFT = 0.11  # of the cycle, from a strike to the lift of the other foot
SAMPLES, WAVES, DEGREE = 96, 9, 5
SECONDS, SETTLED, FPS = 16.0, 4.0, 120.0
TURNED = ("pelvis", "torso", "head", "upper_arm.L", "forearm.L", "thigh.L", "shin.L")  # those of the right are mirrored
SPAN = np.arange(SAMPLES) / SAMPLES


def main() -> None:
    body = presets.body("average_man")
    found = {"description": "How the walk goes over its cycle, on the average man: see presets/find_stride.py.",
             "made_by": "python presets/find_stride.py", "leg_length": body.leg_length, "lift": LIFT,
             "speeds": [measured(body, speed) for speed in SPEEDS]}
    Path(presets.FOLDER, "stride.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def measured(body, speed: float) -> dict:
    result = jobs.run(jobs.make_job({"gait": "walk", "speed": speed, "duration": SECONDS, "fps": FPS, "start": "gait"}))
    assert not result.outcome["fell"]
    positions, orientations = link_poses(result)
    soles = sole_positions(body, positions, orientations)
    left, right = stances(result)
    strides = [cycle for foot in (0, 1) for cycle in cycles((left, right)[foot], (right, left)[foot], SETTLED * FPS)]
    feet = [foot for foot in (0, 1) for _ in cycles((left, right)[foot], (right, left)[foot], SETTLED * FPS)]
    frames = [np.interp(SPAN, (0.0, LIFT, 0.5, 0.5 + LIFT, 1.0), marks) for marks in strides]

    def at(values, when):
        """Values (F, ...) between frames."""
        before = np.floor(when).astype(int)
        share = (when - before).reshape(-1, *[1] * (values.ndim - 1))
        return values[before] + share * (values[before + 1] - values[before])

    def mean(values, mirrored):
        """Over all strides, those that begin with the right foot mirrored."""
        return np.mean([at(values, when) if foot == 0 else at(mirrored, when) for foot, when in zip(feet, frames, strict=True)], axis=0)

    turns = {}
    for name in TURNED:
        other = name.replace(".L", ".R")
        own, across = (rotation.log(rotation.make_continuous(result.rotations[:, body.names.index(one)])) for one in (name, other))
        turns[name] = waves(mean(own, across * (-1.0, 1.0, -1.0)))
    root = result.root_positions
    flat = prints(body, positions, soles, (left, right))
    beside, ahead, lengths, widths, rises, ways, pitches = [], [], [], [], [], [], []
    for foot, marks, when in zip(feet, strides, frames, strict=True):
        side = (1.0, -1.0, 1.0) if foot else (1.0, 1.0, 1.0)
        here = at(root, when) * side
        first, last = at(root, np.array(marks[[0, 4]])) * side
        rear, front = flat[1 - foot][marks[0]], flat[foot][marks[0]]
        rear, front = rear * side[:2], front * side[:2]
        middle = 0.5 * (rear + front)
        beside.append(np.stack([here[:, 0] - first[0] - SPAN * (last - first)[0], here[:, 1] - middle[1], here[:, 2] - body.standing_height], axis=1))
        ahead.append((first[0] - rear[0]) / (front[0] - rear[0]))
        lengths.append(front[0] - rear[0])
        widths.append(abs(front[1] - rear[1]))
        # the swing of this foot, from its lift to its next strike
        swing = np.linspace(marks[3], marks[4], 41)
        ankle = at(positions[:, link(body, "foot", foot)], swing)
        ways.append((ankle[:, 0] - ankle[0, 0]) / (ankle[-1, 0] - ankle[0, 0]))
        low = at(soles[:, foot, :, 2].min(axis=1), swing)
        rises.append(low - np.linspace(low[0], low[-1], 41))
        pitches.append(at(rotation.log(rotation.make_continuous(orientations[:, link(body, "foot", foot)]))[:, 1], swing))
    part, pitch = np.linspace(0.0, 1.0, 41), np.mean(pitches, axis=0)
    line = pitch[0] + part * (pitch[-1] - pitch[0])
    return {"speed": speed, "step_length": round(float(np.mean(lengths)), 4), "step_width": round(float(np.mean(widths)), 4),
            "step_time": round(float(np.mean([marks[4] - marks[0] for marks in strides])) / 2 / FPS, 4), "ahead": round(float(np.mean(ahead)), 4),
            "pelvis": waves(np.mean(beside, axis=0)), "turns": turns,
            "way": polynomial(part, np.mean(ways, axis=0) - part), "rise": polynomial(part, np.maximum(np.mean(rises, axis=0), 0.0), soft=True),
            "off": round(float(pitch[0]), 4), "strike": round(float(pitch[-1]), 4), "pitch": polynomial(part, pitch - line)}


def cycles(own, other, first: float) -> list:
    """Marks (5,) of each stride of a foot, frames: its strike, the other's lift and strike, its lift, its next strike."""
    found = []
    for (strike, lift), (again, _) in pairwise(own):
        lifts = [end for _, end in other if strike < end < lift]
        strikes = [start for start, _ in other if strike < start < lift]
        if strike > first and lifts and strikes:
            found.append(np.array([strike, lifts[0], strikes[-1], lift, again]))
    return found


def prints(body, positions, soles, both) -> list[dict]:
    """For each foot, by the frames at which feet strike: where its ankle stands (2,) m in the stance that is on, or begins."""
    found = []
    for foot in (0, 1):
        ankle, tilt = positions[:, link(body, "foot", foot), :2], np.ptp(soles[:, foot, :, 2], axis=1)
        places = {}
        for start, end in both[foot]:
            place = ankle[start + int(np.argmin(tilt[start:end]))]
            places |= dict.fromkeys(range(start, end), place)
        found.append(places)
    return found


def waves(values) -> list:
    """(2 · WAVES + 1, K): mean, cosines, sines of samples (SAMPLES, K)."""
    spectrum = np.fft.rfft(values, axis=0) / SAMPLES
    rows = [spectrum[0].real] + [2.0 * spectrum[n].real for n in range(1, WAVES + 1)] + [-2.0 * spectrum[n].imag for n in range(1, WAVES + 1)]
    return np.round(np.array(rows), 5).tolist()


def polynomial(part, values, soft: bool = False) -> list:
    """Coefficients (DEGREE,) of part · (1 - part) · polynomial, which is 0 at both ends; ``soft``: and begins level."""
    basis = (part * (1.0 - part))[:, None] * part[:, None] ** np.arange(DEGREE)
    if soft:
        return [0.0, *np.round(np.linalg.lstsq(basis[:, 1:], values, rcond=None)[0], 5).tolist()]
    return np.round(np.linalg.lstsq(basis, values, rcond=None)[0], 5).tolist()


if __name__ == "__main__":
    main()
