"""Motion files: made up here in every dialect that was seen, pybullet's own clips, and the shared recordings where they are."""

import re
import time
from pathlib import Path

import numpy as np
import pytest

from core import rotation
from core.errors import FormatError
from core.formats import Clip, read_clip, write_bvh
from core.formats.normalise import snap_rate
from core.motion import Motion
from core.skeleton import Skeleton

SHARED = Path(__file__).resolve().parents[3] / "shared" / "mocap"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the recordings in ../shared/mocap are not here")

# name, parent, offset in metres: Y up, faced to +Z, left at +X, as most files are.
BODY = (
    ("Hips", None, (0.0, 0.0, 0.0)),
    ("LeftUpLeg", "Hips", (0.09, -0.06, 0.0)),
    ("LeftLeg", "LeftUpLeg", (0.0, -0.42, 0.0)),
    ("LeftFoot", "LeftLeg", (0.0, -0.41, 0.0)),
    ("LeftToe", "LeftFoot", (0.0, -0.05, 0.13)),
    ("RightUpLeg", "Hips", (-0.09, -0.06, 0.0)),
    ("RightLeg", "RightUpLeg", (0.0, -0.42, 0.0)),
    ("RightFoot", "RightLeg", (0.0, -0.41, 0.0)),
    ("RightToe", "RightFoot", (0.0, -0.05, 0.13)),
    ("Spine", "Hips", (0.0, 0.12, 0.0)),
    ("Chest", "Spine", (0.0, 0.18, 0.0)),
    ("Head", "Chest", (0.0, 0.25, 0.0)),
    ("LeftArm", "Chest", (0.18, 0.2, 0.0)),
    ("LeftForeArm", "LeftArm", (0.28, 0.0, 0.0)),
    ("LeftHand", "LeftForeArm", (0.25, 0.0, 0.0)),
    ("RightArm", "Chest", (-0.18, 0.2, 0.0)),
    ("RightForeArm", "RightArm", (-0.28, 0.0, 0.0)),
    ("RightHand", "RightForeArm", (-0.25, 0.0, 0.0)),
)
NAMES = [name for name, *_ in BODY]
PARENTS = [-1 if parent is None else NAMES.index(parent) for _, parent, _ in BODY]
OFFSETS = np.array([offset for *_, offset in BODY])
HIP_HEIGHT = 0.96
SPEED = 1.2
CHANNELS = "Zrotation Xrotation Yrotation"
POSITIONS = "Xposition Yposition Zposition"


def walk(frames=60, fps=60.0):
    """Root positions (F, 3) and rotations (F, J, 4) of something like a walk in Y-up metres, slowly turning to the left."""
    t = np.arange(frames) / fps
    swing = 0.4 * np.sin(2.0 * np.pi * t)
    rotations = rotation.identity((frames, len(NAMES)))

    def turn(name, axis, angle):
        rotations[:, NAMES.index(name)] = rotation.from_axis_angle(axis, angle)

    turn("Hips", (0, 1, 0), 0.3 * t)
    turn("LeftUpLeg", (1, 0, 0), swing)
    turn("RightUpLeg", (1, 0, 0), -swing)
    turn("LeftLeg", (1, 0, 0), 0.3 - 0.5 * swing)
    turn("RightLeg", (1, 0, 0), 0.3 + 0.5 * swing)
    turn("LeftArm", (0, 0.3, -1), 1.2 + 0.3 * swing)
    turn("RightArm", (0, 0.3, 1), 1.2 + 0.3 * swing)
    turn("Head", (0.2, 1, 0.1), 0.2 * swing)
    roots = np.stack([0.05 * np.sin(t), HIP_HEIGHT - 0.04 + 0.02 * np.sin(4.0 * np.pi * t), SPEED * t], axis=-1)
    return roots, rotations


def truth(roots, rotations):
    """(F, J, 3) where the joints are, in metres with Z up: the file's z, x, y."""
    skeleton = Skeleton(tuple(NAMES), PARENTS, OFFSETS)
    return skeleton.forward_kinematics(roots, rotations)[0][..., [2, 0, 1]]


