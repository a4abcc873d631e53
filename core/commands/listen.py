"""A character that moves while a device sends: listen."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import presets, rotation
from ..arrays import Array
from ..errors import JobError
from ..jobs import read_job
from ..settings import number
from .shared import Commands, add, add_output, place_for, tell

if TYPE_CHECKING:
    from ..body import Body
    from ..pressure.acting import Pose
    from ..pressure.live import Live, Shown
    from ..result import Result

FIELDS = {"address", "database", "body", "latency", "fps", "once"}
WORK_S = 0.05  # s of the latency in which poses are worked out and put on a rig: so much less is known of the feet
PAUSE = 0.008  # s between two looks at what has come
LOOKS_S = 0.04  # s between two looks whether it is to stop
MOST = 6  # poses that are told at once: of those that come later than they are due, the last ones
TOLD_S = 0.25  # s after which is told how things are, also where nothing moves
STOP = ".stop"  # after the name of the output: who wants it to end makes this file
SHORTEST = 2  # poses of a take


def add_all(commands: Commands) -> None:
    command = add(commands, "listen", "let a body do what feet do on a pad or in insoles that send what they feel")
    command.add_argument("job", help='a JSON file with the "address", udp://host:port or tcp://host:port; as wanted the "body", the "database", the '
                                     '"latency" (s), the "fps" of the result, and "once": true to end when the device stops')
    add_output(command)
    command.add_argument("--stream", action="store_true", help="also print poses on stdout, a moment before they are due, a line of JSON each")
    command.set_defaults(run=_listen)


def _listen(options: argparse.Namespace) -> None:
    from ..pressure.acting import LATENCY, Actor, Learnt  # these are slow to load
    from ..pressure.database import Database
    from ..pressure.live import Live
    from ..pressure.stream import Listener

    output = place_for(options.output)
    asked, _ = read_job(options.job)
    unknown = sorted(set(asked) - FIELDS)
    if unknown or "address" not in asked:
        raise JobError(f"'{options.job}' has an unknown field '{unknown[0]}'; allowed are {', '.join(sorted(FIELDS))}." if unknown else
                       f"'{options.job}' has no address: say where to listen, as udp://127.0.0.1:9740.")
    shown = number("latency", asked.get("latency", LATENCY), 0.0, 3.0, "s")
    fps = number("fps", asked.get("fps", 60.0), 1.0, 1000.0, "1/s")
    latency = max(round(shown - WORK_S, 6), 0.0)
    stop = Path(f"{output}{STOP}")
    with Listener(asked["address"]) as listener:  # at once: a port that is taken is told before anything is loaded
        database, body = Database.load(asked.get("database", "")), presets.body(asked.get("body", "average_man"))
        if options.stream:
            print(json.dumps({"fraction": 0.0, "left": None, "doing": "Learning what can be done"}), flush=True)
        learnt = Learnt(database, body, latency)
        live = Live(listener, lambda layout, calibrated: Actor(database, body, layout, latency, calibrated=calibrated, learnt=learnt))
        busy = _hear(live, learnt.rehearse(), asked["address"], stop, bool(asked.get("once")), _Teller() if options.stream else None)
    stop.unlink(missing_ok=True)
    live.finish()
    told = _save(live, body, asked | {"latency": latency, "fps": fps}, output, busy, shown)
    tell(told, options)


def _hear(live: Live, rehearsal: Iterator[None], address: str, stop: Path, once: bool, teller: _Teller | None) -> float:
    """Until it is told to stop, or with ``once`` until the device does; ``rehearsal`` goes on until it is heard. Returns the share of a core that
    this took since the first frame."""
    began, looked = None, 0.0
    while True:
        now = time.monotonic()
        due = live.go_on(now)
        if live.actor is not None and began is None:
            began = time.monotonic(), time.process_time()
        if teller:
            teller.tell(live, address, due, now)
        if (once and live.stopped) or live.full or (now > looked + LOOKS_S and stop.exists()):
            break
        looked = now if now > looked + LOOKS_S else looked
        if live.actor is None:
            next(rehearsal, None)
        time.sleep(PAUSE)
    heard, until = -1, time.monotonic() + 1.0
    while heard < live.counts.received and time.monotonic() < until:  # what has come already, where this machine was busy
        heard = live.counts.received
        live.go_on()
    return (time.process_time() - began[1]) / max(time.monotonic() - began[0], 1e-6) if began else 0.0


class _Teller:
    """Prints poses as other work does (``core.progress.stream``), and what was heard."""

    def __init__(self) -> None:
        self._count, self._last = 0, -TOLD_S
        self._home: tuple[Array, Array] | None = None

    def tell(self, live: Live, address: str, due: list[Shown], now: float) -> None:
        self._count += len(due)
        if not due and now < self._last + TOLD_S:
            return
        self._last = now
        line: dict[str, Any] = {"fraction": 0.0, "left": None, "doing": _doing(live, address), "heard": asdict(live.counts)}
        first = self._count - len(due)
        lines = [line | self._pose(live, number, shown) for number, shown in enumerate(due[-MOST:], first + max(len(due) - MOST, 0))] or [line]
        print("\n".join(map(json.dumps, lines)), flush=True)

    def _pose(self, live: Live, number: int, shown: Shown) -> dict[str, Any]:
        root, rotations = self._from_home(live.poses[0], shown.pose)
        return {"frame": number, "felt": round(shown.felt, 4), "root": root.round(4).tolist(), "rotations": rotations.round(5).tolist()}

    def _from_home(self, first: Pose, pose: Pose) -> tuple[Array, Array]:
        """A pose as ``Motion.facing`` has it: the first one of all is over the origin and faces +X."""
        if self._home is None:
            self._home = rotation.from_axis_angle((0.0, 0.0, 1.0), -float(rotation.heading(first.rotations[0]))), first.root * (1.0, 1.0, 0.0)
        turn, origin = self._home
        rotations = pose.rotations.copy()
        rotations[0] = rotation.multiply(turn, rotations[0])
        return rotation.rotate(turn, pose.root - origin), rotations


def _doing(live: Live, address: str) -> str:
    """In words."""
    if live.actor is None:
        heard = live.listener.frames.heard is not None
        return "Somebody sends, but has not said where the sensors are" if heard else f"Waiting for a device at {address}"
    if live.stopped:
        return "The device has stopped, and the character stands"
    last = live.poses[-1] if live.poses else None
    return f"{last.action[:1].upper()}{last.action[1:]} ({last.confidence:.0%})" if last is not None and last.action else "Standing"


def _save(live: Live, body: Body, asked: dict[str, Any], output: Path, busy: float, shown: float) -> dict[str, Any]:
    """The take as a result, and beside it what was heard as CSV, a small picture and what that holds. Returns what is told. ``shown``: s, the
    latency as it was asked for."""
    from ..pressure.devices import plain
    from ..pressure.picture import draw_picture
    from ..pressure.report import describe
    from ..reference.strip import write_png

    recording = live.recording()
    if recording is None or len(live.poses) < SHORTEST:
        raise JobError(f"Nothing was heard at '{asked['address']}': look whether the device sends there.")
    heard, picture, facts = (output.with_suffix(ending) for ending in (".csv", ".png", ".json"))
    plain.write(heard, recording, exact=True)
    write_png(picture, draw_picture(recording))
    facts.write_text(json.dumps(describe(recording)), encoding="utf-8")
    outcome = {**asdict(live.counts), "latency_s": shown, "busy": round(busy, 4)}
    result = _result(live, body, {"method": "pressure", "recording": str(heard), "streamed": True, **asked}, asked["fps"])
    result.outcome |= outcome
    result.save(output)
    return {"result": str(output), "recording": str(heard), **outcome}


def _result(live: Live, body: Body, job: dict[str, Any], fps: float) -> Result:
    from ..kinematic.retargeted import as_result
    from ..pressure.acting import as_motion

    assert live.actor is not None
    motion, stands = as_motion(live.poses, body, live.actor.fps, fps)
    return as_result(job, body, Path(job["recording"]).stem, motion.facing(0.0), stands)
