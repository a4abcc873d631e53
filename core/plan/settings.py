"""The preset of planning, presets/plan.json: how stiff and strong the joints are, what is tried at them, what
being off the clip costs, and how hard a plan is looked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .. import presets
from ..body import Body

_PRESET = presets.read_json(presets.FOLDER / "plan.json")


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


COSTS, TURNS = Costs(**_PRESET["costs"]), _PRESET["turns"]


def quality(name: str, engine: str) -> Quality:
    """What a quality means with an engine: one that needs longer for each sample tries fewer of them."""
    wish = Quality(**_PRESET["qualities"][name])
    return replace(wish, samples=round(_PRESET["share_of_samples"][engine] * wish.samples))


def servos(body: Body, strength: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stiffness N·m/rad, damping N·m·s/rad and largest torque N·m of each joint, (L,) each, as ``World.set_servos`` takes them.

    The preset has stiffness and largest torque of an athletic person for each kg of body mass: stiff enough that a standing body need not be planned
    to stay up, soft enough that a planned target bends what happens.
    """
    table = np.array([(0.0, 0.0)] + [_PRESET["joints"][name.split(".")[0]] for name in body.names[1:]]) * body.mass
    return table[:, 0], _PRESET["damping_s"] * table[:, 0], _PRESET["strengths"][strength] * table[:, 1]


def spread(body: Body) -> np.ndarray:
    """(L, 3) rad about x, y, z: of the offsets that are tried at each joint. Feet, knees and hips keep the balance; arms only help."""
    return np.array([_PRESET["spread"].get(name.split(".")[0], (0.0, 0.0, 0.0)) for name in body.names])
