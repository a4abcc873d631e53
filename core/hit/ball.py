"""A ball that is thrown at a clip: where it meets the body, what it gives to it, and how it flies on.

The body is where the clip has it: what an earlier hit has made of it is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import rotation
from ..body import Body
from ..job import in_world
from ..motion import Motion
from .flinch import Hit

RATE = 480.0  # moments a second
CONTACT_S = 0.03  # s that a ball presses
BOUNCE, ROLL = 0.4, 0.8  # of the speed into a body or the floor, and along the floor, that is left
AFTER_S = 5.0  # s that its way is known beyond the clip
GRAVITY = np.array([0.0, 0.0, -9.81])


@dataclass
class Flight:
    """Where a ball is from ``time`` (s) on, ``path`` (T, 3) m, world, ``RATE`` times a second; and the hit that it gives, if it meets the body."""

    time: float
    path: np.ndarray
    hit: Hit | None

    def at(self, times: np.ndarray) -> np.ndarray:
        """(N, 3) m at (N,) s: before it is thrown it waits, at the end it lies."""
        moments = np.clip((times - self.time) * RATE, 0.0, len(self.path) - 1)
        return np.stack([np.interp(moments, np.arange(len(self.path)), axis) for axis in self.path.T], axis=1)


def thrown(body: Body, clip: Motion, event: dict) -> Flight:
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
            velocity = velocity * (ROLL, ROLL, -BOUNCE if velocity[2] < -0.5 else 0.0)
        if hit is None and time + step / RATE < clip.duration:
            meets = _met(body, positions[step], orientations[step], place, radius)
            if meets:
                link, normal, point = meets
                moving = (_world(positions[step + 1], orientations[step + 1], link, point) - _world(positions[step], orientations[step], link, point)) * RATE
                closing = float((velocity - moving) @ normal)
                if closing < 0.0:
                    heavy = _moved_with(body, link)
                    impulse = -(1.0 + BOUNCE) * closing * mass * heavy / (mass + heavy)
                    velocity = velocity + impulse / mass * normal
                    hit = Hit(time + step / RATE, CONTACT_S, body.names[link], tuple((-impulse / CONTACT_S * normal).tolist()))
        path.append(place)
    return Flight(time, np.array(path), hit)


def _start(body: Body, clip: Motion, event: dict) -> tuple[np.ndarray, np.ndarray]:
    """m and m/s, world. A ball with a ``part`` is thrown as fast as it says, so that it meets that part."""
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


def _met(body: Body, positions: np.ndarray, orientations: np.ndarray, place: np.ndarray, radius: float) -> tuple[int, np.ndarray, np.ndarray] | None:
    """The link that a ball touches, the normal (3,) out of it, world, and the point (3,) in its frame; None where it touches none."""
    centers = np.array([shape.center for shape in body.shapes])
    halves = np.array([shape.half_extents for shape in body.shapes])
    local = rotation.rotate(rotation.conjugate(orientations), place - positions) - centers
    points = np.clip(local, -halves, halves)
    gaps = np.linalg.norm(local - points, axis=1)
    link = int(np.argmin(gaps))
    if gaps[link] > radius:
        return None
    # From inside, where a fast ball may be found first, out the way from the middle.
    out = local[link] - points[link] if gaps[link] > 1e-6 else local[link]
    return link, rotation.rotate(orientations[link], out / max(float(np.linalg.norm(out)), 1e-9)), points[link] + centers[link]


def _world(positions: np.ndarray, orientations: np.ndarray, link: int, point: np.ndarray) -> np.ndarray:
    return positions[link] + rotation.rotate(orientations[link], point)


def _moved_with(body: Body, link: int) -> float:
    """kg that a link and its neighbours weigh: what gives way at once."""
    near = (np.arange(len(body.names)) == link) | (body.parents == link)
    near[max(int(body.parents[link]), 0)] = True
    return float(body.masses[near].sum())
