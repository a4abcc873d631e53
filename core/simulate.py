"""Run a Job: build the world, let the controller act in it, record a Result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from . import presets
from .control.data_driven import Gains
from .control.driver import Driver
from .control.gait import Gait
from .control.imitator import Imitator
from .control.tracker import Tracker
from .control.walker import Walker
from .job import Job, in_world
from .kinematic.retargeted import retargeted
from .physics import State, World, world_class
from .physics.base import blown_up
from .physics.settings import BALANCING, TRACKING, USUAL
from .places import struck
from .progress import Progress
from .quaternion import heading as heading_of
from .recording import references_of
from .result import Result
from .start import place, place_in

LAUNCHED = 4.0  # standing heights over the ground: a pelvis above this has been thrown there by a numerical blow-up
FALLING_S = 0.5  # s that are shown of a fall
LOADED = 1.0  # N on a foot, below which it has no centre of pressure

LONGER = 1.3  # times its own length that a clip may take: its steps wait for the feet

Supervisor = Callable[[Driver, float], None]


def simulate(job: Job, progress: Progress | None = None, gaits: dict[str, Gait] | None = None,
             supervise: Supervisor | None = None, gains: Gains | None = None) -> Result:
    """Run the job to its end or to a fall; a clip that is not looped also ends with its last step.

    Args:
        progress: called once an output frame with the part done (0–1) and the state; may raise to cancel.
        gaits: gaits by name that replace presets (for searches).
        gains: of tracking, in place of the job's (for searches).
        supervise: called before each step with the driver and the time (s): for learning.
    """
    body = presets.body(job.body)
    references = references_of(job.reference, body) if job.reference else []
    method = job.reference["method"] if job.reference else None
    if method == "retarget":
        return retargeted(job, references[0])
    usual = {"track": TRACKING, "imitate": BALANCING}.get(method, USUAL)
    settings = replace(usual, time_step=job.time_step, friction=job.friction, self_collision=job.self_collision)
    with world_class(job.engine)(body, job.ground, job.obstacles, settings) as world:
        if method == "track":
            driver = Tracker(body, job, references, world.inertias, gains)
            place_in(world, driver.start())
        elif method == "imitate":
            driver = Imitator(body, job, references[0])
            place_in(world, driver.start)
        else:
            driver = Walker(body, job, gaits or {})
            place(world, driver, gaits)
        return perform(world, driver, job, progress, supervise)


def perform(world: World, driver: Driver, job: Job, progress: Progress | None = None,
            supervise: Supervisor | None = None, after_fall: float = FALLING_S) -> Result:
    """Let ``driver`` lead a body that is in its place, to the job's end or to ``after_fall`` s after a fall; other arguments as in ``simulate``."""
    recorder = _Recorder(world, driver, job)
    outcome = _run(world, driver, job, recorder, progress, supervise, after_fall)
    return recorder.result(outcome)


def _run(world: World, driver: Driver, job: Job, recorder: _Recorder, progress: Progress | None,
         supervise: Supervisor | None, after_fall: float) -> dict:
    steps = round(job.duration / job.time_step)
    if job.reference and not job.reference["loop"] and "duration" not in job.source:
        steps = round(LONGER * steps)
    per_frame = 1.0 / (job.fps * job.time_step)
    pushes = [(event, *struck(world.body, event["part"])) for event in job.events if event["type"] == "push"]
    balls = sorted((event for event in job.events if event["type"] == "ball"), key=lambda event: event["time"])
    ground_below, next_frame, fell_at, end = world.ground_height(0.0, 0.0), 0.0, None, steps
    step = 0
    while step <= end:
        if step % driver.every == 0:
            state = world.read()
            if supervise:
                supervise(driver, state.time)
            torques = driver.torques(state)
            recorder.watch(state)
        if step >= next_frame - 1e-9:
            # A frame is of its own moment, also between two looks of the driver: a body seen too early every few frames would judder.
            recorder.record(world.read() if step % driver.every else state)
            next_frame += per_frame
            x, y, z = state.position
            ground_below = world.ground_height(x, y)
            # Nobody jumps that high: the engine has put in energy of its own. (NaN fails the comparison too.)
            if not z - ground_below < LAUNCHED * world.body.standing_height:
                raise blown_up(state.time, job.time_step)
            if job.slope_adaptation and not job.reference:
                driver.law.command.slope = _slope_ahead(world, state)
            if progress:
                progress(min(1.0, step / max(1, steps)), state)
        if fell_at is None and driver.down(state.position[2] - ground_below):
            fell_at = state.time
            end = min(end, step + after_fall / job.time_step)
        while balls and balls[0]["time"] <= state.time + 1e-9:
            _throw(world, balls.pop(0), state)
        if driver.finished and fell_at is None:
            break
        if step % driver.every == 0:
            driver.act(world, torques, state)
        # After the driver, for one that goes back to a snapshot drops what pushes.
        for event, link, point in pushes:
            if event["time"] <= world.time + 1e-9 < event["time"] + event["duration"]:
                world.push(link, in_world(event, "force", heading_of(state.rotation)), point)
        world.step()
        step += 1
    return _outcome(state, fell_at, driver)


def _slope_ahead(world: World, state: State) -> float:
    """Rise of the ground along the facing direction from just behind to a step ahead (rad)."""
    (x, y, _), yaw = state.position, heading_of(state.rotation)
    behind, ahead = (world.ground_height(x + far * math.cos(yaw), y + far * math.sin(yaw)) for far in (-0.1, 0.5))
    return math.atan2(ahead - behind, 0.6)


