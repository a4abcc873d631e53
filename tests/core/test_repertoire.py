"""The database of foot pressure that is shipped, and the motions in it, which were written down here."""

from functools import cache

import numpy as np
import pytest

from core import feet, presets
from core.feet import soles
from core.pressure.database import SHIPPED, Database
from core.pressure.nearest import Nearest
from core.pressure.repertoire import actions
from core.pressure.repertoire.paths import through
from core.pressure.repertoire.perform import perform
from core.pressure.repertoire.takes import PAD, Performance, chained, dragged, made, programme
from core.pressure.sensors import device_named
from core.pressure.tread import of_reference

NAMES = ["jump", "kick left", "kick right", "lunge left", "lunge right", "march", "punch", "shift forward", "shift left", "shift right",
         "side step left", "side step right", "squat", "stand on left leg", "stand on right leg", "step back", "step forward", "walk"]
AT = actions.stance(0.24, 0.05)
SCORES = {"step": actions.step(AT, "forward", 0.6), "side step": actions.step(AT, "left", 0.9), "step back": actions.step(AT, "back", 0.4, 0),
          "kick": actions.kick(AT, 0.9, 0), "lunge": actions.lunge(AT, 0.9, 0.3), "punch": actions.punches(actions.stance(0.4, 0.4), 2),
          "squat": actions.squat(AT, 0.5), "jump": actions.jump(AT, 0.35), "one leg": actions.one_leg(AT, 1.0), "march": actions.march(AT, 4),
          "walk": actions.walk(AT, 5), "shift": actions.shift(AT, 1), "shift forward": actions.shift_forward(AT)}


@cache
def shipped() -> Database:
    return Database.load("")


def test_the_shipped_database_has_all_actions_of_many_people():
    database = shipped()
    assert database.names == NAMES
    assert SHIPPED.stat().st_size < 8e6
    assert len({str(take.person) for take in database.takes}) == 5
    assert database.shown("march") == "walk" and database.shown("kick left") == "kick left"
    assert [take.source for take in database.takes] == [performance.name for performance in programme()], "run presets/make_repertoire.py again"
    for name in NAMES:
        whose = {take.source.partition(":")[0] for take in database.takes for action in take.example.actions if action.name == name}
        assert len(whose) >= 3, f"too few people do '{name}'"
    quiet = sum(end - start for take in database.takes for start, end in take.example.quiet)
    assert quiet > 120.0, "quiet standing is learnt, too"


def test_every_action_of_it_lies_in_its_motion_and_in_its_pressure():
    for take in shipped().takes:
        for action in take.example.actions:
            assert 0.0 <= action.start < action.end <= take.motion.duration + 0.05, take.source
        assert abs(take.example.track.times[-1] - take.motion.duration) < 0.15, take.source


def test_feet_of_the_shipped_motions_neither_sink_nor_slide():
    for take in shipped().takes:
        assert soles(take.body, take.motion)[..., 2].min() > -0.012, f"{take.source} sinks"
        assert dragged(take.body, take.motion) < 0.015, f"{take.source} slides"


@pytest.mark.parametrize("what", SCORES)
@pytest.mark.parametrize("person", ["average_man", "tall"])
def test_what_is_written_down_keeps_its_balance_on_its_feet(what, person):
    """Nothing sinks, feet stay where they stand, knees do not snap, and who stands on one foot is pressed there."""
    body = presets.body(person)
    reference = perform(SCORES[what], body, what)
    points = soles(body, reference.motion)
    assert points[..., 2].min() > -0.006
    assert dragged(body, reference.motion) < 0.012
    knees = reference.motion.rotations[:, [feet.link(body, "shin", foot) for foot in (0, 1)]]
    turn = np.abs(np.diff(2.0 * np.arctan2(knees[..., 2], knees[..., 0]), axis=0)) * reference.motion.fps
    assert turn.max() < 20.0, "rad/s"
    tread, alone = of_reference(reference), reference.contacts.sum(axis=1) == 1
    for foot in (0, 1):
        frames = np.flatnonzero(alone & reference.contacts[:, foot])
        away = np.linalg.norm(tread.middles[frames, 0] - points[frames, foot, :, :2].mean(axis=1), axis=1)
        assert not len(away) or np.median(away) < 0.25 * body.foot_length, "from the middle of the sole"


def test_weight_leaves_a_foot_before_it_lifts():
    """As people do it: first the pressure goes to the foot that will lift, which pushes the body to the other side."""
    reference = perform(actions.kick(AT, 0.6, 1), presets.body("average_man"), "kick")
    middle, lifts = of_reference(reference).middles[:, 0, 1], next(stance.end for stance in reference.stances if stance.foot == 1)
    before = middle[lifts - 60:lifts]
    assert before[:40].min() < middle[:20].mean() - 0.02 and before[-1] > middle[:20].mean() + 0.05


def test_a_mirrored_score_is_the_same_on_the_other_side():
    score = SCORES["kick"]
    assert score.mirrored().mirrored() == score
    body = presets.body("average_man")
    one, other = (perform(which, body, "kick", sway=0.0).motion for which in (score, score.mirrored()))
    assert np.abs(one.mirror().world()[0] - other.world()[0]).max() < 0.002


def test_curves_stop_at_their_keys_and_go_nowhere_beyond():
    times = np.linspace(0.0, 3.0, 301)
    path = through(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 1.0, 0.0]), times)
    assert np.allclose(path[[0, 100, 150, 200, 300]], [0.0, 1.0, 1.0, 1.0, 0.0]) and path.min() >= 0.0 and path.max() <= 1.0 + 1e-12
    assert path[50] == pytest.approx(0.5)


def test_takes_are_the_same_every_time():
    performance = next(one for one in programme() if one.name == "calm woman: low kick")
    one, other = (made(performance, device_named(PAD))[0] for _ in range(2))
    assert np.array_equal(one.motion.rotations, other.motion.rotations) and np.array_equal(one.example.track.per_foot, other.example.track.per_foot)
    assert one.example.actions == other.example.actions


def test_what_another_body_does_is_recognised():
    """Jumps and punches of a tall man, who is not in the database, on a simulated pad."""
    ear = Nearest(shipped().examples, 1.0)
    boxing = actions.stance(0.45, 0.4)
    for name, scores in (("jump", [actions.jump(AT, 0.3), actions.jump(AT, 0.4)]), ("punch", [actions.punches(boxing, 4).slower(0.8)])):
        score = chained([actions.stand(scores[0].places, 0.6), *scores, actions.stand(scores[0].places, 0.5)])
        example = made(Performance(name, "tall", score, 901, 1.0), device_named(PAD))[0].example
        said = ear.stream(example.track.per_foot, example.track.times)
        done = [action for action in example.actions if action.name == name]
        right = [any(event.name == name and abs(event.onset - action.start) <= 0.25 for event in said) for action in done]
        assert sum(right) >= 0.75 * len(done), [(event.name, event.onset) for event in said]
