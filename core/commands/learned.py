"""learn-controller: a controller from clips, or from gaits of the planar biped (Sok, Kim and Lee 2007)."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from .. import presets
from ..errors import JobError
from ..jobs import check, read_job
from ..settings import number
from .shared import Commands, add, context_of, place_for, tell

if TYPE_CHECKING:
    from ..learned.lesson import Lesson
    from ..learned.refine import Ground
    from ..reference.recordings import Recording

KINDS = ("stationary", "transition")


def add_all(commands: Commands) -> None:
    command = add(commands, "learn-controller", "learn a controller that maps the body's state to what it does next, from clips or a planar gait")
    command.add_argument("name", help="what it is called")
    command.add_argument("--clips", nargs="+", metavar="CLIP", help="BVH, AMC or DeepMimic files of the same motion, for a body in 3D")
    command.add_argument("--job", help="instead: a job file that follows clips, of which these and the body are taken")
    command.add_argument("--gait", help="instead: a gait of the planar biped, or stand")
    command.add_argument("--then", metavar="GAIT", help="a change from that gait into this one")
    command.add_argument("--kind", choices=KINDS, help="of clips: repeat their steps, or hold their stand; or do them once (default: stationary)")
    command.add_argument("--body", default="average_man", help="a body preset, for clips (default: %(default)s)")
    command.add_argument("--rounds", type=int, default=60, help="trials after each of which it may learn a way out (default: %(default)s)")
    command.add_argument("--minutes", type=float, metavar="M", help="stop after this long instead, with what there is")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--stream", action="store_true", help="also print progress on stdout, a line of JSON each")
    command.add_argument("-o", "--output", required=True, help="the controller, a .npz file; what there is so far is kept beside it, to go on from")
    command.set_defaults(run=_learn)


def _learn(options: argparse.Namespace) -> None:
    from ..learned.controller import load
    from ..learned.lesson import learned

    if sum(map(bool, (options.clips, options.job, options.gait))) != 1 or (options.then and not options.gait) or (options.kind and options.gait):
        raise JobError("A controller is learned from --clips or a --job, with --kind, or from --gait of the planar biped, with --then: give one of "
                       "them.")
    number("--rounds", options.rounds, 0, 1e5, whole=True)
    output = place_for(options.output)
    unfinished = output.with_name(f"{output.stem}.part{output.suffix}")
    made_by, began = "python -m core " + shlex.join(sys.argv[1:]), time.monotonic()
    with _lesson(options) as (ground, lesson):
        patience = float("inf") if options.minutes is None else 60.0 * number("--minutes", options.minutes, 0.01, 1e5)
        controller, held = learned(ground, lesson, rounds=options.rounds, seed=options.seed, made_by=made_by, context=context_of(options),
                                   keep=lambda found: found.save(unfinished), patience=patience,
                                   known=load(unfinished) if unfinished.is_file() else None)
    controller.save(output)
    unfinished.unlink(missing_ok=True)
    tell({"controller": str(output), "kind": controller.kind, "samples": len(controller.states), "refinements": controller.refinements,
          "left_out": lesson.left_out, "held_s": [round(seconds, 2) for seconds in held], "bytes": output.stat().st_size,
          "minutes": round((time.monotonic() - began) / 60.0, 2)}, options)


def _lesson(options: argparse.Namespace) -> AbstractContextManager[tuple[Ground[Any], Lesson]]:
    from ..learned import clips, planar
    from ..reference.recordings import reference_of

    if options.gait:
        return planar.lesson(options.name, options.gait, options.then)
    recordings, body = _recordings(options)
    figure = presets.body(body)
    if figure.planar:
        raise JobError("Clips are learned on a body in 3D; the planar biped learns from its gaits, with --gait.")
    references = [reference_of(recording, figure) for recording in recordings]
    return clips.lesson(options.name, [clips.Shown(reference) for reference in references], options.kind or KINDS[0], body)


def _recordings(options: argparse.Namespace) -> tuple[list[Recording], str | dict[str, Any]]:
    """What is to be learned from, and the body that learns it."""
    from ..reference.recordings import Recording

    if not options.job:
        return [Recording(clip) for clip in options.clips], options.body
    request = check(*read_job(options.job))
    found = getattr(request.settings, "clips", ())
    if not found:
        raise JobError(f"The job '{options.job}' follows no clips: there is nothing to learn from.")
    return [Recording(clip, getattr(request.settings, "repair", False)) for clip in found], request.given.get("body", options.body)
