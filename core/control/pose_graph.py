"""Pose graph: the poses that servos are to bring about in half a cycle of a walk, one after the other (Laszlo, van de Panne and Fiume 1996; survey,
section 3.1 and its Figure 9). It walks a few steps by itself, and for as long as it is asked to under ``limit_cycle``.

A graph is JSON in presets/limit_cycles. Its poses are written for the half cycle in which the left leg stands; in the other one they are mirrored.

    description, made_by    what it is, and the command that found it
    reference               {"mass": kg, "leg_length": m}: the body that it was found on
    speed                   m/s it goes at by itself
    states                  [{"duration": s, "pose": {joint: angles}}, …]: a pose is reached evenly by the end of its state
    changes                 [{"name", "states": [number, …], "pose": {joint: angles}, "most": factor}, …]: the small changes of its poses that keep
                            it on its cycle, each as large as it is tried. States are counted from 0.
    model                   {"cycle", "answers"}: what the regulation variables are on its cycle, and what they depend on, see ``cycle_model``.
                            Without it a body finds that out before it walks.
    servos                  {part: [N·m/rad, N·m·s/rad, N·m]}: stiffness, damping and largest torque for each kg of body mass
    start                   pose and velocity at the beginning of a half cycle on the left leg, as gaits have it
    variants                names of graphs that are this one at other speeds; between them everything is interpolated

Angles of a joint are rad relative to its parent link: forward, to the left, and about the vertical, or as many of these as are not 0. Forward is
where the end of a limb goes, as in gaits: a knee bends below 0, and an ankle lifts the toes above it. "stance" and "swing" joints are those on the
side of that leg.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from .. import presets, rotation
from ..arrays import Array
from ..body import Body
from ..errors import JobError
from ..settings import REQUIRED, a_list, number, record
from .cycle_model import CycleModel, from_data

RATE = 60.0  # targets of the servos a second
MOVES = {"hip": "thigh", "knee": "shin", "ankle": "foot", "toes": "toes", "shoulder": "upper_arm", "elbow": "forearm"}  # joint → link
JOINTS = ("back", "neck", *(f"{leg}_{joint}" for joint in MOVES for leg in ("stance", "swing")))
EXCHANGED = [0, 1, *np.arange(2, len(JOINTS)).reshape(-1, 2)[:, ::-1].reshape(-1).tolist()]  # JOINTS as the half cycle on the other leg calls them
MIRROR = np.array([1.0, -1.0, -1.0])  # of the angles of a joint, on the other side


@dataclass(frozen=True)
class Change:
    """A small change of the poses (Δû of eq. 5). angles: (S, J, 3) rad. most: the largest factor of it, to both sides."""

    name: str
    angles: Array
    most: float


@dataclass(frozen=True)
class PoseGraph:
    """A graph with S states. durations: (S,) s. poses: (S, J, 3) rad, by JOINTS. The rest as above."""

    name: str
    durations: Array
    poses: Array
    changes: tuple[Change, ...]
    model: CycleModel | None
    servos: Mapping[str, tuple[float, ...]]
    start: dict[str, Any]
    speed: float
    reference: dict[str, float]
    variants: tuple[PoseGraph, ...] = ()

    @property
    def frames(self) -> int:
        """How many targets half a cycle has."""
        return max(len(self.durations), round(float(self.durations.sum()) * RATE))

    @property
    def family(self) -> list[PoseGraph]:
        """It and its variants, the slowest first."""
        return sorted((self, *self.variants), key=lambda graph: graph.speed)

    def members(self, slowest: float, fastest: float) -> list[PoseGraph]:
        """Those of the family between which speeds (m/s) from the slowest to the fastest are interpolated."""
        family = self.family
        first = max((n for n, graph in enumerate(family) if graph.speed <= slowest), default=0)
        last = min((n for n, graph in enumerate(family) if graph.speed >= fastest), default=len(family) - 1)
        return family[first:max(first, last) + 1]

    def angles(self, before: Array, factors: Array) -> Array:
        """(F, J, 3) rad: the targets over half a cycle.

        Args:
            before: (J, 3) rad, the last ones of the half cycle before, as this one calls the joints. factors: (C,) of the changes, K of eq. 5.
        """
        poses = self.changed(factors).poses
        ends = np.concatenate([[0.0], np.cumsum(self.durations) / self.durations.sum()])
        knots = np.concatenate([before[None], poses])
        times = (np.arange(self.frames) + 1.0) / self.frames
        state = np.minimum(np.searchsorted(ends, times) - 1, len(poses) - 1)
        fraction = ((times - ends[state]) / (ends[state + 1] - ends[state]))[:, None, None]
        return np.asarray(knots[state] + fraction * (knots[state + 1] - knots[state]))

    def changed(self, factors: Array) -> PoseGraph:
        """The graph with factors (C,) of its changes made in its poses."""
        return replace(self, poses=self.poses + np.tensordot(factors, np.array([change.angles for change in self.changes]), axes=1))

    def twisted(self, turn: float) -> PoseGraph:
        """The graph for a turn of ``turn`` rad in half a cycle, to the left on the left leg: the stance hip twists (survey, section 3.1)."""
        poses = self.poses.copy()
        poses[:, JOINTS.index("stance_hip"), 2] -= turn * np.cumsum(self.durations) / self.durations.sum()
        return replace(self, poses=poses)

    def at_speed(self, speed: float) -> PoseGraph:
        """The graph at a speed (m/s), interpolated between its variants; at the ends of their range, the last one."""
        family = self.family
        for slower, faster in pairwise(family):
            if speed <= faster.speed or faster is family[-1]:
                fraction = (speed - slower.speed) / (faster.speed - slower.speed)
                return replace(blend(slower, faster, max(0.0, min(1.0, fraction))), name=self.name, variants=self.variants)
        return self

    def knows(self, body: Body) -> bool:
        """Whether its models, and those of its variants, were found on this body."""
        reference = self.reference
        same = abs(reference["mass"] - body.mass) < 1e-6 and abs(reference["leg_length"] - body.leg_length) < 1e-6
        return same and self.model is not None and all(variant.knows(body) for variant in self.variants)

    def scaled(self, mass: float, leg_length: float) -> PoseGraph:
        """The same graph on another body by dynamic similarity: lengths and torques a kg go with the legs, times and speeds with their root."""
        length = leg_length / self.reference["leg_length"]
        pace, start = length**0.5, dict(self.start)
        start |= {"velocity": [v * pace for v in start["velocity"]],
                  "angular_velocity": [rate / pace for rate in start["angular_velocity"]],
                  "joint_velocities": [_over(rate, pace) for rate in start["joint_velocities"]]}
        servos = {part: (kp * length, kd * length * pace, most * length) for part, (kp, kd, most) in self.servos.items()}
        return replace(self, durations=self.durations * pace, servos=servos, start=start, speed=self.speed * pace,
                       reference={"mass": mass, "leg_length": leg_length},
                       variants=tuple(variant.scaled(mass, leg_length) for variant in self.variants))


def _over(rate: Any, by: float) -> Any:
    return tuple(r / by for r in rate) if isinstance(rate, (list, tuple)) else rate and rate / by


def blend(a: PoseGraph, b: PoseGraph, fraction: float) -> PoseGraph:
    """What lies between two graphs: a ``fraction`` of 0 is a, of 1 is b. Name, changes and servos are a's."""
    if a.poses.shape != b.poses.shape or [change.name for change in a.changes] != [change.name for change in b.changes]:
        raise JobError(f"The limit cycles '{a.name}' and '{b.name}' have other states or changes: one cannot be a variant of the other.")
    return replace(a, durations=a.durations + fraction * (b.durations - a.durations), poses=a.poses + fraction * (b.poses - a.poses),
                   model=a.model.blended(b.model, fraction) if a.model and b.model else None,
                   start=_between(a.start, b.start, fraction), speed=a.speed + fraction * (b.speed - a.speed))


