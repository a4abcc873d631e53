"""Grounds: the surface that the engine has is the one that was asked for; meshes and OBJ files."""

import math
import re

import numpy as np
import pytest

from core.body import make_body
from core.errors import FootfallError, JobError
from core.ground import profile_points, read_triangles, slabs

BODY = make_body({})
SIDE = 7.0  # metres to the side of the character, where nothing but ground is under a ray
SQUARE = {"type": "mesh", "vertices": [[-5, -9, 1], [5, -9, 1], [5, 9, 2], [-5, 9, 2]], "faces": [[0, 1, 2], [0, 2, 3]]}


@pytest.fixture
def heights(make_world):
    """The ground's heights at points along x, as each engine in turn has them."""
    def found(ground: dict | None, xs: list[float], y: float = SIDE) -> list[float]:
        with make_world(BODY, ground) as world:
            return [world.ground_height(x, y) for x in xs]

    return found


def one_sentence(error: pytest.ExceptionInfo) -> str:
    text = str(error.value)
    assert "\n" not in text and text.endswith(".") and not re.search(r"\. [A-Z]", text), text
    return text


def write_obj(folder, text: str) -> dict:
    path = folder / "ground.obj"
    path.write_text(text)
    return {"type": "mesh", "file": str(path)}


def test_a_plane_is_at_zero_everywhere(heights):
    assert heights({"type": "plane"}, [-50.0, 0.3, 70.0]) == pytest.approx([0, 0, 0], abs=1e-6)
    assert heights(None, [3.0]) == pytest.approx([0], abs=1e-6)
    assert profile_points({"type": "plane"}) == [] and profile_points(SQUARE) == []


@pytest.mark.parametrize("degrees", [10.0, -10.0, 30.0])
def test_a_slope_rises_along_x_from_its_start_to_its_end(heights, degrees):
    grade = math.tan(math.radians(degrees))
    found = heights({"type": "slope", "degrees": degrees, "start": 2.0, "length": 4.0}, [-3.0, 1.9, 2.5, 5.9, 6.1, 40.0])
    assert found == pytest.approx([0, 0, 0.5 * grade, 3.9 * grade, 4 * grade, 4 * grade], abs=1e-6)


def test_a_slope_starts_under_the_character_and_goes_on_by_default(heights):
    grade = math.tan(math.radians(5))
    assert heights({"type": "slope", "degrees": 5}, [-1.0, 1.0, 60.0]) == pytest.approx([0, grade, 60 * grade], abs=1e-6)


def test_a_steep_slope_has_a_height_far_along_it(heights):
    assert heights({"type": "slope", "degrees": 45}, [150.0]) == pytest.approx([150.0])


@pytest.mark.parametrize("height", [0.2, -0.2])
def test_steps_jump_at_their_edges(heights, height):
    ground = {"type": "steps", "height": height, "start": 1.0, "depth": 0.5, "count": 3}
    found = heights(ground, [-2.0, 0.99, 1.01, 1.49, 1.51, 1.99, 2.01, 9.0])
    assert found == pytest.approx([0, 0, height, height, 2 * height, 2 * height, 3 * height, 3 * height], abs=1e-6)


def test_a_profile_is_a_polyline_held_level_beyond_its_ends(heights):
    points = [[-1, 0.2], [0, 0], [2, 0.3], [2, 0.5], [3, 0.5], [5, -0.4]]
    xs = [-4.0, -0.5, 1.0, 1.99, 2.01, 2.5, 4.0, 5.5, 90.0]
    expected = [0.2, 0.1, 0.15, 0.2985, 0.5, 0.5, 0.05, -0.4, -0.4]
    assert heights({"type": "profile", "points": points}, xs) == pytest.approx(expected, abs=1e-6)


def test_a_narrow_bump_ends_where_it_should(heights):
    points = [[0, 0], [1, 0], [1.05, 0.1], [1.1, 0], [3, 0]]
    assert heights({"type": "profile", "points": points}, [1.025, 1.09, 1.15]) == pytest.approx([0.05, 0.02, 0], abs=1e-3)


@pytest.mark.parametrize("height", [0.3, 1.0])
def test_a_riser_stops_a_ball(make_world, height):
    with make_world(BODY, {"type": "steps", "height": height, "start": 2.0}) as world:
        world.place((-20, 0, 0.93), (1, 0, 0, 0), BODY.zero_joints())
        world.throw_ball("ball", 1.0, 0.05, (1.5, SIDE, 0.15), (10, 0, 0))
        for _ in range(100):
            world.step()
        (x, _, _), _ = world.object_poses()[0]
        assert x < 2.0


def test_slabs_touch_the_profile_from_below():
    for slab in slabs([(0, 0), (2, 1), (3, 1)]):
        (x, _, z), (half_x, _, half_z), pitch = slab.center, slab.half, slab.pitch
        for end in (-1, 1):  # the corners of the top face, turned by the pitch about y (positive goes down along +x)
            corner_x = x + end * half_x * math.cos(pitch) + half_z * math.sin(pitch)
            corner_z = z - end * half_x * math.sin(pitch) + half_z * math.cos(pitch)
            assert corner_z == pytest.approx(np.interp(corner_x, [0, 2, 3], [0, 1, 1]))


