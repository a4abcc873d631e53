"""Where a body is struck: every push of a job acts on the point that its part names."""

from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import presets, rotation
from core.body import planar_biped
from core.context import Context
from core.jobs import make_job, run
from core.kinematics import link_poses
from core.methods.hit import task_of
from core.places import PARTS, struck
from core.plan.follow import follow

WALK = str(Path(pybullet_data.getDataPath()) / "data" / "motions" / "humanoid3d_walk.txt")
FPS, HIT, HIT_S = 60, 0.2, 0.1


def test_a_part_is_struck_where_people_say_it_is():
    man = presets.body("average_man")
    links = {part: man.names[struck(man, part)[0]] for part in PARTS}
    places = {"chest": "torso", "hip": "pelvis", "hand.L": "forearm.L", "hand.R": "forearm.R"}
    assert links == {link: link for link in man.names} | places
    for link in man.names:
        np.testing.assert_array_equal(struck(man, link)[1], man.com_offsets[man.names.index(link)])
    torso, hand, chest = struck(man, "torso")[1], struck(man, "hand.L")[1], struck(man, "chest")[1]
    assert chest[2] > torso[2] + 0.05
    reach = man.shapes[man.names.index("forearm.L")]
    assert hand[2] == pytest.approx(reach.center[2] - reach.half_extents[2]) and hand[2] < man.com_offsets[man.names.index("forearm.L"), 2] - 0.1


def test_the_planar_body_is_struck_on_its_trunk_where_it_lacks_a_part():
    planar = planar_biped()
    for part in ("torso", "chest", "hand.L", "head"):
        link, point = struck(planar, part)
        assert link == 0 and point == pytest.approx(planar.com_offsets[0])
    assert planar.names[struck(planar, "shin.R")[0]] == "shin.R"


def hand_at_the_end_of_the_hit(job: dict, engine: str, begin: float, part: str, newtons: float) -> np.ndarray:
    """(3,) m, where the left hand is when the push is over. ``begin``: s, where the result begins."""
    push = {"type": "push", "time": HIT, "duration": HIT_S, "force": [0.0, newtons, 0.0], "part": part}
    job = make_job({**job, "fps": FPS, "engine": engine, "events": [push]})
    result = follow(task_of(job).plan(job), Context(workers=1)) if begin else run(job)
    body = presets.body(job.body)
    link, point = struck(body, "hand.L")
    positions, orientations = link_poses(result)
    frame = round((HIT + HIT_S - begin) * FPS)
    return positions[frame, link] + rotation.rotate(orientations[frame, link], point)


JOBS = {"gait": ({"gait": "walk", "duration": 0.5}, 0.0),
        "tracked": ({"method": "track", "clips": [WALK], "duration": 0.5}, 0.0),
        "imitated": ({"method": "imitate", "clips": [WALK], "duration": 0.5}, 0.0),
        "planned": ({"method": "hit", "clips": [WALK], "response": "stumble", "quality": "draft", "duration": 0.5}, HIT),
        "flinch": ({"method": "hit", "clips": [WALK], "response": "flinch", "duration": 0.5}, 0.0),
        "fall": ({"method": "hit", "clips": [WALK], "response": "fall", "duration": 0.5}, 0.0)}


@pytest.mark.parametrize("job, begin", JOBS.values(), ids=JOBS)
@pytest.mark.slow
def test_a_push_on_the_hand_moves_the_hand_more_than_one_on_the_forearm(job, begin, engine):
    still, hand, forearm = (hand_at_the_end_of_the_hit(job, engine, begin, part, newtons)
                            for part, newtons in (("hand.L", 1e-6), ("hand.L", 25.0), ("forearm.L", 25.0)))
    moved, less = np.linalg.norm(hand - still), np.linalg.norm(forearm - still)
    assert moved > 0.005 and moved > 1.1 * less
