"""Hits that are played as a director asks for it: each setting does what it says, and the body stays in one piece, on its feet, and in the clip."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from core import feet, rotation
from core.body import Body
from core.errors import JobError
from core.hit import take
from core.hit.acting.act import acted
from core.hit.acting.arms import Arm
from core.hit.acting.pendulum import bounded
from core.hit.acting.scene import Scene, center
from core.hit.acting.steps import standing
from core.hit.acting.task import Acting
from core.hull import hull, turn
from core.jobs import check, make_job, run
from core.kinematics import link_poses
from core.measure.limits import limit_excess
from core.motion import Motion
from core.places import struck
from core.result import Result
from core.skeleton import Skeleton
from tests.clips import path_of

SHARED = Path(__file__).resolve().parents[3] / "shared" / "mocap"
IDLES = {"stand": path_of("stand"), "140_06": SHARED / "cmu" / "140_06_idle_stand_cut.bvh", "111_28": SHARED / "pad" / "111_28_standing.bvh"}
FPS = 30.0


def job_of(clip, part, force, seconds=0.15, at=1.0, **more):
    return {"method": "hit", "clips": [str(clip)], "fps": FPS,
            "events": [{"type": "push", "time": at, "duration": seconds, "part": part, "force": list(force)}], **more}


HITS = {
    "shoved": job_of(path_of("stand"), "chest", (-200.0, 0.0, 0.0)),
    "aside": job_of(path_of("stand"), "chest", (0.0, -200.0, 0.0)),
    "flinch": job_of(path_of("stand"), "upper_arm.L", (-60.0, -20.0, 0.0), response="flinch"),
    "walks": job_of(path_of("walk"), "chest", (-60.0, 170.0, 0.0), at=2.5, loop=True, duration=5.0),
    "falls": job_of(path_of("stand"), "chest", (-600.0, 0.0, 0.0), seconds=0.2, response="fall")}
ON_THEIR_FEET = [name for name in HITS if name != "falls"]
EACH = {"smaller": {"reaction": 0.3}, "larger": {"reaction": 3.0}, "calm": {"effort": -1.0}, "frantic": {"effort": 1.0},
        "loose": {"loose_arms": 1.0}, "balancing": {"balancing_arms": 1.0}, "guarding": {"guarding_arms": 1.0}, "lag": {"head_lag": 1.0},
        "look": {"head_look": 1.0}, "together": {"pinned": "together"},
        "all": {"reaction": 2.0, "effort": 0.5, "loose_arms": 0.5, "balancing_arms": 0.5, "guarding_arms": 0.5, "head_lag": 0.5, "head_look": 0.5}}


@dataclass(frozen=True, eq=False)
class Taken:
    """A hit as it was simulated, and what acting gets of it besides."""

    result: Result
    body: Body
    clip: Motion
    times: np.ndarray
    hits: list
    delay: float

    def played(self, **how) -> Result:
        return acted(self.result, self.body, self.clip, self.times, self.hits, self.delay, Acting(**how))

    @property
    def scene(self) -> Scene:
        return Scene.of(self.body, self.result, self.clip, self.times, self.hits, self.delay)


@lru_cache
def taken(name) -> Taken:
    """The real job, watched where what was simulated is handed on to be played."""
    kept, usual = [], take.acted

    def watched(*arguments):
        kept.extend(arguments[:-1])
        return usual(*arguments)

    take.acted = watched
    try:
        run(make_job({**HITS[name], "acting": {"effort": 0.5}}))
    finally:
        take.acted = usual
    return Taken(*kept)


def motion_of(one: Taken, result: Result | None = None) -> Motion:
    result = result or one.result
    return Motion(one.body.skeleton, result.fps, result.root_positions, result.rotations)


def away(one: Taken, result: Result, link: str) -> np.ndarray:
    """(F,) rad that a joint is off the clip's."""
    at, clip = one.body.names.index(link), one.scene.clip
    return np.linalg.norm(rotation.log(rotation.multiply(rotation.conjugate(clip.rotations[:, at]), result.rotations[:, at])), axis=1)