def bvh_text(roots, rotations, offsets=OFFSETS, unit=1.0, fps=60.0, names=NAMES, parents=PARENTS, places=None, root_offset=(0, 0, 0), tip=0.05):
    """A BVH file; ``places`` (F, 3) by joint are position channels that a joint has besides the root, in metres."""
    places = {0: roots, **(places or {})}
    lines, columns = ["HIERARCHY"], []

    def joint(n, indent):
        offset = np.array(root_offset, float) if n == 0 else offsets[n]
        children = [child for child, parent in enumerate(parents) if parent == n]
        lines.append(f"{indent}{'ROOT' if n == 0 else 'JOINT'} {names[n]}")
        lines.append(indent + "{")
        lines.append(f"{indent}  OFFSET " + " ".join(f"{value / unit:.8f}" for value in offset))
        lines.append(f"{indent}  CHANNELS {f'6 {POSITIONS}' if n in places else '3'} {CHANNELS}")
        if n in places:
            columns.append(places[n] / unit)
        columns.append(np.degrees(rotation.to_euler(rotations[:, n], "zxy")))
        for child in children:
            joint(child, indent + "  ")
        if not children:
            lines.extend([indent + "  End Site", indent + "  {", f"{indent}    OFFSET 0 0 {tip / unit:.8f}", indent + "  }"])
        lines.append(indent + "}")

    joint(0, "")
    lines.extend(["MOTION", f"Frames: {len(roots)}", f"Frame Time: {1.0 / fps:.7f}"])
    lines.extend(" ".join(f"{value:.8f}" for value in row) for row in np.concatenate(columns, axis=1))
    return "\n".join(lines) + "\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def said(clip, words):
    return any(words in note for note in clip.notes)


def assert_reads(clip, roots, rotations, atol=1e-5):
    np.testing.assert_allclose(clip.motion.world()[0], truth(roots, rotations), rtol=0, atol=atol)
    assert all(note.endswith(".") for note in clip.notes)


# --- BVH dialects --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "called"), [(1.0, "metres"), (0.01, "centimetres"), (0.0254, "inches"), (0.0254 / 0.45, "CMU"), (0.001, "millimetres")]
)
def test_units_are_told_by_the_hip_height(tmp_path, unit, called):
    roots, rotations = walk()
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots, rotations, unit=unit)))
    assert said(clip, f"Lengths are in {called}")
    assert_reads(clip, roots, rotations)
    assert clip.hip_height() == pytest.approx(0.92, abs=0.03)
    assert clip.mean_speed() == pytest.approx(SPEED, rel=0.01)
    np.testing.assert_allclose(clip.tips["LeftToe"], (0.05, 0.0, 0.0), atol=1e-6)


def test_a_unit_that_makes_no_human_is_scaled(tmp_path):
    roots, rotations = walk()
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots, rotations, unit=1.0 / 300.0)))
    assert said(clip, "No usual unit")
    assert 0.8 < clip.hip_height() < 1.1


def test_unit_up_axis_and_rate_can_be_given(tmp_path):
    roots, rotations = walk()
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots, rotations)), unit=0.5, up="Z", fps=25.0)
    assert clip.motion.fps == 25.0
    np.testing.assert_allclose(clip.motion.root_positions, 0.5 * roots, atol=1e-6)


def test_z_up_is_told_by_the_poses(tmp_path):
    roots, rotations = walk()
    turned = [2, 0, 1]
    text = bvh_text(roots[:, turned], rotations[..., [0, 3, 1, 2]], offsets=OFFSETS[:, turned])
    clip = read_clip(write(tmp_path / "a.bvh", text))
    assert said(clip, "Z is up")
    assert_reads(clip, roots, rotations)


def test_z_up_motion_of_a_y_up_rest_pose(tmp_path):
    roots, rotations = walk()
    # The whole world is turned, the rest pose is not: AMASS conversions do that.
    world = rotation.from_matrix(np.eye(3)[[2, 0, 1]])
    rotations[:, 0] = rotation.multiply(world, rotations[:, 0])
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(rotation.rotate(world, roots), rotations)))
    assert said(clip, "Z is up")
    rotations[:, 0] = rotation.multiply(rotation.conjugate(world), rotations[:, 0])
    assert_reads(clip, roots, rotations)


def test_y_up_when_crawling(tmp_path):
    roots, rotations = walk(240)
    rotations[:, 0] = rotation.multiply(rotation.from_axis_angle((1, 0, 0), np.full(240, 1.45)), rotations[:, 0])
    rotations[:, NAMES.index("LeftUpLeg")] = rotation.from_axis_angle((1, 0, 0), np.full(240, -1.4))
    rotations[:, NAMES.index("RightUpLeg")] = rotation.from_axis_angle((1, 0, 0), np.full(240, -1.4))
    roots[:, 1] = 0.5
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots, rotations)))
    assert said(clip, "Y is up")
    assert_reads(clip, roots, rotations)


def test_an_added_t_pose_row_is_taken_off_and_kept_aside(tmp_path):
    roots, rotations = walk()
    rest = rotation.identity((1, len(NAMES)))
    text = bvh_text(np.concatenate([roots[:1], roots]), np.concatenate([rest, rotations]))
    clip = read_clip(write(tmp_path / "a.bvh", text))
    first = text.split("\n").index("MOTION") + 4
    assert said(clip, f"The first row (line {first}) is a pose that was added")
    np.testing.assert_allclose(clip.t_pose, rest[0], atol=1e-9)
    assert_reads(clip, roots, rotations)


