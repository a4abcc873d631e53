"""The body: masses, lengths and moments against the tables, symmetry, and what it refuses."""

import re

import numpy as np
import pytest

from core import presets
from core.anthropometry import Mass, Segment, combine, segment_mass
from core.body import Body, make_body, planar_biped
from core.errors import FootfallError, JobError, RigError
from core.proportions import Proportions
from core.skeleton import LINKS, PARENTS, mirror_name

MAN = make_body({"height": 1.8, "mass": 80.0, "sex": "male"})
WOMAN = make_body({"height": 1.65, "mass": 60.0, "sex": "female"})
PLANAR = planar_biped()
EVERY = [MAN, WOMAN, PLANAR, *(presets.body(name) for name in presets.names("bodies"))]


def link(body: Body, name: str) -> int:
    return body.names.index(name)


def height_over_sole(body: Body, name: str) -> float:
    """Height of a joint over the ground in the zero pose, metres."""
    joint, height = link(body, name), body.standing_height
    while joint > 0:
        height += body.offsets[joint, 2]
        joint = body.parents[joint]
    return height


def one_sentence(error: pytest.ExceptionInfo) -> str:
    text = str(error.value)
    assert "\n" not in text and text.endswith(".") and not re.search(r"\. [A-Z]", text), text
    return text


@pytest.mark.parametrize("height, mass, sex", [(1.8, 80.0, "male"), (1.2, 30.0, "male"), (1.65, 60.0, "female")])
def test_masses_sum_to_the_mass_of_the_body(height, mass, sex):
    body = make_body({"height": height, "mass": mass, "sex": sex})
    assert body.mass == pytest.approx(mass, rel=2e-4)  # the female table sums to 99.99 %
    assert body.mass == body.masses.sum()


@pytest.mark.parametrize("sex, thigh, shin, upper_arm", [("male", 0.1416, 0.0433, 0.0271), ("female", 0.1478, 0.0481, 0.0255)])
def test_segments_have_the_shares_of_de_leva(sex, thigh, shin, upper_arm):
    body = make_body({"height": 1.7, "mass": 70.0, "sex": sex})
    shares = {name: body.masses[link(body, f"{name}.L")] / 70.0 for name in ("thigh", "shin", "upper_arm")}
    assert shares == pytest.approx({"thigh": thigh, "shin": shin, "upper_arm": upper_arm})


def test_forearm_carries_the_hand_and_foot_and_toes_share_the_foot():
    mass = dict(zip(MAN.names, MAN.masses / 80.0, strict=True))
    assert mass["forearm.R"] == pytest.approx(0.0162 + 0.0061)
    assert mass["foot.R"] + mass["toes.R"] == pytest.approx(0.0137)
    assert mass["foot.R"] > mass["toes.R"] > 0
    assert mass["pelvis"] + mass["torso"] + mass["head"] == pytest.approx(0.5040)


def test_male_centre_of_mass_and_radius_of_the_thigh_by_hand():
    thigh, length = link(MAN, "thigh.L"), 1.8 * 422.2 / 1741
    assert MAN.com_offsets[thigh] == pytest.approx([0, 0, -0.4095 * length])
    assert MAN.inertias[thigh] == pytest.approx(0.1416 * 80 * length**2 * np.array([0.329, 0.329, 0.149]) ** 2)


@pytest.mark.parametrize("body, stature", [(MAN, 1.8), (WOMAN, 1.65)], ids=["man", "woman"])
def test_the_top_of_the_head_is_at_the_stature(body, stature):
    sex = "male" if body is MAN else "female"
    lengths = Proportions.from_stature(stature, sex)
    assert height_over_sole(body, "head") + lengths.head == pytest.approx(stature)
    head = body.shapes[link(body, "head")]
    top = height_over_sole(body, "head") + head.center[2] + head.half_extents[2]
    assert stature - 0.03 < top <= stature + 1e-9
    # The whole body's centre of mass of a standing person is at 53–58 % of the stature.
    heights = [height_over_sole(body, name) + body.com_offsets[i, 2] for i, name in enumerate(body.names)]
    assert 0.53 < np.average(heights, weights=body.masses) / stature < 0.58


