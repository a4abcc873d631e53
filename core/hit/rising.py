"""Rising: how a body that lies gets up as somebody in a recording does.

Of the recordings that are given, and their mirror images, the moment is looked for at which the person lies most like the body, wherever it lies
and whichever way it is turned on the ground. The body goes over into that moment, and follows the recording until it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from .. import rotation
from ..arrays import Array
from ..body import Body
from ..errors import JobError
from ..motion import Motion
from ..plan.support import lowest_points
from ..reference import RATE, Reference, mirrored
from ..reference.fragments import cut
from ..reference.recordings import Recording, reference_of
from ..reference.rises import Rise, rise_of
from ..signals import envelope, smooth_step
from .settings import RISE


@dataclass(frozen=True)
class Rising:
    """A body that gets up as a recording does; what a plan is made for.

    Attributes:
        path: of the recording. repair: interpolate where it has dropped out. mirrored: left and right are exchanged.
        moment: s of the recording into which the body goes over. seconds: that this takes.
        turn, shift: rad about the vertical, and m (x, y), by which the recording is turned and then moved to where the body lies.
        root, rotations: (3,) m and (L, 4), the body as it lies, in numbers.
        away: m that the joints of the body are from those of the recording at that moment, on average.
    """

    path: str
    repair: bool
    mirrored: bool
    moment: float
    seconds: float
    turn: float
    shift: tuple[float, float]
    root: tuple[float, ...]
    rotations: tuple[tuple[float, ...], ...]
    away: float

    @property
    def name(self) -> str:
        return Recording(self.path).name

    def reference(self, body: Body, seconds: float) -> Reference:
        """From how the body lies to how the recording stands, where the body lies; ``seconds`` of it at most."""
        recorded, rise = _way_up(self.path, self.repair, self.mirrored, body)
        first, over = round(self.moment * RATE), round(self.seconds * RATE)
        run_up = min(over, round(RISE.run_up_s * RATE))  # frames in which the recording moves already while the body still goes over into it
        frames = np.arange(over - run_up + rise.stands - first + 1)
        at = first + np.maximum(0, frames - (over - run_up))
        turn = rotation.from_axis_angle((0.0, 0.0, 1.0), self.turn)
        roots = rotation.rotate(turn, recorded.motion.root_positions[at]) + (*self.shift, 0.0)
        rotations = recorded.motion.rotations[at].copy()
        rotations[:, 0] = rotation.multiply(turn, rotations[:, 0])
        goal = Motion(body.skeleton, RATE, roots, rotations)
        lies = Motion(body.skeleton, RATE, np.repeat([self.root], len(frames), axis=0), np.repeat([self.rotations], len(frames), axis=0))
        motion = on_the_ground(body, lies.blend(goal, smooth_step(frames / over))).slice(0.0, seconds)
        later = over - run_up - first
        stances = [replace(stance, start=max(stance.start + later, over), end=stance.end + later)
                   for stance in recorded.stances if stance.end + later > over and stance.start + later < motion.frames]
        return replace(recorded, name=self.name, motion=motion, stances=stances, fragments=cut(motion, stances))


def rising(paths: Sequence[str], repair: bool, body: Body, root: Array, rotations: Array) -> Rising:
    """How a body that lies with the pelvis at ``root`` (3,) m and joints at ``rotations`` (L, 4) gets up: with the recording, and from the moment of
    it, that is nearest to how it lies."""
    places = body.skeleton.forward_kinematics(root, rotations)[0]
    found: list[Rising] = []
    for path in paths:
        for side in (False, True):
            reference, rise = _way_up(path, repair, side, body)
            motion, lying = reference.motion, slice(rise.lies, rise.rises)
            angles, shifts, away = _fitted(motion.world()[0][lying], places)
            turns = rotation.from_axis_angle((0.0, 0.0, 1.0), angles)
            trunk = rotation.multiply(rotation.conjugate(rotation.multiply(turns, motion.rotations[lying, 0])), rotations[0])
            twisted = np.linalg.norm(rotation.log(trunk), axis=-1)
            waits = (np.arange(rise.rises, rise.lies, -1) - 1.0) / RATE
            best = int(np.argmin(away + RISE.turn_m * twisted + RISE.wait_m_s * waits))
            bent = rotation.multiply(rotation.conjugate(motion.rotations[rise.lies + best, 1:]), rotations[1:])
            seconds = max(RISE.shortest_s, float(twisted[best]) / RISE.rolls, float(np.linalg.norm(rotation.log(bent), axis=-1).max()) / RISE.moves)
            x, y = shifts[best]
            found.append(Rising(path, repair, side, (rise.lies + best) / RATE, seconds, float(angles[best]), (float(x), float(y)),
                                tuple(map(float, root)), tuple(tuple(map(float, row)) for row in rotations),
                                float(away[best] + RISE.turn_m * twisted[best])))
    return min(found, key=lambda one: one.away)


def refuse_others(paths: Sequence[str], repair: bool, body: Body) -> None:
    """Say so where one of the recordings is none of somebody who gets up."""
    for path in paths:
        _way_up(path, repair, False, body)


def _way_up(path: str, repair: bool, side: bool, body: Body) -> tuple[Reference, Rise]:
    """The recording on a body, mirrored if ``side``, and when its person gets up."""
    reference = reference_of(Recording(path, repair), body)
    found = _rise_of(reference)
    if found is None:
        raise JobError(f"'{reference.name}' is no recording of getting up: nobody lies and then stands in it. Take another one.")
    return mirrored(reference) if side else reference, found


_rise_of = lru_cache(maxsize=16)(rise_of)


def _fitted(poses: Array, places: Array) -> tuple[Array, Array, Array]:
    """Joints of poses (F, L, 3) m brought nearest to those at ``places`` (L, 3) by a turn about the vertical and a move on the ground: (F,) rad,
    (F, 2) m, and (F,) m that they are still away, on average."""
    own, other = poses[..., 0] + 1j * poses[..., 1], places[:, 0] + 1j * places[:, 1]
    middle, there = own.mean(axis=1, keepdims=True), other.mean()
    turn = np.exp(1j * np.angle(((own - middle).conj() * (other - there)).sum(axis=1, keepdims=True)))
    moved = turn * (own - middle) + there
    shift = (there - turn * middle)[:, 0]
    away = np.sqrt(np.abs(moved - other) ** 2 + (poses[..., 2] - places[:, 2]) ** 2).mean(axis=1)
    return np.angle(turn[:, 0]), np.stack([shift.real, shift.imag], axis=-1), away


def on_the_ground(body: Body, motion: Motion) -> Motion:
    """The motion, lifted where a link but the feet would be in the ground, and at its beginning no higher than it has to."""
    links, spots = lowest_points(body, *motion.world())
    others = ~np.isin(links, [i for i, name in enumerate(body.names) if name.startswith(("foot", "toes"))])
    deep = np.maximum(0.0, -spots[:, others, 2].min(axis=1))
    ahead = smooth_step(np.arange(motion.frames) / (RISE.lift_s * motion.fps))
    lift = np.maximum(deep, ahead * envelope(deep, RISE.lift_s * motion.fps))
    return motion.displace(np.outer(lift, (0.0, 0.0, 1.0)))