@pytest.mark.parametrize("fps", [24.0, 30.0, 240.0])
def test_a_motion_without_t_pose_keeps_its_first_row(tmp_path, fps):
    roots, rotations = walk(60, fps)
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots, rotations, fps=fps)))
    assert clip.t_pose is None
    assert clip.motion.frames == 60
    assert clip.motion.fps == fps


def with_root(still):
    """The walk below a joint 'Root' on the floor, which stands still or travels along."""
    roots, rotations = walk()
    above = np.zeros_like(roots) if still else roots * (1.0, 0.0, 1.0)
    rotations = np.concatenate([rotation.identity((len(roots), 1)), rotations], axis=1)
    parents = [-1, *(parent + 1 for parent in PARENTS)]
    return roots, above, rotations, ["Root", *NAMES], parents, np.concatenate([np.zeros((1, 3)), OFFSETS])


@pytest.mark.parametrize("still", [True, False])
def test_travel_in_the_hips_below_a_root(tmp_path, still):
    roots, above, rotations, names, parents, offsets = with_root(still)
    text = bvh_text(above, rotations, offsets, 0.01, 60.0, names, parents, places={1: roots - above})
    clip = read_clip(write(tmp_path / "a.bvh", text))
    assert said(clip, "The travel is in 'Hips'" if still else "merged into 'Hips'")
    assert clip.skeleton.names == tuple(NAMES)
    assert_reads(clip, roots, rotations[:, 1:])


@pytest.mark.parametrize("whole", [True, False])
def test_six_channels_on_every_joint(tmp_path, whole):
    roots, above, rotations, names, parents, offsets = with_root(True)
    places = {n: np.tile(offsets[n] if whole else np.zeros(3), (len(roots), 1)) for n in range(2, len(names))}
    places[5] = places[5] + 0.03 * np.sin(np.arange(len(roots)))[:, None]
    text = bvh_text(above, rotations, offsets, 0.01, 60.0, names, parents, places={1: roots, **places})
    clip = read_clip(write(tmp_path / "a.bvh", text))
    assert said(clip, "17 joints besides the root have position channels")
    assert said(clip, "1 of them really move, 'LeftToe'")
    np.testing.assert_allclose(clip.skeleton.offsets, OFFSETS[:, [2, 0, 1]], atol=0.01)
    assert_reads(clip, roots, rotations[:, 1:], atol=0.01)


def test_a_root_offset_that_the_positions_contain(tmp_path):
    roots, rotations = walk()
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots, rotations, root_offset=(0.4, 0.95, -0.2))))
    assert said(clip, "left out")
    assert_reads(clip, roots, rotations)


def test_a_root_offset_that_the_positions_lack(tmp_path):
    roots, rotations = walk()
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots - (0.0, 0.95, 0.0), rotations, root_offset=(0.0, 0.95, 0.0))))
    assert said(clip, "was added")
    assert_reads(clip, roots, rotations)


def test_a_rest_pose_with_all_bones_along_x(tmp_path):
    roots, rotations = walk()
    frames = rotation.identity((len(NAMES),))
    for n, parent in enumerate(PARENTS):
        children = [child for child in range(len(NAMES)) if PARENTS[child] == n]
        if len(children) == 1:
            along = OFFSETS[children[0]] / np.linalg.norm(OFFSETS[children[0]])
            across = np.cross(along, (0.3, 0.5, 0.8))
            across /= np.linalg.norm(across)
            frames[n] = rotation.from_matrix(np.stack([along, across, np.cross(along, across)], axis=-1))
        elif n > 0:
            frames[n] = frames[parent]
    above = np.array([rotation.identity(), *(frames[parent] for parent in PARENTS[1:])])
    offsets = rotation.rotate(rotation.conjugate(above), OFFSETS)
    np.testing.assert_allclose(offsets[NAMES.index("LeftLeg")], (0.42, 0.0, 0.0), atol=1e-9)
    local = rotation.multiply(rotation.multiply(rotation.conjugate(above), rotations), frames)
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots, local, offsets, 0.01, root_offset=(-0.4, 0.9, 0.3))))
    assert said(clip, "Y is up") and said(clip, "centimetres")
    assert_reads(clip, roots, rotations)


def test_missing_hands_are_said(tmp_path):
    roots, rotations = walk()
    kept = [n for n, name in enumerate(NAMES) if "Hand" not in name]
    names = [NAMES[n] for n in kept]
    parents = [-1, *(names.index(NAMES[PARENTS[n]]) for n in kept[1:])]
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots, rotations[:, kept], OFFSETS[kept], 1.0, 60.0, names, parents)))
    assert said(clip, "no hands")


