"""A double of a character: its meshes as triangles that go with the simulated body, without Blender, which takes long to work out a rig.

It looks as the rig would, but for what a rig adds of its own: each point goes with the mapped bones whose flesh it is, and those turn as the links
do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...core import rotation
from ...core.anatomy.bones import CHAINS, Tree
from ...core.skeleton import LINKS, PARENTS
from .fit import turning
from .flesh import mapped_bones
from .hanging import link_of_slot
from .read import read_bones
from .retarget import Retarget
from .skin import bone_of, seen_of
from .surface import Surface, joined, read_surface
from .turns import bone_turns, link_turns

MOST = 4000  # points, as many as are worked out and drawn in a few milliseconds
INFLUENCES = 4  # bones that move a point, at most
FINEST = 0.006  # m on a person: points that are as near are one, where there are too many
HEAVY = 200_000  # points of a mesh with its modifiers, from which on it is taken without them
ASKED = 50_000  # points of a mesh that are asked what moves them, which takes Blender long


@dataclass(frozen=True)
class _Mover:
    """What turns like a mapped bone. ``above``: number of what carries it, −1 for the pelvis; ``pivot``: (3,) what it turns about, at rest, world."""

    above: int
    link: str
    bone: str
    pivot: np.ndarray


class Double:
    """Attributes:
        surface: at rest, with the triangles that it always has. colors: (V, 3) as a screen is told, single precision.
    """

    def __init__(self, armature: bpy.types.Object, retarget: Retarget):
        self._fit, self._placement = retarget.fit, retarget.placement
        tree, bones = Tree(read_bones(armature)), retarget.bone_map.bones
        self._chains = {slot: turning(slot, bones[slot], lambda name: tree.bones[name].parent) for slot in LINKS if bones.get(slot)}
        self._movers, last = self._find_movers({bone.name: (retarget.world @ [*bone.head_local, 1.0])[:3] for bone in armature.data.bones})
        of_bone = {name: last[link_of_slot(slot)] for slot, chain in bones.items() for name in chain}
        of_bone |= {mover.bone: number for number, mover in enumerate(self._movers)}
        names = [bone.name for bone in armature.data.bones]
        of_group = {name: of_bone.get(mapped, 0) for name, mapped in zip(names, mapped_bones(names, tree, retarget.bone_map), strict=True)}
        # Where the object is when a bake begins, which need not be the frame that is shown.
        moved = retarget.world @ np.linalg.inv(np.array(armature.matrix_world))
        finest = FINEST * retarget.placement.scale
        parts = _read(armature, moved, finest, of_group, len(self._movers))
        whole = joined([surface for surface, _ in parts])
        weights = np.concatenate([np.zeros((0, len(self._movers)), dtype=np.float32), *(of_mesh for _, of_mesh in parts)])
        # Points that go with different bones stay apart.
        kinds = whole.kinds * len(self._movers) + weights.argmax(axis=1)
        self.surface, became = replace(whole, kinds=kinds).thinned(MOST, finest)
        self._weigh(weights, became)
        self._normals = self.surface.normals().astype(np.float32)
        self._points = self.surface.points.astype(np.float32)
        self.colors = self.surface.colors.astype(np.float32)

    def posed(self, root: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(V, 3) points and normals, world, of a pose as in a Result: root (3,) m and rotations (15, 4)."""
        turns = link_turns(self._fit, self._placement, rotations[None])
        of_bones = bone_turns(self._chains, turns)
        turned = rotation.to_matrix(np.stack([of_bones[one.bone][0] if one.bone else turns[one.link][0] for one in self._movers]))
        places = np.empty((len(self._movers), 3))
        for number, mover in enumerate(self._movers):
            places[number] = self._placement.to_world(root) if mover.above < 0 else \
                places[mover.above] + turned[mover.above] @ (mover.pivot - self._movers[mover.above].pivot)
        offsets = places - np.einsum("nij,nj->ni", turned, np.stack([mover.pivot for mover in self._movers]))
        whole = np.concatenate([turned, offsets[:, :, None]], axis=2).astype(np.float32).reshape(-1, 12)
        moves = whole[self._numbers[:, 0]] if self._shares is None else np.einsum("vk,vkm->vm", self._shares, whole[self._numbers])
        moves = moves.reshape(-1, 3, 4)
        turned = moves[:, :, :3]
        return np.einsum("vij,vj->vi", turned, self._points) + moves[:, :, 3], np.einsum("vij,vj->vi", turned, self._normals)

    def _find_movers(self, heads: dict[str, np.ndarray]) -> tuple[list[_Mover], dict[str, int]]:
        """Parents first; and the number of the last one of each link. A link without a bone goes with the one it hangs on.
        ``heads``: (3,) of bones at rest, world."""
        movers, last = [_Mover(-1, "pelvis", "", self._fit.placement.to_world(self._fit.joints["pelvis"]))], {"pelvis": 0}
        for link in LINKS[1:]:
            above = last[PARENTS[link]]
            for number, bone in enumerate(self._chains.get(link, ())):
                if number == 0 or link in CHAINS:  # bones side by side go as one
                    movers.append(_Mover(above, link, bone, heads[bone]))
                    above = len(movers) - 1
            last[link] = above
        return movers, last

    def _weigh(self, weights: np.ndarray, became: np.ndarray) -> None:
        """Keep the bones that move each point most. ``weights``: (V, movers) of the points as they were; ``became``: (V,) which they are now."""
        if np.array_equal(became, np.arange(len(weights))):
            gathered = weights
        else:
            gathered = np.zeros((len(self.surface.points), weights.shape[1]), dtype=np.float32)
            np.add.at(gathered, became, weights)
        gathered = gathered / np.maximum(gathered.sum(axis=1, keepdims=True), 1e-9)
        most = max(1, min(INFLUENCES, int((gathered > 0.01).sum(axis=1).max(initial=1))))
        self._numbers = np.argsort(-gathered, axis=1)[:, :most]
        shares = np.take_along_axis(gathered, self._numbers, axis=1)
        self._shares = None if most == 1 else shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)


