"""Encodes the frames between the embedder and its child process: a number, a length and that many bytes.

To the child: (number, "q" or "b" and a JSON list of texts), number from 1: a question, which somebody waits
for, or texts to index in the background. From it once: (0, nothing) when it is ready, or (0, words) why it
cannot be; then per number, in any order, one of (number, "v" and the vectors as float32, little-endian, one
after another) and (number, "e" and words).
"""

from __future__ import annotations

import json
import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Final

FRAME_HEADER: Final = struct.Struct("<II")
"""Number and length in bytes of a frame."""

MAX_FRAME_BYTES: Final = 64_000_000
"""Bytes of a frame; a longer one means a damaged pipe."""

QUESTION_TAG: Final = b"q"
BACKGROUND_TAG: Final = b"b"
VECTORS_TAG: Final = b"v"
ERROR_TAG: Final = b"e"
NUMBER_BYTES: Final = 4


def pack_frame(number: int, data: bytes) -> bytes:
    return FRAME_HEADER.pack(number, len(data)) + data


def unpack_header(raw: bytes) -> tuple[int, int]:
    """Return number and length. Raises ValueError if the frame is damaged."""
    number, length = FRAME_HEADER.unpack(raw)
    if length > MAX_FRAME_BYTES:
        raise ValueError("not a frame")
    return number, length


def encode_texts(texts: Sequence[str], *, urgent: bool) -> bytes:
    """Encode texts; invalid Unicode is replaced."""
    return (QUESTION_TAG if urgent else BACKGROUND_TAG) + json.dumps(list(texts), ensure_ascii=False).encode(
        "utf-8", "replace"
    )


def decode_texts(data: bytes) -> tuple[list[str], bool]:
    """Return the texts, and whether somebody waits for them."""
    return [str(text) for text in json.loads(data[1:])], data.startswith(QUESTION_TAG)


def decode_vectors(data: bytes, count: int) -> list[Sequence[float]]:
    """Split the data into `count` vectors. Raises ValueError if its length does not fit."""
    size, rest = divmod(len(data), NUMBER_BYTES * count) if count else (0, len(data))
    if rest or (count and not size):
        raise ValueError("not so many vectors")
    numbers = array("f", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return [numbers[index * size : (index + 1) * size] for index in range(count)]
