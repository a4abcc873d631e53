"""Clips onto bodies: pybullet's own recordings, the same ones told in other ways, and the shared recordings where they are."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import presets, rotation
from core.body import make_body
from core.errors import FormatError, RigError
from core.formats import Clip, read_clip
from core.motion import Motion
from core.retarget import body_of, joints_of, retarget
from core.retarget.joints import recognise_clip
from core.retarget.tracks import tracks_of
from core.skeleton import HINGES, PARENTS, Skeleton
from tests.cases import quick

DEEPMIMIC = sorted((Path(pybullet_data.getDataPath()) / "data" / "motions").glob("humanoid3d_*.txt"))
SHARED = Path(__file__).resolve().parents[3] / "shared" / "mocap"
RECORDINGS = sorted(SHARED.glob("*/*.bvh")) + sorted(SHARED.glob("*/*.amc"))
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the recordings in ../shared/mocap are not here")

UP = np.array([0.0, 0.0, 1.0])
IN_TEN_DEGREES = np.cos(np.radians(5.0))  # half of the angle, as quaternions have it


def deepmimic(name):
    return read_clip(next(path for path in DEEPMIMIC if path.stem == f"humanoid3d_{name}"))


def on_own_body(clip):
    body = make_body(body_of(clip))
    return body, retarget(clip, body)


def errors(clip, body, motion):
    """Link → (F,) metres between where its joint is in the clip and in the motion, both seen from between the hips."""
    moving, _ = tracks_of(clip, recognise_clip(clip))
    positions, _ = motion.world()
    links = [link for link in PARENTS if link in moving.places]
    return {
        link: np.linalg.norm(
            positions[:, body.names.index(link)] - positions[:, 0] - moving.places[link] + moving.places["pelvis"], axis=-1
        )
        for link in links
    }


def hinge_angles(body, motion):
    """Link → (F,) radians of the joints that turn about Y only; fails if they turn about another axis."""
    angles = {}
    for joint, name in enumerate(body.names):
        if name.partition(".")[0] in HINGES:
            turns = motion.rotations[:, joint]
            assert np.abs(turns[:, [1, 3]]).max() < 1e-9, name
            angles[name] = 2.0 * np.arctan(turns[:, 2] / turns[:, 0])
    return angles


def speeds(clip_turns, fps):
    """(F − 1, ...) rad/s between each two frames of orientations (F, ..., 4)."""
    steps = rotation.multiply(rotation.conjugate(clip_turns[:-1]), clip_turns[1:])
    return np.linalg.norm(rotation.log(steps), axis=-1) * fps


def alike(one, other, cosine=IN_TEN_DEGREES, links=None):
    """Whether two motions turn all links the same way, in the world and in all frames."""
    names = one.skeleton.names
    joints = [names.index(link) for link in links or names]
    dots = np.abs(np.sum(one.world()[1][:, joints] * other.world()[1][:, joints], axis=-1))
    return bool(dots.min() > cosine)


def directions(vectors):
    """(..., 3) of length 1."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def missing_bend(clip_tracks, body):
    """(F,) metres by which the recorded hips come nearer to the ankles than this body's knees can bend: by so much the pelvis may be higher."""
    missing = []
    for side in "LR":
        hip, knee, ankle = (clip_tracks.places[f"{link}.{side}"] for link in ("thigh", "shin", "foot"))
        thigh, shin = (np.linalg.norm(bone, axis=-1) for bone in (knee - hip, ankle - knee))
        limit = body.limits[body.names.index(f"shin.{side}"), 1, 1]
        shortest = np.sqrt(thigh**2 + shin**2 + 2.0 * thigh * shin * np.cos(limit))
        missing.append(shortest - np.linalg.norm(ankle - hip, axis=-1))
    return np.maximum(np.max(missing, axis=0), 0.0)


def retold(clip, pose, yaw=0.0, rename=str, tips=True):
    """The same motion in a file with another rest pose: ``pose`` (J, 4) becomes its zero; the whole world is turned by ``yaw``."""
    skeleton, motion = clip.skeleton, clip.motion
    rest_positions, rest_turns = skeleton.forward_kinematics(np.zeros(3), pose)
    parents = skeleton.parents
    offsets = rest_positions - rest_positions[parents]
    offsets[0] = 0.0
    turn = rotation.from_axis_angle(UP, yaw)
    _, turns = motion.world()
    turns = rotation.multiply(turn, rotation.multiply(turns, rotation.conjugate(rest_turns)))
    local = turns.copy()
    local[:, 1:] = rotation.multiply(rotation.conjugate(turns[:, parents[1:]]), turns[:, 1:])
    names = tuple(rename(name) for name in skeleton.names)
    ends = {rename(name): rotation.rotate(rest_turns[skeleton.index(name)], tip) for name, tip in clip.tips.items()} if tips else {}
    told = Motion(Skeleton(names, parents, offsets), motion.fps, rotation.rotate(turn, motion.root_positions), local)
    return Clip(told, clip.name, ends)


