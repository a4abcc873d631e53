"""Job: one simulation, described as plain data and checked before anything runs.

    {
      "body": "average_man" | {"height": m, "mass": kg, "sex": "male"|"female", "scale": {"thigh": 1.1}},
      "gait": "walk",                              a preset's name, or the path of a gait file
      "reference": {"clips": ["walk.bvh", …],      follow recordings instead of a gait; body: by default the first clip's own
                    "method": "track"|"imitate"|"retarget"|"plan"|"hit",   under physics, as a periodic controller, without physics, any clip
                    under physics by trying out ahead of time what will hold (slow), or as it is until "events" hit the body
                    "loop": false,                 go on after the end of the clip, which "heading", "speed" and "path" then steer
                    "tune": 0,                     s of search for better gains where the default ones fall
                    "gains": {name: number | [number, …]},    instead of the default ones
                    "without": [part, …],          leave out parts of the feedback: "stance hip", "swing hip", "stance ankle", "swing height",
                    "synchronisation"
                    "repair": false,               interpolate where the recording has dropped out
                    "feedforward": null,           torques learned for imitating the clip (``optimize.learning.learn_imitation``)
                    "quality": "normal",           "draft"|"normal"|"fine": how long a plan is searched for (this and what follows: only for "plan")
                    "freedom": 0.3,                0: stick to the clip, 1: physics first
                    "weights": {"feet": 1, "hands": 1, "head": 1, "trunk": 1},   0–5: how much it matters that a part goes where the clip has it
                    "strength": "human",           "human"|"hero": the largest torques
                    "response": "flinch",          "auto"|"flinch"|"balance"|"stumble"|"fall": how a hit is taken (this and what follows: only for "hit")
                    "manner": {"stiffness": 1,     of the body, as a factor
                               "delay": 0.15,      s before the character reacts
                               "soft": 0.4,        s that what was struck stays soft
                               "back": 1.5},       s after a hit by which all is as in the clip again
                    "home": false},                who was pushed aside goes back to the clip's way, instead of on from there
      "duration": s, "fps": 30, "seed": 0,         duration: by default 10 s, or as long as the clip
      "start": "rest" | "gait"                     standing still, or in full stride (default: still, or at the speed that the preset asks for),
                | {"rotations": {link: [w, x, y, z]}},   or still in a pose: each link relative to its parent, the pelvis to the heading
      "ground": "flat" | {"type": "plane"} | {"type": "slope", "degrees", "start", "length"}
                | {"type": "steps", "height", "start", "depth", "count"} | {"type": "profile", "points": [[x, z], …]}
                | {"type": "mesh", "file": "x.obj"} | {"type": "mesh", "vertices", "faces"},     or a scene preset's name
      "friction": 0.8,
      "obstacles": [{"size": [x, y, z], "position": [x, y, z], "mass": kg (0: fixed), "yaw": rad, "name"}],
      "events": [{"type": "push", "time", "duration", "force": [forward, left, up] N, "part": "torso", "frame": "heading"|"world"},
                 (part: a link, "chest", "hip", "hand.L" or "hand.R"),
                 {"type": "gait", "time", "gait"},
                 {"type": "ball", "time", "mass", "radius", "position", "velocity", "frame", "part": link}],
                 (part: only for "hit": the ball is thrown as fast as velocity says, so that it meets that link)
      "heading": rad | [[s, rad], …],              facing, 0 is +X, counter-clockwise
      "speed": m/s | [[s, m/s], …] | null,         null: the gait's own
      "path": [[x, y], …],                         walk along these points instead of a heading
      "stance_width": rad,                         added to both swing hips, outward (default 0, with self-collision 0.03)
      "arm_spread": rad,                           added to both shoulders, outward (default 0)
      "slope_adaptation": false,                   the walker knows the ground's slope and leans and lifts for it
      "self_collision": false,
      "feedforward": false,                        use the torques learned for this gait, with …
      "feedback_gain": 0.6,                        … this part of the feedback gains of the trunk
      "time_step": s,                              default: the gait's own
      "engine": "auto" | "pybullet" | "mujoco"     auto: pybullet where it is installed, else MuJoCo; for "plan" the other way round
    }

A push or ball with frame "heading" is relative to where the body faces at that moment (and, for a ball, to where it is).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path

from . import presets
from .control.feedforward import learned_torques
from .control.gait import load_gait
from .errors import JobError
from .ground import read_triangles
from .physics import ENGINES
from .places import PARTS
from .recording import own_body, own_length
from .skeleton import LINKS

MAX_DURATION = 3600.0
REQUIRED = object()
GROUNDS = {
    "plane": {},
    "slope": {"degrees": REQUIRED, "start": 0.0, "length": 200.0},
    "steps": {"height": REQUIRED, "start": 2.0, "depth": 1.0, "count": 1},
    "profile": {"points": REQUIRED},
    "mesh": {"file": None, "vertices": None, "faces": None},
}
EVENTS = {
    "push": {"time": REQUIRED, "duration": REQUIRED, "force": REQUIRED, "part": "torso", "frame": "heading"},
    "gait": {"time": REQUIRED, "gait": REQUIRED},
    "ball": {"time": REQUIRED, "mass": 1.0, "radius": 0.1, "position": REQUIRED, "velocity": REQUIRED, "frame": "heading", "part": None},
}
WEIGHTS = {"feet": 1.0, "hands": 1.0, "head": 1.0, "trunk": 1.0}
REFERENCE = {"clips": REQUIRED, "method": "track", "loop": False, "tune": 0.0, "gains": {}, "without": [], "repair": False, "feedforward": None,
             "quality": "normal", "freedom": 0.3, "weights": WEIGHTS, "strength": "human", "response": "flinch", "manner": {}, "home": False}
METHODS = ("track", "imitate", "retarget", "plan", "hit")
RESPONSES = ("auto", "flinch", "balance", "stumble", "fall")
MANNER = {"stiffness": (1.0, 0.1, 10.0), "delay": (0.15, 0.0, 1.0), "soft": (0.4, 0.0, 5.0), "back": (1.5, 0.2, 10.0)}  # usual, least, most
QUALITIES = ("draft", "normal", "fine")
STRENGTHS = ("human", "hero")
FEEDBACK_PARTS = ("stance hip", "swing hip", "stance ankle", "swing height", "synchronisation")
OBSTACLE = {"size": REQUIRED, "position": REQUIRED, "mass": 0.0, "yaw": 0.0, "name": None}


@dataclass
class Job:
    """A checked job; fields as in the module's docstring. Curves are lists of (time, value)."""

    body: str | dict = "average_man"
    gait: str = "walk"
    reference: dict | None = None
    duration: float = 10.0
    fps: float = 30.0
    seed: int = 0
    start: str | dict | None = None
    ground: dict = field(default_factory=lambda: {"type": "plane"})
    friction: float = 0.8
    obstacles: list[dict] = field(default_factory=list)
    events: list[dict] = field(default_factory=list)
    heading: list[tuple[float, float]] = field(default_factory=lambda: [(0.0, 0.0)])
    speed: list[tuple[float, float]] | None = None
    path: list[tuple[float, float]] | None = None
    stance_width: float = 0.0
    arm_spread: float = 0.0
    slope_adaptation: bool = False
    self_collision: bool = False
    time_step: float = 0.002
    feedforward: bool = False
    feedback_gain: float = 0.6
    engine: str = "auto"
    source: dict = field(default_factory=dict)  # the job as it was written, for the Result

    def lasting(self, seconds: float) -> Job:
        """The same, but for its length."""
        return replace(self, duration=seconds, source=self.source | {"duration": seconds})


