"""Cells of an old Excel workbook (.xls): the first sheet, as lines of text.

A workbook is a file system in a file ([MS-CFB]: sectors, chained by a table) with one stream of records in it ([MS-XLS]). Of these only strings and
numbers are taken; formulas give the number that they had.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
END_OF_CHAIN = 0xFFFFFFFA  # this and higher numbers are no sectors
HEADER, MINI_SECTOR = 512, 64
# Kinds of records.
SHEET, CONTINUE, BEGIN, END = 0x85, 0x3C, 0x809, 0x0A
STRINGS, STRING_OF_TABLE, STRING, NUMBER, SMALL_NUMBER, SMALL_NUMBERS, FORMULA = 0xFC, 0xFD, 0x204, 0x203, 0x27E, 0xBD, 0x06
OLD_LABEL = 0x0500  # the version before strings had a table: bytes instead
ROWS, COLUMNS = 1 << 16, 1 << 8

Cells = dict[int, dict[int, str]]


def lines_of(data: bytes) -> list[str]:
    """Rows of the first sheet, columns with tabs between them; a ValueError where it is no workbook that can be read.

    All rows that are not empty have as many columns, also where the last cells are empty.
    """
    try:
        cells = _cells(_workbook(data))
    except (struct.error, IndexError, LookupError, UnicodeDecodeError, OverflowError) as error:
        raise ValueError("the workbook is damaged") from error
    columns = range(max((max(row) for row in cells.values()), default=-1) + 1)
    return ["\t".join(cells[number].get(column, "") for column in columns) if number in cells else "" for number in range(max(cells, default=-1) + 1)]


def _workbook(data: bytes) -> bytes:
    """The stream of records."""
    sector = 1 << struct.unpack_from("<H", data, 30)[0]
    if sector not in (512, 4096):
        raise ValueError("the workbook is damaged")
    begins = max(HEADER, sector)  # of sector 0
    tables, directory, smallest, mini_table = struct.unpack_from("<II4xII", data, 44)
    heads = list(struct.unpack_from("<109I", data, 76))
    further, count = struct.unpack_from("<II", data, 68)
    while count and further < END_OF_CHAIN and len(heads) < len(data) // sector:
        more = struct.unpack_from(f"<{sector // 4}I", data, begins + further * sector)
        heads, further, count = heads + list(more[:-1]), more[-1], count - 1
    chain: list[int] = []
    for head in heads[:tables]:
        if head < END_OF_CHAIN:
            chain += struct.unpack_from(f"<{sector // 4}I", data, begins + head * sector)

    def follow(first: int) -> bytes:
        parts: list[bytes] = []
        at = first
        while at < END_OF_CHAIN:
            if len(parts) * sector > len(data):
                raise ValueError("the workbook is damaged")  # a chain that goes in a circle
            begin = begins + at * sector
            parts.append(data[begin:begin + sector])
            at = chain[at]
        return b"".join(parts)

    entries = follow(directory)
    root = entries[:128]
    for at in range(0, len(entries) - 127, 128):
        entry = entries[at:at + 128]
        length = struct.unpack_from("<H", entry, 64)[0]
        if entry[:max(0, length - 2)].decode("utf-16-le", "replace") in ("Workbook", "Book"):
            first, size = struct.unpack_from("<II", entry, 116)
            if size >= smallest:
                return follow(first)[:size]
            return _small(follow(struct.unpack_from("<I", root, 116)[0]), follow(mini_table), first)[:size]
    raise ValueError("there is no workbook in it")


def _small(stream: bytes, table: bytes, first: int) -> bytes:
    """A short stream, in the small sectors of the root's."""
    parts: list[bytes] = []
    at = first
    while at < END_OF_CHAIN:
        if len(parts) * MINI_SECTOR > len(stream):
            raise ValueError("the workbook is damaged")
        parts.append(stream[at * MINI_SECTOR:(at + 1) * MINI_SECTOR])
        at = struct.unpack_from("<I", table, 4 * at)[0]
    return b"".join(parts)