def t_pose(clip, yaw=0.0):
    """(J, 4) DeepMimic's humanoid with its arms held out, looking along ``yaw``."""
    pose = rotation.identity((len(clip.skeleton.names),))
    pose[0] = rotation.from_axis_angle(UP, yaw)
    pose[clip.skeleton.index("left_shoulder")] = rotation.from_axis_angle((1.0, 0.0, 0.0), np.pi / 2)
    pose[clip.skeleton.index("right_shoulder")] = rotation.from_axis_angle((1.0, 0.0, 0.0), -np.pi / 2)
    return pose


def turned(motion, yaw):
    turn = rotation.from_axis_angle(UP, yaw)
    rotations = motion.rotations.copy()
    rotations[:, 0] = rotation.multiply(turn, rotations[:, 0])
    return replace(motion, root_positions=rotation.rotate(turn, motion.root_positions), rotations=rotations)


@pytest.mark.parametrize("path", DEEPMIMIC, ids=lambda path: path.stem)
def test_deepmimic_joints_stay_where_they_are(path):
    clip = read_clip(path)
    body, motion = on_own_body(clip)
    assert motion.frames == clip.motion.frames and motion.fps == clip.motion.fps
    off = errors(clip, body, motion)
    assert len(off) == 12  # all but the toes, which the clips do not have
    assert np.mean([error.mean() for error in off.values()]) < 0.001
    assert all(off[f"{part}.{side}"].mean() < 0.006 for part in ("shin", "foot") for side in "LR")
    np.testing.assert_allclose(motion.root_positions, clip.motion.root_positions, atol=0.02)


@pytest.mark.parametrize("path", DEEPMIMIC, ids=lambda path: path.stem)
def test_hinges_bend_one_way_and_nothing_jumps(path):
    clip = read_clip(path)
    body, motion = on_own_body(clip)
    for link, angles in hinge_angles(body, motion).items():
        low, high = body.limits[body.names.index(link), 1]
        assert low - 1e-9 <= angles.min() and angles.max() <= high + 1e-9, link
    assert np.sum(motion.rotations[1:] * motion.rotations[:-1], axis=-1).min() > 0.0
    # Orientations turn no faster than the clip's own, but for a little: hips of these clips turn up to 30 rad/s.
    fastest = speeds(clip.motion.world()[1], clip.motion.fps).max()
    assert speeds(motion.world()[1], motion.fps).max() < fastest + 8.0


def test_deepmimic_body_has_the_lengths_of_its_humanoid():
    clip = deepmimic("walk")
    spec = body_of(clip)
    offsets = spec["skeleton"]["offsets"]
    np.testing.assert_allclose(offsets["thigh.L"], (0.0, 0.085, 0.0), atol=1e-4)
    np.testing.assert_allclose(offsets["upper_arm.R"], (-0.024, -0.183, 0.244), atol=2e-3)
    np.testing.assert_allclose([offsets[link][2] for link in ("shin.L", "foot.R", "forearm.L")], (-0.422, -0.41, -0.275), atol=1e-4)
    assert spec["skeleton"]["lengths"]["forearm"] == pytest.approx(0.259, abs=1e-3)
    assert 0.04 < spec["skeleton"]["foot"]["height"] < 0.09
    assert spec["sex"] == "male" and 60.0 < spec["mass"] < 80.0
    assert body_of(clip, mass=51.0, sex="female")["mass"] == 51.0
    assert make_body(body_of(clip, mass=51.0, sex="female")).mass == pytest.approx(51.0, rel=1e-3)


