"""Make the database of foot pressure that is shipped again:

    python presets/make_repertoire.py [-o presets/pressure/repertoire.npz] [--workers 2]

What is done in it is written in core/pressure/repertoire/actions.py, and who does it in takes.py beside it. Each take is written down as a motion
that keeps its balance. Those of calm people are then tracked by a simulated body. Where that falls, drags its feet or lags behind, and where somebody
is too brisk for it, the motion is taken as it was written, and its pressure follows from how it moves. All this takes a quarter of an hour of one
core, and gives the same file every time. What was simulated is kept in build/repertoire: stopped work goes on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are small: threads would only wait for each other
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core import presets
from core.body import Body
from core.commands.shared import add_workers, context_of
from core.formats.bvh import write_bvh
from core.formats.clip import Clip
from core.jobs import make_job
from core.methods.track import tracked
from core.motion import Motion
from core.plan.finish import finished
from core.pressure.database import SHIPPED, Database, Take
from core.pressure.repertoire.takes import PAD, PLAYS, Performance, dragged, made, programme
from core.pressure.sensors import device_named
from core.reference import Reference
from core.result import Result

KEPT = Path(__file__).resolve().parent.parent / "build" / "repertoire"
RATE = 60.0  # frames a second of what is simulated
OFF, FAR_OFF = 0.04, 0.2  # m that joints may be elsewhere as seen from the pelvis: all on average over a take, and at any moment
DRAGGED = 0.012  # m that a foot may get along the floor


def simulated(reference: Reference, person: dict[str, Any] | str) -> Result | None:
    """The reference as a simulated body follows it, smoothed, with feet that stay; None where it does not hold."""
    body = presets.body(person)
    kept = KEPT / f"{hashlib.sha256(reference.motion.rotations.tobytes()).hexdigest()[:24]}.npz"
    if kept.is_file():
        result = Result.load(kept)
    else:
        result = _tracked(reference, body, person)
        KEPT.mkdir(parents=True, exist_ok=True)
        result.save(kept)
    if result.outcome["fell"] or result.outcome.get("cut_short"):
        return None
    result = finished(result, body, reference.contacts_at(RATE, result.frames), joins=False)
    written, found = (_posture(body, *where) for where in (reference.motion.sample(result.times), (result.root_positions, result.rotations)))
    away = np.linalg.norm(found - written, axis=-1).mean(axis=1)
    motion = Motion(body.skeleton, RATE, result.root_positions, result.rotations)
    holds = away.mean() < OFF and away.max() < FAR_OFF and dragged(body, motion) < DRAGGED
    return result if holds else None


def _tracked(reference: Reference, body: Body, person: dict[str, Any] | str) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "take.bvh"
        write_bvh(clip, Clip(reference.motion.resample(RATE), reference.name, tips=_tips(body)))
        return tracked(make_job({"method": "track", "clips": [str(clip)], "body": person, "fps": RATE}))


def _posture(body: Body, roots: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """(F, L, 3) m of the joints from the pelvis."""
    joints = body.skeleton.forward_kinematics(roots, rotations)[0]
    return joints - joints[:, :1]


def _tips(body: Body) -> dict[str, np.ndarray]:
    """m, ends of the bones that no other follows."""
    along = {"head": (0.0, 0.0, 2.0), "forearm": (0.0, 0.0, 2.0), "toes": (2.0, 0.0, 0.0)}
    return {name: np.array(shape.center) * along[part] for name, shape in zip(body.names, body.shapes, strict=True)
            if (part := name.partition(".")[0]) in along}


def take(performance: Performance) -> tuple[Take, bool]:
    return made(performance, device_named(PAD), simulated)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=SHIPPED)
    add_workers(parser)
    options = parser.parse_args()
    performances = programme()
    takes, count = [], 0
    with context_of(options).executor() as (executor, _):
        for performance, (found, holds) in zip(performances, executor.map(take, performances), strict=True):
            takes.append(found)
            count += holds
            told = "simulated" if holds else "not held, as it was written" if performance.calm else "as it was written"
            print(f"{len(takes):4d} of {len(performances)}  {performance.name}: {told}", flush=True)
    database = Database(device_named(PAD).name, takes, PLAYS)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    database.save(options.output)
    print(f"{options.output}: {len(takes)} takes, {count} of them simulated; {', '.join(database.names)}")


if __name__ == "__main__":
    main()
