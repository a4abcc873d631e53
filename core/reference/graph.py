"""MotionGraph: which fragment can follow which, over several references and their mirror images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..arrays import Array
from ..errors import JobError
from ..motion import Motion
from . import poses
from .fragments import Fragment
from .loop import Cycle, find_cycle
from .reference import Reference

# Metres, as a mean over the joints, up to which the end of one fragment is like the start of another, for a leg of a metre.
LARGEST_SEAM = 0.12


# Compared by identity: arrays have no single answer to ==.
@dataclass(frozen=True, eq=False)
class Node:
    """A whole fragment of a reference, or its mirror image, as a step that can be taken.

    Attributes:
        reference: which one.
        fragment: its frames in that reference; for a mirror image with left and right exchanged.
        mirrored: whether the reference is to be mirrored.
        displacement: (3,) metres of the pelvis, forward, left and up as it faces at the start.
        turn: radians by which the pelvis turns, positive to the left.
        speed: m/s, forward: of the displacement along the heading halfway through the turn, over the time.
    """

    reference: int
    fragment: Fragment
    mirrored: bool
    displacement: Array
    turn: float
    speed: float


class MotionGraph:
    """Nodes are all whole fragments; an edge leads to a fragment that starts on the foot that lands, about as the other one ends.

    Attributes:
        references: all on one body.
        nodes: list of Node.
        edges: for each node the (node, seam) that may follow, least seam first; seam in metres, 0 for the natural successor.
    """

    def __init__(self, references: Sequence[Reference], mirror: bool = True, largest_seam: float = LARGEST_SEAM) -> None:
        self.references = list(references)
        if not self.references:
            raise JobError("A motion graph needs at least one clip.")
        body = self.references[0].body
        if any(other.body.names != body.names or not np.allclose(other.body.offsets, body.offsets) for other in self.references):
            raise JobError("The clips of a motion graph are on different bodies: prepare all of them for the same one.")
        self.nodes: list[Node] = []
        starts, ends, followers = [], [], []
        for index, reference in enumerate(self.references):
            for mirrored in (False, True) if mirror else (False,):
                motion = reference.motion.mirror() if mirrored else reference.motion
                rows = poses.features(reference.body, motion)
                fragments = [_mirror_image(fragment) for fragment in reference.fragments] if mirrored else reference.fragments
                for fragment, follower in pairwise(fragments):
                    if fragment.whole:
                        self.nodes.append(_node(index, motion, fragment, mirrored))
                        starts.append(rows[fragment.start])
                        ends.append(rows[fragment.end])
                        followers.append(follower)
        self.edges = self._edges(starts, ends, followers, largest_seam * body.leg_length)

    def _edges(
        self, starts: list[Array], ends: list[Array], followers: list[Fragment], largest: float
    ) -> list[list[tuple[int, float]]]:
        """For each node those that may follow; ``starts`` and ``ends``: the nodes' features, ``followers``: what follows them in the recording."""
        edges = []
        for node, end, follower in zip(self.nodes, ends, followers, strict=True):
            seams = poses.distances(end, np.array(starts))
            found = [(other, float(seams[other])) for other, candidate in enumerate(self.nodes)
                     if (candidate.fragment.kind, candidate.fragment.stance) == (follower.kind, follower.stance)
                     and (seams[other] <= largest or self._follows(node, candidate))]
            edges.append(sorted(found, key=lambda edge: edge[1]))
        return edges

    @staticmethod
    def _follows(node: Node, other: Node) -> bool:
        return (node.reference, node.mirrored, node.fragment.end) == (other.reference, other.mirrored, other.fragment.start)

    def endless(self) -> set[int]:
        """The nodes from which one can go on for ever: a planner that stays on these never runs into the end of a clip."""
        alive = set(range(len(self.nodes)))
        while True:
            stuck = {node for node in alive if not any(other in alive for other, _ in self.edges[node])}
            if not stuck:
                return alive
            alive -= stuck

    def cycle(self, reference: int = 0) -> Cycle:
        """The frames of one reference that loop best."""
        return find_cycle(self.references[reference])


def _node(index: int, motion: Motion, fragment: Fragment, mirrored: bool) -> Node:
    displacement, turn = poses.travel(motion, fragment.start, fragment.end)
    halfway = 0.5 * turn
    forward = float(displacement[0] * np.cos(halfway) + displacement[1] * np.sin(halfway))
    return Node(index, fragment, mirrored, displacement, turn, forward * motion.fps / fragment.frames)


def mirrored(reference: Reference) -> Reference:
    """The same with left and right exchanged; exact on a symmetric body."""
    stances = [replace(stance, foot=1 - stance.foot) for stance in reference.stances]
    fragments = [_mirror_image(fragment) for fragment in reference.fragments]
    return replace(reference, motion=reference.motion.mirror(), stances=stances, fragments=fragments)


def _mirror_image(fragment: Fragment) -> Fragment:
    kind = {"left": "right", "right": "left"}.get(fragment.kind, fragment.kind)
    return replace(fragment, kind=kind, stance=1 - fragment.stance)
