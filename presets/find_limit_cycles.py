"""Find a pose graph of presets/limit_cycles: poses that servos can walk with for a few steps on the average man, as a gait walks.

    python presets/find_limit_cycles.py --speed 1.0 [--style proud] [--description "A proud walk."] -o presets/limit_cycles/walk.json

The search begins with the poses of the survey's Figure 9 (three states in half a cycle), which fall at once on this body. The gait
is simulated, its half cycles are laid over each other, right on left, and the poses are moved by least squares until the body goes through these
half cycles as the gait does: one of them at first, and then two, without anything that would keep it upright. Arms, neck and toes are
taken from the gait as they are. At last the body practises: it walks with chance changes of these poses, and learns what they lead to.
"""

import argparse
import json
import shlex
import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core import jobs, presets, rotation
from core.commands.shared import say
from core.control.cycle_model import to_data
from core.control.pose_graph import JOINTS, MIRROR, MOVES, RATE, PoseGraph, exchanged, graph_from_dict, load_graph, rotations
from core.cycle.practice import TIME_STEP, known_on, settings
from core.cycle.servos import servos_of
from core.optimize.search import write_preset
from core.physics import world_class
from core.physics.base import moment
from core.search.least_squares import least_squares
from core.start import place_on_soles

SECONDS, SETTLED, FPS, SAMPLES = 14.0, 3.0, 120.0, 100
STATES = 3
# Degrees of Figure 9, for the half cycle on the left leg, in this project's signs; S1 and S2 have the same pose.
BENT = {"stance_hip": 10.0, "swing_hip": 50.0, "swing_knee": -60.0, "swing_ankle": 5.0}
REACHING = {"stance_hip": 10.0, "swing_hip": 20.0, "swing_ankle": -5.0}
# What is searched for, and which axes of it.
FREE = {"back": 3, "stance_hip": 3, "swing_hip": 3, "stance_knee": 1, "swing_knee": 1, "stance_ankle": 2, "swing_ankle": 2}
# How much further than the gait the swing leg bends in its middle, rad: the poses of a cycle are changed, and must not make the toes scuff.
LIFT = {"swing_knee": -0.3, "swing_hip": 0.13, "swing_ankle": 0.12}
# How much it matters where a link is turned to (a rad), and where the pelvis is (m).
MATTERS = {"pelvis": 2.0, "torso": 2.0, "thigh": 1.0, "shin": 1.0, "foot": 0.7}
PLACE = np.array([4.0, 4.0, 6.0])
STAGES = ((1, 8, 0.02), (2, 4, 0.01))  # half cycles that are followed, rounds of the search, and its reach (rad)
TRIALS = 64
ARMS = ("shoulder", "elbow")
CHANGES = [{"name": "swing foot ahead", "states": [1, 2], "pose": {"swing_hip": [0.04]}},
           {"name": "swing foot aside", "states": [1, 2], "pose": {"swing_hip": [0.0, 0.03]}},
           {"name": "trunk back", "states": [0, 1, 2], "pose": {"stance_hip": [0.03]}},
           {"name": "trunk aside", "states": [0, 1, 2], "pose": {"stance_hip": [0.0, 0.02]}},
           {"name": "trunk turned", "states": [0, 1, 2], "pose": {"stance_hip": [0.0, 0.0, 0.03]}},
           {"name": "push-off", "states": [1, 2], "pose": {"stance_ankle": [0.04]}},
           {"name": "foot rolled", "states": [0, 1, 2], "pose": {"stance_ankle": [0.0, 0.03]}}]


@dataclass
class HalfCycle:
    """The mean half cycle of a gait, on the left leg, at SAMPLES + 1 moments.

    Attributes:
        seconds: that it takes. places: (T, 3) m, of the pelvis, from where it begins. turns: (T, 4), of the pelvis. angles: (T, J, 3) rad.
    """

    seconds: float
    places: np.ndarray
    turns: np.ndarray
    angles: np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gait", default="walk")
    parser.add_argument("--style", default="none")
    parser.add_argument("--speed", type=float, default=1.0, help="m/s (default: %(default)s)")
    parser.add_argument("--description", default="")
    parser.add_argument("--variants", nargs="*", default=[], help="names of graphs that are this one at other speeds")
    parser.add_argument("--arms", help="name of a limit cycle that swings its arms as this one is to")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    data = found(options.gait, options.style, options.speed, options.arms)
    command = f"python presets/find_limit_cycles.py {shlex.join(sys.argv[1:])}"
    learn({"description": options.description, **data, "variants": options.variants}, options.output, command)


def found(gait: str, style: str, speed: float, arms: str | None) -> dict:
    """A preset, but for its model, of a graph that goes through the half cycles of a gait. ``arms``: name of a limit cycle that has its arms."""
    body = presets.body("average_man")
    search = Search(body, half_cycle(body, gait, style, speed, arms))
    poses = search.start
    for halves, rounds, reach in STAGES:
        poses = search.found(poses, halves, rounds, reach)
    return {**search.usual, **shown(poses, search.half.seconds, search.begin)}