@pytest.mark.parametrize("body", EVERY, ids=lambda body: body.name)
def test_soles_lie_flat_on_the_ground_and_reach_in_front_of_and_behind_the_ankle(body):
    for side in "LR":
        foot = link(body, f"foot.{side}")
        points = body.sole_points[body.sole_links == foot]
        assert len(points) == 4
        assert height_over_sole(body, f"foot.{side}") + points[:, 2] == pytest.approx(0)
        assert points[:, 0].min() < 0 < points[:, 0].max()
        if not body.planar:
            tips = body.sole_points[body.sole_links == link(body, f"toes.{side}")]
            assert height_over_sole(body, f"toes.{side}") + tips[:, 2] == pytest.approx(0)
            assert len(tips) == 2 and (tips[:, 0] > 0).all()


@pytest.mark.parametrize("body", EVERY, ids=lambda body: body.name)
def test_left_and_right_mirror_each_other(body):
    flip = np.array([1, -1, 1])
    for i, name in enumerate(body.names):
        j = link(body, mirror_name(name))
        np.testing.assert_allclose(body.offsets[i] * flip, body.offsets[j], atol=1e-15)
        np.testing.assert_allclose(body.com_offsets[i] * flip, body.com_offsets[j], atol=1e-15)
        np.testing.assert_array_equal(body.masses[i], body.masses[j])
        np.testing.assert_array_equal(body.inertias[i], body.inertias[j])
        assert body.shapes[i].size == body.shapes[j].size
        low, high = body.limits[i].T
        # Mirroring in the xz plane turns rotations about x and z round and leaves those about y.
        np.testing.assert_array_equal(body.limits[j], np.array([[-high[0], -low[0]], [low[1], high[1]], [-high[2], -low[2]]]))


@pytest.mark.parametrize("body", EVERY, ids=lambda body: body.name)
def test_moments_are_those_of_solid_bodies(body):
    moments = np.sort(body.inertias, axis=1)
    assert (body.masses > 0).all() and (moments > 0).all()
    assert (moments[:, 0] + moments[:, 1] >= moments[:, 2] * (1 - 1e-9)).all()


@pytest.mark.parametrize("body", EVERY, ids=lambda body: body.name)
def test_links_come_after_their_parents_and_limits_include_standing(body):
    assert body.parents[0] == -1 and (body.parents[1:] < np.arange(1, len(body.names))).all()
    for i, name in enumerate(body.names[1:], 1):
        assert body.names[body.parents[i]] == PARENTS[name]
    assert (body.limits[:, :, 0] <= 0).all() and (body.limits[:, :, 1] >= 0).all()
    for i, hinge in enumerate(body.hinges):
        if i and hinge:
            assert (body.limits[i, [0, 2]] == 0).all() and body.limits[i, 1, 0] < body.limits[i, 1, 1]
    assert body.leg_length > 0 and body.standing_height > body.leg_length


def test_knees_bend_backward_and_elbows_forward_only():
    assert MAN.limits[link(MAN, "shin.L"), 1] == pytest.approx([0.0, 2.6])
    assert MAN.limits[link(MAN, "forearm.L"), 1] == pytest.approx([-2.6, 0.0])
    # The left leg spreads further outward (positive about x takes it to the left) than across.
    low, high = MAN.limits[link(MAN, "thigh.L"), 0]
    assert high > -low


def test_a_heavier_body_of_the_same_height_is_broader_not_longer():
    thin, stout = make_body({"height": 1.7, "mass": 50.0}), make_body({"height": 1.7, "mass": 100.0})
    np.testing.assert_array_equal(thin.offsets, stout.offsets)
    np.testing.assert_allclose(stout.inertias[link(stout, "thigh.L")], 2 * thin.inertias[link(thin, "thigh.L")])
    radius = [body.shapes[link(body, "thigh.L")].size[0] for body in (thin, stout)]
    assert radius[1] == pytest.approx(2**0.5 * radius[0])


def test_lengths_grow_with_stature():
    small, large = make_body({"height": 1.0, "mass": 40.0}), make_body({"height": 2.0, "mass": 40.0})
    np.testing.assert_allclose(large.offsets, 2 * small.offsets, atol=1e-15)
    np.testing.assert_allclose(large.com_offsets, 2 * small.com_offsets, atol=1e-15)
    assert large.leg_length == pytest.approx(2 * small.leg_length)


