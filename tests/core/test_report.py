"""What is said of results whose numbers are known beforehand: limits, norms, reports and plots."""

import json

import numpy as np
import pytest

from core import rotation
from core.errors import FootfallError, FormatError
from core.measure import limits, norms, plot, report
from tests.core.made_results import ANKLE, LINKS, THIGH, about_y, glide, lean, standing, walk


class TestLimits:
    def body(self, angles, link="shin.L", low_high=((0, 0), (0, 2.6), (0, 0))):
        body = standing(len(angles))
        body.rotations[:, LINKS.index(link)] = rotation.from_euler(np.array(angles, dtype=float))
        body.limits[LINKS.index(link)] = low_high
        return body

    def test_near_beyond_and_overshoot(self):
        knee = limits.summary(self.body([[0, 1, 0], [0, 0.02, 0], [0, -0.1, 0], [0, 2.5, 0]]))
        assert knee == {"shin.L": pytest.approx({"near_ratio": 0.5, "beyond_ratio": 0.25, "overshoot_max_deg": np.degrees(0.1)})}

    def test_a_locked_axis_counts_only_when_it_gives(self):
        assert limits.summary(self.body([[0, 1, 0]] * 3))["shin.L"]["near_ratio"] == 0.0
        assert limits.summary(self.body([[0, 1, 0.2]] * 3))["shin.L"]["overshoot_max_deg"] == pytest.approx(np.degrees(0.2))

    def test_of_two_readings_the_lawful_one(self):
        # Also (-0.34, 2.24, -1.64), which turns less in all but would break the limit of y.
        raised = self.body([[2.8, 0.9, 1.5]] * 2, "thigh.R", ((-0.5, 3.0), (-1.0, 1.0), (-1.6, 1.6)))
        assert limits.summary(raised)["thigh.R"]["beyond_ratio"] == 0.0


class TestNorms:
    def table(self, path, half_width=4.0):
        rows = ["condition,variable,axis,percent_gait_cycle,low,high,mid,half_width"]
        for variable, size in (("HipAngles", 20), ("KneeAngles", 30), ("AnkleAngles", 10)):
            means = size * np.sin(2 * np.pi * np.arange(101) / 100)
            rows += [f"Spont,{variable},X,{percent},0,0,{mean},{half_width}" for percent, mean in enumerate(means)]
        path.write_text("\n".join(rows))
        return path

    def test_flexion_is_positive_forward_at_the_hip_back_at_the_knee_up_at_the_ankle(self):
        body = standing(2)
        for link, angle in (("thigh.L", -0.1), ("shin.L", 0.2), ("foot.L", -0.3)):
            body.rotations[:, LINKS.index(link)] = about_y(np.array([angle, angle]))
        for joint, angle in (("hip", 0.1), ("knee", 0.2), ("ankle", 0.3)):
            assert norms.flexion(body, joint) == pytest.approx(np.degrees([[angle, 0.0]] * 2))

    def test_the_norm_itself_scores_best(self, tmp_path):
        path = self.table(tmp_path / "norms.csv")
        body = walk()
        for foot, side in enumerate("LR"):
            wave = np.sin(2 * np.pi * (np.arange(body.frames) - 25 * foot) / 50)
            for link, size in (("thigh", -20), ("shin", 30), ("foot", -10)):
                body.rotations[:, LINKS.index(f"{link}.{side}")] = about_y(np.radians(size * wave))
        # The soles no longer stand where the forces say; strikes come from the forces.
        scores = norms.summary(body, path)
        for joint, size in (("hip", 20), ("knee", 30), ("ankle", 10)):
            assert scores[joint]["rms_deg"] < 0.05
            assert scores[joint]["within_2sd_ratio"] == 1.0
            assert scores[joint]["range_deg"] == pytest.approx(2 * size, rel=0.01)

    def test_offset_and_band(self):
        norm = norms.Norm(np.zeros(101), np.full(101, 2.0))
        curve = np.full((2, 101), 3.0)
        curve[1] = 5.0
        assert norms.score(curve, norm) == pytest.approx({"rms_deg": np.sqrt(17), "offset_deg": 4.0, "within_2sd_ratio": 0.5})
        curve[1] = np.nan
        assert norms.score(curve, norm)["rms_deg"] == pytest.approx(3.0)

    def test_missing_and_broken_files(self, tmp_path):
        assert norms.read_norms(tmp_path / "none.csv") is None
        broken = tmp_path / "broken.csv"
        broken.write_text("a,b\n1,2\n")
        with pytest.raises(FormatError):
            norms.read_norms(broken)

    def test_norms_are_of_people(self):
        people = norms.read_norms()
        assert 50 < people["knee"].mean.max() < 70
        assert 60 < people["knee"].mean.argmax() < 80
        assert (people["hip"].sd > 1).all()


