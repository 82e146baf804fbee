"""A real rulebook and a real novel, read whole; fetched when the test runs, skipped where they cannot be."""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.ingest.documents.chunking import split_document
from agents.ingest.documents.reading import DocumentReader
from tests.agents.ingest.documents.typeset_book import Book, typeset
from tools.reference_documents import fetch_novel, fetch_rulebook

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("reference documents")]

FOLDER = Path(tempfile.gettempdir()) / "monitor-reference-documents"
"""Kept between runs."""

SAMPLE = 50


def fetched(fetch: Callable[[Path], Path]) -> Path:
    """Return a book; the test is skipped where there is no network."""
    try:
        return fetch(FOLDER)
    except (subprocess.CalledProcessError, OSError) as error:
        pytest.skip(f"the book cannot be fetched: {error}")


@pytest.fixture(scope="module")
def rulebook() -> Book:
    return typeset(fetched(fetch_rulebook).read_text(encoding="utf-8"), "System Reference Document")


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


async def test_rulebook_in_two_columns_has_every_line_on_its_page_in_order(rulebook: Book) -> None:
    document = await DocumentReader().read(rulebook.pdf, "srd.pdf")
    assert document.title == "System Reference Document"
    assert document.notes == ()
    assert len(document.pages) == len(rulebook.page_words) > 250
    misplaced = []
    for lines, page in zip(rulebook.page_words, document.pages, strict=True):
        text, place = letters(page.text), 0
        for line in map(letters, lines):
            found = text.find(line, place)
            if found < 0:
                misplaced.append((page.number, line))
            else:
                place = found + len(line)
    assert misplaced == []


async def test_rulebook_citations_give_the_right_page_in_50_of_50(rulebook: Book) -> None:
    document = await DocumentReader().read(rulebook.pdf, "srd.pdf")
    chunks = list(split_document(document.pages))
    for chunk in random.Random(5).sample(chunks, SAMPLE):
        first, last = chunk.span
        assert document.pages[chunk.page - 1].text[first:last] == chunk.text
        printed = letters("".join(rulebook.page_words[chunk.page - 1]))
        sentence = max(chunk.text.split("\n"), key=len)
        assert letters(sentence)[:40] in printed


async def test_rulebook_as_markdown_keeps_every_heading() -> None:
    path = fetched(fetch_rulebook)
    document = await DocumentReader().read(path, path.name)
    assert document.title == "System Reference Document 5.1"
    text = " ".join(" ".join(page.text.split()) for page in document.pages)
    headings = re.findall(r"^#{1,4} .+$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(headings) > 1_000
    assert [one for one in headings if " ".join(one.split()) not in text] == []


async def test_novel_is_read_whole() -> None:
    path = fetched(fetch_novel)
    document = await DocumentReader().read(path, path.name)
    text = "\n\n".join(page.text for page in document.pages)
    assert text.split() == path.read_text(encoding="utf-8").split()
    assert 200 < len(document.pages) < 300
