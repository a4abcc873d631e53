"""Put the motion of a clip onto a Body."""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from ..formats.clip import Clip
from ..motion import Motion
from ..skeleton import Skeleton
from .body import foot_of
from .limbs import lead
from .person import Person, measure_person
from .tracks import LEFT

# Metres: for every so much that an ankle is higher than the other one, it counts 1/e as much for how high the body is.
ANKLE_RANGE = 0.05


def retarget(clip: Clip, body: Body) -> Motion:
    """The clip on ``body.skeleton``, at its own rate: the limbs point as they do in the clip, the feet are as they were recorded.

    The place in the world is that of the clip, scaled with the legs; the ankles are as high over the floor, in proportion.
    """
    person = measure_person(clip)
    skeleton = body.skeleton
    rotations = _local(skeleton, body, person)
    scale = body.leg_length / person.leg_length
    roots = person.places["pelvis"] * scale
    positions, _ = skeleton.forward_kinematics(roots, rotations)
    roots[:, 2] += _lift(person, body, positions, scale)
    return Motion(skeleton, clip.motion.fps, roots, rotations)


def _local(skeleton: Skeleton, body: Body, person: Person) -> Array:
    """(F, J, 4) of each link relative to its parent; hinges turn about their axis within their limits."""
    frames = len(person.places["pelvis"])
    turns = {**person.turns, **_legs_within_limits(body, person)}
    rotations = rotation.identity((frames, len(skeleton.names)))
    world = np.empty_like(rotations)
    for joint, (name, parent) in enumerate(zip(skeleton.names, skeleton.parents, strict=True)):
        above = world[:, parent] if parent >= 0 else rotation.identity((frames,))
        if name in turns:
            rotations[:, joint] = rotation.multiply(rotation.conjugate(above), turns[name])
        if body.hinges[joint] and parent >= 0:
            angles = np.clip(rotation.hinge_angle(rotations[:, joint]), *body.limits[joint, 1])
            rotations[:, joint] = rotation.from_axis_angle(LEFT, angles)
        world[:, joint] = rotation.multiply(above, rotations[:, joint])
    return rotation.normalize(rotation.make_continuous(rotations))


def _legs_within_limits(body: Body, person: Person) -> dict[str, Array]:
    """Thighs and shins, (F, 4) world, with knees that bend no further than the body's.

    In a deep squat people bend them further than that. The thigh is then turned so that the ankle stays in the same direction from the hip, only
    farther away.
    """
    turns = {}
    for side in "LR":
        shin = body.names.index(f"shin.{side}")
        thigh = person.turns[f"thigh.{side}"]
        angles = rotation.hinge_angle(rotation.multiply(rotation.conjugate(thigh), person.turns[f"shin.{side}"]))
        limited = np.minimum(angles, body.limits[shin, 1, 1])
        lengths = [float(np.linalg.norm(body.offsets[link])) for link in (shin, body.names.index(f"foot.{side}"))]
        back = rotation.from_axis_angle(LEFT, lead(angles, *lengths) - lead(limited, *lengths))
        beyond = (angles > limited)[:, None]
        turns[f"thigh.{side}"] = np.where(beyond, rotation.multiply(thigh, back), thigh)
        bent = rotation.multiply(turns[f"thigh.{side}"], rotation.from_axis_angle(LEFT, limited))
        turns[f"shin.{side}"] = np.where(beyond, bent, person.turns[f"shin.{side}"])
    return turns


def _lift(person: Person, body: Body, positions: Array, scale: float) -> Array:
    """(F,) metres by which the body must rise so that its ankles, the lower one above all, are as high as in the clip, in proportion."""
    own, new = foot_of(person)["height"], -float(body.sole_points[body.sole_links == body.names.index("foot.L"), 2].min())
    heights = np.stack([person.places[f"foot.{side}"][:, 2] for side in "LR"], axis=-1)
    reached = positions[:, [body.names.index(f"foot.{side}") for side in "LR"], 2]
    weights = np.exp(-(heights - heights.min(axis=-1, keepdims=True)) / ANKLE_RANGE)
    missing = (heights - own) * scale + new - reached
    return (weights * missing).sum(axis=-1) / weights.sum(axis=-1)
