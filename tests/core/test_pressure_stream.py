"""A device that sends: frames come in their order, what is lost or late is bridged and counted, and nothing that comes does harm."""

import json
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.errors import JobError
from core.pressure import osc, packets
from core.pressure.devices import read
from core.pressure.recording import EITHER, LEFT, RIGHT, Layout, Recording
from core.pressure.send import Sender, play
from core.pressure.stream import Frames, Listener, whole_messages
from tests.core import made_pressure as made
from tests.core.heard import heard_of

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "foot_pressure.md"
LAYOUT = Layout(np.array([[0.05, 0.0], [0.2, 0.01], [0.05, 0.0]]), np.array([1e-3, 2e-3, 1e-3]), np.array([LEFT, LEFT, RIGHT]))


@pytest.mark.parametrize("scheme", ["udp", "tcp"])
@pytest.mark.parametrize("form", ["json", "osc"])
def test_a_stream_gives_the_frames_of_the_file(tmp_path, scheme, form):
    for name, data in made.every_device().items():
        (tmp_path / name).write_bytes(data)
        recording = read(tmp_path / name)
        heard, counts = heard_of(recording, scheme, form)
        assert (heard.device, heard.calibrated, heard.layout.grid) == (recording.device, recording.calibrated, recording.layout.grid), name
        assert counts.received == len(recording.times) and counts.lost == counts.late == counts.bad == 0
        np.testing.assert_allclose(heard.pressures, recording.pressures, rtol=1e-6 if form == "osc" else 0.0)
        np.testing.assert_array_equal(heard.times, recording.times)
        np.testing.assert_array_equal(heard.layout.areas, recording.layout.areas)
        np.testing.assert_array_equal(heard.layout.feet, recording.layout.feet)
        assert (heard.forces is None) == (recording.forces is None) and heard.faults == ()


@pytest.mark.parametrize("form", ["json", "osc"])
def test_frames_that_are_too_long_for_a_packet_come_in_parts(form):
    sensors = 9000
    layout = Layout(np.random.default_rng(1).random((sensors, 2)), np.full(sensors, 2.5e-5), np.full(sensors, EITHER), (90, 100))
    pressures = np.random.default_rng(2).random((4, sensors)) * 1e5
    assert all(len(packet) < 65507 for packet in packets.frame(0, 0.0, pressures[0], None, form) + packets.introduction("a", layout, True, "x", form))
    heard, counts = heard_of(Recording("Large pad", layout, np.arange(4) * 0.1, pressures), "udp", form, 2.0)
    assert heard.layout.grid == (90, 100) and counts.received == 4
    np.testing.assert_allclose(heard.pressures, pressures, rtol=1e-6)


# --- Lost and late ---


def begun(form="json"):
    frames = Frames(patience=0.05)
    for packet in packets.introduction("Made", LAYOUT, True, "one", form):
        for message in packets.decode(packet):
            frames.take(message, 0.0)
    return frames


def give(frames, number, now, value=None, stream_time=None):
    values = np.full(3, float(number if value is None else value))
    for packet in packets.frame(number, number * 0.01 if stream_time is None else stream_time, values, np.array([1.0, 2.0]) * number, "json"):
        for message in packets.decode(packet):
            frames.take(message, now)
    return frames.ready(now)


def test_a_lost_frame_is_bridged_after_a_while():
    frames = begun()
    assert [frame.number for frame in give(frames, 0, 0.00) + give(frames, 1, 0.01)] == [0, 1]
    assert give(frames, 4, 0.04) == []  # 2 and 3 may still come
    assert frames.ready(0.08) == []
    due = frames.ready(0.11)
    assert [(frame.number, frame.bridged) for frame in due] == [(2, True), (3, True), (4, False)]
    np.testing.assert_allclose([frame.pressures[0] for frame in due], [2.0, 3.0, 4.0])
    np.testing.assert_allclose([frame.time for frame in due], [0.02, 0.03, 0.04])
    np.testing.assert_allclose(due[0].forces, [2.0, 4.0])
    assert (frames.counts.received, frames.counts.lost, frames.counts.late) == (3, 2, 0)
    assert give(frames, 3, 0.12) == [] and (frames.counts.lost, frames.counts.late) == (1, 1)  # too late
    recording = frames.recording()
    assert len(recording.times) == 5 and "1 frames were lost on the way and 1 came too late" in recording.faults[0]


def test_frames_out_of_order_and_twice_come_once_and_in_order():
    frames = begun()
    numbers = [1, 0, 0, 3, 2, 2, 5, 6, 4, 7]
    due = [frame.number for n, number in enumerate(numbers) for frame in give(frames, number, 0.01 * n)]
    assert due == list(range(8)) and frames.counts.lost == 0


