"""Skeletons to recognise: a made-up person with any names, and the rigs in ../shared/rigs. Z up, facing −Y, left at +X."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterable
from dataclasses import replace
from math import cos, pi, radians, sin
from pathlib import Path

import numpy as np
import pytest
from footfall.core.anatomy.bones import ARM, LEG, SLOTS, TRUNK, Bone, Point

SHARED = Path(__file__).resolve().parents[3] / "shared"
RIGS = SHARED / "rigs"

# Where the parts of the made-up person start; the last point of a chain is where it ends.
TRUNK_POINTS = {"pelvis": (0.95, 1.05), "torso": (1.05, 1.48), "head": (1.48, 1.62, 1.78)}
ARM_POINTS = ((0.03, -0.02, 1.44), (0.19, 0.0, 1.42), (0.40, 0.02, 1.24), (0.58, -0.04, 1.07), (0.64, -0.08, 1.01))
LEG_POINTS = ((0.09, 0.0, 0.92), (0.095, -0.015, 0.5), (0.1, 0.01, 0.08), (0.1, -0.13, 0.02), (0.1, -0.2, 0.02))
PLAIN = {"pelvis": "pelvis", "torso": "spine, chest", "head": "neck, head", **{part: part + ".{}" for part in ARM + LEG}}


def slots(names: dict[str, str], sides: tuple[str, str] = ("L", "R")) -> dict[str, tuple[str, ...]]:
    """{"thigh": "thigh.{}"} → {"thigh.L": ("thigh.L",), "thigh.R": ("thigh.R",)}; commas between the bones of one slot."""
    found = {}
    for part, text in names.items():
        if part in TRUNK:
            found[part] = tuple(text.split(", "))
        else:
            for side, word in zip("LR", sides, strict=True):
                found[f"{part}.{side}"] = tuple(text.format(word).split(", "))
    return found


def person(bones: dict[str, tuple[str, ...]]) -> list[Bone]:
    """A person whose slots hold these bones, in line where a slot holds several. Slots may be left out, but not pelvis, thigh, shin and foot."""
    made: dict[str, Bone] = {}

    def chain(slot: str, parent: str, points: Iterable[Point]) -> str:
        names, ends = bones.get(slot, ()), np.array(list(points))
        at = np.linspace(0.0, len(ends) - 1.0, len(names) + 1)
        knots = [tuple(float(np.interp(t, range(len(ends)), ends[:, axis])) for axis in range(3)) for t in at]
        for name, head, tail in zip(names, knots, knots[1:], strict=False):
            made[name] = Bone(name, parent, head, tail)
            parent = name
        return parent

    pelvis = chain("pelvis", "", [(0.0, 0.0, z) for z in TRUNK_POINTS["pelvis"]])
    torso = chain("torso", pelvis, [(0.0, 0.02, z) for z in TRUNK_POINTS["torso"]])
    chain("head", torso, [(0.0, 0.0, z) for z in TRUNK_POINTS["head"]])
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for limb, points, above in ((ARM, ARM_POINTS, torso), (LEG, LEG_POINTS, pelvis)):
            parent = above
            for part, head, tail in zip(limb, points, points[1:], strict=False):
                parent = chain(f"{part}.{side}", parent, [(sign * x, y, z) for x, y, z in (head, tail)])
    return [replace(bone, parent=bone.parent or None) for bone in made.values()]


def moved(bones: Iterable[Bone], move: Callable[[Point], Point]) -> list[Bone]:
    return [replace(bone, head=move(bone.head), tail=move(bone.tail)) for bone in bones]


def turned(bones: Iterable[Bone], degrees: float, scale: float = 1.0) -> list[Bone]:
    """Turned about Z, made larger and put somewhere else."""
    c, s = scale * cos(radians(degrees)), scale * sin(radians(degrees))
    return moved(bones, lambda p: (c * p[0] - s * p[1] + 3.0 * scale, s * p[0] + c * p[1] - 2.0 * scale, scale * (p[2] + 0.5)))


def renamed(bones: Iterable[Bone], seed: int = 0) -> tuple[list[Bone], dict[str, str]]:
    """The bones in random order with names that say nothing, and what they were called."""
    chance = random.Random(seed)
    bones = list(bones)
    new = {bone.name: f"{chance.getrandbits(40):010x}" for bone in bones}
    chance.shuffle(bones)
    return [replace(bone, name=new[bone.name], parent=new.get(bone.parent)) for bone in bones], {name: old for old, name in new.items()}


def without(bones: Iterable[Bone], *names: str) -> list[Bone]:
    """The bones without some, and without what hangs on them."""
    gone, bones = set(names), list(bones)
    for _ in bones:
        gone |= {bone.name for bone in bones if bone.parent in gone}
    return [bone for bone in bones if bone.name not in gone]


def first(found: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The first bone of every slot that has one, in the order of the body."""
    return {slot: found[slot][0] for slot in SLOTS if found.get(slot)}


