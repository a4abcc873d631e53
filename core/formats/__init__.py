"""Motion files: BVH, ASF/AMC and DeepMimic are read into a Clip, and a Clip is written as BVH."""

from __future__ import annotations

from pathlib import Path

from .acclaim import read_amc
from .bvh import read_bvh, write_bvh
from .clip import Clip
from .deepmimic import read_deepmimic
from .lines import complaint, read_bytes

__all__ = ["Clip", "read_clip", "write_bvh"]

KNOWN = "BVH, AMC with its ASF, and DeepMimic's JSON"


def read_clip(
    path: str | Path, *, skeleton: str | Path | None = None, unit: float | None = None, up: str | None = None, fps: float | None = None
) -> Clip:
    """Read any motion file, told by its ending and, failing that, by how it begins.

    Args:
        path: the file.
        skeleton: the ASF file of an AMC file that does not lie beside it.
        unit: metres of one unit in a BVH or AMC file; recognised if not given.
        up: 'Y' or 'Z', the up axis of a BVH or AMC file; recognised if not given.
        fps: frames a second; as in the file if not given.

    Raises:
        FormatError: in one sentence, with file and line, if it cannot be read.
    """
    path = Path(path)
    kind = _kind(path)
    if kind == "bvh":
        return read_bvh(path, unit=unit, up=up, fps=fps)
    if kind == "amc":
        return read_amc(path, skeleton=skeleton, unit=unit, up=up, fps=fps)
    if kind == "deepmimic":
        return read_deepmimic(path, fps=fps)
    if kind == "asf":
        raise complaint(path, None, "holds a skeleton without motion: open the AMC file that goes with it")
    if kind == "c3d":
        raise complaint(path, None, "holds markers, not a skeleton: solve it in your capture software and export a BVH file")
    raise complaint(path, None, f"is no motion file that can be read ({KNOWN}): import others into Blender and take the action from there")


def _kind(path: Path) -> str:
    """'bvh', 'amc', 'asf', 'deepmimic', 'c3d' or '' for what is none of these."""
    start = read_bytes(path)[:4096]
    ending = path.suffix.lower().lstrip(".")
    if ending in ("bvh", "amc", "asf", "c3d"):
        return ending
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:9].upper() == b"HIERARCHY":
        return "bvh"
    if text.startswith(b"{"):
        return "deepmimic"
    if start[1:2] == b"\x50" and 1 < start[0] < 10:  # the mark of a C3D file, behind the number of its first block
        return "c3d"
    return ""
