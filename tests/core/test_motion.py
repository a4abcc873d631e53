"""Clips: sampling against scipy's Slerp, edits that undo each other, the mirror seen in the world, and what is refused."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from core import rotation
from core.errors import FormatError, RigError
from core.motion import Motion
from core.skeleton import Skeleton

SKELETON = Skeleton(
    ("pelvis", "thigh.L", "shin.L", "thigh.R", "shin.R"),
    [-1, 0, 1, 0, 3],
    [[0, 0, 0], [0, 0.1, 0], [0, 0, -0.4], [0, -0.1, 0], [0, 0, -0.4]],
)
FPS = 20.0
SEEDS = range(3)


def clip(seed=0, frames=21, fps=FPS):
    """A clip that moves all joints: smoothly enough for slerp, at random enough to tell joints and frames apart."""
    rng = np.random.default_rng(seed)
    turns = np.cumsum(rng.normal(scale=0.2, size=(frames, 5, 3)), axis=0)
    return Motion(SKELETON, fps, np.cumsum(rng.normal(size=(frames, 3)), axis=0), rotation.exp(turns))


def assert_same_rotations(a, b, atol=1e-12):
    sign = np.where(np.sum(a * b, axis=-1, keepdims=True) < 0, -1.0, 1.0)
    np.testing.assert_allclose(a, sign * b, rtol=0, atol=atol)


def assert_same_motion(a, b):
    assert a.fps == b.fps
    np.testing.assert_allclose(a.root_positions, b.root_positions, atol=1e-12)
    assert_same_rotations(a.rotations, b.rotations)


def test_frames_and_duration():
    assert clip().frames == 21
    assert clip().duration == 1.0
    assert clip(frames=1).duration == 0.0


def test_world_is_the_forward_kinematics_of_every_frame():
    motion = clip()
    positions, orientations = motion.world()
    one_position, one_orientation = SKELETON.forward_kinematics(motion.root_positions[7], motion.rotations[7])
    np.testing.assert_allclose(positions[7], one_position)
    np.testing.assert_allclose(orientations[7], one_orientation)


@pytest.mark.parametrize("seed", SEEDS)
def test_sample_matches_scipy(seed):
    motion = clip(seed)
    times = np.sort(np.random.default_rng(seed).uniform(0, 1, size=40))
    frame_times = np.arange(21) / FPS
    roots, rotations = motion.sample(times)
    for axis in range(3):
        np.testing.assert_allclose(roots[:, axis], np.interp(times, frame_times, motion.root_positions[:, axis]), atol=1e-12)
    for joint in range(5):
        expected = Slerp(frame_times, Rotation.from_quat(np.roll(motion.rotations[:, joint], -1, axis=-1)))(times)
        assert_same_rotations(rotations[:, joint], np.roll(expected.as_quat(), 1, axis=-1))


def test_sample_takes_one_time_or_any_shape_and_holds_outside_the_clip():
    motion = clip()
    root, pose = motion.sample(0.35)
    assert root.shape == (3,) and pose.shape == (5, 4)
    np.testing.assert_allclose(root, motion.root_positions[7])
    roots, poses = motion.sample([[-1.0, 0.0], [1.0, 9.0]])
    assert roots.shape == (2, 2, 3) and poses.shape == (2, 2, 5, 4)
    np.testing.assert_array_equal(roots, motion.root_positions[[[0, 0], [20, 20]]])
    np.testing.assert_array_equal(clip(frames=1).sample(0.5)[0], clip(frames=1).root_positions[0])


def test_resample_up_and_down_again_gives_the_clip_back():
    motion = clip()
    assert motion.resample(60.0).frames == 61
    assert_same_motion(motion.resample(60.0).resample(FPS), motion)


@pytest.mark.parametrize("fps", [23.976, 24.0, 29.97, 30.0, 120.0, 7.0])
def test_resample_covers_the_clip_without_running_over(fps):
    motion = clip().resample(fps)
    assert motion.fps == fps
    assert 1.0 - 1.0 / fps < motion.duration <= 1.0 + 1e-9


@pytest.mark.parametrize("fps", [0.0, -24.0, np.nan, np.inf])
def test_a_rate_must_be_above_zero(fps):
    with pytest.raises(FormatError, match="frames a second"):
        clip().resample(fps)
    with pytest.raises(FormatError, match="frames a second"):
        clip(fps=fps)


def test_slice_on_frames_takes_these_frames():
    motion, piece = clip(), clip().slice(0.15, 0.6)
    assert piece.frames == 10
    np.testing.assert_allclose(piece.root_positions, motion.root_positions[3:13], atol=1e-12)
    assert_same_rotations(piece.rotations, motion.rotations[3:13])


def test_slice_between_frames_starts_exactly_there():
    motion, piece = clip(), clip().slice(0.17, 0.43)
    np.testing.assert_allclose(piece.root_positions, motion.sample(0.17 + np.arange(6) / FPS)[0], atol=1e-12)


def test_slice_leaves_out_what_the_clip_does_not_have():
    assert_same_motion(clip().slice(-1.0, 5.0), clip())
    for start, end in [(2.0, 3.0), (-2.0, -1.0), (0.6, 0.4), (np.nan, 0.5)]:
        with pytest.raises(ValueError, match="nothing of the clip, which lasts 1 s"):
            clip().slice(start, end)


@pytest.mark.parametrize("seed", SEEDS)
def test_mirror_twice_is_the_clip(seed):
    assert_same_motion(clip(seed).mirror().mirror(), clip(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_mirror_puts_every_joint_and_its_axes_on_the_other_side_of_the_world(seed):
    positions, orientations = clip(seed).world()
    mirrored_positions, mirrored_orientations = clip(seed).mirror().world()
    swapped, flip = [0, 3, 4, 1, 2], np.diag([1.0, -1.0, 1.0])
    np.testing.assert_allclose(mirrored_positions, positions[:, swapped] @ flip, atol=1e-12)
    expected = flip @ rotation.to_matrix(orientations[:, swapped]) @ flip
    np.testing.assert_allclose(rotation.to_matrix(mirrored_orientations), expected, atol=1e-12)


def test_mirror_names_the_joint_that_has_no_partner():
    one_legged = Skeleton(("pelvis", "thigh.L"), [-1, 0], np.zeros((2, 3)))
    with pytest.raises(RigError, match="'thigh.R'"):
        Motion(one_legged, FPS, np.zeros((1, 3)), rotation.identity((1, 2))).mirror()


def test_warp_puts_the_marks_where_they_should_be():
    motion = clip()
    warped = motion.warp([0.0, 0.3, 1.0], [0.0, 0.8, 1.2])
    assert warped.frames == 25
    for source, target in [(0.0, 0.0), (0.15, 0.4), (0.3, 0.8), (0.65, 1.0), (1.0, 1.2)]:
        (expected_root, expected_pose), (root, pose) = motion.sample(source), warped.sample(target)
        np.testing.assert_allclose(root, expected_root, atol=1e-9)
        assert_same_rotations(pose, expected_pose, atol=1e-9)


def test_warp_to_its_own_times_and_back_again():
    assert_same_motion(clip().warp([0.0, 0.5, 1.0], [0.0, 0.5, 1.0]), clip())
    assert_same_motion(clip().warp([0.0, 1.0], [0.0, 2.0]).warp([0.0, 2.0], [0.0, 1.0]), clip())


def test_warp_starts_at_its_first_mark_and_can_hold_a_pose():
    held = clip().warp([0.2, 0.5, 0.5], [7.0, 7.3, 7.8])
    np.testing.assert_allclose(held.root_positions[:7], clip().root_positions[4:11], atol=1e-9)
    np.testing.assert_allclose(held.root_positions[7:], np.tile(clip().root_positions[10], (10, 1)), atol=1e-9)


@pytest.mark.parametrize(
    ("source", "target", "sentence"),
    [
        ([0.0, 1.0, 0.5], [0.0, 0.5, 1.0], "in order of time"),
        ([0.0, 0.5, 1.0], [0.0, 0.7, 0.7], "in order of time"),
        ([0.0, np.nan], [0.0, 1.0], "in order of time"),
        ([0.0, 1.0], [0.0, 0.5, 1.0], "two or more marks"),
        ([0.0], [0.0], "two or more marks"),
    ],
)
def test_warp_refuses_marks_out_of_order(source, target, sentence):
    with pytest.raises(ValueError, match=sentence):
        clip().warp(source, target)


def test_blend_goes_from_one_clip_to_the_other():
    one, other = clip(1), clip(2)
    assert_same_motion(one.blend(other, 0.0), one)
    assert_same_motion(one.blend(other, 1.0), other)
    assert_same_motion(one.blend(other, 0.3), other.blend(one, 0.7))
    assert_same_motion(one.blend(one, 0.6), one)


def test_blend_weighs_each_frame():
    one, other = clip(1), clip(2)
    mixed = one.blend(other, np.linspace(0, 1, 21))
    assert_same_rotations(mixed.rotations[5], one.blend(other, 0.25).rotations[5])
    np.testing.assert_allclose(mixed.root_positions[5], 0.75 * one.root_positions[5] + 0.25 * other.root_positions[5])


def test_blend_refuses_clips_that_do_not_go_together():
    renamed = Skeleton(("a", "b", "c", "d", "e"), SKELETON.parents, SKELETON.offsets)
    with pytest.raises(RigError, match="different joints"):
        clip().blend(Motion(renamed, FPS, clip().root_positions, clip().rotations), 0.5)
    with pytest.raises(ValueError, match="21 frames at 20 fps, the other 20 at 20"):
        clip().blend(clip(frames=20), 0.5)
    with pytest.raises(ValueError, match="the other 21 at 30"):
        clip().blend(clip(fps=30.0), 0.5)


def test_displace_turns_in_the_parents_frame():
    motion, hip = clip(), SKELETON.index("thigh.L")
    outward = rotation.exp([0.3, 0.0, 0.0])
    offsets = rotation.identity((5,))
    offsets[hip] = outward
    before, after = motion.rotations, motion.displace(rotation_offsets=offsets).rotations
    shin = [0.0, 0.0, -0.4]
    expected = rotation.rotate(outward, rotation.rotate(before[:, hip], shin))
    np.testing.assert_allclose(rotation.rotate(after[:, hip], shin), expected, atol=1e-12)
    others = np.arange(5) != hip
    np.testing.assert_array_equal(after[:, others], before[:, others])


def test_displace_by_a_frame_and_back():
    motion, rng = clip(), np.random.default_rng(8)
    shift, turn = rng.normal(size=(21, 3)), rotation.exp(rng.normal(size=(21, 5, 3)))
    moved = motion.displace(shift, turn)
    np.testing.assert_allclose(moved.root_positions, motion.root_positions + shift)
    assert_same_motion(moved.displace(-shift, rotation.conjugate(turn)), motion)
    assert_same_motion(motion.displace(), motion)


def test_edits_leave_the_clip_as_it_was():
    motion, untouched = clip(), clip()
    motion.mirror(), motion.displace([1.0, 2.0, 3.0]), motion.blend(clip(1), 0.5), motion.resample(30.0)
    np.testing.assert_array_equal(motion.root_positions, untouched.root_positions)
    np.testing.assert_array_equal(motion.rotations, untouched.rotations)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_names_the_frame_and_joint_of_the_first_bad_number(bad):
    roots, rotations = clip().root_positions, clip().rotations
    rotations[9, 1, 0] = rotations[4, 3, 2] = bad
    with pytest.raises(FormatError, match=r"Frame 4 .* no valid rotation for joint 'thigh.R'"):
        Motion(SKELETON, FPS, roots, rotations)
    roots[2, 1] = bad
    with pytest.raises(FormatError, match=r"Frame 2 .* no valid position for joint 'pelvis'"):
        Motion(SKELETON, FPS, roots, rotations)


def test_refuses_quaternions_that_are_no_rotations():
    rotations = clip().rotations
    rotations[3, 2] = 0.0
    with pytest.raises(FormatError, match=r"Frame 3 .* no valid rotation for joint 'shin.L'"):
        Motion(SKELETON, FPS, clip().root_positions, rotations)


def test_refuses_arrays_that_do_not_fit_the_skeleton():
    good = clip()
    with pytest.raises(FormatError, match="no frames"):
        Motion(SKELETON, FPS, np.zeros((0, 3)), np.zeros((0, 5, 4)))
    for roots, rotations in [
        (good.root_positions, good.rotations[:, :4]),
        (good.root_positions, good.rotations[:-1]),
        (good.root_positions[:, :2], good.rotations),
        (good.root_positions, good.rotations[..., :3]),
    ]:
        with pytest.raises(FormatError, match=r"21 frames of 5 joints need \(21, 3\) and \(21, 5, 4\)"):
            Motion(SKELETON, FPS, roots, rotations)


def test_facing_begins_over_the_origin():
    skeleton = Skeleton(("pelvis", "thigh.L"), (-1, 0), np.array([[0.0, 0.0, 0.0], [0.0, 0.1, 0.0]]))
    turns = rotation.from_axis_angle((0.0, 0.0, 1.0), np.array([0.5, 0.8]))
    roots = np.array([[2.0, 3.0, 0.9], [2.0 + np.cos(0.5), 3.0 + np.sin(0.5), 1.0]])
    motion = Motion(skeleton, 30.0, roots, np.stack([turns, rotation.identity((2,))], axis=1))
    faced = motion.facing(-1.0)
    assert faced.root_positions[0] == pytest.approx([0.0, 0.0, 0.9])
    assert faced.root_positions[1] == pytest.approx([np.cos(-1.0), np.sin(-1.0), 1.0])
    assert rotation.heading(faced.rotations[:, 0]) == pytest.approx([-1.0, -0.7])
