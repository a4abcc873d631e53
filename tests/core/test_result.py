"""Results on disk: exact, atomic, and clear about files that are something else."""

import dataclasses
import errno
import io
import os
import re
from pathlib import Path

import numpy as np
import pytest

from core.errors import FormatError
from core.result import FORMAT, Result


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def make_result(frames: int = 3, links: int = 2, objects: int = 1, seed: int = 0) -> Result:
    rng = np.random.default_rng(seed)
    shapes = {
        "offsets": (links, 3), "masses": (links,), "com_offsets": (links, 3), "inertias": (links, 3), "half_extents": (links, 3),
        "shape_centers": (links, 3), "limits": (links, 3, 2), "sole_points": (4, 3), "root_positions": (frames, 3), "rotations": (frames, links, 4),
        "torques": (frames, links, 3), "foot_forces": (frames, 2, 3), "foot_cops": (frames, 2, 3), "penetrations": (frames, 2),
        "ground_heights": (frames, 2), "headings": (frames,), "speeds": (frames,), "reference_positions": (frames, links, 3),
        "object_positions": (frames, objects, 3), "object_rotations": (frames, objects, 4)}
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    arrays["speeds"][:] = np.nan
    arrays["limits"][0] = [-np.inf, np.inf]
    arrays["root_positions"][:1] = 1 / 3
    return Result(
        fps=29.97, link_names=["pelvis", "thigh.L"], parents=np.array([-1, 0]), sole_links=np.array([0, 0, 1, 1]),
        stance=np.arange(frames) % 2, states=np.arange(frames), gait_names=["walk", "Schritt rückwärts"],
        gaits=np.zeros(frames, int),
        object_names=["box 1"] if objects else [], job={"gait": "walk", "heading": [[0, 0.1]], "ä": None},
        outcome={"fell": False, "fell_at": None, "steps": 3}, **arrays)


def assert_same(one: Result, other: Result) -> None:
    for field in dataclasses.fields(Result):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), field.name
        else:
            assert a == b and type(a) is type(b), field.name


def one_sentence(error: pytest.ExceptionInfo) -> str:
    text = str(error.value)
    assert "\n" not in text and text.endswith(".") and not re.search(r"\. [A-Z]", text), text
    return text


@pytest.mark.parametrize("frames, objects", [(3, 1), (1, 0), (0, 0)])
def test_what_is_saved_is_loaded_bit_by_bit(tmp_path, frames, objects):
    result = make_result(frames, objects=objects)
    result.save(tmp_path / "result.npz")
    assert_same(result, Result.load(tmp_path / "result.npz"))
    assert names_in(tmp_path) == ["result.npz"]


def test_the_name_is_kept_as_given(tmp_path):
    make_result().save(str(tmp_path / "take 1"))
    assert names_in(tmp_path) == ["take 1"]


def test_saving_again_replaces_the_file(tmp_path):
    path = tmp_path / "result.npz"
    make_result(seed=1).save(path)
    make_result(seed=2).save(path)
    assert_same(make_result(seed=2), Result.load(path))


def test_times_are_frames_over_rate():
    result = make_result(4)
    assert result.frames == 4
    np.testing.assert_allclose(result.times, [0, 1 / 29.97, 2 / 29.97, 3 / 29.97])


@pytest.mark.parametrize("existing", [True, False])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, existing):
    path = tmp_path / "result.npz"
    if existing:
        make_result(seed=1).save(path)

    def fill(file, **_):
        file.write(b"PK half a file")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "savez_compressed", fill)
    with pytest.raises(FormatError, match="No space left") as error:
        make_result(seed=2).save(path)
    assert "result.npz" in one_sentence(error)
    assert names_in(tmp_path) == (["result.npz"] if existing else [])
    if existing:
        assert_same(make_result(seed=1), Result.load(path))


def test_a_cancelled_write_leaves_nothing(tmp_path, monkeypatch):
    def cancel(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", cancel)
    with pytest.raises(KeyboardInterrupt):
        make_result().save(tmp_path / "result.npz")
    assert names_in(tmp_path) == []


def test_a_missing_folder_is_one_sentence(tmp_path):
    with pytest.raises(FormatError, match="nowhere") as error:
        make_result().save(tmp_path / "nowhere" / "result.npz")
    one_sentence(error)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_one_sentence_and_keeps_its_file(tmp_path):
    make_result(seed=1).save(tmp_path / "result.npz")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(FormatError, match="Permission denied") as error:
            make_result(seed=2).save(tmp_path / "result.npz")
        one_sentence(error)
    finally:
        tmp_path.chmod(0o700)
    assert_same(make_result(seed=1), Result.load(tmp_path / "result.npz"))
    assert names_in(tmp_path) == ["result.npz"]


def test_saving_over_a_folder_is_one_sentence(tmp_path):
    (tmp_path / "result.npz").mkdir()
    with pytest.raises(FormatError) as error:
        make_result().save(tmp_path / "result.npz")
    one_sentence(error)
    assert names_in(tmp_path) == ["result.npz"]


def test_the_file_has_the_permissions_of_any_other_file(tmp_path):
    (tmp_path / "other").write_text("")
    make_result().save(tmp_path / "result.npz")
    assert (tmp_path / "result.npz").stat().st_mode == (tmp_path / "other").stat().st_mode


def npz(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


def pickled() -> bytes:
    file = io.BytesIO()
    np.savez(file, format=np.array([{}], dtype=object))
    return file.getvalue()


@pytest.mark.parametrize("content", [
    pytest.param(b"", id="empty"), pytest.param(npz(a=np.zeros(3)), id="other arrays"),
    pytest.param(npz(format=np.array(FORMAT)), id="no fields"),
    pytest.param(pickled(), id="pickle"), pytest.param(b"hello world, this is text\n", id="text"),
    pytest.param(b"\x00" * 100, id="zeros"), pytest.param(npy(), id="npy"),
    pytest.param(npz(format=np.array(FORMAT))[:60], id="cut"), pytest.param(b"PK\x03\x04 not a zip", id="looks like a zip")])
def test_other_files_are_refused_in_one_sentence(tmp_path, content):
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="other.npz") as error:
        Result.load(path)
    one_sentence(error)


def test_a_half_copied_result_is_refused_in_one_sentence(tmp_path):
    path = tmp_path / "result.npz"
    make_result().save(path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(FormatError, match="result.npz") as error:
        Result.load(path)
    one_sentence(error)


def test_a_result_of_another_version_says_so(tmp_path):
    path = tmp_path / "old.npz"
    path.write_bytes(npz(format=np.array(99)))
    with pytest.raises(FormatError, match="another version"):
        Result.load(path)


@pytest.mark.parametrize("name", ["missing.npz", "."])
def test_a_missing_file_or_a_folder_is_one_sentence(tmp_path, name):
    with pytest.raises(FormatError, match=re.escape(str(tmp_path / name))) as error:
        Result.load(tmp_path / name)
    one_sentence(error)
