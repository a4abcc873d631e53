"""Recordings of devices: which device a file is of is told by what is in it, never by its ending."""

from __future__ import annotations

from pathlib import Path

from ..recording import Recording
from . import emed, footscan, moticon, pedar, plain, pliance, single, stappone, tekscan, wii, xsensor, zebris
from .source import Source

# The most particular ones first.
DEVICES = (plain, tekscan, xsensor, pliance, pedar, emed, zebris, moticon, stappone, wii, footscan, single)
KNOWN = ("Tekscan, Novel pedar, emed and pliance, XSENSOR, RSscan footscan, Moticon OpenGo, Stappone, zebris, a Wii Balance Board's CSV, "
         "or the CSV that docs/foot_pressure.md describes")


def read(path: str | Path) -> Recording:
    """Read a recording of any device.

    Raises:
        FormatError: in one sentence, with file and line, if it cannot be read.
    """
    source = Source.of(path)
    if source.data.startswith(b"PK\x03\x04"):
        raise source.wrong(None, "is a zip file or a new Excel workbook: save it as text with tabs, or as an Excel 97 workbook (.xls)")
    source = footscan.opened(source)
    for device in DEVICES:
        if device.matches(source.head):
            return device.read(source)
    raise source.wrong(None, f"is no recording that can be read ({KNOWN})")
