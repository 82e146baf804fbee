"""Encodes the frames between the embedder and its child process: a number, a length and that many bytes.

To the child: (number, "q" or "b" and a JSON list of texts), number from 1: a question, which somebody waits
for, or texts to index in the background. From it once: (0, nothing) when it is ready, or (0, words) why it
cannot be; then per number, in any order, one of (number, "v" and the embeddings, `pack_embeddings`) and (number, "e"
and words).
"""

from __future__ import annotations

import json
import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

from agents.embeddings import TOKEN_CODE_BYTES, Embedding, TokenCodes

FRAME_HEADER: Final = struct.Struct("<II")
"""Number and length in bytes of a frame."""

BACKGROUND_THREADS: Final = 2
"""Threads of the child that index, each with a batch of its own: twice as fast where a second core is free."""

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


class PackedEmbeddings(NamedTuple):
    """The embeddings of some texts, each part one text after another."""

    token_counts: bytes
    """Tokens of each text, as uint32, little-endian, like all numbers here."""
    vectors: bytes
    """As float32."""
    codes: bytes
    ends: bytes
    """Where each token ends in its text, in characters, as uint32."""


def pack_embeddings(packed: PackedEmbeddings) -> bytes:
    return b"".join(packed)


def unpack_embeddings(data: bytes, count: int) -> list[Embedding]:
    """Return the embeddings of `count` texts. Raises ValueError if the length of the data does not fit."""
    counts_end = NUMBER_BYTES * count
    token_counts = _read_numbers("I", data[:counts_end])
    token_count = sum(token_counts)
    ends_start = len(data) - NUMBER_BYTES * token_count
    codes_start = ends_start - TOKEN_CODE_BYTES * token_count
    size, rest = divmod(codes_start - counts_end, NUMBER_BYTES * count) if count else (0, len(data))
    if rest or size < 0 or (count and not size):
        raise ValueError("not so many vectors")
    numbers = _read_numbers("f", data[counts_end:codes_start])
    codes, ends = data[codes_start:ends_start], _read_numbers("I", data[ends_start:])
    embeddings, first = [], 0
    for index, text_token_count in enumerate(token_counts):
        last = first + text_token_count
        tokens = TokenCodes(codes[TOKEN_CODE_BYTES * first : TOKEN_CODE_BYTES * last], ends[first:last])
        embeddings.append(Embedding(numbers[index * size : (index + 1) * size], tokens))
        first = last
    return embeddings


def _read_numbers(typecode: Literal["I", "f"], data: bytes) -> array[Any]:
    numbers: array[Any] = array(typecode, data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
