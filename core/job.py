"""Job: one simulation, described as plain data.

    {
      "method": "gait",                            how the motion comes about; `python -m core methods` lists them with their settings, which stand
                                                   beside the fields below: "gait": "walk", or "clips": ["walk.bvh"], "loop": true, …
      "body": "average_man" | {"height": m, "mass": kg, "sex": "male"|"female", "scale": {"thigh": 1.1}},   of a clip, by default its person's
      "duration": s, "fps": 30, "seed": 0,         duration: by default 10 s, or as long as the clip
      "ground": "flat" | {"type": "plane"} | {"type": "slope", "degrees", "start", "length"}
                | {"type": "steps", "height", "start", "depth", "count"} | {"type": "profile", "points": [[x, z], …]}
                | {"type": "mesh", "file": "x.obj"} | {"type": "mesh", "vertices", "faces"},     or a scene preset's name
      "friction": 0.8,
      "obstacles": [{"size": [x, y, z], "position": [x, y, z], "mass": kg (0: fixed), "yaw": rad, "name"},
                    {"type": "moving", "name", "fps", "parts", "positions", "rotations"}],     another character, see core/others.py
      "events": [{"type": "push", "time", "duration", "force": [forward, left, up] N, "part": "torso", "frame": "heading"|"world"},
                 (part: a link, "chest", "hip", "hand.L" or "hand.R"),
                 {"type": "gait", "time", "gait"},
                 {"type": "ball", "time", "mass", "radius", "position", "velocity", "frame", "part": link}],
                 (part: of a clip that is hit: the ball is thrown as fast as velocity says, so that it meets that link)
                 {"type": "steer", "time", "heading": rad, "turn": rad/s, "speed": m/s|null}, {"type": "up", "time"}],   both where it is played
      "heading": rad | [[s, rad], …],              facing, 0 is +X, counter-clockwise
      "speed": m/s | [[s, m/s], …] | null,         null: the gait's or clip's own
      "path": [[x, y], …],                         walk along these points instead of a heading
      "self_collision": false,                     legs do not pass through each other
      "played": false,                             the events are told to the body as it goes, as somebody did who played it live, see core/play.py
      "time_step": s,                              default: the method's own
      "engine": "auto" | "pybullet" | "mujoco"     auto: the one that suits the method best of those that are installed
    }

A push or ball with frame "heading" is relative to where the body faces at that moment (and, for a ball, to where it is): in a gait to where it is to
face, around which the pelvis turns in each step.
Instead of "method" and its settings a job may have a "reference": {"clips": …, "method": "track", …} with the same settings in it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

Curve = tuple[tuple[float, float], ...]  # (time, value), in order of time


@dataclass(frozen=True)
class Job:
    """A whole job: nothing that its Result depends on is left open. Fields as above; ``settings``: those of its method."""

    method: str
    settings: Any
    body: str | dict[str, Any]
    duration: float
    fps: float
    seed: int
    ground: dict[str, Any]
    friction: float
    obstacles: tuple[dict[str, Any], ...]
    events: tuple[dict[str, Any], ...]
    heading: Curve | None
    speed: Curve | None
    path: tuple[tuple[float, float], ...] | None
    self_collision: bool
    time_step: float
    engine: str
    played: bool

    @property
    def facing(self) -> float:
        """rad, at the start."""
        return self.heading[0][1] if self.heading else 0.0

    def having(self, **settings: Any) -> Job:
        """The same with other settings of its method."""
        return replace(self, settings=replace(self.settings, **settings))

    def to_dict(self) -> dict[str, Any]:
        """As in a job file; read again it gives the same job."""
        common = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in ("method", "settings")}
        return _plain({"method": self.method, **asdict(self.settings), **common})


def _plain(value: Any) -> Any:
    """As JSON knows it: tuples are lists."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def in_world(event: dict[str, Any], key: str, heading: float) -> tuple[float, float, float]:
    """A vector of a push or ball in the world's axes, for a body that faces ``heading`` (rad)."""
    x, y, z = event[key]
    if event["frame"] == "world":
        return (x, y, z)
    return (x * math.cos(heading) - y * math.sin(heading), x * math.sin(heading) + y * math.cos(heading), z)
