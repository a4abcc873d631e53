"""The preset of planning, presets/plan.json: how stiff and strong the joints are, what is tried at them, what being off the clip costs, and how, and
how hard, a plan is looked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import presets
from ..body import Body


@dataclass(frozen=True)
class Quality:
    """Samples of plans in each window, in ``rounds`` that are each finer, of plans of ``horizon`` windows; the best ``beam`` go on."""

    samples: int
    rounds: int
    beam: int
    horizon: int


@dataclass(frozen=True)
class Costs:
    """What being off the clip costs: ``turn`` a rad² of links (each as much as ``TURNS`` says); ``place``, ``capture`` a m² and ``speed`` a (m/s)² of
    the centre of mass, of the point where it can be caught, and of its velocity; ``feet`` a m² of feet in the world; ``ends`` a m² of hands and head as
    seen from the centre of mass; ``spin`` a (rad/s)² of the pelvis (what turns wrongly at take-off cannot be mended in the air); ``slide`` a (m/s)² of a
    foot that the clip has planted, and ``drag``, of a body that was hit, of soles on the floor; ``limit`` a rad² that a joint is beyond its range;
    ``bent``, ``uneven``: a plan's offsets, and their change from knot to knot, both in units of their spread."""

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


@dataclass(frozen=True)
class Search:
    """How a window is searched: after the first round only the ``searched`` living plans with the best ones; each round from the mean of the best
    ``elite`` part, with ``finer`` times the spread; ``carried`` of a knot's deviation goes on to the next; ``fading`` of the last knot is where a new
    last window begins; ``memory`` of what a plan has cost before counts on, from window to window: a path that was bad does not stay bad for ever;
    ``harder`` times as many samples each time that a part is given up."""

    searched: int
    elite: float
    finer: float
    carried: float
    fading: float
    memory: float
    harder: float


class Preset:
    """What presets/plan.json says, which is ``data``. ``turns``: what a rad² of each part counts beside the others'."""

    def __init__(self, data: dict):
        self.data = data
        self.costs, self.turns, self.search = Costs(**data["costs"]), data["turns"], Search(**data["search"])

    def quality(self, name: str, engine: str) -> Quality:
        """What a quality means with an engine: one that needs longer for each sample tries fewer of them."""
        wish = Quality(**self.data["qualities"][name])
        return replace(wish, samples=round(self.data["share_of_samples"][engine] * wish.samples))

    def servos(self, body: Body, strength: str, struck: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Stiffness N·m/rad, damping N·m·s/rad and largest torque N·m of each joint, (L,) each, as ``World.set_servos`` takes them.

        The preset has stiffness and largest torque of an athletic person for each kg of body mass: stiff enough that a standing body need not be
        planned to stay up, soft enough that a planned target bends what happens. Who was ``struck`` is damped more: feet then slide less.
        """
        table = np.array([(0.0, 0.0)] + [self.data["joints"][name.split(".")[0]] for name in body.names[1:]]) * body.mass
        return table[:, 0], self.data["damping_s"]["struck" if struck else "usual"] * table[:, 0], self.data["strengths"][strength] * table[:, 1]

    def spread(self, body: Body) -> np.ndarray:
        """(L, 3) rad about x, y, z: of the offsets that are tried at each joint. Feet, knees and hips keep the balance; arms only help."""
        return np.array([self.data["spread"].get(name.split(".")[0], (0.0, 0.0, 0.0)) for name in body.names])


PATH = presets.FOLDER / "plan.json"
PRESET = Preset(presets.read_json(PATH))
