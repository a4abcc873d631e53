"""From acting to walking and back: somebody whose feet go on stepping, left and right in turn, walks; and who stands again may act again."""

from __future__ import annotations

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..body import Body
from ..feet import link
from ..feet.legs import feet_of, reaching
from ..motion import Motion
from ..signals import smooth_step
from .footwork import begins_walking, turns_taken
from .hearing import Hearing
from .recording import Layout
from .strides import Figure, Row, Strider

SURE, SURE_OF_ACTION = 2, 3  # swings, left and right in turn, from which on it is a walk: usually, and while an action is recognised
OVER_S, LEGS_S = 0.3, 0.12  # s in which a character goes over from one to the other, and in which its feet do


class _Way:
    """How a motion lies in the world: turned by ``turn`` rad about the vertical, and moved by ``shift`` (2,) m."""

    def __init__(self, turn: float = 0.0, shift: Array | None = None) -> None:
        self.turn, self.shift = turn, np.zeros(2) if shift is None else shift

    @classmethod
    def onto(cls, here: Array, heading: float, there: Array, there_heading: float) -> _Way:
        """The one that takes a place (2,) and a heading onto others."""
        turn = there_heading - heading
        return cls(turn, there - _turned(here, turn))

    def of(self, root: Array, rotations: Array) -> tuple[Array, Array]:
        """A pose, root (3,) and rotations (J, 4), in the world."""
        turned, moved = rotations.copy(), root.copy()
        turned[0] = rotation.multiply(rotation.from_axis_angle((0.0, 0.0, 1.0), self.turn), rotations[0])
        moved[:2] = _turned(root[:2], self.turn) + self.shift
        return moved, turned

    def back(self, places: Array) -> Array:
        """(..., 2) m of the motion that are at places (..., 2) of the world."""
        return _turned(places - self.shift, -self.turn)


class HandOver:
    """Hears what an actor hears, and leads its poses over into a walk where somebody walks."""

    def __init__(self, body: Body, layout: Layout, *, fps: float, calibrated: bool = True, step_width: float = 0.0, arm_spread: float = 0.0) -> None:
        self.body, self.fps = body, fps
        self.hearing = Hearing(layout, calibrated)
        self.strider = Strider(body, manner=self.hearing.manner, step_width=step_width)
        self._figure = Figure(body, self.strider.cycle, arm_spread)
        self._start: float | None = None
        self._began = False
        self.walks, self._share, self._legs = False, 0.0, 0.0
        self._acted, self._walked = _Way(), _Way()

    def hear(self, time: float, frame: Array) -> None:
        """A frame, pressures (S,), that was felt at a time (s)."""
        if self._start is None:
            self._start = time
        self.hearing.hear(time - self._start, frame)

    def led(self, times: Array, roots: Array, rotations: Array, stands: Bools, acts: bool) -> tuple[Array, Array, Bools, list[bool]]:
        """The next poses of an actor, at times (N,) s: roots (N, 3), rotations (N, J, 4) and stands (N, 2), as they are shown, and which walk.
        ``acts``: whether they are an action's."""
        assert self._start is not None
        footwork = self.hearing.footwork()
        rows: list[Row] = []
        shares, ways = np.zeros((len(times), 2)), []
        for number, time in enumerate(times - self._start):
            taken = turns_taken(footwork, float(time))
            if not self._began:
                self._began = True
                if begins_walking(footwork):
                    self.strider.warm_up(footwork, self.fps)
                    self.walks, self._share, self._legs = True, 1.0, 1.0
                    self._walked = _Way.onto(np.zeros(2), 0.0, roots[number, :2], float(rotation.heading(rotations[number, 0])))
            elif not self.walks and taken >= (SURE_OF_ACTION if acts else SURE):
                self._begin(*self._acted.of(roots[number], rotations[number]))
            elif self.walks and acts and not taken:
                self._end(roots[number], rotations[number])
            rows.append(self.strider.go_on(footwork, float(time)))
            side = 1.0 if self.walks else -1.0
            self._share = min(max(self._share + side / (OVER_S * self.fps), 0.0), 1.0)
            self._legs = min(max(self._legs + side / (LEGS_S * self.fps), 0.0), 1.0)
            shares[number] = smooth_step([self._share, self._legs])
            ways.append((self._acted, self._walked))
        return self._shown(rows, shares, ways, roots, rotations, stands)

    def _begin(self, root: Array, rotations: Array) -> None:
        """The walk begins where the character is: root (3,) and rotations (J, 4) in the world."""
        positions, _ = self.body.skeleton.forward_kinematics(root[None], rotations[None])
        feet = positions[0, [link(self.body, "foot", foot) for foot in (0, 1)], :2]
        heading = float(rotation.heading(rotations[0]))
        self._walked = _Way(heading, feet.mean(axis=0))
        self.strider.stand(self._walked.back(feet), self._walked.back(root[:2]))
        self.walks = True

    def _end(self, root: Array, rotations: Array) -> None:
        """Actions, of which the next pose is this, go on where the character is."""
        positions, _ = self.body.skeleton.forward_kinematics(root[None], rotations[None])
        feet = positions[0, [link(self.body, "foot", foot) for foot in (0, 1)], :2].mean(axis=0)
        here = self._walked.shift + _turned(self.strider.middle, self._walked.turn)
        self._acted = _Way.onto(feet, float(rotation.heading(rotations[0])), here, self._walked.turn)
        self.walks = False

    def _shown(self, rows: list[Row], shares: Array, ways: list[tuple[_Way, _Way]], roots: Array, rotations: Array,
               stands: Bools) -> tuple[Array, Array, Bools, list[bool]]:
        roots, rotations, stands = roots.copy(), rotations.copy(), stands.copy()
        for number, (way, _) in enumerate(ways):
            roots[number], rotations[number] = way.of(roots[number], rotations[number])
        on = np.flatnonzero(shares.max(axis=1) > 0.0)
        if len(on):
            walk = self._figure.poses([rows[number] for number in on], self.fps)
            for index, number in enumerate(on.tolist()):
                walk.root_positions[index], walk.rotations[index] = ways[number][1].of(walk.root_positions[index], walk.rotations[index])
            acted = Motion(self.body.skeleton, self.fps, roots[on], rotation.normalize(rotations[on]))
            over = self._over(acted, walk, shares[on])
            roots[on], rotations[on] = over.root_positions, over.rotations
            mostly = on[shares[on, 1] > 0.5]
            stands[mostly] = [rows[number].down for number in mostly.tolist()]
        return roots, rotations, stands, [bool(share > 0.5) for share in shares[:, 1]]

    def _over(self, acted: Motion, walk: Motion, shares: Array) -> Motion:
        """Both motions, the walk with shares (N, 2) of the body and of the feet."""
        if (shares == 1.0).all():
            return walk
        body, feet = shares.T
        between = acted.blend(walk, body)
        ones, others = (feet_of(self.body, motion) for motion in (acted, walk))
        ankles, toes = (one + feet.reshape(-1, *[1] * (one.ndim - 1)) * (other - one) for one, other in zip(ones[::2], others[::2], strict=True))
        return reaching(self.body, between, ankles, rotation.slerp(ones[1], others[1], feet[:, None]), toes)


def _turned(places: Array, turn: float) -> Array:
    """(..., 2) places (..., 2) turned by rad about the origin."""
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([c * places[..., 0] - s * places[..., 1], s * places[..., 0] + c * places[..., 1]], axis=-1)
