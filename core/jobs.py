"""From data to a Job, and from a Job to its Result.

``check`` is instant and reads no recording: what a panel asks before it starts a worker. ``make_job`` also fills in what the data leaves open, from
the recordings, the presets and the engines that are there. ``run`` simulates.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import methods, others, presets
from .context import Context
from .errors import JobError
from .ground import read_triangles
from .job import Curve, Job
from .methods import Method, Request
from .others import MOVING
from .physics import ENGINES, choose_engine, engine_version
from .places import PLACES
from .result import Result
from .settings import REQUIRED, Clips, File, Preset, a_list, choice, declared, number, read, record, vector
from .skeleton import LINKS
from .version import VERSION

if TYPE_CHECKING:
    from .control.driver import Driver
    from .physics import World
    from .play import Play

MAX_DURATION = 3600.0
GROUNDS: dict[str, dict[str, Any]] = {
    "plane": {},
    "slope": {"degrees": REQUIRED, "start": 0.0, "length": 200.0},
    "steps": {"height": REQUIRED, "start": 2.0, "depth": 1.0, "count": 1},
    "profile": {"points": REQUIRED},
    "mesh": {"file": None, "vertices": None, "faces": None},
}
EVENTS: dict[str, dict[str, Any]] = {
    "push": {"time": REQUIRED, "duration": REQUIRED, "force": REQUIRED, "part": "torso", "frame": "heading"},
    "gait": {"time": REQUIRED, "gait": REQUIRED},
    "ball": {"time": REQUIRED, "mass": 1.0, "radius": 0.1, "position": REQUIRED, "velocity": REQUIRED, "frame": "heading", "part": None},
    "steer": {"time": REQUIRED, "heading": None, "turn": None, "speed": None},
    "up": {"time": REQUIRED},
    "method": {"time": REQUIRED, "method": REQUIRED, "settings": {}},
}
MANY = {"push": "pushes", "gait": "gaits", "ball": "balls"}  # of events, for messages
PLAYED = ("steer", "up", "method")  # events of jobs that are played
STEERING = {"heading": (1e4, "rad"), "turn": (20.0, "rad/s"), "speed": (10.0, "m/s")}  # what "steer" has, at most
OBSTACLE = {"size": REQUIRED, "position": REQUIRED, "mass": 0.0, "yaw": 0.0, "name": None}
FPS, FRICTION = 30.0, 0.8
FORMER = "reference"  # an object of a method's settings, and its name as "method", as jobs had it once


def load_job(path: str | Path) -> Job:
    """A whole job from a job file, or from a job preset's name. Files that it names are looked up beside it."""
    return make_job(*read_job(path))


def read_job(path: str | Path) -> tuple[dict[str, Any], Path]:
    """The data of a job file or job preset, and its folder."""
    text = str(path)
    file = Path(text) if text.endswith(".json") or Path(text).is_file() else presets.FOLDER / "jobs" / f"{text}.json"
    if not file.is_file():
        raise JobError(f"There is no job '{path}'; give a JSON file or one of {', '.join(presets.names('jobs'))}.")
    return presets.read_json(file), file.parent


def make_job(data: dict[str, Any], folder: Path | None = None) -> Job:
    """A whole job from data. ``folder``: where files that it names are, by default the current one. Every mistake is a JobError."""
    request = check(data, folder)
    method = methods.get(request.method)
    events = request.given.get("events", ())
    request = method.complete(_of_first(request))
    given = {**request.given, "events": events}
    engine = given.get("engine", "auto")
    if given.get("ground", {}).get("type") == "mesh":
        read_triangles(given["ground"])  # refuses a file that holds no ground, before anything else is done
    whole = {"duration": 10.0, "body": "average_man", "fps": FPS, "seed": 0, "ground": {"type": "plane"}, "friction": FRICTION, "obstacles": (),
             "events": (), "heading": None, "speed": None, "path": None, "self_collision": False, "played": False, **given,
             "engine": choose_engine(engine, method.ENGINES) if method.ENGINES else engine}
    return Job(method=request.method, settings=request.settings, **whole)


def check(data: dict[str, Any], folder: Path | None = None) -> Request:
    """A job's data checked, at once: each field alone, and what does not go together. Every mistake is a JobError that names the field."""
    data = _flat(data)
    name = data.pop("method", methods.usual("clips" in data))
    method = methods.get(choice("method", name, methods.names()))
    data = _with_whole_paths(data, method, (folder or Path()).absolute())
    given = {key: _FIELDS[key](data.pop(key)) for key in list(data) if key in _FIELDS}
    data.pop("description", None)
    for key in data:
        if not any(key == item.name for other in methods.names() for item in declared(methods.get(other).Settings)):
            raise JobError(f"A job has no field '{key}'; known are method, {', '.join(_FIELDS)}, and the settings of its method, "
                           f"of '{name}' {', '.join(item.name for item in declared(method.Settings))}.")
    settings = read(method.Settings, data, f"The method '{name}'")
    request = Request(name, settings, {key: value for key, value in given.items() if value is not None})
    _refuse_others(request, method)
    method.check(_of_first(request))
    return request