def _between(a: Any, b: Any, fraction: float) -> Any:
    """The same of a start's numbers. Its quaternions, which are alike, are all that comes in fours."""
    if isinstance(a, dict):
        return {key: _between(value, b[key], fraction) for key, value in a.items()}
    if isinstance(a, (list, tuple)):
        mixed = [_between(x, y, fraction) for x, y in zip(a, b, strict=True)]
        return tuple(rotation.normalize(mixed).tolist()) if len(mixed) == 4 else type(a)(mixed)
    return None if a is None else a + fraction * (b - a)


def exchanged(angles: Array) -> Array:
    """(..., J, 3) the same angles as the half cycle on the other leg has them."""
    return np.asarray(angles[..., EXCHANGED, :] * MIRROR)


def rotations(body: Body, angles: Array, stance: int) -> Array:
    """(..., L, 4) of the links relative to their parents, as ``World.follow`` takes them. angles: (..., J, 3). stance: 0 left, 1 right."""
    sides = {"stance": "LR"[stance], "swing": "RL"[stance]}
    split = [name.split("_") for name in JOINTS[2:]]
    links = ["torso", "head", *(f"{MOVES[joint]}.{sides[leg]}" for leg, joint in split)]
    forward, left, turn = np.moveaxis(angles * (MIRROR if stance else 1.0), -1, 0)
    turns = rotation.identity((*angles.shape[:-2], len(body.names)))
    turns[..., [body.names.index(link) for link in links], :] = rotation.from_euler(np.stack([left, -forward, turn], axis=-1))
    return turns


