"""Results whose numbers are known beforehand.

``walk`` is a planar seven-link biped moved by a formula: its trunk carries all the mass and glides, its feet are placed on
given spots and its legs follow by two-link inverse kinematics.
"""

import numpy as np

from core import kinematics, rotation
from core.result import Result

THIGH = SHIN = 0.45
ANKLE = 0.08
HIP = 0.1
HEEL, BALL = -0.06, 0.19
LINKS = ["pelvis", "thigh.L", "shin.L", "foot.L", "thigh.R", "shin.R", "foot.R"]
FREE = [-np.inf, np.inf]


def make_result(frames, **changes) -> Result:
    """A biped with a 60 kg trunk (centre of mass 0.2 m up), massless legs and nothing under its feet, straight at the origin."""
    feet = [LINKS.index("foot.L"), LINKS.index("foot.R")]
    values = {
        "fps": 50, "link_names": list(LINKS), "parents": np.array([-1, 0, 1, 2, 0, 4, 5]),
        "offsets": np.array([[0, 0, 0], [0, HIP, 0], [0, 0, -THIGH], [0, 0, -SHIN], [0, -HIP, 0], [0, 0, -THIGH], [0, 0, -SHIN]]),
        "masses": np.array([60.0, 0, 0, 0, 0, 0, 0]), "com_offsets": np.array([[0, 0, 0.2]] + [[0.0, 0, 0]] * 6),
        "inertias": np.array([[3.0, 3.0, 1.0]] + [[0.0, 0, 0]] * 6), "half_extents": np.full((7, 3), 0.05),
        "shape_centers": np.array([[0, 0, 0.24]] + [[0, 0, -0.2]] * 6), "limits": np.array([[FREE] * 3] * 7),
        "sole_links": np.repeat(feet, 4), "sole_points": np.array([[x, y, -ANKLE] for x in (HEEL, BALL) for y in (0.04, -0.04)] * 2),
        "root_positions": np.zeros((frames, 3)), "rotations": rotation.identity((frames, 7)),
        "torques": np.zeros((frames, 7, 3)), "foot_forces": np.zeros((frames, 2, 3)), "foot_cops": np.full((frames, 2, 3), np.nan),
        "penetrations": np.zeros((frames, 2)), "ground_heights": np.zeros((frames, 2)), "stance": np.zeros(frames, int),
        "states": np.zeros(frames, int), "gait_names": ["walk"], "gaits": np.zeros(frames, int), "headings": np.zeros(frames),
        "speeds": np.full(frames, np.nan), "reference_positions": np.zeros((0, 7, 3)), "object_names": [],
        "object_positions": np.zeros((frames, 0, 3)),
        "object_rotations": np.zeros((frames, 0, 4)), "job": {}, "outcome": {"fell": False, "fell_at": None, "steps": 0},
    }
    return Result(**{**values, **changes})


def about_y(angle):
    return rotation.exp(np.stack([np.zeros_like(angle), angle, np.zeros_like(angle)], axis=-1))


def leg(hip_to_ankle, pitch):
    """Local rotations (F, 3, 4) of thigh, shin and foot that bring the ankle to (F, 2) x, z and tilt the foot by ``pitch``."""
    reach = np.hypot(*hip_to_ankle.T)
    knee = np.pi - np.arccos(np.clip((THIGH**2 + SHIN**2 - reach**2) / (2 * THIGH * SHIN), -1, 1))
    # Rotation about +Y swings a hanging leg backward, to -x.
    hip = np.arctan2(-hip_to_ankle[:, 0], -hip_to_ankle[:, 1]) - knee / 2
    return np.stack([about_y(hip), about_y(knee), about_y(pitch - hip - knee)], axis=1)


