"""Body: the simulated human — links with mass, inertia, shape and joint limits on the canonical skeleton.

Zero pose: standing straight, arms hanging, facing +X, left +Y, up +Z; every link's frame sits at its joint and is aligned with
the world. A Body is built from lengths (``proportions``), which come from stature by the tables in ``anthropometry`` or from
the joints of a Skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from . import anthropometry as human
from .errors import JobError
from .proportions import Foot, Proportions
from .skeleton import HINGES, LINKS, PARENTS, Skeleton

SEXES = ("male", "female")


@dataclass(frozen=True)
class Shape:
    """Collision shape in a link's frame: a box (half extents), a capsule along z (radius, half length) or a sphere (radius)."""

    kind: str
    size: tuple[float, ...]
    center: tuple[float, float, float]

    @property
    def half_extents(self) -> tuple[float, float, float]:
        if self.kind == "box":
            x, y, z = self.size
            return (x, y, z)
        radius = self.size[0]
        return (radius, radius, radius + (self.size[1] if self.kind == "capsule" else 0.0))


@dataclass(frozen=True)
class Body:
    """L links in depth-first order; link 0 is the pelvis (or the trunk of the planar biped).

    Attributes:
        names, parents (L,), offsets (L, 3) m: the skeleton.
        masses (L,) kg; com_offsets (L, 3) m from the joint, link frame; inertias (L, 3) kg·m² about the centre of mass.
        shapes: one Shape a link.
        limits: (L, 3, 2) rad about x, y, z of intrinsic x-y-z angles; (0, 0) locks an axis; the pelvis is (−inf, inf).
        sole_links (P,), sole_points (P, 3) m: corners of the soles in their link's frame.
        planar: True for a body that lives in the sagittal plane only.
        flesh: by the names of links balls (N, 4) that fill them as their skin was measured: x, y, z in the link's frame and the radius, m.
    """

    name: str
    names: tuple[str, ...]
    parents: np.ndarray
    offsets: np.ndarray
    masses: np.ndarray
    com_offsets: np.ndarray
    inertias: np.ndarray
    shapes: tuple[Shape, ...]
    limits: np.ndarray
    sole_links: np.ndarray
    sole_points: np.ndarray
    planar: bool = False
    flesh: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def mass(self) -> float:
        return float(self.masses.sum())

    @cached_property
    def skeleton(self) -> Skeleton:
        return Skeleton(self.names, self.parents, self.offsets)

    @property
    def hinges(self) -> list[bool]:
        """Which joints turn about y only; the others are ball joints (the pelvis's own entry means nothing)."""
        return [self.planar or name.partition(".")[0] in HINGES for name in self.names]

    def zero_joints(self) -> list[Any]:
        """Joint values of the zero pose, as in ``physics.State``."""
        return [0.0 if hinge else (1.0, 0.0, 0.0, 0.0) for hinge in self.hinges]

    def flesh_of(self, name: str) -> np.ndarray:
        """(N, 4) the balls that fill a link; where its skin was not measured, those that fill its shape from end to end."""
        if name in self.flesh:
            return self.flesh[name]
        shape = self.shapes[self.names.index(name)]
        along = int(np.argmax(shape.half_extents))
        radius = sorted(shape.half_extents)[1]
        ends = max(0.0, shape.half_extents[along] - radius)
        balls = np.tile([*shape.center, radius], (2 + int(2.0 * ends / radius), 1))
        balls[:, along] += np.linspace(-ends, ends, len(balls))
        return balls

    @cached_property
    def leg_length(self) -> float:
        """Hip joint to ankle joint, metres."""
        return float(-self.offsets[self.names.index("shin.L"), 2] - self.offsets[self.names.index("foot.L"), 2])

    @cached_property
    def foot_length(self) -> float:
        """m from the heel to the tips of the toes."""
        toes = np.array([name.startswith("toes") for name in self.names])
        along = self.sole_points[:, 0] + (toes * self.offsets[:, 0])[self.sole_links]
        return float(np.ptp(along))

    @cached_property
    def poise(self) -> float:
        """rad that the weight above the hips lies ahead of them in the zero pose, below 0 behind: so much it must lean back to stand as others do."""
        if self.planar:
            return 0.0
        below = {name for name in self.names if name.split(".")[0] in ("thigh", "shin", "foot", "toes")}
        weights = np.where([name in below for name in self.names], 0.0, self.masses)
        places, _ = self.skeleton.forward_kinematics(np.zeros(3), np.tile([1.0, 0.0, 0.0, 0.0], (len(self.names), 1)))
        x, _, z = weights @ (places + self.com_offsets) / weights.sum() - places[self.names.index("thigh.L")]
        return float(np.arctan2(x, z))

    @cached_property
    def legs_thick(self) -> float:
        """m from ankle to ankle, across, at which the legs touch when one passes the other: at the feet, at the shins or above the knees."""
        hip, shin, foot = (self.names.index(f"{name}.L") for name in ("thigh", "shin", "foot"))
        above_knees = 4 * self.shapes[hip].half_extents[1] - 2 * float(abs(self.offsets[hip, 1]))
        return max(2 * self.shapes[shin].half_extents[1], 2 * self.shapes[foot].half_extents[1], above_knees)

    @cached_property
    def step_width(self) -> float:
        """m from ankle to ankle, across, of a walk whose legs pass each other freely: half of what the hips are apart, or what the legs need."""
        return max(float(abs(self.offsets[self.names.index("thigh.L"), 1])), self.legs_thick + STEP_ROOM)

    @cached_property
    def standing_height(self) -> float:
        """Height of the pelvis origin over the ground in the zero pose, metres."""
        ankle = -self.sole_points[self.sole_links == self.names.index("foot.L"), 2].min()
        return self.leg_length + float(ankle) - float(self.offsets[self.names.index("thigh.L"), 2])