def test_a_jump_of_the_root_is_said_with_its_line(tmp_path):
    roots, rotations = walk()
    roots[30] = 0.0
    text = bvh_text(roots, rotations)
    clip = read_clip(write(tmp_path / "a.bvh", text))
    line = text.split("\n").index("MOTION") + 4 + 30
    assert said(clip, f"to frame 30 (line {line}), and 1 more times")


def test_names_with_spaces_windows_lines_twins_and_other_layouts(tmp_path):
    roots, rotations = walk(3)
    text = bvh_text(roots, rotations).replace("LeftArm", "Bip01 L Arm").replace("RightToe", "LeftToe").replace("\n  {", " {").replace("\n", "\r\n")
    path = tmp_path / "a.bvh"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    clip = read_clip(path)
    assert "Bip01 L Arm" in clip.skeleton.names and "LeftToe.001" in clip.skeleton.names
    assert_reads(clip, roots, rotations)


def test_a_bvh_is_known_by_its_beginning(tmp_path):
    roots, rotations = walk(3)
    assert_reads(read_clip(write(tmp_path / "a.motion", bvh_text(roots, rotations))), roots, rotations)


@pytest.mark.parametrize(
    ("written", "fps"),
    [("0.0333333", 30), ("0.033", 30), ("0.0083333", 120), ("0.008333", 120), ("0.004167", 240), ("0.0166667", 60), ("0.016667", 60), ("0.04", 25),
     ("0.0416667", 24), ("0.0333667", 30000 / 1001), ("0.0625", 16), ("8.333333e-03", 120)],
)  # fmt: skip
def test_rates_are_what_the_written_number_was_rounded_from(written, fps):
    assert snap_rate(float(written), written) == pytest.approx(fps, rel=1e-9)


def test_ten_thousand_frames_take_about_a_second(tmp_path):
    roots, rotations = walk(500)
    text = bvh_text(roots, rotations)
    head, rows = text.split("Frame Time")[0].replace("Frames: 500", "Frames: 10000"), text.split("\n")
    first = rows.index("MOTION") + 3
    body = "\n".join(rows[first : first + 500]) + "\n"
    path = write(tmp_path / "a.bvh", head + "Frame Time: 0.0166667\n" + body * 20)
    start = time.process_time()
    assert read_clip(path).motion.frames == 10_000
    assert time.process_time() - start < 3.0


# --- Broken BVH files ----------------------------------------------------------------------------------------------------


def broken(change):
    roots, rotations = walk(10)
    return change(bvh_text(roots, rotations).split("\n"))


def frame_line(lines, frame):
    return lines.index("MOTION") + 3 + frame


def replace_word(frame, column, word):
    def change(lines):
        at = frame_line(lines, frame)
        words = lines[at].split()
        words[column : column + 1] = [word] if word else []
        lines[at] = " ".join(words)
        return lines

    return change


def set_line(start, new):
    return lambda lines: [new if line.strip().startswith(start) else line for line in lines]


