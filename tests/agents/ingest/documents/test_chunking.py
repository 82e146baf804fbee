"""Chunks: exact spans, bounded lengths, never over a page's end; and the estimate of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.ingest.documents.chunking import CHUNK_CHARACTERS, split_document
from agents.ingest.documents.document import Page
from agents.ingest.documents.estimate import estimate_document

MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# Heading\n\n",
            "## Küste\n\n",
            "words ",
            "Ünïcödé 🐉 ",
            "| a | b |\n|---|---|\n",
            "| 1 | zwei |\n",
            "\n\n",
            "- item\n",
            "x" * 700,
        ]
    )
    | st.text(max_size=300),
    max_size=60,
).map("".join)


@given(st.lists(MARKDOWN, max_size=4))
def test_chunk_spans_are_exact_and_in_order(texts: list[str]) -> None:
    pages = [Page(number, text) for number, text in enumerate(texts, 1)]
    chunks = list(split_document(pages))
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    ends = dict.fromkeys(range(1, len(pages) + 1), 0)
    for chunk in chunks:
        first, last = chunk.span
        assert pages[chunk.page - 1].text[first:last] == chunk.text
        assert first >= ends[chunk.page]
        assert 0 < len(chunk.text) <= CHUNK_CHARACTERS[1]
        ends[chunk.page] = last
    words = ["".join(page.text.split()) for page in pages]
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(words)


def test_chunks_of_prose_have_the_length_that_is_aimed_at() -> None:
    text = "\n\n".join("Ser Aldric keeps the gate and never lets the tide pass. " * 3 for _ in range(60))
    lengths = [len(chunk.text) for chunk in split_document([Page(1, text)])]
    assert all(1_000 <= length <= 1_600 for length in lengths[:-1])


def test_chunk_begins_at_a_heading() -> None:
    text = "\n\n".join(f"## Rule {number}\n\n" + "It cannot be undone. " * 45 for number in range(10))
    assert all(chunk.text.startswith("## Rule") for chunk in split_document([Page(1, text)]))


def test_estimate_of_a_sample_is_scaled_to_the_document() -> None:
    sample = [Page(1, "x" * 3_000), Page(2, "x" * 1_000)]
    estimate = estimate_document(sample, 300)
    assert (estimate.pages, estimate.characters, estimate.tokens) == (300, 600_000, 150_000)
    assert estimate.chunks == 600
    assert 0 < estimate.seconds < 60


def test_estimate_of_an_empty_sample_is_zero() -> None:
    estimate = estimate_document([], 0)
    assert (estimate.characters, estimate.chunks, estimate.tokens, estimate.seconds) == (0, 0, 0, 0)