# Degrees of freedom of a human in radians: intrinsic rotations about x (to the left), y (backward for a limb) and z.
# Rows are for the left side; the right one is mirrored. Ranges after Kapandji, The Physiology of the Joints, rounded.
_LIMITS = {
    "torso": ((-0.5, 0.5), (-0.5, 1.2), (-0.8, 0.8)),
    "head": ((-0.7, 0.7), (-0.9, 0.9), (-1.3, 1.3)),
    "upper_arm": ((-0.5, 3.0), (-3.1, 1.0), (-1.6, 1.6)),
    "forearm": ((0, 0), (-2.6, 0.0), (0, 0)),
    "thigh": ((-0.5, 0.9), (-2.3, 0.6), (-0.8, 0.8)),
    "shin": ((0, 0), (0.0, 2.6), (0, 0)),
    "foot": ((-0.5, 0.5), (-0.6, 0.9), (-0.5, 0.5)),
    "toes": ((0, 0), (-1.1, 0.6), (0, 0)),
}
TOE_MASS_SHARE = 0.18
STEP_ROOM = 0.05  # m that steps are wider than the legs need when one passes the other: the foot that swings lands further out than it passes
THIGH_ROOM = 0.01  # m between the thighs of a body that stands with its feet under its hips, at least


def build_body(lengths: Proportions, mass: float, sex: str, name: str, foot: Foot | None = None) -> Body:
    """The canonical 15-link human with these lengths, a mass in kg and the mass distribution of that sex."""
    table = human.SEGMENTS[sex]
    foot = foot or Foot.of(lengths)
    # Breadth follows from mass: same density, so girth grows with the root of mass over height.
    stature = lengths.ankle_height + lengths.shin + lengths.thigh + lengths.pelvis + lengths.torso + lengths.head
    girth = float(np.sqrt((mass / stature) / (73.0 / 1.741)))
    up = np.array([0.0, 0.0, 1.0])
    links: dict[str, tuple[np.ndarray, human.Mass, Shape]] = {}

    def piece(row: str, start: np.ndarray, end: np.ndarray) -> human.Mass:
        return human.segment_mass(table[row], mass, start, end)

    def trunk_shape(bottom: float, top: float, depth: float, width: float) -> Shape:
        return Shape("box", (depth * girth, width * girth, (top - bottom) / 2), (0.0, 0.0, (top + bottom) / 2))

    links["pelvis"] = (np.zeros(3), piece("lower_trunk", lengths.pelvis * up, 0 * up),
                       trunk_shape(-0.3 * lengths.pelvis, lengths.pelvis, 0.085, 0.14))
    # Suprasternale lies below the cervicale; the split between middle and upper trunk keeps the table's ratio.
    middle = lengths.torso * table["middle_trunk"].length / (table["middle_trunk"].length + table["upper_trunk"].length) * 0.82
    top = 0.82 * lengths.torso
    links["torso"] = (lengths.pelvis * up,
                      human.combine([piece("middle_trunk", middle * up, 0 * up), piece("upper_trunk", top * up, middle * up)]),
                      trunk_shape(0.05 * lengths.torso, 0.95 * lengths.torso, 0.095, 0.15))
    skull = lengths.head * table["head"].length / human.HEAD_AND_NECK[sex]
    links["head"] = (lengths.torso * up, piece("head", lengths.head * up, (lengths.head - skull) * up),
                     Shape("sphere", (0.45 * skull,), (0.02, 0.0, lengths.head - 0.5 * skull)))
    whole_foot = piece("foot", np.array([foot.heel, 0, -0.6 * foot.height]), np.array([foot.tip, 0, -0.6 * foot.height]))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        left = sign * np.array([0.0, 1.0, 0.0])
        links[f"upper_arm.{side}"] = (
            0.5 * lengths.shoulder_spacing * left + 0.80 * lengths.torso * up,
            piece("upper_arm", 0 * up, -lengths.upper_arm * up), _limb(lengths.upper_arm, 0.043 * girth))
        wrist = -lengths.forearm * up
        links[f"forearm.{side}"] = (
            -lengths.upper_arm * up,
            human.combine([piece("forearm", 0 * up, wrist), piece("hand", wrist, wrist - lengths.hand * up)]),
            _limb(lengths.forearm + lengths.hand, 0.037 * girth))
        links[f"thigh.{side}"] = (0.5 * lengths.hip_spacing * left, piece("thigh", 0 * up, -lengths.thigh * up),
                                  _limb(lengths.thigh, 0.065 * girth))
        links[f"shin.{side}"] = (-lengths.thigh * up, piece("shin", 0 * up, -lengths.shin * up), _limb(lengths.shin, 0.048 * girth))
        links[f"foot.{side}"] = (
            -lengths.shin * up, _share(whole_foot, 1 - TOE_MASS_SHARE, shift=-0.03 * lengths.foot),
            _sole_box(foot.heel, foot.ball, foot.width, -foot.height, 0.75 * foot.height))
        toe_joint = np.array([foot.ball, 0.0, foot.ball_height - foot.height])
        toes = _sole_box(0.0, foot.tip - foot.ball, foot.width, -foot.ball_height, 0.4 * foot.height)
        toe_mass = TOE_MASS_SHARE * whole_foot.mass
        links[f"toes.{side}"] = (toe_joint, human.Mass(toe_mass, np.array(toes.center), box_inertia(toe_mass, toes.size)), toes)
    return _assemble(name, links, planar=False)


