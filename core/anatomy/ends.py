"""Where bones end. A bone's joint is its head; its tail says nothing by itself: importers make it up, metres long or turned away.

A bone ends where its child begins. Of several children it is the one at which the tail lies, else the one that most hangs on. A bone without
children ends at its tail where that is as long as such a bone can be and does not turn back; else it goes on as the bone before leads to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import dist, hypot

from .bones import Bone, Point, Tree

MEETS = 0.1  # of the way from a bone's head to its child's: a tail that is as near to the child as this lies there
SHORTEST, LONGEST = 0.1, 3.0  # of the bone before, that a last bone may be long
TURNS_BACK = -0.3  # cosine to the bone before, below which a last bone leads back
GOES_ON = 0.5  # of the bone before: how long a last bone is whose tail is not believed
APART = 1e-4  # of the largest distance between joints: what is nearer lies in one place


def with_ends(bones: Sequence[Bone]) -> list[Bone]:
    """The bones with their tails where they end."""
    tree = Tree(bones)
    near = APART * max((dist(bone.head, bones[0].head) for bone in bones), default=0.0)
    return [replace(bone, tail=_end(tree, bone, near)) for bone in bones]


def _end(tree: Tree, bone: Bone, near: float) -> Point:
    children = [child for child in tree.children[bone.name] if dist(bone.head, tree.head(child)) > near]
    if any(dist(bone.tail, tree.head(child)) < MEETS * dist(bone.head, tree.head(child)) for child in children):
        return bone.tail
    if children:
        return tree.head(max(children, key=lambda child: (sum(1 for _ in tree.below(child)), dist(bone.head, tree.head(child)))))
    before = next((tree.head(name) for name in tree.up(bone.parent) if dist(tree.head(name), bone.head) > near), None)
    if before is None:
        return bone.tail
    way, own = _minus(bone.head, before), _minus(bone.tail, bone.head)
    length, reach = hypot(*own), hypot(*way)
    if SHORTEST * reach < length < LONGEST * reach and sum(a * b for a, b in zip(way, own, strict=True)) > TURNS_BACK * reach * length:
        return bone.tail
    x, y, z = bone.head
    return x + GOES_ON * way[0], y + GOES_ON * way[1], z + GOES_ON * way[2]


def _minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
