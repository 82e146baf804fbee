"""Reads Markdown files, also of an Obsidian vault, and plain text."""

from __future__ import annotations

import re
from typing import Final

import yaml

from agents.ingest.documents.child.open_document import ReadPages, describe_pictures
from agents.ingest.documents.child.text_pages import decode_text, split_into_pages
from agents.ingest.documents.formats import MediaType

_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_MAX_FRONT_MATTER: Final = 20_000
"""Characters; more is no front matter."""

_COMMENTS: Final = (("<!--", "-->"), ("%%", "%%"))
"""How comments begin and end, in HTML and in Obsidian."""

_ACTIVE: Final = re.compile(
    r"<(script|style|iframe|object|svg)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_TARGET: Final = r"\((?:<[^<>\n]*>|[^()\n]*(?:\([^()\n]*\)[^()\n]*)?)\)"
"""Where a link leads, behind its words; it may have a pair of brackets inside."""

_PICTURES: Final = re.compile(
    rf"!\[[^\]\[\n]*\]{_TARGET}"
    r"|!\[\[[^\]\[\n]+\.(?:png|jpe?g|gif|webp|svg|bmp|avif|pdf|mp3|mp4)(?:\|[^\]\[\n]*)?\]\]"
    r"|<img\b[^<>]*>",
    re.IGNORECASE,
)
_WIKI_LINKS: Final = re.compile(r"!?\[\[([^\]\[|\n]+)(?:\|([^\]\[\n]+))?\]\]")
_LINKS: Final = re.compile(rf"(?<!!)\[([^\]\[\n]+)\]{_TARGET}|<(?:https?|mailto):[^<>\s]*>")


def open_markdown(data: bytes) -> ReadPages:
    """Read Markdown: front matter is metadata, links become their words, pictures are left out."""
    text, notes = decode_text(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    title = ""
    if (match := _FRONT_MATTER.match(text)) and match.end() <= _MAX_FRONT_MATTER:
        title = _title_of_front_matter(match.group(1))
        text = text[match.end() :]
    for start, end in _COMMENTS:
        text = _drop_between(text, start, end)
    text = _ACTIVE.sub("", text)
    text, picture_count = _PICTURES.subn("", text)
    text = _WIKI_LINKS.sub(lambda link: link.group(2) or link.group(1).replace("#", ": ").strip(": "), text)
    text = _LINKS.sub(lambda link: link.group(1) or "", text)
    pages = split_into_pages(text)
    return ReadPages(title, MediaType.MARKDOWN, pages, (*notes, *describe_pictures(picture_count)))


def open_text(data: bytes) -> ReadPages:
    text, notes = decode_text(data)
    pages = split_into_pages(text.replace("\r\n", "\n").replace("\r", "\n"))
    return ReadPages("", MediaType.TEXT, pages, notes)


def _drop_between(text: str, start: str, end: str) -> str:
    """Return the text without what stands between two marks, and without them; a start without an end stays."""
    parts: list[str] = []
    place = 0
    while (first := text.find(start, place)) >= 0:
        last = text.find(end, first + len(start))
        if last < 0:
            break
        parts.append(text[place:first])
        place = last + len(end)
    return "".join([*parts, text[place:]])


def _title_of_front_matter(text: str) -> str:
    """Return the title; front matter that cannot be read has none. It never makes objects (`safe_load`)."""
    if "&" in text and "*" in text:
        return ""  # anchors and aliases can grow without bounds
    try:
        fields = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return ""
    title = fields.get("title") if isinstance(fields, dict) else None
    return title if isinstance(title, str) else ""