def shown(poses, seconds: float, begin: dict) -> dict:
    """States and start as presets have them: rounded."""
    rows = [{joint: short(row) for joint, row in zip(JOINTS, pose, strict=True)} for pose in np.round(poses, 4)]
    start = json.loads(json.dumps(begin), parse_float=lambda text: round(float(text), 5))
    return {"start": start, "states": [{"duration": round(seconds / STATES, 5), "pose": pose} for pose in rows]}


def learn(data: dict, output: Path, command: str) -> None:
    """Write a preset with its linear model."""
    body, graph = presets.body("average_man"), graph_from_dict({**data, "variants": []}, "found")
    own, falls = known_on(graph, body, [graph.speed], 1, lambda fraction: say(f"practice: {fraction:.0%}"))
    if falls:
        raise SystemExit("The body falls on what was found, also after practice: nothing is written. Choose another speed.")
    data |= {"speed": round(own.speed, 3), "model": to_data(own.model)}
    data |= {"states": shown(own.poses, float(own.durations.sum()), data["start"])["states"]}
    write_preset(output, data, command)


def half_cycle(body, gait: str, style: str, speed: float, arms: str | None) -> HalfCycle:
    wish = {"gait": gait, "style": style, "speed": speed, "start": "gait"}
    result = jobs.run(jobs.make_job({**wish, "duration": SECONDS, "fps": FPS, "engine": "mujoco"}))
    assert not result.outcome["fell"], f"'{gait}' falls at {speed} m/s: choose another speed."
    begins = np.flatnonzero(np.diff(result.stance)) + 1
    begins = begins[begins > SETTLED * FPS]
    places, turns, angles = [], [], []
    for first, last in pairwise(begins):
        when, stance = np.linspace(first, last, SAMPLES + 1), int(result.stance[first])
        before = np.minimum(np.floor(when).astype(int), last - 1)
        share, side = (when - before)[:, None], MIRROR if stance else np.ones(3)
        place = result.root_positions[before] + share * (result.root_positions[before + 1] - result.root_positions[before])
        places.append((place - place[0] * (1.0, 1.0, 0.0)) * (1.0, side[1], 1.0))
        poses = result.rotations[np.round(when).astype(int)]
        turns.append(rotation.log(poses[:, 0]) * (side[1], 1.0, side[2]))
        angles.append(angles_of(body, poses, stance))
    mean = np.mean(angles, axis=0)
    lifted = np.sin(np.pi * np.clip((np.linspace(0.0, 1.0, SAMPLES + 1) - 0.12) / 0.76, 0.0, 1.0)) ** 2
    for joint, most in LIFT.items():
        mean[:, JOINTS.index(joint), 0] += most * lifted
    if arms:
        of, graph = [n for n, joint in enumerate(JOINTS) if joint.endswith(ARMS)], load_graph(arms)
        swung = graph.angles(exchanged(graph.poses[-1]), np.zeros(len(graph.changes)))
        mean[:, of] = swung[np.round(np.linspace(0, len(swung) - 1, SAMPLES + 1)).astype(int)][:, of]
    seconds = float(begins[-1] - begins[0]) / (len(begins) - 1) / FPS
    return HalfCycle(seconds, np.mean(places, axis=0), rotation.exp(np.mean(turns, axis=0)), mean)


def angles_of(body, poses, stance: int):
    """(T, J, 3) rad of poses (T, L, 4): what ``rotations`` makes poses of."""
    sides = {"stance": "LR"[stance], "swing": "RL"[stance]}
    links = ["torso", "head", *(f"{MOVES[name.split('_')[1]]}.{sides[name.split('_')[0]]}" for name in JOINTS[2:])]
    left, back, turn = np.moveaxis(rotation.to_euler(poses[:, [body.names.index(link) for link in links]]), -1, 0)
    return np.stack([-back, left, turn], axis=-1) * (MIRROR if stance else 1.0)