def test_parts_of_deepmimic_and_what_is_no_person():
    clip = deepmimic("walk")
    found = joints_of(clip)
    assert found["pelvis"] == ("root",) and found["thigh.L"] == ("left_hip",) and found["head"] == ("neck",)
    assert "toes.L" not in found and "hand.R" not in found
    above = [name for name in clip.skeleton.names if not any(part in name for part in ("hip", "knee", "ankle"))]
    joints = [clip.skeleton.index(name) for name in above]
    parents = [-1, *(above.index(clip.skeleton.names[clip.skeleton.parents[joint]]) for joint in joints[1:])]
    skeleton = Skeleton(tuple(above), parents, clip.skeleton.offsets[joints])
    bust = Motion(skeleton, 30.0, clip.motion.root_positions, clip.motion.rotations[:, joints])
    with pytest.raises((RigError, FormatError), match="'bust'.*legs"):
        body_of(Clip(bust, "bust"))


def test_standing_straight_is_the_zero_pose():
    clip = deepmimic("walk")
    still = Motion(clip.skeleton, 30.0, np.tile((0.3, -0.2, 0.89), (20, 1)), rotation.identity((20, len(clip.skeleton.names))))
    body, motion = on_own_body(replace(clip, motion=still))
    assert np.abs(motion.rotations[..., 0]).min() > 1.0 - 1e-9
    np.testing.assert_allclose(motion.root_positions, still.root_positions, atol=1e-6)
    assert body.standing_height == pytest.approx(0.89, abs=0.01)


@pytest.mark.parametrize("yaw", (0.0, 1.2, np.pi))
def test_another_rest_pose_other_names_and_another_heading(yaw):
    """A T-pose that looks elsewhere, in a world that is turned, with names that tell nothing: recognised by its shape."""
    clip = deepmimic("spinkick")
    body, motion = on_own_body(clip)
    numbered = {name: f"Bone.{number:03d}" for number, name in enumerate(clip.skeleton.names)}
    other = retold(clip, t_pose(clip, yaw - 0.5), yaw, numbered.__getitem__)
    assert joints_of(other)["thigh.L"] == (numbered["left_hip"],)
    again = retarget(other, body)
    assert alike(again, turned(motion, yaw))
    np.testing.assert_allclose(again.root_positions, turned(motion, yaw).root_positions, atol=0.005)


def test_a_rest_pose_that_looks_like_nobody():
    """As in LAFAN1: all frames turned at random at rest; an upright frame of the motion tells what is what."""
    clip = deepmimic("walk")
    body, motion = on_own_body(clip)
    pose = rotation.normalize(np.random.default_rng(3).normal(size=(len(clip.skeleton.names), 4)))
    other = retold(clip, pose)
    off = errors(other, *on_own_body(other))
    assert max(error.mean() for error in off.values()) < 0.01
    again = retarget(other, body)
    limbs = ("thigh.L", "shin.L", "thigh.R", "shin.R", "forearm.L", "upper_arm.R")
    assert alike(again, motion, np.cos(np.radians(7.0)), limbs)
    assert alike(again, motion, np.cos(np.radians(12.0)))


def test_a_mirrored_clip_gives_the_mirrored_motion():
    clip = deepmimic("spinkick")
    body, motion = on_own_body(clip)
    names = clip.skeleton.names
    swapped = [names.index(name.replace("left", "#").replace("right", "left").replace("#", "right")) for name in names]
    mirrored = Motion(
        clip.skeleton, clip.motion.fps, clip.motion.root_positions * (1.0, -1.0, 1.0),
        clip.motion.rotations[:, swapped] * (1.0, -1.0, 1.0, -1.0)
    )
    again = retarget(replace(clip, motion=mirrored), body)
    assert alike(again, motion.mirror(), np.cos(np.radians(0.5)))
    np.testing.assert_allclose(again.root_positions, motion.mirror().root_positions, atol=1e-3)


def test_bones_that_do_not_turn_with_their_limbs():
    """Made from positions alone: each bone takes the shortest way from its rest to where it points; knees and elbows bend as hinges."""
    clip = deepmimic("run")
    skeleton, positions = clip.skeleton, clip.motion.world()[0]
    body, motion = on_own_body(clip)
    turns = clip.motion.world()[1].copy()
    for upper, lower, end in (("hip", "knee", "ankle"), ("shoulder", "elbow", None)):
        for side in ("left", "right"):
            first, second = skeleton.index(f"{side}_{upper}"), skeleton.index(f"{side}_{lower}")
            last = positions[:, skeleton.index(f"{side}_{end}")] if end else (
                positions[:, second] + rotation.rotate(turns[:, second], clip.tips[f"{side}_{lower}"]))
            for joint, bone in ((first, positions[:, second] - positions[:, first]), (second, last - positions[:, second])):
                along = directions(bone)
                cross = np.cross(-UP, along)
                turns[:, joint] = rotation.from_axis_angle(cross, np.arctan2(np.linalg.norm(cross, axis=-1), -along[:, 2]))
    local = turns.copy()
    local[:, 1:] = rotation.multiply(rotation.conjugate(turns[:, skeleton.parents[1:]]), turns[:, 1:])
    other = replace(clip, motion=replace(clip.motion, rotations=local))
    again = retarget(other, body)
    off = errors(other, body, again)
    assert max(off[f"{part}.{side}"].mean() for part in ("shin", "foot", "forearm") for side in "LR") < 0.01
    assert speeds(again.rotations, again.fps).max() < speeds(motion.rotations, motion.fps).max() + 8.0


