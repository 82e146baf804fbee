"""Reads journals in Markdown, as Obsidian keeps them: prose under headings, with links, callouts and tasks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.importers.journal_markup import read_block, split_blocks
from agents.importers.log_entries import ParsedEntries
from agents.importers.plain_text import TextReader
from agents.importers.scenes import names_a_part

_MARKDOWN_HEADING: Final = re.compile(r"#{1,6}\s+(?P<title>\S.*?)\s*#*")


def has_session_heading(lines: Sequence[str]) -> bool:
    """Return whether a Markdown heading begins a session, a scene or a day."""
    return any(_is_session_heading(line) for line in lines)


def read_markdown(lines: Sequence[str]) -> ParsedEntries:
    """Read entries. Paragraphs are narration unless they say who speaks."""
    reader = TextReader(lines, is_journal=True)
    for block in split_blocks(lines):
        if block.is_log:
            for number, line in enumerate(block.lines, block.line):
                reader.read_line(number, line)
        else:
            reader.close()
            read_block(block, reader.parsed)
    reader.close()
    return reader.parsed


def _is_session_heading(line: str) -> bool:
    match = _MARKDOWN_HEADING.fullmatch(line.strip())
    return match is not None and names_a_part(match["title"])
