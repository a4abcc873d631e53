"""How each bone of a fitted character must turn to look like the simulated body. Arrays only, no Blender."""

from __future__ import annotations

import numpy as np

from ...core import rotation
from ...core.anatomy.bones import CHAINS
from ...core.skeleton import LINKS, PARENTS
from .fit import Fit, Placement


def link_turns(fit: Fit, placement: Placement, rotations: np.ndarray) -> dict[str, np.ndarray]:
    """(F, 4) turn of every link from the character's rest pose, Blender's world axes.

    ``rotations``: (F, 15, 4) of each link relative to its parent, pelvis relative to the world, as in a Result.
    """
    into, out_of = placement.turn, rotation.conjugate(fit.placement.turn)
    world: dict[str, np.ndarray] = {}
    for index, link in enumerate(LINKS):
        world[link] = rotations[:, index] if link == "pelvis" else rotation.multiply(world[PARENTS[link]], rotations[:, index])
    # All links at once: a preview does this for every pose, and it is the calls that take their time.
    rest = np.stack([fit.rest[link] for link in world])[:, None]
    turned = rotation.multiply(rotation.multiply(into, rotation.multiply(np.stack(list(world.values())), rotation.conjugate(rest))), out_of)
    return dict(zip(world, turned, strict=True))


def bone_turns(controls: dict[str, tuple[str, ...]], turns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """(F, 4) turn from rest of each bone to be keyed, world axes. The bones of a spine or a neck each take an equal share."""
    found = {}
    for slot, names in controls.items():
        if slot not in turns:
            continue
        if slot in CHAINS:
            below = turns[PARENTS[slot]]
            for number, name in enumerate(names, start=1):
                found[name] = rotation.slerp(below, turns[slot], np.full(len(below), number / len(names)))
        else:
            found.update(dict.fromkeys(names, turns[slot]))
    return found


def link_paths(fit: Fit, placement: Placement, root_positions: np.ndarray, rotations: np.ndarray) -> dict[str, np.ndarray]:
    """(F, 3) world path of every link's joint, from (F, 3) simulated metres and (F, 15, 4) rotations as in a Result."""
    positions, _ = fit.simulated.skeleton.forward_kinematics(root_positions, rotations)
    return {link: placement.to_world(positions[:, index]) for index, link in enumerate(LINKS)}


def pose_rotations(fit: Fit, placement: Placement, turns: dict[str, np.ndarray]) -> dict[str, list[float]]:
    """A pose of the character as a job's start takes it: the reverse of ``link_turns``.

    ``turns``: (4,) of links from rest, world axes; a link that is missing keeps its parent's turn. Returned rotations are relative to the
    parent, the pelvis's to where the character looks.
    """
    out_of, into = rotation.conjugate(placement.turn), fit.placement.turn
    world: dict[str, np.ndarray] = {}
    found = {}
    for link in LINKS:
        above = world[PARENTS[link]] if link in PARENTS else rotation.identity()
        if link in turns:
            world[link] = rotation.multiply(out_of, rotation.multiply(turns[link], rotation.multiply(into, fit.rest[link])))
        else:
            world[link] = above
        own = rotation.normalize(rotation.multiply(rotation.conjugate(above), world[link]))
        found[link] = [float(value) for value in own]
    return found
