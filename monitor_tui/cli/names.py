"""`monitor names`: the names of a text, and who says what in it, found without a model."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from monitor_tui.cli.common import AsJson, command_group, count_text, print_json, print_progress
from stores.errors import InputError

if TYPE_CHECKING:
    from agents.ingest.documents.formats import MediaType
    from agents.ingest.names.name_findings import NamesFound

commands = command_group()

MAX_NAMES_FILE: Final = 16 * 1024 * 1024
"""Bytes of a file that is read: some forty novels."""
MAX_LISTED_NAMES: Final = 60
"""Names of the table; --json has all."""
MAX_LISTED_ALIASES: Final = 4

_SNIFFED_BYTES: Final = 8_192


@commands.command()
def names(
    file: Annotated[
        Path,
        typer.Argument(help="A text or Markdown file, or a PDF, EPUB, DOCX or HTML; - is text from stdin."),
    ],
    as_json: AsJson = False,
) -> None:
    """List the names of a text with their kinds and aliases, and who speaks each quote.

    Nothing is stored. With --json every mention and every quote has its place: characters of the file's text, as it
    is decoded, from `start` to before `end`. Of a PDF, EPUB, DOCX or HTML they count in its pages' text, with a blank
    line between pages.
    """
    from agents.ingest.names.find_names import find_names

    text = asyncio.run(_read_text(file))
    names_found = find_names(text)
    if as_json:
        print_json(names_json(names_found))
    else:
        print("\n".join(_table_lines(names_found)))


async def _read_text(file: Path) -> str:
    """Return the text of a file. Raises InputError for what is empty, too large or cannot be read."""
    from agents.ingest.documents.formats import media_type_of_name
    from monitor_tui.input_files import STDIN_PATH

    if str(file) != STDIN_PATH and media_type_of_name(file.name) not in (None, *_plain_types()):
        return await _read_document(file)
    if str(file) == STDIN_PATH:
        data = await asyncio.to_thread(sys.stdin.buffer.read, MAX_NAMES_FILE + 1)
    else:
        data = await asyncio.to_thread(_read_bytes, file)
    if len(data) > MAX_NAMES_FILE:
        raise _unreadable(file, f"is larger than {MAX_NAMES_FILE // 1024 // 1024} MB", "Split it.")
    return _decode_text(data, file)


def _plain_types() -> tuple[MediaType, ...]:
    """Return the formats that are read as they stand, so that places count in the file itself."""
    from agents.ingest.documents.formats import MediaType

    return (MediaType.TEXT, MediaType.MARKDOWN)


async def _read_document(file: Path) -> str:
    """Return the text of a document's pages."""
    from agents.ingest.documents.reading import DocumentReader

    path = await asyncio.to_thread(file.expanduser)
    document = await DocumentReader().read(path, file.name)
    for note in document.notes:
        print_progress(note)
    return "\n\n".join(page.text for page in document.pages)


def _read_bytes(file: Path) -> bytes:
    try:
        with file.expanduser().open("rb") as opened:
            return opened.read(MAX_NAMES_FILE + 1)
    except (OSError, ValueError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _unreadable(file, f"cannot be read: {reason.lower()}", "Check its name.") from error


def _decode_text(data: bytes, file: Path) -> str:
    """Return the characters of a text file; places count in these."""
    if not data.strip():
        raise _unreadable(file, "is empty", "Choose a file with text in it.")
    if b"\0" in data[:_SNIFFED_BYTES]:
        raise _unreadable(file, "is not text", "Save its text as UTF-8 (.txt or .md).")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        print_progress(f"{file} is not in UTF-8 and was read as Windows-1252.")
        return data.decode("cp1252", errors="replace")


def _unreadable(file: Path, reason: str, todo: str) -> InputError:
    return InputError(f"{file} {reason}.", kept="Nothing was listed.", todo=todo)


def names_json(names_found: NamesFound) -> dict[str, Any]:
    """Return what `--json` prints."""
    return {
        "names": [
            {
                "name": name.name,
                "kind": name.kind.value,
                "aliases": list(name.aliases),
                "mentions": [{"start": m.start, "end": m.end, "text": m.text} for m in name.mentions],
            }
            for name in names_found.names
        ],
        "quotes": [
            {"start": quote.start, "end": quote.end, "text": quote.text, "speaker": quote.speaker}
            for quote in names_found.quotes
        ],
    }


def _table_lines(names_found: NamesFound) -> list[str]:
    if not names_found.names:
        return ["No names were found.", *_quote_lines(names_found)]
    rows = [
        (name.name, name.kind.value, f"{len(name.mentions):,}", _alias_text(name.aliases))
        for name in names_found.names[:MAX_LISTED_NAMES]
    ]
    widths = [max(len(row[column]) for row in (*rows, ("Name", "Kind", "Times", ""))) for column in range(3)]
    lines = [
        f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {times:>{widths[2]}}  {aliases}".rstrip()
        for name, kind, times, aliases in (("Name", "Kind", "Times", "Also called"), *rows)
    ]
    if len(names_found.names) > MAX_LISTED_NAMES:
        lines.append(f"... and {len(names_found.names) - MAX_LISTED_NAMES:,} more (all with --json)")
    return [*lines, *_quote_lines(names_found)]


def _alias_text(aliases: tuple[str, ...]) -> str:
    listed = ", ".join(aliases[:MAX_LISTED_ALIASES])
    return f"{listed}, ..." if len(aliases) > MAX_LISTED_ALIASES else listed


def _quote_lines(names_found: NamesFound) -> list[str]:
    if not names_found.quotes:
        return []
    known_count = sum(quote.speaker is not None for quote in names_found.quotes)
    return ["", f"{count_text(len(names_found.quotes), 'quote')}, {known_count:,} with a speaker."]
