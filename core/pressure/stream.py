"""A device that is listened to: packets become frames in their order; what is lost or late is bridged, and counted.

    with Listener("udp://127.0.0.1:9740") as listener:
        while not listener.stopped():
            for frame in listener.poll():
                …
"""

from __future__ import annotations

import socket
import struct
import time as clock
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from urllib.parse import urlsplit

import numpy as np

from ..arrays import Array
from ..errors import JobError
from .packets import Device, End, Message, Part, Sensors, decode
from .recording import Layout, Recording

PATIENCE_S = 0.05  # how long a missing packet is waited for once a later one is there
SILENCE_S = 1.0  # a device that sends nothing for so long has stopped
BRIDGED_S = 1.0  # frames that are missing for longer are not made up
WAITING = 256  # frames that wait for their parts, or for the sensors' places
REORDERED = 8  # packets that may overtake the first one
BEGUN_ANEW = 100  # a number that is so much smaller than the one before is of a device that has begun anew
MOST_VALUES = 50_000_000  # pressures that are kept of a stream: 400 MB
BUDGET_S = 0.05  # what takes longer than this waits until the next time
AT_ONCE = 1 << 22  # bytes that are taken at one time
BUFFER = 1 << 22  # bytes that the system may keep for us
LONGEST_LINE = 1 << 22  # bytes of a message over TCP
MOST_DEVICES = 4  # at one time, over TCP
INTRODUCTIONS = 200  # packets of a device that says what it is, which are remembered
SCHEMES = ("udp", "tcp")


@dataclass(frozen=True, eq=False)
class Frame:
    """number: from 0 on. time: s of the device's clock. pressures: (S,) Pa. forces: (2,) N, or None. bridged: that it was lost, and is made up."""

    number: int
    time: float
    pressures: Array
    forces: Array | None = None
    bridged: bool = False


@dataclass
class Counts:
    """Of a stream: whole frames that came; those that were lost and those that came too late, both bridged; packets that make no sense."""

    received: int = 0
    lost: int = 0
    late: int = 0
    bad: int = 0


@dataclass
class _Waiting:
    """A frame whose parts are not all there."""

    time: float | None
    values: Array
    here: Array
    arrived: float
    forces: Array | None = None


