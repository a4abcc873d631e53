"""Measures against motions whose numbers are known beforehand."""

import numpy as np
import pytest

from core import kinematics, rotation
from core import signals as smooth
from core.feet import loads as contacts
from core.feet import slide as skate
from core.measure import balance, gait, span
from core.result import Result
from tests.core.made_results import BALL, HEEL, HIP, LINKS, about_y, glide, lean, standing, walk


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
