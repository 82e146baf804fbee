"""Masking of secrets in text that comes in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.child_processes import build_child_environment
from agents.secret_masking import StreamMask

KEY = "planted-key-1234567"


@given(before=st.text(max_size=20), after=st.text(max_size=20), cuts=st.lists(st.integers(0, 60), max_size=8))
def test_secret_is_masked_wherever_the_stream_is_cut(before: str, after: str, cuts: list[int]) -> None:
    text = f"{before}{KEY}{after}"
    ends = sorted({min(cut, len(text)) for cut in cuts} | {len(text)})
    stream_mask = StreamMask({"OPENAI_API_KEY": KEY})
    pieces = [stream_mask.mask(text[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
    assert "".join(pieces) + stream_mask.flush() == f"{before}***{after}".replace(KEY, "***")


@given(text=st.text(max_size=60))
def test_text_without_a_secret_passes_unchanged(text: str) -> None:
    stream_mask = StreamMask({"OPENAI_API_KEY": KEY, "LM_API_KEY": "none"})
    assert stream_mask.mask(text) + stream_mask.flush() == text


def test_secrets_are_not_in_the_environment_of_a_child_that_talks_to_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert KEY not in build_child_environment({}).values()
    assert KEY in build_child_environment({}, with_secrets=True).values()
