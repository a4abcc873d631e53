"""A body that is played: what it is told while it goes, told again, gives the same take; it falls, and is put back on its feet."""

import json
import math
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from core import rotation
from core.commands.play import LATE_S, RealTime, Teller
from core.errors import JobError
from core.jobs import begin, check, command, make_job, run, taken
from core.methods import playable
from core.physics import ENGINES
from core.play import BEATS
from core.result import Result
from tests.cases import quick

REPOSITORY = Path(__file__).resolve().parents[2]
WALK = str(REPOSITORY / "tests" / "clips" / "walk.bvh")
GO, STOP = {"type": "gait", "gait": "walk"}, {"type": "gait", "gait": "stand"}
SHOVE = {"type": "push", "duration": 0.3, "force": [500, 0, 0]}
SAME = ("root_positions", "rotations", "torques", "foot_forces", "headings", "gaits", "object_positions", "object_rotations")


def played(told: list[tuple[float, dict]], seconds: float, **job) -> Result:
    """A take in which each command is told when its time (s) comes, as somebody would do who plays it."""
    job, told = make_job({"played": True, **job}), list(told)
    play = begin(job)
    try:
        while play.time < seconds:
            while told and told[0][0] <= play.time + 1e-6:
                play.tell(command(play.led, told.pop(0)[1]))
            play.beat()
            assert not play.over, play.why
        return taken(play)
    finally:
        play.close()


def assert_same(first: Result, second: Result) -> None:
    for field in SAME:
        assert np.array_equal(getattr(first, field), getattr(second, field)), field
    assert first.outcome == second.outcome and first.job == second.job


def again(result: Result, **changed) -> Result:
    """The take's job as a file would have it, simulated."""
    return run(make_job(json.loads(json.dumps({**result.job, **changed}))))


@pytest.mark.parametrize("engine", quick(ENGINES, "pybullet"))
def test_told_again_it_does_the_same(engine):
    ball = {"type": "ball", "mass": 2.0, "position": [0.0, 2.0, 1.2], "velocity": [0.0, -5.0, 1.0]}
    shove = {**SHOVE, "force": [0, 60, 0]}
    take = played([(0.2, GO), (2.5, {"type": "steer", "heading": 0.6}), (3.0, shove), (3.4, ball), (4.0, STOP)], 5.0, engine=engine)
    assert take.outcome["falls"] == 0 and take.frames == 150 and take.root_positions[-1, 0] > 0.5
    assert [event["type"] for event in take.job["events"]] == ["gait", "steer", "push", "ball", "gait"]
    assert take.job["duration"] == pytest.approx(5.0) and take.object_names == ["ball 1"]
    assert_same(take, again(take))


def test_who_sets_off_and_turns_stays_up():
    """In the sturdier gait until it goes straight: in the natural one it fell over its own way to the side."""
    turn = {"type": "steer", "heading": -1.8}
    take = played([(0.5, turn), (0.5, GO)], 5.0, body="average_woman", engine="mujoco")
    names = [take.gait_names[number] for number in take.gaits]
    assert take.outcome["falls"] == 0 and "sturdy_walk" in names and names[-1] == "walk"


@pytest.mark.parametrize("engine", quick(ENGINES, "mujoco"))
def test_a_fall_goes_on_and_it_is_put_back_on_its_feet(engine):
    take = played([(0.5, SHOVE), (3.0, {"type": "up"})], 4.0, engine=engine)
    standing, fps = take.root_positions[0, 2], take.fps
    lying = take.root_positions[int(2.9 * fps), 2]
    assert lying < 0.4 * standing, "it lies"
    assert take.root_positions[-1, 2] == pytest.approx(standing, abs=0.03), "it stands again"
    put = np.linalg.norm(take.root_positions[-1, :2] - take.root_positions[int(2.9 * fps), :2])
    assert put < 0.3, "where it lay"
    assert take.outcome["falls"] == 1 and take.outcome["fell"] is False and "once" in take.outcome["notes"][0]
    jumps = np.linalg.norm(np.diff(take.root_positions, axis=0), axis=1) * fps
    assert np.count_nonzero(jumps > 8.0) == 1, "nothing jumps but where it is put back"
    assert_same(take, again(take))


