"""A lifeline: a process that somebody else started ends when they do, however that happens.

Who starts it gives it a pipe as its standard input, keeps the other end and says so in ``ENVIRONMENT``. Nothing is ever written to that pipe.
It closes when its keeper ends, even by a signal that leaves no time for a word, and that is noticed here, whatever the process is doing.
Linux, macOS and Windows do this alike.
"""

from __future__ import annotations

import os
import signal
import threading

VARIABLE = "FOOTFALL_LIFELINE"
ENVIRONMENT = {VARIABLE: "stdin"}


def hold() -> None:
    """In a process that may have been started with a lifeline: from now on it ends, with all that it starts, when that closes."""
    if os.environ.pop(VARIABLE, None):  # those that it starts have no such pipe
        threading.Thread(target=_end_when_closed, args=(0,), daemon=True).start()


def _end_when_closed(pipe: int) -> None:
    while os.read(pipe, 1):
        pass
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():  # it was started in a session of its own, with its workers
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)