def in_world(event: dict, key: str, heading: float) -> tuple[float, float, float]:
    """A vector of a push or ball in the world's axes, for a body that faces ``heading`` (rad)."""
    x, y, z = event[key]
    if event["frame"] == "world":
        return (x, y, z)
    return (x * math.cos(heading) - y * math.sin(heading), x * math.sin(heading) + y * math.cos(heading), z)


def load_job(path: str | Path) -> Job:
    """Read and check a job file (or a job preset's name). A mesh file is looked up beside the job."""
    text = str(path)
    file = Path(text) if text.endswith(".json") or Path(text).is_file() else presets.FOLDER / "jobs" / f"{text}.json"
    if not file.is_file():
        raise JobError(f"There is no job '{path}'; give a JSON file or one of {', '.join(presets.names('jobs'))}.")
    return make_job(presets.read_json(file), folder=file.parent)


def make_job(data: dict, folder: Path | None = None) -> Job:
    """Check a job given as a dict. Every mistake is a JobError whose sentence names the field and what is allowed."""
    known = [name for name in Job.__dataclass_fields__ if name != "source"]
    for key in data:
        if key not in known and key != "description":
            raise JobError(f"A job has no field '{key}'; known are {', '.join(known)}.")
    if folder:
        data = _from_folder(data, folder)
    job = Job(source=data)
    job.reference = None if data.get("reference") is None else _reference(data["reference"])
    job.body = _body(data.get("body", job.body if job.reference is None else own_body(job.reference)))
    planar = presets.body(job.body).planar
    if job.reference and (planar or "gait" in data):
        raise JobError("A job has a gait or a reference, not both." if "gait" in data else "reference needs a body in 3D, not the planar biped.")
    job.gait = data.get("gait", job.gait)
    _check_gait("gait", job.gait, planar)
    length = job.duration if job.reference is None or job.reference["loop"] else own_length(job.reference)
    job.duration = _number("duration", data.get("duration", length), 0.01, MAX_DURATION, "s")
    job.fps = _number("fps", data.get("fps", job.fps), 1, 1000)
    job.seed = _number("seed", data.get("seed", 0), 0, 2**32 - 1, whole=True)
    job.start = _start(data.get("start"))
    job.ground = _ground(data.get("ground", "flat"))
    job.friction = _number("friction", data.get("friction", job.friction), 0.0, 20.0)
    job.obstacles = [_obstacle(f"obstacles[{n}]", item) for n, item in enumerate(_list("obstacles", data.get("obstacles", [])))]
    names = [box.get("name") for box in job.obstacles]
    for n, name in enumerate(names):
        if name is not None and name in names[:n]:
            raise JobError(f"obstacles[{n}].name '{name}' is taken; give each box its own name.")
    job.events = [_event(f"events[{n}]", item, planar) for n, item in enumerate(_list("events", data.get("events", [])))]
    job.heading = _curve("heading", data.get("heading", 0.0), -1e4, 1e4, "rad")
    job.speed = None if data.get("speed") is None else _curve("speed", data["speed"], -5.0, 10.0, "m/s")
    job.path = None if data.get("path") is None else _path(data["path"])
    for name in ("slope_adaptation", "self_collision", "feedforward"):
        setattr(job, name, _choice(name, data.get(name, False), (True, False)))
    # Legs that collide need a little more room between them than legs that pass through each other.
    job.stance_width = _number("stance_width", data.get("stance_width", 0.03 if job.self_collision else 0.0), -0.3, 0.6, "rad")
    job.arm_spread = _number("arm_spread", data.get("arm_spread", 0.0), -0.5, 1.5, "rad")
    job.feedback_gain = _number("feedback_gain", data.get("feedback_gain", job.feedback_gain), 0.05, 1.0)
    if job.feedforward:
        learned_torques(job.gait)
    if job.reference and job.reference["method"] == "plan":
        _check_plan(job)
    if job.reference and job.reference["method"] == "hit":
        _check_hits(job)
    job.engine = _choice("engine", data.get("engine", job.engine), ("auto", *ENGINES))
    job.time_step = _number("time_step", data.get("time_step", load_gait(job.gait).time_step), 1e-5, 0.01, "s")
    return job