def test_a_nearly_straight_knee_does_not_pop():
    """Knees that tremble around straight, bending a little the wrong way and to the side, as solved markers do."""
    clip = deepmimic("walk")
    random = np.random.default_rng(1)
    frames, skeleton = 120, clip.skeleton
    rotations = rotation.identity((frames, len(skeleton.names)))
    for side in ("left", "right"):
        rotations[:, skeleton.index(f"{side}_knee")] = rotation.exp(np.radians(1.5) * random.normal(size=(frames, 3)) * (1.0, 1.0, 0.0))
    trembling = replace(clip, motion=Motion(skeleton, 60.0, np.tile((0.0, 0.0, 0.89), (frames, 1)), rotations))
    body, motion = on_own_body(trembling)
    angles = hinge_angles(body, motion)
    assert min(angles["shin.L"].min(), angles["shin.R"].min()) >= 0.0
    twist = rotation.swing_twist(motion.rotations[:, body.names.index("thigh.L")], UP)[1]
    assert np.degrees(np.linalg.norm(rotation.log(twist), axis=-1)).max() < 15.0
    off = errors(trembling, body, motion)
    assert max(off[f"foot.{side}"].mean() for side in "LR") < 0.005


def test_a_foot_that_spins_round_in_the_recording_is_led_through():
    clip = deepmimic("walk")
    body, motion = on_own_body(clip)
    ankle = clip.skeleton.index("right_ankle")
    rotations = clip.motion.rotations.copy()
    faulty = slice(12, 17)
    rotations[faulty, ankle] = rotation.multiply(rotations[faulty, ankle], rotation.from_axis_angle(UP, np.linspace(2.0, 4.0, 5)))
    again = retarget(replace(clip, motion=replace(clip.motion, rotations=rotations)), body)
    assert alike(again, motion, np.cos(np.radians(12.0)))


def test_a_leg_that_is_turned_over_in_the_recording_is_led_through():
    """The knee leaps to the other side of the line from hip to ankle, as solvers have it at the height of a kick, and leaps back."""
    clip = deepmimic("kick")
    body, motion = on_own_body(clip)
    skeleton, (positions, orientations) = clip.skeleton, clip.motion.world()
    hip, ankle = skeleton.index("right_hip"), skeleton.index("right_ankle")
    height = positions[:, ankle, 2]
    faulty = slice(int(height.argmax()) - 1, int(height.argmax()) + 2)
    line = rotation.rotate(rotation.conjugate(orientations[:, hip]), positions[:, ankle] - positions[:, hip])
    rotations = clip.motion.rotations.copy()
    rotations[faulty, hip] = rotation.multiply(rotations[faulty, hip], rotation.from_axis_angle(line[faulty], np.array([2.4, 2.7, 2.5])))
    turned_over = replace(clip, motion=replace(clip.motion, rotations=rotations))
    again = retarget(turned_over, body)
    assert alike(again, motion, np.cos(np.radians(12.0)))
    off = again.world()[0][:, body.names.index("foot.R")] - motion.world()[0][:, body.names.index("foot.R")]
    assert np.linalg.norm(off, axis=-1).max() < 0.01