def shared(path: str) -> Path:
    if not (RIGS / path).exists():
        pytest.skip(f"needs shared data: ../shared/rigs/{path}")
    return RIGS / path


def mpfb(name: str) -> list[Bone]:
    data = json.loads(shared(f"mpfb2_CC0/rig.{name}.json").read_text(encoding="utf-8"))
    ends = {bone: tuple(tuple(part[end]["default_position"]) for end in ("head", "tail")) for bone, part in data.get("bones", data).items()}
    return [Bone(bone, data.get("bones", data)[bone].get("parent") or None, head, tail) for bone, (head, tail) in ends.items()]


def bvh(name: str) -> list[Bone]:
    """The rest pose of a BVH file, Y up and centimetres as it is written, turned to Z up and metres."""
    names: list[str | None] = []
    parents: dict[str, str | None] = {}
    places: dict[str, np.ndarray] = {}
    ends: dict[str, np.ndarray] = {}
    upcoming: str | None = None
    for line in shared(f"generated_rest_skeletons/{name}.bvh").read_text(encoding="utf-8").splitlines():
        word, *rest = line.split() or [""]
        if word in ("ROOT", "JOINT"):
            upcoming = rest[0]
        elif word == "End":
            upcoming = None
        elif word == "{":
            names.append(upcoming)
        elif word == "}":
            names.pop()
        elif word == "OFFSET":
            x, y, z = (0.01 * float(value) for value in rest)
            place = places.get(names[-2] if len(names) > 1 else "", np.zeros(3)) + np.array([x, -z, y])
            if names[-1] is None:
                ends[names[-2]] = place
            else:
                parents[names[-1]], places[names[-1]] = names[-2] if len(names) > 1 else None, place
        elif word == "MOTION":
            break
    for joint in places:
        children = [places[child] for child, parent in parents.items() if parent == joint]
        ends.setdefault(joint, np.mean(children, axis=0) if children else places[joint])
    return [Bone(joint, parents[joint], tuple(map(float, place)), tuple(map(float, ends[joint]))) for joint, place in places.items()]


def glb(name: str) -> list[Bone]:
    """The bind pose of the first skin of a binary glTF file, in the mesh's space; glTF has no tails."""
    data = shared(name).read_bytes()
    (size,) = struct.unpack("<I", data[12:16])
    document = json.loads(data[20 : 20 + size])
    skin = document["skins"][0]
    accessor = document["accessors"][skin["inverseBindMatrices"]]
    view = document["bufferViews"][accessor["bufferView"]]
    start = 20 + size + 8 + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    inverse = np.frombuffer(data, "<f4", 16 * accessor["count"], start).reshape(-1, 4, 4).transpose(0, 2, 1)
    matrices = np.linalg.inv(inverse.astype(float))
    nodes = document["nodes"]
    parents = {child: node for node in skin["joints"] for child in nodes[node].get("children", ())}
    bones = []
    for node, matrix in zip(skin["joints"], matrices, strict=True):
        head = matrix[:3, 3]
        parent = nodes[parents[node]]["name"] if node in parents else None
        bones.append(Bone(nodes[node]["name"], parent, tuple(map(float, head)), tuple(map(float, head + 0.1 * matrix[:3, 1]))))
    return bones


def quadruped() -> list[Bone]:
    """A dog: a level spine, two pairs of legs, a neck that rises."""
    bones = [Bone("pelvis", None, (0.0, 0.5, 0.6), (0.0, 0.3, 0.6))]
    for number, y in enumerate((0.3, 0.1, -0.1)):
        bones.append(Bone(f"spine{number}", bones[-1].name, (0.0, y, 0.6), (0.0, y - 0.2, 0.6)))
    bones += [Bone("neck", "spine2", (0.0, -0.3, 0.65), (0.0, -0.4, 0.85)), Bone("head", "neck", (0.0, -0.4, 0.85), (0.0, -0.6, 0.85))]
    for pair, parent, y in (("", "pelvis", 0.5), ("front_", "spine2", -0.3)):
        for side, x in (("L", 0.1), ("R", -0.1)):
            above = parent
            for part, top, end in (("thigh", 0.58, 0.34), ("shin", 0.34, 0.06), ("foot", 0.06, 0.01)):
                ahead = 0.1 if part == "foot" else 0.0
                bones.append(Bone(f"{pair}{part}.{side}", above, (x, y, top), (x, y - ahead, end)))
                above = bones[-1].name
    return bones


def snake(count: int = 20) -> list[Bone]:
    points = [(0.3 * sin(pi * i / 4), -0.2 * i, 0.05) for i in range(count + 1)]
    return [Bone(f"link{i}", f"link{i - 1}" if i else None, points[i], points[i + 1]) for i in range(count)]