def _from_folder(data: dict, folder: Path) -> dict:
    """A job whose files are named as they are seen from its folder, with names that hold from here: who gets its source needs no folder."""
    reference, ground = data.get("reference"), data.get("ground")
    if isinstance(reference, dict) and isinstance(reference.get("clips"), list):
        data = data | {"reference": reference | {"clips": [str(folder / clip) if isinstance(clip, str) else clip for clip in reference["clips"]]}}
    if isinstance(ground, dict) and isinstance(ground.get("file"), str):
        data = data | {"ground": ground | {"file": str(folder / ground["file"])}}
    return data


def _number(where: str, value: object, low: float, high: float, unit: str = "", whole: bool = False) -> float:
    fine = isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
    if not fine or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        raise JobError(f"{where} is {value!r}; allowed is {kind} from {low:g} to {high:g} {unit}".rstrip() + ".")
    return int(value) if whole else float(value)


def _choice(where: str, value: object, allowed: tuple) -> object:
    if not any(value is option or (type(value) is type(option) and value == option) for option in allowed):
        raise JobError(f"{where} is {value!r}; allowed are {', '.join(repr(option) for option in allowed)}.")
    return value


def _list(where: str, value: object) -> list:
    if not isinstance(value, list):
        raise JobError(f"{where} is {value!r}; allowed is a list.")
    return value


def _vector(where: str, value: object, low: float = -1e6, high: float = 1e6, unit: str = "", size: int = 3) -> tuple:
    if not isinstance(value, (list, tuple)) or len(value) != size:
        raise JobError(f"{where} is {value!r}; allowed is a list of {size} numbers.")
    return tuple(_number(f"{where}[{n}]", item, low, high, unit) for n, item in enumerate(value))


