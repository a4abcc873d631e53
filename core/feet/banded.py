"""Equations of values that go smoothly from frame to frame: each frame is tied to the two before it and the two after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import Array

ITERATIONS, TRIES = 40, 10  # steps of a search, and how often a step is made smaller
ENOUGH = 1e-4  # by which a step must lower the sum, for the search to go on
LARGEST = 0.15  # of any value in one step

@dataclass
class Banded:
    """A symmetric form over F frames of K values: ``near`` (F, K) ties each value to itself, ``next`` (F − 1, K) to the same one a frame later,
    ``second`` (F − 2, K) two frames later."""

    near: Array
    next: Array
    second: Array

    @classmethod
    def of(cls, frames: int, values: int) -> Banded:
        return cls(np.zeros((frames, values)), np.zeros((max(0, frames - 1), values)), np.zeros((max(0, frames - 2), values)))

    def still(self, weights: Array) -> None:
        """Add what it costs to change from one frame to the next: weights (F − 1, K)."""
        self.near[:-1] += weights
        self.near[1:] += weights
        self.next -= weights

    def even(self, weights: Array) -> None:
        """Add what it costs to change at another rate from one frame to the next: weights (F − 2, K)."""
        for start, share in ((0, 1.0), (1, 4.0), (2, 1.0)):
            self.near[start:start + len(weights)] += share * weights
        self.next[:-1] -= 2.0 * weights
        self.next[1:] -= 2.0 * weights
        self.second += weights

    def times(self, values: Array) -> Array:
        """(F, K) the form times values (F, K)."""
        product = self.near * values
        for ahead, ties in ((1, self.next), (2, self.second)):
            product[:-ahead] += ties * values[ahead:]
            product[ahead:] += ties * values[:-ahead]
        return product

    def least(self, values: Array, pull: Array, cost: Callable[[Array], float], slope: Callable[[Array], tuple[Array, Array]]) -> tuple[Array, float]:
        """Values (F, K) for which half their product with this form and themselves, less that with ``pull`` (F, K), and ``cost`` are least together,
        and that sum; looked for from ``values`` on. ``slope``: how the cost changes with each value, (F, K), and about how that does, (F, K, K)."""
        def total(values: Array) -> float:
            return float(np.sum(values * (0.5 * self.times(values) - pull))) + cost(values)

        least, damping = total(values), 1e-3
        for _ in range(ITERATIONS):
            rate, curve = slope(values)
            rate += self.times(values) - pull
            before = least
            for _ in range(TRIES):
                step = self.solved(curve + damping * np.eye(values.shape[1]), -rate)
                step *= min(1.0, LARGEST / max(1e-12, float(np.abs(step).max())))
                if (there := total(values + step)) < least:
                    values, least, damping = values + step, there, max(1e-4, 0.3 * damping)
                    break
                damping *= 10.0
            if before - least < ENOUGH:
                break
        return values, least

    def solved(self, more: Array, wanted: Array) -> Array:
        """(F, K) values whose product with this form is ``wanted`` (F, K), when ``more`` (F, K, K) is added to what ties each frame to itself."""
        frames, size = wanted.shape
        even = frames + frames % 2
        diagonal = np.zeros((even, size, size))
        diagonal[:] = np.eye(size)  # a frame too many stays as it is
        diagonal[:frames] = more + np.eye(size) * self.near[:, None]
        each = np.arange(size)
        # Two frames are one block: then a block is tied to its neighbours only.
        blocks, ties = np.zeros((even // 2, 2 * size, 2 * size)), np.zeros((even // 2 - 1, 2 * size, 2 * size))
        blocks[:, :size, :size], blocks[:, size:, size:] = diagonal[::2], diagonal[1::2]
        inside = self.next[::2]
        blocks[:len(inside), each, size + each] = blocks[:len(inside), size + each, each] = inside
        between, left, right = self.next[1::2], self.second[::2], self.second[1::2]
        ties[:len(between), size + each, each] = between
        ties[:len(left), each, each] = left
        ties[:len(right), size + each, size + each] = right
        sides = np.zeros((even, size))
        sides[:frames] = wanted
        return _tridiagonal(blocks, ties, sides.reshape(even // 2, 2 * size)).reshape(even, size)[:frames]


def _tridiagonal(blocks: Array, ties: Array, sides: Array) -> Array:
    """(N, M) x with blocks (N, M, M) on the diagonal, ties (N − 1, M, M) right of it and their transposes left of it."""
    reduced, onward = np.empty_like(sides), np.empty_like(ties)
    block, side = blocks[0], sides[0]
    for row in range(len(blocks)):
        if row:
            block, side = blocks[row] - ties[row - 1].T @ onward[row - 1], sides[row] - ties[row - 1].T @ reduced[row - 1]
        if row < len(ties):
            both = np.linalg.solve(block, np.concatenate([side[:, None], ties[row]], axis=1))
            reduced[row], onward[row] = both[:, 0], both[:, 1:]
        else:
            reduced[row] = np.linalg.solve(block, side)
    for row in range(len(blocks) - 2, -1, -1):
        reduced[row] -= onward[row] @ reduced[row + 1]
    return reduced