class Search:
    """Poses that make a body go through a half cycle."""

    def __init__(self, body, half: HalfCycle):
        self.body, self.half = body, half
        self.axes = [(JOINTS.index(joint), axis) for joint, axes in FREE.items() for axis in range(axes)]
        knots = np.round(np.linspace(0, SAMPLES, STATES + 1)[1:]).astype(int)
        self.start = half.angles[knots].copy()
        for joint in FREE:
            self.start[:, JOINTS.index(joint)] = 0.0
        for state in range(STATES):
            for joint, degrees in (REACHING if state == STATES - 1 else BENT).items():
                self.start[state, JOINTS.index(joint), 0] = np.radians(degrees)
        plan = presets.read_json(presets.FOLDER / "plan.json")
        servos = {part: [stiff, round(plan["damping_s"]["usual"] * stiff, 4), most] for part, (stiff, most) in plan["joints"].items()}
        self.begin = self._begin()
        self.usual = {"speed": 0.0, "reference": {"mass": body.mass, "leg_length": body.leg_length}, "changes": CHANGES, "servos": servos,
                      "start": self.begin}
        self.graph = self._graph(self.start)
        self.world = world_class("mujoco")(body, settings=settings())
        self.world.set_servos(*servos_of(self.graph, body))
        place_on_soles(self.world, self.graph.start)
        self.snapshot = self.world.snapshot()
        self.links = [i for i, name in enumerate(body.names) if name.split(".")[0] in MATTERS]
        self.matters = np.array([MATTERS[body.names[i].split(".")[0]] for i in self.links])[:, None]

    def _graph(self, poses) -> PoseGraph:
        seconds = self.half.seconds / STATES
        states = [{"duration": seconds, "pose": {joint: row.tolist() for joint, row in zip(JOINTS, pose, strict=True)}} for pose in poses]
        return graph_from_dict({**self.usual, "states": states}, "found")

    def _begin(self) -> dict:
        """The moving pose at the beginning of the half cycle."""
        half, body = self.half, self.body
        ago = 3  # samples, to both sides, over which speeds are taken
        seconds = 2.0 * ago * half.seconds / SAMPLES
        now, after = (self._pose(n, 0) for n in (0, ago))
        before = self._pose(SAMPLES - ago, 1)
        earlier = (half.places[-1 - ago] - half.places[-1]) * MIRROR[[0, 1, 0]] + half.places[0]
        velocity = (half.places[ago] - earlier) / seconds
        rates = rotation.log(rotation.multiply(rotation.conjugate(before), after)) / seconds
        spin = rotation.log(rotation.multiply(after[0], rotation.conjugate(before[0]))) / seconds
        found = moment(body, half.places[0], now, velocity, spin, rates)
        del found["position"]
        return found

    def _pose(self, sample, stance: int):
        """(..., L, 4) of the half cycle at samples; on the right leg mirrored."""
        turns = rotations(self.body, self.half.angles[sample], stance)
        turns[..., 0, :] = rotation.exp(rotation.log(self.half.turns[sample]) * ((-1.0, 1.0, -1.0) if stance else 1.0))
        return turns

    def _wanted(self, halves: int):
        """(F, 3) m and (F, L, 4): the half cycle again and again, at the moments at which targets end."""
        frames, places, poses, begin = self.graph.frames, [], [], np.zeros(3)
        samples = np.round((np.arange(frames) + 1.0) / frames * SAMPLES).astype(int)
        for half in range(halves):
            side = MIRROR[[0, 1, 0]] if half % 2 else np.ones(3)
            places.append(self.half.places[samples] * side + begin)
            poses.append(self._pose(samples, half % 2))
            begin = begin + self.half.places[-1] * side * (1.0, 1.0, 0.0)
        return np.concatenate(places), np.concatenate(poses)

    def rolled(self, every, halves: int):
        """What becomes of some poses (S, J, 3) over half cycles, as ``World.rollouts`` gives it."""
        plans, none = [], np.zeros(len(CHANGES))
        for poses in every:
            graph, parts = replace(self.graph, poses=poses), []
            before = exchanged(poses[-1])
            for half in range(halves):
                angles = graph.angles(before, none)
                parts.append(rotations(self.body, angles, half % 2))
                before = exchanged(angles[-1])
            plans.append(np.concatenate(parts))
        steps = round(1.0 / (RATE * TIME_STEP))
        return self.world.rollouts(np.repeat(self.snapshot[None], len(plans), axis=0), np.array(plans), steps)

    def found(self, poses, halves: int, rounds: int, reach: float):
        """Better poses (S, J, 3)."""
        places, wanted = self._wanted(halves)
        orientations = self.body.skeleton.forward_kinematics(places, wanted)[1][:, self.links]

        def moved(point):
            return poses + self._spread(point)

        def misses_of(points):
            rolled = self.rolled([moved(point) for point in points], halves)
            turned = self.body.skeleton.forward_kinematics(rolled.positions, rolled.rotations)[1][:, :, self.links]
            off = rotation.log(rotation.multiply(rotation.conjugate(orientations), turned)) * self.matters
            away = (rolled.positions - places) * PLACE
            missed = np.concatenate([off.reshape(*off.shape[:2], -1), away], axis=-1)
            return list(np.nan_to_num(missed, nan=5.0).reshape(len(points), -1) / missed[0].size**0.5)

        best = least_squares(misses_of, np.zeros(STATES * len(self.axes)), reach, TRIALS, rounds=rounds,
                             report=lambda one: say(f"{halves} half cycles, round {one.number}: {one.cost:.5f}"))
        return moved(best.point)

    def _spread(self, point):
        """(S, J, 3) rad of a point of the search."""
        angles = np.zeros_like(self.start)
        for number, (joint, axis) in enumerate(self.axes):
            angles[:, joint, axis] = point[number * STATES:(number + 1) * STATES]
        return angles


def short(row) -> list:
    """Without zeros at the end."""
    found = row.tolist()
    while len(found) > 1 and found[-1] == 0.0:
        found.pop()
    return found


if __name__ == "__main__":
    main()
