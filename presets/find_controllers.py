#!/usr/bin/env python3
"""Makes the learned controllers of ``presets/controllers`` again: python presets/find_controllers.py [NAME …] [--rounds N]

Those of the planar biped learn from its gaits. Those of the average man learn from clips, which are made here: what his gaits show when they are
simulated. Stopped work goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import AbstractContextManager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core import jobs, presets
from core.context import Context
from core.formats import Clip
from core.learned import clips, planar
from core.learned.controller import STATIONARY, TRANSITION, load
from core.learned.lesson import Lesson, learned
from core.learned.refine import Ground
from core.motion import Motion
from core.progress import percents
from core.reference import Reference, prepare
from core.rotation import make_continuous

FOLDER = Path(__file__).resolve().parent / "controllers"
BODY, FPS = "average_man", 60.0
SETTLED_S, SHOWN_S = 4.0, 6.0  # s of a gait that are left out, and that a clip has
# By controller: the planar gait, and the one that it changes into.
PLANAR = {"planar_stand": ("stand", None), "planar_walk": ("planar_walk", None), "planar_run": ("planar_run", None),
          "planar_stand_to_walk": ("stand", "planar_walk"), "planar_walk_to_stand": ("planar_walk", "stand"),
          "planar_walk_to_run": ("planar_walk", "planar_run"), "planar_run_to_walk": ("planar_run", "planar_walk")}
# By controller: the gait whose clip is repeated; for a change, which gaits follow each other,
# the s at which that is asked for, and from which on and until which the clip shows it.
REPEATED = {"stand": "stand", "walk": "walk", "run": "run", "march": "high_step", "fast_walk": "fast_walk", "backward": "backward"}
CHANGES: dict[str, tuple[str, str, float, float, float]] = {
    "stand_to_walk": ("stand", "walk", 2.0, 1.5, 5.0), "walk_to_stand": ("walk", "stand", 4.0, 4.0, 10.0),
    "walk_to_run": ("walk", "run", 4.0, 4.0, 9.0), "run_to_walk": ("run", "walk", 4.0, 4.0, 9.0)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="*", help="of controllers (default: all)")
    parser.add_argument("--rounds", type=int, default=60, help="trials of each (default: %(default)s)")
    options = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for name in options.name or [*PLANAR, *REPEATED, *CHANGES]:
        output, unfinished = FOLDER / f"{name}.npz", FOLDER / f"{name}.part"
        if output.is_file():
            continue
        made_by = f"python presets/find_controllers.py {name} --rounds {options.rounds}"
        with lesson_of(name) as (ground, lesson):
            controller, held = learned(ground, lesson, rounds=options.rounds, seed=1, made_by=made_by, context=Context(percents(sys.stderr)),
                                       keep=lambda found, unfinished=unfinished: found.save(unfinished),
                                       known=load(unfinished) if unfinished.is_file() else None)
        controller.save(output)
        unfinished.unlink(missing_ok=True)
        print(json.dumps({"controller": name, "refinements": controller.refinements, "held_s": [round(seconds, 2) for seconds in held]}), flush=True)


def lesson_of(name: str) -> AbstractContextManager[tuple[Ground, Lesson]]:
    """What a controller is to learn, and where."""
    if name in PLANAR:
        return planar.lesson(name, *PLANAR[name])
    return clips.lesson(name, [clip(name)], TRANSITION if name in CHANGES else STATIONARY, BODY, {})


def clip(name: str) -> Reference:
    """What a controller of the average man learns from: his own gaits, as a clip."""
    events: list[dict] = []
    if name in CHANGES:
        gait, then, changed, first, last = CHANGES[name]
        events = [{"type": "gait", "time": changed, "gait": then}]
    else:
        gait, first, last = REPEATED[name], SETTLED_S, SETTLED_S + SHOWN_S
    result = jobs.run(jobs.make_job({"gait": gait, "body": BODY, "fps": FPS, "duration": last, "events": events, "engine": "pybullet"}))
    body, frames = presets.body(BODY), slice(round(first * FPS), None)
    roots = result.root_positions[frames] - result.root_positions[frames][0] * (1.0, 1.0, 0.0)
    return prepare(Clip(Motion(body.skeleton, FPS, roots, make_continuous(result.rotations[frames])), name), body)


if __name__ == "__main__":
    main()
