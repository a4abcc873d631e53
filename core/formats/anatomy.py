"""Which joints are legs and which is the chest, told by how a skeleton hangs together and never by its names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..arrays import Array

# Legs differ by a few percent in real recordings; two chains further apart than this are not a pair.
PAIR_TOLERANCE = 0.25
# Standing height of the hips over the way from hip to toe joint along the bones (feet point forward, knees are a little bent).
HIPS_OVER_CHAIN = 0.88


@dataclass(frozen=True)
class Anatomy:
    """What the shape of a skeleton tells, in the unit of its offsets.

    Attributes:
        legs: the joints of the two legs from hip to toe, or none.
        chest: the joint at which the arms branch off; the root where there is no such joint.
        hip_height: to be expected while standing, from the lengths of the leg's bones; 0 without legs.
    """

    legs: tuple[tuple[int, ...], ...]
    chest: int
    hip_height: float


def children(parents: Sequence[int]) -> list[list[int]]:
    """The children of each joint; parents come before their children."""
    below: list[list[int]] = [[] for _ in parents]
    for joint, parent in enumerate(parents):
        if parent >= 0:
            below[parent].append(joint)
    return below


def find_pelvis(parents: Sequence[int]) -> list[int]:
    """The chain of joints from the root to the pelvis, both included: down to where more than one limb branches off."""
    below = children(parents)
    chain = [0]
    while True:
        limbs = [child for child in below[chain[-1]] if below[child]]
        if len(limbs) > 1:
            return chain
        if not limbs:
            return [0]  # nothing branches: no body, and nothing to say which joint would be its pelvis
        chain.append(limbs[0])


def find(parents: Sequence[int], offsets: Array) -> Anatomy:
    """Legs and chest of a skeleton whose root is the pelvis; offsets (J, 3) in any unit."""
    below = children(parents)
    lengths = np.linalg.norm(offsets, axis=-1)
    limbs = {child: _longest_chain(child, below, lengths) for child in below[0] if below[child]}
    leaves = {child: _count_leaves(child, below) for child in limbs}
    spine = max(leaves, key=leaves.__getitem__, default=0)
    if leaves and leaves[spine] > 1:
        limbs.pop(spine)  # arms and head branch off the spine, so it has the most ends
    else:
        spine = 0
    pairs = []
    for one, other in combinations(limbs, 2):
        a, b = lengths[limbs[one]].sum(), lengths[limbs[other]].sum()
        if min(a, b) > 0.0 and abs(a - b) <= PAIR_TOLERANCE * max(a, b):
            pairs.append(((a + b) * 0.5, one, other))
    chest = _branching(spine, below)
    if not pairs:
        return Anatomy((), chest, 0.0)
    length, one, other = max(pairs)
    return Anatomy((tuple(limbs[one]), tuple(limbs[other])), chest, HIPS_OVER_CHAIN * float(length))


def _longest_chain(joint: int, below: list[list[int]], lengths: Array) -> list[int]:
    """From ``joint`` to the last joint of the longest way down."""
    tails = [_longest_chain(child, below, lengths) for child in below[joint]]
    return [joint, *max(tails, key=lambda tail: lengths[tail].sum(), default=[])]


def _count_leaves(joint: int, below: list[list[int]]) -> int:
    return sum(_count_leaves(child, below) for child in below[joint]) if below[joint] else 1


def _branching(joint: int, below: list[list[int]]) -> int:
    """Down from ``joint`` to the first one with several children."""
    while len(below[joint]) == 1:
        joint = below[joint][0]
    return joint