FAULTS = {
    "nan row": (replace_word(4, 7, "nan"), r"line {4}: Xrotation of joint 'LeftUpLeg' is 'nan'"),
    "infinite": (replace_word(4, 0, "1e999"), r"line {4}: Xposition of joint 'Hips' is '1e999'"),
    "absurd": (replace_word(4, 2, "1e300"), r"line {4}: Zposition of joint 'Hips' is '1e300'"),
    "Windows' NaN": (replace_word(4, 1, "-1.#IND00"), r"line {4}: Yposition of joint 'Hips' is '-1.#IND00'"),
    "decimal comma": (replace_word(4, 1, "0,95"), r"line {4}: .*'0,95', which is not a usable number"),
    "a number too few": (replace_word(4, 7, ""), r"line {4}: 56 numbers stand where the skeleton has 57 channels"),
    "a number too many": (replace_word(4, 7, "1 2"), r"line {4}: 58 numbers"),
    "cut in a row": (lambda lines: [*lines[: frame_line(lines, 6)], "1 2 3"], r"line {6}: 3 numbers .* cut off"),
    "cut after a row": (lambda lines: lines[: frame_line(lines, 6)], r"line \d+: the file ends after 6 of 10 frames"),
    "cut before the frames": (lambda lines: lines[: lines.index("MOTION") + 1], r"line \d+: the file ends where its frames should begin"),
    "cut in the hierarchy": (lambda lines: lines[:20], r"line 20: the file ends before its MOTION"),
    "no frames": (lambda lines: [*set_line("Frames:", "Frames: 0")(lines)[: frame_line(lines, 0)]], r"ends after 0 of 0 frames"),
    "a wrong channel count": (set_line("CHANNELS 6", "CHANNELS 5 Xposition"), r"line 5: a CHANNELS line says 5 but names 1"),
    "an unknown channel": (set_line("CHANNELS 6", "CHANNELS 1 Wrotation"), r"line 5: 'Wrotation' is no channel"),
    "a bad offset": (set_line("OFFSET", "OFFSET 0 zero 0"), r"line 4: an OFFSET needs three numbers"),
    "a missing brace": (lambda lines: lines[:2] + lines[3:], r"line 3: an OFFSET stands outside of any joint"),
    "a brace too many": (lambda lines: lines[:1] + ["}"] + lines[1:], r"line 2: a brace closes"),
    "no closing brace": (lambda lines: lines[: lines.index("MOTION") - 1] + lines[lines.index("MOTION") :], r"no closing brace"),
    "a second root": (set_line("JOINT Spine", "ROOT Spine"), r"a second ROOT"),
    "no frame time": (set_line("Frame Time", "Time: 1"), r"'Frame Time:' should stand here"),
    "frame time of 0": (set_line("Frame Time", "Frame Time: 0"), r"the frame time is '0'"),
    "nonsense": (lambda lines: ["Once upon a time"], r"line 1: a BVH file begins with HIERARCHY"),
    "empty": (lambda lines: [""], r"is empty"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_broken_files_are_refused_with_file_line_and_reason(tmp_path, fault):
    change, words = FAULTS[fault]
    lines = broken(lambda lines: lines)
    numbers = {frame: str(frame_line(lines, frame) + 1) for frame in (4, 6)}
    for frame, number in numbers.items():
        words = words.replace(f"{{{frame}}}", number)
    with pytest.raises(FormatError) as caught:
        read_clip(write(tmp_path / "broken.bvh", "\n".join(broken(change))))
    message = str(caught.value)
    assert re.search(words, message), message
    assert "broken.bvh" in message and message.endswith(".") and "\n" not in message


def test_more_rows_than_promised_are_read_and_said(tmp_path):
    clip = read_clip(write(tmp_path / "a.bvh", "\n".join(broken(set_line("Frames:", "Frames: 7")))))
    assert clip.motion.frames == 10 and said(clip, "says 7 frames, but has 10")


def test_other_files_are_refused(tmp_path):
    cases = {
        "a.c3d": (b"\x02\x50" + bytes(600), "holds markers, not a skeleton"),
        "b": (b"\x02\x50" + bytes(600), "holds markers"),
        "c.fbx": (b"Kaydara FBX Binary", "is no motion file"),
        "d.bvh": (b"HIERARCHY\0\0", "not a text file"),
        "e.bvh": (b" \n", "is empty"),
    }
    for name, (data, words) in cases.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(FormatError, match=words):
            read_clip(tmp_path / name)
    with pytest.raises(FormatError, match="There is no file"):
        read_clip(tmp_path / "nowhere.bvh")
    with pytest.raises(FormatError, match="cannot be read"):
        read_clip(tmp_path)


# --- Writing -------------------------------------------------------------------------------------------------------------


def test_writing_and_reading_gives_the_clip_back(tmp_path):
    rng = np.random.default_rng(1)
    roots, rotations = walk(50, 24.0)
    rotations = rotation.multiply(rotations, rotation.exp(0.15 * rng.normal(size=(1, len(NAMES), 3))))
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots, rotations, fps=24.0)))
    write_bvh(tmp_path / "b.bvh", clip)
    again = read_clip(tmp_path / "b.bvh")
    assert again.skeleton.names == clip.skeleton.names and again.motion.fps == 24.0
    np.testing.assert_allclose(again.skeleton.offsets, clip.skeleton.offsets, atol=1e-7)
    np.testing.assert_allclose(again.motion.root_positions, clip.motion.root_positions, atol=1e-7)
    np.testing.assert_allclose(np.abs(np.sum(again.motion.rotations * clip.motion.rotations, axis=-1)), 1.0, atol=1e-9)
    assert again.tips.keys() == clip.tips.keys()
    np.testing.assert_allclose(again.points(), clip.points(), atol=1e-6)


def test_joints_are_written_depth_first_whatever_their_order(tmp_path):
    roots, rotations = walk(5)
    order = sorted(range(len(NAMES)), key=lambda n: (len(NAMES[n]) if PARENTS[n] == 0 else 99 + n) if n else -1)
    parents = [-1, *(order.index(PARENTS[n]) for n in order[1:])]
    skeleton = Skeleton(tuple(NAMES[n] for n in order), parents, OFFSETS[order][:, [2, 0, 1]])
    clip = Clip(Motion(skeleton, 30.0, roots[:, [2, 0, 1]], rotations[:, order][..., [0, 3, 1, 2]]))
    write_bvh(tmp_path / "a.bvh", clip)
    again = read_clip(tmp_path / "a.bvh")
    expected = {name: clip.motion.world()[0][:, n] for n, name in enumerate(skeleton.names)}
    for n, name in enumerate(again.skeleton.names):
        np.testing.assert_allclose(again.motion.world()[0][:, n], expected[name], atol=1e-6)


