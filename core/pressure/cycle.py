"""The cycle of a walk: this project's own, as presets/stride.json has it at several speeds, for a body of any size.

A cycle goes from a strike of the left foot (0) to its next one (1); the right foot strikes at 0.5, and feet are lifted ``lift`` after the strike of
the other one. Bodies walk alike at the same dimensionless speed, v/√(g·leg); who stands still has the mean pose of the slowest walk.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from .. import presets, rotation
from ..arrays import Array
from ..body import Body
from ..measure.by_speed import LEG, OWN_SPEED
from ..skeleton import mirror_name

OWN_CADENCE = 112.0 / 60.0  # steps a second of people with legs of LEG at OWN_SPEED
LONGEST = 1.0  # leg lengths of a step, at most
ACROSS = (-1.0, 1.0, -1.0)  # what becomes of a turn in a mirror


class Cycle:
    """The walk of one body."""

    def __init__(self, body: Body) -> None:
        data = presets.read_json(presets.FOLDER / "stride.json")
        self.body, self.lift = body, float(data["lift"])
        self._size, self._rows = body.leg_length / data["leg_length"], data["speeds"]
        speeds = np.array([0.0, *(row["speed"] for row in self._rows)])
        self._speeds = speeds * self._size**0.5

    def of(self, get: Any) -> Array:
        """(S, ...) what ``get`` takes from the table, for each of its speeds and, first, for who stands."""
        rows = [np.array(get(row), dtype=float) for row in self._rows]
        still = rows[0].copy()
        if still.ndim > 1:
            still[1:] = 0.0  # without its waves
        return np.stack([still, *rows])

    @cached_property
    def _turns(self) -> Array:
        """(S, W, 3 N) of the N links in the table."""
        return self.of(lambda row: np.concatenate([row["turns"][name] for name in self._turned], axis=1))

    @property
    def _turned(self) -> list[str]:
        return list(self._rows[0]["turns"])

    @cached_property
    def _pelvis(self) -> Array:
        found = self.of(lambda row: row["pelvis"]) * self._size
        found[0] = 0.0
        return found

    @cached_property
    def _swing(self) -> tuple[Array, Array, Array]:
        pitch = self.of(lambda row: row["pitch"])
        pitch[0] = 0.0
        return self.of(lambda row: row["way"]), self.of(lambda row: row["rise"]) * self._size, pitch

    @cached_property
    def _tilts(self) -> Array:
        found = self.of(lambda row: (row["off"], row["strike"]))
        found[0] = 0.0
        return found

    @cached_property
    def _ahead(self) -> Array:
        found = self.of(lambda row: row["ahead"])
        found[0] = 0.5
        return found

    @cached_property
    def step_width(self) -> float:
        """m from ankle to ankle, across."""
        return float(self._size * np.mean([row["step_width"] for row in self._rows]))

    def step_length(self, seconds: float) -> float:
        """m of a step that takes so long: people's steps are the longer the quicker they are, by a ratio that stays (Sekiya and Nagasaki 1998)."""
        size = self.body.leg_length / LEG
        usual, seconds_alike = OWN_SPEED / OWN_CADENCE, seconds / size**0.5
        return min(size * usual / (seconds_alike * OWN_CADENCE), LONGEST * self.body.leg_length)

    def weights(self, speeds: Array) -> Array:
        """(T, S) how much of each row of the table there is at speeds (T,) m/s."""
        at = np.clip(np.interp(speeds, self._speeds, np.arange(len(self._speeds))), 0.0, len(self._speeds) - 1)
        return np.maximum(0.0, 1.0 - np.abs(at[:, None] - np.arange(len(self._speeds))))

    def turns(self, weights: Array, phases: Array) -> Array:
        """(T, L, 4) rotations of the links at phases (T,) of the cycle; of feet and toes none."""
        found = rotation.identity((len(phases), len(self.body.names)))
        left, right = (rotation.exp(_mixed(self._turns, weights, _waves(at)).reshape(len(phases), -1, 3) * side)
                       for at, side in ((phases, 1.0), (phases + 0.5, ACROSS)))
        for number, name in enumerate(self._turned):
            found[:, self.body.names.index(name)] = left[:, number]
            if name.endswith(".L"):
                found[:, self.body.names.index(mirror_name(name))] = right[:, number]
        return found

    def pelvis(self, weights: Array, phases: Array) -> Array:
        """(T, 3) m by which the pelvis is beside its even way, at the height in which it stands."""
        return _mixed(self._pelvis, weights, _waves(phases))

    def tilts(self, weights: Array) -> tuple[Array, Array]:
        """(T,) rad by which the heel of a foot is up at its lift, and (T,) at its strike, where its toes are: below 0."""
        off, strike = (weights @ self._tilts).T
        return off, strike

    def ahead(self, speed: float) -> float:
        """Where the pelvis is at a strike, from the foot behind (0) to that in front (1)."""
        return float(self.weights(np.array([speed]))[0] @ self._ahead)

    def swing(self, weights: Array, parts: Array) -> tuple[Array, Array, Array]:
        """(T, N) how much of its way each of N feet has made, (T, N) m how high the lowest point of its sole is, and (T, N) rad by which its pitch
        differs from an even change, at parts (T, N) of its swing."""
        basis = (parts * (1.0 - parts))[..., None] * parts[..., None] ** np.arange(self._swing[0].shape[1])
        way, rise, pitch = (((weights @ table)[:, None] * basis).sum(axis=-1) for table in self._swing)
        return parts + way, np.maximum(rise, 0.0), pitch


def _waves(phases: Array) -> Array:
    """(T, W) a constant, cosines and sines at phases (T,)."""
    number = (_COUNT - 1) // 2
    angles = 2.0 * np.pi * np.outer(phases, np.arange(1, number + 1))
    return np.concatenate([np.ones((len(phases), 1)), np.cos(angles), np.sin(angles)], axis=1)


_COUNT = 19  # waves of the table


def _mixed(table: Array, weights: Array, waves: Array) -> Array:
    """(T, K) of a table (S, W, K)."""
    both = weights[:, :, None] * waves[:, None]
    return both.reshape(len(both), -1) @ table.reshape(-1, table.shape[-1])
