"""The preset of planning, presets/plan.json: how stiff and strong the joints are, which offsets are tried at them, what being off the clip costs,
when a clip is lost, and how, and how hard, a plan is looked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from .. import presets
from ..arrays import Array
from ..body import Body
from ..control.servos import servos


@dataclass(frozen=True)
class Quality:
    """How hard a plan is looked for.

    Attributes:
        samples: plans that are tried in each window. rounds: in which they are tried, each finer than the one before.
        horizon: windows of a plan. beam: of the best plans that stay alive.
    """

    samples: int
    rounds: int
    beam: int
    horizon: int


@dataclass(frozen=True)
class Costs:
    """What being off the clip costs.

    Attributes:
        turn: for a rad² by which links are turned; ``Preset.turns`` says how much each link counts.
        place, speed: for a m² and a (m/s)² of the centre of mass. capture: for a m² of the point on the ground where it can be caught.
        feet: for a m² of the feet in the world. ends: for a m² of hands and head, seen from the centre of mass; it counts as much as ``turn``.
        spin: for a (rad/s)² of the pelvis: what turns wrongly at take-off cannot be corrected in the air.
        slide: for a (m/s)² of a foot that is planted in the clip. drag: for a (m/s)² of soles on the floor, of a body that was hit.
        limit: for a rad² that a joint is beyond its range.
        bent, uneven: for the square of a plan's offsets, and of their change from knot to knot, both in units of their spread.
        forgiven: m off its place up to which a body that was hit pays for the square; beyond, it pays in proportion.
    """

    turn: float
    place: float
    speed: float
    capture: float
    feet: float
    ends: float
    spin: float
    slide: float
    drag: float
    limit: float
    bent: float
    uneven: float
    forgiven: float


@dataclass(frozen=True)
class Limits:
    """When a clip is lost: m by which a body is off it.

    Attributes:
        far: mean over the joints, without the drift along the ground. astray: drift along the ground. down: of the pelvis below the clip's.
        wary: drift along the ground, from which on it is worth going back to look harder, though the clip is not lost.
    """

    far: float
    astray: float
    down: float = inf
    wary: float = inf


@dataclass(frozen=True)
class Search:
    """How plans are searched for. Fractions, where nothing else is said.

    Attributes:
        searched: how many of the living plans are searched on after the first round of a window: those that the best plans continue.
        elite: of the tried plans, the best, whose mean each round begins with. finer: of the spread of one round, that of the next one.
        carried: of a knot's deviation, what goes on to the next knot. fading: of the last knot of a plan, with which a new last window begins.
        memory: of what a plan has cost before, what still counts a window later: a path that was bad does not stay bad for ever.
        first: factor of the number of samples before the planner has gone back. harder: the same each time that it goes back.
        retries: windows to go back, the first time, the second time, ….
        patience: how often the planner goes back in all, before it stops doing so for a body that only strays.
    """

    searched: int
    elite: float
    finer: float
    carried: float
    fading: float
    memory: float
    harder: float
    first: float
    retries: list[int]
    patience: int


class Preset:
    """What presets/plan.json says, which is ``data``. ``turns``: what a rad² of each link counts beside the others'."""

    def __init__(self, data: dict[str, Any]):
        self.data = data
        self.costs, self.turns = Costs(**data["costs"]), data["turns"]

    def limits(self, struck: bool) -> Limits:
        """When a clip is lost. A body that was ``struck`` cannot be where the clip has it."""
        return Limits(**self.data["limits"]["struck" if struck else "usual"])

    def search(self, struck: bool) -> Search:
        """How plans are searched for. Who was ``struck`` has lost the balance long before it shows: the planner goes back to the hit at once."""
        return Search(**{**self.data["search"], **(self.data["search_struck"] if struck else {})})

    def quality(self, name: str, engine: str) -> Quality:
        """What a quality means with an engine: one that needs longer for each sample tries fewer of them."""
        quality = Quality(**self.data["qualities"][name])
        return replace(quality, samples=round(self.data["share_of_samples"][engine] * quality.samples))

    def servos(self, body: Body, strength: str, struck: bool = False) -> tuple[Array, Array, Array]:
        """As ``control.servos.servos``, of this preset."""
        return servos(self.data, body, strength, struck)

    def spread(self, body: Body, struck: bool = False) -> Array:
        """(L, 3) rad about x, y, z: of the offsets that are tried at each joint. Feet, knees and hips keep the balance; arms only help. It is larger
        for a body that was ``struck``: it has to step where the clip does not."""
        table = np.array([self.data["spread"].get(name.split(".")[0], (0.0, 0.0, 0.0)) for name in body.names])
        return table * self.data["spread_factor"]["struck" if struck else "usual"]


PATH = presets.FOLDER / "plan.json"
PRESET = Preset(presets.read_json(PATH))