def planar_biped(name: str = "planar_biped") -> Body:
    """The thesis's planar 7-link biped (section 7.7): trunk 70 kg 48 cm, thighs 5 kg 45 cm, shins 4 kg 45 cm, feet 1 kg 20 cm."""
    def rod(mass: float, length: float, sign: float, radius: float) -> tuple[human.Mass, Shape]:
        center = np.array([0.0, 0.0, sign * length / 2])
        moment = mass * length**2 / 12 + mass * radius**2 / 4
        return (human.Mass(mass, center, np.array([moment, moment, mass * radius**2 / 2])),
                Shape("capsule", (radius, length / 2 - radius), tuple(center)))

    links: dict[str, tuple[np.ndarray, human.Mass, Shape]] = {"pelvis": (np.zeros(3), *rod(70.0, 0.48, 1.0, 0.12))}
    foot_length, ankle_height = 0.20, 0.05
    for side, sign in (("L", 1.0), ("R", -1.0)):
        links[f"thigh.{side}"] = (np.array([0.0, sign * 0.08, 0.0]), *rod(5.0, 0.45, -1.0, 0.05))
        links[f"shin.{side}"] = (np.array([0.0, 0.0, -0.45]), *rod(4.0, 0.45, -1.0, 0.04))
        # The ankle sits over the rear quarter, as in a human foot; the thesis gives only the foot's length.
        foot = _sole_box(-0.25 * foot_length, 0.75 * foot_length, 0.09, -ankle_height, 0.8 * ankle_height)
        links[f"foot.{side}"] = (np.array([0.0, 0.0, -0.45]), human.Mass(1.0, np.array(foot.center), box_inertia(1.0, foot.size)), foot)
    return _assemble(name, links, planar=True)


