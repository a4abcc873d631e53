"""Falls and things in the way, under physics: a body lies down and stays there, nothing gets energy out of nowhere, and reports say what happened."""

import dataclasses
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import presets
from core.guard import Guard
from core.jobs import make_job, run
from core.kinematics import center_of_mass, fastest, link_poses
from core.measure.report import measure, sentence
from core.measure.way import hindrance
from core.methods.track import searched
from core.physics import engines, world_class
from tests.cases import quick
from tests.clips import path_of

SPINKICK = str(Path(pybullet_data.getDataPath()) / "data" / "motions" / "humanoid3d_spinkick.txt")
STAIRS = {"type": "steps", "height": 0.17, "start": 2.0, "depth": 0.3, "count": 8}


def crate(size: float, mass: float, x: float = 2.0, y: float = 0.0) -> dict:
    return {"name": "Crate", "size": [size] * 3, "position": [x, y, size / 2], "mass": mass}


def nobody_is_launched(result, after: float = 0.0) -> None:
    """Neither hips nor limbs go up, or about, as they cannot by themselves. ``after``: s."""
    first = round(after * result.fps)
    hips, middle = result.root_positions[first:, 2], center_of_mass(result)[first:, 2]
    assert np.diff(hips).max() * result.fps < 2.0
    assert max(middle[frame:frame + 10].max() - middle[frame] for frame in range(len(middle))) < 0.25
    assert fastest(result).max() < 15.0


# -- falls ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", engines())
@pytest.mark.parametrize("gait", quick(("sturdy_walk", "run"), "sturdy_walk"))
def test_who_trips_on_stairs_falls_and_lies_there(gait, engine):
    """The law of a gait would thrash about, and throw the body up."""
    result = run(make_job({"gait": gait, "duration": 8.0, "ground": STAIRS, "engine": engine}))
    assert result.outcome["fell"] and not result.outcome["cut_short"]
    nobody_is_launched(result)
    assert result.frames / result.fps > result.outcome["fell_at"] + 0.5
    assert fastest(result)[-3:].max() < 0.3  # it lies


@pytest.mark.parametrize("engine", engines())
def test_a_fall_goes_on_past_the_end_that_was_asked_for(engine):
    """Cut off in the middle of a fall, a scene would end in the air."""
    push = {"type": "push", "time": 1.0, "duration": 0.2, "force": [0.0, 1200.0, 0.0]}
    result = run(make_job({"gait": "sturdy_walk", "duration": 2.0, "events": [push], "engine": engine}))
    assert result.outcome["fell"] and (result.frames - 1) / result.fps > 2.1
    assert result.root_positions[-1, 2] < 0.3 and fastest(result)[-3:].max() < 0.3
    nobody_is_launched(result)
    assert (np.diff(center_of_mass(result)[:, 2]) * result.fps > -6.0).all()  # nothing jumps where one law takes over from the other
    assert len(result.torques) == len(result.stance) == len(result.headings) == result.frames
    again = run(make_job(result.job))
    assert (again.root_positions == result.root_positions).all()


@pytest.mark.parametrize("engine", engines())
def test_balls_fly_on_after_a_fall(engine):
    """The ball that fells it, and one that is thrown when it lies already."""
    balls = [{"type": "ball", "time": time, "mass": mass, "radius": 0.15, "position": [2.0, 0.0, 1.3], "velocity": [-9.0, 0.0, 1.0]}
             for time, mass in ((1.0, 25.0), (2.4, 1.0))]
    result = run(make_job({"gait": "sturdy_walk", "duration": 3.0, "events": balls, "engine": engine}))
    assert result.outcome["fell"] and result.outcome["fell_at"] < 2.4 and result.object_names == ["ball 1", "ball 2"]
    assert np.linalg.norm(result.object_positions[-1] - result.object_positions[0], axis=1).min() > 1.0
    assert (np.abs(np.diff(result.object_positions[-3:, :, 2], axis=0)) * result.fps < 0.5).all()  # both have come down


def test_a_planar_body_lies_down_too():
    push = {"type": "push", "time": 0.5, "duration": 0.2, "force": [600.0, 0.0, 0.0], "part": "pelvis"}
    result = run(make_job({"gait": "planar_walk", "body": "planar_biped", "duration": 3.0, "events": [push]}))
    assert result.outcome["fell"] and result.root_positions[-1, 2] < 0.4


@pytest.mark.parametrize("engine", engines())
def test_a_clip_that_ends_on_its_head_was_not_held(engine):
    result = run(make_job({"method": "track", "clips": [SPINKICK], "engine": engine}))
    assert result.outcome["fell"] and measure(result)["fell"] and sentence(result, measure(result)).startswith("Fell at")
    assert result.root_positions[-1, 2] < 0.35 and fastest(result)[-3:].max() < 0.3
    assert len(result.reference_positions) == result.frames
    nobody_is_launched(result, after=result.outcome["fell_at"])


@pytest.mark.parametrize(("changed", "held", "said"), [(False, False, "nothing"), (True, False, "better"), (True, True, "held"),
                                                       (False, True, "not needed")])
