"""Tests of comparing turns with a question token by token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.embeddings import TOKEN_CODE_BYTES, TokenCodes
from agents.search.token_similarity import compare_tokens

NOTHING, EVERYTHING = b"\x00" * TOKEN_CODE_BYTES, b"\xff" * TOKEN_CODE_BYTES
HALF = b"\x0f" * TOKEN_CODE_BYTES

code = st.binary(min_size=TOKEN_CODE_BYTES, max_size=TOKEN_CODE_BYTES)
codes = st.lists(code, min_size=1, max_size=6).map(b"".join)


def test_similarity_is_the_mean_of_the_nearest_token_of_each() -> None:
    texts = {"same": HALF + NOTHING + EVERYTHING, "one": NOTHING, "none": EVERYTHING * 3, "empty": b""}
    assert compare_tokens(NOTHING, texts) == {"same": 1.0, "one": 1.0, "none": 0.0}
    assert compare_tokens(NOTHING + EVERYTHING, {"half": HALF, "both": NOTHING + EVERYTHING}) == {
        "half": 0.5,
        "both": 1.0,
    }
    assert compare_tokens(b"", texts) == {} == compare_tokens(NOTHING, {"empty": b""})


@given(codes, st.dictionaries(st.text(max_size=3), codes, max_size=6))
def test_similarity_is_what_a_plain_count_of_bits_says(question: bytes, texts: dict[str, bytes]) -> None:
    def split(one: bytes) -> list[int]:
        return [
            int.from_bytes(one[start : start + TOKEN_CODE_BYTES])
            for start in range(0, len(one), TOKEN_CODE_BYTES)
        ]

    def similarity(text: bytes) -> float:
        nearest = [min((asked ^ said).bit_count() for said in split(text)) for asked in split(question)]
        return 1 - sum(nearest) / len(nearest) / (8 * TOKEN_CODE_BYTES)

    assert compare_tokens(question, texts) == pytest.approx({id: similarity(t) for id, t in texts.items()})


def test_own_tokens_are_those_that_end_in_the_first_part() -> None:
    tokens = TokenCodes(NOTHING + HALF + EVERYTHING, (3, 7, 12))
    assert [tokens.up_to(length) for length in (0, 2, 3, 9, 12, 99)] == [
        b"",
        b"",
        NOTHING,
        NOTHING + HALF,
        tokens.codes,
        tokens.codes,
    ]
