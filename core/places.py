"""Where a body can be struck: its links, and places on them by the names that people use."""

from __future__ import annotations

import numpy as np

from .arrays import Bools, Vector
from .body import Body
from .skeleton import LINKS

PLACES = {"chest": "torso", "hip": "pelvis", "hand.L": "forearm.L", "hand.R": "forearm.R"}  # place → the link that it lies on
PARTS = (*LINKS, *PLACES)  # what a push may name as the part of the body that it strikes
CHEST = 0.7  # fraction of the way from the back joint to the neck


def link_of(body: Body, part: str) -> int:
    """The link that a part, one of ``PARTS``, is or lies on. Where a body lacks it, as the planar one lacks a torso, it is link 0, the trunk."""
    link = PLACES.get(part, part)
    return body.names.index(link) if link in body.names else 0


def struck(body: Body, part: str) -> tuple[int, Vector]:
    """Link of a part, and the point (m, in the link's frame) that a push strikes: the place that the part names, or the link's centre of mass."""
    link = link_of(body, part)
    point = body.com_offsets[link]
    if PLACES.get(part) == body.names[link]:
        if part == "chest":
            point = CHEST * body.offsets[body.names.index("head")]
        elif part.startswith("hand"):
            shape = body.shapes[link]
            point = np.array(shape.center) - (0.0, 0.0, shape.half_extents[2])  # arms hang at rest: the hand is at the lower end
    x, y, z = point.tolist()
    return link, (x, y, z)


def chain(body: Body, link: int) -> Bools:
    """(L,) bool: the joints that give way when a link is struck: its own, those on the way to the pelvis, and those beyond it."""
    on = np.zeros(len(body.names), dtype=bool)
    at = link
    while at > 0:
        on[at] = True
        at = int(body.parents[at])
    for other in range(1, len(body.names)):
        on[other] |= bool(on[body.parents[other]]) and body.parents[other] >= link > 0
    return on