def test_a_search_says_what_it_came_to(changed, held, said):
    result = run(make_job({"gait": "stand", "duration": 0.1}))
    assert searched(result, changed, held, lambda: result).outcome["search"] == said
    fell = dataclasses.replace(result, outcome={**result.outcome, "fell": True, "fell_at": 0.05})
    words = sentence(searched(fell, False, False, lambda: fell), measure(fell))
    assert words.endswith("; trying other gains changed nothing.")


# -- energy out of nowhere ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", engines())
def test_energy_out_of_nowhere_is_seen(engine):
    body = presets.body("average_man")

    def moved(time: float, speed: float, rate: float = 0.0):
        rates = [None, *(0.0 if hinge else (0.0, 0.0, 0.0) for hinge in body.hinges[1:])]
        rates[body.names.index("shin.L")] = rate
        world.place((0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0), body.zero_joints(), (speed, 0.0, 0.0), (0.0, 0.0, 0.0), rates)
        return dataclasses.replace(world.read(), time=time)

    with world_class(engine)(body) as world:
        guard = Guard(world, 60.0)
        assert not guard.wild(moved(0.0, 1.0), [], [])
        assert not guard.wild(moved(0.04, 2.0), [], [])  # 1.5 J/kg
        assert guard.wild(moved(0.08, 5.0), [], [])  # 10.5 J/kg more
        guard.forget()
        assert not guard.wild(moved(0.12, 9.0), [], [])
        guard.forget()
        assert not guard.wild(moved(0.16, 9.0, 40.0), [], []) and guard.wild(moved(0.18, 9.0, 40.0), [], [])  # a foot that goes round at 16 m/s
        hit = Guard(world, 60.0)
        for number in range(3):  # a ball of 40 kg at 10 m/s, which it loses
            assert not hit.wild(moved(0.04 * number, 0.0), [(0.4 * number, 0.0, 1.0)], [40.0])
        assert not hit.wild(moved(0.12, 5.0), [(0.8, 0.0, 1.0)], [40.0])


# -- things in the way ----------------------------------------------------------------------------------------------------

WAYS = [(way, size, mass) for way in ("walk", "run", "kick") for size in (0.2, 0.4, 0.6) for mass in (0.5, 3.0, 20.0, 80.0)]


@pytest.mark.parametrize("engine", engines())
@pytest.mark.parametrize(("way", "size", "mass"), quick(WAYS, ("walk", 0.6, 80.0), ("kick", 0.4, 0.5)))
def test_crates_obey(way, size, mass, engine):
    """Nothing flies off faster than it was kicked, and nobody leaves the floor by it. What is too heavy stays where it is."""
    asked = {"fps": 60.0, "engine": engine}
    if way == "kick":
        asked |= {"method": "track", "clips": [str(path_of("kick"))], "obstacles": [crate(size, mass, 0.45 + size / 2, -0.09)]}
    else:
        asked |= {"gait": way, "duration": 4.0, "obstacles": [crate(size, mass)]}
    result = run(make_job(asked))
    nobody_is_launched(result)
    assert result.root_positions[:, 2].max() < result.root_positions[0, 2] + 0.06
    speeds = np.linalg.norm(np.diff(result.object_positions[:, 0], axis=0), axis=1) * 60.0
    parts = np.linalg.norm(np.diff(link_poses(result)[0], axis=0), axis=-1).max(axis=1) * 60.0
    hit = int(speeds.argmax())
    assert speeds[hit] < 1.5 * parts[max(0, hit - 6):hit + 2].max() + 0.1
    if mass == 80.0:
        assert np.linalg.norm(result.object_positions[-1, 0] - result.object_positions[0, 0]) < 0.15


@pytest.mark.parametrize("engine", engines())
def test_who_walks_against_a_wall_is_stuck_there(engine):
    wall = {"name": "Wall", "size": [0.3, 6.0, 2.5], "position": [2.0, 0.0, 1.25]}
    result = run(make_job({"gait": "sturdy_walk", "duration": 6.0, "obstacles": [wall], "engine": engine}))
    found = hindrance(result)
    assert found is not None and found.how == "stuck" and found.by == "Wall" and 1.2 < found.meters < 1.8
    assert abs(result.root_positions[found.frame, 0] - result.root_positions[-1, 0]) < 0.3
    said = sentence(result, measure(result))
    assert said == f"Was stuck at frame {found.frame}, after {found.meters:.1f} m, by 'Wall'."


FREE = {"straight": {}, "turning": {"heading": [[0, 0], [4, 3.1]]}, "backward": {"gait": "backward"}, "sideways": {"gait": "sideways_left"},
        "in place": {"gait": "in_place"}, "slower": {"speed": [[0, 1.2], [3, 0.6]]}}


@pytest.mark.parametrize("asked", quick(FREE, "turning", "slower"))
def test_who_gets_where_it_goes_was_not_hindered(asked):
    assert hindrance(run(make_job({"gait": "sturdy_walk", "duration": 6.0, **FREE[asked]}))) is None