def test_scale_multiplies_only_the_named_length():
    plain, scaled = make_body({"height": 1.7}), make_body({"height": 1.7, "scale": {"thigh": 1.2}})
    ratio = np.ones(len(LINKS))
    ratio[[link(plain, "shin.L"), link(plain, "shin.R")]] = 1.2  # the knees hang at the thighs' ends
    np.testing.assert_allclose(scaled.offsets, plain.offsets * ratio[:, None], atol=1e-15)
    assert scaled.mass == pytest.approx(plain.mass)
    assert scaled.com_offsets[link(scaled, "thigh.L"), 2] == pytest.approx(1.2 * plain.com_offsets[link(plain, "thigh.L"), 2])


def test_arm_and_leg_scale_their_parts():
    lengths = Proportions.from_stature(1.7, "male")
    longer = lengths.scaled({"arm": 1.5, "leg": 0.8, "foot": 2.0})
    assert (longer.upper_arm, longer.forearm, longer.hand) == pytest.approx(
        (1.5 * lengths.upper_arm, 1.5 * lengths.forearm, 1.5 * lengths.hand))
    assert (longer.thigh, longer.shin, longer.foot) == pytest.approx((0.8 * lengths.thigh, 0.8 * lengths.shin, 2 * lengths.foot))
    assert (longer.torso, longer.ankle_height) == (lengths.torso, lengths.ankle_height)


def test_the_planar_biped_is_the_one_of_the_thesis():
    assert PLANAR.planar and all(PLANAR.hinges) and len(PLANAR.names) == 7
    mass = dict(zip(PLANAR.names, PLANAR.masses, strict=True))
    assert mass == {"pelvis": 70, "thigh.L": 5, "shin.L": 4, "foot.L": 1, "thigh.R": 5, "shin.R": 4, "foot.R": 1}
    assert PLANAR.mass == 90
    trunk, thigh, shin, foot = (PLANAR.shapes[link(PLANAR, name)] for name in ("pelvis", "thigh.L", "shin.L", "foot.L"))
    assert [2 * shape.half_extents[2] for shape in (trunk, thigh, shin)] == pytest.approx([0.48, 0.45, 0.45])
    assert 2 * foot.half_extents[0] == pytest.approx(0.20)
    assert PLANAR.leg_length == pytest.approx(0.90)
    assert PLANAR.com_offsets[0, 2] == pytest.approx(0.24)  # the trunk stands on the hips


def test_presets_build_what_they_say():
    for name in presets.names("bodies"):
        spec, body = presets.load("bodies", name), presets.body(name)
        assert body.name == name
        if not spec.get("planar"):
            assert body.mass == pytest.approx(spec["mass"], rel=2e-4)
    assert presets.body("planar_biped").planar


def joints(body: Body) -> dict[str, list[float]]:
    return {name: list(map(float, offset)) for name, offset in zip(body.names, body.offsets, strict=True) if name != "pelvis"}


@pytest.mark.parametrize("sex", ["male", "female"])
def test_a_body_can_be_rebuilt_from_its_own_joints(sex):
    body = make_body({"height": 1.62, "mass": 55.0, "sex": sex})
    again = make_body({"skeleton": {"offsets": joints(body)}, "mass": 55.0, "sex": sex})
    np.testing.assert_allclose(again.offsets, body.offsets, atol=1e-12)
    np.testing.assert_allclose(again.masses, body.masses)
    np.testing.assert_allclose(again.inertias, body.inertias, rtol=1e-9)
    assert again.standing_height == pytest.approx(body.standing_height)


def test_odd_proportions_survive_the_way_through_the_joints():
    body = make_body({"height": 1.7, "scale": {"arm": 1.5, "thigh": 0.8, "torso": 1.1, "hip_spacing": 1.3,
        "shoulder_spacing": 0.9}})
    lengths = Proportions.from_joints({name: np.array(offset) for name, offset in joints(body).items()})
    expected = Proportions.from_stature(1.7, "male").scaled(
        {"arm": 1.5, "thigh": 0.8, "torso": 1.1, "hip_spacing": 1.3, "shoulder_spacing": 0.9})
    for name in ("upper_arm", "forearm", "hand", "thigh", "shin", "torso", "pelvis", "hip_spacing", "shoulder_spacing"):
        assert getattr(lengths, name) == pytest.approx(getattr(expected, name)), name


