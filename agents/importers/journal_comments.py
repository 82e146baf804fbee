"""Takes the comments out of a journal's sentences: `%%words%%`, as Obsidian has them, and those of HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from agents.importers.log_entries import LogEntry, Voice

_COMMENT: Final = re.compile(r"%%(?P<marked>.*?)%%|<!--(?P<html>(?:(?!<!--).)*?)-->", re.DOTALL)


def split_comments(entry: LogEntry) -> Iterator[LogEntry]:
    """Yield an entry without the comments in its words, and each comment as a note behind it."""
    comments = [" ".join((m["marked"] or m["html"] or "").split()) for m in _COMMENT.finditer(entry.text)]
    if not comments or entry.voice is Voice.OOC:
        yield entry
        return
    text = _drop_comments(entry.text)
    if text or entry.tags or entry.voice is Voice.MARK:
        tags = tuple(replace(tag, name=_drop_comments(tag.name)) for tag in entry.tags)
        yield replace(entry, text=text, tags=tags)
    for comment in filter(None, comments):
        yield LogEntry(
            entry.line, entry.ref, comment, voice=Voice.OOC, time_text=entry.time_text, moment=entry.moment
        )


def _drop_comments(text: str) -> str:
    words = _COMMENT.sub(" ", text)
    if words == text:
        return text
    lines = (re.sub(r" (?=[.,;:!?](?:\s|$))", "", " ".join(line.split())) for line in words.split("\n"))
    return "\n".join(filter(None, lines))