def test_who_lies_at_the_end_fell():
    take = played([(0.5, SHOVE)], 2.0)
    assert take.outcome["fell"] and 0.5 < take.outcome["fell_at"] < 1.5 and "0." in take.outcome["reason"]


def test_it_goes_where_it_is_told():
    take = played([(0.2, GO), (3.0, {"type": "steer", "heading": -0.8})], 7.0)
    way = take.root_positions[-1, :2] - take.root_positions[-31, :2]
    assert math.atan2(way[1], way[0]) == pytest.approx(-0.8, abs=0.15) and np.linalg.norm(way) > 0.7
    faces = rotation.heading(take.rotations[-60:, 0]).mean()
    assert faces == pytest.approx(-0.8, abs=0.15)


def test_it_turns_while_it_is_told_to():
    take = played([(0.2, GO), (2.5, {"type": "steer", "turn": 0.5}), (4.5, {"type": "steer"})], 6.0)
    assert take.headings[int(2.4 * take.fps)] == pytest.approx(0.0, abs=0.01)
    assert take.headings[-1] == pytest.approx(1.0, abs=0.1)


def test_it_stops_soon():
    """In three seconds it stands still, and does not walk on for six as a walk that ends in a stand by a schedule does."""
    take = played([(0.2, GO), (4.0, STOP)], 7.0)
    assert take.gait_names[take.gaits[-1]] == "stand" and take.outcome["falls"] == 0
    assert np.linalg.norm(np.diff(take.root_positions[-10:, :2], axis=0), axis=1).max() * take.fps < 0.15


def test_a_wish_that_is_taken_back_changes_nothing():
    """Told to go and at once to stand again, while it still stands, it stands."""
    take = played([(0.5, GO), (0.55, STOP)], 2.0)
    assert set(take.gait_names) == {"stand"} and take.outcome["steps"] == 0


def test_a_take_is_edited_and_put_on_another_body():
    take = played([(0.2, GO), (2.5, {"type": "steer", "heading": 0.5})], 5.0)
    other = again(take, body="average_woman")
    assert other.outcome["falls"] == 0 and other.root_positions[-1, 0] > 1.0
    events = [{**event, "heading": -0.5} if event["type"] == "steer" else event for event in take.job["events"]]
    mirrored = again(take, events=events)
    assert mirrored.root_positions[-1, 1] < 0.0 < take.root_positions[-1, 1]


@pytest.mark.parametrize(("data", "reason"), [
    ({"events": [{"type": "up", "time": 1.0}]}, 'set "played" to true'),
    ({"played": True, "path": [[0, 0], [1, 0]]}, "takes no path"),
    ({"played": True, "speed": 1.0}, "takes no speed"),
    ({"played": True, "method": "retarget", "clips": [WALK]}, "cannot be played"),
    ({"played": True, "body": "planar_biped", "gait": "planar_walk"}, "planar"),
    ({"played": True, "events": [{"type": "steer", "time": 0.0, "turn": 99.0}]}, "turn"),
])
def test_what_cannot_be_played_is_refused(data, reason):
    with pytest.raises(JobError, match=reason):
        check(data)


@pytest.mark.parametrize(("told", "reason"), [
    ({"type": "gait", "gait": "gallop"}, "gallop"), ({"type": "fly"}, "fly"), ("up", "up"), ({"type": "push"}, "duration")])
def test_a_command_that_is_none_is_refused(told, reason):
    with pytest.raises(JobError, match=reason):
        command(make_job({"played": True}), told)


def test_what_moves_under_physics_as_it_is_led_can_be_played():
    assert {"gait", "track", "limit_cycle", "learned"} <= set(playable())


@pytest.mark.slow
def test_a_limit_cycle_is_slowed_down():
    """It is steered, slowed down, thrown over, and put back into its stride."""
    told = [(0.2, {"type": "steer", "heading": 0.5, "speed": 0.9}), (4.0, {**SHOVE, "force": [0, 900, 0]}), (5.5, {"type": "up"})]
    take = played(told, 7.0, method="limit_cycle")
    assert 0.3 < take.headings[int(3.9 * take.fps)] - take.headings[0] < 0.6
    assert take.outcome["falls"] == 1 and take.outcome["fell"] is False
    assert_same(take, again(take))


