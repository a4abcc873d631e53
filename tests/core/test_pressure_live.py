"""A stream that moves a character: when poses are due, what becomes of lost packets and of a device that stops; the command that listens."""

import json
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core import presets
from core.__main__ import main
from core.pressure import packets
from core.pressure.acting import Actor, Learnt, act, played
from core.pressure.database import Database, build
from core.pressure.devices import plain, read
from core.pressure.live import EARLY_S, Live
from core.pressure.motions import tread_in
from core.pressure.pad import record
from core.pressure.recording import Recording
from core.pressure.send import Sender
from core.pressure.sensors import device_named
from core.pressure.stream import Listener
from core.result import Result

CLIPS = Path(__file__).resolve().parents[1] / "clips"
REPOSITORY = CLIPS.parents[1]
MAN = presets.body("average_man")
LATENCY, TICK = 0.4, 0.01


@cache
def database() -> Database:
    return build([CLIPS / "stand.bvh", CLIPS / "kick.bvh"])


@cache
def learnt() -> Learnt:
    return Learnt(database(), MAN, LATENCY)


@cache
def kick(device: str = "40x60@12Hz") -> Recording:
    return record(tread_in(CLIPS / "kick.bvh").tread, device_named(device))


class Stage:
    """A device and who listens to it, with a clock of their own: nobody waits."""

    def __init__(self, felt: Recording):
        self.listener, self.felt, self.now, self.shown = Listener("udp://127.0.0.1:0"), felt, 100.0, []
        self.sender = Sender(f"udp://127.0.0.1:{self.listener.port}")
        self.live = Live(self.listener, lambda layout, calibrated: Actor(database(), MAN, layout, LATENCY, calibrated=calibrated, learnt=learnt()))

    def send(self, *, lost=(), until: float = np.inf, stream: str = "one", end: bool = False) -> None:
        """The recording as a device sends it."""
        begin = self.now
        for packet in packets.introduction(self.felt.device, self.felt.layout, True, stream, "osc"):
            self.sender.send(packet, "osc")
        for number, moment in enumerate(self.felt.times):
            if moment > until:
                break
            self.wait(begin + moment - self.now)
            for packet in packets.frame(number, float(moment), self.felt.pressures[number], None, "osc") if number not in lost else ():
                self.sender.send(packet, "osc")
        if end:
            self.sender.send(packets.end("osc"), "osc")

    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.now = min(self.now + TICK, until)
            self.shown += [(self.now, one) for one in self.live.go_on(self.now)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sender.__exit__(None, None, None)
        self.listener.close()


def same(poses, others) -> bool:
    return len(poses) == len(others) and all(
        one.time == other.time and np.array_equal(one.root, other.root) and np.array_equal(one.rotations, other.rotations)
        for one, other in zip(poses, others, strict=True))


@pytest.mark.parametrize("device", ["40x60@12Hz", pytest.param("moticon@100Hz", marks=pytest.mark.slow)])
def test_poses_come_the_latency_after_the_feet_and_are_those_of_the_recording(device, tmp_path):
    with Stage(kick(device)) as stage:
        stage.send()
        stage.wait(0.2)
        late = np.array([now - one.felt for now, one in stage.shown])
        assert len(late) > 100 and late.min() >= LATENCY - EARLY_S - 1e-6 and late.max() < LATENCY + 0.02
        stage.live.finish()
        heard = stage.live.recording()
        assert same(stage.live.poses, played(heard, database(), MAN, LATENCY))
        plain.write(tmp_path / "take.csv", heard, exact=True)
        assert same(stage.live.poses, played(read(tmp_path / "take.csv"), database(), MAN, LATENCY))


def test_a_kick_is_done_live():
    with Stage(kick()) as stage:
        stage.send()
        assert any(one.pose.action == "kick" for _, one in stage.shown)


def test_lost_frames_are_bridged_and_counted():
    with Stage(kick("moticon@100Hz")) as stage:
        stage.send(lost=set(range(20, 300, 25)))
        stage.wait(0.2)
        counts = stage.live.counts
        assert counts.lost == 12 and counts.received == len(stage.felt.times) - 12
        late = np.array([now - one.felt for now, one in stage.shown])
        assert late.max() < LATENCY + 0.05
        stage.live.finish()
        assert same(stage.live.poses, played(stage.live.recording(), database(), MAN, LATENCY))


@pytest.mark.parametrize("end", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_device_that_stops_leaves_the_character_standing(end):
    """In the middle of a kick, with a last word or without one."""
    with Stage(kick()) as stage:
        stage.send(until=1.6, end=end)
        stage.wait(6.0)
        assert stage.live.stopped
        last = [one.pose for _, one in stage.shown][-20:]
        assert all(pose.action == "" and pose.stands.all() for pose in last)
        assert np.ptp([pose.root for pose in last], axis=0).max() < 0.01
        count = len(stage.shown)
        stage.wait(1.0)
        assert len(stage.shown) == count, "nothing goes on"
        stage.live.finish()
        assert same(stage.live.poses, played(stage.live.recording(), database(), MAN, LATENCY))


def test_a_device_that_goes_on_after_a_stop_is_heard_again():
    with Stage(kick()) as stage:
        stage.send(until=1.0, end=True)
        stage.wait(4.0)
        count = len(stage.shown)
        stage.send(stream="two")
        stage.wait(0.5)
        assert len(stage.shown) > count + 100
        times = [one.pose.time for _, one in stage.shown]
        assert np.allclose(np.diff(times), 1.0 / 60.0), "its time goes on"
        stage.live.finish()
        heard = stage.live.recording()
        assert np.all(np.diff(heard.times) > 0.0) and same(stage.live.poses, played(heard, database(), MAN, LATENCY))


def test_a_clock_that_jumps_does_not_make_it_wait():
    with Stage(kick()) as stage:
        stage.send(until=1.0)
        poses = len(stage.live.poses)
        for number, jumped in enumerate((1e9, 1e9 + 0.1, 1e9 + 0.2), len(stage.felt.times)):
            for packet in packets.frame(number, jumped, stage.felt.pressures[0], None, "osc"):
                stage.sender.send(packet, "osc")
            stage.wait(0.1)
        stage.live.finish()
        assert poses < len(stage.live.poses) < poses + 120
        assert stage.live.poses[-1].time < 2.0


def test_another_device_does_not_spoil_the_take():
    with Stage(kick()) as stage:
        stage.send(until=1.0)
        own = stage.live.recording()
        stage.felt = kick("pedar")
        stage.send(until=0.5, stream="two")
        stage.live.finish()
        heard = stage.live.recording()
    assert heard.layout.grid == own.layout.grid and heard.pressures.shape[1] == own.pressures.shape[1]



def test_the_command_hears_a_recording_that_another_process_sends(tmp_path):
    database().save(tmp_path / "small.npz")
    plain.write(tmp_path / "kick.csv", kick("moticon@60Hz"))
    with Listener("udp://127.0.0.1:0") as free:
        address = f"udp://127.0.0.1:{free.port}"
    (tmp_path / "job.json").write_text(json.dumps({"address": address, "database": str(tmp_path / "small.npz"), "latency": LATENCY, "fps": 24}))
    output = tmp_path / "take.npz"
    listening = subprocess.Popen([sys.executable, "-m", "core", "listen", str(tmp_path / "job.json"), "-o", str(output), "--stream"],
                                 cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    for line in listening.stdout:
        if "Waiting" in line:
            break
    sender = subprocess.Popen([sys.executable, "-m", "core", "pressure", str(tmp_path / "kick.csv"), "--send", address], cwd=REPOSITORY,
                              stdout=subprocess.DEVNULL)
    late, lines = [], 0
    for line in listening.stdout:
        told = json.loads(line)
        late += [time.monotonic() - told["felt"]] if "felt" in told else []
        if sender.poll() is not None:
            lines += 1
        if lines == 20:  # some time after the last frame
            Path(f"{output}.stop").touch()
    listening.wait(60)
    print(f"{len(late)} poses, told {1000 * np.median(late):.0f} ms after the feet, 95 % within {1000 * np.quantile(late, 0.95):.0f} ms")
    assert len(late) > 150 and np.min(late) >= LATENCY - 0.05 - EARLY_S - 1e-3, "poses are told a moment before they are due, and not earlier"
    assert listening.returncode == 0 and told["received"] > 150 and told["bad"] == 0 and not Path(f"{output}.stop").exists()
    result, heard = Result.load(output), read(tmp_path / "take.csv")
    assert result.job["latency"] == pytest.approx(LATENCY - 0.05) and result.outcome["latency_s"] == LATENCY
    motion = act(heard, Database.load(tmp_path / "small.npz"), MAN, result.job["latency"]).resample(24.0).facing(0.0)
    assert result.fps == 24.0 and np.array_equal(result.root_positions, motion.root_positions) and np.array_equal(result.rotations, motion.rotations)
    assert json.loads((tmp_path / "take.json").read_text())["frames"] == len(heard.times) and (tmp_path / "take.png").is_file()


@pytest.mark.parametrize("job, words", [
    ({"latency": 0.5}, "has no address"), ({"address": "udp://127.0.0.1:99", "bodies": 2}, "unknown field 'bodies'"),
    ({"address": "smoke"}, "smoke"), ({"address": 9740}, "is no address"), ({"address": "udp://127.0.0.1:0", "fps": "fast"}, "fps is 'fast'"),
    ({"address": "udp://127.0.0.1:0", "latency": 9}, "latency is 9"),
    ({"address": "udp://127.0.0.1:0", "database": "nowhere.npz"}, "There is no file 'nowhere.npz'"),
])
def test_mistakes_are_sentences(job, words, tmp_path, capsys):
    (tmp_path / "job.json").write_text(json.dumps(job))
    assert main(["listen", str(tmp_path / "job.json"), "-o", str(tmp_path / "take.npz")]) == 2
    said = capsys.readouterr().err.strip()
    assert words in said and "\n" not in said and not (tmp_path / "take.npz").exists()


def test_a_port_that_is_taken_is_a_sentence(tmp_path, capsys):
    with Listener("udp://127.0.0.1:0") as other:
        (tmp_path / "job.json").write_text(json.dumps({"address": f"udp://127.0.0.1:{other.port}"}))
        assert main(["listen", str(tmp_path / "job.json"), "-o", str(tmp_path / "take.npz")]) == 2
    assert "choose another port" in capsys.readouterr().err


def test_nothing_heard_is_a_sentence(tmp_path, capsys):
    database().save(tmp_path / "small.npz")
    (tmp_path / "job.json").write_text(json.dumps({"address": "udp://127.0.0.1:0", "database": str(tmp_path / "small.npz")}))
    (tmp_path / "take.npz.stop").touch()
    assert main(["listen", str(tmp_path / "job.json"), "-o", str(tmp_path / "take.npz")]) == 2
    assert "Nothing was heard at 'udp://127.0.0.1:0'" in capsys.readouterr().err
