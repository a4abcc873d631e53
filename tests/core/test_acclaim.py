"""ASF and AMC files, made up here: read, or refused with file, line and reason."""

import re

import numpy as np
import pytest

from core import rotation
from core.errors import FormatError
from core.formats import read_clip
from tests.core.made_clips import BODY, NAMES, OFFSETS, said, truth, walk, write

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
    bones = [f"to_{name}" for name in NAMES[1:]] + list(NAMES[1:])
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