def run(job: Job, context: Context | None = None) -> Result:
    """Simulate a whole job. The Result stores it, and the versions of what made it."""
    method = methods.get(job.method)
    if job.played and isinstance(method, methods.Playable):
        from .play import replay  # slow to load

        result = replay(job, _begun, _by_another, context or Context())
    else:
        result = method.run(job, context or Context())
    return replace(result, made_with=_made_with(job))


def begin(job: Job) -> Play:
    """A job that is to be played, at its beginning."""
    from .play import Play

    method = methods.get(job.method)
    if not isinstance(method, methods.Playable):
        raise JobError(f"The method '{job.method}' cannot be played; allowed are {', '.join(methods.playable())}.")
    return Play(job, _begun, _by_another)


def taken(played: Play) -> Result:
    """What was played, as a Result; its job is the one that does the same again."""
    result = played.result()
    return replace(result, made_with=_made_with(played.job))


def command(job: Job, data: object) -> dict[str, Any]:
    """What somebody tells a body that is played, checked: an event, whose time may be left out. Every mistake is a JobError.

    Args: job: by the method that leads it now.
    """
    event = _event("The command", data | {"time": data.get("time", 0.0)} if isinstance(data, dict) else data)
    method, request = methods.get(job.method), Request(job.method, job.settings, {"events": (event,), "body": job.body, "played": True})
    _refuse_others(request, method)
    method.check(request)
    if event["type"] == "method":
        told = _by_another(job, event).to_dict()
        event["settings"] = {item.name: told[item.name] for item in declared(methods.get(event["method"]).Settings)}
    return event


def _begun(job: Job) -> tuple[World, Driver]:
    """As ``Playable.begin``, of the job's method."""
    method = methods.get(job.method)
    assert isinstance(method, methods.Playable)
    return method.begin(job)


def _by_another(job: Job, event: dict[str, Any]) -> Job:
    """A job that is played by the method, and with the settings, that an event has. Every mistake is a JobError."""
    own = {item.name for item in declared(methods.get(job.method).Settings)}
    common = {name: value for name, value in job.to_dict().items() if name not in own and name not in ("method", "time_step", "duration")}
    return make_job({**common, **event["settings"], "method": event["method"], "events": [], "heading": None})


def keep(job: Job, unfinished: Path) -> Result:
    """The Result of what stopped work on a job has found so far, which is in the file ``unfinished``."""
    method = methods.get(job.method)
    if not isinstance(method, methods.Keeping):
        raise JobError(f"The method '{job.method}' has nothing of stopped work that could be kept: run it to its end.")
    return replace(method.keep(job, unfinished), made_with=_made_with(job))