def hands(one: Taken, result: Result) -> np.ndarray:
    """(F, 2, 3) m, of the left and right hand as seen from the torso, level: forward, left and up."""
    motion = motion_of(one, result)
    positions, _ = motion.world()
    seen = np.stack([Arm(one.body, side).hand(motion) for side in "LR"], axis=1) - positions[:, one.body.names.index("torso"), None]
    facing = rotation.from_axis_angle((0.0, 0.0, 1.0), -rotation.heading(motion.rotations[:, 0]))
    return rotation.rotate(facing[:, None], seen)


def at(one: Taken, seconds: float) -> int:
    """The frame so many s after the hit."""
    return round((one.hits[0].time + seconds) * FPS)


# -- nothing asked for, nothing changed --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["flinch", "shoved"])
def test_with_the_usual_settings_it_is_physics_bit_for_bit(name):
    plain = run(make_job(HITS[name]))
    assert np.array_equal(plain.root_positions, taken(name).result.root_positions)
    assert np.array_equal(plain.rotations, taken(name).result.rotations)
    assert Acting().plain and not Acting(head_look=0.1).plain


# -- in one piece, on its feet, in the clip -----------------------------------------------------------------------------


@pytest.mark.parametrize("how", EACH)
@pytest.mark.parametrize("name", HITS)
def test_nothing_breaks(name, how):
    one = taken(name)
    scene, result = one.scene, one.played(**EACH[how])
    before, after = motion_of(one), motion_of(one, result)
    first, back = scene.first + 1, scene.back
    # Exactly the clip before the hit, and after the return, but for where it stands.
    assert np.array_equal(after.root_positions[:first], before.root_positions[:first])
    assert np.abs(after.rotations[:first] - before.rotations[:first]).max() < 1e-9
    if back < scene.motion.frames:
        assert np.abs(np.abs((after.rotations[back:] * before.rotations[back:]).sum(axis=-1)) - 1.0).max() < 1e-9
        assert np.ptp((after.root_positions - before.root_positions)[back:], axis=0).max() < 1e-9
    # Feet that stand slide no further than they did.
    stands = standing(one.body, before)
    slid = [np.linalg.norm(np.diff(feet.soles(one.body, motion)[..., :2], axis=0), axis=-1).min(axis=2) for motion in (before, after)]
    assert ((slid[1] - slid[0]) * (stands[1:] & stands[:-1])).max() < 0.002
    assert result.penetrations.max() < one.result.penetrations.max() + 0.002
    # Joints keep within their limits.
    assert np.degrees(limit_excess(result).max()) < max(0.0, np.degrees(limit_excess(one.result).max())) + 5.0
    # Nothing jumps.
    jerks = [np.linalg.norm(np.diff(motion.world()[0], 2, axis=0), axis=-1).max() * FPS**2 for motion in (before, after)]
    assert jerks[1] < max(3.0 * jerks[0], 120.0)


@pytest.mark.parametrize("name", ON_THEIR_FEET)
def test_the_weight_stays_over_the_feet(name):
    """A large reaction takes the centre of mass no more than a little further out of the soles than physics does."""
    one = taken(name)
    stands, soles = standing(one.body, motion_of(one)), feet.soles(one.body, motion_of(one))[..., :2]
    outside = []
    for result in (one.result, one.played(reaction=3.0)):
        middle = center(one.body, motion_of(one, result))[:, :2]
        outside.append(np.array([_outside(soles[frame][stands[frame]].reshape(-1, 2), middle[frame]) if stands[frame].any() else 0.0
                                 for frame in range(len(middle))]))
    assert (np.maximum(outside[1], 0.0) - np.maximum(outside[0], 0.0)).max() < 0.05


def _outside(points, place) -> float:
    """m that a place is outside of the hull of points."""
    corners = hull(points)
    around = [*corners[1:], corners[0]]
    return max(-turn(a, b, tuple(place)) / np.hypot(b[0] - a[0], b[1] - a[1]) for a, b in zip(corners, around, strict=True))


