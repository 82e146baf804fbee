"""Reads the tags of solo logs (`[N:Marta|wary]`, `[L:Mill|burned]`, `[E:Flood 2/6]`, `[Thread:Find Tom|Open]`).

The notation is that of Lonelog (https://lonelog.org). In a turn's text a tag becomes words; what it says of the
world is kept beside the text, and `agents.importers.tag_proposals` makes proposals of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.importers.log_entries import ImportProblem, LogEntry, LogTag, TagKind, Voice

_ESCAPE: Final = re.compile(r"\\([\[\]()|\\])")
TAG_BODY: Final = r"(?:\\[\[\]|\\]|\\(?![\[\]|\\])|[^\[\]\n\\]){1,400}"
"""What a tag says, as a pattern: brackets have a backslash before them, as in Markdown."""

_TAG: Final = re.compile(rf"\[#?(?P<kind>[A-Za-z]{{1,12}}):(?P<body>{TAG_BODY})\]")
_ONLY_TAGS: Final = re.compile(rf"(?:\[#?[A-Za-z]{{1,12}}:{TAG_BODY}\][\s,;]*)+")
_PART_BREAK: Final = re.compile(r"((?:\\[\[\]|\\]|[^|])*)(?:\||$)")
_STEPS: Final = re.compile(r"\b(?P<filled>\d{1,3})\s*/\s*(?P<size>\d{1,3})\b")
_COUNT: Final = re.compile(r"[\s|]+(?P<count>\d{1,3})$")
_ARROW: Final = re.compile(r"\s*(?:→|->|=>)\s*")
_KINDS: Final = {
    **dict.fromkeys(("n", "npc"), TagKind.CHARACTER),
    "pc": TagKind.HERO,
    **dict.fromkeys(("l", "loc", "location", "place"), TagKind.PLACE),
    **dict.fromkeys(("thread", "quest"), TagKind.THREAD),
    **dict.fromkeys(("e", "event", "clock", "track"), TagKind.CLOCK),
    "timer": TagKind.TIMER,
}
_CLOCK_KINDS: Final = (TagKind.CLOCK, TagKind.TIMER)


def unescape(text: str) -> str:
    """Return a text of a tag, or a name in brackets, without the backslashes before brackets and bars."""
    return _ESCAPE.sub(r"\1", text)


def read_tags(entries: Sequence[LogEntry]) -> tuple[list[LogEntry], list[ImportProblem]]:
    """Return the entries with their tags read, and what is left of them in the text reported.

    A tag of a mark or a note moves to the next turn, or to the last one: only a turn can be evidence.
    """
    read_entries: list[LogEntry] = []
    unknown_kinds: Counter[str] = Counter()
    waiting_tags: tuple[LogTag, ...] = ()
    last_turn_index: int | None = None
    for entry in entries:
        read_entry = _read_entry(entry, unknown_kinds)
        if read_entry.voice in (Voice.MARK, Voice.OOC):
            waiting_tags += read_entry.tags
            read_entry = replace(read_entry, tags=())
        else:
            read_entry = replace(read_entry, tags=waiting_tags + read_entry.tags)
            waiting_tags, last_turn_index = (), len(read_entries)
        read_entries.append(read_entry)
    if waiting_tags and last_turn_index is not None:
        last_turn = read_entries[last_turn_index]
        read_entries[last_turn_index] = replace(last_turn, tags=last_turn.tags + waiting_tags)
    return read_entries, list(_describe_unknown(unknown_kinds))


def _read_entry(entry: LogEntry, unknown_kinds: Counter[str]) -> LogEntry:
    if "[" not in entry.text:
        return entry
    tags: list[LogTag] = []
    pieces: list[str] = []

    def words(match: re.Match[str]) -> str:
        tag = _parse_tag(match)
        if tag is None:
            unknown_kinds[match["kind"]] += 1
            pieces.append(match[0])
        else:
            tags.append(tag)
            words_before = entry.text[: match.start()].rstrip().casefold()
            pieces.append(_tag_words(tag, is_name_before=words_before.endswith(tag.name.casefold())))
        return pieces[-1]

    text = _TAG.sub(words, entry.text)
    if not tags:
        return entry
    if _ONLY_TAGS.fullmatch(entry.text):
        voice = Voice.SYSTEM if entry.voice in (None, Voice.GM) else entry.voice
        return replace(entry, text="; ".join(pieces), voice=voice, tags=(*entry.tags, *tags))
    return replace(entry, text=text, tags=(*entry.tags, *tags))


def _parse_tag(match: re.Match[str]) -> LogTag | None:
    kind = _KINDS.get(match["kind"].casefold())
    if kind is None:
        return None
    name, *details = [unescape(" ".join(part.split())) for part in _PART_BREAK.findall(match["body"])[:-1]]
    steps: tuple[int, int] | None = None
    if kind in _CLOCK_KINDS:
        body = " ".join(match["body"].split())
        # The last of a name: the clock `Watch 2/3` stands in `[Clock:Watch 2/3 1/6]`.
        in_name = list(_STEPS.finditer(name))[-1:]
        if progress := in_name[0] if in_name else _STEPS.search(body):
            steps = (int(progress["filled"]), int(progress["size"]))
            if in_name:
                name = (name[: progress.start()] + name[progress.end() :]).strip(" :")
            details = [detail for detail in details if not _STEPS.search(detail)]
        elif count := _COUNT.search(body):
            steps = (int(count["count"]), 0)
            name = _COUNT.sub("", name).strip(" :")
            details = [detail for detail in details if not detail.isdecimal()]
    # `friendly → hostile`: what it became.
    details = [_ARROW.split(detail)[-1] for detail in details]
    return LogTag(kind, name, tuple(filter(None, details)), steps) if name else None


def _tag_words(tag: LogTag, *, is_name_before: bool = False) -> str:
    """Return a tag in words; without the name where the text says it just before: `Kell [PC:Kell|HP 5]`."""
    details = list(tag.details)
    if tag.steps is not None:
        filled, size = tag.steps
        details.insert(0, f"{filled}/{size}" if size else str(filled))
    states = f"({', '.join(details)})" if details else ""
    return " ".join(filter(None, ("" if is_name_before else tag.name, states)))


def _describe_unknown(unknown_kinds: Counter[str]) -> Iterator[ImportProblem]:
    if unknown_kinds:
        total = sum(unknown_kinds.values())
        kinds = ", ".join(f"[{kind}:...]" for kind, _ in unknown_kinds.most_common(4))
        tags = (
            "1 tag stays in the text as it stands"
            if total == 1
            else f"{total:,} tags stay in the text as they stand"
        )
        yield ImportProblem(0, f"{tags}: nothing is proposed for {kinds}")