def test_a_place_that_cannot_be_written_to(tmp_path):
    roots, rotations = walk(3)
    clip = read_clip(write(tmp_path / "a.bvh", bvh_text(roots, rotations)))
    with pytest.raises(FormatError, match="Could not write"):
        write_bvh(tmp_path / "nowhere" / "b.bvh", clip)


# --- ASF and AMC ---------------------------------------------------------------------------------------------------------

ASF_AXIS = {"LeftUpLeg": (0.0, 0.0, 20.0), "RightUpLeg": (0.0, 0.0, -20.0), "LeftArm": (10.0, -30.0, 90.0), "Head": (5.0, 0.0, 0.0)}
ASF_UNIT = 0.0254 / 0.45


def fixed_axes(angles):
    """(..., 4) turns about the world's x, then y, then z axis, by angles (..., 3) in degrees."""
    return rotation.from_euler(np.radians(angles)[..., ::-1], "zyx")


def asf_amc(frames=20, hinge="LeftLeg"):
    """An ASF and an AMC file in which every joint of the body is a bone, and the same as root positions and rotations in Y-up metres.

    A bone's joint sits where the bone begins: the end of the bone above it.
    """
    roots, rotations = walk(frames)
    # Bones that branch would need bones of length 0 in between, as CMU's hip joints are: give every joint one that leads to it.
    bones = [f"to_{name}" for name in NAMES[1:]] + [name for name in NAMES[1:]]
    lines = [":version 1.10", ":name test", ":units", "  mass 1.0", "  length 0.45", "  angle deg"]
    lines += [":root", "  order TX TY TZ RX RY RZ", "  axis XYZ", "  position 0 0 0", "  orientation 0 0 0", ":bonedata"]
    for number, bone in enumerate(bones, 1):
        name = bone.removeprefix("to_")
        step = OFFSETS[NAMES.index(name)] if bone.startswith("to_") else np.zeros(3)
        length = np.linalg.norm(step)
        direction = step / length if length else (0, 1, 0)
        lines += ["  begin", f"    id {number}", f"    name {bone}", "    direction " + " ".join(f"{value:.9g}" for value in direction)]
        lines += [f"    length {length / ASF_UNIT:.9g}", "    axis {:g} {:g} {:g} XYZ".format(*ASF_AXIS.get(bone, (0, 0, 0)))]
        if not bone.startswith("to_"):
            lines += ["    dof rx" if bone == hinge else "    dof rx ry rz", "    limits (-180 180)"]
        lines += ["  end"]
    lines += [":hierarchy", "  begin", "    root " + " ".join(f"to_{name}" for name, parent, _ in BODY if parent == "Hips")]
    for name in NAMES[1:]:
        lines.append(f"    to_{name} {name}")
        below = [f"to_{child}" for child, parent, _ in BODY if parent == name]
        if below:
            lines.append(f"    {name} " + " ".join(below))
    lines.append("  end")

    columns = {"root": np.concatenate([roots / ASF_UNIT, euler(rotations[:, 0])], axis=1)}
    for name in NAMES[1:]:
        axis = fixed_axes(np.array(ASF_AXIS.get(name, (0.0, 0.0, 0.0))))
        own = rotation.multiply(rotation.multiply(rotation.conjugate(axis), rotations[:, NAMES.index(name)]), axis)
        columns[name] = euler(own)[:, :1] if name == hinge else euler(own)
    amc = ["# made for a test", ":FULLY-SPECIFIED", ":DEGREES"]
    for frame in range(frames):
        amc.append(str(frame + 1))
        amc.extend(f"{bone} " + " ".join(f"{value:.9g}" for value in values[frame]) for bone, values in columns.items())
    return "\n".join(lines) + "\n", "\n".join(amc) + "\n", roots, rotations


def euler(q):
    """(..., 3) degrees about x, y, z, of which x is applied first."""
    return np.degrees(rotation.to_euler(q, "zyx"))[..., ::-1]


def test_amc_with_the_asf_beside_it(tmp_path):
    asf, amc, roots, rotations = asf_amc()
    write(tmp_path / "07.asf", asf)
    write(tmp_path / "08.asf", "another person")
    clip = read_clip(write(tmp_path / "07_01.amc", amc))
    assert said(clip, "'07.asf'") and said(clip, "120 frames a second") and said(clip, "CMU units")
    assert clip.motion.fps == 120.0 and clip.motion.frames == 20
    positions, _ = clip.motion.world()
    joints = [0, *(clip.skeleton.index(name) for name in NAMES[1:])]
    np.testing.assert_allclose(positions[:, joints], truth(roots, rotations), atol=1e-6)