def _made_with(job: Job) -> dict[str, str]:
    """Names and versions of what a result depends on beside the job; an engine only where there was physics."""
    found = {"footfall": VERSION, "python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine()}
    if job.engine in ENGINES and methods.physical(methods.get(job.method), vars(job.settings)):
        found[job.engine] = engine_version(job.engine)
    return found


def _flat(data: dict[str, Any]) -> dict[str, Any]:
    """A copy with the settings of the method beside the other fields, also of a job that has them in ``FORMER``."""
    if data.get(FORMER) is None:
        return {key: value for key, value in data.items() if key != FORMER}
    former = data[FORMER]
    if not isinstance(former, dict):
        raise JobError(f"{FORMER} is {former!r}; allowed is an object with clips, method and its settings.")
    others = {key: value for key, value in data.items() if key != FORMER}
    if "gait" in others:
        raise JobError("A job has a gait or a reference, not both.")
    twice = [key for key in former if key in others or key in _FIELDS]
    if twice:
        raise JobError(f"{FORMER} has '{twice[0]}', which belongs beside it in the job.")
    return {**others, "method": methods.usual(clips=True), **former}


def _with_whole_paths(data: dict[str, Any], method: Method, folder: Path) -> dict[str, Any]:
    """With whole paths for the files that it names as they are seen from ``folder``: so it means the same in any folder and in any process."""
    def whole(path: object) -> object:
        return str(folder / path) if isinstance(path, str) else path

    def preset(name: object) -> object:
        return whole(name) if presets.is_path(name) else name

    found = {key: preset(value) if key in ("body", "ground") else value for key, value in data.items()}
    for item in declared(method.Settings):
        value = data.get(item.name)
        if isinstance(item.kind, Clips) and isinstance(value, (list, tuple)):
            found[item.name] = [whole(path) for path in value]
        elif isinstance(item.kind, File) and value:
            found[item.name] = whole(value)
        elif isinstance(item.kind, Preset) and item.name in data:
            found[item.name] = preset(value)
    ground, events = data.get("ground"), data.get("events")
    if isinstance(ground, dict) and "file" in ground:
        found["ground"] = {**ground, "file": whole(ground["file"])}
    if isinstance(events, (list, tuple)):
        found["events"] = [{**event, "gait": preset(event["gait"])} if isinstance(event, dict) and "gait" in event else event for event in events]
    return found


def _of_first(request: Request) -> Request:
    """With those of its events that the first method is told."""
    events = request.given.get("events", ())
    end = next((place for place, event in enumerate(events) if event["type"] == "method"), None)
    return request if end is None else replace(request, given={**request.given, "events": events[:end]})


def _refuse_others(request: Request, method: Method) -> None:
    """What a method does not take."""
    first, name, played = method, request.method, request.given.get("played", False)
    if played and not isinstance(method, methods.Playable):
        raise JobError(f"The method '{request.method}' cannot be played: use one of {', '.join(methods.playable())}.")
    for place, event in enumerate(request.given.get("events", ())):
        if event["type"] in PLAYED:
            if not played:
                raise JobError(f"events[{place}] is of a job that is played: set \"played\" to true, or give heading and speed to the job.")
            if event["type"] == "method":
                method, name = methods.get(event["method"]), event["method"]
        elif event["type"] not in method.EVENTS:
            taken = [MANY[kind] for kind in MANY if kind in method.EVENTS]
            raise JobError(f"events[{place}] is a {event['type']}, but the method '{name}' takes {' and '.join(taken) or 'no events'}: "
                           "leave it out, or use another method.")
    if not first.STEERED and any(item.get("type") == MOVING for item in request.given.get("obstacles", ())):
        raise JobError(f"The method '{request.method}' does not feel other characters: leave them out, or use another method.")
    for name in ("speed", "path"):
        if name in request.given and not first.STEERED:
            raise JobError(f"The method '{request.method}' takes no {name}: leave it out, or use another method.")
        if name in request.given and played:
            raise JobError(f"A job that is played takes no {name}: leave it out, and give it \"steer\" events.")


# -- the fields of a job --------------------------------------------------------------------------------------------------


def _curve(where: str, value: object, low: float, high: float, unit: str) -> Curve:
    if not isinstance(value, list):
        return ((0.0, number(where, value, low, high, unit)),)
    if not value:
        raise JobError(f"{where} is an empty list; allowed is a number or a list of [seconds, {unit}].")
    points = [vector(f"{where}[{n}]", item, size=2) for n, item in enumerate(value)]
    for n, (time, amount) in enumerate(points):
        number(f"{where}[{n}][1]", amount, low, high, unit)
        if n and time < points[n - 1][0]:
            raise JobError(f"{where}[{n}] is at {time:g} s, before the point ahead of it; put the points in order of time.")
    return tuple((point[0], point[1]) for point in points)


def _path(value: object) -> tuple[tuple[float, ...], ...] | None:
    if value is None:
        return None
    points = tuple(vector(f"path[{n}]", item, size=2) for n, item in enumerate(a_list("path", value)))
    if len(points) < 2:
        raise JobError("path needs at least two points [x, y].")
    return points


def _body(value: object) -> str | dict[str, Any]:
    if not isinstance(value, (str, dict)):
        raise JobError(f"body is {value!r}; allowed is a preset's name or an object with height, mass, sex, scale.")
    presets.body(value)
    return value


def _ground(value: object) -> dict[str, Any]:
    """A mesh file is looked for, but not read."""
    if isinstance(value, str):
        value = presets.load("scenes", value)["ground"]
    kind = value.get("type") if isinstance(value, dict) else value
    if not isinstance(kind, str) or kind not in GROUNDS:
        raise JobError(f"ground.type is {kind!r}; allowed are {', '.join(GROUNDS)}.")
    ground = {**record("ground", value, GROUNDS[kind], kind), "type": kind}
    if kind == "slope":
        number("ground.degrees", ground["degrees"], -45, 45)
        number("ground.start", ground["start"], -1e3, 1e3, "m")
        number("ground.length", ground["length"], 0.1, 1e3, "m")
    elif kind == "steps":
        number("ground.height", ground["height"], -2, 2, "m")
        number("ground.start", ground["start"], -1e3, 1e3, "m")
        number("ground.depth", ground["depth"], 0.05, 100, "m")
        ground["count"] = number("ground.count", ground["count"], 1, 1000, whole=True)
    elif kind == "profile":
        points = [vector(f"ground.points[{n}]", item, size=2) for n, item in enumerate(a_list("ground.points", ground["points"]))]
        if len(points) < 2 or any(b[0] < a[0] for a, b in pairwise(points)):
            raise JobError("ground.points must be two or more [x, z] with x never going back.")
    elif kind == "mesh":
        ground = {key: item for key, item in ground.items() if item is not None}
        file = ground.get("file")
        if file is None:
            read_triangles(ground)  # vertices and faces that are here are checked at once
        elif not isinstance(file, str):
            raise JobError(f"ground.file is {file!r}; allowed is the path of an OBJ file.")
        elif not Path(file).is_file():
            raise JobError(f"ground.file: there is no file '{file}'.")
    return ground


def _obstacles(value: object) -> tuple[dict[str, Any], ...]:
    found = tuple(_obstacle(f"obstacles[{n}]", item) for n, item in enumerate(a_list("obstacles", value)))
    taken = [item.get("name") for item in found]
    for n, name in enumerate(taken):
        if name is not None and name in taken[:n]:
            raise JobError(f"obstacles[{n}].name '{name}' is taken; give each obstacle its own name.")
    return found


def _obstacle(where: str, value: object) -> dict[str, Any]:
    if isinstance(value, dict) and value.get("type") == MOVING:
        return others.checked(where, value)
    box = record(where, value, OBSTACLE, "box")
    vector(f"{where}.size", box["size"], 1e-3, 1e3, "m")
    vector(f"{where}.position", box["position"], unit="m")
    number(f"{where}.mass", box["mass"], 0, 1e5, "kg")
    number(f"{where}.yaw", box["yaw"], -10, 10, "rad")
    if box["name"] is not None and not isinstance(box["name"], str):
        raise JobError(f"{where}.name is {box['name']!r}; allowed is a text.")
    return {key: item for key, item in box.items() if item is not None}


def _event(where: str, value: object) -> dict[str, Any]:
    kind = value.get("type") if isinstance(value, dict) else value
    if not isinstance(kind, str) or kind not in EVENTS:
        raise JobError(f"{where}.type is {kind!r}; allowed are {', '.join(EVENTS)}.")
    event = record(where, value, EVENTS[kind], kind)
    number(f"{where}.time", event["time"], 0, MAX_DURATION, "s")
    if kind == "gait":
        if not isinstance(event["gait"], str):
            raise JobError(f"{where}.gait is {event['gait']!r}; allowed is the name of a gait.")
        return event
    if kind == "method":
        choice(f"{where}.method", event["method"], methods.playable())
        if not isinstance(event["settings"], dict):
            raise JobError(f"{where}.settings is {event['settings']!r}; allowed is an object with settings of the method.")
        return event
    if kind in PLAYED:
        for name, (most, unit) in STEERING.items():
            if event.get(name) is not None:
                number(f"{where}.{name}", event[name], -most, most, unit)
        return event
    choice(f"{where}.frame", event["frame"], ("heading", "world"))
    if kind == "push":
        number(f"{where}.duration", event["duration"], 0.001, 1e3, "s")
        vector(f"{where}.force", event["force"], unit="N")
        choice(f"{where}.part", event["part"], (*LINKS, *PLACES))
    else:
        number(f"{where}.mass", event["mass"], 0.01, 1e3, "kg")
        number(f"{where}.radius", event["radius"], 0.01, 5, "m")
        vector(f"{where}.position", event["position"], unit="m")
        vector(f"{where}.velocity", event["velocity"], -200, 200, "m/s")
        choice(f"{where}.part", event["part"], (None, *LINKS))
    return event


_FIELDS: dict[str, Callable[[Any], Any]] = {
    "body": _body,
    "duration": lambda value: number("duration", value, 0.01, MAX_DURATION, "s"),
    "fps": lambda value: number("fps", value, 1, 1000),
    "seed": lambda value: number("seed", value, 0, 2**32 - 1, whole=True),
    "ground": _ground,
    "friction": lambda value: number("friction", value, 0.0, 20.0),
    "obstacles": _obstacles,
    "events": lambda value: tuple(_event(f"events[{n}]", item) for n, item in enumerate(a_list("events", value))),
    "heading": lambda value: None if value is None else _curve("heading", value, -1e4, 1e4, "rad"),
    "speed": lambda value: None if value is None else _curve("speed", value, -5.0, 10.0, "m/s"),
    "path": _path,
    "self_collision": lambda value: choice("self_collision", value, (True, False)),
    "time_step": lambda value: number("time_step", value, 1e-5, 0.01, "s"),
    "engine": lambda value: choice("engine", value, ("auto", *ENGINES)),
    "played": lambda value: choice("played", value, (True, False)),
}