# -- each does what it says ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ON_THEIR_FEET)
def test_the_stronger_the_further(name):
    one = taken(name)
    trunk, struck_arm = ([away(one, one.played(reaction=much), link).max() for much in (0.3, 1.0, 2.0, 3.0)] for link in ("torso", "upper_arm.L"))
    assert trunk[0] < 0.5 * trunk[1] and trunk[1] < trunk[2] < trunk[3] and trunk[3] > 1.5 * trunk[1]
    assert struck_arm[0] < struck_arm[1] < struck_arm[2]


def test_a_small_reaction_takes_small_steps():
    one = taken("shoved")
    ways = [np.linalg.norm((result.root_positions - one.result.root_positions[0])[:, :2], axis=1).max()
            for result in (one.played(reaction=0.3), one.result)]
    assert ways[0] < 0.45 * ways[1]


@pytest.mark.parametrize("name", ["shoved", "aside", "walks"])
def test_who_is_frantic_moves_more_and_who_is_calm_less(name):
    one = taken(name)
    turned = [sum(np.abs(np.diff(away(one, one.played(effort=effort), link))).sum() for link in ("torso", "head", "upper_arm.L", "upper_arm.R"))
              for effort in (-1.0, 0.0, 1.0)]
    assert turned[0] < 0.8 * turned[1] and turned[2] > 1.5 * turned[1]


def test_a_head_lags_behind_and_swings_past():
    """Struck from the front the trunk goes back: the head nods, and then tilts back."""
    one, head = taken("shoved"), taken("shoved").body.names.index("head")
    nods = [rotation.to_euler(one.played(head_lag=much).rotations[:, head])[:, 1] for much in (0.0, 0.5, 1.0)]
    more = nods[2] - nods[0]
    assert np.degrees(more[at(one, 0.0):at(one, 0.3)].max()) > 8.0
    assert np.degrees(more[at(one, 0.2):at(one, 0.9)].min()) < -4.0
    assert 0.2 * more.max() < (nods[1] - nods[0]).max() < 0.8 * more.max()


@pytest.mark.parametrize("name, left", [("aside", 90.0), ("walks", -70.0)])
def test_a_head_looks_to_where_it_came_from(name, left):
    one, head = taken(name), taken(name).body.names.index("head")

    def faces(result):
        return rotation.heading(motion_of(one, result).world()[1][:, head])

    turned = np.degrees(rotation.wrap(faces(one.played(head_look=1.0)) - faces(one.result)))
    assert np.sign(left) * turned[at(one, 0.8)] > 45.0
    assert np.abs(turned[:at(one, one.delay)]).max() < 1e-6
    half = np.degrees(rotation.wrap(faces(one.played(head_look=0.5)) - faces(one.result)))
    assert 0.25 < half[at(one, 0.8)] / turned[at(one, 0.8)] < 0.75


def test_loose_arms_trail():
    """Pushed back, the body leaves its hands in front of it; and then they swing."""
    one = taken("shoved")
    ahead = (hands(one, one.played(loose_arms=1.0)) - hands(one, one.result))[..., 0]
    assert ahead[at(one, 0.1):at(one, 0.5)].max(axis=0).min() > 0.08 and ahead[at(one, 0.4):at(one, 1.2)].min(axis=0).max() < -0.05


@pytest.mark.parametrize("name, higher", [("aside", 0), ("walks", 1)])
def test_arms_catch_the_balance_on_the_side_that_the_body_does_not_fall_to(name, higher):
    one = taken(name)
    lifted = (hands(one, one.played(balancing_arms=1.0)) - hands(one, one.result))[at(one, 0.2):at(one, 0.9)]
    up = lifted[..., 2].max(axis=0)
    assert up.min() > 0.05 and up[higher] > up[1 - higher] + 0.1
    assert np.abs((hands(one, one.played(balancing_arms=1.0)) - hands(one, one.result))[at(one, 2.0):]).max(initial=0.0) < 0.1  # and down again
    assert lifted[:, 0, 1].max() > 0.1 and lifted[:, 1, 1].min() < -0.1  # and out