def make_body(spec: dict[str, Any], name: str = "custom") -> Body:
    """A body from a preset or a job: ``{"planar": true}``, ``{"height", "mass", "sex", "scale": {length: factor}}``, or
    ``{"skeleton": …, "mass", "sex"}`` (see ``fitted_body``); "loads": {link: kg} are carried at the links' centres of mass."""
    known = ("description", "planar", "height", "mass", "sex", "scale", "skeleton", "loads")
    for key in spec:
        if key not in known:
            raise JobError(f"body has no field '{key}'; known are {', '.join(known[1:])}.")
    if "loads" in spec:
        return _loaded(make_body({key: value for key, value in spec.items() if key != "loads"}, name), spec["loads"])
    if spec.get("planar"):
        return planar_biped(name)
    height, mass, sex = spec.get("height", 1.75), spec.get("mass", 73.0), spec.get("sex", "male")
    _check_number("body.height", height, 0.3, 5.0, "m")
    _check_number("body.mass", mass, 1.0, 500.0, "kg")
    if sex not in SEXES:
        raise JobError(f"body.sex is {sex!r}; allowed are 'male' and 'female'.")
    if "skeleton" in spec:
        return fitted_body(spec["skeleton"], mass, sex, name)
    scale = spec.get("scale", {})
    if not isinstance(scale, dict):
        raise JobError(f"body.scale is {scale!r}; allowed is an object of factors, as in {{\"thigh\": 1.1}}.")
    for part, factor in scale.items():
        _check_number(f"body.scale.{part}", factor, 0.2, 5.0, "")
    return build_body(Proportions.from_stature(height, sex).scaled(scale), mass, sex, name)


def _loaded(body: Body, loads: dict[str, float]) -> Body:
    """The same body with kg added to links."""
    if not isinstance(loads, dict):
        raise JobError(f"body.loads is {loads!r}; allowed is an object of kg by link, as in {{\"shin.L\": 5}}.")
    masses = body.masses.copy()
    for link, kg in loads.items():
        if link not in body.names:
            raise JobError(f"body.loads has no link '{link}'; known are {', '.join(body.names)}.")
        _check_number(f"body.loads.{link}", kg, 0.0, 100.0, "kg")
        masses[body.names.index(link)] += kg
    return replace(body, masses=masses)