def _records(stream: bytes, at: int = 0) -> Iterator[tuple[int, bytes, int]]:
    """(kind, content, where it begins) of every record."""
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        yield kind, stream[at + 4:at + 4 + length], at
        at += 4 + length


def _cells(stream: bytes) -> Cells:
    """Of the first sheet, by row and column."""
    strings: list[str] = []
    begin, old = None, False
    records = list(_records(stream))
    for n, (kind, content, _) in enumerate(records):
        if kind == BEGIN and n == 0:
            old = struct.unpack_from("<H", content)[0] <= OLD_LABEL
        elif kind == SHEET and begin is None and content[5] == 0:  # a sheet of cells, not a chart
            begin = struct.unpack_from("<I", content)[0]
        elif kind == STRINGS:
            parts = [content]
            for following, more, _ in records[n + 1:]:
                if following != CONTINUE:
                    break
                parts.append(more)
            strings = _strings(parts)
        elif kind == END:
            break
    cells: Cells = {}
    for kind, content, _ in _records(stream, begin or 0):
        if kind == END:
            break
        if kind in (STRING_OF_TABLE, STRING, NUMBER, SMALL_NUMBER, SMALL_NUMBERS, FORMULA):
            row, column = struct.unpack_from("<HH", content)
            for across, text in enumerate(_texts(kind, content, strings, old)):
                if column + across < COLUMNS:
                    cells.setdefault(row, {})[column + across] = text
    return cells


def _texts(kind: int, content: bytes, strings: list[str], old: bool) -> Iterator[str]:
    """What stands in a record's cells, from left to right."""
    if kind == STRING_OF_TABLE:
        yield strings[struct.unpack_from("<I", content, 6)[0]]
    elif kind == STRING:
        count = struct.unpack_from("<H", content, 6)[0]
        if old:
            yield content[8:8 + count].decode("cp1252", "replace")
        else:
            wide = content[8] & 1
            yield content[9:9 + count * (2 if wide else 1)].decode("utf-16-le" if wide else "latin-1", "replace")
    elif kind == NUMBER:
        yield repr(struct.unpack_from("<d", content, 6)[0])
    elif kind == FORMULA:
        yield "" if content[12:14] == b"\xff\xff" else repr(struct.unpack_from("<d", content, 6)[0])
    elif kind == SMALL_NUMBER:
        yield _small_number(content, 6)
    else:
        for at in range(4, len(content) - 7, 6):
            yield _small_number(content, at + 2)


def _small_number(content: bytes, at: int) -> str:
    """A number in four bytes: a whole one, or the first half of a floating-point one; either may be in hundredths."""
    bits = struct.unpack_from("<i", content, at)[0]
    value = float(bits >> 2) if bits & 2 else struct.unpack("<d", struct.pack("<II", 0, bits & 0xFFFFFFFC))[0]
    return repr(value / 100.0 if bits & 1 else value)


def _strings(parts: list[bytes]) -> list[str]:
    """The table of strings; one that goes on in the next part says there anew how wide its letters are."""
    count = struct.unpack_from("<I", parts[0], 4)[0]
    found: list[str] = []
    part, at = 0, 8
    while len(found) < count:
        while at >= len(parts[part]):
            part, at = part + 1, at - len(parts[part])
        letters, flags = struct.unpack_from("<HB", parts[part], at)
        at += 3
        runs = phonetic = 0
        if flags & 8:
            runs, at = struct.unpack_from("<H", parts[part], at)[0], at + 2
        if flags & 4:
            phonetic, at = struct.unpack_from("<I", parts[part], at)[0], at + 4
        text = []
        while True:
            width = 2 if flags & 1 else 1
            piece = parts[part][at:at + letters * width]
            text.append(piece.decode("utf-16-le" if flags & 1 else "latin-1", "replace"))
            letters, at = letters - len(piece) // width, at + len(piece)
            if letters <= 0:
                break
            part, flags, at = part + 1, parts[part + 1][0], 1
        found.append("".join(text))
        at += 4 * runs + phonetic
    return found