def _read(armature: bpy.types.Object, moved: np.ndarray, finest: float, of_group: dict[str, int], count: int) -> list[tuple[Surface, np.ndarray]]:
    """The meshes of a character at rest, with all their modifiers, and the weights of each. ``moved``: (4, 4) that takes them to their place.
    ``finest``: Blender units."""
    things, found = seen_of(armature), []
    with _resting(armature) if things else nullcontext():
        graph = bpy.context.evaluated_depsgraph_get()
        for thing in things:
            shown = thing.evaluated_get(graph)
            whole = len(shown.data.vertices) <= HEAVY
            mesh = shown.to_mesh(preserve_all_data_layers=True, depsgraph=graph) if whole else thing.data
            surface = read_surface(mesh, [slot.material for slot in thing.material_slots], moved @ np.array(thing.matrix_world))
            surface, became = surface.thinned(ASKED, finest)
            asked = np.unique(became, return_index=True)[1]
            found.append((surface, _weights(mesh, asked, thing, armature, of_group, count)))
            shown.to_mesh_clear()
    return found


@contextmanager
def _resting(armature: bpy.types.Object) -> Iterator[None]:
    before, armature.data.pose_position = armature.data.pose_position, "REST"
    bpy.context.view_layer.update()
    try:
        yield
    finally:
        armature.data.pose_position = before
        bpy.context.view_layer.update()


def _weights(mesh: bpy.types.Mesh, asked: np.ndarray, thing: bpy.types.Object, armature: bpy.types.Object, of_group: dict[str, int],
             count: int) -> np.ndarray:
    """(V, count) how much of each of some vertices, whose numbers are ``asked`` (V,), each mover moves; what nothing moves goes with the pelvis.
    ``mesh``: of the thing."""
    found = np.zeros((len(asked), count), dtype=np.float32)
    bone = bone_of(thing, armature)
    if bone:
        found[:, of_group.get(bone, 0)] = 1.0
        return found
    of_index = {group.index: of_group[group.name] for group in thing.vertex_groups if group.name in of_group}
    for row, number in zip(found, asked.tolist(), strict=True):
        for element in mesh.vertices[number].groups:
            if element.group in of_index:
                row[of_index[element.group]] += element.weight
    found[found.sum(axis=1) == 0.0, 0] = 1.0
    return found