class TestReport:
    def test_numbers_and_sentence_of_a_walk(self):
        events = [{"type": "push", "time": 1.0}, {"type": "push", "time": 2.0}, {"type": "push", "time": 99.0},
                  {"type": "heading", "time": 1.0}]
        body = walk(slide=0.004, job={"events": events})
        measured = report.measure(body)
        assert measured["distance_m"] == pytest.approx(1.2 * 249 / 50)
        assert report.sentence(body, measured) == (
            "Walked 6.0 m in 5 s at 1.20 m/s, 2.0 steps a second; feet slid 4 mm a step; took 2 pushes.")

    @pytest.mark.parametrize("body", [walk(), standing(1), standing(2), standing(40), glide(0.6, height=0.3),
                                      standing(5, penetrations=np.full((5, 2), np.nan))])
    def test_json_without_nan(self, body):
        json.dumps(report.measure(body), allow_nan=False)
        report.sentence(body, report.measure(body))

    def test_start_up_is_left_out_of_a_long_result(self):
        long = walk(seconds=8)
        # Frozen for the first 1.5 s: the walk from 2 s on must not notice.
        for array in (long.root_positions, long.rotations, long.foot_forces):
            array[:75] = array[75]
        measured = report.measure(long)
        assert measured["measured_from_s"] == 2.0
        assert measured["gait"]["speed_m_s"] == pytest.approx(1.2)
        assert min(step["time_s"] for step in measured["gait"]["each_step"]) >= 2.0
        assert measured["duration_s"] == pytest.approx(399 / 50)
        assert report.measure(walk(seconds=5))["measured_from_s"] == 0.0

    @pytest.mark.parametrize("axis, words", [((-1, 0, 0), "to the left"), ((1, 0, 0), "to the right"),
                                             ((0, 1, 0), "forward"), ((0, -1, 0), "backward")])
    @pytest.mark.parametrize("heading", [0.0, 2.0])
    def test_a_fall(self, axis, words, heading):
        yaw = rotation.exp(np.array([0, 0, heading]))
        body = lean(200, np.linspace(0, 1.2, 200), (0, 0), rotation.rotate(yaw, np.array(axis, dtype=float)),
                    outcome={"fell": True, "fell_at": 3.1, "steps": 0})
        body.rotations[:, 0] = rotation.multiply(body.rotations[:, 0], yaw)
        # What happens after the fall must not be measured.
        body.root_positions[156:, 0] += np.linspace(100, 200, 44)
        body.penetrations[156:] = 1.0
        measured = report.measure(body)
        assert report.sentence(body, measured) == f"Fell at 3.1 s (frame 155) {words}."
        assert measured["frames"] == 156
        assert measured["distance_m"] < 2.0
        assert measured["skate"]["penetration_max_mm"] == 0.0

    def test_legs_flung_under_the_body_at_the_end_do_not_hide_where_it_fell(self):
        body = lean(101, np.linspace(0, 1.0, 101), (0, 0), (-1, 0, 0), outcome={"fell": True, "fell_at": 2.0, "steps": 0})
        for side in "LR":
            body.rotations[98:, LINKS.index(f"thigh.{side}")] = rotation.exp(np.array([1.6, -0.8, 0.0]))
        assert report.fall_direction(body) == "to the left"

    def test_standing_and_stepping_in_place(self):
        still = standing(100)
        assert report.sentence(still, report.measure(still)) == "Stood for 2 s."
        marching = walk(step=0.0)
        assert report.sentence(marching, report.measure(marching)).startswith("Stepped in place for 5 s, 2.0 steps a second")

    def test_a_whole_humanoid(self):
        body = pytest.importorskip("core.body").make_body({})
        count = len(body.names)
        person = standing(
            20, root=(0, 0, body.standing_height), link_names=list(body.names), parents=body.parents, offsets=body.offsets,
            masses=body.masses, com_offsets=body.com_offsets, inertias=body.inertias, limits=body.limits,
            half_extents=np.array([shape.half_extents for shape in body.shapes]),
            shape_centers=np.array([shape.center for shape in body.shapes]), sole_links=body.sole_links,
            sole_points=body.sole_points, rotations=rotation.identity((20, count)), torques=np.zeros((20, count, 3)))
        measured = report.measure(person)
        assert measured["skate"]["slide_max_mm"] == 0.0
        assert 0.8 < measured["balance"]["com_height_mean_m"] < 1.1
        assert all(joint["beyond_ratio"] == 0 for joint in measured["limits"].values())


class TestPlot:
    def test_pictures_are_written(self, tmp_path):
        pytest.importorskip("matplotlib")
        plot.plot(walk(), tmp_path / "walk.png")
        plot.strip(walk(), tmp_path / "strip.png", 1.0, 2.0, 8)
        for name in ("walk.png", "strip.png"):
            assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
            assert (tmp_path / name).stat().st_size > 10000

    def test_sticks_join_the_links(self):
        segments, colors = plot._sticks(standing(3), np.array([0, 2]))
        assert segments.shape[0] == 2 and len(colors) == segments.shape[1]
        assert segments[..., 2].min() == pytest.approx(0.0)
        # The trunk has no torso on it: it is drawn to its top, twice its middle.
        assert segments[..., 2].max() == pytest.approx(2 * THIGH + ANKLE + 0.48)

    def test_clear_words_without_matplotlib_or_time(self, tmp_path, monkeypatch):
        with pytest.raises(FootfallError, match="nothing to draw"):
            plot.strip(walk(), tmp_path / "strip.png", 20, 30, 8)
        monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
        with pytest.raises(FootfallError, match="matplotlib"):
            plot.plot(walk(), tmp_path / "walk.png")