def fitted_body(skeleton: dict[str, Any], mass: float, sex: str, name: str) -> Body:
    """The body of a character whose joints were measured.

    ``skeleton`` holds "offsets": {link: [x, y, z]}, as ``Body.offsets`` (zero pose: limbs straight down, facing +X), "lengths": {"forearm",
    "hand", "head"}, m, "foot": the fields of ``Foot``, "radii": how thick it is (see ``_thickened``), and "flesh": {link: [[x, y, z, radius], …]}, as
    ``Body.flesh``. All may be partial, down to the two legs: the rest follows the tables.
    """
    if not isinstance(skeleton, dict) or not set(skeleton) <= {"offsets", "lengths", "foot", "radii", "flesh"}:
        raise JobError("body.skeleton must be an object with offsets, lengths, foot, radii and flesh.")
    offsets = {}
    for link, offset in skeleton.get("offsets", {}).items():
        if link not in PARENTS:
            raise JobError(f"body.skeleton.offsets has no link '{link}'; known are {', '.join(PARENTS)}.")
        if not isinstance(offset, (list, tuple)) or len(offset) != 3:
            raise JobError(f"body.skeleton.offsets.{link} is {offset!r}; allowed is a list of 3 numbers.")
        for value in offset:
            _check_number(f"body.skeleton.offsets.{link}", value, -10.0, 10.0, "m")
        offsets[link] = np.array(offset, dtype=float)
    lengths = Proportions.from_joints(offsets, sex)
    for key, value in skeleton.get("lengths", {}).items():
        if key not in ("forearm", "hand", "head"):
            raise JobError(f"body.skeleton.lengths has no field '{key}'; known are forearm, hand, head.")
        _check_number(f"body.skeleton.lengths.{key}", value, 0.001, 10.0, "m")
        lengths = replace(lengths, **{key: value})
    foot = Foot.of(lengths)
    for key, value in skeleton.get("foot", {}).items():
        if key not in Foot.__dataclass_fields__:
            raise JobError(f"body.skeleton.foot has no field '{key}'; known are {', '.join(Foot.__dataclass_fields__)}.")
        _check_number(f"body.skeleton.foot.{key}", value, -10.0, 10.0, "m")
        foot = replace(foot, **{key: value})
    if not (foot.heel < 0.0 < foot.ball < foot.tip and foot.ball_height > 0.0 and foot.height > 0.0 and foot.width > 0.0):
        raise JobError("body.skeleton.foot is no foot: heel must be behind the ankle, ball and tip ahead of it, heights and width above 0.")
    body = build_body(lengths, mass, sex, name, foot)
    toe_joint = np.array([foot.ball, 0.0, foot.ball_height - foot.height])
    exact = [toe_joint if link.startswith("toes") else offsets.get(link, offset) for link, offset in zip(body.names, body.offsets, strict=True)]
    return replace(_thickened(replace(body, offsets=np.array(exact)), skeleton.get("radii", {})), flesh=_flesh(skeleton.get("flesh", {})))


def _flesh(balls: dict[str, Any]) -> dict[str, np.ndarray]:
    if not isinstance(balls, dict):
        raise JobError(f"body.skeleton.flesh is {balls!r}; allowed is an object of balls by link, as in {{\"shin.L\": [[0, 0, -0.2, 0.06]]}}.")
    for link, those in balls.items():
        if link not in ("pelvis", *PARENTS):
            raise JobError(f"body.skeleton.flesh has no link '{link}'; known are pelvis, {', '.join(PARENTS)}.")
        if not isinstance(those, (list, tuple)) or not those or any(not isinstance(ball, (list, tuple)) or len(ball) != 4 for ball in those):
            raise JobError(f"body.skeleton.flesh.{link} is {those!r}; allowed is a list of balls, each of 4 numbers: x, y, z, radius.")
        for *center, radius in those:
            for value in center:
                _check_number(f"body.skeleton.flesh.{link}", value, -10.0, 10.0, "m")
            _check_number(f"body.skeleton.flesh.{link}, a radius", radius, 0.001, 2.0, "m")
    return {link: np.array(those, dtype=float) for link, those in balls.items()}


LIMBS, TRUNK = ("thigh", "shin", "upper_arm", "forearm"), ("pelvis", "torso")