def foot_track(frames, step, stride, stance, phase, slide):
    """Over F frames of one foot: (F, 2) x, z of the ankle, (F,) pitch, (F,) whether it stands."""
    count, k = np.divmod(np.arange(frames) + phase, stride)
    stands = k < stance
    swing = np.clip((k - stance + 1) / (stride - stance + 1), 0, 1)
    spot = (count - phase / stride) * 2 * step
    x = np.where(stands, spot + slide * k / (stance - 1), spot + slide + (2 * step - slide) * swing)
    # It leaves heel first and lands toes up, so that some of the sole is always above 5 cm between.
    pitch = np.where(stands, 0.0, 0.6 - 1.0 * swing)
    lift = np.where(stands, 0.0, 0.07 * np.sin(np.pi * swing))
    lowest = np.min([-np.sin(pitch) * end - np.cos(pitch) * ANKLE for end in (HEEL, BALL)], axis=0)
    return np.stack([x, lift - lowest], axis=1), pitch, stands


def walk(seconds=5.0, fps=50, step=0.6, stride=50, stance=30, slide=0.0, heading=0.0, **changes) -> Result:
    """Walks at 2·step metres in ``stride`` frames; each foot stands for ``stance`` frames and slides ``slide`` metres of them."""
    frames = round(seconds * fps)
    speed = 2 * step / stride
    x = speed * np.arange(frames) - speed * (stance - 1) / 2 + 0.5 * (BALL + HEEL)
    roots = np.stack([x, np.zeros(frames), np.full(frames, 0.85)], axis=1)
    rotations = rotation.identity((frames, 7))
    forces, cops = np.zeros((frames, 2, 3)), np.full((frames, 2, 3), np.nan)
    tracks = [foot_track(frames, step, stride, stance, phase, slide) for phase in (0, stride // 2)]
    loads = np.stack([stands for _, _, stands in tracks], axis=1).astype(float)
    for foot, (ankle, pitch, stands) in enumerate(tracks):
        rotations[:, 1 + 3 * foot:4 + 3 * foot] = leg(ankle - roots[:, [0, 2]], pitch)
        cops[stands, foot] = [0.0, HIP * (1 - 2 * foot), 0.0]
        cops[stands, foot, 0] = ankle[stands, 0] + (HEEL + BALL) / 2
        forces[:, foot, 2] = loads[:, foot] / np.maximum(loads.sum(axis=1), 1) * 60 * kinematics.GRAVITY
    turn = rotation.exp(np.array([0.0, 0.0, heading]))
    rotations[:, 0] = turn
    return make_result(frames, fps=fps, root_positions=rotation.rotate(turn, roots), rotations=rotations,
                       foot_forces=forces, foot_cops=rotation.rotate(turn, cops), headings=np.full(frames, heading), **changes)


def standing(frames=100, root=(0.0, 0.0, 2 * THIGH + ANKLE), **changes) -> Result:
    """Stands straight with half its weight on each foot."""
    half = np.tile([0.0, 0.0, 30 * kinematics.GRAVITY], (frames, 2, 1))
    return make_result(frames, **{"root_positions": np.tile(root, (frames, 1)), "foot_forces": half, **changes})


def lean(frames, angle, about, axis, **changes) -> Result:
    """The standing body turned as one piece by (F,) angles about a (2,) point x, y on the ground."""
    still, pivot = standing(frames), np.array([*about, 0.0])
    turn = rotation.exp(np.asarray(angle)[:, None] * np.asarray(axis, dtype=float))
    rotations = still.rotations.copy()
    rotations[:, 0] = turn
    roots = pivot + rotation.rotate(turn, still.root_positions - pivot)
    return standing(frames, root_positions=roots, rotations=rotations, **changes)


def glide(speed, height=0.0, frames=51, fps=50) -> Result:
    """The standing body moved along +Y at ``speed``, its soles ``height`` above the ground."""
    roots = np.zeros((frames, 3)) + [0.0, 0.0, 2 * THIGH + ANKLE + height]
    roots[:, 1] = speed * np.arange(frames) / fps
    return standing(frames, root_positions=roots)
