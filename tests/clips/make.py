"""Makes the clips of this folder again: python tests/clips/make.py

Walk, stand and fall are what the simulation shows of the average man; the kick is composed here, on the standing pose. With the same
engine on the same kind of machine they come out the same. All are at 30 frames a second and begin at the origin, faced to +X.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np

from core import presets, rotation
from core.body import Body
from core.feet.legs import reaching
from core.formats import Clip, write_bvh
from core.kinematics import GRAVITY
from core.motion import Motion
from core.result import Result
from core.signals import runs

FPS = 30.0
BODY = "average_man"
# s of each simulation that are left out: the walk's start, and the stand until it is quiet.
WALK_FROM, STAND_FROM = 3.0, 1.0
# Who falls walks for this long, and is then pushed to the right, from s on, for s, with N: far beyond what any step could catch.
PUSH_AT, PUSH_S, PUSH_N = 2.0, 0.3, 600.0
BEARS = 20.0  # N on a foot that stands
LEFT, RIGHT = 0, 1

# The kick: s, and where the right ankle is then (forward and up from where it stood, m) and how far its foot points down (rad), …
SWING = ((0.0, 0.0, 0.0, 0.0), (0.8, 0.0, 0.0, 0.0), (1.25, -0.28, 0.18, 0.7), (1.65, 0.6, 0.4, 0.3), (2.2, 0.05, 0.1, 0.1), (2.5, 0.0, 0.0, 0.0),
         (3.2, 0.0, 0.0, 0.0))
# … where the feet press on the floor (0: between both, 1: under the left one) …
PRESSURE = ((0.0, 0.0), (0.2, 0.0), (0.8, 1.0), (2.5, 1.0), (3.0, 0.0), (3.2, 0.0))
# … and how far the arms go against it: rad that the left one is forward and the right one back.
ARMS = ((0.0, 0.0), (0.8, 0.0), (1.25, -0.3), (1.65, 0.4), (2.3, 0.0), (3.2, 0.0))
SINK = 0.02  # m that the pelvis comes down meanwhile, so that both legs reach


def main() -> None:
    walk = simulated({"gait": "walk", "duration": WALK_FROM + 5.0})
    write(walk, "walk", slice(round(WALK_FROM * FPS), None))
    loads = np.linalg.norm(walk.foot_forces[round(WALK_FROM * FPS):], axis=-1)
    contacts = {side: spans(loads[:, foot] > BEARS) for foot, side in enumerate(("left", "right"))}
    (FOLDER / "walk_contacts.json").write_text(json.dumps(contacts) + "\n", encoding="utf-8")
    stand = simulated({"gait": "stand", "duration": STAND_FROM + 3.0})
    write(stand, "stand", slice(round(STAND_FROM * FPS), None))
    push = {"type": "push", "time": PUSH_AT, "duration": PUSH_S, "force": [0.0, -PUSH_N, 0.0]}
    fall = simulated({"reference": {"clips": [str(FOLDER / "walk.bvh")], "method": "hit", "response": "fall"}, "body": BODY, "events": [push]})
    write(fall, "fall", slice(None))
    write(replace(stand, **kick(stand)), "kick", slice(None))


def simulated(job: dict) -> Result:
    """What a job shows, run as anybody would run it."""
    with tempfile.TemporaryDirectory() as folder:
        file, output = Path(folder) / "job.json", Path(folder) / "result.npz"
        file.write_text(json.dumps({"body": BODY, "fps": FPS, "engine": "pybullet", **job}), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "core", "simulate", str(file), "-o", str(output)], cwd=ROOT, check=True)
        return Result.load(output)


def spans(holds: np.ndarray) -> list[list[float]]:
    """[start, end] in seconds of each run of frames (F,) in which something holds."""
    return [[round(start / FPS, 3), round(end / FPS, 3)] for start, end in runs(holds)]


def write(result: Result, name: str, frames: slice) -> None:
    """Some frames of a result as a clip, begun at the origin."""
    body = presets.body(BODY)
    roots = result.root_positions[frames] - result.root_positions[frames][0] * (1.0, 1.0, 0.0)
    motion = Motion(body.skeleton, result.fps, roots, rotation.make_continuous(result.rotations[frames]))
    write_bvh(FOLDER / f"{name}.bvh", Clip(motion, name, tips(body)))


def tips(body: Body) -> dict[str, np.ndarray]:
    """Where the last links end: top of the head, finger tips and toe tips, (3,) metres in the frame of their link."""
    ends = {"head": (0.0, 0.0, 1.0), "forearm": (0.0, 0.0, -1.0), "toes": (1.0, 0.0, 0.0)}
    which = {name: np.array(ends[part]) for name in body.names if (part := name.partition(".")[0]) in ends}
    shapes = dict(zip(body.names, body.shapes, strict=True))
    return {name: np.array(shapes[name].center) * np.abs(end) + np.array(shapes[name].half_extents) * end for name, end in which.items()}


def kick(stand: Result) -> dict[str, np.ndarray]:
    """Root positions (F, 3) and rotations (F, L, 4): who stands swings the right leg back and forward and sets it down where it was.

    The left foot stays where it is, and the body sways as one has to whose feet press on the floor where ``PRESSURE`` says.
    """
    body = presets.body(BODY)
    times = np.arange(round(FPS * SWING[-1][0]) + 1) / FPS
    still = Motion(body.skeleton, FPS, stand.root_positions[-1:], stand.rotations[-1:])
    pose, turned = still.world()
    ankle = [pose[0, body.names.index(name)] for name in ("foot.L", "foot.R")]
    turn = [turned[0, body.names.index(name)] for name in ("foot.L", "foot.R")]

    forward, up, down = eased(SWING, times).T
    pressed, arms = eased(PRESSURE, times)[:, 0], eased(ARMS, times)[:, 0]
    ankles = np.stack([np.tile(place, (len(times), 1)) for place in ankle], axis=1)
    ankles[:, RIGHT] += np.stack([forward, 0.0 * forward, up], axis=-1)
    turns = np.stack([np.tile(quaternion, (len(times), 1)) for quaternion in turn], axis=1)
    turns[:, RIGHT] = rotation.multiply(turns[:, RIGHT], rotation.from_axis_angle((0.0, 1.0, 0.0), down))
    rotations = np.tile(stand.rotations[-1], (len(times), 1, 1))
    for name, sign in (("upper_arm.L", -1.0), ("upper_arm.R", 1.0)):  # forward is about −Y
        link = body.names.index(name)
        rotations[:, link] = rotation.multiply(rotation.from_axis_angle((0.0, 1.0, 0.0), sign * arms), rotations[:, link])

    com = mass_centres(body, still)[0]
    pressure = np.stack([np.tile(com[0], len(times)), com[1] + pressed * (ankle[LEFT][1] - com[1])], axis=-1)
    over = swaying(pressure, com[2])
    roots = np.tile(stand.root_positions[-1], (len(times), 1)) - SINK * np.outer(pressed, (0.0, 0.0, 1.0))
    for _ in range(8):  # each shift of the pelvis moves the legs too, by ever less
        motion = reaching(body, Motion(body.skeleton, FPS, roots, rotations), ankles, turns, np.zeros((len(times), 2)))
        roots[:, :2] += over - mass_centres(body, motion)[:, :2]
    return {"root_positions": motion.root_positions, "rotations": motion.rotations}


def eased(keys: tuple[tuple[float, ...], ...], times: np.ndarray) -> np.ndarray:
    """(F, N) values at (F,) seconds, at rest at each key (seconds, N values) and with the least jerk between two."""
    table = np.array(keys)
    left = np.clip(np.searchsorted(table[:, 0], times, side="right") - 1, 0, len(table) - 2)
    part = (times - table[left, 0]) / (table[left + 1, 0] - table[left, 0])
    smooth = part**3 * (10.0 - 15.0 * part + 6.0 * part**2)
    return table[left, 1:] + smooth[:, None] * (table[left + 1, 1:] - table[left, 1:])


def swaying(pressure: np.ndarray, height: float) -> np.ndarray:
    """(F, 2) metres: how a centre of mass at a height moves whose weight presses on the floor at (F, 2), at rest at both ends.

    An inverted pendulum: it is pushed away from where the floor bears it, com − height / g · acceleration = pressure.
    """
    frames = len(pressure)
    inner = np.arange(1, frames - 1)
    bend = np.zeros((frames, frames))
    bend[inner, inner - 1], bend[inner, inner], bend[inner, inner + 1] = FPS**2, -2.0 * FPS**2, FPS**2
    return np.linalg.solve(np.eye(frames) - height / GRAVITY * bend, pressure)


def mass_centres(body: Body, motion: Motion) -> np.ndarray:
    """(F, 3) metres, world, of the whole body."""
    positions, orientations = motion.world()
    return np.einsum("l,fld->fd", body.masses / body.mass, positions + rotation.rotate(orientations, body.com_offsets))


if __name__ == "__main__":
    main()
