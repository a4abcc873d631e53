"""What a process says, taken line by line as it comes, without waiting and without threads: Blender's Python crashes with them.

Needs neither Blender nor numpy.
"""

from __future__ import annotations

import os
from typing import BinaryIO

if os.name == "nt":
    import _winapi
    import msvcrt

AT_ONCE = 1 << 16  # bytes


class Pipe:
    """The end of a pipe from which is read; ``file`` is unbuffered. ``quiet``: whether nothing was there when it was last looked at."""

    def __init__(self, file: BinaryIO):
        self._file, self._rest, self.quiet = file, b"", False
        if os.name != "nt":
            os.set_blocking(file.fileno(), False)

    def lines(self) -> list[str]:
        """What has come in since the last time, as far as the lines are whole. Never blocks, and leaves what would take long for the next time."""
        data = self._available()
        self.quiet = not data
        *whole, self._rest = (self._rest + data).split(b"\n")
        return [line.decode("utf-8", "replace") for line in whole]

    @property
    def rest(self) -> str:
        """What came after the last whole line."""
        return self._rest.decode("utf-8", "replace")

    @property
    def closed(self) -> bool:
        return self._file.closed

    def close(self) -> None:
        self._file.close()

    def _available(self) -> bytes:
        """Nothing, where nothing is there or nobody writes any more."""
        number = self._file.fileno()
        try:
            if os.name != "nt":
                return os.read(number, AT_ONCE)
            count, _ = _winapi.PeekNamedPipe(msvcrt.get_osfhandle(number))
            return os.read(number, min(count, AT_ONCE)) if count else b""
        except (BlockingIOError, BrokenPipeError):
            return b""
