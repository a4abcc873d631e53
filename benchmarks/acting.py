"""How well a character acts that hears foot pressure: a table, one line each as it is done.

    python benchmarks/acting.py [--clips FOLDER] [--device 64x80@12Hz] [--latency 0.5] [--body average_man] [-o table.jsonl]

A database is made of the first half of the repetitions of one person's kicks, lunges and punches, and of a side step to either side; what is acted
are the whole clips, as a device feels them. ``--body``: who acts; where nothing is said, the person of the clip. Each row has

- ``slide_mm``: the furthest that a foot slid while it stood, by the point on the floor that moved least; ``sink_mm``: the deepest that one was in it;
- ``speed_rad_s``: of the fastest joint, and ``acceleration_m_s2``: the greatest from frame to frame of a joint; both also of the clip itself;
- ``pose_cm``: mean distance of the joints from those of the clip, seen from the pelvis; of all, and of the second half, which was not learnt;
- ``feet_cm``: mean distance of standing feet from where those of the clip stand, on a pad; ``stands``: how often feet are down when the clip's are;
- ``core``: share of a core that hearing took, once all that may be played is on the body: who listens does that while nobody sends yet.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks import table
from benchmarks.pressure import CLIPS, PERSON, middle_of
from core import feet, presets, rotation
from core.motion import Motion
from core.pressure.acting import Actor, Learnt
from core.pressure.database import Database, take_of
from core.pressure.examples import between
from core.pressure.footprint import footprint
from core.pressure.pad import holding, middle_place, record
from core.pressure.sensors import EIGHT_BITS, Device, Sensing, device_named
from core.pressure.spread import spots, spread
from core.pressure.tread import of_reference
from core.reference import poses
from core.reference.recordings import Recording as ClipFile
from core.reference.recordings import own_body, reference_of

STEPS = {"83_01_side_step_right_large": "side step right", "83_19_side_step_left_medium": "side step left"}
FPS = 60.0


def database(folder: Path, device: Device) -> Database:
    takes = []
    for clip, name in {**PERSON, **STEPS, "111_28_standing": ""}.items():
        file = ClipFile(str(folder / "pad" / f"{clip}.bvh"), repair=True)
        person = own_body(file)
        take = take_of(reference_of(file, presets.body(person)), person, device)
        example = replace(take.example, actions=[replace(action, name=name if action.name else "") for action in take.example.actions])
        takes.append(replace(take, example=between(example, 0.0, middle_of(example)) if clip in PERSON else example))
    return Database(device.name, takes)


def furthest_slide(body, motion: Motion, stands: np.ndarray) -> float:
    """m; see above."""
    under, most = feet.soles(body, motion), 0.0
    for foot in (0, 1):
        heel = feet.sole_of(body, foot)[1][:, 0] < 0.0
        parts = [feet.middles(under[:, foot][:, part]) for part in (heel, ~heel)]
        moves = np.concatenate([np.where((part[1:, :, 2] < 0.01) & (part[:-1, :, 2] < 0.01), np.linalg.norm(np.diff(part[..., :2], axis=0), axis=-1),
                                         np.inf) for part in parts], axis=1).min(axis=1)
        slid = 0.0
        for stays, move in zip(stands[1:, foot] & stands[:-1, foot], moves, strict=True):
            slid = slid + (move if np.isfinite(move) else 0.0) if stays else 0.0
            most = max(most, slid)
    return most


def speed_and_acceleration(motion: Motion) -> tuple[float, float]:
    """rad/s and m/s²; see above."""
    places = motion.world()[0]
    return (round(float(np.linalg.norm(rotation.angular_velocity(motion.rotations, FPS), axis=-1).max()), 1),
            round(float(np.linalg.norm(np.diff(places, n=2, axis=0), axis=-1).max()) * FPS**2))


def row(folder: Path, clip: str, learnt: Database, device: Device, latency: float, body_name: str | None) -> dict:
    file = ClipFile(str(folder / "pad" / f"{clip}.bvh"), repair=True)
    own = presets.body(own_body(file))
    reference = reference_of(file, own)
    tread = of_reference(reference)
    sampled, print_ = tread.at(device.rate), footprint()
    x, y, ahead = middle_place(sampled, spread(sampled, print_), spots(sampled, print_)[..., :2])
    pad = device.kind == "grid"
    recording = record(tread, holding(device, tread), EIGHT_BITS if pad else Sensing(), (x, y, ahead) if pad else None)
    body = presets.body(body_name) if body_name else own
    known = Learnt(learnt, body, latency)
    for _ in known.rehearse():
        pass
    actor = Actor(learnt, body, recording.layout, latency, fps=FPS, learnt=known)
    began = time.process_time()
    acted = [pose for moment, frame in zip(recording.times, recording.pressures, strict=True) for pose in actor.hear(float(moment), frame)]
    spent = time.process_time() - began
    acted += actor.finish()
    motion = Motion(body.skeleton, FPS, np.array([pose.root for pose in acted]), np.array([pose.rotations for pose in acted]))
    stands = np.array([pose.stands for pose in acted])
    true = reference.motion.resample(FPS)
    back = rotation.from_axis_angle((0.0, 0.0, 1.0), -ahead)
    turns = true.rotations.copy()
    turns[:, 0] = rotation.multiply(back, turns[:, 0])
    true = replace(true, root_positions=rotation.rotate(back, true.root_positions - (x, y, 0.0)), rotations=turns)
    frames = min(true.frames, motion.frames)
    away = np.linalg.norm(poses.places(body, motion)[:frames] - poses.places(own, true)[:frames], axis=1)
    contacts = reference.contacts_at(FPS, frames)
    both = contacts & stands[:frames]
    ankles = [[feet.link(one, "foot", foot) for foot in (0, 1)] for one in (body, own)]
    apart = np.linalg.norm(motion.world()[0][:frames, ankles[0], :2] - true.world()[0][:frames, ankles[1], :2], axis=-1)
    speed, acceleration = speed_and_acceleration(motion)
    clip_speed, clip_acceleration = speed_and_acceleration(true)
    played = [pose.action for number, pose in enumerate(acted) if pose.action and (number == 0 or acted[number - 1].action != pose.action)]
    return {"clip": clip, "device": device.name, "latency_s": latency, "actions": len(played),
            "slide_mm": round(1000 * furthest_slide(body, motion, stands), 1), "sink_mm": round(1000 * float(feet.depths(body, motion).max()), 1),
            "speed_rad_s": speed, "clip_speed_rad_s": clip_speed, "acceleration_m_s2": acceleration, "clip_acceleration_m_s2": clip_acceleration,
            "pose_cm": round(100 * float(away.mean()), 1), "second_half_cm": round(100 * float(away[frames // 2:].mean()), 1),
            "feet_cm": round(100 * float(apart[both].mean()), 1) if pad else None, "stands": round(float((contacts == stands[:frames]).mean()), 3),
            "core": round(spent / float(recording.times[-1]), 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=Path, default=CLIPS)
    parser.add_argument("--device", default="64x80@12Hz")
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--body")
    parser.add_argument("-o", "--output", type=Path)
    wish = parser.parse_args()
    device = device_named(wish.device)
    learnt = database(wish.clips, device)
    for clip in (*PERSON, *STEPS, "83_66_side_step_right_short", "139_02_weight_shift", "111_28_standing"):
        table.add(wish.output, row(wish.clips, clip, learnt, device, wish.latency, wish.body))


if __name__ == "__main__":
    main()