def test_a_clip_that_is_followed_is_played():
    """It goes round and is steered; who falls is put back into its stride."""
    told = [(0.2, {"type": "steer", "heading": 0.8}), (3.0, {**SHOVE, "force": [0, 900, 0]}), (4.5, {"type": "up"})]
    take = played(told, 5.2, method="track", clips=[WALK], loop=True)
    assert 0.3 < take.headings[int(2.9 * take.fps)] - take.headings[0] < 1.2
    assert take.outcome["falls"] == 1 and take.outcome["fell"] is False
    assert_same(take, again(take))


def test_a_limit_cycle_is_played():
    """It walks on and is steered; who falls is put back into its cycle."""
    told = [(1.0, {"type": "steer", "heading": 0.3}), (5.0, {**SHOVE, "force": [0, 900, 0]}), (6.5, {"type": "up"})]
    take = played(told, 7.5, method="limit_cycle")
    assert take.headings[int(4.9 * take.fps)] == pytest.approx(0.3, abs=0.05)
    assert take.outcome["falls"] == 1 and take.outcome["fell"] is False
    assert_same(take, again(take))


def test_learned_controllers_are_played():
    take = played([(0.5, {"type": "steer", "heading": 0.2})], 2.0, method="learned")
    assert take.gait_names == ["walk"] and take.root_positions[-1, 0] > 1.0 and not take.outcome["fell"]
    assert_same(take, again(take))
    with pytest.raises(JobError, match="'gallop' is no controller"):
        command(make_job({"played": True, "method": "learned"}), {"type": "gait", "gait": "gallop"})


def test_who_falls_in_an_act_does_not_do_it_again():
    """It is put on its feet, and does what it does after the act."""
    jump = {"type": "gait", "gait": "jump"}
    take = played([(0.1, jump), (0.8, SHOVE), (1.6, {"type": "up"})], 2.6, method="learned", first="stand")
    names, up = np.array(take.gait_names)[take.gaits], int(1.7 * take.fps)
    assert take.outcome["falls"] == 1 and not take.outcome["fell"]
    assert "jump" in names[:up] and set(names[up:]) == {"stand"}


def test_a_take_that_ends_by_itself_says_why(monkeypatch):
    monkeypatch.setattr("core.play.LONGEST_S", 0.3)
    play = begin(make_job({"played": True}))
    while not play.over:
        play.beat()
    take = taken(play)
    play.close()
    assert take.outcome["simulated_s"] == pytest.approx(0.3) and "no take may be longer" in take.outcome["notes"][0]


def test_methods_are_changed_within_a_take(tmp_path):
    """From a gait that walks to a clip of a walk, in a stride that is like it; and back to a gait, which begins standing."""
    clip = tmp_path / "stroll.bvh"
    clip.write_bytes(Path(WALK).read_bytes())
    follow = {"type": "method", "method": "track", "settings": {"clips": [str(clip)], "loop": True}}
    take = played([(0.5, GO), (4.6, follow), (6.0, {"type": "method", "method": "gait"})], 8.5)
    names, fps = [take.gait_names[number] for number in take.gaits], take.fps
    assert names[int(4.5 * fps)] == "walk" and names[int(5.9 * fps)] == "stroll" and names[-1] == "stand" and take.outcome["falls"] == 0
    steps = np.linalg.norm(np.diff(take.root_positions, axis=0), axis=1)
    assert steps.max() < 0.1, "it stays where it is"
    assert take.job["events"][1]["settings"]["gains"], "all of its settings are kept"
    assert_same(take, again(take))


def test_who_lies_is_put_on_its_feet_in_another_method():
    take = played([(0.5, SHOVE), (2.0, {"type": "method", "method": "limit_cycle"}), (3.0, {"type": "up"})], 4.0, engine="mujoco")
    assert take.outcome["falls"] == 1 and not take.outcome["fell"]
    assert take.root_positions[-1, 2] > 0.8 and take.root_positions[int(2.9 * take.fps), 2] < 0.4, "it lay until somebody helped it up"


