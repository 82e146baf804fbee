"""A real rulebook and a real novel, read whole; fetched when the test runs, skipped where they cannot be."""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.ingest.documents.chunking import split_document
from agents.ingest.documents.reading import DocumentReader
from agents.story_outline import NewUniverse
from stores.authority import Role
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity
from stores.records.sources import LadderStage
from tests.agents.ingest.documents.typeset_book import Book, typeset
from tests.agents.ingest.reading_in import read_in
from tests.agents.ingest.test_ingest_worker import build_ladder_server
from tests.program import opened
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


@pytest.mark.timeout(600)
async def test_rulebook_is_proposed_by_rules_with_its_pages(rulebook: Book, tmp_path: Path) -> None:
    """From the file to the review: what stands in it by kind, and fifty citations on the page that printed them."""
    async with opened(tmp_path / "home") as program:
        path = tmp_path / "srd.pdf"
        path.write_bytes(rulebook.pdf)
        universe = await program.services.stories.create_universe(NewUniverse("Rules"))
        (progress,) = await program.services.ingest.start(str(path), universe.id)
        await read_in(program, build_ladder_server(program))
        log = program.stores.log(Role.INGEST)
        stages = await log.snippet_stages(progress.source_id, 1)
        proposals = await log.proposals(ProposalQuery(source_id=progress.source_id))
    kinds = Counter(proposal.payload.kind for proposal in proposals)
    print(f"{dict(kinds)}; {dict(stages)}")
    assert stages[LadderStage.GENERATED] > 15 * stages[LadderStage.FORCED]
    assert None not in stages
    assert kinds["create_entity"] > 1_000
    assert kinds["note_axiom"] > 300
    creatures = [p for p in proposals if isinstance(p.payload, CreateEntity) and "ac" in p.payload.numbers]
    assert len(creatures) > 250
    for proposal in random.Random(5).sample(proposals, SAMPLE):
        quote = letters(max(proposal.evidence[0].quote.split("\n"), key=len))
        printed = letters("".join(rulebook.page_words[(proposal.evidence[0].page or 0) - 1]))
        assert quote[:40] in printed
