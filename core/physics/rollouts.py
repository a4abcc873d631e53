"""Many continuations of snapshots under servo targets and pushes: what a planner that samples asks of a World."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .state import Vector


@dataclass(frozen=True)
class Push:
    """A force on a link, in some segments of rollouts.

    Attributes:
        link: its index. force: N, world. point: m, in the link's own frame, as for ``World.push``; None: its centre of mass.
        first, end: the first segment with the push, and the first one after it; they may lie outside of the segments that are rolled out.
    """

    link: int
    force: Vector
    point: Vector | None
    first: int
    end: int


@dataclass(slots=True)
class Rollouts:
    """N samples at the end of each of S segments; L links, snapshots of V numbers. What became non-finite stays NaN from there on.

    Attributes:
        positions: (N, S, 3) m, world, of the pelvis joint origin.
        angular_velocities: (N, S, 3) rad/s, world, of the pelvis.
        rotations: (N, S, L, 4) w first: of the pelvis in the world, of the other links relative to their parents.
        torques: (N, S, L, 3) N·m of the servos in the last step of the segment, in their links' own frames; of the pelvis 0.
        snapshots: (N, S, V) as ``World.snapshot``.
        ok: (N,) False where anything became non-finite.
    """

    positions: np.ndarray
    rotations: np.ndarray
    angular_velocities: np.ndarray
    torques: np.ndarray
    snapshots: np.ndarray
    ok: np.ndarray

    @classmethod
    def empty(cls, samples: int, segments: int, links: int, size: int) -> Rollouts:
        """All NaN, for a World to fill in."""
        def nothing(*shape: int) -> np.ndarray:
            return np.full((samples, segments, *shape), np.nan)

        return cls(positions=nothing(3), rotations=nothing(links, 4), angular_velocities=nothing(3), torques=nothing(links, 3),
                   snapshots=nothing(size), ok=np.ones(samples, dtype=bool))
