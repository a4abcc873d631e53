"""How hard a plan is looked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quality:
    """Samples of plans in each window, in ``rounds`` that are each finer, of plans of ``horizon`` windows; the best ``beam`` go on."""

    samples: int
    rounds: int
    beam: int
    horizon: int


QUALITIES = {"draft": Quality(60, 3, 3, 5), "normal": Quality(160, 4, 4, 5), "fine": Quality(360, 5, 6, 6)}
