"""Measures against motions whose numbers are known beforehand.

``walk`` is a planar seven-link biped moved by a formula: its trunk carries all the mass and glides, its feet are placed on
given spots and its legs follow by two-link inverse kinematics.
"""

import json

import numpy as np
import pytest

from core import kinematics, rotation
from core import signals as smooth
from core.errors import FootfallError, FormatError
from core.feet import loads as contacts
from core.feet import slide as skate
from core.measure import balance, gait, limits, norms, plot, report, span
from core.result import Result

THIGH = SHIN = 0.45
ANKLE = 0.08
HIP = 0.1
HEEL, BALL = -0.06, 0.19
LINKS = ["pelvis", "thigh.L", "shin.L", "foot.L", "thigh.R", "shin.R", "foot.R"]
FREE = [-np.inf, np.inf]


def make_result(frames, **changes) -> Result:
    """A biped with a 60 kg trunk (centre of mass 0.2 m up), massless legs and nothing under its feet, straight at the origin."""
    feet = [LINKS.index("foot.L"), LINKS.index("foot.R")]
    values = {
        "fps": 50, "link_names": list(LINKS), "parents": np.array([-1, 0, 1, 2, 0, 4, 5]),
        "offsets": np.array([[0, 0, 0], [0, HIP, 0], [0, 0, -THIGH], [0, 0, -SHIN], [0, -HIP, 0], [0, 0, -THIGH], [0, 0, -SHIN]]),
        "masses": np.array([60.0, 0, 0, 0, 0, 0, 0]), "com_offsets": np.array([[0, 0, 0.2]] + [[0.0, 0, 0]] * 6),
        "inertias": np.array([[3.0, 3.0, 1.0]] + [[0.0, 0, 0]] * 6), "half_extents": np.full((7, 3), 0.05),
        "shape_centers": np.array([[0, 0, 0.24]] + [[0, 0, -0.2]] * 6), "limits": np.array([[FREE] * 3] * 7),
        "sole_links": np.repeat(feet, 4), "sole_points": np.array([[x, y, -ANKLE] for x in (HEEL, BALL) for y in (0.04, -0.04)] * 2),
        "root_positions": np.zeros((frames, 3)), "rotations": rotation.identity((frames, 7)),
        "torques": np.zeros((frames, 7, 3)), "foot_forces": np.zeros((frames, 2, 3)), "foot_cops": np.full((frames, 2, 3), np.nan),
        "penetrations": np.zeros((frames, 2)), "ground_heights": np.zeros((frames, 2)), "stance": np.zeros(frames, int),
        "states": np.zeros(frames, int), "gait_names": ["walk"], "gaits": np.zeros(frames, int), "headings": np.zeros(frames),
        "speeds": np.full(frames, np.nan), "reference_positions": np.zeros((0, 7, 3)), "object_names": [],
        "object_positions": np.zeros((frames, 0, 3)),
        "object_rotations": np.zeros((frames, 0, 4)), "job": {}, "outcome": {"fell": False, "fell_at": None, "steps": 0},
    }
    return Result(**{**values, **changes})


def about_y(angle):
    return rotation.exp(np.stack([np.zeros_like(angle), angle, np.zeros_like(angle)], axis=-1))


def leg(hip_to_ankle, pitch):
    """Local rotations (F, 3, 4) of thigh, shin and foot that bring the ankle to (F, 2) x, z and tilt the foot by ``pitch``."""
    reach = np.hypot(*hip_to_ankle.T)
    knee = np.pi - np.arccos(np.clip((THIGH**2 + SHIN**2 - reach**2) / (2 * THIGH * SHIN), -1, 1))
    # Rotation about +Y swings a hanging leg backward, to -x.
    hip = np.arctan2(-hip_to_ankle[:, 0], -hip_to_ankle[:, 1]) - knee / 2
    return np.stack([about_y(hip), about_y(knee), about_y(pitch - hip - knee)], axis=1)


def foot_track(frames, step, stride, stance, phase, slide):
    """Over F frames of one foot: (F, 2) x, z of the ankle, (F,) pitch, (F,) whether it stands."""
    count, k = np.divmod(np.arange(frames) + phase, stride)
    stands = k < stance
    swing = np.clip((k - stance + 1) / (stride - stance + 1), 0, 1)
    spot = (count - phase / stride) * 2 * step
    x = np.where(stands, spot + slide * k / (stance - 1), spot + slide + (2 * step - slide) * swing)
    # It leaves heel first and lands toes up, so that some of the sole is always above 5 cm between.
    pitch = np.where(stands, 0.0, 0.6 - 1.0 * swing)
    lift = np.where(stands, 0.0, 0.07 * np.sin(np.pi * swing))
    lowest = np.min([-np.sin(pitch) * end - np.cos(pitch) * ANKLE for end in (HEEL, BALL)], axis=0)
    return np.stack([x, lift - lowest], axis=1), pitch, stands


