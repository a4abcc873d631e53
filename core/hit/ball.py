"""A ball that is thrown at a clip: where it meets the body, how hard it hits, and how it flies on.

The body is where the clip has it, even if an earlier hit has moved it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from ..job import in_world
from ..motion import Motion
from .flinch import Hit

RATE = 480.0  # moments a second at which its way is computed
CONTACT_S = 0.03  # s that a ball presses
BOUNCE = 0.4  # fraction of its speed that it keeps when it bounces off a body or the floor
ROLL = 0.8  # fraction of its speed along the floor that it keeps then
SLOWEST_BOUNCE = 0.5  # m/s: a slower ball stays on the floor
AFTER_S = 5.0  # s beyond the clip for which its way is computed
GRAVITY = np.array([0.0, 0.0, -9.81])


@dataclass
class Flight:
    """Where a ball is from ``time`` (s) on, ``path`` (T, 3) m, world, ``RATE`` times a second; and the hit that it gives, if it meets the body."""

    time: float
    path: Array
    hit: Hit | None

    def at(self, times: Array) -> Array:
        """(N, 3) m at (N,) s: before it is thrown it waits where it starts, at the end it stays where it is."""
        moments = np.clip((times - self.time) * RATE, 0.0, len(self.path) - 1)
        return np.stack([np.interp(moments, np.arange(len(self.path)), axis) for axis in self.path.T], axis=1)


def thrown(body: Body, clip: Motion, event: dict[str, Any]) -> Flight:
    """The flight of a job's ball at a body that does what the clip does."""
    time, radius, mass = event["time"], event["radius"], event["mass"]
    place, velocity = _start(body, clip, event)
    steps = int((clip.duration - time + AFTER_S) * RATE)
    positions, orientations = body.skeleton.forward_kinematics(*clip.sample(time + np.arange(steps + 1) / RATE))
    path, hit = [place], None
    for step in range(steps):
        velocity = velocity + GRAVITY / RATE
        place = place + velocity / RATE
        if place[2] < radius and velocity[2] < 0.0:
            place = np.array([place[0], place[1], radius])
            velocity = velocity * (ROLL, ROLL, -BOUNCE if velocity[2] < -SLOWEST_BOUNCE else 0.0)
        if hit is None and time + step / RATE < clip.duration:
            meets = _met(body, positions[step], orientations[step], place, radius)
            if meets:
                link, normal, point = meets
                before, after = (_world(positions[at], orientations[at], link, point) for at in (step, step + 1))
                moving = (after - before) * RATE
                closing = float((velocity - moving) @ normal)
                if closing < 0.0:
                    heavy = _moved_with(body, link)
                    impulse = -(1.0 + BOUNCE) * closing * mass * heavy / (mass + heavy)
                    velocity = velocity + impulse / mass * normal
                    hit = Hit(time + step / RATE, CONTACT_S, body.names[link], tuple((-impulse / CONTACT_S * normal).tolist()))
        path.append(place)
    return Flight(time, np.array(path), hit)


def _start(body: Body, clip: Motion, event: dict[str, Any]) -> tuple[Array, Array]:
    """Where a ball starts and how fast, m and m/s, world. One with a ``part`` is thrown as fast as its velocity says, so that it meets that part."""
    root, rotations = clip.sample(event["time"])
    facing = float(rotation.heading(rotations[0]))
    place, velocity = (np.array(in_world(event, key, facing)) for key in ("position", "velocity"))
    if event["frame"] == "heading":
        place[:2] += root[:2]
    if event["part"] is not None:
        link, speed, seconds = body.names.index(event["part"]), float(np.linalg.norm(velocity)), 0.0
        for _ in range(4):  # it moves on while the ball flies
            positions, orientations = body.skeleton.forward_kinematics(*clip.sample(event["time"] + seconds))
            way = _world(positions, orientations, link, np.array(body.shapes[link].center)) - place
            seconds = float(np.linalg.norm(way)) / max(speed, 1e-3)
        velocity = way / max(seconds, 1e-6) - 0.5 * seconds * GRAVITY
    return place, velocity


def _met(body: Body, positions: Array, orientations: Array, place: Array, radius: float) -> tuple[int, Array, Array] | None:
    """The link that a ball touches, the normal (3,) out of it, world, and the point (3,) in its frame; None where it touches none."""
    centers = np.array([shape.center for shape in body.shapes])
    halves = np.array([shape.half_extents for shape in body.shapes])
    local = rotation.rotate(rotation.conjugate(orientations), place - positions) - centers
    points = np.clip(local, -halves, halves)
    gaps = np.linalg.norm(local - points, axis=1)
    link = int(np.argmin(gaps))
    if gaps[link] > radius:
        return None
    # A fast ball may be seen first when it is inside of a link: then the normal points away from the middle of the link.
    out = local[link] - points[link] if gaps[link] > 1e-6 else local[link]
    return link, rotation.rotate(orientations[link], out / max(float(np.linalg.norm(out)), 1e-9)), points[link] + centers[link]


def _world(positions: Array, orientations: Array, link: int, point: Array) -> Array:
    """(3,) m of a point in a link's frame."""
    return positions[link] + rotation.rotate(orientations[link], point)


def _moved_with(body: Body, link: int) -> float:
    """kg of a link and its neighbours: what a ball has to move at once."""
    near = (np.arange(len(body.names)) == link) | (body.parents == link)
    near[max(int(body.parents[link]), 0)] = True
    return float(body.masses[near].sum())
