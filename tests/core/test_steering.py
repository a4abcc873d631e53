"""Steering: curves over time, and a point that walks where the path follower tells it to."""

import math

import pytest

from core.control.steering import PATH_GAINS, PathFollower, PathGains, curve_value


def follow(points: list, seconds: float, speed: float = 1.2, start: tuple | None = None) -> tuple[PathFollower, list]:
    """A point that goes exactly where it is told; returns the places (x, y, heading)."""
    follower = PathFollower(points)
    (x, y), dt, places = start or points[0], 0.01, []
    for _ in range(round(seconds / dt)):
        heading = follower.heading(x, y)
        places.append((x, y, heading))
        x, y = x + speed * dt * math.cos(heading), y + speed * dt * math.sin(heading)
    return follower, places


def circle(radius: float, turns: float = 1.0, sign: int = 1) -> list:
    """From the origin towards +X, counter-clockwise for sign 1."""
    count = round(90 * turns)
    angles = [2 * math.pi * turns * n / count for n in range(count + 1)]
    return [(radius * math.sin(angle), sign * radius * (1 - math.cos(angle))) for angle in angles]


@pytest.mark.parametrize("time, value", [(-5, 2.0), (0, 2.0), (1, 2.0), (1.5, 3.0), (2, 4.0), (3, 2.0), (4, 0.0), (9, 0.0)])
def test_a_curve_is_straight_between_its_points_and_held_at_its_ends(time, value):
    assert curve_value([(1, 2.0), (2, 4.0), (4, 0.0)], time) == pytest.approx(value)


def test_two_points_at_one_time_are_a_jump():
    points = [(0, 1.0), (2, 1.0), (2, 3.0), (4, 3.0)]
    assert curve_value(points, 1.999) == pytest.approx(1.0)
    assert curve_value(points, 2.0) == curve_value(points, 3.0) == 3.0


def test_one_point_is_a_constant():
    assert curve_value([(5, 0.7)], 0) == curve_value([(5, 0.7)], 5) == curve_value([(5, 0.7)], 50) == 0.7


@pytest.mark.parametrize("angle", [0.0, 1.0, math.pi / 2, -2.5])
def test_a_straight_line_is_followed_in_its_direction(angle):
    end = (10 * math.cos(angle), 10 * math.sin(angle))
    follower, places = follow([(0, 0), end], 8)
    assert all(heading == pytest.approx(angle, abs=1e-6) for *_, heading in places)
    assert not follower.finished


def test_a_point_off_the_line_comes_back_to_it_without_overshooting():
    _, places = follow([(0, 0), (20, 0)], 6, start=(0, 1.0))
    assert places[0][2] < -0.5  # turned to the right, towards the line
    assert min(y for _, y, _ in places) > -0.01 and places[-1][1] < 0.02
    _, mirrored = follow([(0, 0), (20, 0)], 6, start=(0, -1.0))
    assert mirrored[0][2] > 0.5 and mirrored[-1][1] == pytest.approx(-places[-1][1], abs=1e-9)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("radius", [5.0, 10.0])
def test_a_circle_is_followed_within_centimetres(radius, sign):
    follower, places = follow(circle(radius, sign=sign), 2 * math.pi * radius / 1.2)
    off = [abs(math.hypot(x, y - sign * radius) - radius) for x, y, _ in places]
    # Aiming ahead cuts the corner: what goes where it is told at once needs no lead.
    assert max(off) < PATH_GAINS.look_ahead**2 / (2 * radius) + 0.01
    quarter = places[len(places) // 4]
    assert quarter[:2] == pytest.approx((radius, sign * radius), abs=0.5) and quarter[2] == pytest.approx(sign * math.pi / 2,
        abs=0.1)
    assert follower._reached > 0.97 * 2 * math.pi * radius  # once round, though start and end are one place


def test_a_path_that_crosses_itself_is_not_cut_short():
    eight = circle(3.0) + [(x, y) for x, y in circle(3.0, sign=-1)][1:]
    _, places = follow(eight, 1.02 * 4 * math.pi * 3 / 1.2)
    assert max(y for _, y, _ in places) > 5.5 and min(y for _, y, _ in places) < -5.5


def test_corners_are_turned():
    _, places = follow([(0, 0), (4, 0), (4, 4)], 7.0)
    assert places[0][2] == pytest.approx(0) and places[-1][2] == pytest.approx(math.pi / 2, abs=0.05)
    assert places[-1][0] == pytest.approx(4, abs=0.05)
    assert max(x for x, *_ in places) < 4.05


def test_after_its_end_the_last_direction_is_kept():
    follower, places = follow([(0, 0), (2, 0), (2, 2)], 6)
    assert follower.finished
    assert places[-1][1] > 2.5 and places[-1][2] == pytest.approx(math.pi / 2, abs=0.05)


def test_a_start_beside_the_path_heads_for_it():
    gains = PathGains(look_ahead=0.8, lead=0.0, steer=1.2, most_steer=0.4)
    heading = PathFollower([(5, 5), (5, 10)], gains).heading(0, 0)
    assert heading == pytest.approx(math.atan2(5.8, 5) - gains.most_steer)  # far to the left of it: to the right


def test_gains_say_how_far_ahead_a_path_is_faced_and_how_hard_it_is_gone_back_to():
    path, straight = [(0, 0), (20, 0)], PathGains(look_ahead=4.0, lead=0.0, steer=0.0, most_steer=0.4)
    assert PathFollower(path, straight).heading(0, 1) == pytest.approx(math.atan2(-1, 4))
    harder = PathGains(look_ahead=4.0, lead=0.0, steer=0.1, most_steer=0.4)
    assert PathFollower(path, harder).heading(0, 1) == pytest.approx(math.atan2(-1, 4) - 0.1)


def test_a_repeated_point_does_no_harm_inside_a_path():
    _, plain = follow([(0, 0), (2, 0), (4, 1)], 3)
    _, doubled = follow([(0, 0), (2, 0), (2, 0), (4, 1)], 3)
    assert all(a == pytest.approx(b) for a, b in zip(plain, doubled, strict=True))


def test_a_repeated_last_point_keeps_the_last_direction():
    _, places = follow([(0, 0), (2, 0), (2, 0)], 3)
    assert places[-1][2] == pytest.approx(0) and places[-1][0] > 3


@pytest.mark.parametrize("lag", [0.85, 1.0])  # s, about as long as the lead
@pytest.mark.parametrize("bend", [1, -1])
def test_who_goes_where_it_faces_only_later_is_led_into_a_bend_early(lag, bend):
    follower = PathFollower([(-2, 0), *circle(2.0, sign=bend)])
    (x, y), course, dt, off = (-2.0, 0.0), 0.0, 0.01, []
    for step in range(1400):
        heading = follower.heading(x, y, step * dt)
        course += dt / lag * math.remainder(heading - course, 2 * math.pi)
        x, y = x + dt * math.cos(course), y + dt * math.sin(course)
        off.append(abs(math.hypot(x, y - 2 * bend) - 2.0) if x > 0 or step > 300 else abs(y))
    assert max(off) < 0.2
