"""Stage: one world with one body and its aim, on which plans are tried out. Every process that helps to plan has its own, built from the same job."""

from __future__ import annotations

import hashlib
import json
import math
import pickle
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from .. import presets, rotation
from ..arrays import Array, Bools
from ..errors import JobError
from ..job import Job, in_world
from ..physics import Push, engine_version, world_class
from ..physics.settings import PLANNING
from ..places import struck
from ..reference.recordings import lasting
from ..version import VERSION
from .aim import FPS, Aim
from .cost import HOPELESS, Cost
from .settings import PRESET, Preset
from .task import Task

STEPS = {"mujoco": 4, "pybullet": 2}  # of the engine in a frame of the plan
LOW = 0.1  # m over the ground: a box that begins higher is a lintel
STEP = 0.8  # leg lengths over the ground: a box that ends higher is a wall
WINDOW = 6  # frames between the knots of a plan


@dataclass
class Scores:
    """N plans that were tried.

    Attributes:
        costs: (N,) of the whole horizon; ``HOPELESS`` where the engine gave up. near: (N,) mean cost of the frames of the first window.
        ends: (N, V) snapshots at the end of the first window. distances, drifts: (N,) m, as in ``Cost.distance``, there.
        lost: (N,) whether the clip is lost there.
    """

    costs: Array
    near: Array
    ends: Array
    distances: Array
    drifts: Array
    lost: Bools

    @classmethod
    def joined(cls, pieces: list[Scores]) -> Scores:
        """All plans of some scores, one after the other."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*(vars(piece).values() for piece in pieces), strict=True)))


class Stage:
    """A job's world with its body, and what it is to do.

    Attributes:
        search: how plans are searched for. steps: of the engine in a frame of the plan.
        spread: (D,) rad, of the offsets that are tried. start: (V,) snapshot of the first moment.
        begin: the frame of the clip that is the first one here: that of the first hit. hits: the job's pushes, in frames from there.
        blind: windows after it in which the body does not react.
    """

    def __init__(self, task: Task, preset: Preset = PRESET):
        job, is_hit = task.job, task.is_hit
        self.task, self.job, self.body, self.preset = task, job, presets.body(job.body), preset
        joints = preset.servos(self.body, task.strength, is_hit)
        make_world = world_class(job.engine)
        self.steps = STEPS[make_world.engine]
        settings = replace(PLANNING, time_step=1.0 / (FPS * self.steps), friction=job.friction)
        self.world = make_world(self.body, job.ground, job.obstacles, settings)
        self.world.set_servos(*joints)
        self.begin = first_hit(job) if is_hit else 0
        self.blind = 0 if task.react_after is None else math.ceil(task.react_after * FPS / WINDOW - 1e-9)
        reference = lasting(task.recording, self.body, job.duration)
        self.aim = Aim(self.body, reference, job.duration, job.facing, joints, self.world.inertias, self._height, self.begin)
        self.hits = [self._hit(event) for event in job.events]
        table = preset.spread(self.body, is_hit)
        self._axes = np.argwhere(table > 0.0)
        self.spread = table[table > 0.0]
        if any(len(row) != len(self.spread) for row in task.like):
            raise JobError("The plan of a hit like this one is of another body: leave 'like' out, or give it a plan of this body.")
        self.search = preset.search(is_hit)
        self.cost = Cost(self.aim, preset, task.weights, task.freedom, self.spread, is_hit)
        self.world.place(**self.aim.start())
        self.start = self.world.snapshot()

    def _hit(self, event: dict[str, Any]) -> Push:
        """A push of the job, in frames from the first one here."""
        first = round(event["time"] * FPS) - self.begin
        if first >= self.aim.frames - 1:
            raise JobError(f"The hit at {event['time']:g} s comes with the last frame of the clip: hit it before that.")
        force = in_world(event, "force", float(rotation.heading(self.aim.rotations[first, 0])))
        link, point = struck(self.body, event["part"])
        return Push(link, force, point, first, first + max(1, round(event["duration"] * FPS)))

    def pushes(self, frame: int) -> list[Push]:
        """The hits for rollouts from ``frame`` on, whose segments are frames."""
        return [replace(hit, first=hit.first - frame, end=hit.end - frame) for hit in self.hits]

    def _height(self, x: float, y: float) -> float:
        """m, of what one can stand on: the ground, or a box that stays where it is."""
        height = self.world.ground_height(x, y)
        for box in self.job.obstacles:
            (px, py, pz), (sx, sy, sz), yaw = box["position"], box["size"], box.get("yaw", 0.0)
            c, s = np.cos(yaw), np.sin(yaw)
            along, across = c * (x - px) + s * (y - py), c * (y - py) - s * (x - px)
            stands = pz - sz / 2 <= height + LOW and pz + sz / 2 <= height + STEP * self.body.leg_length
            if stands and not box.get("mass", 0.0) and abs(along) <= sx / 2 and abs(across) <= sy / 2:
                height = max(height, pz + sz / 2)
        return height

    def digest(self) -> str:
        """A digest of everything that a plan depends on: the task, the preset, the clip, the engine and the version. What was found on a stage with
        another digest is worth nothing on this one."""
        task = {**vars(self.task), "job": self.job.to_dict(), "recording": vars(self.task.recording), "weights": dict(self.task.weights)}
        said = json.dumps([VERSION, self.job.engine, engine_version(self.job.engine), task, self.preset.data], sort_keys=True)
        return hashlib.sha1(said.encode() + self.aim.targets.tobytes() + self.start.tobytes() + self.spread.tobytes()).hexdigest()

    def targets(self, frame: int, before: Array, knots: Array) -> Array:
        """(N, H · WINDOW, L, 4) servo targets of plans (N, H, D) rad from ``frame`` on, after offsets ``before`` (N, D). Between two
        knots the offsets change evenly."""
        samples, windows, size = knots.shape
        fraction = ((np.arange(WINDOW) + 1.0) / WINDOW)[:, None]
        ends = np.concatenate([before[:, None], knots], axis=1)[:, :, None]
        offsets = (ends[:, :-1] + fraction * (ends[:, 1:] - ends[:, :-1])).reshape(samples, windows * WINDOW, size)
        turns = np.zeros((samples, windows * WINDOW, len(self.body.names), 3))
        turns[:, :, self._axes[:, 0], self._axes[:, 1]] = offsets
        at = np.minimum(frame + 1 + np.arange(windows * WINDOW), self.aim.frames - 1)
        return rotation.multiply(self.aim.targets[at], rotation.exp(turns))

    def tried(self, frame: int, starts: Array, before: Array, knots: Array, threads: int = 1) -> Scores:
        """Try plans (N, H, D) from ``frame`` on, each from its own snapshot (N, V)."""
        # How the clip would go on after its end is not known, so nothing beyond it is judged.
        left = self.aim.frames - 1 - frame
        targets = self.targets(frame, before, knots)[:, :max(left, WINDOW)]
        found = self.world.rollouts(starts, targets, self.steps, every=WINDOW, threads=threads, pushes=self.pushes(frame))
        last = min(WINDOW, left) - 1
        with np.errstate(all="ignore"):
            frames = self.cost.frames(frame + 1, found)[:, :left]
            costs = frames.mean(axis=1) + self.cost.plans(before, knots)
            distances, drifts, lost = self.cost.distance(frame + 1 + last, found.positions[:, last], found.rotations[:, last])
        costs = np.where(found.ok & np.isfinite(costs), costs, HOPELESS)
        return Scores(costs, frames[:, :WINDOW].mean(axis=1), found.snapshots[:, WINDOW - 1], distances, drifts, lost)


def first_hit(job: Job) -> int:
    """The frame of the plan's clip at which the body is first hit."""
    return round(min(event["time"] for event in job.events) * FPS)


# -- stages in other processes --------------------------------------------------------------------------------------------


def packed(stage: Stage) -> bytes:
    """What another process needs to build the same stage: its task, and its preset whether or not it is the built-in one."""
    return pickle.dumps((stage.task, stage.preset.data))


def try_plans(version: str, digest: str, packed_stage: bytes, frame: int, starts: Array, before: Array, knots: Array) -> Scores:
    """``Stage.tried`` in another process, on the stage that is packed; a process that has another version or other files refuses.

    ``version``: of Footfall where the stage was packed. ``digest``: of the stage there.
    """
    if version != VERSION:
        raise JobError(f"A worker has Footfall {VERSION}, but this is {version}: install the same version on all workers.")
    return _unpacked(packed_stage, digest).tried(frame, starts, before, knots)


@lru_cache(maxsize=2)
def _unpacked(packed_stage: bytes, digest: str) -> Stage:
    """The stage that is packed, built once in a process."""
    task, data = pickle.loads(packed_stage)
    stage = Stage(task, Preset(data))
    if stage.digest() != digest:
        raise JobError(f"A worker finds something else in '{task.recording.path}', or has another {task.job.engine}, than here: give all workers the "
                       "same files and packages.")
    return stage