def test_a_stream_that_was_away_for_long_is_not_made_up():
    frames = begun()
    give(frames, 0, 0.0)
    give(frames, 500, 5.0)
    due = frames.ready(5.2)
    assert [frame.number for frame in due] == [500] and frames.counts.lost == 499


def test_a_device_that_begins_anew_goes_on():
    frames = begun()
    for number in range(300):
        give(frames, number, number * 0.01)
    for packet in packets.introduction("Made", LAYOUT, True, "two", "json"):
        for message in packets.decode(packet):
            frames.take(message, 4.0)
    again = give(frames, 0, 4.0) + give(frames, 1, 4.01)
    assert [frame.number for frame in again] == [0, 1] and again[0].time > 2.99
    assert (np.diff(frames.recording().times) > 0.0).all() and len(frames.recording().times) == 302
    plain = begun()  # one that does not say so
    for number in range(300):
        give(plain, number, number * 0.01)
    assert [frame.number for frame in give(plain, 0, 4.0)] == [0]


def test_half_a_frame_is_lost():
    frames = begun()
    give(frames, 0, 0.0)
    frames.take(packets.Part(1, 0.01, np.array([5.0]), 0, 3), 0.01)
    give(frames, 2, 0.02)
    assert [(frame.number, frame.bridged) for frame in frames.ready(0.2)] == [(1, True), (2, False)]


def test_who_does_not_count_and_has_no_clock_is_taken_as_it_comes():
    frames = Frames()
    for message in packets.decode(b'{"sensors": [[0.1, 0, 0.01, "left"], [0.1, 0, 0.01, "right"]]}\n{"p": [1, 2]}'):
        frames.take(message, 10.0)
    first = frames.ready(10.0)
    for message in packets.decode(b'{"p": [3, null]}'):
        frames.take(message, 10.5)
    second = frames.ready(10.5)
    assert [frame.number for frame in first + second] == [0, 1] and second[0].time == pytest.approx(0.5) and np.isnan(second[0].pressures[1])


# --- Sockets ---


@pytest.mark.parametrize("scheme", ["udp", "tcp"])
def test_a_listener_never_waits_and_knows_when_it_is_over(scheme):
    with Listener(f"{scheme}://127.0.0.1:0") as listener:
        begin = time.monotonic()
        assert listener.poll() == [] and not listener.stopped() and time.monotonic() - begin < 0.05
        with Sender(f"{scheme}://127.0.0.1:{listener.port}") as sender:
            for packet in packets.introduction("Made", LAYOUT, True, "", "json") + packets.frame(0, 0.0, np.ones(3), None, "json"):
                sender.send(packet, "json")
            found = []
            while not found and time.monotonic() - begin < 5.0:
                found += listener.poll()
            assert len(found) == 1 and not listener.stopped()
            assert listener.stopped(time.monotonic() + 1.5)  # silence
            sender.send(packets.end("json"), "json")
        while not listener.stopped() and time.monotonic() - begin < 5.0:
            listener.poll()
        assert listener.stopped()
    assert listener.poll() == []  # also when it is closed
    listener.close()


def test_addresses_that_are_none(tmp_path):
    for address in ("", "127.0.0.1:9", "http://a:1", "udp://127.0.0.1", "udp://127.0.0.1:99999", "udp://[", "tcp://a:b", "udp://127.0.0.1:80/x"):
        with pytest.raises(JobError, match="is no address"):
            Listener(address)
    with Listener("udp://127.0.0.1:0") as one, pytest.raises(JobError, match="choose another port"):
        Listener(f"udp://127.0.0.1:{one.port}")
    with Listener("tcp://127.0.0.1:0") as one:
        port = one.port
    with pytest.raises(JobError, match="Nobody listens at"):
        Sender(f"tcp://127.0.0.1:{port}")


def test_what_makes_no_sense_is_counted_and_left_out():
    rng = np.random.default_rng(3)
    good = [*packets.introduction("Made", LAYOUT, True, "one", "json"), *packets.frame(0, 0.0, np.ones(3), None, "json"),
            *packets.introduction("Made", LAYOUT, True, "one", "osc"), *packets.frame(1, 0.1, np.ones(3), np.ones(2), "osc")]
    bad = [b"", b"{", b"[]", b"null", b"{}", b'{"p": "x"}', b'{"p": [[1]]}', b'{"p": [1e999]}', b'{"n": -1, "p": [1]}', b'{"p": {}}',
           b'{"sensors": 3}', b"[" * 9000,
           b'{"sensors": [[1, 2, -3, "left"]]}', b'{"device": "a", "count": 999999999}', b"/footfall/frame",
           b"#bundle\0" + b"\0" * 8 + struct.pack(">i", 1 << 30),
           b'{"n": 999999999999, "t": 1, "p": [1, 2, 3]}', osc.message("/footfall/frame", "i", (1,)), osc.message("/other", "f", (1.0,)),
           b"{" * 60000]
    with Listener("udp://127.0.0.1:0", patience=0.0) as listener, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for packet in bad + good + [_mutated(good[int(rng.integers(len(good)))], rng) for _ in range(3000)] + good:
            out.sendto(packet, ("127.0.0.1", listener.port))
            listener.poll()
        assert listener.counts.bad > 100 and listener.frames.device is not None
        listener.frames.recording()


