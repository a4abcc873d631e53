"""Presets: gaits, styles, limit cycles, bodies, scenes, jobs and lists of learned controllers, one JSON file each, found by name.

What their data means is known where it is used: of gaits in ``control.gait``, of limit cycles in ``control.pose_graph``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .body import Body, make_body
from .errors import JobError

FOLDER = Path(__file__).resolve().parent.parent / "presets"
KINDS = ("gaits", "styles", "limit_cycles", "bodies", "scenes", "jobs", "controllers")


def names(kind: str) -> list[str]:
    return sorted(path.stem for path in (FOLDER / kind).glob("*.json"))


def is_path(name: object) -> bool:
    """Whether what stands for a preset is the path of a file, and not a name."""
    return isinstance(name, str) and name.endswith(".json")


def load(kind: str, name: str) -> dict[str, Any]:
    """The data of one preset. ``name`` may also be the path of a JSON file."""
    file = Path(name) if is_path(name) else FOLDER / kind / f"{name}.json"
    if not file.is_file():
        raise JobError(f"There is no {kind[:-1] if kind != 'bodies' else 'body'} '{name}'; known are {', '.join(names(kind))}.")
    return read_json(file)


def read_json(path: Path) -> dict[str, Any]:
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


def body(spec: str | dict[str, Any]) -> Body:
    return make_body(load("bodies", spec), spec) if isinstance(spec, str) else make_body(spec)
