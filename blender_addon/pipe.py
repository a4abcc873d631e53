"""What a process says, taken line by line as it comes, without waiting and without threads: Blender's Python crashes with them. Needs neither Blender nor numpy."""

from __future__ import annotations

import os
from typing import BinaryIO

if os.name == "nt":
    import _winapi
    import msvcrt

AT_ONCE = 1 << 16  # bytes


class Pipe:
    """The end of a pipe from which is read; ``file`` is unbuffered."""

    def __init__(self, file: BinaryIO):
        self._file, self._rest = file, b""
        if os.name != "nt":
            os.set_blocking(file.fileno(), False)

    def lines(self) -> list[str]:
        """What has come in since the last time, as far as the lines are whole. Never blocks."""
        while data := self._available():
            self._rest += data
        *whole, self._rest = self._rest.split(b"\n")
        return [line.decode("utf-8", "replace") for line in whole]

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
            return os.read(number, count) if count else b""
        except (BlockingIOError, BrokenPipeError):
            return b""
