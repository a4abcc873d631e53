"""Cost: how far rollouts are from what the body is to do, and what a plan's own unrest costs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .. import rotation
from ..arrays import Array, Bools
from ..physics.rollouts import Rollouts
from .aim import FPS, Aim, center_of_mass
from .settings import Preset

# The part of the body that each kind of link belongs to, by whose weight it counts.
PARTS = {"pelvis": "trunk", "torso": "trunk", "head": "head", "thigh": "feet", "shin": "feet", "foot": "feet", "toes": "feet",
         "upper_arm": "hands", "forearm": "hands"}
FALL_S = 0.32  # s, in which a body falls over its foot: √(height / gravity)
HOPELESS = 1e6  # cost of a plan with which the engine goes wild
LOW = 0.015  # m over the floor, up to which a corner of a sole stands, or is about to


class Cost:
    """Judges rollouts against an aim."""

    def __init__(self, aim: Aim, preset: Preset, weights: Mapping[str, float], freedom: float, spread: Array, struck: bool = False):
        """``weights``: of "feet", "hands", "head", "trunk". ``freedom``: 0 sticks to the clip, 1 leaves poses alone where balance asks for it.
        ``spread``: (D,) rad of a plan's offsets. ``struck``: whether the body is hit, and cannot be where the clip has it."""
        body, costs, turns = aim.body, preset.costs, preset.turns
        self._costs = costs
        self._aim, self._spread, self._struck = aim, spread, struck
        self.limits = preset.limits(struck)
        self._spins = rotation.rotate(aim.rotations[:, 0], aim.rates[:, 0])
        kinds = [name.split(".")[0] for name in body.names]
        links = np.array([turns[kind] * weights[PARTS[kind]] for kind in kinds])
        usual = sum(turns[kind] for kind in kinds)
        # The usual freedom of 0.3 changes nothing; from one end of the slider to the other poses lose to a ninth of their weight.
        self._pose = costs.turn * 3.0 ** (0.6 - 2.0 * freedom)
        self._links = links / usual
        self._feet = [i for i, kind in enumerate(kinds) if kind in ("foot", "toes")]
        stands = np.stack([aim.planted[:, "LR".index(body.names[i][-1])] for i in self._feet], axis=1)
        self._stands = np.concatenate([stands[:1] & False, stands[1:] & stands[:-1]]) * (costs.slide * weights["feet"] / len(self._feet))
        self._ends = [i for i, kind in enumerate(kinds) if kind in ("forearm", "head")]
        self._end_weights = np.array([weights[PARTS[kinds[i]]] for i in self._ends]) / len(self._ends)
        self._drag_weight = costs.drag * weights["feet"]
        self._foot_weight = costs.feet * weights["feet"] / len(self._feet)
        # Where the clip bends a joint further than the tables of joints allow, the clip is believed.
        bounds, own = np.sin(body.limits[1:] / 2.0), _axes(aim.rotations[:, 1:])
        self._low, self._high = np.minimum(bounds[..., 0], own.min(axis=0)), np.maximum(bounds[..., 1], own.max(axis=0))

    def frames(self, first: int, found: Rollouts) -> Array:
        """(N, S) cost of each frame of rollouts whose first segment ends at frame ``first``."""
        aim, costs = self._aim, self._costs
        at = np.minimum(first + np.arange(found.positions.shape[1]), aim.frames - 1)
        positions, orientations = aim.body.skeleton.forward_kinematics(found.positions, found.rotations)
        com = center_of_mass(aim.body, positions, orientations)
        cosines = (orientations * aim.orientations[at]).sum(axis=-1)
        turned = (4.0 * np.maximum(0.0, 1.0 - cosines**2)) @ self._links
        away = com - aim.com[at]
        slip = np.diff(away, axis=1) * FPS
        slip = np.concatenate([slip[:, :1], slip], axis=1)
        caught = away[..., :2] + FALL_S * slip[..., :2]
        stepped = positions[:, :, self._feet] - aim.positions[at][:, self._feet]
        if self._struck:
            # Feet belong not where the clip has them but where they catch the body.
            stepped[..., :2] -= caught[:, :, None]
        feet = (stepped**2).sum(axis=(-1, -2))
        slides = np.zeros(feet.shape)
        if self._struck:
            slides[:, 1:] = self._dragged(positions, orientations)
        else:
            slides[:, 1:] = (((np.diff(positions[:, :, self._feet, :2], axis=1) * FPS) ** 2).sum(axis=-1) * self._stands[at[1:]]).sum(axis=-1)
        spin = ((found.angular_velocities - self._spins[at]) ** 2).sum(axis=-1)
        ends = ((positions[:, :, self._ends] - aim.positions[at][:, self._ends] - away[:, :, None]) ** 2).sum(axis=-1) @ self._end_weights
        joints = _axes(found.rotations[:, :, 1:])
        beyond = np.maximum(0.0, self._low - joints) + np.maximum(0.0, joints - self._high)
        return (self._pose * (turned + costs.ends * ends) + costs.place * self._place(away) + costs.speed * (slip**2).sum(axis=-1)
                + costs.capture * self._place(caught) + self._foot_weight * feet + slides + costs.spin * spin
                + costs.limit * 4.0 * (beyond**2).sum(axis=(-1, -2)))

    def _dragged(self, positions: Array, orientations: Array) -> Array:
        """(N, S − 1) cost of soles that move along the floor: a body that was hit steps where the clip does not. (Hits are on a level floor at 0.)"""
        links = self._aim.body.sole_links
        corners = positions[:, :, links] + rotation.rotate(orientations[:, :, links], self._aim.body.sole_points)
        low = corners[..., 2] < LOW
        speeds = ((np.diff(corners[..., :2], axis=1) * FPS) ** 2).sum(axis=-1)
        return self._drag_weight * np.where(low[:, 1:] & low[:, :-1], speeds, 0.0).mean(axis=-1)

    def _place(self, away: Array) -> Array:
        """(...) m², squares of ways (..., K) m. Of a body that was hit, ways that are longer than ``costs.forgiven`` count in proportion only."""
        squares, near = (away**2).sum(axis=-1), self._costs.forgiven
        return 2.0 * near**2 * (np.sqrt(1.0 + squares / near**2) - 1.0) if self._struck else squares

    def plans(self, before: Array, knots: Array) -> Array:
        """(N,) cost of plans (N, H, D) rad that follow an offset ``before`` (N, D)."""
        changes = np.diff(np.concatenate([before[:, None], knots], axis=1), axis=1)
        costs = self._costs
        return costs.bent * ((knots / self._spread) ** 2).mean(axis=(1, 2)) + costs.uneven * ((changes / self._spread) ** 2).mean(axis=(1, 2))

    def distance(self, frame: int, position: Array, rotations: Array) -> tuple[Array, Array, Bools]:
        """How far poses (N, 3), (N, L, 4) are from the clip's at ``frame``: (N,) m, mean over the joints without the drift; (N,) m, the drift of the
        pelvis along the ground; and (N,) whether that is so far that the clip is lost."""
        aim, limits, frame = self._aim, self.limits, min(frame, self._aim.frames - 1)
        positions, _ = aim.body.skeleton.forward_kinematics(position, rotations)
        away = positions - aim.positions[frame]
        drift = away[:, 0, :2].copy()
        away[..., :2] -= drift[:, None]
        distance, drift = np.linalg.norm(away, axis=-1).mean(axis=-1), np.linalg.norm(drift, axis=-1)
        return distance, drift, ~((distance < limits.far) & (drift < limits.astray) & (away[:, 0, 2] > -limits.down))


def _axes(rotations: Array) -> Array:
    """(..., 3) sines of half the turns about x, y, z, of rotations (..., 4)."""
    return rotations[..., 1:] * np.copysign(1.0, rotations[..., :1])
