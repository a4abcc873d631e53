"""Something like a walk, made up here, and how it is written as a BVH."""

from pathlib import Path

import numpy as np
import pytest

from core import rotation
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
