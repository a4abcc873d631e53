"""Styles: differences from the natural walk, how much of them, and the walks that come of it."""

import json
from dataclasses import fields, replace

import numpy as np
import pytest

from core import jobs, presets
from core.body import make_body
from core.control.gait import BOUNDS, STYLE_BOUNDS, GaitPose, blend, load_gait
from core.control.styles import difference, gait_data, load_style, style_from_dict, styled
from core.errors import JobError
from core.jobs import make_job
from core.load import carrying
from core.measure.gait import steps
from core.measure.span import steady
from core.methods import gait as method
from core.optimize.styles import found_style, start_of
from core.optimize.walking import misses, turns_of

STYLES = presets.names("styles")
QUICK = ("brisk", "childlike", "sneaky")  # of which the others are tried where there is time


def walked(style, amount=1.0, seconds=8.0, **changes):
    result = jobs.run(make_job({"gait": "walk", "style": style, "exaggerate": amount, "duration": seconds, **changes}))
    assert "instead_of" not in result.outcome, "it is walked in the style, and not in the refuge of the walk"
    return result


def same(one, other):
    return np.array_equal(one.rotations, other.rotations) and np.array_equal(one.root_positions, other.root_positions)


def test_the_twelve_are_there_and_say_what_they_are_and_how_they_were_found():
    assert set(STYLES) == {"relaxed", "brisk", "tired", "proud", "elderly", "sneaky", "heavy_load", "limping", "drunk", "childlike", "catwalk",
                           "tiptoe"}
    for name in STYLES:
        data = presets.load("styles", name)
        assert data["description"].endswith(".") and data["made_by"] and data["wish"]["targets"]
        assert styled(load_gait("walk"), load_style(name), 1.0) != load_gait("walk")


def test_none_of_a_style_is_the_natural_walk_bit_for_bit():
    natural = walked("none", seconds=2.0)
    assert same(natural, walked("proud", 0.0, seconds=2.0))
    assert not same(natural, walked("proud", 0.1, seconds=2.0))


def test_a_style_is_added_by_its_amount():
    walk = load_gait("walk")
    style = style_from_dict({"every": {"torso": -0.1}, "states": [{"swing_hip": [0.1, 0.02]}, {}, {}, {"torso": -0.05}],
                             "right": [{}, {"drop": 0.1}, {}, {}], "gains": {"neck": 0.5},
                             "speed": 0.8, "style": {"head_down": 0.2, "left_arm": {"bend": 1.0}}}, "test")
    half = styled(walk, style, 0.5)
    assert half.states[3].torso[0] == pytest.approx(walk.states[3].torso[0] - 0.075)
    assert half.states[0].swing_hip == pytest.approx((walk.states[0].swing_hip[0] + 0.05, walk.states[0].swing_hip[1] + 0.01))
    assert half.right[1].drop == pytest.approx(walk.states[1].drop + 0.05) and half.right[1].torso == half.states[1].torso
    assert half.poses(0) is half.states and half.poses(1) is half.right and walk.poses(1) is walk.states
    assert half.gains["neck"][0] == pytest.approx(walk.gains["neck"][0] * 0.5**0.5) and half.speed == pytest.approx(walk.speed * 0.8**0.5)
    assert (half.style.head_down, half.style.left_arm.bend, half.style.right_arm.bend) == (0.1, 0.5, 0.0)


def test_it_holds_for_variants_and_other_bodies_and_blends():
    walk = load_gait("walk")
    family = replace(walk, variants=(replace(walk, speed=0.8),))
    slow = styled(family, load_style("limping"), 1.0)
    assert slow.variants[0].right and slow.variants[0].speed < 0.8
    small = slow.scaled(40.0, 0.6)
    assert small.right[0].duration < slow.right[0].duration and len(small.right) == len(slow.states)
    between = blend(walk, slow, 0.5)
    assert between.right[1].torso[1] == pytest.approx(0.5 * (walk.states[1].torso[1] + slow.right[1].torso[1]))
    assert between.style.right_arm.turn == pytest.approx(0.5 * slow.style.right_arm.turn)


@pytest.mark.parametrize("name", STYLES)
def test_a_caricature_stays_within_bounds(name):
    walk, far = load_gait("walk"), styled(load_gait("walk"), load_style(name), 2.0)
    for pose, before in zip((*far.states, *far.right), (*walk.states, *walk.states), strict=False):
        for field in fields(GaitPose):
            low, high = BOUNDS.get(field.name, (-2.0, 2.0))
            now, then = getattr(pose, field.name), getattr(before, field.name)
            for value, usual in zip(*((v if isinstance(v, tuple) else (v,)) for v in (now, then)), strict=True):
                assert value is None or isinstance(value, bool) or min(low, usual) <= value <= max(high, usual)
    for arm in (far.style.left_arm, far.style.right_arm):
        assert all(STYLE_BOUNDS[field.name][0] <= getattr(arm, field.name) <= STYLE_BOUNDS[field.name][1] for field in fields(arm))