def walk(seconds=5.0, fps=50, step=0.6, stride=50, stance=30, slide=0.0, heading=0.0, **changes) -> Result:
    """Walks at 2·step metres in ``stride`` frames; each foot stands for ``stance`` frames and slides ``slide`` metres of them."""
    frames = round(seconds * fps)
    speed = 2 * step / stride
    x = speed * np.arange(frames) - speed * (stance - 1) / 2 + 0.5 * (BALL + HEEL)
    roots = np.stack([x, np.zeros(frames), np.full(frames, 0.85)], axis=1)
    rotations = rotation.identity((frames, 7))
    forces, cops = np.zeros((frames, 2, 3)), np.full((frames, 2, 3), np.nan)
    tracks = [foot_track(frames, step, stride, stance, phase, slide) for phase in (0, stride // 2)]
    loads = np.stack([stands for _, _, stands in tracks], axis=1).astype(float)
    for foot, (ankle, pitch, stands) in enumerate(tracks):
        rotations[:, 1 + 3 * foot:4 + 3 * foot] = leg(ankle - roots[:, [0, 2]], pitch)
        cops[stands, foot] = [0.0, HIP * (1 - 2 * foot), 0.0]
        cops[stands, foot, 0] = ankle[stands, 0] + (HEEL + BALL) / 2
        forces[:, foot, 2] = loads[:, foot] / np.maximum(loads.sum(axis=1), 1) * 60 * kinematics.GRAVITY
    turn = rotation.exp(np.array([0.0, 0.0, heading]))
    rotations[:, 0] = turn
    return make_result(frames, fps=fps, root_positions=rotation.rotate(turn, roots), rotations=rotations,
                       foot_forces=forces, foot_cops=rotation.rotate(turn, cops), headings=np.full(frames, heading), **changes)


def standing(frames=100, root=(0.0, 0.0, 2 * THIGH + ANKLE), **changes) -> Result:
    """Stands straight with half its weight on each foot."""
    half = np.tile([0.0, 0.0, 30 * kinematics.GRAVITY], (frames, 2, 1))
    return make_result(frames, **{"root_positions": np.tile(root, (frames, 1)), "foot_forces": half, **changes})


def lean(frames, angle, about, axis, **changes) -> Result:
    """The standing body turned as one piece by (F,) angles about a (2,) point x, y on the ground."""
    still, pivot = standing(frames), np.array([*about, 0.0])
    turn = rotation.exp(np.asarray(angle)[:, None] * np.asarray(axis, dtype=float))
    rotations = still.rotations.copy()
    rotations[:, 0] = turn
    roots = pivot + rotation.rotate(turn, still.root_positions - pivot)
    return standing(frames, root_positions=roots, rotations=rotations, **changes)


def glide(speed, height=0.0, frames=51, fps=50) -> Result:
    """The standing body moved along +Y at ``speed``, its soles ``height`` above the ground."""
    roots = np.zeros((frames, 3)) + [0.0, 0.0, 2 * THIGH + ANKLE + height]
    roots[:, 1] = speed * np.arange(frames) / fps
    return standing(frames, root_positions=roots)


class TestSmooth:
    def test_quadratic_is_exact_to_the_ends(self):
        t = np.arange(40) / 25
        values = 3 - 2 * t + 5 * t**2
        assert smooth.local_fit(values, 25, 0.3, degree=2) == pytest.approx(values)
        assert smooth.local_fit(values, 25, 0.3, degree=2, derivative=1) == pytest.approx(-2 + 10 * t)
        assert smooth.local_fit(values, 25, 0.3, degree=2, derivative=2) == pytest.approx(np.full(40, 10.0))

    def test_a_window_of_one_period_levels_a_wave(self):
        wave = np.sin(2 * np.pi * np.arange(200) / 51)
        assert np.abs(smooth.local_fit(wave, 50, 51 / 50, degree=1)[25:-25]).max() < 1e-9

    @pytest.mark.parametrize("frames", [1, 2, 3])
    def test_short_clips(self, frames):
        values = 4.0 * np.arange(frames)
        assert smooth.local_fit(values, 10, 0.5, degree=2) == pytest.approx(values)
        rate = smooth.local_fit(values, 10, 0.5, degree=2, derivative=1)
        assert rate == pytest.approx(np.full(frames, 40.0 if frames > 1 else 0.0))


class TestKinematics:
    def test_com_is_the_weighted_mean(self):
        masses = np.array([6.0, 1, 0, 0, 3, 0, 0])
        body = standing(5, root=(1.0, 2.0, 0.98), masses=masses)
        expected = (6 * np.array([1, 2, 1.18]) + [1, 2.1, 0.98] + 3 * np.array([1, 1.9, 0.98])) / 10
        assert kinematics.center_of_mass(body) == pytest.approx(np.tile(expected, (5, 1)))

    def test_velocity_and_acceleration_of_a_thrown_body(self):
        t = np.arange(30) / 50
        roots = np.stack([2 * t, 0 * t, 1 + 3 * t - 0.5 * 9.81 * t**2], axis=1)
        body = standing(30, root_positions=roots)
        assert kinematics.com_velocity(body) == pytest.approx(np.stack([0 * t + 2, 0 * t, 3 - 9.81 * t], axis=1))
        assert kinematics.com_acceleration(body) == pytest.approx(np.tile([0, 0, -9.81], (30, 1)))

    def test_angular_momentum_of_a_spinning_body(self):
        # Spin of the trunk plus two 2 kg thighs on a circle of radius HIP; a drifting centre of mass adds nothing.
        masses = np.array([60.0, 2, 0, 0, 2, 0, 0])
        body = lean(60, 1.5 * np.arange(60) / 50, (0, 0), (0, 0, 1), masses=masses)
        body.root_positions += np.outer(np.arange(60), [0.1, 0.2, 0.0])
        momentum = kinematics.angular_momentum(body)
        assert momentum[:, 2] == pytest.approx(np.full(60, 1.5 * (1.0 + 2 * 2 * HIP**2)), rel=1e-3)
        assert np.abs(momentum[:, :2]).max() < 1e-9

    def test_spin_about_an_axis_of_a_turned_link_uses_its_own_inertia(self):
        # Lying on its side (x down), the trunk turns about world z with the moment of its own x axis.
        body = standing(40, inertias=np.array([[3.0, 5.0, 1.0]] + [[0.0, 0, 0]] * 6))
        spin = rotation.exp(np.outer(np.arange(40) / 50, [0, 0, 2.0]))
        body.rotations[:, 0] = rotation.multiply(spin, rotation.exp(np.array([0, np.pi / 2, 0])))
        assert kinematics.angular_momentum(body)[:, 2] == pytest.approx(np.full(40, 2 * 3.0))

    def test_soles_of_a_standing_body(self):
        soles = kinematics.sole_positions(standing(2))
        assert soles[1, 0] == pytest.approx([HEEL, HIP + 0.04, 0.0])
        assert soles[1, 7] == pytest.approx([BALL, -HIP - 0.04, 0.0])
        assert kinematics.sole_heights(standing(2, ground_heights=np.full((2, 2), -0.3))) == pytest.approx(np.full((2, 8), 0.3))

    def test_a_knee_may_bend_past_a_right_angle(self):
        body = standing(3)
        body.rotations[:, LINKS.index("shin.L")] = about_y(np.array([0.5, 1.8, 2.4]))
        for order in ("xyz", "yxz"):
            angles = kinematics.joint_angles(body, order)[:, LINKS.index("shin.L")]
            assert angles == pytest.approx(np.array([[0, 0.5, 0], [0, 1.8, 0], [0, 2.4, 0]]))


class TestContacts:
    def loads(self, left) -> Result:
        weight = 60 * kinematics.GRAVITY
        forces = np.zeros((len(left), 2, 3))
        forces[:, 0, 2] = weight * np.array(left)
        return standing(len(left), foot_forces=forces, fps=30)

    def test_hysteresis(self):
        load = contacts.loaded(self.loads([0, 0.04, 0.04, 0.06, 0.5, 0.04, 0.03, 0.02, 0.04, 0.04]))
        assert load[:, 0].astype(int).tolist() == [0, 0, 0, 1, 1, 1, 1, 0, 0, 0]
        assert not load[:, 1].any()

    def test_a_bounce_and_a_scuff_of_one_frame_are_no_steps(self):
        body = self.loads([0, 0, 0.5, 0, 1, 1, 1, 0, 0, 0.2, 0, 0])
        assert contacts.stances(body) == ([(2, 7)], [])
        assert [(fall.foot, fall.frame) for fall in contacts.footfalls(body)] == [(0, 2)]

    def test_a_loaded_foot_in_the_air_is_not_planted(self):
        body = glide(0.0, height=0.02)
        assert contacts.loaded(body).all() and not contacts.planted(body).any()
        assert contacts.planted(glide(0.0, height=0.005)).all()

    def test_footfalls_of_a_walk(self):
        falls = contacts.footfalls(walk(heading=np.pi / 2))
        assert [(fall.foot, fall.frame) for fall in falls[:3]] == [(1, 25), (0, 50), (1, 75)]
        # The second landing of the left foot is two steps on, turned to face +Y, its left at -X.
        assert falls[1].position == pytest.approx([-HIP, 1.2 + (HEEL + BALL) / 2, 0.0], abs=1e-6)


class TestGait:
    @pytest.mark.parametrize("heading", [0.0, 0.7, 3.1])
    def test_known_walk_in_any_direction(self, heading):
        measured = gait.summary(walk(heading=heading, slide=0.004))
        expected = {"speed_m_s": 1.2, "path_speed_m_s": 1.2, "cadence_steps_min": 120, "stride_time_s": 1.0, "step_count": 8,
                    "step_length_left_m": 0.6, "step_length_right_m": 0.6, "step_width_m": 0.2, "stance_ratio_left": 0.6,
                    "stance_ratio_right": 0.6, "double_support_ratio": 0.2, "flight_ratio": 0.0, "step_length_symmetry": 1.0,
                    "step_time_symmetry": 1.0, "heading_range_rad": 0.0}
        assert {key: measured[key] for key in expected} == pytest.approx(expected, abs=1e-6)

    def test_running_has_flight(self):
        run = gait.summary(walk(stance=20))
        assert run["flight_ratio"] == pytest.approx(0.2)
        assert run["double_support_ratio"] == 0.0

    def test_shares_are_of_whole_strides(self):
        # 5.3 s end in the middle of a stride, whose first part alone would raise the stance of one foot.
        shares = gait.support(walk(seconds=5.3))
        assert (shares["stance_ratio_left"], shares["double_support_ratio"]) == pytest.approx((0.6, 0.2))

    def test_walking_backwards_is_negative_speed_on_the_same_path(self):
        forward = walk()
        back = span.cut(forward, 0, forward.frames)
        back.rotations = forward.rotations.copy()
        back.rotations[:, 0] = rotation.exp(np.array([0, 0, np.pi]))
        assert gait.forward_speed(back) == pytest.approx(-1.2)
        assert gait.path_length(back) == pytest.approx(gait.distance(back))

    def test_path_and_turning_of_a_circle(self):
        angle = np.linspace(0, 2 * np.pi, 401)
        roots = np.stack([3 * np.cos(angle), 3 * np.sin(angle), np.ones(401)], axis=1)
        body = standing(401, root_positions=roots)
        body.rotations[:, 0] = rotation.exp(np.outer(angle + np.pi / 2, [0, 0, 1]))
        assert gait.distance(body) == pytest.approx(0.0, abs=1e-9)
        assert gait.path_length(body) == pytest.approx(6 * np.pi, rel=0.01)
        assert np.ptp(gait.mean_heading(body)) == pytest.approx(2 * np.pi)
        assert abs(gait.forward_speed(body)) < 0.01

    def test_sway_is_no_distance(self):
        body = walk(step=0.0)
        body.root_positions[:, 1] = 0.03 * np.sin(2 * np.pi * np.arange(body.frames) / 50)
        raw = np.abs(np.diff(body.root_positions[:, 1])).sum()
        assert gait.path_length(body) < 0.3 * raw

    def test_heading_error_crosses_the_half_turn(self):
        body = walk(heading=3.1)
        body.headings[:] = -3.1
        assert gait.heading_error(body) == pytest.approx((2 * np.pi - 6.2, 2 * np.pi - 6.2))

    def test_the_sway_of_the_hips_is_no_heading_error(self):
        body = walk()
        body.rotations[:, 0] = rotation.exp(np.outer(0.15 * np.sin(2 * np.pi * np.arange(body.frames) / 50), [0, 0, 1]))
        assert gait.heading_error(body)[0] < 0.005

    def test_speed_errors_of_two_segments(self):
        body = walk(seconds=6)
        # The last command is held for less than a stride and is not judged.
        body.speeds[:100], body.speeds[100:280], body.speeds[280:] = 1.0, 1.5, 9.0
        first, second = gait.speed_errors(body, start_s=2.0)
        assert first == pytest.approx({"from_s": 2, "to_s": 4, "commanded_m_s": 1, "measured_m_s": 1.2, "error_m_s": 0.2})
        assert second["error_m_s"] == pytest.approx(-0.3)

    def test_symmetry(self):
        assert gait.symmetry(0.4, 0.5) == pytest.approx(0.8)
        assert gait.symmetry(-0.5, -0.4) == pytest.approx(0.8)
        assert gait.symmetry(0.5, -0.1) == 0.0
        assert gait.symmetry(None, 0.5) is None


class TestSkate:
    def test_slide_of_four_millimetres_a_step(self):
        # 30 frames of stance are 29 moves; in the last of them the foot leaves the ground.
        measured = skate.summary(walk(slide=0.004, stance=30))
        assert measured["slide_mean_mm"] == pytest.approx(4.0 * 28 / 29, abs=1e-3)
        assert measured["slide_max_mm"] == pytest.approx(4.0 * 28 / 29, abs=1e-3)
        assert skate.summary(walk())["slide_max_mm"] == pytest.approx(0.0, abs=1e-3)

    def test_a_walk_does_not_skate(self):
        assert skate.summary(walk())["skating_frames"] == 0

    @pytest.mark.parametrize("speed, height, frames", [(0.6, 0.0, 50), (0.4, 0.0, 0), (0.6, 0.04, 50), (0.6, 0.06, 0)])
    def test_skating_is_low_and_fast(self, speed, height, frames):
        assert skate.summary(glide(speed, height))["skating_frames"] == frames

    def test_a_foot_that_pivots_on_a_still_point_does_not_skate(self):
        # Spinning at 6 rad/s about the left heel: the left foot has a point that stands, the right one is dragged along.
        skates = skate.skating(lean(21, 6.0 * np.arange(21) / 50, (HEEL, HIP + 0.04), (0, 0, 1)))
        assert skates[1:].tolist() == [[False, True]] * 20

    @pytest.mark.parametrize("ahead, stands", [(BALL, True), (HEEL, True), (0.5 * (HEEL + BALL), False)])
    def test_a_pivot_on_the_ball_or_the_heel_is_no_slide(self, ahead, stands):
        """About the middle between two corners; a foot that turns about its arch scrapes the floor."""
        turning = lean(21, np.arange(21) / 50, (ahead, HIP), (0, 0, 1))
        assert (skate.slides(turning)[0] < 1e-9) == stands
        turning.root_positions[:, 1] += np.linspace(0, 0.007, 21)
        assert skate.slides(turning)[0] > 0.003

    def test_only_stances_that_bear_the_body_are_asked(self):
        sliding = walk(slide=0.004, stance=30)
        assert len(skate.bearing_slides(sliding)) == len(skate.slides(sliding)) and max(skate.bearing_slides(sliding)) > 0.003
        sliding.foot_forces *= 0.2
        assert skate.bearing_slides(sliding) == [] and max(skate.slides(sliding)) > 0.003

    def test_one_jerk_counts_once(self):
        body = glide(0.0)
        body.root_positions[20:, 0] += 0.03
        assert np.flatnonzero(skate.skating(body)[:, 1]).tolist() == [20]

    def test_rolling_over_the_toes_is_no_slide(self):
        rolling = lean(41, np.linspace(0, 0.5, 41), (BALL, 0), (0, 1, 0))
        assert kinematics.link_poses(rolling)[0][-1, LINKS.index("foot.L"), 0] > 0.03
        assert skate.slides(rolling) == pytest.approx([0.0, 0.0], abs=1e-9)
        rolling.root_positions[:, 1] += np.linspace(0, 0.007, 41)
        assert skate.slides(rolling) == pytest.approx([0.007 * 39 / 40] * 2)

    def test_penetration(self):
        body = standing(10)
        body.penetrations[4, 1] = 0.0025
        assert skate.summary(body)["penetration_max_mm"] == pytest.approx(2.5)


class TestBalance:
    def test_at_rest_everything_is_under_the_com(self):
        body = standing(50, root=(0.3, -0.2, 0.98))
        for point in (balance.com_projection, balance.zero_moment_point, balance.extrapolated_com):
            assert point(body) == pytest.approx(np.tile([0.3, -0.2], (50, 1)))

    def test_zmp_lags_behind_an_accelerating_com(self):
        t = np.arange(50) / 50
        roots = np.stack([0.5 * 1.5 * t**2, -0.5 * 0.8 * t**2, np.full(50, 0.98)], axis=1)
        body = standing(50, root_positions=roots, ground_heights=np.full((50, 2), 0.1))
        lag = (1.18 - 0.1) / kinematics.GRAVITY * np.array([1.5, -0.8])
        assert balance.zero_moment_point(body) == pytest.approx(roots[:, :2] - lag)

    @pytest.mark.parametrize("axis, shift", [((0, 1, 0), (-1, 0)), ((1, 0, 0), (0, 1))])
    def test_zmp_of_a_body_that_starts_to_turn(self, axis, shift):
        # Turning about its own centre of mass at 2 rad/s²: the ground must push I·α / (m·g) to the side.
        angle = np.arange(50)**2 / 50**2
        com = np.array([0, 0, 1.18])
        turn = rotation.exp(angle[:, None] * np.array(axis, dtype=float))
        body = standing(50, root_positions=com - rotation.rotate(turn, np.array([0, 0, 0.2])))
        body.rotations[:, 0] = turn
        expected = np.array(shift) * 3.0 * 2.0 / (60 * kinematics.GRAVITY)
        assert balance.zero_moment_point(body)[5:-5] == pytest.approx(np.tile(expected, (40, 1)), abs=1e-4)

    def test_no_zmp_in_free_fall(self):
        t = np.arange(30) / 50
        body = standing(30, root_positions=np.stack([0 * t, 0 * t, 3 - 0.5 * 9.81 * t**2], axis=1))
        assert np.isnan(balance.zero_moment_point(body)).all()

    def test_cop_is_weighted_by_force(self):
        body = standing(4)
        body.foot_forces[:, :, 2] = [300.0, 100.0]
        body.foot_cops[:, 0], body.foot_cops[:, 1] = (0.0, 0.1, 0.0), (0.4, -0.1, 0.0)
        body.foot_cops[3] = np.nan
        assert balance.center_of_pressure(body)[:3] == pytest.approx(np.tile([0.1, 0.05], (3, 1)))
        assert np.isnan(balance.center_of_pressure(body)[3]).all()

    def test_cop_zmp_rms(self):
        body = standing(20)
        body.foot_cops[:] = (0.03, 0.04, 0.0)
        assert balance.cop_zmp_rms(body) == pytest.approx(0.05)
        body.foot_forces[:] = 0.0
        assert balance.cop_zmp_rms(body) is None

    def test_extrapolated_com_of_a_glide(self):
        body = glide(0.5)
        ahead = balance.extrapolated_com(body)[:, 1] - balance.com_projection(body)[:, 1]
        assert ahead == pytest.approx(np.full(51, 0.5 * np.sqrt(1.18 / kinematics.GRAVITY)))

    def test_margins(self):
        square = balance.convex_hull(np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5], [0.5, 0.0]]))
        assert len(square) == 4
        assert balance.margin(np.array([0.5, 0.3]), square) == pytest.approx(0.3)
        assert balance.margin(np.array([4.0, 5.0]), square) == pytest.approx(-5.0)
        line = balance.convex_hull(np.array([[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]]))
        assert balance.margin(np.array([0.5, 0.2]), line) == pytest.approx(-0.2)
        assert np.isnan(balance.margin(np.zeros(2), np.zeros((0, 2))))

    def test_margin_in_the_soles_of_a_standing_body(self):
        body = standing(6)
        body.foot_cops[:] = (HEEL + 0.02, 0.0, 0.0)
        polygon = balance.support_polygons(body)[0]
        assert sorted(map(tuple, polygon.round(6))) == [(HEEL, -0.14), (HEEL, 0.14), (BALL, -0.14), (BALL, 0.14)]
        assert balance.summary(body)["cop_margin_min_m"] == pytest.approx(0.02)