def test_amc_with_an_asf_that_is_named_or_the_only_one(tmp_path):
    asf, amc, *_ = asf_amc()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = write(tmp_path / "walk.amc", amc)
    with pytest.raises(FormatError, match="needs the ASF file of its skeleton beside it, and there is none"):
        read_clip(path)
    assert read_clip(path, skeleton=write(elsewhere / "a.asf", asf), fps=60.0).motion.fps == 60.0
    write(tmp_path / "somebody.asf", asf)
    assert read_clip(path).motion.frames == 20
    write(tmp_path / "other.asf", asf)
    with pytest.raises(FormatError, match="none of those there has its name"):
        read_clip(path)
    with pytest.raises(FormatError, match="holds a skeleton without motion"):
        read_clip(tmp_path / "other.asf")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda amc: re.sub(r"Spine \S+", "Spine nan", amc, count=1), r"line 14: number 1 of bone 'Spine' is 'nan'"),
        (lambda amc: re.sub(r"Spine \S+ \S+ \S+", "Spine 0 0", amc, count=1), r"line 14: the count of numbers for bone 'Spine' is 2 instead of 3"),
        (lambda amc: amc.replace("\nSpine", "\nTail", 1), r"line 14: the skeleton '01.asf' has no bone 'Tail'"),
        (lambda amc: amc[: amc.rindex("\nSpine")], r"the last frame ends before bone 'Spine': the file is cut off"),
        (lambda amc: "\n".join(amc.split("\n")[:27] + amc.split("\n")[28:]), r"line 28: '\w+' stands where bone '\w+' should"),
        (lambda amc: "nothing at all", r"line 1: an AMC file begins with the number of its first frame"),
        (lambda amc: "", r"is empty"),
    ],
)
def test_broken_amc_files(tmp_path, change, words):
    asf, amc, *_ = asf_amc()
    write(tmp_path / "01.asf", asf)
    with pytest.raises(FormatError, match=words) as caught:
        read_clip(write(tmp_path / "01_01.amc", change(amc)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda asf: asf.replace("length 0.45", "length none"), r"01.asf', line 5: the unit of length needs 1 number"),
        (lambda asf: asf.replace("dof rx ry rz", "dof rx up", 1), r"line \d+: 'rx up' is no list"),
        (lambda asf: asf[: asf.index(":hierarchy")], r"has no bones that hang from its root"),
        (lambda asf: asf.replace("    to_Spine Spine\n", ""), r"line \d+: bone '.*' hangs from no other"),
        (lambda asf: asf.replace("    root ", "    root tail "), r"names a bone 'tail'"),
    ],
)
def test_broken_asf_files(tmp_path, change, words):
    asf, amc, *_ = asf_amc()
    write(tmp_path / "01.asf", change(asf))
    with pytest.raises(FormatError, match=words):
        read_clip(write(tmp_path / "01_01.amc", amc))


# --- DeepMimic -----------------------------------------------------------------------------------------------------------


def deepmimic_folder():
    pybullet_data = pytest.importorskip("pybullet_data", reason="pybullet_data, which brings DeepMimic's clips, is not installed")
    return Path(pybullet_data.getDataPath()) / "data" / "motions"


def test_deepmimic_clips_of_pybullet():
    paths = sorted(deepmimic_folder().glob("humanoid3d_*.txt"))
    assert len(paths) == 15
    for path in paths:
        clip = read_clip(path)
        lowest = np.percentile(clip.points()[..., 2].min(axis=1), 10)
        assert abs(lowest) < 0.07, path.name
        if "crawl" not in path.name and "punch" not in path.name:  # a boxer stands low
            assert 0.8 < clip.hip_height() < 1.1, path.name


def test_deepmimic_walk_goes_where_it_faces():
    clip = read_clip(deepmimic_folder() / "humanoid3d_walk.txt")
    assert clip.motion.fps == 30.0 and said(clip, "cycle")
    assert clip.mean_speed() == pytest.approx(0.98, rel=0.02)
    knee, hip, ankle = (clip.motion.world()[0][:, clip.skeleton.index(f"left_{name}")] for name in ("knee", "hip", "ankle"))
    heading = rotation.heading(clip.motion.rotations[:, 0])
    forward = np.stack([np.cos(heading), np.sin(heading), 0.0 * heading], axis=-1)
    travel = np.diff(clip.motion.root_positions, axis=0)
    assert np.sum(travel * forward[:-1]) > 0.95 * np.linalg.norm(travel[:, :2], axis=-1).sum()
    assert (np.sum((knee - 0.5 * (hip + ankle)) * forward, axis=-1) > -0.01).all()  # knees bend forward
    left = clip.motion.world()[0][:, clip.skeleton.index("left_hip")] - clip.motion.root_positions
    assert (np.cross(forward, left)[:, 2] > 0).all()


