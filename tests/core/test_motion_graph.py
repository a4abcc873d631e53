"""Loops and motion graphs: what follows what; and the picture of a clip."""

import struct
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

from core import rotation
from core.body import make_body
from core.errors import JobError
from core.formats import read_clip
from core.reference import MotionGraph, draw_strip, find_cycle, looped, poses, prepare, write_png
from core.reference.inspection import sink, slides

MOTIONS = Path(pybullet_data.getDataPath()) / "data" / "motions"


def clip_of(name):
    return read_clip(MOTIONS / f"humanoid3d_{name}.txt")


@pytest.fixture(scope="module")
def walk():
    return prepare(clip_of("walk"), make_body({}))


@pytest.fixture(scope="module")
def long_walk(walk):
    return looped(walk, find_cycle(walk), 4)


@pytest.fixture(scope="module")
def run():
    reference = prepare(clip_of("run"), make_body({}))
    return looped(reference, find_cycle(reference), 4)


def test_a_clip_of_one_stride_loops_as_a_whole(walk):
    cycle = find_cycle(walk)
    assert cycle.half_cycles == 2
    assert (cycle.end - cycle.start) / walk.motion.fps == pytest.approx(1.26, abs=0.04)
    assert cycle.seam < 0.1


def test_a_longer_clip_loops_from_strike_to_strike(long_walk):
    cycle = find_cycle(long_walk)
    starts = {fragment.start: fragment.stance for fragment in long_walk.fragments}
    assert cycle.half_cycles % 2 == 0
    assert starts[cycle.start] == starts[cycle.end]
    assert cycle.seam < 0.02  # it is made of repetitions


def test_a_loop_goes_on_without_a_seam(walk, long_walk):
    cycle = find_cycle(walk)
    stride = np.linalg.norm(walk.motion.root_positions[cycle.end, :2] - walk.motion.root_positions[cycle.start, :2])
    assert long_walk.motion.frames == 4 * (cycle.end - cycle.start)
    travelled = np.linalg.norm(long_walk.motion.root_positions[-1, :2] - long_walk.motion.root_positions[0, :2])
    assert travelled == pytest.approx(4 * stride, rel=0.02)
    assert max(slides(long_walk)) < 0.005 and sink(long_walk) < 0.001
    rotations = long_walk.motion.resample(30.0).rotations
    turns = np.degrees(2.0 * np.arccos(np.abs(np.sum(rotations[1:] * rotations[:-1], axis=-1)).clip(max=1.0)))
    assert turns.max() < 20.0
    root_speeds = np.linalg.norm(np.diff(long_walk.motion.root_positions, axis=0), axis=1) * long_walk.motion.fps
    assert root_speeds.max() < 2.0


def test_a_clip_without_steps_cannot_be_looped():
    with pytest.raises(JobError, match="humanoid3d_jump"):
        find_cycle(prepare(clip_of("jump")))


def test_features_do_not_depend_on_place_and_heading(long_walk):
    motion = long_walk.motion
    turn = np.radians(70.0)
    spin = np.array([np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)])
    rotations = motion.rotations.copy()
    rotations[:, 0] = rotation.multiply(spin, rotations[:, 0])
    moved = replace(motion, root_positions=rotation.rotate(spin, motion.root_positions) + (3.0, -2.0, 0.0), rotations=rotations)
    np.testing.assert_allclose(poses.features(long_walk.body, moved), poses.features(long_walk.body, motion), atol=1e-6)


def test_the_natural_successor_costs_nothing(long_walk):
    graph = MotionGraph([long_walk], mirror=False)
    assert len(graph.nodes) == sum(fragment.whole for fragment in long_walk.fragments)
    for number, node in enumerate(graph.nodes[:-1]):
        successor, seam = graph.edges[number][0]
        assert seam < 0.02
        following = graph.nodes[successor].fragment
        assert following.stance != node.fragment.stance
        assert (number + 1, 0.0) in graph.edges[number]


def test_nodes_know_speed_turn_and_way(long_walk):
    graph = MotionGraph([long_walk])
    straight = [node for node in graph.nodes if not node.mirrored]
    for node in straight:
        assert node.speed == pytest.approx(0.97, abs=0.12)
        assert node.displacement[0] == pytest.approx(node.speed * node.fragment.frames / long_walk.motion.fps, abs=0.06)
    whole_way = sum(node.turn for node in straight[:2])
    assert abs(whole_way) < np.radians(12.0)


def test_mirrored_fragments_are_the_other_way_round(long_walk):
    graph = MotionGraph([long_walk])
    plain = [node for node in graph.nodes if not node.mirrored]
    mirrored = [node for node in graph.nodes if node.mirrored]
    assert len(plain) == len(mirrored)
    for one, other in zip(plain, mirrored, strict=True):
        assert {one.fragment.kind, other.fragment.kind} == {"left", "right"}
        assert other.turn == pytest.approx(-one.turn, abs=1e-9)
        np.testing.assert_allclose(other.displacement, one.displacement * (1.0, -1.0, 1.0), atol=1e-9)
    # A symmetric walk may go on with its mirror image.
    assert any(graph.nodes[other].mirrored for other, _ in graph.edges[0] if not graph.nodes[0].mirrored)


def test_a_walk_does_not_lead_into_a_run(long_walk, run):
    graph = MotionGraph([long_walk, run])
    for number, node in enumerate(graph.nodes):
        assert {graph.nodes[other].reference for other, _ in graph.edges[number]} <= {node.reference}


def test_what_leads_to_the_end_of_a_clip_is_not_endless(long_walk):
    cut = replace(long_walk, fragments=long_walk.fragments[:3])
    graph = MotionGraph([cut], mirror=False, largest_seam=1e-6)
    assert graph.endless() == set()
    assert MotionGraph([long_walk]).endless() == set(range(len(MotionGraph([long_walk]).nodes)))


def test_references_of_different_bodies_do_not_mix(long_walk):
    with pytest.raises(JobError, match="different bodies"):
        MotionGraph([long_walk, prepare(clip_of("walk"), make_body({"height": 1.6}))])
    with pytest.raises(JobError, match="at least one"):
        MotionGraph([])


def read_png(path):
    """(H, W, 4) pixels of a PNG whose rows are not filtered."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        chunks[kind] = body
        at += 12 + length
    width, height, depth, colours = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colours) == (8, 6)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(height, 1 + 4 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 4)


def test_a_strip_shows_as_many_figures_as_asked_for(long_walk, tmp_path):
    picture = draw_strip(long_walk, figures=6, height=96)
    write_png(tmp_path / "strip.png", picture)
    shown = read_png(tmp_path / "strip.png")
    np.testing.assert_array_equal(shown, picture)
    assert shown.shape[0] == 96
    above = shown[:80, :, 3].any(axis=0)  # above the floor line, columns that are drawn on
    cells = above.reshape(6, -1)
    assert cells.any(axis=1).all() and not above.all()
    solid = shown[shown[..., 3] == 255][:, :3]
    for colour in ((64, 140, 255), (255, 140, 50)):  # left and right
        assert (solid == colour).all(axis=1).sum() > 50


def test_a_strip_of_a_single_frame_can_be_drawn(long_walk):
    motion = long_walk.motion
    one = replace(long_walk, motion=replace(motion, root_positions=motion.root_positions[:1], rotations=motion.rotations[:1]))
    assert draw_strip(one, figures=3, height=64).any()