def test_measured_joints_are_kept_exactly_and_the_sole_lies_flat():
    measured = {**joints(MAN), "torso": [-0.02, 0.0, 0.11], "upper_arm.L": [-0.03, 0.19, 0.37], "thigh.R": [0.01, -0.1, -0.02]}
    foot = {"heel": -0.06, "ball": 0.15, "tip": 0.22, "height": 0.09, "ball_height": 0.02, "width": 0.1}
    body = make_body({"skeleton": {"offsets": measured, "foot": foot, "lengths": {"forearm": 0.25}}})
    for name in ("torso", "upper_arm.L", "thigh.R", "shin.L"):
        np.testing.assert_array_equal(body.offsets[body.names.index(name)], measured[name])
    np.testing.assert_allclose(body.offsets[body.names.index("toes.L")], (0.15, 0.0, -0.07))
    heights = body.sole_points[:, 2] + [body.offsets[link, 2] if body.names[link].startswith("toes") else 0.0 for link in body.sole_links]
    np.testing.assert_allclose(heights, -0.09)


def test_joints_out_of_scale_are_refused_by_their_bone():
    with pytest.raises(RigError) as error:
        make_body({"skeleton": {"offsets": {name: [0.001 * v for v in offset] for name, offset in joints(MAN).items()}}})
    assert "'foot.L'" in one_sentence(error) or "'shin.L'" in one_sentence(error)


def test_joints_without_arms_get_arms_of_that_size_but_legs_must_be_there():
    legs = {name: offset for name, offset in joints(MAN).items() if name[:-2] in ("thigh", "shin", "foot")}
    body = make_body({"skeleton": {"offsets": legs}})
    np.testing.assert_allclose(body.offsets[body.names.index("forearm.L")], MAN.offsets[MAN.names.index("forearm.L")], rtol=1e-6)
    del legs["shin.L"]
    with pytest.raises(RigError, match="'shin.L'"):
        make_body({"skeleton": {"offsets": legs}})


@pytest.mark.parametrize("spec, field", [
    ({"mass": 0}, "body.mass"), ({"mass": -70}, "body.mass"), ({"mass": "heavy"}, "body.mass"),
    ({"mass": float("nan")}, "body.mass"),
    ({"mass": True}, "body.mass"), ({"mass": None}, "body.mass"), ({"height": 0}, "body.height"), ({"height": 18}, "body.height"),
    ({"height": float("inf")}, "body.height"), ({"sex": "robot"}, "body.sex"), ({"sex": 1}, "body.sex"),
    ({"sex": ["male"]}, "body.sex"),
    ({"scale": {"tail": 1.1}}, "'tail'"), ({"scale": {"thigh": 0}}, "body.scale.thigh"),
    ({"scale": {"arm": "long"}}, "body.scale.arm"),
    ({"scale": [1.1]}, "body.scale"),
    ({"weight": 70}, "weight"),
    ({"skeleton": []}, "body.skeleton"), ({"skeleton": {"bones": {}}}, "body.skeleton"), ({"skeleton": {"offsets": {"tail": [0, 0, 1]}}}, "'tail'"),
    ({"skeleton": {"offsets": {"shin.L": [0, 1]}}}, "shin.L"), ({"skeleton": {"offsets": {"shin.L": [0, 0, float("nan")]}}}, "shin.L"),
    ({"skeleton": {"offsets": joints(MAN), "foot": {"heel": 0.1}}}, "body.skeleton.foot"),
    ({"skeleton": {"offsets": joints(MAN), "lengths": {"nose": 0.1}}}, "'nose'"),
    ({"skeleton": {"offsets": joints(MAN), "radii": [0.1]}}, "radii"), ({"skeleton": {"offsets": joints(MAN), "radii": {"nose": 0.1}}}, "'nose'"),
    ({"skeleton": {"offsets": joints(MAN), "radii": {"shin": "thick"}}}, "radii.shin"),
    ({"skeleton": {"offsets": joints(MAN), "radii": {"torso": 0.1}}}, "radii.torso"),
    ({"skeleton": {"offsets": joints(MAN), "flesh": [0.1]}}, "flesh"),
    ({"skeleton": {"offsets": joints(MAN), "flesh": {"nose": [[0, 0, 0, 1]]}}}, "'nose'"),
    ({"skeleton": {"offsets": joints(MAN), "flesh": {"shin.L": [[0, 0, 0]]}}}, "flesh.shin.L"),
    ({"skeleton": {"offsets": joints(MAN), "flesh": {"shin.L": [[0, 0, 0, 0]]}}}, "a radius"),
])
def test_bad_values_are_refused_in_one_sentence_that_names_the_field(spec, field):
    with pytest.raises(JobError) as error:
        make_body(spec)
    assert field in one_sentence(error)
    assert isinstance(error.value, FootfallError)


