"""BVH files, made up in every dialect that was seen: read, refused, written."""

import re
import time

import numpy as np
import pytest

from core import rotation
from core.errors import FormatError
from core.formats import Clip, read_clip, write_bvh
from core.formats.normalise import snap_rate
from core.motion import Motion
from core.skeleton import Skeleton
from tests.core.made_clips import NAMES, OFFSETS, PARENTS, SPEED, assert_reads, bvh_text, said, walk, write

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


def test_rows_that_a_filter_has_left_behind_a_t_pose_are_taken_off(tmp_path):
    roots, rotations = walk(240, 120.0)
    rest = rotation.identity((1, len(NAMES)))
    led = [rotation.slerp(rest[0], rotations[0], np.full(len(NAMES), share))[None] for share in (0.62, 0.81)]
    text = bvh_text(np.concatenate([roots[:1]] * 3 + [roots]), np.concatenate([rest, *led, rotations]), fps=120.0)
    clip = read_clip(write(tmp_path / "a.bvh", text))
    assert said(clip, f"Up to line {text.split(chr(10)).index('MOTION') + 6} the rows lead from that pose into the motion")
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
    "an end site first": (lambda lines: [lines[0], "End Site", "{", *lines[1:]], r"line 2: an End Site stands outside of any joint"),
    "an end site in another": (set_line("End Site", "End Site\n{\nEnd Site"), r"an End Site stands outside of any joint"),
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