def test_broken_deepmimic_files(tmp_path):
    ball, hinge = ["1", "0", "0", "0"], ["0"]
    limb = [*ball, *hinge, *ball, *ball, *hinge]  # hip, knee, ankle, shoulder, elbow
    row = "[" + ", ".join(["0.0333", "0", "0.9", "0", *ball, *ball, *ball, *limb, *limb]) + "]"
    good = '{"Loop": "wrap", "Frames": [\n' + row + ",\n" + row + "\n]}"
    assert read_clip(write(tmp_path / "good.txt", good)).motion.frames == 2
    cases = {
        good[:-20]: r"bad.txt', line 3: this is no DeepMimic motion, or a part of one",
        '{"Frames": []}': "has no frames",
        '{"Pictures": []}': "it has no list of 'Frames'",
        good.replace("0.9", "NaN", 1): "not a number in frame 0",
        good.replace("[0.0333, ", "[", 1): "has 43 numbers in frame 0, but a DeepMimic humanoid has 44",
        good.replace("1, 0, 0, 0", "0, 0, 0, 0", 1): "a rotation of length 0 instead of 1 for 'root' in frame 0",
        good.replace("0.0333", "0"): "must last longer",
        "": "is empty",
        "Once upon a time": "is no motion file",
    }
    for text, words in cases.items():
        with pytest.raises(FormatError, match=words) as caught:
            read_clip(write(tmp_path / "bad.txt", text))
        assert "bad.txt" in str(caught.value) and "\n" not in str(caught.value)


def test_another_animal_is_refused():
    path = deepmimic_folder() / "laikago_walk.txt"
    if not path.is_file():
        pytest.skip("this pybullet_data has no laikago_walk.txt")
    with pytest.raises(FormatError, match="20 numbers in frame 0"):
        read_clip(path)


# --- The shared recordings -----------------------------------------------------------------------------------------------


def table():
    """Rows of the recordings' README: file, frames, fps, joints, median and top speed, travel."""
    rows = []
    if SHARED.is_dir():
        for line in (SHARED / "README.md").read_text(encoding="utf-8").split("\n"):
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) > 10 and cells[1].endswith(".bvh"):
                median, _, _ = cells[7].partition("/")
                rows.append((cells[1], int(cells[2]), float(cells[3]), int(cells[5].split("/")[0]), float(median or 0), float(cells[8] or 0)))
    return rows


@needs_shared
def test_recordings_are_as_their_table_says():
    rows = table()
    assert len(rows) > 40
    for name, frames, fps, joints, speed, travel in rows:
        path = next(SHARED.glob(f"*/{name}"))
        clip = read_clip(path)
        motion = clip.motion
        added = 1 if path.parent.name == "cmu" or name.startswith(("jlpm22", "threejs")) else 0
        added += "GLITCH" in name  # its second row is all zeros
        assert (motion.frames, motion.fps, len(clip.skeleton.names)) == (frames - added, fps, joints), name
        assert (clip.t_pose is not None) == (added > 0), name
        assert 0.8 < clip.hip_height() < 1.1, name
        if frames > 1:
            # The table has two decimals.
            assert np.median(clip.speeds()) == pytest.approx(speed, rel=0.05, abs=0.006), name
        if not name.startswith(("jlpm22", "threejs")) and "GLITCH" not in name:  # their travel counts the rows that were taken off
            net = np.linalg.norm(motion.root_positions[-1, :2] - motion.root_positions[0, :2])
            assert net == pytest.approx(travel, rel=0.05, abs=0.006), name


@needs_shared
def test_every_shared_file_is_read_or_refused_with_one_sentence():
    refused = {}
    for path in sorted(file for file in SHARED.rglob("*") if file.is_file()):
        try:
            read_clip(path)
        except FormatError as error:
            refused[path.name] = str(error)
    assert all(message.count(". ") == 0 and message.endswith(".") and "\n" not in message for message in refused.values())
    assert {Path(name).suffix for name in refused} == {".c3d", ".asf", ".md", ".txt"}


@needs_shared
@pytest.mark.parametrize("name", ["01_01_first600.amc", "11_01.amc"])
def test_shared_amc_files_stand_on_the_floor(name):
    clip = read_clip(SHARED / "asf_amc" / name)
    assert 0.8 < clip.hip_height() < 1.1
    feet = clip.motion.world()[0][:, [clip.skeleton.index(side) for side in ("ltoes", "rtoes")]]
    assert 0.0 < np.percentile(feet[..., 2], 10) < 0.08
    # The standing foot stands still, which it does not if a single axis is mistaken.
    assert np.percentile(np.linalg.norm(np.diff(feet, axis=0), axis=-1).min(axis=1), 30) * clip.motion.fps < 0.1


@needs_shared
def test_two_people_stay_in_one_world():
    one, other = (read_clip(next(SHARED.glob(f"cmu/{name}*"))) for name in ("18_05", "19_05"))
    apart = np.linalg.norm(one.motion.root_positions - other.motion.root_positions, axis=-1)
    assert one.motion.frames == other.motion.frames and apart.min() < 1.0