class TestLimits:
    def body(self, angles, link="shin.L", low_high=((0, 0), (0, 2.6), (0, 0))):
        body = standing(len(angles))
        body.rotations[:, LINKS.index(link)] = rotation.from_euler(np.array(angles, dtype=float))
        body.limits[LINKS.index(link)] = low_high
        return body

    def test_near_beyond_and_overshoot(self):
        knee = limits.summary(self.body([[0, 1, 0], [0, 0.02, 0], [0, -0.1, 0], [0, 2.5, 0]]))
        assert knee == {"shin.L": pytest.approx({"near_ratio": 0.5, "beyond_ratio": 0.25, "overshoot_max_deg": np.degrees(0.1)})}

    def test_a_locked_axis_counts_only_when_it_gives(self):
        assert limits.summary(self.body([[0, 1, 0]] * 3))["shin.L"]["near_ratio"] == 0.0
        assert limits.summary(self.body([[0, 1, 0.2]] * 3))["shin.L"]["overshoot_max_deg"] == pytest.approx(np.degrees(0.2))

    def test_of_two_readings_the_lawful_one(self):
        # Also (-0.34, 2.24, -1.64), which turns less in all but would break the limit of y.
        raised = self.body([[2.8, 0.9, 1.5]] * 2, "thigh.R", ((-0.5, 3.0), (-1.0, 1.0), (-1.6, 1.6)))
        assert limits.summary(raised)["thigh.R"]["beyond_ratio"] == 0.0


