"""Session: a simulation that is stepped from outside, and recorded. ``perform`` steps one to its end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import Array
from .context import Context
from .control.driver import Driver
from .guard import Guard
from .job import Job, in_world
from .others import boxes
from .physics import State, World
from .physics.base import blown_up
from .places import struck
from .result import Result

LAUNCHED = 4.0  # standing heights over the ground: a pelvis above this has been thrown there by a numerical blow-up
FALLING_S = 0.5  # s that are shown of a fall
LOADED = 1.0  # N on a foot, below which it has no centre of pressure

Supervisor = Callable[[Any, float], None]  # takes the driver, of whichever class leads the body, and the time (s)


@dataclass(frozen=True)
class Moment:
    """A frame that a simulation can be gone on from.

    Attributes:
        time: s. snapshot: as ``World.snapshot`` gives it. balls: how many of those thrown are in it.
        tips: whether the body was on its way down.
    """

    time: float
    snapshot: Array
    balls: int
    tips: bool


def perform(world: World, driver: Driver, job: Job, context: Context | None = None, supervise: Supervisor | None = None,
            after_fall: float = FALLING_S) -> Result:
    """Let ``driver`` lead a body that is in its place, to the job's end or to ``after_fall`` s after a fall; a driver may be finished before.

    ``supervise``: called before each moment of control: for learning.
    """
    session = Session(world, driver, job, supervise, after_fall)
    session.run(context)
    return session.result()


class Session:
    """A simulation in a world whose body is in its place, one step of the engine at a time; the events of the job happen when their time comes.

    Attributes:
        state: the body as it was last seen. over: whether there is nothing left to step.
        fell_at: s, or None. wild: whether the body got energy out of nowhere, which counts as a fall.
        moments: of every frame, where it ``remembers``. thrown: the balls that were thrown: name, kg, radius (m).
    """

    def __init__(self, world: World, driver: Driver, job: Job, supervise: Supervisor | None = None, after_fall: float = FALLING_S,
                 remembers: bool = False, thrown: Sequence[tuple[str, float, float]] = ()):
        self.world, self.driver, self.job = world, driver, job
        self.state = world.read()
        self.over = False
        self.fell_at: float | None = None
        self.wild = False
        self.moments: list[Moment] = []
        self.thrown = list(thrown)
        self._bumped: dict[str, float] = {}  # names of other characters, and s when each was first touched
        self._supervise, self._after_fall, self._remembers = supervise, after_fall, remembers
        self._guard = Guard(world, driver.power)
        self._masses = [float(box.get("mass", 0.0)) for box in boxes(job.obstacles)] + [mass for _, mass, _ in thrown]
        self._recorder = _Recorder(world, driver, job)
        self._steps = round(job.duration / job.time_step)
        self._end: float = self._steps
        self._step, self._next_frame, self._per_frame = 0, 0.0, 1.0 / (job.fps * job.time_step)
        self._ground_below = world.ground_height(0.0, 0.0)
        self._pushes = [(event, *struck(world.body, event["part"])) for event in job.events if event["type"] == "push"]
        self._balls = sorted((event for event in job.events if event["type"] == "ball"), key=lambda event: event["time"])

    @property
    def fraction(self) -> float:
        """Of the time that this takes, as far as anybody can say, 0–1."""
        over, done = self._step / max(1, min(self._end, self._steps)), None if self.fell_at is not None else self.driver.done
        return min(1.0, over if done is None else done)

    def run(self, context: Context | None = None) -> None:
        """Step to the end."""
        while not self.over:
            if self.step() and context:
                context.tell(self.fraction, self.state)

    def step(self) -> bool:
        """Go on by one step of the engine, if it is not over; whether an output frame was recorded."""
        # This runs a thousand times a second: local names, and no look at a list that is empty.
        world, driver, step, state = self.world, self.driver, self._step, self.state
        looks, records = step % driver.every == 0, step >= self._next_frame - 1e-9
        if looks:
            state = self.state = world.read()
            if self._supervise:
                self._supervise(driver, state.time)
            torques = driver.torques(state)
            self._recorder.watch(state)
        if records:
            # A frame is of its own moment, also between two looks of the driver: a body seen too early every few frames would judder.
            self._record(state if looks else world.read())
        while self._balls and self._balls[0]["time"] <= state.time + 1e-9:
            self._throw(self._balls.pop(0))
        if self.fell_at is None and (looks or self.wild):
            if self.wild or driver.down(state, self._ground_below):
                self.fell_at = state.time
                self._end = min(self._end, step + self._after_fall / self.job.time_step)
            elif driver.finished:
                self.over = True
                return records
        if looks:
            driver.act(world, torques, state)
        # After the driver, for one that goes back to a snapshot drops what pushes.
        for event, link, point in self._pushes:
            if event["time"] <= world.time + 1e-9 < event["time"] + event["duration"]:
                world.push(link, in_world(event, "force", driver.faces(state)), point)
                self._guard.forget()
        world.step()
        self._step = step + 1
        self.over = self._step > self._end
        return records

    def add(self, event: dict[str, Any]) -> None:
        """Let a push or a ball happen that the job does not have."""
        if event["type"] == "push":
            now = self.world.time + 1e-9
            self._pushes = [push for push in self._pushes if now < push[0]["time"] + push[0]["duration"]]
            self._pushes.append((event, *struck(self.world.body, event["part"])))
        elif event["type"] == "ball":
            self._balls = sorted([*self._balls, event], key=lambda ball: ball["time"])

    def result(self) -> Result:
        """What was recorded so far."""
        return self._recorder.result(self._outcome())

    def _record(self, state: State) -> None:
        self._recorder.record(state)
        self._next_frame += self._per_frame
        x, y, z = self.state.position
        self._ground_below = self.world.ground_height(x, y)
        # Nobody jumps that high: the engine has put in energy of its own. (NaN fails the comparison too.)
        if not z - self._ground_below < LAUNCHED * self.world.body.standing_height:
            raise blown_up(self.state.time, self.job.time_step)
        for name in self.world.bumped():
            self._bumped.setdefault(name, round(state.time, 3))
            self._guard.forget()  # who bumps into it gives it energy
        if self.fell_at is None:
            self.wild = self._guard.wild(state, [place for place, _ in self.world.object_poses()], self._masses)
        if self._remembers:
            self.moments.append(Moment(state.time, self.world.snapshot(), len(self.thrown), self.driver.tipping(state, self._ground_below)))
        self.driver.look_around(self.world, self.state)

    def _throw(self, event: dict[str, Any]) -> None:
        heading = self.driver.faces(self.state)
        position = in_world(event, "position", heading)
        if event["frame"] == "heading":
            position = (position[0] + self.state.position[0], position[1] + self.state.position[1], position[2])
        thrown = self.world.objects
        name = next(name for name in (f"ball {number}" for number in range(len(thrown) + 1, 10**6)) if name not in thrown)
        self.world.throw_ball(name, event["mass"], event["radius"], position, in_world(event, "velocity", heading))
        self.thrown.append((name, event["mass"], event["radius"]))
        self._masses.append(event["mass"])

    def _outcome(self) -> dict[str, Any]:
        outcome: dict[str, Any] = {
            "fell": self.fell_at is not None, "fell_at": self.fell_at, "simulated_s": round(self.state.time, 6),
            "end_position_m": [round(v, 4) for v in self.state.position], "gait": self.driver.gait_name}
        if self.driver.steps is not None:
            outcome["steps"] = self.driver.steps
        if self._bumped:
            outcome["bumped_s"] = self._bumped
        if self.fell_at is not None:
            outcome["reason"] = self.driver.fell_because(self.fell_at)
        return outcome


class _Recorder:
    """Collects output frames; forces are averaged and penetrations maximised over the steps of a frame."""

    def __init__(self, world: World, driver: Driver, job: Job):
        self.world, self.driver, self.job = world, driver, job
        self.rows: dict[str, list[Any]] = {name: [] for name in (
            "root_positions", "rotations", "torques", "foot_forces", "foot_cops", "penetrations", "ground_heights",
            "stance", "states", "gaits", "headings", "speeds", "reference_positions")}
        self.objects: list[list[tuple[Any, Any]]] = []
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
        for hinge, joint, torque in zip(body.hinges[1:], state.joints[1:], self.world.torques[1:], strict=True):
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

    def result(self, outcome: dict[str, Any]) -> Result:
        body, job = self.world.body, self.job
        arrays: dict[str, Any] = {name: np.array(values) for name, values in self.rows.items()}
        arrays["reference_positions"] = arrays["reference_positions"].reshape(-1, len(body.names), 3)
        object_names = list(self.world.objects)
        positions, rotations = self._object_arrays(len(object_names))
        return Result(
            fps=job.fps, link_names=list(body.names), parents=body.parents, offsets=body.offsets, masses=body.masses,
            com_offsets=body.com_offsets, inertias=body.inertias, half_extents=np.array([shape.half_extents for shape in body.shapes]),
            shape_centers=np.array([shape.center for shape in body.shapes]), limits=body.limits, sole_links=body.sole_links,
            sole_points=body.sole_points, gait_names=self.gait_names, object_names=object_names, object_positions=positions,
            object_rotations=rotations, job=job.to_dict(), outcome=outcome, **arrays)

    def _object_arrays(self, count: int) -> tuple[Array, Array]:
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
