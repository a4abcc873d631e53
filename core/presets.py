"""Presets: gaits, bodies, scenes and jobs, one JSON file each, found by name."""

from __future__ import annotations

import json
from pathlib import Path

from .body import Body, make_body
from .control.gait import Gait, gait_from_dict
from .errors import JobError

FOLDER = Path(__file__).resolve().parent.parent / "presets"
KINDS = ("gaits", "bodies", "scenes", "jobs")


def names(kind: str) -> list[str]:
    return sorted(path.stem for path in (FOLDER / kind).glob("*.json"))


def load(kind: str, name: str) -> dict:
    """The data of one preset. ``name`` may also be the path of a JSON file."""
    file = Path(name) if name.endswith(".json") else FOLDER / kind / f"{name}.json"
    if not file.is_file():
        raise JobError(f"There is no {kind[:-1] if kind != 'bodies' else 'body'} '{name}'; known are {', '.join(names(kind))}.")
    return read_json(file)


def read_json(path: Path) -> dict:
    """A JSON object from a file, with NaN and Infinity refused."""
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not a number that can be simulated")

    try:
        data = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    except OSError as error:
        raise JobError(f"'{path}' cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise JobError(f"'{path}' is not valid JSON: {error}.") from error
    if not isinstance(data, dict):
        raise JobError(f"'{path}' must hold one JSON object.")
    return data


def gait(name: str) -> Gait:
    return make_gait(load("gaits", name), Path(name).stem)


def make_gait(data: dict, name: str) -> Gait:
    """A gait from a preset's data, with the gaits that it names as its variants at other speeds."""
    return gait_from_dict({**data, "variants": [load("gaits", variant) for variant in data.get("variants", [])]}, name)


def body(spec: str | dict) -> Body:
    return make_body(load("bodies", spec), spec) if isinstance(spec, str) else make_body(spec)


def feedforward(gait_name: str) -> dict:
    """The torques learned for a gait."""
    path = FOLDER / "feedforward" / f"{gait_name}.json"
    if not path.is_file():
        raise JobError(f"feedforward: nothing was learned for '{gait_name}' yet; run `python -m core learn {gait_name}` first.")
    return read_json(path)
