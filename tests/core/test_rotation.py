"""Quaternions against scipy, against their own inverses, and where the textbook formulas divide by zero."""

from itertools import permutations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core import quaternion, rotation

ORDERS = ["".join(order) for order in permutations("xyz")]
SEEDS = range(3)
X, Y, Z = np.eye(3)


def random_quaternions(seed, *shape):
    return rotation.normalize(np.random.default_rng(seed).normal(size=(*shape, 4)))


def reference(q):
    """The same rotations as scipy sees them (scipy puts w last)."""
    return Rotation.from_quat(np.roll(np.reshape(q, (-1, 4)), -1, axis=-1))


def assert_same_rotation(a, b, atol=1e-12):
    """Equal up to the sign of each quaternion. Components, not the dot product: that one is blind below 1e-8."""
    a, b = np.broadcast_arrays(a, b)
    sign = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -1.0, 1.0)
    np.testing.assert_allclose(a, sign * b, rtol=0, atol=atol)


def test_identity_turns_nothing():
    assert rotation.identity().tolist() == [1, 0, 0, 0]
    assert rotation.identity((2, 5)).shape == (2, 5, 4)
    np.testing.assert_array_equal(rotation.rotate(rotation.identity((2, 5)), [1.0, 2.0, 3.0])[1, 4], [1, 2, 3])


def test_normalize_keeps_direction():
    q = random_quaternions(0, 20)
    np.testing.assert_allclose(rotation.normalize(q * np.linspace(1e-3, 1e3, 20)[:, None]), q, atol=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_products_and_turned_vectors_match_scipy(seed):
    a, b = random_quaternions(seed, 50), random_quaternions(seed + 100, 50)
    v = np.random.default_rng(seed).normal(size=(50, 3))
    assert_same_rotation(rotation.multiply(a, b), np.roll((reference(a) * reference(b)).as_quat(), 1, axis=-1))
    np.testing.assert_allclose(rotation.rotate(a, v), reference(a).apply(v), atol=1e-12)
    np.testing.assert_allclose(rotation.rotate(rotation.conjugate(a), rotation.rotate(a, v)), v, atol=1e-12)


def test_operations_broadcast():
    a, b = random_quaternions(1, 6, 1), random_quaternions(2, 5)
    assert rotation.multiply(a, b).shape == (6, 5, 4)
    np.testing.assert_allclose(rotation.multiply(a, b)[3, 2], rotation.multiply(a[3, 0], b[2]))
    np.testing.assert_allclose(rotation.rotate(a, np.eye(3))[3, 2], rotation.rotate(a[3, 0], Z))
    np.testing.assert_allclose(rotation.slerp(a, b, np.linspace(0, 1, 5))[3, 2], rotation.slerp(a[3, 0], b[2], 0.5))
    assert rotation.from_axis_angle(Z, np.zeros((4, 2))).shape == (4, 2, 4)


def test_axis_angle_is_right_handed_and_takes_any_length_of_axis():
    np.testing.assert_allclose(rotation.rotate(rotation.from_axis_angle([0, 0, 7.0], np.pi / 2), X), Y, atol=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_exp_and_log_match_scipy_and_undo_each_other(seed):
    q = random_quaternions(seed, 50)
    np.testing.assert_allclose(rotation.log(q), reference(q).as_rotvec(), atol=1e-12)
    assert_same_rotation(rotation.exp(rotation.log(q)), q)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-20, 1e-9, 1e-4, 1.0, np.pi - 1e-4, np.pi - 1e-9, np.pi])
def test_log_keeps_precision_from_no_turn_to_half_a_turn(angle):
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    for q in (rotation.exp(angle * axis), -rotation.exp(angle * axis)):
        turned = rotation.log(q)
        # At exactly half a turn both ways round are equally short.
        np.testing.assert_allclose(turned * np.sign(turned @ axis or 1.0), angle * axis, rtol=1e-13, atol=4e-16)


