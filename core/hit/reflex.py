"""Reflex: a body that keeps its balance by feedback alone, from a moment on until it stands quietly."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..body import Body
from ..control.balance import Manners
from ..control.data_driven import INERTIA_FLOOR, SOLE_TWIST
from ..control.stander import TIME_STEP, Stander, known_manners
from ..errors import SimulationError
from ..job import Job
from ..motion import Motion
from ..physics import world_class
from ..progress import Progress
from ..result import Result
from ..simulate import perform


def stood(job: Job, body: Body, start: dict, motion: Motion, name: str, awake: float, manners: Manners,
          progress: Progress | None = None) -> tuple[Result, Stander]:
    """What becomes of a body that is placed as ``start`` says and is to stand as ``motion`` does, and who kept its balance; arguments as for ``Stander``.
    The job's time step is to be ``TIME_STEP``."""
    with world_class(job.engine)(body, job.ground, job.obstacles, time_step=TIME_STEP, friction=job.friction, self_collision=True,
                                 inertia_floor=INERTIA_FLOOR, sole_twist=SOLE_TWIST) as world:
        world.place(**start)
        driver = Stander(body, job, world.inertias, motion, name, awake, manners)
        return perform(world, driver, job, progress), driver


def kept(result: Result, driver: Stander) -> bool:
    """Whether a body has kept its balance and stands quietly at last."""
    return driver.stands and not result.outcome["fell"]


def best(attempt: Callable[[Manners], tuple[Result, Stander]]) -> tuple[Result, Stander]:
    """Of what ``attempt`` gives (see ``stood``) for all manners that are known: one that stands in the end rather than not, with the fewest steps, and
    nearest to where it stood. Who needs one step or none is taken at once."""
    found, least, trouble = None, None, None
    for manners in known_manners():
        try:
            result, driver = attempt(manners)
        except SimulationError as error:  # what goes wild in one manner may hold in another
            trouble = error
            continue
        moved = result.root_positions[-1, :2] - result.root_positions[0, :2]
        cost = (result.outcome["fell"], not driver.stands, driver.steps, float(np.hypot(*moved)))
        if least is None or cost < least:
            found, least = (result, driver), cost
        if cost[:3] <= (False, False, 1):
            break
    if found is None:
        raise trouble
    return found
