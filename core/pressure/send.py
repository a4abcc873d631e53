"""Plays a recording as a device would: frame after frame, each when it is time for it."""

from __future__ import annotations

import socket
import struct
import time as clock
import uuid
from collections.abc import Callable
from types import TracebackType

from ..errors import JobError
from . import packets
from .recording import Recording
from .stream import parsed_address

FORMS = ("json", "osc")
AGAIN_S = 1.0  # over UDP a device says what it is again after so long, for those who began to listen later


class Sender:
    """To an address, udp://host:port or tcp://host:port."""

    def __init__(self, address: str):
        self.address = address
        self.scheme, host, port = parsed_address(address)
        self._to = (host, port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if self.scheme == "udp" else socket.SOCK_STREAM)
        try:
            if self.scheme == "tcp":
                self._socket.settimeout(5.0)
                self._socket.connect(self._to)
        except (OSError, OverflowError) as error:
            self._socket.close()
            raise JobError(f"Nobody listens at '{address}' ({getattr(error, 'strerror', None) or error}): start the listener first.") from error

    def send(self, packet: bytes, form: str) -> None:
        try:
            if self.scheme == "udp":
                self._socket.sendto(packet, self._to)
            else:
                self._socket.sendall(struct.pack(">I", len(packet)) + packet if form == "osc" else packet)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise JobError(f"'{self.address}' takes nothing more ({why}): look whether it still listens.") from error

    def __enter__(self) -> Sender:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._socket.close()


def play(recording: Recording, sender: Sender, form: str = "json", speed: float = 1.0, tell: Callable[[float], None] = lambda share: None) -> int:
    """Send a recording ``speed`` times as fast as it was. Returns the number of frames; ``tell`` hears the share that is sent."""
    stream = uuid.uuid4().hex[:12]
    begin, said = clock.monotonic(), -AGAIN_S
    for number, time in enumerate(recording.times):
        wait = begin + time / speed - clock.monotonic()
        if wait > 0.0:
            clock.sleep(wait)
        if number == 0 or (sender.scheme == "udp" and time / speed - said >= AGAIN_S):
            said = time / speed
            for packet in packets.introduction(recording.device, recording.layout, recording.calibrated, stream, form):
                sender.send(packet, form)
        told = None if recording.forces is None else recording.forces[number]
        for packet in packets.frame(number, float(time), recording.pressures[number], told, form):
            sender.send(packet, form)
        tell((number + 1) / len(recording.times))
    sender.send(packets.end(form), form)
    return len(recording.times)