def test_log_is_the_shortest_arc():
    np.testing.assert_allclose(rotation.log(rotation.exp(1.5 * np.pi * Z)), -0.5 * np.pi * Z, atol=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_slerp_turns_at_constant_speed_along_the_shortest_arc(seed):
    a, b = random_quaternions(seed, 2)
    steps = rotation.slerp(a, b, np.linspace(0, 1, 11))
    assert_same_rotation(steps[0], a)
    assert_same_rotation(steps[-1], b)
    arcs = (reference(steps[:-1]).inv() * reference(steps[1:])).magnitude()
    np.testing.assert_allclose(arcs, (reference(a).inv() * reference(b)).magnitude()[0] / 10, atol=1e-12)
    assert_same_rotation(rotation.slerp(a, -b, 0.3), steps[3])


def test_slerp_between_equal_rotations_stays():
    q = random_quaternions(0, 5)
    np.testing.assert_allclose(rotation.slerp(q, -q, 0.4), q, atol=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_swing_and_twist_compose_and_keep_to_their_axes(seed):
    q = random_quaternions(seed, 50)
    axis = np.random.default_rng(seed).normal(size=(50, 3))
    swing, twist = rotation.swing_twist(q, axis)
    np.testing.assert_allclose(rotation.multiply(swing, twist), q, atol=1e-12)
    np.testing.assert_allclose(np.cross(twist[:, 1:], axis), 0, atol=1e-12)
    np.testing.assert_allclose(np.sum(swing[:, 1:] * axis, axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm([swing, twist], axis=-1), 1, atol=1e-12)


def test_swing_twist_recovers_swing_and_twist():
    bend, turn = rotation.exp(0.7 * Y), rotation.exp(-0.4 * X)
    swing, twist = rotation.swing_twist(rotation.multiply(bend, turn), X)
    np.testing.assert_allclose(swing, bend, atol=1e-15)
    np.testing.assert_allclose(twist, turn, atol=1e-15)


def test_swing_of_half_a_turn_has_no_twist():
    swing, twist = rotation.swing_twist([0.0, 0.0, 1.0, 0.0], X)
    np.testing.assert_array_equal(twist, [1, 0, 0, 0])
    np.testing.assert_array_equal(swing, [0, 0, 1, 0])


@pytest.mark.parametrize("seed", SEEDS)
def test_matrices_match_scipy_and_round_trip(seed):
    q = random_quaternions(seed, 4, 10)
    matrices = rotation.to_matrix(q)
    np.testing.assert_allclose(matrices.reshape(-1, 3, 3), reference(q).as_matrix(), atol=1e-12)
    assert_same_rotation(rotation.from_matrix(matrices), q)


@pytest.mark.parametrize("axis", [X, Y, Z, (X + Y) / np.sqrt(2), (Y - Z) / np.sqrt(2)])
@pytest.mark.parametrize("angle", [0.0, 1e-9, np.pi - 1e-9, np.pi])
def test_matrices_survive_where_the_trace_formula_fails(axis, angle):
    q = rotation.from_axis_angle(axis, angle)
    assert_same_rotation(rotation.from_matrix(rotation.to_matrix(q)), q, atol=1e-15)


def test_from_matrix_forgives_a_matrix_that_is_not_quite_orthogonal():
    q = random_quaternions(3, 20)
    noise = np.random.default_rng(3).normal(scale=1e-6, size=(20, 3, 3))
    found = rotation.from_matrix(rotation.to_matrix(q) + noise)
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), 1, atol=1e-14)
    assert_same_rotation(found, q, atol=1e-5)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_match_scipy_and_round_trip(order):
    q = random_quaternions(7, 100)
    angles = rotation.to_euler(q, order)
    np.testing.assert_allclose(angles, reference(q).as_euler(order.upper()), atol=1e-9)
    assert_same_rotation(rotation.from_euler(angles, order), q)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("short_of_lock", [0.0, 1e-12, 1e-8, 1e-5])
@pytest.mark.parametrize("side", [-1, 1])
def test_euler_angles_compose_back_in_and_near_gimbal_lock(order, short_of_lock, side):
    q = rotation.from_euler([0.4, side * (np.pi / 2 - short_of_lock), -1.1], order)
    angles = rotation.to_euler(q, order)
    assert_same_rotation(rotation.from_euler(angles, order), q, atol=1e-9)
    if short_of_lock == 0.0:
        assert angles[2] == 0.0


def test_euler_order_names_the_first_axis_first():
    first_z_then_own_x = rotation.multiply(rotation.exp(0.5 * Z), rotation.exp(0.2 * X))
    np.testing.assert_allclose(rotation.from_euler([0.5, 0.2, 0.0], "zxy"), first_z_then_own_x, atol=1e-15)


@pytest.mark.parametrize("order", ["xyx", "xy", "XYZ", ""])
def test_euler_refuses_what_is_no_order(order):
    with pytest.raises(ValueError, match=f"'{order}' is not an order of rotation"):
        rotation.to_euler(rotation.identity(), order)


@pytest.mark.parametrize("seed", SEEDS)
def test_heading_is_the_yaw_of_forward(seed):
    q = random_quaternions(seed, 50)
    forward = reference(q).apply(X)
    np.testing.assert_allclose(rotation.heading(q), np.arctan2(forward[:, 1], forward[:, 0]), atol=1e-12)


@pytest.mark.parametrize("pitch", [-np.pi / 2, -1.5, -0.3, 0.0, 1.2, np.pi / 2])
def test_heading_survives_lying_on_the_back_and_on_the_face(pitch):
    yaw = np.linspace(-3, 3, 13)
    q = rotation.multiply(rotation.exp(yaw[:, None] * Z), rotation.exp(pitch * Y))
    np.testing.assert_allclose(rotation.heading(q), yaw, atol=1e-9)


def test_angular_velocity_of_a_steady_spin_is_exact_in_the_world_frame():
    omega, start = np.array([1.0, -2.0, 0.5]), random_quaternions(0)
    times = np.arange(20)[:, None] / 30.0
    q = rotation.multiply(rotation.exp(times * omega), start)
    q[::3] *= -1.0
    np.testing.assert_allclose(rotation.angular_velocity(q, 30.0), np.broadcast_to(omega, (20, 3)), atol=1e-12)


def test_angular_velocity_is_second_order_inside_the_clip():
    """Spinning up about a turning axis: halving the step must cut the error by four."""

    def error(fps):
        t = np.arange(int(fps) + 1) / fps
        q = rotation.multiply(rotation.exp(np.outer(t**2, Z)), rotation.exp(np.outer(np.sin(3 * t), X)))
        exact = np.outer(2 * t, Z) + (3 * np.cos(3 * t))[:, None] * rotation.rotate(rotation.exp(np.outer(t**2, Z)), X)
        return np.abs(rotation.angular_velocity(q, fps) - exact)[1:-1].max()

    assert 3.5 < error(50.0) / error(100.0) < 4.5


def test_angular_velocity_of_many_joints_and_of_a_single_frame():
    q = random_quaternions(4, 6, 3)
    np.testing.assert_allclose(rotation.angular_velocity(q, 24.0)[:, 1], rotation.angular_velocity(q[:, 1], 24.0))
    np.testing.assert_array_equal(rotation.angular_velocity(q[:1], 24.0), np.zeros((1, 3, 3)))


def test_make_continuous_flips_signs_only():
    rng = np.random.default_rng(5)
    smooth = rotation.exp(np.cumsum(rng.normal(scale=0.2, size=(200, 3, 3)), axis=0))
    smooth = rotation.make_continuous(smooth)
    assert np.all(np.sum(smooth[1:] * smooth[:-1], axis=-1) > 0)
    signs = rng.choice([-1.0, 1.0], size=(200, 3, 1))
    signs[0] = 1.0
    np.testing.assert_array_equal(rotation.make_continuous(smooth * signs), smooth)


@pytest.mark.parametrize("angle", [0.5, -0.5, 0.0, 2.6, -3.0])
def test_a_hinges_angle_does_not_depend_on_the_sign_of_its_quaternion(angle):
    turn = rotation.hinge(angle)
    assert rotation.hinge_angle(turn) == pytest.approx(angle) and rotation.hinge_angle(-turn) == pytest.approx(angle)
    assert quaternion.hinge_angle(tuple(turn)) == pytest.approx(angle) and quaternion.hinge_angle(tuple(-turn)) == pytest.approx(angle)


@pytest.mark.parametrize("shape", [(), (5,), (5, 2), (3, 1, 4)])
def test_few_rotations_and_many_give_the_same_bits(shape):
    """Both ways of working out a product: a recording that is acted on frame by frame, and as a whole, must not differ."""
    few = np.random.default_rng(4).normal(size=(*shape, 4)), np.random.default_rng(5).normal(size=(*shape, 4))
    many = [np.broadcast_to(one, (rotation.FEW, *one.shape)) for one in few]
    for work in (rotation.multiply, lambda q, v: rotation.rotate(q, v[..., 1:])):
        np.testing.assert_array_equal(work(*many), np.broadcast_to(work(*few), work(*many).shape))
