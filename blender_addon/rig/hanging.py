"""Bones that are no part of the body and do not come along with it by themselves: skirts, props and targets that hang on the root or on nothing.

Each follows the part of the body that it shares its skin with, or is nearest to at rest, as if it were glued to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import bpy
import numpy as np

from ...core.anatomy.bones import BoneMap
from ...core.errors import RigError
from ...core.skeleton import LINKS, PARENTS
from .fit import Fit
from .pose import KeptPose, clear
from .trying import matrices_of, shift

ALONG = 0.01  # of the way that the body is moved: a bone that is as near to it as this comes along
SHARED = 0.05  # of a bone's weights: with less than this on the same points, its skin does not tell on what it hangs
BOTH_SHARE, BOTH_NEAR = 0.5, 0.8  # of one side's share of the skin, or of its nearness, from which on the other side counts as well
CROWN = 0.2  # m from the head's joint to the top of the head
PART_OF = {"shoulder": "torso", "hand": "forearm"}  # the links that parts of the body without one belong to


def find_left_behind(armature: bpy.types.Object, bone_map: BoneMap, names: frozenset[str], shifts: dict[str, np.ndarray]) -> list[str]:
    """The uppermost bones that stay when the body goes elsewhere and that matter: on a control rig those alone that move skin or carry objects. To be
    called while the rig is ``as_keyed``; ``shifts``: see ``shift``, of the bones that carry the body over the ground."""
    bones = armature.pose.bones
    before = matrices_of(armature, bones.keys())
    way = np.full(3, 0.5 * max(armature.dimensions) / np.cbrt(armature.matrix_world.determinant()))
    kept = KeptPose(armature, shifts)
    for name, columns in shifts.items():
        bones[name].location = np.linalg.solve(columns, way)
    after = matrices_of(armature, bones.keys())
    kept.put_back()
    carriers = {above.name for name in names for above in bones[name].parent_recursive}
    behind = {name for name in before if np.abs(after[name][:3, 3] - before[name][:3, 3] - way).max() > ALONG * way[0]} - names - carriers
    tops = [name for name in before if name in behind and not any(above.name in behind for above in bones[name].parent_recursive)]
    carrying = {thing.parent_bone for thing in bpy.data.objects if thing.parent == armature and thing.parent_type == "BONE"}
    plain = bone_map.controls == bone_map.bones

    def matters(bone: bpy.types.Bone) -> bool:
        return plain or any(one.use_deform or one.name in carrying for one in (bone, *bone.children_recursive))

    return [name for name in tops if matters(armature.data.bones[name]) and not _moves(armature, name, names)]


def _moves(armature: bpy.types.Object, name: str, names: Iterable[str]) -> bool:
    """Whether a bone carries the body, by constraints."""
    bone, before = armature.pose.bones[name], matrices_of(armature, names)
    kept = KeptPose(armature, [name])
    bone.location = [value + bone.length for value in bone.location]
    after = matrices_of(armature, names)
    kept.put_back()
    return not all(np.allclose(after[other], before[other], atol=1e-3 * bone.length) for other in before)


def free_of(armature: bpy.types.Object, name: str) -> tuple[np.ndarray, np.ndarray] | None:
    """(4, 4) of a bone with no transform of its own, and its ``shift``; None where it does not listen to keys. To be called while the rig is
    ``as_keyed``."""
    kept = KeptPose(armature, [name])
    clear(armature.pose.bones[name])
    try:
        return matrices_of(armature, [name])[name], shift(armature, name)
    except RigError:
        return None
    finally:
        kept.put_back()


def link_it_hangs_on(armature: bpy.types.Object, bone_map: BoneMap, fit: Fit, name: str) -> str:
    """The link of the body that a bone follows."""
    bone = armature.data.bones[name]
    own = {bone.name, *(child.name for child in bone.children_recursive)}
    shared, points = _skin(armature, own, _link_of(armature, bone_map))
    shared = {link: weight for link, weight in shared.items() if link in fit.joints}
    if shared:
        return _one_of_two(shared, BOTH_SHARE)
    middle = points.mean(axis=0) if len(points) else np.array(armature.matrix_world @ bone.head_local)
    return nearest_link(fit, fit.placement.to_job(middle))


def nearest_link(fit: Fit, point: np.ndarray) -> str:
    """The link whose bones, from joint to joint at rest, are nearest to ``point`` (3,): simulated metres, as the fit's."""
    def nearness(link: str) -> float:
        start = fit.joints[link]
        ends = [fit.joints[slot] for slot in fit.joints if PARENTS.get(slot) == link or slot == link.replace("forearm", "hand")]
        ends = ends or [start + np.array([0.0, 0.0, CROWN if link == "head" else 0.0])]
        return 1.0 / max(1e-3, min(_from_line(point, start, end) for end in ends))

    # What is beside a joint moves with what is beyond it, as the heel with the foot; but skirts beside the hips with the pelvis.
    order = ("pelvis", *(link for link in reversed(LINKS) if link != "pelvis"))
    return _one_of_two({link: round(nearness(link), 2) for link in order if link in fit.joints}, BOTH_NEAR)


def _one_of_two(scores: dict[str, float], both: float) -> str:
    """The link with the highest score; between the left and the right one, what both hang on: a flap in front of both legs goes with neither."""
    best = max(scores, key=scores.get)
    while best[-2:] in (".L", ".R") and scores.get(best[:-1] + ("R" if best[-1] == "L" else "L"), 0.0) > both * scores.get(best, 0.0):
        best = PARENTS[best]
    return best


def _from_line(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    along = end - start
    part = np.clip((point - start) @ along / max(along @ along, 1e-12), 0.0, 1.0)
    return float(np.linalg.norm(point - start - part * along))


def link_of_slot(slot: str) -> str:
    """The link that a part of the body belongs to."""
    part, dot, side = slot.partition(".")
    link = PART_OF.get(part, part)
    return link if link in LINKS else link + dot + side


def _link_of(armature: bpy.types.Object, bone_map: BoneMap) -> Callable[[str], str | None]:
    """A function that tells the link that a bone moves with, by the mapped bone that it is or hangs on."""
    known = {}
    for chains in (bone_map.bones, bone_map.controls):
        for slot, chain in chains.items():
            known |= dict.fromkeys(chain, link_of_slot(slot))

    def link_of(name: str) -> str | None:
        bone = armature.data.bones.get(name)
        return next((known[one.name] for one in (bone, *bone.parent_recursive) if one.name in known), None) if bone else None

    return link_of


def _skin(armature: bpy.types.Object, own: set[str], link_of: Callable[[str], str | None]) -> tuple[dict[str, float], np.ndarray]:
    """How much of the skin of some bones is shared with each link, {} where that is next to nothing; and (N, 3) where their skin is, world."""
    weight, shared, points = 0.0, {}, []
    for thing in bpy.data.objects:
        if thing.type != "MESH" or thing.find_armature() != armature:
            continue
        groups = {group.index: group.name for group in thing.vertex_groups}
        links = {index: None if name in own else link_of(name) for index, name in groups.items()}
        for vertex in thing.data.vertices:
            mine = sum(element.weight for element in vertex.groups if groups.get(element.group) in own)
            if mine <= 0.0:
                continue
            weight += mine
            points.append(thing.matrix_world @ vertex.co)
            for element in vertex.groups:
                link = links.get(element.group)
                if link:
                    shared[link] = shared.get(link, 0.0) + min(mine, element.weight)
    return (shared if sum(shared.values()) > SHARED * weight else {}), np.array(points).reshape(-1, 3)
