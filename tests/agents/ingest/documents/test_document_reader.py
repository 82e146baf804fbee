"""Reading in a child process: batches, bounds on time and memory, cancelling, pictures."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
from pathlib import Path

import pytest

from agents.ingest.documents.limits import DEFAULT_LIMITS
from agents.ingest.documents.reading import DocumentReader
from agents.ingest.documents.reading_pipe import PageBatch
from stores.errors import InputError
from tests.agents.ingest.documents.pdf_files import PdfPage, write_pdf
from tests.processes import child_pids


def book_of(page_count: int) -> bytes:
    pages = []
    for number in range(1, page_count + 1):
        page = PdfPage()
        page.write(60, 700, f"This is page {number} of the book of the keep.")
        pages.append(page)
    return write_pdf(pages, title="Book of the Keep")


async def test_reader_hands_pages_over_in_batches_and_waits_for_each(tmp_path: Path) -> None:
    path = tmp_path / "keep.pdf"
    path.write_bytes(book_of(100))
    batches: list[PageBatch] = []

    async def take(batch: PageBatch) -> None:
        await asyncio.sleep(0)
        batches.append(batch)

    summary = await DocumentReader().read_in_batches(path, "keep.pdf", take)
    assert (summary.title, summary.page_count) == ("Book of the Keep", 100)
    assert (batches[0].pages, batches[0].page_count) == ((), 100)
    assert max(len(batch.pages) for batch in batches) <= 16
    pages = [page for batch in batches for page in batch.pages]
    assert [page.number for page in pages] == list(range(1, 101))
    assert all(f"page {page.number} of" in page.text for page in pages)


async def test_reader_reads_bytes_and_samples() -> None:
    document = await DocumentReader().read(book_of(40), "keep.pdf", sample_pages=4)
    assert [page.number for page in document.pages] == [6, 16, 26, 36]


async def test_reader_passes_on_what_is_wrong_with_a_document(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file") as refusal:
        await DocumentReader().read(tmp_path / "none.pdf", "none.pdf")
    assert refusal.value.todo == "Check its path and who may read it."


@pytest.mark.skipif(not Path("/proc").exists(), reason="children are listed in /proc")
async def test_reader_ends_a_process_that_is_silent_for_long() -> None:
    limits = dataclasses.replace(DEFAULT_LIMITS, silent_seconds=0.0)
    before = child_pids()
    with pytest.raises(InputError, match="its reader was ended"):
        await DocumentReader(limits).read(b"words", "keep.txt")
    assert child_pids() <= before


@pytest.mark.skipif(os.name == "nt", reason="no bound on memory")
async def test_reader_bounds_the_memory_of_a_document() -> None:
    limits = dataclasses.replace(DEFAULT_LIMITS, memory_bytes=300_000_000)
    with pytest.raises(InputError, match="of memory") as refusal:
        await DocumentReader(limits).read(b"<p>words<b>more</b>" * 1_500_000, "keep.html")
    assert refusal.value.kept == "Nothing of it was taken in."


@pytest.mark.skipif(not Path("/proc").exists(), reason="children are listed in /proc")
async def test_cancelling_a_read_ends_its_process() -> None:
    before = child_pids()
    is_reading = asyncio.Event()

    async def wait_forever(batch: PageBatch) -> None:
        is_reading.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(DocumentReader().read_in_batches(book_of(20), "keep.pdf", wait_forever))
    await is_reading.wait()
    assert len(child_pids() - before) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert child_pids() <= before


async def test_page_picture_is_a_png_of_the_asked_width() -> None:
    picture = await DocumentReader().render_page(book_of(2), "keep.pdf", 2, 300)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(picture[16:20], "big") == 300
    with pytest.raises(InputError, match="it has no page 3"):
        await DocumentReader().render_page(book_of(2), "keep.pdf", 3, 300)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="children are listed in /proc")
async def test_pdf_whose_reader_crashes_is_read_on_without_headings() -> None:
    before = child_pids()
    numbers: list[int] = []

    async def crash_it_once(batch: PageBatch) -> None:
        if batch.pages and not numbers:
            for child in child_pids() - before:
                os.kill(child, signal.SIGSEGV)
        numbers.extend(page.number for page in batch.pages)

    summary = await DocumentReader().read_in_batches(book_of(3_000), "keep.pdf", crash_it_once)
    assert numbers == list(range(1, 3_001))
    assert summary.notes[-1].endswith("-3000 were read without headings and tables.")


async def test_document_whose_reader_crashes_is_refused_with_words() -> None:
    limits = dataclasses.replace(DEFAULT_LIMITS, processor_seconds=0)
    with pytest.raises(InputError, match="cannot be read") as refusal:
        await DocumentReader(limits).read(b"words " * 1_000_000, "keep.txt")
    assert refusal.value.kept == "Nothing of it was taken in."