class TestNorms:
    def table(self, path, half_width=4.0):
        rows = ["condition,variable,axis,percent_gait_cycle,low,high,mid,half_width"]
        for variable, size in (("HipAngles", 20), ("KneeAngles", 30), ("AnkleAngles", 10)):
            means = size * np.sin(2 * np.pi * np.arange(101) / 100)
            rows += [f"Spont,{variable},X,{percent},0,0,{mean},{half_width}" for percent, mean in enumerate(means)]
        path.write_text("\n".join(rows))
        return path

    def test_flexion_is_positive_forward_at_the_hip_back_at_the_knee_up_at_the_ankle(self):
        body = standing(2)
        for link, angle in (("thigh.L", -0.1), ("shin.L", 0.2), ("foot.L", -0.3)):
            body.rotations[:, LINKS.index(link)] = about_y(np.array([angle, angle]))
        for joint, angle in (("hip", 0.1), ("knee", 0.2), ("ankle", 0.3)):
            assert norms.flexion(body, joint) == pytest.approx(np.degrees([[angle, 0.0]] * 2))

    def test_the_norm_itself_scores_best(self, tmp_path):
        path = self.table(tmp_path / "norms.csv")
        body = walk()
        for foot, side in enumerate("LR"):
            wave = np.sin(2 * np.pi * (np.arange(body.frames) - 25 * foot) / 50)
            for link, size in (("thigh", -20), ("shin", 30), ("foot", -10)):
                body.rotations[:, LINKS.index(f"{link}.{side}")] = about_y(np.radians(size * wave))
        # The soles no longer stand where the forces say; strikes come from the forces.
        scores = norms.summary(body, path)
        for joint, size in (("hip", 20), ("knee", 30), ("ankle", 10)):
            assert scores[joint]["rms_deg"] < 0.05
            assert scores[joint]["within_2sd_ratio"] == 1.0
            assert scores[joint]["range_deg"] == pytest.approx(2 * size, rel=0.01)

    def test_offset_and_band(self):
        norm = norms.Norm(np.zeros(101), np.full(101, 2.0))
        curve = np.full((2, 101), 3.0)
        curve[1] = 5.0
        assert norms.score(curve, norm) == pytest.approx({"rms_deg": np.sqrt(17), "offset_deg": 4.0, "within_2sd_ratio": 0.5})
        curve[1] = np.nan
        assert norms.score(curve, norm)["rms_deg"] == pytest.approx(3.0)

    def test_missing_and_broken_files(self, tmp_path):
        assert norms.read_norms(tmp_path / "none.csv") is None
        broken = tmp_path / "broken.csv"
        broken.write_text("a,b\n1,2\n")
        with pytest.raises(FormatError):
            norms.read_norms(broken)

    @pytest.mark.skipif(norms.find_norms() is None, reason="the shared norms are not here")
    def test_shared_norms_are_of_people(self):
        people = norms.read_norms()
        assert 50 < people["knee"].mean.max() < 70
        assert 60 < people["knee"].mean.argmax() < 80
        assert (people["hip"].sd > 1).all()