def test_pieces_combine_by_the_parallel_axis_theorem():
    # A dumbbell: two points of 2 kg, a metre to either side along x.
    dumbbell = combine([Mass(2.0, np.array([x, 0.0, 0.5]), np.zeros(3)) for x in (-1.0, 1.0)])
    assert dumbbell.mass == 4.0
    assert dumbbell.center == pytest.approx([0, 0, 0.5])
    assert dumbbell.inertia == pytest.approx([0, 4, 4])


def test_a_segment_along_x_turns_its_long_axis_forward():
    segment = Segment(0.1, 0.25, (0.3, 0.2, 0.1), 1.0)
    upright = segment_mass(segment, 10.0, [0, 0, 0], [0, 0, -2])
    lying = segment_mass(segment, 10.0, [0, 0, 0], [2, 0, 0])
    assert upright.mass == lying.mass == pytest.approx(1.0)
    assert upright.center == pytest.approx([0, 0, -0.5]) and lying.center == pytest.approx([0.5, 0, 0])
    assert upright.inertia == pytest.approx([0.36, 0.16, 0.04]) and lying.inertia == pytest.approx([0.04, 0.16, 0.36])


def test_measured_thickness_changes_the_shapes_and_nothing_else():
    plain = make_body({"skeleton": {"offsets": joints(MAN)}})
    thick = make_body({"skeleton": {"offsets": joints(MAN), "radii": {"thigh": 0.2, "shin": 0.08, "forearm": 0.03, "pelvis": [0.1, 0.2]}}})
    shape = dict(zip(thick.names, thick.shapes, strict=True))
    assert shape["shin.L"].size[0] == shape["shin.R"].size[0] == 0.08 and shape["forearm.R"].size[0] == 0.03
    assert shape["pelvis"].half_extents[:2] == (0.1, 0.2)
    assert shape["shin.L"].half_extents[2] == pytest.approx(dict(zip(plain.names, plain.shapes, strict=True))["shin.L"].half_extents[2])
    # Thighs that stand side by side are not in one another.
    assert 2 * shape["thigh.L"].size[0] < MAN.offsets[MAN.names.index("thigh.L"), 1] - MAN.offsets[MAN.names.index("thigh.R"), 1]
    np.testing.assert_array_equal(thick.masses, plain.masses)
    np.testing.assert_array_equal(thick.inertias, plain.inertias)
    assert thick.legs_thick == pytest.approx(0.16, abs=0.02) and thick.step_width > plain.step_width


def test_flesh_is_what_was_measured_or_fills_the_shape():
    measured = make_body({"skeleton": {"offsets": joints(MAN), "flesh": {"shin.L": [[0.0, 0.01, -0.2, 0.07]]}}})
    np.testing.assert_array_equal(measured.flesh_of("shin.L"), [[0.0, 0.01, -0.2, 0.07]])
    for name, shape in zip(MAN.names, MAN.shapes, strict=True):
        balls = MAN.flesh_of(name)
        reach = np.abs(balls[:, :3] - shape.center) + balls[:, 3:]
        longest = np.argmax(shape.half_extents)
        assert reach[:, longest].max() == pytest.approx(shape.half_extents[longest], abs=1e-9)
        assert (balls[:, 3] == sorted(shape.half_extents)[1]).all()