@pytest.mark.parametrize("name, guards", [("shoved", "LR"), ("flinch", "R"), ("walks", "R")])
def test_hands_guard_what_was_hit(name, guards):
    one = taken(name)
    result, (link, point) = one.played(guarding_arms=1.0), struck(one.body, one.hits[0].part)
    motion, now = motion_of(one, result), at(one, 0.75)
    positions, turns = motion.world()
    place = positions[now, link] + rotation.rotate(turns[now, link], point)
    for side in "LR":
        far = np.linalg.norm(Arm(one.body, side).hand(motion)[now] - place)
        assert (far < 0.25) == (side in guards), (side, far)


def test_nobody_guards_against_a_hit_of_no_force():
    one = taken("shoved")
    beside = replace(one, hits=[*one.hits, replace(one.hits[0], force=(0.0, 0.0, 0.0))])
    np.testing.assert_array_equal(beside.played(guarding_arms=1.0).rotations, one.played(guarding_arms=1.0).rotations)


def test_who_falls_acts_until_the_ground_is_near():
    one = taken("falls")
    result = one.played(reaction=3.0, head_lag=1.0, balancing_arms=1.0)
    changed = np.abs(result.rotations - one.result.rotations).max(axis=(1, 2)) > 1e-6
    low = one.result.root_positions[:, 2] < 0.6 * one.result.root_positions[0, 2]
    assert changed.any() and not changed[np.argmax(low):].any()


# -- hands on their prop ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pinned", ["left", "both"])
def test_hands_stay_on_a_prop(pinned):
    one = taken("flinch")
    for side in {"left": "L", "both": "LR"}[pinned]:
        arm = Arm(one.body, side)
        off = [np.linalg.norm(arm.hand(motion_of(one, result)) - arm.hand(one.scene.clip), axis=1).max()
               for result in (one.result, one.played(pinned=pinned, reaction=2.0))]
        assert off[1] < 0.01
        assert side == "R" or off[0] > 0.1  # the struck arm would have let go


@pytest.mark.parametrize("name", ["flinch", "shoved", "aside"])
def test_hands_hold_one_thing(name):
    one = taken(name)
    apart = [np.linalg.norm(np.diff([Arm(one.body, side).hand(motion) for side in "LR"], axis=0)[0], axis=1)
             for motion in (one.scene.clip, motion_of(one, one.played(pinned="together", reaction=1.5)))]
    inside = slice(one.scene.first + 1, min(one.scene.back, one.scene.motion.frames))
    assert np.abs(apart[1] - apart[0])[inside].max() < 0.01


def test_a_hand_that_cannot_stay_lets_go_and_the_report_says_so():
    one = taken("shoved")
    result = one.played(pinned="both")
    assert any("lets go" in note for note in result.outcome["notes"])


# -- where to step ------------------------------------------------------------------------------------------------------


