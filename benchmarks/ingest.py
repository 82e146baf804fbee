"""Measures the reading of documents (`python -m benchmarks.ingest`): pages per second and memory, by format.

The book is generated, two columns with tables; `--book FILE` (several times) measures others, as those of
`python -m tools.reference_documents`.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import time
from pathlib import Path

from agents.ingest.documents.chunking import split_document
from agents.ingest.documents.document import Page
from agents.ingest.documents.reading import DocumentReader
from agents.ingest.documents.reading_pipe import PageBatch
from benchmarks import table
from tests.agents.ingest.documents.document_files import docx_paragraph, write_docx, write_epub
from tests.agents.ingest.documents.typeset_book import typeset

PAGES = 300
PARAGRAPH = (
    "Ser Aldric Vane keeps the drowned gate of Marrow Keep and never lets the tide pass. The fisher folk leave "
    "lamps at the gate, and the Lantern Guild, which owns nine boats and a tower of salt, takes no bribe for them. "
)
TABLE = "| d6 | Rumour | Where |\n|---|---|---|\n" + "\n".join(
    f"| {n} | Lamps at sea | Bay |" for n in range(1, 7)
)


def make_books(pages: int) -> dict[str, bytes]:
    """Return one text of about so many pages in every format."""
    blocks = []
    for number in range(pages):
        blocks += [f"# Chapter {number + 1}", PARAGRAPH * 6, "## Rumours", TABLE, PARAGRAPH * 8]
    markdown = "\n\n".join(blocks)
    chapters = [
        (f"Chapter {n + 1}", f"<h1>Chapter {n + 1}</h1><p>{PARAGRAPH * 14}</p>") for n in range(pages)
    ]
    body = "".join(
        docx_paragraph(f"Chapter {n + 1}", style="Heading1", before='<w:br w:type="page"/>' if n else "")
        + docx_paragraph(PARAGRAPH * 14)
        for n in range(pages)
    )
    return {
        "book.pdf": typeset(markdown, "The Drowned Keep").pdf,
        "book.epub": write_epub(chapters),
        "book.docx": write_docx(body),
        "book.html": "".join(html for _, html in chapters).encode(),
        "book.md": markdown.encode(),
        "book.txt": "\f".join(PARAGRAPH * 14 for _ in range(pages)).encode(),
    }


async def _measure(name: str, data: bytes) -> list[table.Row]:
    pages: list[Page] = []
    seconds_to_first: list[float] = []
    started_at = time.perf_counter()

    async def take(batch: PageBatch) -> None:
        if batch.pages and not seconds_to_first:
            seconds_to_first.append(time.perf_counter() - started_at)
        pages.extend(batch.pages)

    await DocumentReader().read_in_batches(data, name, take)
    seconds = time.perf_counter() - started_at
    split_at = time.perf_counter()
    chunk_count = sum(1 for _ in split_document(pages))
    split_seconds = time.perf_counter() - split_at
    # Of the largest child so far: read it after the smallest formats to tell them apart.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1_000
    return [
        table.Row(f"{name}: {len(pages):,} pages, reading", len(pages) / seconds, unit="pages/s"),
        table.Row("  to the first pages", 1_000 * seconds_to_first[0]),
        table.Row("  300 pages", 300 * seconds / len(pages), aim=60, unit="s"),
        table.Row(f"  {chunk_count:,} chunks, splitting", 1_000 * split_seconds),
        table.Row("  peak memory of the readers so far", peak, unit="MB"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ingest", description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES, help=f"pages of the generated book ({PAGES})")
    parser.add_argument("--book", type=Path, action="append", default=[], help="a document of your own")
    options = parser.parse_args()
    books = {path.name: path.read_bytes() for path in options.book} or make_books(options.pages)
    print(table.machine())
    print(table.format_header())
    for name, data in sorted(books.items(), key=lambda book: book[0].endswith(".pdf")):
        for row in asyncio.run(_measure(name, data)):
            print(table.format_row(row))


if __name__ == "__main__":
    main()
