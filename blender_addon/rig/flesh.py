"""How thick a character is, and where its soles are: measured on the points of its skin. Arrays only, no Blender.

All points are simulated metres at rest, from the floor under the hips, facing +X (see ``fit``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core import rotation
from ...core.anatomy.bones import BoneMap, Tree

# Where along a limb it is measured, of its length from the joint: not where it grows out of the trunk or bends into the next one.
LIMBS = {"thigh": ("shin", 0.4, 0.9), "shin": ("foot", 0.1, 0.85), "upper_arm": ("forearm", 0.3, 0.95), "forearm": ("hand", 0.1, 0.9)}
RINGS = 6  # along a limb, each measured by itself: so it does not matter where a mesh has many points
LEGS = ("thigh", "shin")
FEWEST = 8  # points from which something is measured
INWARD = 95  # percentile of a ring towards the other leg: what the legs touch with
THICK = 60  # percentile of a ring, and of the rings of a limb, that stands for it
ASIDE = 0.1  # of a mapped bone's length: another bone that lies within this of it moves the same flesh
SOLE = 0.35  # of the ankle's height over the lowest point: what lies below is the sole
EDGE = 2  # percentile of points that lie beyond the edges of a sole, or of a slice
SLICES = {"thigh": (2, 8), "shin": (2, 8), "foot": (0, 6), "toes": (0, 3)}  # the axis of a link along which it is cut, and into how many slices
THINNEST = 0.01  # m: what is thinner than this counts as so thick


@dataclass(frozen=True)
class Skin:
    """N points of the meshes of a character at rest.

    Attributes:
        points: (N, 3) Blender units, world axes, the armature object where it is now.
        owners: (N,) which of ``bones`` moves each point most.
    """

    points: np.ndarray
    owners: np.ndarray
    bones: tuple[str, ...]

    def moved(self, matrix: np.ndarray) -> Skin:
        """With the armature object moved by ``matrix`` (4, 4)."""
        return replace(self, points=self.points @ matrix[:3, :3].T + matrix[:3, 3])


@dataclass(frozen=True)
class Flesh:
    """N points of the skin: (N, 3), and the slot that each belongs to, '' for none."""

    points: np.ndarray
    slots: np.ndarray

    def of(self, *slots: str) -> np.ndarray:
        """(M, 3) the points of some slots."""
        return self.points[np.isin(self.slots, slots)]


@dataclass(frozen=True)
class Sole:
    """A sole seen from the ankle, metres: ``heel`` (behind it, negative), ``tip`` ahead of it, ``bottom`` below it (negative), ``width``."""

    heel: float
    tip: float
    bottom: float
    width: float


def fleshed(skin: Skin | None, tree: Tree, bone_map: BoneMap) -> Flesh:
    """The skin by the part of the body that it belongs to, in the axes of the skin."""
    if skin is None:
        return Flesh(np.zeros((0, 3)), np.zeros(0, dtype=str))
    used = np.unique(skin.owners)
    slots = np.array(slots_of([skin.bones[number] for number in used], tree, bone_map))
    return Flesh(skin.points, slots[np.searchsorted(used, skin.owners)])


def slots_of(bones: Sequence[str], tree: Tree, bone_map: BoneMap) -> list[str]:
    """The slot whose flesh each of some bones moves: that of its ``mapped_bones``. '' where there is none."""
    slot_of = {name: slot for slot, chain in bone_map.bones.items() for name in chain}
    return [slot_of.get(name, "") for name in mapped_bones(bones, tree, bone_map)]


def mapped_bones(bones: Sequence[str], tree: Tree, bone_map: BoneMap) -> list[str]:
    """The mapped bone whose flesh each of some bones moves: the bone itself, a mapped bone that it lies on (deform bones of control rigs, twist
    bones), or the nearest one that it hangs on. '' where there is none."""
    mapped = {name: (np.array(tree.head(name)), np.array(tree.tail(name))) for chain in bone_map.bones.values() for name in chain}

    def found(bone: str) -> str:
        if bone in mapped:
            return bone
        ends = np.array([tree.head(bone), tree.tail(bone)])
        gaps = {name: _gaps(ends, *line).max() / max(np.linalg.norm(line[1] - line[0]), 1e-9) for name, line in mapped.items()}
        nearest = min(gaps, key=gaps.__getitem__)
        if gaps[nearest] < ASIDE:
            return nearest
        return next((above for above in tree.up(bone) if above in mapped), "")

    return [found(bone) for bone in bones]


def sole(flesh: Flesh, side: str, ankle: np.ndarray, turn: np.ndarray) -> Sole | None:
    """The sole of one foot. ``turn``: (4,) of the foot at rest."""
    points = rotation.rotate(rotation.conjugate(turn), flesh.of(f"foot.{side}", f"toes.{side}") - ankle)
    if len(points) < FEWEST or points[:, 2].min() >= 0.0:
        return None
    bottom = float(points[:, 2].min())
    low = points[points[:, 2] < (1.0 - SOLE) * bottom]
    (heel, right), (tip, left) = np.percentile(low[:, :2], EDGE, axis=0), np.percentile(low[:, :2], 100 - EDGE, axis=0)
    return Sole(float(heel), float(tip), bottom, float(left - right))


def radii(flesh: Flesh, joints: Mapping[str, np.ndarray], ends: Mapping[str, np.ndarray]) -> dict[str, float | list[float]]:
    """As ``core.body.fitted_body`` takes them: m of the limbs, and half depth and half width of pelvis and torso. What has too few points is left
    out."""
    found: dict[str, float | list[float]] = {}
    for limb, (below, first, last) in LIMBS.items():
        sides = []
        for side, inward in (("L", -1.0), ("R", 1.0)):
            slot = f"{limb}.{side}"
            if slot in joints:
                axis = joints.get(f"{below}.{side}", ends[slot]) - joints[slot]
                sides.append(_thickness(flesh.of(slot) - joints[slot], axis, (first, last), np.array([0.0, inward, 0.0]) if limb in LEGS else None))
        known = [thick for thick in sides if thick]
        if known:
            found[limb] = round(float(np.mean(known)), 4)
    return found | _trunk(flesh, joints)


def balls(flesh: Flesh, joints: Mapping[str, np.ndarray], rest: Mapping[str, np.ndarray]) -> dict[str, list[list[float]]]:
    """As ``core.body.fitted_body`` takes them: balls that fill the legs, x, y, z in the frame of their link and the radius. ``rest``: (4,) of the
    links at rest. What has too few points is left out."""
    found = {}
    for part, (axis, slices) in SLICES.items():
        for link in (f"{part}.L", f"{part}.R"):
            points = flesh.of(link)
            if link in joints and len(points) >= FEWEST:
                near = rotation.rotate(rotation.conjugate(rest[link]), points - joints[link])
                found[link] = [[round(float(value), 4) for value in ball] for ball in _filling(near, axis, slices)]
    return {link: those for link, those in found.items() if those}


def _filling(points: np.ndarray, axis: int, slices: int) -> list[np.ndarray]:
    """Balls (4,) that fill a limb or a foot with points (N, 3), cut across an axis: in each slice one, or a row of them where it is wide or deep."""
    low, high = np.percentile(points[:, axis], (EDGE, 100 - EDGE))
    across = [other for other in range(3) if other != axis]
    found = []
    for start, end in np.lib.stride_tricks.sliding_window_view(np.linspace(low, high, slices + 1), 2):
        slice_ = points[(points[:, axis] >= start) & (points[:, axis] <= end)][:, across]
        if len(slice_) < 3:
            continue
        edges = np.percentile(slice_, (EDGE, 100 - EDGE), axis=0)
        half = np.maximum(0.5 * (edges[1] - edges[0]), THINNEST)
        radius, room = half.min(), half.max() - half.min()
        for off in np.linspace(-room, room, 1 + int(np.ceil(2.0 * room / radius))):
            ball = np.empty(4)
            ball[across] = edges.mean(axis=0)
            ball[across[int(np.argmax(half))]] += off
            ball[axis] = np.clip(0.5 * (start + end), low + min(0.7 * radius, 0.5 * (high - low)), high - min(0.7 * radius, 0.5 * (high - low)))
            ball[3] = radius
            found.append(ball)
    return found


def _thickness(points: np.ndarray, axis: np.ndarray, span: tuple[float, float], inward: np.ndarray | None) -> float | None:
    """m from a limb's axis to its skin: towards ``inward`` where that is given, else all around. ``points``: (N, 3) from its joint."""
    length = float(np.linalg.norm(axis))
    along = points @ (axis / length) / length
    off = points - along[:, None] * axis
    rings = []
    for low, high in np.lib.stride_tricks.sliding_window_view(np.linspace(*span, RINGS + 1), 2):
        ring = off[(along >= low) & (along < high)]
        if len(ring) >= 3:
            rings.append(np.percentile(ring @ inward, INWARD) if inward is not None else np.percentile(np.linalg.norm(ring, axis=1), THICK))
    return float(np.percentile(rings, THICK)) if 2 * len(rings) >= RINGS and np.percentile(rings, THICK) > 0.0 else None