def landing(one: Taken, result: Result) -> tuple[np.ndarray, int]:
    """(2,) m, the middle of the sole where the first step after the hit lands, and of which foot. The clips go along X."""
    stands = standing(one.body, motion_of(one))
    begins = [(start, foot) for foot in (0, 1) for start in np.flatnonzero(stands[1:, foot] & ~stands[:-1, foot]) + 1 if start > at(one, one.delay)]
    start, foot = min(begins)
    length = int(np.argmin(stands[start:, foot])) or len(stands) - start
    return feet.soles(one.body, motion_of(one, result))[start:start + length, foot, :, :2].mean(axis=1)[length // 2], foot


@pytest.mark.parametrize("name", ["shoved", "aside", "walks"])
@pytest.mark.parametrize("ahead, out", [(0.12, 0.0), (-0.1, 0.08)])
def test_a_step_lands_on_a_mark(name, ahead, out):
    if (name, ahead) == ("shoved", -0.1):
        pytest.xfail("a leg is 9.3° beyond its range, 8.1° are allowed: not reached")
    one = taken(name)
    place, foot = landing(one, one.result)
    mark = place + (ahead, out if foot == 0 else -out)
    result = one.played(step_to=tuple(mark))
    assert np.linalg.norm(landing(one, result)[0] - mark) < 0.05
    assert "notes" not in result.outcome
    assert np.degrees(limit_excess(result).max()) < max(0.0, np.degrees(limit_excess(one.result).max())) + 5.0


def test_a_mark_out_of_reach_is_said_and_no_error():
    one = taken("shoved")
    result = one.played(step_to=(3.0, 0.0))
    assert any("further than it can go" in note for note in result.outcome["notes"])
    assert landing(one, result)[0][0] > landing(one, one.result)[0][0] + 0.1
    assert any("took no step" in note for note in taken("flinch").played(step_to=(0.2, 0.0)).outcome["notes"])


# -- jobs ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more, words", [
    ({"acting": {"reaction": 9}}, "acting.reaction is 9; allowed is a number from 0.3 to 3."),
    ({"acting": {"shouting": 1}}, "acting has no field 'shouting'"),
    ({"acting": {"head_look": "left"}}, "acting.head_look is 'left'"),
    ({"pinned": "feet"}, "pinned is 'feet'; allowed are 'free'"),
    ({"step_to": [1.0]}, "step_to is [1.0]; allowed is a list of 2 numbers."),
    ({"step_to": [1.0, "x"]}, "step_to[1] is 'x'")])
def test_nonsense_is_refused(more, words):
    with pytest.raises(JobError, match=words.replace("[", r"\[").replace(".", r"\.")):
        check({**HITS["shoved"], **more})


# -- and physics ---------------------------------------------------------------------------------------------------------


SHOVES = {"front": (-200.0, 0.0, 0.0), "behind": (200.0, 0.0, 0.0), "left": (0.0, -200.0, 0.0)}


@pytest.mark.parametrize("idle, side", [pytest.param(idle, side, marks=[] if idle == "stand" or side == "behind" else pytest.mark.slow)
                                        for idle in IDLES for side in SHOVES])
def test_a_shove_on_an_idle_is_seen(idle, side):
    if not IDLES[idle].is_file():
        pytest.skip("the recordings in ../shared/mocap are not here")
    result = run(make_job(job_of(IDLES[idle], "chest", SHOVES[side])))
    clip = Skeleton(tuple(result.link_names), result.parents, result.offsets).forward_kinematics(result.clip_roots, result.clip_rotations)[0]
    for link in ("head", "torso"):
        number = result.link_names.index(link)
        assert np.linalg.norm((link_poses(result)[0] - clip)[:, number], axis=1).max() > 0.05


def test_bounded_is_soft():
    angles = np.array([[0.01, 0.0, 0.0], [0.0, 2.0, 0.0]])
    assert np.allclose(np.linalg.norm(bounded(angles, 0.5), axis=1), [0.5 * np.tanh(0.02), 0.5 * np.tanh(4.0)])


@pytest.mark.parametrize("name, part, link", [("flinch", "arms", "upper_arm.L"), ("flinch", "head", "head"), ("shoved", "trunk", "torso"),
                                              pytest.param("shoved", "head", "head", marks=pytest.mark.slow),
                                              pytest.param("walks", "head", "head", marks=pytest.mark.slow)])
def test_the_softer_a_part_the_further_it_gives_way(name, part, link):
    one = taken(name)
    found = run(make_job({**HITS[name], "softness": {f"soft_{part}": 3.0}}))
    frames = min(found.frames, one.result.frames)
    number = one.body.names.index(link)
    off = np.linalg.norm(rotation.log(rotation.multiply(rotation.conjugate(one.scene.clip.rotations[:frames, number]),
                                                        found.rotations[:frames, number])), axis=1)
    assert off.max() > 1.15 * away(one, one.result, link).max()
