"""The skeleton: forward kinematics by hand and against matrices, what it refuses, and the canonical humanoid."""

import numpy as np
import pytest

from core import rotation
from core.errors import RigError
from core.skeleton import HINGES, JOINT_NAMES, LINKS, PARENTS, Skeleton, mirror_name

CHAIN = Skeleton(("hip", "knee", "ankle"), [-1, 0, 1], [[9.0, 9.0, 9.0], [0.0, 0.0, -1.0], [0.0, 0.0, -2.0]])


def random_skeleton(seed, joints=8):
    rng = np.random.default_rng(seed)
    parents = [-1] + [int(rng.integers(joint)) for joint in range(1, joints)]
    return Skeleton([f"joint{n}" for n in range(joints)], parents, rng.normal(size=(joints, 3)))


def test_rest_pose_adds_up_the_offsets_from_the_root_position():
    positions, orientations = CHAIN.forward_kinematics([5.0, 0.0, 3.0], rotation.identity((3,)))
    np.testing.assert_array_equal(positions, [[5, 0, 3], [5, 0, 2], [5, 0, 0]])
    np.testing.assert_array_equal(orientations, rotation.identity((3,)))


def test_a_bent_leg_by_hand():
    quarter = np.pi / 2
    pose = rotation.from_axis_angle([0.0, 1.0, 0.0], [-quarter, quarter, 0.3])
    positions, orientations = CHAIN.forward_kinematics([0.0, 0.0, 0.0], pose)
    # −90° about +Y brings the thigh from down to forward (+X); +90° at the knee lets the shin hang down again.
    np.testing.assert_allclose(positions, [[0, 0, 0], [1, 0, 0], [1, 0, -2]], atol=1e-15)
    np.testing.assert_allclose(rotation.log(orientations)[:, 1], [-quarter, 0, 0.3], atol=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_kinematics_match_homogeneous_matrices(seed):
    skeleton, rng = random_skeleton(seed), np.random.default_rng(seed)
    roots, rotations = rng.normal(size=(4, 3)), rotation.normalize(rng.normal(size=(4, 8, 4)))
    positions, orientations = skeleton.forward_kinematics(roots, rotations)
    for frame in range(4):
        world = []
        for joint, parent in enumerate(skeleton.parents):
            local = np.eye(4)
            local[:3, :3] = rotation.to_matrix(rotations[frame, joint])
            local[:3, 3] = roots[frame] if joint == 0 else skeleton.offsets[joint]
            world.append(local if joint == 0 else world[parent] @ local)
        np.testing.assert_allclose(positions[frame], np.array(world)[:, :3, 3], atol=1e-12)
        np.testing.assert_allclose(rotation.to_matrix(orientations[frame]), np.array(world)[:, :3, :3], atol=1e-12)


def test_one_pose_broadcasts_over_many_roots():
    roots = np.random.default_rng(0).normal(size=(2, 5, 3))
    positions, orientations = CHAIN.forward_kinematics(roots, rotation.identity((3,)))
    assert positions.shape == (2, 5, 3, 3) and orientations.shape == (2, 5, 3, 4)
    np.testing.assert_allclose(positions[:, :, 2], roots - [0.0, 0.0, 3.0])


def test_bones_keep_their_length_in_any_pose():
    skeleton = random_skeleton(9)
    rotations = rotation.normalize(np.random.default_rng(9).normal(size=(30, 8, 4)))
    positions, _ = skeleton.forward_kinematics(np.zeros(3), rotations)
    bones = positions[:, 1:] - positions[:, skeleton.parents[1:]]
    lengths = np.broadcast_to(np.linalg.norm(skeleton.offsets[1:], axis=-1), (30, 7))
    np.testing.assert_allclose(np.linalg.norm(bones, axis=-1), lengths)


def test_index_and_children():
    skeleton = Skeleton(("a", "b", "c", "d"), [-1, 0, 0, 2], np.zeros((4, 3)))
    assert skeleton.index("c") == 2
    assert [skeleton.children(joint) for joint in range(4)] == [(1, 2), (), (3,), ()]
    with pytest.raises(RigError, match="no joint 'tail'"):
        skeleton.index("tail")


def test_scaled():
    bigger = CHAIN.scaled(2.5)
    np.testing.assert_array_equal(bigger.offsets, CHAIN.offsets * 2.5)
    assert bigger.names == CHAIN.names
    for factor in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(RigError, match="cannot be scaled"):
            CHAIN.scaled(factor)


def test_arrays_are_copied_and_read_only():
    offsets = np.zeros((1, 3))
    skeleton = Skeleton(("root",), [-1], offsets)
    offsets[0] = 7.0
    assert not skeleton.offsets.any()
    with pytest.raises(ValueError, match="read-only"):
        skeleton.offsets[0] = 1.0


@pytest.mark.parametrize(
    ("names", "parents", "sentence"),
    [
        ((), [], "has no joints"),
        (("a", "b"), [-1], "one parent"),
        (("a", "b", "a"), [-1, 0, 1], "Two joints are named 'a'"),
        (("a", "b"), [1, -1], "Joint 'a' comes first but is not the root"),
        (("a", "b", "c"), [-1, 0, -1], "Joint 'c' is a second root beside 'a'"),
        (("a", "b", "c"), [-1, 2, 0], "Joint 'b' does not come after its parent"),
        (("a", "b"), [-1, 1], "Joint 'b' does not come after its parent"),
        (("a", "b"), [-1, -2], "Joint 'b' does not come after its parent"),
    ],
)
def test_refuses_a_broken_hierarchy_in_one_sentence(names, parents, sentence):
    with pytest.raises(RigError, match=sentence) as caught:
        Skeleton(names, parents, np.zeros((len(names), 3)))
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_refuses_offsets_that_are_no_numbers():
    with pytest.raises(RigError, match="Joint 'b' has an offset"):
        Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, np.nan, 0]])
    with pytest.raises(RigError, match="offsets of shape"):
        Skeleton(("a", "b"), [-1, 0], np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("name", "mirrored"),
    [
        ("thigh.L", "thigh.R"),
        ("foot.R", "foot.L"),
        ("DEF-thigh.L.001", "DEF-thigh.R.001"),
        ("head", "head"),
        ("arm.Lower", "arm.Lower"),
    ],
)
def test_mirror_name(name, mirrored):
    assert mirror_name(name) == mirrored
    assert mirror_name(mirrored) == name


def test_the_canonical_humanoid_is_one_tree_in_depth_first_order():
    children = {link: [other for other in LINKS if PARENTS.get(other) == link] for link in LINKS}

    def walk(link):
        return [link] + [below for child in children[link] for below in walk(child)]

    assert tuple(walk("pelvis")) == LINKS


def test_the_canonical_humanoid_is_symmetric_and_every_link_but_the_pelvis_hangs_on_a_named_joint():
    assert set(PARENTS) == set(JOINT_NAMES) == set(LINKS) - {"pelvis"}
    assert len(set(JOINT_NAMES.values())) == len(JOINT_NAMES)
    for link, parent in PARENTS.items():
        assert PARENTS[mirror_name(link)] == mirror_name(parent)
        assert JOINT_NAMES[mirror_name(link)] == mirror_name(JOINT_NAMES[link])


def test_the_hinges_are_elbows_knees_and_toes():
    hinges = {JOINT_NAMES[link] for link in JOINT_NAMES if link.split(".")[0] in HINGES}
    assert hinges == {"elbow.L", "elbow.R", "knee.L", "knee.R", "toe.L", "toe.R"}