def _trunk(flesh: Flesh, joints: Mapping[str, np.ndarray]) -> dict[str, list[float]]:
    hips, leg = joints["pelvis"], joints["pelvis"][2] - joints["foot.L"][2]
    found = {"pelvis": _breadth(flesh.of("pelvis", "thigh.L", "thigh.R"), hips, hips[2] - 0.1 * leg, hips[2] + 0.15 * leg)}
    if "torso" in joints and "upper_arm.L" in joints:
        low, high = joints["torso"], joints["upper_arm.L"][2]
        found["torso"] = _breadth(flesh.of("torso"), low, low[2] + 0.2 * (high - low[2]), low[2] + 0.7 * (high - low[2]))
    return {link: breadth for link, breadth in found.items() if breadth}


def _breadth(points: np.ndarray, middle: np.ndarray, low: float, high: float) -> list[float] | None:
    """Half depth and half width, m, of the points between two heights."""
    between = points[(points[:, 2] > low) & (points[:, 2] < high)] - middle
    if len(between) < FEWEST:
        return None
    depth = 0.5 * (np.percentile(between[:, 0], 95) - np.percentile(between[:, 0], 5))
    return [round(float(depth), 4), round(float(np.percentile(np.abs(between[:, 1]), 90)), 4)]


def _gaps(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(N,) how far points (N, 3) are from a line from a to b."""
    along = b - a
    share = np.clip((points - a) @ along / max(along @ along, 1e-12), 0.0, 1.0)
    return np.linalg.norm(points - a - share[:, None] * along, axis=1)
