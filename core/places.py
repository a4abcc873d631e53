"""Where a body can be struck: its links, and places on them by the names that people use."""

from __future__ import annotations

import numpy as np

from .body import Body
from .skeleton import LINKS

PLACES = {"chest": "torso", "hip": "pelvis", "hand.L": "forearm.L", "hand.R": "forearm.R"}  # place → link
PARTS = (*LINKS, *PLACES)
CHEST = 0.7  # of the way from the back joint to the neck


def link_of(body: Body, part: str) -> int:
    """The link that a part, one of ``PARTS``, is or lies on."""
    return body.names.index(PLACES.get(part, part))


def struck(body: Body, part: str) -> tuple[int, np.ndarray]:
    """Link of a part, and the point (3,) m in its frame that a hit on it meets: the place, or the link's centre of mass."""
    link = link_of(body, part)
    if part == "chest":
        return link, CHEST * body.offsets[body.names.index("head")]
    if part.startswith("hand"):
        shape = body.shapes[link]
        return link, np.array(shape.center) - (0.0, 0.0, shape.half_extents[2])  # arms hang at rest: the hand is at the lower end
    return link, body.com_offsets[link]


def chain(body: Body, link: int) -> np.ndarray:
    """(L,) bool: the joints that give way when a link is struck: its own, those on the way to the pelvis, and those beyond it."""
    on = np.zeros(len(body.names), dtype=bool)
    at = link
    while at > 0:
        on[at] = True
        at = int(body.parents[at])
    for other in range(1, len(body.names)):
        on[other] |= bool(on[body.parents[other]]) and body.parents[other] >= link > 0
    return on
