"""A lifeline: a process that somebody else started ends when they do, however that happens.

Who starts it gives it a pipe as its standard input, keeps the other end and says so in ``ENVIRONMENT``. What is written to that pipe are lines
for work that listens (``lines``). It closes when its keeper ends, even by a signal that leaves no time for a word, and that is noticed here, whatever
the process is doing.
Linux, macOS and Windows do this alike.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

VARIABLE = "FOOTFALL_LIFELINE"
ENVIRONMENT = {VARIABLE: "stdin"}
_said: SimpleQueue[str] = SimpleQueue()
_closed = threading.Event()
_heard: list[threading.Thread] = []  # who hears standard input, if anybody does


def hold() -> None:
    """In a process that may have been started with a lifeline: from now on it ends, with all that it starts, when that closes."""
    if os.environ.pop(VARIABLE, None):  # those that it starts have no such pipe
        _hear(_end_when_closed)


def listen() -> None:
    """Hear what comes on standard input, also in a process that somebody else than its keeper talks to."""
    if not _heard:
        _hear(_take_in)


def lines() -> list[str]:
    """What was said since the last time, line by line. Never waits."""
    found = []
    try:
        while True:
            found.append(_said.get_nowait())
    except Empty:
        return found


def closed() -> bool:
    """Whether nothing more will be said."""
    return _closed.is_set() and _said.empty()


def _hear(how: Callable[[int], None]) -> None:
    _heard.append(threading.Thread(target=how, args=(0,), daemon=True))
    _heard[0].start()


def _take_in(pipe: int) -> None:
    rest = b""
    while data := os.read(pipe, 4096):
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            _said.put(line.decode("utf-8", "replace"))
    if rest:
        _said.put(rest.decode("utf-8", "replace"))
    _closed.set()


def _end_when_closed(pipe: int) -> None:
    _take_in(pipe)
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():  # it was started in a session of its own, with its workers
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)
