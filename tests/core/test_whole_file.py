"""Files that are whole or not there, on a disk that takes no more."""

import pytest

from core.errors import FormatError
from core.whole_file import whole_file

resource = pytest.importorskip("resource", reason="this system does not limit the size of files")


@pytest.fixture
def small_files():
    """The system itself refuses to write more than 1,000 bytes to a file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_it_takes_its_place_when_it_is_whole(tmp_path):
    path = tmp_path / "motion.bvh"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new" and [thing.name for thing in tmp_path.iterdir()] == ["motion.bvh"]


@pytest.mark.parametrize("existing", [True, False])
def test_no_half_of_it_is_left(tmp_path, small_files, existing):
    path = tmp_path / "motion.bvh"
    if existing:
        path.write_bytes(b"old")
    with pytest.raises(FormatError, match=r"'.*motion\.bvh': File too large; choose another place or free some space\."), whole_file(path) as file:
        file.write(b"." * 5000)
    assert [thing.name for thing in tmp_path.iterdir()] == (["motion.bvh"] if existing else [])
    assert not existing or path.read_bytes() == b"old"