def _thickened(body: Body, radii: dict[str, Any]) -> Body:
    """The body with other shapes, and all else as it is. ``radii``: m of "thigh", "shin", "upper_arm" and "forearm", [half depth, half width] of
    "pelvis" and "torso"."""
    if not isinstance(radii, dict):
        raise JobError(f"body.skeleton.radii is {radii!r}; allowed is an object, as in {{\"shin\": 0.06, \"torso\": [0.1, 0.16]}}.")
    shapes = list(body.shapes)
    for part, size in radii.items():
        if part not in LIMBS + TRUNK:
            raise JobError(f"body.skeleton.radii has no part '{part}'; known are {', '.join(LIMBS + TRUNK)}.")
        where, sizes = f"body.skeleton.radii.{part}", size if part in TRUNK else [size]
        if not isinstance(sizes, (list, tuple)) or len(sizes) != (2 if part in TRUNK else 1):
            raise JobError(f"{where} is {size!r}; allowed is a list of half depth and half width.")
        for value in sizes:
            _check_number(where, value, 0.005, 2.0, "m")
        if part == "thigh":  # they grow out of one trunk, and may be in one another there
            left, right = (body.offsets[body.names.index(f"thigh.{side}")] for side in "LR")
            sizes = [max(0.005, min(size, 0.5 * float(np.linalg.norm(left - right)) - 0.5 * THIGH_ROOM))]
        for link in (i for i, name in enumerate(body.names) if name.partition(".")[0] == part):
            old = shapes[link]
            shapes[link] = replace(old, size=(*sizes, old.size[2])) if part in TRUNK else _limb(-2 * old.center[2], sizes[0])
    return replace(body, shapes=tuple(shapes))


def _check_number(field: str, value: object, low: float, high: float, unit: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise JobError(f"{field} is {value!r}; allowed is a number from {low:g} to {high:g} {unit}".rstrip() + ".")


def _limb(length: float, radius: float) -> Shape:
    return Shape("capsule", (radius, max(length / 2 - radius, 0.01)), (0.0, 0.0, -length / 2))


def _sole_box(back: float, front: float, width: float, bottom: float, thickness: float) -> Shape:
    return Shape("box", ((front - back) / 2, width / 2, thickness / 2), ((front + back) / 2, 0.0, bottom + thickness / 2))


def box_inertia(mass: float, half: tuple[float, ...]) -> np.ndarray:
    """(3,) kg·m² about the centre of a box; ``half``: m, half its extents."""
    x, y, z = (2 * value for value in half)
    return mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])


def _share(piece: human.Mass, share: float, shift: float) -> human.Mass:
    return human.Mass(share * piece.mass, piece.center + np.array([shift, 0.0, 0.0]), share * piece.inertia)


def _limits(name: str, planar: bool) -> np.ndarray:
    if name == "pelvis":
        return np.array([[-np.inf, np.inf]] * 3)
    base, _, side = name.partition(".")
    if planar:
        # The thesis enforces limits on hips and knees only; skipping needs a hip flexion of 2.44 rad.
        sagittal = {"thigh": (-2.6, 1.2), "shin": (0.0, 2.6), "foot": (-1.2, 1.8)}[base]
        return np.array([(0.0, 0.0), sagittal, (0.0, 0.0)])
    limits = np.array(_LIMITS[base], dtype=float)
    if side == "R":
        limits[[0, 2]] = -limits[[0, 2], ::-1]
    return limits


def _assemble(name: str, links: dict[str, tuple[np.ndarray, human.Mass, Shape]], planar: bool) -> Body:
    names = tuple(link for link in LINKS if link in links)
    soles = [(index, corner) for index, link in enumerate(names) if link.startswith(("foot", "toes"))
             for corner in _sole_corners(links[link][2], link, f"toes.{link[-1]}" in links)]
    return Body(
        name=name, names=names,
        parents=np.array([names.index(PARENTS[link]) if link != "pelvis" else -1 for link in names]),
        offsets=np.array([links[link][0] for link in names]),
        masses=np.array([links[link][1].mass for link in names]),
        com_offsets=np.array([links[link][1].center for link in names]),
        inertias=np.array([links[link][1].inertia for link in names]),
        shapes=tuple(links[link][2] for link in names),
        limits=np.array([_limits(link, planar) for link in names]),
        sole_links=np.array([index for index, _ in soles]),
        sole_points=np.array([corner for _, corner in soles]),
        planar=planar,
    )


def _sole_corners(shape: Shape, link: str, has_toes: bool) -> list[tuple[float, float, float]]:
    """Bottom corners of a foot or toe box; a toe link adds only its tips, its back edge being the ball of the foot."""
    (hx, hy, hz), (cx, cy, cz) = shape.size, shape.center
    ends = (1,) if link.startswith("toes") and has_toes else (-1, 1)
    return [(cx + end * hx, cy + side * hy, cz - hz) for end in ends for side in (1, -1)]
