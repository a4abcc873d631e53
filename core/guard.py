"""Guard: sees when a simulated body gains energy that neither its muscles nor what hits it can have given: then the law that leads it, or the engine,
has gone wild."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays import Vector
from .dynamics import Dynamics
from .kinematics import GRAVITY
from .physics import State, World

BURST = 2.0  # J/kg that it may gain beside that, at once: a foot that is pulled off the ground, a knee that snaps straight
FASTEST = 14.0  # m/s, seen from the pelvis: nobody's hand or foot flies about faster by itself
SHORTEST_S, LONGEST_S = 1 / 30, 0.1  # s over which a rise is looked at: what is shorter may be the noise of a contact


class Guard:
    """Watches the mechanical energy of a world's body, now and then."""

    def __init__(self, world: World, power: float):
        """``power``: W/kg that its muscles can give."""
        self._dynamics, self._mass, self._power = Dynamics(world.body, world.inertias), world.body.mass, power
        self._seen: list[tuple[float, float, float]] = []  # s, J of the body, J of things
        self._places: list[Vector] = []
        self._time, self._flung = 0.0, False

    def forget(self) -> None:
        """Something pushes the body: what it gains now is not its own."""
        self._seen = []

    def wild(self, state: State, places: Sequence[Vector], masses: Sequence[float]) -> bool:
        """Whether the body has more energy than it can have, or flings its limbs about. ``places``: m of the things that move, ``masses``: kg of
        them; what they lose it may gain."""
        pose = self._dynamics.pose(state)
        body, things = self._dynamics.energy(pose), self._of_things(state.time, places, masses)
        self._seen = [seen for seen in self._seen if state.time - seen[0] <= LONGEST_S + 1e-6 or seen is self._seen[-1]]
        risen = [body - before - max(0.0, other - things) > self._mass * (BURST + self._power * (state.time - time))
                 for time, before, other in self._seen if state.time - time >= SHORTEST_S - 1e-3]
        self._seen.append((state.time, body, things))
        flung, self._flung = self._flung, bool(np.linalg.norm(pose.velocities - pose.velocities[0], axis=1).max() > FASTEST)
        return any(risen) or (flung and self._flung)  # at one moment alone it may be a light foot that meets the ground

    def _of_things(self, time: float, places: Sequence[Vector], masses: Sequence[float]) -> float:
        """J, of how things move since the last time, and of their height."""
        energy, passed = 0.0, time - self._time
        for number, (place, mass) in enumerate(zip(places, masses, strict=True)):
            energy += mass * GRAVITY * place[2]
            if number < len(self._places) and passed > 0.0:
                energy += 0.5 * mass * sum((now - before) ** 2 for now, before in zip(place, self._places[number], strict=True)) / passed**2
        self._places, self._time = list(places), time
        return energy
