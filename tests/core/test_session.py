"""Session: a simulation that is stepped from outside."""

import numpy as np
import pytest

from core import presets
from core.jobs import make_job, run
from core.methods.gait import walker_of
from core.physics import WorldSettings, world_class
from core.session import Session
from core.start import place

PUSH = {"type": "push", "time": 0.4, "duration": 0.2, "force": [0, 150, 0], "part": "chest", "frame": "world"}


def session_of(job, world):
    walker = walker_of(job)
    place(world, walker)
    return Session(world, walker, job)


def world_of(job):
    settings = WorldSettings(time_step=job.time_step, friction=job.friction)
    return world_class(job.engine)(presets.body(job.body), job.ground, job.obstacles, settings)


def test_stepping_by_hand_is_running(engine):
    job = make_job({"duration": 1.0, "engine": engine, "events": [PUSH]})
    with world_of(job) as world:
        session, recorded = session_of(job, world), 0
        while not session.over:
            recorded += session.step()
        stepped = session.result()
    whole = run(job)
    assert recorded == stepped.frames == whole.frames == 31 and session.fraction == 1.0
    assert np.array_equal(stepped.root_positions, whole.root_positions) and np.array_equal(stepped.rotations, whole.rotations)
    assert stepped.outcome == whole.outcome and stepped.job == whole.job


def test_what_was_recorded_so_far_is_a_result():
    job = make_job({"duration": 5.0})
    with world_of(job) as world:
        session = session_of(job, world)
        for _ in range(round(1.0 / job.time_step)):
            session.step()
        so_far = session.result()
        assert not session.over and session.fraction == pytest.approx(0.2)
    assert so_far.frames == 30 and so_far.outcome["simulated_s"] == pytest.approx(1.0, abs=0.01)


def test_a_push_from_outside_moves_the_body():
    """As a live take would do it: the job knows nothing of the push."""
    job, ends = make_job({"duration": 0.8}), []
    for newtons in (0.0, 150.0):
        with world_of(job) as world:
            session = session_of(job, world)
            torso = world.body.names.index("torso")
            while not session.over:
                if newtons and 0.4 <= world.time < 0.6:
                    world.push(torso, (0.0, newtons, 0.0))
                session.step()
            ends.append(session.result().root_positions[-1, 1])
    assert ends[1] > ends[0] + 0.05


def test_a_fall_is_the_end():
    hard = {**PUSH, "force": [0, 2500, 0]}
    job = make_job({"duration": 20.0, "events": [hard]})
    with world_of(job) as world:
        session = session_of(job, world)
        while not session.over:
            session.step()
    assert session.fell_at is not None and session.fell_at < 5.0 and session.fraction == 1.0
    assert session.state.time == pytest.approx(session.fell_at + 0.5, abs=0.01)