def _curve(where: str, value: object, low: float, high: float, unit: str) -> list[tuple[float, float]]:
    if not isinstance(value, list):
        return [(0.0, _number(where, value, low, high, unit))]
    if not value:
        raise JobError(f"{where} is an empty list; allowed is a number or a list of [seconds, {unit}].")
    points = [_vector(f"{where}[{n}]", item, size=2) for n, item in enumerate(value)]
    for n, (time, amount) in enumerate(points):
        _number(f"{where}[{n}][1]", amount, low, high, unit)
        if n and time < points[n - 1][0]:
            raise JobError(f"{where}[{n}] is at {time:g} s, before the point ahead of it; put the points in order of time.")
    return points


def _path(value: object) -> list[tuple[float, float]]:
    points = [_vector(f"path[{n}]", item, size=2) for n, item in enumerate(_list("path", value))]
    if len(points) < 2:
        raise JobError("path needs at least two points [x, y].")
    return points


def _record(where: str, value: object, fields: dict, kind: str) -> dict:
    """Fill in defaults; refuse what is unknown or missing."""
    if not isinstance(value, dict):
        raise JobError(f"{where} is {value!r}; allowed is an object with {', '.join(fields)}.")
    for key in value:
        if key not in fields and key != "type":
            raise JobError(f"{where} ({kind}) has no field '{key}'; known are {', '.join(fields) or 'none'}.")
    for key, default in fields.items():
        if default is REQUIRED and key not in value:
            raise JobError(f"{where} ({kind}) lacks '{key}'.")
    return {**fields, **value}


def _body(value: object) -> str | dict:
    if not isinstance(value, (str, dict)):
        raise JobError(f"body is {value!r}; allowed is a preset's name or an object with height, mass, sex, scale.")
    presets.body(value)
    return value


def _check_gait(where: str, name: object, planar: bool) -> None:
    if not isinstance(name, str):
        raise JobError(f"{where} is {name!r}; allowed is the name of a gait.")
    gait = load_gait(name)
    if gait.planar != planar:
        raise JobError(f"{where}: '{name}' is for {'the planar biped' if gait.planar else 'bodies in 3D'}; choose another gait or another body.")


def _check_plan(job: Job) -> None:
    """A clip that is planned is followed as it is."""
    _refuse(job, {"events": job.events})


def _check_hits(job: Job) -> None:
    """A clip that is hit goes its own way, and is hit while it lasts."""
    _refuse(job, {"obstacles": job.obstacles, "ground but a flat one": job.ground["type"] != "plane"}, loops=True)
    if not job.events:
        raise JobError("reference.method 'hit' needs a push or a ball in events: say when, where and how hard the body is hit.")
    length = job.duration if job.reference["loop"] else own_length(job.reference)
    for number, event in enumerate(job.events):
        if event["type"] not in ("push", "ball"):
            raise JobError(f"events[{number}] is a {event['type']}; a clip can be hit by a push or a ball.")
        if event["time"] >= length:
            raise JobError(f"events[{number}].time is {event['time']:g} s, but the clip ends at {length:.2f} s: hit it before that.")


def _refuse(job: Job, more: dict, loops: bool = False) -> None:
    """What cannot be asked of one clip that is followed as it is."""
    method = job.reference["method"]
    unknown = {"path": job.path, "speed": job.speed, "reference.loop": job.reference["loop"] and not loops,
               "more than one clip": len(job.reference["clips"]) > 1, "slope_adaptation": job.slope_adaptation, **more}
    for name, given in unknown.items():
        if given:
            raise JobError(f"reference.method '{method}' knows no {name}: leave it out, or use the method 'track'.")


def _reference(value: object) -> dict:
    reference = _record("reference", value, REFERENCE, "clips")
    clips = _list("reference.clips", reference["clips"])
    if not clips or not all(isinstance(clip, str) for clip in clips):
        raise JobError("reference.clips must be a list of one or more paths of BVH, AMC or DeepMimic files.")
    reference["clips"] = list(clips)
    _choice("reference.method", reference["method"], METHODS)
    for name in ("loop", "repair", "home"):
        _choice(f"reference.{name}", reference[name], (True, False))
    _number("reference.tune", reference["tune"], 0.0, 86400.0, "s")
    for n, part in enumerate(_list("reference.without", reference["without"])):
        _choice(f"reference.without[{n}]", part, FEEDBACK_PARTS)
    if not isinstance(reference["gains"], dict):
        raise JobError(f"reference.gains is {reference['gains']!r}; allowed is an object of gains.")
    _choice("reference.quality", reference["quality"], QUALITIES)
    _choice("reference.strength", reference["strength"], STRENGTHS)
    reference["freedom"] = _number("reference.freedom", reference["freedom"], 0.0, 1.0)
    _choice("reference.response", reference["response"], RESPONSES)
    manner = _record("reference.manner", reference["manner"], {name: usual for name, (usual, *_) in MANNER.items()}, "how a hit is taken")
    reference["manner"] = {name: _number(f"reference.manner.{name}", manner[name], *MANNER[name][1:]) for name in MANNER}
    weights = _record("reference.weights", reference["weights"], WEIGHTS, "parts of the body")
    reference["weights"] = {part: _number(f"reference.weights.{part}", weights[part], 0.0, 5.0) for part in WEIGHTS}
    return reference


