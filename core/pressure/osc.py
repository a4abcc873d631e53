"""Open Sound Control 1.0, as far as numbers, words and bundles go: https://opensoundcontrol.stanford.edu/spec-1_0.html."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

BUNDLE = b"#bundle\0"
LONG_ROW = 16  # more float32 than these in a row
DEEPEST = 4  # bundles within bundles
_SIZES = {"i": ">i", "f": ">f", "d": ">d", "h": ">q", "t": ">Q"}
_CONSTANTS = {"T": True, "F": False, "N": None, "I": float("inf")}


def message(address: str, types: str, values: Sequence[Any]) -> bytes:
    """A message with values of the types i, f, d and s."""
    parts = [_padded(address.encode()), _padded(b"," + types.encode())]
    parts += [_padded(str(value).encode()) if kind == "s" else struct.pack(_SIZES[kind], value) for kind, value in zip(types, values, strict=True)]
    return b"".join(parts)


def messages(packet: bytes, depth: int = 0) -> Iterator[tuple[str, list[Any]]]:
    """(address, values) of every message in a packet; a ValueError where it is none. Of values, a long row of float32 is one array."""
    if not packet.startswith(BUNDLE):
        yield _message(packet)
        return
    if depth == DEEPEST:
        raise ValueError("bundles within bundles within bundles")
    at = 16  # behind the time when it is meant for: everything is taken as it comes
    while at + 4 <= len(packet):
        size = struct.unpack_from(">i", packet, at)[0]
        if not 0 < size <= len(packet) - at - 4:
            raise ValueError("a bundle that is broken off")
        yield from messages(packet[at + 4:at + 4 + size], depth + 1)
        at += 4 + size


def _message(packet: bytes) -> tuple[str, list[Any]]:
    address, at = _string(packet, 0)
    if not address.startswith("/"):
        raise ValueError("no address")
    types, at = _string(packet, at)
    if not types.startswith(","):
        raise ValueError("no types")
    values: list[Any] = []
    kinds = types[1:]
    n = 0
    while n < len(kinds):
        kind = kinds[n]
        if kind == "f":  # most of what comes are long rows of them: at once
            count = len(kinds[n:]) - len(kinds[n:].lstrip("f"))
            if at + 4 * count > len(packet):
                raise ValueError("a message that is broken off")
            row = np.frombuffer(packet, ">f4", count, at).astype(float)
            values += [row] if count > LONG_ROW else row.tolist()
            at, n = at + 4 * count, n + count
            continue
        n += 1
        if kind in _SIZES:
            try:
                values.append(struct.unpack_from(_SIZES[kind], packet, at)[0])
            except struct.error as error:
                raise ValueError("a message that is broken off") from error
            at += struct.calcsize(_SIZES[kind])
        elif kind in "sS":
            word, at = _string(packet, at)
            values.append(word)
        elif kind in _CONSTANTS:
            values.append(_CONSTANTS[kind])
        else:
            raise ValueError(f"a value of type {kind!r}")
    return address, values


def _string(packet: bytes, at: int) -> tuple[str, int]:
    """A word, and where what follows it begins."""
    end = packet.find(b"\0", at)
    if end < 0:
        raise ValueError("a word that is broken off")
    return packet[at:end].decode("utf-8", "replace"), end + 4 - (end - at) % 4


def _padded(word: bytes) -> bytes:
    return word + b"\0" * (4 - len(word) % 4)
