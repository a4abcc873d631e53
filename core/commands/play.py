"""A character that is played like a game: play."""

from __future__ import annotations

import argparse
import json
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import lifeline
from ..errors import JobError
from ..jobs import begin, command, make_job, read_job, taken
from ..progress import rotations_of
from .shared import Commands, add, add_engine, add_output, place_for, say, summary, tell, write_text

if TYPE_CHECKING:
    from ..play import Play

STOP = "stop"  # a command that ends it
LATE_S = 0.05  # s that it makes up for; what it is later than that it stays
REFUSED_S = 3.0  # s of the play for which is told what could not be done
RATED_S = 1.0  # s over which is told how fast it goes


def add_all(commands: Commands) -> None:
    play = add(commands, "play", "play a body live: tell it while it goes, on standard input, what it is to do")
    play.add_argument("job", help="a JSON file or job preset: how it moves, its body, the ground")
    add_output(play)
    play.add_argument("--stream", action="store_true", help="also print poses on stdout as they are simulated, a line of JSON each")
    play.add_argument("--no-wait", action="store_true", help="go as fast as possible, and not by the clock")
    add_engine(play)
    play.set_defaults(run=_play)


def _play(options: argparse.Namespace) -> None:
    """Lines of JSON on standard input are events of a job; those with a time wait for it, the others happen at once. {"type": "stop"} ends it, and so
    does the end of the input."""
    output = place_for(options.output)
    data, folder = read_job(options.job)
    job = make_job(data | {"played": True} | ({"engine": options.engine} if options.engine else {}), folder)
    lifeline.listen()
    play = begin(replace(job, events=()))
    try:
        _go_on(play, Script(play, job.events), None if options.no_wait else RealTime(), Teller() if options.stream else None)
        if not play.time:
            raise JobError("It was stopped before it began: nothing was played.")
        result = taken(play)
    finally:
        play.close()
    result.save(output)
    again = output.with_suffix(".json")
    write_text(again, json.dumps(result.job) + "\n")
    tell({**summary(result, output), "job": str(again)}, options)


def _go_on(play: Play, script: Script, clock: RealTime | None, teller: Teller | None) -> None:
    while not play.over:
        if clock is None and not script.whole:  # what would come later must not come too late
            time.sleep(LATE_S)
        refused = script.tell()
        if script.over:
            return
        play.beat()
        if teller:
            teller.tell(play, clock, refused)
        elif refused:
            say(refused)
        if clock:
            clock.wait(play.time)


class Script:
    """What is said on standard input, told to a body when its time comes.

    Attributes:
        over: whether nothing more is to be done.
    """

    def __init__(self, play: Play, events: Sequence[dict[str, Any]] = ()):
        """``events``: that are known already."""
        self._play, self.over = play, False
        self._waiting = sorted(events, key=lambda event: event["time"])

    @property
    def whole(self) -> bool:
        """Whether all was said."""
        return lifeline.closed()

    def tell(self) -> str:
        """Tell what is due; a sentence on what cannot be done, or ""."""
        refused = ""
        for line in lifeline.lines():
            try:
                self._take_in(line)
            except JobError as error:
                refused = str(error)
        now = self._play.time + 1e-6
        for event in [event for event in self._waiting if event["time"] <= now]:
            self._waiting.remove(event)
            if event["type"] == STOP:
                self.over = True
                return refused
            self._play.tell(event)
        self.over = self.whole and not self._waiting
        return refused

    def _take_in(self, line: str) -> None:
        if not line.strip():
            return
        try:
            data = json.loads(line)
        except ValueError as error:
            raise JobError(f"A command is no JSON ({error}): {line[:60]!r}.") from error
        event = {"time": 0.0, **data} if isinstance(data, dict) and data.get("type") == STOP else command(self._play.led, data)
        self._waiting = sorted([*self._waiting, event], key=lambda waiting: waiting["time"])


class RealTime:
    """Keeps what is played in step with the clock. Where that cannot be, all goes evenly slower.

    Attributes:
        rate: s of the play that went by in a second of the clock, lately.
    """

    def __init__(self) -> None:
        self.rate = 1.0
        self._marks: deque[tuple[float, float]] = deque()  # s of the clock, and of the play
        self._off: float | None = None  # s of the clock at which the play began

    def wait(self, played: float) -> None:
        """Until ``played`` (s) is now."""
        now = time.monotonic()
        if self._off is None:
            self._off = now - played
        ahead = self._off + played - now
        if ahead > 0.0:
            time.sleep(ahead)
        elif ahead < -LATE_S:
            self._off -= ahead + LATE_S
        self._marks.append((time.monotonic(), played))
        while len(self._marks) > 2 and self._marks[-1][0] - self._marks[1][0] > RATED_S:
            self._marks.popleft()
        (t0, p0), (t1, p1) = self._marks[0], self._marks[-1]
        if t1 > t0:
            self.rate = (p1 - p0) / (t1 - t0)


class Teller:
    """Prints poses as other work does (``core.progress.stream``), with how it goes; "told" is the number of things that it was told until then."""

    def __init__(self) -> None:
        self._count = 0
        self._refused, self._until = "", 0.0  # what could not be done last; s of the play until which it is told

    def tell(self, play: Play, clock: RealTime | None, refused: str) -> None:
        state = play.state
        line: dict[str, Any] = {
            "fraction": 0.0, "left": None, "doing": _doing(play), "frame": self._count, "root": [round(v, 5) for v in state.position],
            "rotations": [[round(v, 5) for v in turn] for turn in rotations_of(state)],
            "played": {"time": round(play.time, 4), "rate": round(clock.rate, 3) if clock else None, "falls": play.falls, "down": play.falling,
                       "told": len(play.job.events),
                       "balls": [[round(v, 3) for v in (*place, radius)] for place, radius in play.balls()]}}
        self._count += 1
        if refused:
            self._refused, self._until = refused, play.time + REFUSED_S
        if play.time < self._until:
            line["played"]["refused"] = self._refused
        print(json.dumps(line), flush=True)


def _doing(play: Play) -> str:
    if play.lies:
        return "Lies"
    return "Falls" if play.falling else Path(play.gait_name).stem.replace("_", " ").capitalize()


