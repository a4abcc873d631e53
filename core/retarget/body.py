"""The body of the person in a clip, with the clip's own lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..body import make_body
from ..formats.clip import Clip
from .person import Person, measure_person

# Share of the length of a foot in one piece that becomes the body's toes.
STUB = 0.08
# kg/m², when no mass is given; and the share of the stature that thigh and shin make up (de Leva 1996, both sexes).
BODY_MASS_INDEX = 23.5
THIGH_AND_SHIN = 0.49
# Height of the toe joint over the sole, as a share of the ankle's usual height: where the clip does not tell; the least and the most believed.
BALL_HEIGHT, LOWEST_BALL, HIGHEST_BALL = 0.35, 0.15, 0.6
# The least height of the ankle that is believed, as a share of its usual height.
LOWEST_ANKLE = 0.75


def body_of(clip: Clip, mass: float | None = None, sex: str = "male") -> dict[str, Any]:
    """What ``core.body.make_body`` takes: a body with the lengths of the person in the clip, both sides alike.

    Args:
        mass: kg; a usual one for the height if not given.
    """
    person = measure_person(clip)
    stature = person.leg_length / THIGH_AND_SHIN
    offsets = {link: [round(float(value), 6) for value in offset] for link, offset in person.offsets.items()}
    skeleton: dict[str, Any] = {"offsets": offsets, "lengths": {}, "foot": foot_of(person)}
    if person.forearm is not None:
        skeleton["lengths"]["forearm"] = round(person.forearm, 6)
    return {"skeleton": skeleton, "mass": round(mass or BODY_MASS_INDEX * stature**2, 3), "sex": sex}


def foot_of(person: Person) -> dict[str, float]:
    """Both feet's mean, as ``core.body.Foot``. What is far from a foot for these legs is not believed: floors of recordings are off."""
    usual = make_body({"skeleton": {"offsets": {link: list(map(float, offset)) for link, offset in person.offsets.items()}}})
    corners = usual.sole_points[usual.sole_links == usual.names.index("foot.L")]
    toes = float(usual.sole_points[usual.sole_links == usual.names.index("toes.L")][:, 0].max())
    ball = float(usual.offsets[usual.names.index("toes.L"), 0])
    height = float(-corners[:, 2].min())
    foot = {"heel": float(corners[:, 0].min()), "height": height}
    aheads = [foot.ahead for foot in person.feet.values() if foot.ahead is not None]
    if len(aheads) == len(person.feet):
        ahead = np.mean(aheads, axis=0)
        in_two = all(person.feet[side].toe_angles is not None for side in "LR")
        over_sole = np.clip(_end_height(person, BALL_HEIGHT * height), LOWEST_BALL * height if in_two else 0.0, HIGHEST_BALL * height)
        foot["height"] = max(over_sole - ahead[2], LOWEST_ANKLE * height)
        if in_two:
            foot |= {"ball": ahead[0], "ball_height": foot["height"] + ahead[2], "tip": ahead[0] + toes}
        else:
            tip = np.clip(ahead[0], ball + toes, 1.3 * (ball + toes))
            foot |= {"ball": (1.0 - STUB) * tip, "ball_height": BALL_HEIGHT * foot["height"], "tip": tip}
    return {name: round(float(value), 6) for name, value in foot.items()}


def _end_height(person: Person, usual: float) -> float:
    """Metres of the toe joints, or of the tips of feet in one piece, over 0 where they stand; ``usual`` if they never do."""
    heights = []
    for side in "LR":
        foot = person.feet[side]
        ankles = person.places[f"foot.{side}"][foot.standing, 2]
        if len(ankles) and foot.ahead is not None:
            heights.append(np.median(ankles) + foot.ahead[2])
    return float(np.mean(heights)) if heights else usual
