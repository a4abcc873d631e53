"""The push database: push-database build | list; push: a clip that is pushed, without a simulation; and push-ready: a clip before it is pushed."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from .. import methods, presets
from ..arrays import Bools
from ..errors import JobError
from ..hit.belt import ground_of
from ..hit.take import hits_of
from ..job import Job
from ..jobs import make_job, read_job
from ..kinematic.retargeted import as_result
from ..methods import hit
from ..motion import Motion
from ..physics import choose_engine
from ..places import PARTS
from ..pushes.answer import Answer, answer, known
from ..pushes.database import Database, shipped
from ..pushes.ready import Ready
from ..reference import Reference
from ..reference.recordings import lasting
from ..result import Result
from ..settings import number
from .shared import Commands, add, add_engine, add_output, add_workers, context_of, place_for, tell

PUSH_S = 0.2  # s that a push lasts, where nobody says
AFTER_S = 6.0  # s after the last push in which the clip must go on
FPS = 60.0
UNFELT = {"type": "push", "time": 0.0, "duration": 0.01, "force": [0.0, 0.0, 0.0]}  # where a job has none yet


def add_all(commands: Commands) -> None:
    group = commands.add_parser("push-database", help="databases of how pushes are taken: build, list")
    kinds = group.add_subparsers(dest="what", required=True)

    command = add(kinds, "build", "simulate how a body that stands and walks takes pushes from all sides")
    command.add_argument("--body", default="average_man", help="a body preset (default: %(default)s)")
    command.add_argument("--minutes", type=float, help="begin nothing new after this time (default: until all is done); the same command goes on")
    command.add_argument("--only", default="", metavar="TEXT", help="only pushes in whose title this is, as in 'side by side' or 'walk 2, 90°'")
    command.add_argument("-o", "--output", required=True, help="the database, a .npz file; what is in it is not done again")
    add_engine(command)
    add_workers(command)
    command.set_defaults(run=_build)

    command = add(kinds, "list", "what is in a database")
    command.add_argument("database", help="a .npz file")
    command.set_defaults(run=_list)

    command = add(commands, "push", "push the body in a clip; the answer comes from the push database, without a simulation")
    command.add_argument("clip", help="a BVH, AMC or DeepMimic file")
    command.add_argument("--at", type=float, action="append", required=True, metavar="S", help="when; may be given again, with another --force")
    command.add_argument("--force", action="append", required=True, metavar="FORWARD,LEFT,UP", help="N, as the body faces in the clip")
    command.add_argument("--part", default="chest", choices=PARTS, metavar="PART", help="what is pushed (default: %(default)s)")
    command.add_argument("--seconds", type=float, default=PUSH_S, metavar="S", help="how long a force lasts (default: %(default)g)")
    command.add_argument("--body", help="a body preset (default: the clip's own measures)")
    command.add_argument("--fps", type=float, default=FPS, help="frames a second of the result (default: %(default)g)")
    command.add_argument("--database", help="a .npz file (default: the shipped one whose body is most like this one)")
    command.add_argument("-o", "--output", required=True, help="the result, a .npz file")
    command.set_defaults(run=_push)

    command = add(commands, "push-ready", "the clip of a job as it is before it is pushed, on the body and for some seconds longer: who shows what "
                                          "becomes of pushes while they are aimed asks for it once")
    command.add_argument("job", help="a job of the method 'hit'")
    add_output(command)
    command.add_argument("--stream", action="store_true", help="as of simulate; there is nothing to say")
    command.set_defaults(run=_ready)


def _build(options: argparse.Namespace) -> None:
    from ..optimize.push_responses import build, title

    output, context = place_for(options.output), context_of(options)
    presets.body(options.body)
    if options.minutes is not None:
        number("--minutes", options.minutes, 0.01, 1e6)
    made_by = "python -m core " + shlex.join(sys.argv[1:])
    database = build(options.body, choose_engine(options.engine or "auto"), output, context, made_by,
                     np.inf if options.minutes is None else 60.0 * options.minutes, lambda cell: options.only in title(cell))
    tell({"database": str(output), **_described(database)}, options)


def _list(options: argparse.Namespace) -> None:
    tell(_described(Database.load(options.database)), options)


def _described(database: Database) -> dict[str, object]:
    by_start = Counter(database.starts[response.start].name for response in database.responses)
    return {"body": database.person, "responses": len(database.responses), "with_mirror_images": 2 * len(database.responses),
            "strategies": database.counts(), "starts": dict(by_start), "made_by": database.made_by}


def _push(options: argparse.Namespace) -> None:
    output = place_for(options.output)
    if len(options.force) != len(options.at):
        raise JobError(f"There are {len(options.at)} --at, but {len(options.force)} --force: give one for each, as in --at 1 --force 200,0,0.")
    events = [{"type": "push", "time": when, "duration": options.seconds, "force": _force(text), "part": options.part}
              for when, text in sorted(zip(options.at, options.force, strict=True))]
    data: dict[str, Any] = {"method": "hit", "clips": [str(Path(options.clip).absolute())], "fps": options.fps, "events": events}
    job = make_job(data | ({"body": options.body} if options.body else {}))
    database = Database.load(options.database or shipped(presets.body(job.body)))
    answers, spent, result = answered(job, database)
    result.save(output)
    tell({"result": str(output), "pushes": [
        {"at_s": event["time"], "strategy": one.strategy, "steps": one.steps, "places": np.round(one.places, 3).tolist(), "ms": round(ms, 1)}
        for event, one, ms in zip(job.events, answers, spent, strict=True)]}, options)


def _force(text: str) -> list[float]:
    try:
        forward, left, up = (float(word) for word in text.split(","))
    except ValueError:
        raise JobError(f"--force is '{text}'; give three numbers, FORWARD,LEFT,UP in N, as in 200,0,0.") from None
    return [forward, left, up]


def answered(job: Job, database: Database) -> tuple[list[Answer], list[float], Result]:
    """The answers to the pushes of a job of the method "hit", ms of one core that each took, and the last one as a Result."""
    reference, clip, contacts = _before(job, max(job.duration, max(event["time"] for event in job.events) + AFTER_S))
    body = reference.body
    ready = Ready.of(body, clip, contacts)
    database.prepare()
    answers: list[Answer] = []
    spent = []
    for push in hits_of(job, clip):
        before = answers[-1] if answers else None
        if before and before.way.fell:
            raise JobError(f"The push before the one at {push.time:g} s brings the body down: leave that out, or use the method 'hit'.")
        if not known(database, ready, push.time, before):
            raise JobError(f"At {push.time:g} s the clip neither stands nor walks as the push database knows it: push it elsewhere, or use the "
                           "method 'hit'.")
        began = time.process_time()
        answers.append(answer(database, ready, push.time, push.part, push.force, push.seconds, before))
        spent.append(1000.0 * (time.process_time() - began))
    last = answers[-1]
    result = as_result(job.to_dict(), body, reference.name, last.motion, last.contacts, times=last.clip_times)
    result.outcome |= {"fell": last.way.fell, "strategy": last.strategy, "recovery_steps": last.steps}
    return answers, spent, result


def _before(job: Job, seconds: float) -> tuple[Reference, Motion, Bools]:
    """The clip of a job of the method "hit" for so many seconds, as it is before anything hits it, from the origin and at the job's rate, and which
    feet stand (F, 2)."""
    reference = lasting(hit.task_of(job).recording, presets.body(job.body), seconds)
    clip = reference.motion.slice(0.0, seconds).resample(job.fps).facing(job.facing)
    return reference, clip, reference.contacts_at(job.fps, clip.frames)


def _ready(options: argparse.Namespace) -> None:
    output, (data, folder) = place_for(options.output), read_job(options.job)
    if methods.get(data.get("method", methods.USUAL)).LABEL != hit.LABEL:
        raise JobError(f"The job's method is '{data.get('method', methods.USUAL)}': only a clip of the method 'hit' is made ready to be pushed.")
    job = make_job({**data, "events": data.get("events") or [UNFELT]}, folder)
    reference, clip, contacts = _before(job, job.duration + AFTER_S)
    result = as_result(job.to_dict(), reference.body, reference.name, clip, contacts)
    # Of a clip that walks in place: how its ground moves.
    result.outcome["ground_m_s"] = ground_of(reference.motion, reference.ground, job.facing).tolist()
    result.save(output)
    tell({"result": str(output)}, options)