@dataclass
class Frames:
    """Puts messages together to frames. It knows no sockets: times of arrival (s, of any clock) are given to it."""

    patience: float = PATIENCE_S
    counts: Counts = field(default_factory=Counts)
    device: Device | None = None
    layout: Layout | None = None
    ended: bool = False
    heard: float | None = None

    def __post_init__(self) -> None:
        self._places: Array = np.empty((0, 4))
        self._waiting: dict[int, _Waiting] = {}
        self._next: int | None = None
        self._began: float | None = None
        self._last: Frame | None = None
        self._shift = 0.0
        self._kept: list[Frame] = []

    def take(self, message: Message, now: float) -> None:
        """A message that arrived."""
        self.heard = now
        if isinstance(message, Device):
            self._meet(message)
        elif isinstance(message, Sensors):
            self._place(message)
        elif isinstance(message, Part):
            self._collect(message, now)
        elif isinstance(message, End):
            self.ended = True

    def ready(self, now: float) -> list[Frame]:
        """Frames that are due, in their order."""
        found: list[Frame] = []
        while self.layout is not None and self._waiting:
            first = min(self._waiting)
            if self._next is None:
                self._next = 0 if first < REORDERED else first
            waiting = self._waiting[first]
            whole = bool(waiting.here.all())
            if first == self._next and whole:
                del self._waiting[first]
                found.append(self._deliver(first, waiting))
                continue
            later = [number for number in sorted(self._waiting) if self._waiting[number].here.all()]
            if not later or not (self.ended or len(self._waiting) > WAITING or now - self._waiting[later[0]].arrived > self.patience):
                break
            for number in [number for number in self._waiting if number < later[0]]:
                del self._waiting[number]  # parts of them are missing
            found += self._bridge(later[0], self._waiting[later[0]])
        return found

    def recording(self) -> Recording | None:
        """All that was heard so far; None where nothing was."""
        if self.layout is None or self.device is None or not self._kept:
            return None
        times = np.array([frame.time for frame in self._kept])
        return recorded(self.device, self.layout, times - times[0], self._kept, self.counts)

    def _meet(self, device: Device) -> None:
        known, self.device = self.device, device
        if known is not None and (device.stream, device.count) == (known.stream, known.count):
            return
        self._places, self.layout = np.full((device.count, 4), np.nan), None
        if known is not None:
            self._begin_anew()
        if known is None or device.count != known.count:
            self._waiting = {number: waiting for number, waiting in self._waiting.items() if len(waiting.values) == device.count}
            self._kept.clear()
            self._last = None

    def _place(self, sensors: Sensors) -> None:
        if self.device is None or self.layout is not None or not sensors.places or sensors.first + len(sensors.places) > self.device.count:
            return
        self._places[sensors.first:sensors.first + len(sensors.places)] = sensors.places
        if not np.isnan(self._places).any():
            grid = self.device.grid
            self.layout = Layout(self._places[:, :2].copy(), self._places[:, 2].copy(), self._places[:, 3].astype(int),
                                 grid if grid and grid[0] * grid[1] == self.device.count else None)

    def _collect(self, part: Part, now: float) -> None:
        if self._began is None:
            self._began = now
        count = part.count if part.count is not None else part.first + len(part.values)
        known = self.device.count if self.device else count
        if count != known or part.first + len(part.values) > count or not len(part.values):
            self.counts.bad += 1
            return
        number = part.number
        if number is None:
            number = max(self._waiting, default=(self._next or 0) - 1) + 1
        elif self._next is not None and number < self._next:
            if number > self._next - BEGUN_ANEW and not (number == 0 and self._next > REORDERED):
                self._late()
                return
            self._begin_anew()
        waiting = self._waiting.get(number)
        if waiting is None:
            if self.layout is None and len(self._waiting) >= WAITING:
                del self._waiting[min(self._waiting)]
            time = part.time if part.time is not None else now - self._began
            waiting = self._waiting[number] = _Waiting(time, np.full(count, np.nan), np.zeros(count, dtype=bool), now)
        if len(waiting.values) != count:
            self.counts.bad += 1
            return
        waiting.values[part.first:part.first + len(part.values)] = part.values
        waiting.here[part.first:part.first + len(part.values)] = True
        if part.forces is not None:
            waiting.forces = np.array(part.forces)

    def _late(self) -> None:
        """It was taken for lost."""
        if self.counts.lost:
            self.counts.lost -= 1
            self.counts.late += 1

    def _begin_anew(self) -> None:
        """A device that was started again: its time goes on after what there was."""
        self._waiting.clear()
        self._next, self.ended = None, False
        self._shift = self._last.time if self._last else 0.0

    def _deliver(self, number: int, waiting: _Waiting) -> Frame:
        self.counts.received += 1
        self._next = number + 1
        return self._keep(Frame(number, self._after(waiting.time), waiting.values, waiting.forces))

    def _bridge(self, number: int, waiting: _Waiting) -> list[Frame]:
        """The frames before a number that are missing, in a straight line to it; it itself is next."""
        first, missing = self._next or 0, number - (self._next or 0)
        before, after = self._last, self._after(waiting.time)
        self._next = number
        if not 0 < missing < WAITING * WAITING:  # more: it counts in another way now
            return []
        self.counts.lost += missing
        if before is None or after - before.time > BRIDGED_S:
            return []
        found = []
        for missed in range(first, number):
            share = (missed - first + 1) / (missing + 1)
            forces = None if before.forces is None or waiting.forces is None else before.forces + share * (waiting.forces - before.forces)
            found.append(self._keep(Frame(missed, before.time + share * (after - before.time),
                                          before.pressures + share * (waiting.values - before.pressures), forces, True)))
        return found

    def _after(self, time: float | None) -> float:
        """A time of the device, moved so that it goes on after the last frame."""
        shifted = (time or 0.0) + self._shift
        return shifted if self._last is None or shifted > self._last.time else self._last.time + 1e-6

    def _keep(self, frame: Frame) -> Frame:
        self._last = frame
        if not full(self._kept):
            self._kept.append(frame)
        return frame