@pytest.mark.parametrize(("told", "reason"), [
    ({"method": "track"}, "clips"),
    ({"method": "retarget", "settings": {"clips": [WALK]}}, "retarget"), ({"method": "gait", "settings": 3}, "settings"),
    ({"method": "gait", "settings": {"gait": "gallop"}}, "gallop")])
def test_a_method_that_cannot_take_over_is_refused(told, reason):
    with pytest.raises(JobError, match=reason):
        command(make_job({"played": True}), {"type": "method", **told})


# -- the command ----------------------------------------------------------------------------------------------------------


def core_play(folder: Path, *options: str) -> list[str]:
    (folder / "job.json").write_text(json.dumps({"method": "gait", "gait": "walk"}))
    return [sys.executable, "-m", "core", "play", str(folder / "job.json"), "-o", str(folder / "take.npz"), *options]


def test_the_command_plays_what_standard_input_says(tmp_path):
    said = [GO, {"type": "push", "time": 1.0, "duration": 0.2, "force": [0, 40, 0]}, {"type": "stop", "time": 2.0}]
    lines = "\n".join([*map(json.dumps, said), "no JSON"])
    done = subprocess.run(core_play(tmp_path, "--no-wait"), input=lines, capture_output=True, text=True, cwd=REPOSITORY, timeout=120, check=True)
    told = json.loads(done.stdout.splitlines()[-1])
    take = Result.load(told["result"])
    assert take.frames == 60 and [event["type"] for event in take.job["events"]] == ["gait", "push"]
    assert "no JSON" in done.stderr, done.stderr
    assert_same(take, run(make_job(json.loads(Path(told["job"]).read_text()))))


def test_the_command_goes_by_the_clock(tmp_path):
    """Poses come as the clock goes, or evenly slower, and then it says so; what is said at once is done at once."""
    seconds = 3.0
    with subprocess.Popen(core_play(tmp_path, "--stream"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        first = json.loads(process.stdout.readline())
        process.stdin.write(json.dumps(GO) + "\n")
        process.stdin.flush()
        begun, poses = time.monotonic(), [first]
        while poses[-1]["played"]["time"] < seconds:
            poses.append(json.loads(process.stdout.readline()))
        took = time.monotonic() - begun
        process.stdin.write(json.dumps({"type": "stop"}) + "\n")
        process.stdin.flush()
        *_, last = process.stdout
    rate, told = (seconds - first["played"]["time"]) / took, poses[-1]["played"]["rate"]
    assert len(poses) == pytest.approx(seconds * BEATS, abs=2), "a pose at each beat"
    assert rate < 1.1 and 0.0 < told < 1.1
    first_told = next(number for number, pose in enumerate(poses) if pose["played"]["told"])
    assert first_told < 0.5 * BEATS and poses[-1]["played"]["told"] == 1, "a pose says how much it was told"
    take = Result.load(json.loads(last)["result"])
    assert take.job["events"][0]["time"] < 1.0 and take.root_positions.shape[1] == 3
    assert all(len(pose["rotations"]) == len(take.link_names) for pose in poses)


def test_what_could_not_be_done_is_told_for_a_while(capsys):
    play, teller = begin(make_job({"played": True})), Teller()
    for refused in ("No.", ""):
        teller.tell(play, None, refused)
    play.close()
    assert [json.loads(line)["played"]["refused"] for line in capsys.readouterr().out.splitlines() if line.startswith("{")] == ["No.", "No."]


class Clock:
    """Stands still but while somebody sleeps."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def wall(monkeypatch) -> Clock:
    monkeypatch.setattr("core.commands.play.time", clock := Clock())
    return clock


def test_who_cannot_keep_up_slows_down_evenly(wall):
    clock, slow, walls = RealTime(), 2.0 / BEATS, []
    for beat in range(1, 61):
        wall.sleep(slow)
        clock.wait(beat / BEATS)
        walls.append(wall.now)
    assert clock.rate == pytest.approx(0.5) and np.diff(walls) == pytest.approx(slow), "it never hurries to catch up"


def test_a_moment_that_was_late_is_made_up_for(wall):
    clock, begun = RealTime(), wall.now
    for beat in range(1, 31):
        if beat == 10:
            wall.sleep(0.8 * LATE_S)
        clock.wait(beat / BEATS)
    assert wall.now - begun == pytest.approx(29 / BEATS)