def test_knees_that_bend_too_far_leave_the_feet_where_they_are():
    """Sitting on the heels, with knees bent further than the body's: the ankles stay under the hips and on the floor, the pelvis is higher."""
    clip = deepmimic("walk")
    skeleton, frames = clip.skeleton, 20
    rotations = rotation.identity((frames, len(skeleton.names)))
    for joint, angle in (("hip", -1.45), ("knee", 2.9), ("ankle", -1.45)):
        for side in ("left", "right"):
            rotations[:, skeleton.index(f"{side}_{joint}")] = rotation.hinge(np.linspace(0.0, angle, frames))
    squatting = replace(clip, motion=Motion(skeleton, 30.0, np.tile((0.0, 0.0, 0.89), (frames, 1)), rotations))
    body, motion = on_own_body(squatting)
    recorded, _ = tracks_of(squatting, recognise_clip(squatting))
    positions, _ = motion.world()
    for side in "LR":
        hip, knee, ankle = (body.names.index(f"{link}.{side}") for link in ("thigh", "shin", "foot"))
        limit = body.limits[knee, 1, 1]
        assert rotation.hinge_angle(motion.rotations[-1, knee]) == pytest.approx(limit) and limit < 2.9
        told, reached = recorded.places[f"foot.{side}"] - recorded.places[f"thigh.{side}"], positions[:, ankle] - positions[:, hip]
        np.testing.assert_allclose(directions(reached), directions(told), atol=0.01)
        np.testing.assert_allclose(positions[:, ankle, 2], recorded.places[f"foot.{side}"][:, 2], atol=0.003)


def test_another_body_keeps_directions_place_and_floor():
    clip = deepmimic("walk")
    body, motion = on_own_body(clip)
    tall = make_body(presets.load("bodies", "tall"))
    grown = retarget(clip, tall)
    assert grown.skeleton.names == tall.names
    assert alike(grown, motion, 1.0 - 1e-9)
    scale = tall.leg_length / body.leg_length
    np.testing.assert_allclose(grown.root_positions[:, :2], motion.root_positions[:, :2] * scale, atol=1e-9)

    def lowest_ankle(body, motion):
        ankles = motion.world()[0][:, [body.names.index("foot.L"), body.names.index("foot.R")], 2].min(axis=-1)
        return ankles - -body.sole_points[body.sole_links == body.names.index("foot.L"), 2].min()

    np.testing.assert_allclose(lowest_ankle(tall, grown), lowest_ankle(body, motion) * scale, atol=0.004)


def test_joints_without_length_change_nothing():
    clip = deepmimic("walk")
    skeleton, motion = clip.skeleton, clip.motion
    names = [*skeleton.names[:3], "LHipJoint", "RHipJoint", *skeleton.names[3:]]
    parents = [names.index(skeleton.names[parent]) if parent >= 0 else -1 for parent in skeleton.parents]
    parents[3:3] = [0, 0]
    parents[names.index("left_hip")], parents[names.index("right_hip")] = 3, 4
    offsets = np.insert(skeleton.offsets, 3, np.zeros((2, 3)), axis=0)
    rotations = np.insert(motion.rotations, 3, rotation.identity((2, motion.frames)), axis=1)
    other = replace(clip, motion=Motion(Skeleton(tuple(names), parents, offsets), motion.fps, motion.root_positions, rotations))
    body, plain = on_own_body(clip)
    assert body_of(other) == body_of(clip)
    assert alike(retarget(other, body), plain, 1.0 - 1e-9)


@needs_shared
@pytest.mark.parametrize("path", quick(RECORDINGS, *RECORDINGS[::3]), ids=lambda path: path.stem)
def test_shared_recordings(path):
    clip = read_clip(path)
    body, motion = on_own_body(clip)
    off = errors(clip, body, motion)
    assert np.mean([error.mean() for link, error in off.items() if not link.startswith("toes")]) < 0.02
    assert all(off[f"{part}.{side}"].mean() < 0.015 for part in ("shin", "foot") for side in "LR")
    for link, angles in hinge_angles(body, motion).items():
        low, high = body.limits[body.names.index(link), 1]
        assert low - 1e-9 <= angles.min() and angles.max() <= high + 1e-9, link
    if motion.frames > 1:
        assert np.sum(motion.rotations[1:] * motion.rotations[:-1], axis=-1).min() > 0.0
        # In some recordings the feet spin round, and some toes and hands jitter; nothing of the result turns faster than that.
        fastest = speeds(clip.motion.world()[1], clip.motion.fps).max()
        assert speeds(motion.world()[1], motion.fps).max() < min(fastest + 8.0, 120.0)
        moving, _ = tracks_of(clip, recognise_clip(clip))
        off_place = np.abs(motion.root_positions - moving.places["pelvis"]).max(axis=-1)
        assert (off_place < 0.03 + missing_bend(moving, body)).all()