def test_what_a_search_finds_is_a_difference_again():
    natural = gait_data(load_gait("walk"))
    data = start_of("limping", "walk")
    data["states"][1]["swing_knee"] -= 0.125
    data["gains"]["pelvis"] = [value * 2.0 for value in data["gains"]["pelvis"]]
    found = found_style(data, "limping", "walk")
    assert found["right"] == presets.load("styles", "limping")["right"] and found["description"]
    again = gait_data(styled(load_gait("walk"), style_from_dict(found, "again"), 1.0))
    for state, wanted in zip(again["states"], data["states"], strict=True):
        for key, value in wanted.items():
            assert value is None or state[key] == pytest.approx(value, abs=1e-4)
    assert again["gains"]["pelvis"] == pytest.approx(data["gains"]["pelvis"]) and difference(natural, natural)["style"] == {}


def test_what_is_wanted_of_a_style_costs_where_it_is_missed():
    result, wish = walked("none", seconds=6.0, fps=60.0), {"targets": {"speed": [0.5, 0.6, 0.1], "thorax_lean": [-90.0, 90.0, 1.0]}}
    missed = misses(result, wish, None)["targets"]
    assert missed[0] > 3.0 and missed[1] == 0.0


def test_mistakes_are_one_sentence(tmp_path):
    with pytest.raises(JobError, match="There is no style 'jolly'; known are brisk, catwalk"):
        make_job({"gait": "walk", "style": "jolly"})
    with pytest.raises(JobError, match="'run' cannot be walked in the style 'tired'.*choose the gait walk"):
        make_job({"gait": "run", "style": "tired"})
    with pytest.raises(JobError, match="exaggerate is 2.5; allowed is a number from 0 to 2"):
        make_job({"gait": "walk", "style": "tired", "exaggerate": 2.5})
    for wrong, said in (({"states": [{"hat": 1.0}]}, "a state has no parameter 'hat'"), ({"states": []}, "states must be a list"),
                        ({"states": [{}], "style": {"hat": 1.0}}, "style has no parameter 'hat'"), ({"states": [{}], "hat": 1}, "no field 'hat'")):
        (tmp_path / "own.json").write_text(json.dumps(wrong))
        with pytest.raises(JobError, match=said):
            make_job({"gait": "walk", "style": str(tmp_path / "own.json")})


def test_settings_that_mean_nothing_are_known():
    assert method.idle({"gait": "walk", "style": "none"}) == ("exaggerate",) and method.idle({"gait": "walk", "style": "tired"}) == ()
    assert method.idle({"gait": "run", "style": "tired"}) == method.idle({"gait": "stand", "style": "none"}) == ("style", "exaggerate")


def test_a_load_lies_on_the_back():
    body = make_body({})
    loaded, torso = carrying(body, 20.0), body.names.index("torso")
    assert loaded.mass == pytest.approx(body.mass + 20.0) and carrying(body, 0.0) is body
    assert loaded.com_offsets[torso, 0] < body.com_offsets[torso, 0] - 0.05 and (loaded.inertias[torso] > body.inertias[torso]).all()
    assert walked("heavy_load", 0.5, seconds=0.2).masses.sum() == pytest.approx(body.mass + 10.0)


def test_who_wanders_does_so_by_the_seed():
    one, again, other = (walked("drunk", seconds=4.0, seed=seed) for seed in (1, 1, 2))
    assert same(one, again) and not same(one, other)


@pytest.mark.parametrize("name", QUICK)
def test_it_walks(name):
    assert not walked(name).outcome["fell"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pybullet", "mujoco"])
@pytest.mark.parametrize("body", ["average_man", "average_woman"])
@pytest.mark.parametrize("name", STYLES)
def test_it_walks_on(name, body, engine):
    for amount in (0.5, 1.0, 1.5):
        result = walked(name, amount, 20.0, body=body, engine=engine)
        assert not result.outcome["fell"], f"{name} {amount} fell after {result.outcome['fell_at']:.1f} s"
        assert np.linalg.norm(result.root_positions[-1, :2]) > 3.0


def test_the_body_does_what_the_style_says():
    usual, bent = (steady(walked(style, fps=60.0)) for style in ("none", "elderly"))
    assert turns_of(bent)["thorax_lean"] > turns_of(usual)["thorax_lean"] + 5.0
    assert np.mean([step.time for step in steps(bent)]) > np.mean([step.time for step in steps(usual)]) + 0.05
    arm = bent.link_names.index("forearm.L")
    assert abs(bent.rotations[:, arm]).mean(axis=0)[2] > abs(usual.rotations[:, arm]).mean(axis=0)[2] + 0.2