# -- reading presets -------------------------------------------------------------------------------------------------------


def load_graph(name: str) -> PoseGraph:
    """The graph of a preset's name, or of the path of such a file, with its variants."""
    data = presets.load("limit_cycles", name)
    graph = graph_from_dict(data, Path(name).stem)
    variants = [graph_from_dict(presets.load("limit_cycles", variant), variant) for variant in a_list("variants", data.get("variants", []))]
    for variant in variants:
        blend(graph, variant, 0.0)
    return replace(graph, variants=tuple(variants))


def graph_from_dict(data: dict[str, Any], name: str) -> PoseGraph:
    """A graph from a preset's data, without its variants. What is missing or wrong is a JobError."""
    fields: dict[str, Any] = {**dict.fromkeys(("states", "changes", "servos", "start", "speed", "reference"), REQUIRED),
              "description": "", "made_by": "", "variants": [], "model": None}
    whole = record(f"The limit cycle '{name}'", data, fields)
    listed = a_list(f"{name}: states", whole["states"])
    states = [record(f"{name}: states[{n}]", state, {"duration": REQUIRED, "pose": REQUIRED}) for n, state in enumerate(listed)]
    if not states:
        raise JobError(f"{name}: states is empty; a limit cycle needs at least one.")
    durations = [number(f"{name}: states[{n}].duration", state["duration"], 0.01, 2.0, "s") for n, state in enumerate(states)]
    poses = np.array([_pose(f"{name}: states[{n}].pose", state["pose"]) for n, state in enumerate(states)])
    changes = tuple(_changes(name, whole["changes"], len(states)))
    model = from_data(f"{name}: model", whole["model"], len(changes)) if whole["model"] else None
    return PoseGraph(name, np.array(durations), poses, changes, model, {part: tuple(row) for part, row in whole["servos"].items()},
                     _start(whole["start"]), number(f"{name}: speed", whole["speed"], 0.0, 5.0, "m/s"), whole["reference"])


def _pose(where: str, data: Any) -> Array:
    """(J, 3) rad of a pose."""
    angles = np.zeros((len(JOINTS), 3))
    for joint, turns in record(where, data, dict.fromkeys(JOINTS, ())).items():
        row = turns if isinstance(turns, (list, tuple)) else [turns]
        for axis, turn in enumerate(row[:3]):
            angles[JOINTS.index(joint), axis] = number(f"{where}.{joint}", turn, -3.2, 3.2, "rad")
    return angles


def _changes(name: str, data: Any, states: int) -> Sequence[Change]:
    found = []
    for n, item in enumerate(a_list(f"{name}: changes", data)):
        where = f"{name}: changes[{n}]"
        change = record(where, item, {"name": REQUIRED, "states": REQUIRED, "pose": REQUIRED, "most": 6.0})
        angles = np.zeros((states, len(JOINTS), 3))
        moved = [int(number(f"{where}.states", state, 0, states - 1, whole=True)) for state in a_list(f"{where}.states", change["states"])]
        angles[moved] = _pose(f"{where}.pose", change["pose"])
        found.append(Change(change["name"], angles, number(f"{where}.most", change["most"], 0.0, 100.0)))
    return found


def _start(data: dict[str, Any]) -> dict[str, Any]:
    """With tuples for ball joints, as ``World.place`` takes them."""
    joints = {key: [tuple(value) if isinstance(value, list) else value for value in data[key]] for key in ("joints", "joint_velocities")}
    return {**data, **joints}