class TestReport:
    def test_numbers_and_sentence_of_a_walk(self):
        events = [{"type": "push", "time": 1.0}, {"type": "push", "time": 2.0}, {"type": "push", "time": 99.0},
                  {"type": "heading", "time": 1.0}]
        body = walk(slide=0.004, job={"events": events})
        measured = report.measure(body)
        assert measured["distance_m"] == pytest.approx(1.2 * 249 / 50)
        assert report.sentence(body, measured) == (
            "Walked 6.0 m in 5 s at 1.20 m/s, 2.0 steps a second; feet slid 4 mm a step; took 2 pushes.")

    @pytest.mark.parametrize("body", [walk(), standing(1), standing(2), standing(40), glide(0.6, height=0.3),
                                      standing(5, penetrations=np.full((5, 2), np.nan))])
    def test_json_without_nan(self, body):
        json.dumps(report.measure(body), allow_nan=False)
        report.sentence(body, report.measure(body))

    def test_start_up_is_left_out_of_a_long_result(self):
        long = walk(seconds=8)
        # Frozen for the first 1.5 s: the walk from 2 s on must not notice.
        for array in (long.root_positions, long.rotations, long.foot_forces):
            array[:75] = array[75]
        measured = report.measure(long)
        assert measured["measured_from_s"] == 2.0
        assert measured["gait"]["speed_m_s"] == pytest.approx(1.2)
        assert min(step["time_s"] for step in measured["gait"]["each_step"]) >= 2.0
        assert measured["duration_s"] == pytest.approx(399 / 50)
        assert report.measure(walk(seconds=5))["measured_from_s"] == 0.0

    @pytest.mark.parametrize("axis, words", [((-1, 0, 0), "to the left"), ((1, 0, 0), "to the right"),
                                             ((0, 1, 0), "forward"), ((0, -1, 0), "backward")])
    @pytest.mark.parametrize("heading", [0.0, 2.0])
    def test_a_fall(self, axis, words, heading):
        yaw = rotation.exp(np.array([0, 0, heading]))
        body = lean(200, np.linspace(0, 1.2, 200), (0, 0), rotation.rotate(yaw, np.array(axis, dtype=float)),
                    outcome={"fell": True, "fell_at": 3.1, "steps": 0})
        body.rotations[:, 0] = rotation.multiply(body.rotations[:, 0], yaw)
        # What happens after the fall must not be measured.
        body.root_positions[156:, 0] += np.linspace(100, 200, 44)
        body.penetrations[156:] = 1.0
        measured = report.measure(body)
        assert report.sentence(body, measured) == f"Fell at 3.1 s (frame 155) {words}."
        assert measured["frames"] == 156
        assert measured["distance_m"] < 2.0
        assert measured["skate"]["penetration_max_mm"] == 0.0

    def test_legs_flung_under_the_body_at_the_end_do_not_hide_where_it_fell(self):
        body = lean(101, np.linspace(0, 1.0, 101), (0, 0), (-1, 0, 0), outcome={"fell": True, "fell_at": 2.0, "steps": 0})
        for side in "LR":
            body.rotations[98:, LINKS.index(f"thigh.{side}")] = rotation.exp(np.array([1.6, -0.8, 0.0]))
        assert report.fall_direction(body) == "to the left"

    def test_standing_and_stepping_in_place(self):
        still = standing(100)
        assert report.sentence(still, report.measure(still)) == "Stood for 2 s."
        marching = walk(step=0.0)
        assert report.sentence(marching, report.measure(marching)).startswith("Stepped in place for 5 s, 2.0 steps a second")

    def test_a_whole_humanoid(self):
        body = pytest.importorskip("core.body").make_body({})
        count = len(body.names)
        person = standing(
            20, root=(0, 0, body.standing_height), link_names=list(body.names), parents=body.parents, offsets=body.offsets,
            masses=body.masses, com_offsets=body.com_offsets, inertias=body.inertias, limits=body.limits,
            half_extents=np.array([shape.half_extents for shape in body.shapes]),
            shape_centers=np.array([shape.center for shape in body.shapes]), sole_links=body.sole_links,
            sole_points=body.sole_points, rotations=rotation.identity((20, count)), torques=np.zeros((20, count, 3)))
        measured = report.measure(person)
        assert measured["skate"]["slide_max_mm"] == 0.0
        assert 0.8 < measured["balance"]["com_height_mean_m"] < 1.1
        assert all(joint["beyond_ratio"] == 0 for joint in measured["limits"].values())


class TestPlot:
    def test_pictures_are_written(self, tmp_path):
        pytest.importorskip("matplotlib")
        plot.plot(walk(), tmp_path / "walk.png")
        plot.strip(walk(), tmp_path / "strip.png", 1.0, 2.0, 8)
        for name in ("walk.png", "strip.png"):
            assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
            assert (tmp_path / name).stat().st_size > 10000

    def test_sticks_join_the_links(self):
        segments, colors = plot._sticks(standing(3), np.array([0, 2]))
        assert segments.shape[0] == 2 and len(colors) == segments.shape[1]
        assert segments[..., 2].min() == pytest.approx(0.0)
        # The trunk has no torso on it: it is drawn to its top, twice its middle.
        assert segments[..., 2].max() == pytest.approx(2 * THIGH + ANKLE + 0.48)

    def test_clear_words_without_matplotlib_or_time(self, tmp_path, monkeypatch):
        with pytest.raises(FootfallError, match="nothing to draw"):
            plot.strip(walk(), tmp_path / "strip.png", 20, 30, 8)
        monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
        with pytest.raises(FootfallError, match="matplotlib"):
            plot.plot(walk(), tmp_path / "walk.png")
