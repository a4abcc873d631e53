"""What is in a recording: the worker reads it and says so. Needs neither Blender nor numpy."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import FootfallError, FormatError
from .worker import NO_WINDOW, WorkerPython

PATIENCE = 120.0  # s for one recording
AT_ONCE = 4


@dataclass(frozen=True)
class Recording:
    """A file to look at: the recording, the picture that is made of it, and whether its faults are to be repaired."""

    clip: Path
    strip: Path
    repair: bool = False


def inspect(python: WorkerPython, recording: Recording) -> dict:
    """What `python -m core inspect` says, as a dict; the picture has then been written. A FormatError says what is wrong with the file."""
    command = [python.executable, "-P", "-m", "core", "inspect", str(recording.clip), "--strip", str(recording.strip)]
    try:
        done = subprocess.run(command + ["--repair"] * recording.repair, env=python.environment(), capture_output=True, encoding="utf-8",
                              errors="replace", stdin=subprocess.DEVNULL, timeout=PATIENCE, creationflags=NO_WINDOW)
    except subprocess.TimeoutExpired as error:
        raise FormatError(f"'{recording.clip}' takes longer than {PATIENCE:.0f} s to read: cut it into shorter files.") from error
    except OSError as error:
        raise FormatError(f"'{recording.clip}' cannot be read: '{python.executable}' cannot be started ({error.strerror}).") from error
    complaint = (done.stderr.strip().splitlines() or [""])[-1].strip()
    if done.returncode == 2 and complaint:
        raise FormatError(complaint)
    try:
        return json.loads(done.stdout[done.stdout.index("{"):])  # engines may print a line of their own first
    except ValueError as error:
        why = complaint or f"it ended with code {done.returncode}"
        raise FormatError(f"'{recording.clip}' cannot be read, the worker stopped unexpectedly ({why}): export it again.") from error


class Inspection:
    """Several recordings, a few at once, in the background; ``answers`` waits for all of them."""

    def __init__(self, python: WorkerPython, recordings: list[Recording]):
        self.recordings = recordings
        pool = ThreadPoolExecutor(AT_ONCE)
        self._answers = [pool.submit(_attempt, python, recording) for recording in recordings]
        pool.shutdown(wait=False)

    @property
    def part(self) -> float:
        """How much of it is done, 0–1."""
        return sum(answer.done() for answer in self._answers) / len(self._answers)

    def answers(self) -> list[dict | FootfallError]:
        """What is said of each recording, or the error of a file that cannot be used."""
        return [answer.result() for answer in self._answers]

    def cancel(self) -> None:
        """Start with no more files, and remove the pictures, also those that are being made."""
        for recording, answer in zip(self.recordings, self._answers):
            answer.cancel()
            answer.add_done_callback(lambda _, strip=recording.strip: strip.unlink(missing_ok=True))


def _attempt(python: WorkerPython, recording: Recording) -> dict | FootfallError:
    try:
        return inspect(python, recording)
    except FootfallError as error:
        recording.strip.unlink(missing_ok=True)
        return error
