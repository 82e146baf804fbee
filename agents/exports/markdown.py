"""Escapes outside text for a Markdown file, so that it reads as written and never becomes structure.

Escapes are backslashes before punctuation, which CommonMark and its dialects (GitHub, Pandoc, Obsidian) undo.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from agents.sanitize import clean

_INLINE: Final = re.compile(r"[\\`*_\[\]<>{}#|~^$&]|%(?=%)|(?<=%)%|=(?==)|(?<==)=")
_LINE_OPENING: Final = re.compile(r"[+\-=:]|[0-9]{1,9}(?=[.)])")
_LINE_ENDS: Final = re.compile(r"[\n\u2028\u2029]")
_EMPTY_LINES: Final = re.compile(r"\n{2,}")


def escape_line(text: str) -> str:
    """Return `text` as one escaped line, for headings and labels."""
    return _escape(" ".join(_LINE_ENDS.sub(" ", clean(text)).split()))


def escape_paragraphs(text: str) -> list[str]:
    """Return the paragraphs of `text`, escaped; line breaks within one are kept as hard breaks."""
    lines = [line.strip() for line in _LINE_ENDS.split(clean(text))]
    parts = _EMPTY_LINES.split("\n".join(lines).strip("\n"))
    return ["\\\n".join(map(_escape, part.split("\n"))) for part in parts if part]


def format_block_quote(block: str) -> str:
    """Return a finished block as a block quote."""
    return "\n".join(f"> {line}".rstrip(" ") for line in block.split("\n"))


def append_footnotes(block: str, footnote_numbers: Iterable[int]) -> str:
    """Return a finished block with footnote marks behind it."""
    marks = "".join(f"[^{number}]" for number in footnote_numbers)
    # `![` would open an image.
    return f"{block[:-1]}\\!{marks}" if marks and block.endswith("!") else block + marks


def _escape(line: str) -> str:
    """Escape one line: characters that mean something anywhere, and those that do at its beginning."""
    line = _INLINE.sub(r"\\\g<0>", line)
    opening = _LINE_OPENING.match(line)
    if opening is None:
        return line
    escape_position = opening.end() if opening[0][0].isdigit() else 0
    return f"{line[:escape_position]}\\{line[escape_position:]}"
