#!/usr/bin/env python3
"""Makes the learned controllers of ``presets/controllers`` again:

    python presets/find_controllers.py [NAME …] [--rounds N] [--beside N] [--minutes M] [--workers N] [--into FOLDER]
    python presets/find_controllers.py --together [--rounds N] [--beside N] [--minutes M] [--workers N] [--into FOLDER]

Those of the planar biped learn from its gaits. Those of the average man learn from clips, which are made here: what his gaits show when they are
simulated. Each of several is learned by one process; the trials of a single one of the planar biped are shared by all of them. Stopped work goes on
where it was. Then those of the planar biped practise their changes together, going at random from one to another.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from math import atan2
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core import jobs, presets, rotation
from core.commands.shared import say
from core.context import Context
from core.control.tracker import gains_of
from core.errors import FootfallError
from core.formats import Clip
from core.learned import clips, planar, tour
from core.learned.controller import STATIONARY, TRANSITION, load
from core.learned.lesson import Lesson, learned
from core.learned.refine import Ground, Practise
from core.learned.repertoire import Repertoire, load_repertoire
from core.methods import track
from core.motion import Motion
from core.pressure.repertoire import actions
from core.pressure.repertoire.perform import perform
from core.pressure.repertoire.score import Place
from core.reference import Reference, prepare
from core.result import Result
from core.rotation import make_continuous
from core.workers import on_this_machine

FOLDER = Path(__file__).resolve().parent / "controllers"
BODY, FPS = "average_man", 60.0
SETTLED_S, SHOWN_S = 4.0, 6.0  # s of a gait that are left out, and that a clip has
# By controller: the planar gait, and the one that it changes into.
PLANAR = {"planar_stand": ("stand", None), "planar_walk": ("planar_walk", None), "planar_run": ("planar_run", None),
          "planar_stand_to_walk": ("stand", "planar_walk"), "planar_walk_to_stand": ("planar_walk", "stand"),
          "planar_walk_to_run": ("planar_walk", "planar_run"), "planar_run_to_walk": ("planar_run", "planar_walk")}
# By controller: the job whose clip is repeated.
REPEATED: dict[str, dict[str, Any]] = {
    "stand": {"gait": "stand"}, "walk": {"gait": "walk"}, "slow_walk": {"gait": "walk", "speed": 0.88}, "fast_walk": {"gait": "fast_walk"},
    "march": {"gait": "high_step"}, "proud_walk": {"gait": "walk", "style": "proud"}, "sneaky_walk": {"gait": "walk", "style": "sneaky"},
    "turn_left": {"gait": "walk", "heading": [[0.0, 0.0], [2.0, 0.0], [22.0, 8.0]]},
    "turn_right": {"gait": "walk", "heading": [[0.0, 0.0], [2.0, 0.0], [22.0, -8.0]]},
    "backward": {"gait": "backward"}, "jog": {"gait": "run", "speed": 2.0}, "run": {"gait": "run"}}
# By change: s that the clip shows it, and the gaits one after the other, of which the change into the last one is learned; all others fade. Who sets
# off does so from how he stood still, with one foot ahead or beside the other: a controller that knows no time would wait there for ever.
CHANGES = {"walk_to_stand": (7.0, [("walk", "stand")]), "backward_to_stand": (7.0, [("backward", "stand")]),
           "stand_to_walk": (3.5, [("walk", "stand", "walk"), ("stand", "walk")]), "walk_to_march": (5.0, [("walk", "high_step")])}
JUMP = "jump"  # an act, which begins and ends in the stand; how it is done is the preset of that name
STANDS_S = 0.6  # s that he stands after a jump, to come to rest
ASKED_S, APART_S, LATER_S = 4.0, 7.0, (0.0, 0.55)  # s at which a change is asked for, from one to the next, and later for the other leg
BRIEF = 0.4  # of the time for a controller that goes on, for a change: its trials are shorter
ALL = [*REPEATED, *CHANGES, JUMP, *PLANAR]


def arguments() -> argparse.ArgumentParser:
    """What a command may say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="*", choices=[[], *ALL], metavar="NAME", help=f"of controllers (default: all): {', '.join(ALL)}")
    parser.add_argument("--together", action="store_true", help="let those of the planar biped in the folder practise their changes")
    parser.add_argument("--rounds", type=int, default=60, help="of trials, of each (default: %(default)s)")
    parser.add_argument("--beside", type=int, default=1, help="trials of a round, of the same controller (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=60.0, help=f"after which no trial of one that goes on begins any more; of a change after "
                        f"{BRIEF:g} of that (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path, default=FOLDER, help="folder of the controllers (default: %(default)s)")
    return parser


def main() -> None:
    options = arguments().parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    if options.together:
        together(options)
        return
    todo = [name for name in options.name or ALL if not (options.into / f"{name}.npz").is_file()]
    how = (options.into, options.rounds, options.beside, options.seed, 60.0 * options.minutes)
    if len(todo) == 1 and todo[0] in PLANAR:
        with on_this_machine(options.workers) as (team, _):
            print(json.dumps(find(todo[0], *how, planar.practise_beside(team, *PLANAR[todo[0]]))))
        return
    with ProcessPoolExecutor(options.workers) as executor:
        for done in as_completed([executor.submit(find, name, *how) for name in todo]):
            print(json.dumps(done.result()), flush=True)


def find(name: str, folder: Path, rounds: int, beside: int, seed: int, patience: float, practise: Practise | None = None) -> dict[str, Any]:
    """Learn one controller, for so many s if it goes on, and less if it is a change; what there is to say of it."""
    output, unfinished = folder / f"{name}.npz", folder / f"{name}.part.npz"
    began = time.time()
    try:
        with lesson_of(name) as (ground, lesson):
            ready = time.time()
            left = patience * (1.0 if lesson.kind == STATIONARY else BRIEF) - (ready - began)
            made_by = f"python presets/find_controllers.py {name} --rounds {rounds} --beside {beside} --seed {seed}"
            controller, held = learned(ground, lesson, rounds=rounds, seed=seed, made_by=made_by, context=Context(say=say),
                                       keep=lambda found: found.save(unfinished), patience=left,
                                       known=load(unfinished) if unfinished.is_file() else None, beside=beside, practise=practise)
    except FootfallError as error:
        return {"controller": name, "error": str(error)}
    controller.save(output)
    unfinished.unlink(missing_ok=True)
    return {"controller": name, "refinements": controller.refinements, "samples": len(controller.states), "bytes": output.stat().st_size,
            "left_out": lesson.left_out,
            "prepared_s": round(ready - began, 1), "took_s": round(time.time() - began, 1), "held_s": [round(seconds, 2) for seconds in held]}


def together(options: argparse.Namespace) -> None:
    """Let the planar repertoire in a folder go at random from one of its controllers to another, and learn from that."""
    described = options.into / "planar.json"
    if not described.is_file():
        shutil.copy(FOLDER / described.name, described)
    made_by = f"python presets/find_controllers.py --together --rounds {options.rounds} --beside {options.beside} --seed {options.seed}"

    known = load_repertoire(str(described))
    kept = {one.name: one for one in known.whole}

    def keep(repertoire: Repertoire) -> None:
        for one in repertoire.whole:
            if one is not kept[one.name]:
                kept[one.name] = one
                whole = one if one.made_by.endswith(made_by) else replace(one, made_by=f"{one.made_by}; {made_by}")
                whole.save(options.into / f"{one.name}.npz")

    def say(found: tour.Toured) -> None:
        print(json.dumps({"held_s": round(found.seconds, 2), "end": found.end, "changes": found.changes, "last": found.last,
                          "lessons": {name: len(lesson) for name, lesson in found.lessons.items()}}), flush=True)

    with on_this_machine(options.workers) as (team, _):
        tour.practised(known, tour.tours_beside(team, "planar_stand"), rounds=options.rounds, beside=options.beside,
                       seed=options.seed, enough=2 * options.beside, patience=60.0 * options.minutes, keep=keep, say=say)


def lesson_of(name: str) -> AbstractContextManager[tuple[Ground, Lesson]]:
    """What a controller is to learn, and where."""
    if name in PLANAR:
        return planar.lesson(name, *PLANAR[name])
    if name in REPEATED:
        return clips.lesson(name, [clips.Shown(repeated(name))], STATIONARY, BODY)
    if name == JUMP:
        return clips.lesson(name, [jumped()], TRANSITION, BODY)
    return clips.lesson(name, [change(name, gaits, later) for gaits in CHANGES[name][1] for later in LATER_S], TRANSITION, BODY)


@cache
def repeated(name: str) -> Reference:
    """What a controller of the average man learns to repeat: his own gait, as a clip."""
    return simulated(name, REPEATED[name], SETTLED_S, SETTLED_S + SHOWN_S)


def change(name: str, gaits: tuple[str, ...], later: float) -> clips.Shown:
    """A change of the average man, which is asked for ``later`` s later than usual, as a clip; shown from when it is asked for on."""
    asked = [ASKED_S + later + APART_S * number for number in range(len(gaits) - 1)]
    events = [{"type": "gait", "time": time, "gait": gait} for time, gait in zip(asked, gaits[1:], strict=True)]
    first = asked[-1] - 1.5
    whole = simulated(name, {"gait": gaits[0], "events": events}, first, asked[-1] + CHANGES[name][0])
    return clips.Shown(whole, asked[-1] - first)


def jumped() -> clips.Shown:
    """A jump from where the average man stands."""
    how = presets.read_json(presets.FOLDER / f"{JUMP}.json")
    usual = actions.jump(places(), how["air"])
    held = [{}, *({"trunk pitch": trunk, "pelvis pitch": pelvis, "arm ahead.L": arm, "arm ahead.R": arm}
                  for trunk, pelvis, arm in (how["low"], how["high"], how["landing"])), {}]
    poses = tuple((time, {**pose, **own}) for (time, pose), own in zip(usual.poses, held, strict=True))
    swings = tuple(replace(swing, to=replace(swing.to, ahead=swing.to.ahead - how["behind"]),
                           via=tuple(replace(via, ahead=via.ahead - how["behind"] * via.after / how["air"]) for via in swing.via))
                   for swing in usual.swings)
    before, after = how["sinks"]
    score = replace(usual, poses=poses, swings=swings, leaps=tuple(replace(leap, before=before, after=after) for leap in usual.leaps),
                    seconds=usual.seconds + STANDS_S)
    written = perform(score, presets.body(BODY), JUMP, sway=0.0)
    # Shown is what the balancing law makes of it: a body in the air turns as it must.
    job = jobs.make_job({"gait": "stand", "body": BODY, "engine": "pybullet", "time_step": 0.002, "fps": FPS, "duration": written.motion.duration})
    return clips.Shown(as_clip(JUMP, track.simulated(job, [written], gains_of({})), even=True))


@cache
def places() -> tuple[Place, Place]:
    """Where the feet of the average man are as he stands."""
    stood, leg = repeated("stand"), presets.body(BODY).leg_length
    joints, turns = (values[len(values) // 2] for values in stood.motion.world())
    feet, found = [stood.body.names.index(f"foot.{side}") for side in "LR"], []
    for foot, side in zip(feet, (1.0, -1.0), strict=True):
        ahead, left, _ = (joints[foot] - joints[feet].mean(axis=0)) / leg
        x, y, _ = rotation.rotate(turns[foot], (1.0, 0.0, 0.0))
        found.append(Place(float(ahead), float(left), side * atan2(y, x)))
    return found[0], found[1]


def simulated(name: str, job: dict[str, Any], first: float, last: float) -> Reference:
    """What the average man does in a job from ``first`` to ``last`` s, as a clip."""
    return as_clip(name, jobs.run(jobs.make_job({"body": BODY, "fps": FPS, "engine": "pybullet", **job, "duration": last})), first)


def as_clip(name: str, result: Result, first: float = 0.0, even: bool = False) -> Reference:
    """What came out of a simulation, from ``first`` s on; ``even``: with what left and right do in the mean."""
    body, frames = presets.body(BODY), slice(round(first * FPS), None)
    roots = result.root_positions[frames] - result.root_positions[frames][0] * (1.0, 1.0, 0.0)
    motion = Motion(body.skeleton, FPS, roots, make_continuous(result.rotations[frames]))
    if even:
        other = motion.mirror()
        motion = replace(motion, root_positions=0.5 * (motion.root_positions + other.root_positions),
                         rotations=make_continuous(rotation.slerp(motion.rotations, other.rotations, 0.5)))
    return prepare(Clip(motion, name), body)


if __name__ == "__main__":
    main()