def _throw(world: World, event: dict, state: State) -> None:
    heading = heading_of(state.rotation)
    position = in_world(event, "position", heading)
    if event["frame"] == "heading":
        position = (position[0] + state.position[0], position[1] + state.position[1], position[2])
    names = (f"ball {number}" for number in range(len(world.objects) + 1, 10**6))
    world.throw_ball(next(name for name in names if name not in world.objects), event["mass"], event["radius"], position, in_world(event, "velocity", heading))


def _outcome(state: State, fell_at: float | None, driver: Driver) -> dict:
    x, y, z = state.position
    outcome = {"fell": fell_at is not None, "fell_at": fell_at, "simulated_s": round(state.time, 6), "steps": driver.steps,
               "end_position_m": [round(v, 4) for v in (x, y, z)], "gait": driver.gait_name}
    if fell_at is not None:
        outcome["reason"] = driver.fell_because(fell_at)
    return outcome


class _Recorder:
    """Collects output frames; forces are averaged and penetrations maximised over the steps of a frame."""

    def __init__(self, world: World, driver: Driver, job: Job):
        self.world, self.driver, self.job = world, driver, job
        self.rows: dict[str, list] = {name: [] for name in (
            "root_positions", "rotations", "torques", "foot_forces", "foot_cops", "penetrations", "ground_heights",
            "stance", "states", "gaits", "headings", "speeds", "reference_positions")}
        self.objects: list[list] = []
        self.gait_names: list[str] = []
        self._clear()

    def _clear(self) -> None:
        # Plain floats: this runs every step.
        self._sums, self._depths, self._count = [[0.0] * 6, [0.0] * 6], [0.0, 0.0], 0

    def watch(self, state: State) -> None:
        """Take in one simulation step."""
        for side, foot in enumerate(state.feet):
            if foot.force[2]:
                (fx, fy, fz), (mx, my, mz), sums = foot.force, foot.load_moment, self._sums[side]
                sums[0] += fx
                sums[1] += fy
                sums[2] += fz
                sums[3] += mx
                sums[4] += my
                sums[5] += mz
                self._depths[side] = max(self._depths[side], foot.depth)
        self._count += 1

    def record(self, state: State) -> None:
        body, rows = self.world.body, self.rows
        rotations, torques = [state.rotation], [(0.0, 0.0, 0.0)]
        for hinge, joint, torque in zip(body.hinges[1:], state.joints[1:], self.world.torques[1:]):
            rotations.append((math.cos(joint / 2), 0.0, math.sin(joint / 2), 0.0) if hinge else joint)
            torques.append(torque if isinstance(torque, tuple) else (0.0, torque, 0.0))
        sums = np.array(self._sums)
        loads = sums[:, 2:3] / self._count
        cops = np.where(loads > LOADED, sums[:, 3:] / np.maximum(sums[:, 2:3], 1e-9), np.nan)
        name = self.driver.gait_name
        if name not in self.gait_names:
            self.gait_names.append(name)
        rows["root_positions"].append(state.position)
        rows["rotations"].append(rotations)
        rows["torques"].append(torques)
        rows["foot_forces"].append(sums[:, :3] / self._count)
        rows["foot_cops"].append(cops)
        rows["penetrations"].append(self._depths)
        rows["ground_heights"].append([self.world.ground_height(*foot.position[:2]) for foot in state.feet])
        rows["stance"].append(self.driver.stance)
        rows["states"].append(self.driver.state_index)
        rows["gaits"].append(self.gait_names.index(name))
        rows["headings"].append(self.driver.commanded_heading)
        rows["speeds"].append(math.nan if self.driver.commanded_speed is None else self.driver.commanded_speed)
        shown = self.driver.shown()
        if shown is not None:
            rows["reference_positions"].append(shown)
        self.objects.append(self.world.object_poses())
        self._clear()

    def result(self, outcome: dict) -> Result:
        body, job = self.world.body, self.job
        arrays = {name: np.array(values) for name, values in self.rows.items()}
        arrays["reference_positions"] = arrays["reference_positions"].reshape(-1, len(body.names), 3)
        object_names = list(self.world.objects)
        positions, rotations = self._object_arrays(len(object_names))
        return Result(
            fps=job.fps, link_names=list(body.names), parents=body.parents, offsets=body.offsets, masses=body.masses,
            com_offsets=body.com_offsets, inertias=body.inertias, half_extents=np.array([shape.half_extents for shape in body.shapes]),
            shape_centers=np.array([shape.center for shape in body.shapes]), limits=body.limits, sole_links=body.sole_links,
            sole_points=body.sole_points, gait_names=self.gait_names, object_names=object_names, object_positions=positions,
            object_rotations=rotations, job=job.source, outcome=outcome, **arrays)

    def _object_arrays(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(F, O, 3) and (F, O, 4); a ball that is not thrown yet waits where it will appear."""
        frames = len(self.objects)
        positions, rotations = np.zeros((frames, count, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (frames, count, 1))
        for thing in range(count):
            seen = [frame for frame in range(frames) if len(self.objects[frame]) > thing]
            for frame in range(frames):
                source = frame if len(self.objects[frame]) > thing else (seen[0] if seen else None)
                if source is not None:
                    positions[frame, thing], rotations[frame, thing] = self.objects[source][thing]
        return positions, rotations