def _start(value: object) -> str | dict | None:
    if not isinstance(value, dict):
        return _choice("start", value, ("rest", "gait", None))
    pose = _record("start", value, {"rotations": REQUIRED}, "pose")
    for link, turn in pose["rotations"].items():
        _choice("start.rotations, a link", link, LINKS)
        if not 0.99 < sum(v * v for v in _vector(f"start.rotations.{link}", turn, -1.001, 1.001, size=4)) < 1.01:
            raise JobError(f"start.rotations.{link} is {turn!r}; allowed is a quaternion w, x, y, z of length 1.")
    return pose


def _ground(value: object) -> dict:
    if isinstance(value, str):
        value = presets.load("scenes", value)["ground"]
    kind = value.get("type") if isinstance(value, dict) else value
    if not isinstance(kind, str) or kind not in GROUNDS:
        raise JobError(f"ground.type is {kind!r}; allowed are {', '.join(GROUNDS)}.")
    ground = _record("ground", value, GROUNDS[kind], kind)
    if kind == "slope":
        _number("ground.degrees", ground["degrees"], -45, 45)
        _number("ground.start", ground["start"], -1e3, 1e3, "m")
        _number("ground.length", ground["length"], 0.1, 1e3, "m")
    elif kind == "steps":
        _number("ground.height", ground["height"], -2, 2, "m")
        _number("ground.start", ground["start"], -1e3, 1e3, "m")
        _number("ground.depth", ground["depth"], 0.05, 100, "m")
        ground["count"] = _number("ground.count", ground["count"], 1, 1000, whole=True)
    elif kind == "profile":
        points = [_vector(f"ground.points[{n}]", item, size=2) for n, item in enumerate(_list("ground.points", ground["points"]))]
        if len(points) < 2 or any(b[0] < a[0] for a, b in zip(points, points[1:])):
            raise JobError("ground.points must be two or more [x, z] with x never going back.")
    elif kind == "mesh":
        if ground["file"] is not None and not isinstance(ground["file"], str):
            raise JobError(f"ground.file is {ground['file']!r}; allowed is the path of an OBJ file.")
        ground = {key: item for key, item in ground.items() if item is not None}
        read_triangles(ground)
    return ground


def _obstacle(where: str, value: object) -> dict:
    box = _record(where, value, OBSTACLE, "box")
    _vector(f"{where}.size", box["size"], 1e-3, 1e3, "m")
    _vector(f"{where}.position", box["position"], unit="m")
    _number(f"{where}.mass", box["mass"], 0, 1e5, "kg")
    _number(f"{where}.yaw", box["yaw"], -10, 10, "rad")
    if box["name"] is not None and not isinstance(box["name"], str):
        raise JobError(f"{where}.name is {box['name']!r}; allowed is a text.")
    return {key: item for key, item in box.items() if item is not None}


def _event(where: str, value: object, planar: bool) -> dict:
    kind = value.get("type") if isinstance(value, dict) else value
    if not isinstance(kind, str) or kind not in EVENTS:
        raise JobError(f"{where}.type is {kind!r}; allowed are {', '.join(EVENTS)}.")
    event = _record(where, value, EVENTS[kind], kind)
    _number(f"{where}.time", event["time"], 0, MAX_DURATION, "s")
    if kind == "gait":
        _check_gait(f"{where}.gait", event["gait"], planar)
        return event
    _choice(f"{where}.frame", event["frame"], ("heading", "world"))
    if kind == "push":
        _number(f"{where}.duration", event["duration"], 0.001, 1e3, "s")
        _vector(f"{where}.force", event["force"], unit="N")
        _choice(f"{where}.part", event["part"], PARTS)
    else:
        _number(f"{where}.mass", event["mass"], 0.01, 1e3, "kg")
        _number(f"{where}.radius", event["radius"], 0.01, 5, "m")
        _vector(f"{where}.position", event["position"], unit="m")
        _vector(f"{where}.velocity", event["velocity"], -200, 200, "m/s")
        _choice(f"{where}.part", event["part"], (None, *LINKS))
    return event