class Listener:
    """Listens at an address, udp://host:port or tcp://host:port, until it is closed. Nothing here waits."""

    def __init__(self, address: str, patience: float = PATIENCE_S):
        self.scheme, host, port = parsed_address(address)
        self.frames = Frames(patience)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if self.scheme == "udp" else socket.SOCK_STREAM)
        self._devices: dict[socket.socket, bytearray] = {}
        self._backlog: deque[bytes] = deque()
        self._said: dict[bytes, list[Message]] = {}
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
            if self.scheme == "tcp":
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((host, port))
            if self.scheme == "tcp":
                self._socket.listen(4)
            self._socket.setblocking(False)
        except (OSError, OverflowError, UnicodeError) as error:
            self._socket.close()
            raise JobError(f"Nobody can listen at '{address}' ({getattr(error, 'strerror', None) or error}): choose another port.") from error

    @property
    def port(self) -> int:
        return int(self._socket.getsockname()[1])

    @property
    def counts(self) -> Counts:
        return replace(self.frames.counts)

    def poll(self, now: float | None = None) -> list[Frame]:
        """The frames that are due since the last time; ``now`` is in s, of any clock that does not go back."""
        now = clock.monotonic() if now is None else now
        until = clock.monotonic() + BUDGET_S
        if not self._backlog:
            self._backlog.extend(self._packets() if self.scheme == "udp" else self._lines())
        while self._backlog and clock.monotonic() < until:
            try:
                for message in self._decoded(self._backlog.popleft()):
                    self.frames.take(message, now)
            except ValueError:
                self.frames.counts.bad += 1
        return self.frames.ready(now)

    def _decoded(self, packet: bytes) -> list[Message]:
        """What a packet says; that of a device which says again what it is and where its thousands of sensors are is known."""
        said = self._said.get(packet)
        if said is None:
            said = decode(packet)
            if said and len(self._said) < INTRODUCTIONS and all(isinstance(message, Device | Sensors) for message in said):
                self._said[packet] = said
        return said

    def stopped(self, now: float | None = None) -> bool:
        """Whether a device that did send does no longer."""
        now = clock.monotonic() if now is None else now
        return (self.frames.ended and not self._backlog) or (self.frames.heard is not None and now - self.frames.heard > SILENCE_S)

    def close(self) -> None:
        for device in (*self._devices, self._socket):
            device.close()
        self._devices.clear()

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _packets(self) -> list[bytes]:
        found, taken = [], 0
        while taken < AT_ONCE:
            try:
                packet = self._socket.recv(1 << 16)
            except OSError:  # nothing there, or closed
                break
            found.append(packet)
            taken += len(packet) + 64
        return found

    def _lines(self) -> list[bytes]:
        """Messages of all that are connected."""
        try:
            while True:
                device, _ = self._socket.accept()
                if len(self._devices) >= MOST_DEVICES:
                    device.close()
                    continue
                device.setblocking(False)
                self._devices[device] = bytearray()
        except OSError:
            pass
        found: list[bytes] = []
        for device, buffer in list(self._devices.items()):
            gone = self._fill(device, buffer)
            found += whole_messages(buffer)
            if gone or len(buffer) > LONGEST_LINE:
                self.frames.counts.bad += bool(buffer)
                device.close()
                del self._devices[device]
        return found

    def _fill(self, device: socket.socket, buffer: bytearray) -> bool:
        """Take what there is; whether the device is gone."""
        taken = 0
        while taken < AT_ONCE:
            try:
                data = device.recv(1 << 16)
            except BlockingIOError:
                return False
            except OSError:
                return True
            if not data:
                return True
            buffer += data
            taken += len(data)
        return False


def whole_messages(buffer: bytearray) -> list[bytes]:
    """Take the whole messages out of what came over TCP: lines of JSON, or OSC packets with their length before each."""
    found: list[bytes] = []
    at = 0
    while at < len(buffer):
        if buffer[at] == 0:  # the first byte of a length; a line never begins with it
            if at + 4 > len(buffer):
                break
            size = struct.unpack_from(">I", buffer, at)[0]
            if at + 4 + size > len(buffer):
                break
            found.append(bytes(buffer[at + 4:at + 4 + size]))
            at += 4 + size
        else:
            end = buffer.find(b"\n", at)
            if end < 0:
                break
            if line := bytes(buffer[at:end]).strip():
                found.append(line)
            at = end + 1
    del buffer[:at]
    return found


def full(frames: Sequence[Frame]) -> bool:
    """Whether no more frames are kept."""
    return bool(frames) and len(frames) * len(frames[0].pressures) >= MOST_VALUES


def recorded(device: Device, layout: Layout, times: Array, frames: Sequence[Frame], counts: Counts) -> Recording:
    """Frames that a device has sent, at times (T,) s, as a recording."""
    faults = []
    if counts.lost + counts.late:
        faults.append(f"{counts.lost} frames were lost on the way and {counts.late} came too late; bridged.")
    if counts.bad:
        faults.append(f"{counts.bad} packets made no sense; left out.")
    if full(frames):
        faults.append("The stream was too long; its end is left out.")
    nothing = np.full(2, np.nan)
    told = any(frame.forces is not None for frame in frames)
    forces = np.array([nothing if frame.forces is None else frame.forces for frame in frames]) if told else None
    return Recording(device.name, layout, times, np.array([frame.pressures for frame in frames]), device.calibrated, forces, tuple(faults))


def parsed_address(address: str) -> tuple[str, str, int]:
    """Scheme, host and port of udp://host:port or tcp://host:port."""
    try:
        parts = urlsplit(address)
        if parts.scheme in SCHEMES and parts.port is not None and not parts.path.strip("/"):
            return parts.scheme, parts.hostname or "0.0.0.0", parts.port
    except (ValueError, TypeError, AttributeError):
        pass
    raise JobError(f"'{address}' is no address: write udp://127.0.0.1:9740 or tcp://127.0.0.1:9740.")