def _mutated(packet, rng):
    data = bytearray(packet)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(data) + 1))
        if rng.integers(2):
            data[at:at + int(rng.integers(0, 6))] = rng.bytes(int(rng.integers(0, 6)))
        else:
            data[at:at] = rng.choice([b"9999999999", b"-", b"null", b"]", b"{", b"\0\0\0\0", b"1e400", b'"', b"NaN"])
    return bytes(data)


def test_messages_over_tcp_are_taken_apart():
    one, other = packets.end("json"), packets.end("osc")
    stream = one + struct.pack(">I", len(other)) + other + one + b"{"
    for cut in range(len(stream) + 1):
        buffer, found = bytearray(stream[:cut]), []
        found += whole_messages(buffer)
        buffer += stream[cut:]
        found += whole_messages(buffer)
        assert found == [one.strip(), other, one.strip()] and buffer == b"{"


def test_osc_is_what_others_write():
    """A message and a bundle as the specification spells them out."""
    assert osc.message("/oscillator/4/frequency", "f", (440.0,)) == b"/oscillator/4/frequency\0,f\0\0\x43\xdc\0\0"
    inner = osc.message("/foo", "iisff", (1000, -1, "hello", 1.234, 5.678))
    assert inner == bytes.fromhex("2f666f6f000000002c69697366660000000003e8ffffffff68656c6c6f0000003f9df3b640b5b22d")
    bundle = b"#bundle\0" + struct.pack(">Q", 1) + (struct.pack(">i", len(inner)) + inner) * 2
    assert [address for address, _ in osc.messages(bundle)] == ["/foo", "/foo"]
    assert next(osc.messages(inner))[1] == [1000, -1, "hello", pytest.approx(1.234), pytest.approx(5.678)]


# --- The command, and the lines of the document ---


def test_the_command_plays_a_recording(tmp_path, capsys):
    path = tmp_path / "a.asc"
    feet, times = made.walk(99, 1.0)
    path.write_text(made.pedar(feet, times))
    with Listener("udp://127.0.0.1:0") as listener:
        begin = time.monotonic()
        assert main(["pressure", str(path), "--send", f"udp://127.0.0.1:{listener.port}", "--as", "osc", "--speed", "4"]) == 0
        assert 0.2 < time.monotonic() - begin < 2.0
        assert json.loads(capsys.readouterr().out)["sent"] == len(times)
        listener.poll()
        assert listener.counts.received == len(times) and listener.stopped()
    assert main(["pressure", str(path), "--send", "nowhere"]) == 2 and "is no address" in capsys.readouterr().err


def test_the_ten_lines_of_the_document_send():
    script = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL).group(1)
    assert len(script.strip().split("\n")) <= 10
    with Listener("udp://127.0.0.1:0") as listener:
        quick = script.replace("9740", str(listener.port)).replace("600", "60")
        done = subprocess.Popen([sys.executable, "-c", quick])
        while done.poll() is None:
            listener.poll()
            time.sleep(0.005)
        assert done.returncode == 0
        listener.poll()
        recording = listener.frames.recording()
    assert len(recording.times) == 60 and set(recording.layout.feet) == {LEFT, RIGHT} and recording.faults == ()


@pytest.mark.parametrize("sensors, form", [(198, "json"), (198, "osc"), (6080, "osc")])
def test_listening_takes_little_of_a_core(sensors, form):
    """A second at 100 Hz, without the sockets: at most a twentieth of a second."""
    layout = Layout(np.zeros((sensors, 2)), np.full(sensors, 1e-4), np.full(sensors, EITHER))
    sent = [packets.frame(n, 0.01 * n, np.round(1e5 * np.random.default_rng(n).random(sensors), 1), None, form) for n in range(100)]
    frames = Frames()
    for packet in packets.introduction("Made", layout, True, "", form):
        for message in packets.decode(packet):
            frames.take(message, 0.0)
    begin, delivered = time.process_time(), 0
    for n, parts in enumerate(sent):
        for packet in parts:
            for message in packets.decode(packet):
                frames.take(message, 0.01 * n)
        delivered += len(frames.ready(0.01 * n))
    took = time.process_time() - begin
    print(f"{sensors} sensors as {form}: {took:.1%} of a core")
    assert delivered == 100 and took < 0.05
