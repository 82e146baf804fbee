"""Escapes outside text for a Markdown file, so that it reads as written and never becomes structure.

Escapes are backslashes before punctuation, which CommonMark and its dialects (GitHub, Pandoc, Obsidian) undo.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from agents.sanitize import clean

_INLINE: Final = re.compile(r"[\\`*_\[\]<>{}#|~^$&]|%(?=%)|(?<=%)%|=(?==)|(?<==)=")
_LINE_OPENING: Final = re.compile(r"[+\-=:]|[0-9]{1,9}(?=[.)])")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_LINE_ENDS: Final = re.compile(r"[\n\u2028\u2029]")
_EMPTY_LINES: Final = re.compile(r"\n{2,}")


def escape_line(text: str) -> str:
    """Return `text` as one escaped line, for headings and labels."""
    return _escape(" ".join(_LINE_ENDS.sub(" ", clean(text)).split()))


def escape_paragraphs(text: str, escape: Callable[[str], str] | None = None) -> list[str]:
    """Return the paragraphs of `text`, escaped; line breaks within one are kept as hard breaks.

    `escape` is another way to escape one line, as one that makes links.
    """
    lines = [line.strip() for line in _LINE_ENDS.split(clean(text))]
    parts = _EMPTY_LINES.split("\n".join(lines).strip("\n"))
    return ["\\\n".join(map(escape or _escape, part.split("\n"))) for part in parts if part]


def unescape(text: str) -> str:
    """Return what an escaped line reads as."""
    return _ESCAPED.sub(r"\1", text)


def escape_pieces(pieces: Iterable[tuple[str, str]]) -> str:
    """Return one line of texts and finished links: pairs of a text and, if it is one, the link in its place."""
    line = ""
    for text, link in pieces:
        # `![[` would embed a note.
        line = f"{line[:-1]}\\!" if link and line.endswith("!") else line
        line += link or _INLINE.sub(r"\\\g<0>", text)
    return _escape_opening(line)


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
    return _escape_opening(_INLINE.sub(r"\\\g<0>", line))


def _escape_opening(line: str) -> str:
    opening = _LINE_OPENING.match(line)
    if opening is None:
        return line
    escape_position = opening.end() if opening[0][0].isdigit() else 0
    return f"{line[:escape_position]}\\{line[escape_position:]}"
