"""What is in a recording: the worker reads it and says so. Needs neither Blender nor numpy."""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from ..core import lifeline
from ..core.errors import FootfallError, FormatError
from .pythons import NO_WINDOW, PAUSE, WorkerPython

PATIENCE = 120.0  # s for one recording
AT_ONCE = 4


@dataclass(frozen=True)
class Recording:
    """A file to look at: the recording, the picture that is made of it, and whether its faults are to be repaired."""

    clip: Path
    strip: Path
    repair: bool = False

    def command(self) -> list[str]:
        """What the worker is asked to do."""
        return ["inspect", str(self.clip), "--strip", str(self.strip), *["--repair"] * self.repair]


class PressureRecording(Recording):
    """One of foot pressure."""

    def command(self) -> list[str]:
        return ["pressure", str(self.clip), "--picture", str(self.strip)]


@dataclass(frozen=True)
class Calibration(Recording):
    """Recordings in which a person shows actions of the database ``clip``, which is written with that person's way of doing them to ``strip``.

    Attributes:
        shown: of each recording its file and the names of the actions in it, in their order.
    """

    shown: tuple[tuple[Path, tuple[str, ...]], ...] = ()

    def command(self) -> list[str]:
        shows = [text for path, names in self.shown for text in ("--show", str(path), *names)]
        return ["pressure-database", "calibrate", str(self.clip) if self.clip != Path() else "", *shows, "-o", str(self.strip)]


def inspect(python: WorkerPython, recording: Recording) -> dict:
    """What the worker says of it, as a dict; the picture has then been written. A FormatError says what is wrong with the file."""
    reading = _Reading(python, recording)
    while not reading.done:
        time.sleep(PAUSE)
    return reading.answer()


class Inspection:
    """Several recordings, a few at once, by processes that ``poll`` begins and looks after: Blender does not like threads."""

    def __init__(self, python: WorkerPython, recordings: list[Recording]):
        self.recordings, self._python = recordings, python
        self._readings: dict[int, _Reading] = {}
        self._answers: dict[int, dict | FootfallError] = {}
        self.poll()

    @property
    def fraction(self) -> float:
        """How much of it is done, 0–1."""
        return len(self._answers) / len(self.recordings)

    def poll(self) -> bool:
        """Take in what is read and begin with what waits; whether all is done."""
        for number, recording in enumerate(self.recordings):
            reading = self._readings.get(number)
            try:
                if reading and reading.done:
                    self._answers[number] = self._readings.pop(number).answer()
                elif not reading and number not in self._answers and len(self._readings) < AT_ONCE:
                    self._readings[number] = _Reading(self._python, recording)
            except FootfallError as error:
                recording.strip.unlink(missing_ok=True)
                self._answers[number] = error.with_traceback(None)  # which would keep everything that it went through
        return self.fraction == 1.0

    def answers(self) -> list[dict | FootfallError]:
        """What is said of each recording, or the error of a file that cannot be used; waits for all of them."""
        while not self.poll():
            time.sleep(PAUSE)
        return [self._answers[number] for number in range(len(self.recordings))]

    def cancel(self) -> None:
        """Stop, and remove the pictures."""
        for reading in self._readings.values():
            reading.stop()
        for recording in self.recordings:
            recording.strip.unlink(missing_ok=True)


class _Reading:
    """A worker that looks at one recording. What it says goes to files, so that nobody has to listen."""

    def __init__(self, python: WorkerPython, recording: Recording):
        command = [python.executable, "-P", "-m", "core", *recording.command()]
        self._clip, self._began = recording.clip, time.monotonic()
        try:
            with contextlib.ExitStack() as files:
                self._said, self._complaints = (files.enter_context(_open_file()) for _ in range(2))
                self._process = subprocess.Popen(command, env=python.environment() | lifeline.ENVIRONMENT,
                                                 stdin=subprocess.PIPE, stdout=self._said, stderr=self._complaints, creationflags=NO_WINDOW)
                files.enter_context(self._process.stdin)
                self._files = files.pop_all()
        except OSError as error:
            raise FormatError(f"'{recording.clip}' cannot be read: '{python.executable}' cannot be started ({error.strerror}); "
                              "choose another Python in Footfall's preferences, or free some space for temporary files.") from error

    @property
    def done(self) -> bool:
        return self._process.poll() is not None or self._late

    @property
    def _late(self) -> bool:
        return time.monotonic() > self._began + PATIENCE

    def stop(self) -> None:
        self._process.kill()
        self._files.close()
        with contextlib.suppress(subprocess.TimeoutExpired):  # a file on a disk that does not answer: nobody waits for that
            self._process.wait(5.0)

    def answer(self) -> dict:
        """What it said, once it is done."""
        if self._process.poll() is None:
            self.stop()
            raise FormatError(f"'{self._clip}' takes longer than {PATIENCE:.0f} s to read: cut it into shorter files.")
        with self._files:
            said, complaints = (_all_of(file) for file in (self._said, self._complaints))
        complaint = (complaints.strip().splitlines() or [""])[-1].strip()
        if self._process.returncode == 2 and complaint:
            raise FormatError(complaint)
        try:
            return json.loads(said[said.index("{"):])  # engines may print a line of their own first
        except ValueError as error:
            why = complaint or f"it ended with code {self._process.returncode}"
            raise FormatError(f"'{self._clip}' cannot be read, the worker stopped unexpectedly ({why}): export it again.") from error


def _open_file() -> TextIO:
    return tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")


def _all_of(file: TextIO) -> str:
    file.seek(0)
    return file.read()