def test_an_inline_mesh_is_the_ground(heights):
    # A square that rises from 1 m at y = −9 to 2 m at y = 9.
    assert heights(SQUARE, [-4.0, 4.0], y=0.9) == pytest.approx([1.55, 1.55], abs=1e-6)
    assert heights(SQUARE, [1.0], y=-4.5) == pytest.approx([1.25], abs=1e-6)


def test_ground_height_looks_through_boxes(make_world):
    boxes = [{"size": [1, 1, 0.5], "position": [0, SIDE, z]} for z in (0.6, 1.5)]
    with make_world(BODY, {"type": "steps", "height": 0.3, "start": -50.0}, boxes) as world:
        assert world.ground_height(0.2, SIDE) == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize("x, y", [(0.0, 0.0), (0.0, 0.087)], ids=["pelvis", "foot"])
def test_ground_height_looks_through_the_character(make_world, x, y):
    with make_world(BODY, {"type": "steps", "height": 0.3, "start": -50.0}) as world:
        world.place((0, 0, 0.3 + BODY.standing_height), (1, 0, 0, 0), BODY.zero_joints())
        assert world.ground_height(x, y) == pytest.approx(0.3, abs=1e-6)


def test_an_obj_file_with_a_quad_texture_indices_and_comments(tmp_path):
    text = "# ground\no Plane\nv 0 0 1\nv 2 0 1.5 1.0\nv 2 3 1\nv 0 3 1\nvt 0 0\nvn 0 0 1\ns off\nf 1/1/1 2//1 3/1 4\n"
    vertices, faces = read_triangles(write_obj(tmp_path, text))
    np.testing.assert_array_equal(vertices, [[0, 0, 1], [2, 0, 1.5], [2, 3, 1], [0, 3, 1]])
    np.testing.assert_array_equal(faces, [[0, 1, 2], [0, 2, 3]])


def test_a_polygon_is_fanned_into_triangles(tmp_path):
    text = "".join(f"v {math.cos(a)} {math.sin(a)} 0\n" for a in range(5)) + "f 1 2 3 4 5\n"
    _, faces = read_triangles(write_obj(tmp_path, text))
    np.testing.assert_array_equal(faces, [[0, 1, 2], [0, 2, 3], [0, 3, 4]])


def test_negative_indices_count_back_from_the_vertices_so_far(tmp_path):
    text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 9 9 9\nf -4 -2 -1\n"
    _, faces = read_triangles(write_obj(tmp_path, text))
    np.testing.assert_array_equal(faces, [[0, 1, 2], [0, 2, 3]])


def test_an_obj_file_is_stood_on(heights, tmp_path):
    assert heights(write_obj(tmp_path, "v -9 -9 .4\nv 9 -9 .4\nv 9 9 .4\nv -9 9 .4\nf 1 2 3 4\n"),
        [1.0]) == pytest.approx([0.4], abs=1e-6)


@pytest.mark.parametrize("line", ["v 0 one 0", "f 1 2 x", "f 1/2/3 a/b 2", "v 1 2"])
def test_a_broken_obj_line_is_named_by_its_number(tmp_path, line):
    with pytest.raises(FootfallError, match="line 4") as error:
        read_triangles(write_obj(tmp_path, f"v 0 0 0\nv 1 0 0\nv 1 1 0\n{line}\nf 1 2 3\n"))
    one_sentence(error)


@pytest.mark.parametrize("text", ["", "v 0 0 0\nv 1 0 0\nv 1 1 0\n", "v 0 0 0\nv 1 0 0\nl 1 2\n", "v 0 0 0\nv 1 0 0\nf 1 2\n"])
def test_a_mesh_without_faces_is_refused(tmp_path, text):
    with pytest.raises(JobError, match="no faces") as error:
        read_triangles(write_obj(tmp_path, text))
    one_sentence(error)


def test_a_missing_obj_file_is_named(tmp_path):
    with pytest.raises(JobError, match="none.obj") as error:
        read_triangles({"type": "mesh", "file": str(tmp_path / "none.obj")})
    one_sentence(error)


TRIANGLE = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]


@pytest.mark.parametrize("vertices, faces, field", [
    ([], [], "faces"), (TRIANGLE, [], "faces"), (TRIANGLE, [[0, 1, 3]], "ground.faces"), (TRIANGLE, [[0, 1, -1]], "ground.faces"),
    (TRIANGLE, [[0, 1]], "ground.faces"), ([[0, 0], [1, 0], [1, 1]], [[0, 1, 2]], "ground.vertices"),
    ([[0, 0, 0], [1, 0, 0], [1, 1, float("nan")]], [[0, 1, 2]], "ground.vertices"),
    ([[0, 0, 0], [1, 0], [1, 1, 0]], [[0, 1, 2]], "ground.vertices"),
    ([["a", "b", "c"]] * 3, [[0, 1, 2]], "ground.vertices"),
    (TRIANGLE, [[0, 1, 2], [0, 1]], "ground.faces"),
])
def test_bad_inline_meshes_are_refused_by_field(vertices, faces, field):
    with pytest.raises(JobError, match=field) as error:
        read_triangles({"type": "mesh", "vertices": vertices, "faces": faces})
    one_sentence(error)
