"""Reads the Markdown around a journal's words: front matter, links, callouts, quotes, tasks and comments.

Callouts, wiki links, `%%comments%%` and properties are written as in Obsidian (https://help.obsidian.md),
fields (`weather:: snow`) as in Dataview (https://blacksmithgu.github.io/obsidian-dataview).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.importers.log_entries import ImportProblem, LogEntry, LogTag, ParsedEntries, TagKind, Voice
from agents.importers.plain_text import is_name
from agents.yaml_with_lines import UnreadableYaml, load_yaml


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text, which is shorter to read than a set of strings."""
    return frozenset(words.split())


MAX_FRONT_MATTER_LINES: Final = 200

_FRONT_MATTER_KEYS: Final = word_set(
    "title aliases alias tags date created updated modified type session scene system ruleset rules genre setting"
    " world campaign tone themes theme tools player players pc pcs character characters start_date last_update"
    " notes summary status cssclass cssclasses publish author location"
)
"""Of these one must stand between two rules for that to be front matter and not play."""

LINK: Final = re.compile(
    r"(?P<embed>!)?\[\[(?P<target>[^\[\]|#^\n]{0,200})(?P<part>[#^][^\[\]|\n]{0,200})?(?:\|(?P<shown>[^\[\]\n]{1,200}))?\]\]"
)
_CALLOUT: Final = re.compile(r"\[!(?P<type>[\w-]{1,40})(?:\|[^\]]{0,60})?\][+-]?\s*(?P<title>.*)")
_TASK: Final = re.compile(r"[-*+]\s+\[(?P<state>[ xX/>?!-])\]\s+(?P<text>\S.*)")
_FIELD: Final = re.compile(r"[-*]?\s*\[?(?P<key>[^\W\d][\w -]{0,38})::\s*(?P<value>[^\]\n]*)\]?")
_FENCE: Final = re.compile(r"(?P<marks>`{3,}|~{3,})\s*(?P<language>[\w:+.-]*)")
_COMMENT_MARK: Final = "%%"

_NOTE_CALLOUTS: Final = word_set(
    "note info tip hint todo important warning caution attention danger bug abstract summary tldr success check"
    " done question help faq failure fail missing error meta ooc recap"
)
_ROLL_CALLOUTS: Final = word_set("roll rolls dice oracle move mechanics check-roll result")
_SPEECH_CALLOUTS: Final = word_set("quote cite npc dialogue speech says")
"""Types of callouts whose title may be who speaks."""

_QUERY_LANGUAGES: Final = word_set(
    "dataview dataviewjs query tasks base mermaid leaflet button meta-bind timeline"
)
"""Languages of code blocks that draw something in Obsidian and say nothing themselves."""

_LOG_LANGUAGES: Final = frozenset({"", "lonelog", "solo", "log", "text", "txt", "md", "markdown"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands between two rules at the top of a journal, in its order."""

    fields: tuple[tuple[str, str], ...] = ()
    line_count: int = 0
    """Lines that it takes, its rules included."""

    problem: str = ""
    """Why it could not be read; `fields` then holds its lines."""

    def value(self, *keys: str) -> str:
        """Return the value of the first of the keys that has one."""
        values = {key.casefold(): value for key, value in self.fields}
        return next((values[key] for key in keys if values.get(key)), "")


class BlockKind(StrEnum):
    """What a block of Markdown is; LINES are for the reader of the log's own dialect."""

    LINES = "lines"
    CODE = "code"
    CALLOUT = "callout"
    QUOTE = "quote"
    TASK = "task"
    FIELD = "field"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class MarkupBlock:
    """Lines of a journal that belong together, without the signs that make them a block."""

    kind: BlockKind
    line: int
    """The first line, from 1."""

    lines: tuple[str, ...]
    label: str = ""
    """Type of a callout, language of code, state of a task, key of a field."""

    @property
    def is_log(self) -> bool:
        """Return whether the lines are in the log's own dialect, as they are in a code block without a language."""
        return self.kind is BlockKind.LINES or (
            self.kind is BlockKind.CODE and self.label.casefold() in _LOG_LANGUAGES
        )


def read_front_matter(lines: Sequence[str]) -> FrontMatter:
    """Return the front matter; without fields if the journal has none."""
    start = next((i for i, line in enumerate(lines[:20]) if line.strip()), 0)
    if not lines or lines[start].strip() != "---":
        return FrontMatter()
    window = lines[start + 1 : start + 1 + MAX_FRONT_MATTER_LINES]
    length = next((i for i, line in enumerate(window) if line.strip() in ("---", "...")), None)
    if length is None:
        return FrontMatter()
    inside, line_count = window[:length], start + length + 2
    keys = {line.partition(":")[0].strip().casefold() for line in inside if ":" in line}
    if not keys & _FRONT_MATTER_KEYS:
        return FrontMatter()
    # A bare wiki link is a list of a list in YAML, and a colon within a value ends the field.
    try:
        data = load_yaml("\n".join(map(_quote_links, inside))).data
    except UnreadableYaml as error:
        return FrontMatter(_split_fields(inside), line_count, str(error))
    if not isinstance(data, Mapping):
        return FrontMatter(_split_fields(inside), line_count, "it is a list")
    fields = ((str(key), _field_text(value)) for key, value in data.items())
    return FrontMatter(tuple((k, v) for k, v in fields if v), line_count)


def has_markup(lines: Sequence[str]) -> bool:
    """Return whether any line has a link, a callout, a task or a field of a Markdown journal."""
    return any(
        LINK.search(line) or _TASK.match(line.strip()) or _CALLOUT.match(line.strip(" >")) for line in lines
    )


def plain_links(text: str) -> str:
    """Return the text with the words that each wiki link shows; a picture is its file's name in brackets."""
    return LINK.sub(link_words, text)


def link_words(link: re.Match[str]) -> str:
    """Return the words that a link shows; a picture is its file's name in brackets."""
    target = (link["target"] or link["part"] or "").strip("#^ ")
    shown = link["shown"] or target.rpartition("/")[2]
    return f"[{target}]" if link["embed"] else shown.strip()


def split_blocks(lines: Sequence[str]) -> Iterator[MarkupBlock]:
    r"""Yield the blocks in order. Blank lines belong to LINES, and so does prose between `\---` and `---\`."""
    own_lines: list[str] = []
    index = own_start = 0

    def flush() -> Iterator[MarkupBlock]:
        if own_lines:
            yield MarkupBlock(BlockKind.LINES, own_start + 1, tuple(own_lines))
            own_lines.clear()

    while index < len(lines):
        end, block = _block_at(lines, index)
        if block is None:
            own_start = own_start if own_lines else index
            own_lines += lines[index:end]
        else:
            yield from flush()
            yield block
        index = end
    yield from flush()


def read_block(block: MarkupBlock, parsed: ParsedEntries) -> None:
    """Add the entry of a block that is not LINES: narration, a roll, a note or something to do."""

    def add(
        voice: Voice,
        text: str,
        *,
        speaker: str = "",
        is_callout: bool = False,
        tags: tuple[LogTag, ...] = (),
    ) -> None:
        if text.strip():
            ref = str(block.line)
            parsed.entries.append(
                LogEntry(block.line, ref, text.strip(), speaker, voice, is_callout=is_callout, tags=tags)
            )

    text = "\n".join(block.lines).strip()
    match block.kind:
        case BlockKind.CALLOUT if block.label in _SPEECH_CALLOUTS and is_name(block.lines[0]):
            words = "\n".join(block.lines[1:])
            voice = Voice.NPC if words.strip() else Voice.GM
            add(voice, words or text, speaker=block.lines[0], is_callout=block.label != "npc")
        case BlockKind.CALLOUT:
            add(_callout_voice(block.label), text)
        case BlockKind.CODE if block.label.casefold() in _QUERY_LANGUAGES:
            message = f"a block of {block.label} draws something in Obsidian and says nothing; left out"
            parsed.problems.append(ImportProblem(block.line, message, is_lost=True))
        case BlockKind.CODE:
            is_roll = block.label.casefold().startswith(("iron-vault", "mechanics", "dice"))
            add(Voice.ORACLE if is_roll else Voice.GM, text)
        case BlockKind.TASK if block.label == " ":
            thread = LogTag(TagKind.THREAD, plain_links(text))
            add(Voice.SYSTEM, f"To do: {text}", tags=(thread,))
        case BlockKind.TASK:
            add(Voice.SYSTEM, f"Done: {text}" if block.label in "xX" else f"To do, moved: {text}")
        case BlockKind.FIELD:
            add(Voice.OOC, f"{block.label}: {text}")
        case BlockKind.COMMENT:
            add(Voice.OOC, text)
        case BlockKind.QUOTE | BlockKind.LINES:
            add(Voice.GM, text)


def _block_at(lines: Sequence[str], start: int) -> tuple[int, MarkupBlock | None]:
    """Return where the block at `start` ends, and the block; None for the log's own lines."""
    stripped, number = lines[start].strip(), start + 1
    if stripped == "\\---":
        end = next((i for i in range(start + 1, len(lines)) if lines[i].strip() == "---\\"), len(lines) - 1)
        return end + 1, None
    if fence := _FENCE.fullmatch(stripped):
        marks = fence["marks"]
        closing = next((i for i in range(start + 1, len(lines)) if lines[i].strip() == marks), None)
        if closing is None:  # Only the fence is left out, not the rest of the journal.
            return start + 1, MarkupBlock(BlockKind.LINES, number, ())
        code = tuple(lines[start + 1 : closing])
        return closing + 1, MarkupBlock(BlockKind.CODE, number + 1, code, fence["language"])
    if stripped.startswith(_COMMENT_MARK):
        return _comment_at(lines, start)
    if stripped.startswith(">"):
        return _quote_at(lines, start)
    if match := _TASK.fullmatch(stripped):
        return start + 1, MarkupBlock(BlockKind.TASK, number, (match["text"],), match["state"])
    if match := _FIELD.fullmatch(stripped):
        return start + 1, MarkupBlock(BlockKind.FIELD, number, (match["value"],), match["key"].strip())
    return start + 1, None


def _comment_at(lines: Sequence[str], start: int) -> tuple[int, MarkupBlock | None]:
    first = lines[start].strip().removeprefix(_COMMENT_MARK)
    if first.endswith(_COMMENT_MARK):
        words = first.removesuffix(_COMMENT_MARK).strip()
        return start + 1, MarkupBlock(BlockKind.COMMENT, start + 1, (words,))
    closing = next((i for i in range(start + 1, len(lines)) if _COMMENT_MARK in lines[i]), None)
    if closing is None or _COMMENT_MARK in first:
        return start + 1, None
    last = lines[closing].replace(_COMMENT_MARK, " ")
    comment = (first, *lines[start + 1 : closing], last)
    return closing + 1, MarkupBlock(BlockKind.COMMENT, start + 1, tuple(line.strip() for line in comment))


def _quote_at(lines: Sequence[str], start: int) -> tuple[int, MarkupBlock]:
    end = next((i for i in range(start, len(lines)) if not lines[i].strip().startswith(">")), len(lines))
    quoted = [re.sub(r"^(?:\s*>)+ ?", "", line).rstrip() for line in lines[start:end]]
    if (match := _CALLOUT.fullmatch(quoted[0].strip())) is None:
        return end, MarkupBlock(BlockKind.QUOTE, start + 1, tuple(quoted))
    body = (match["title"].strip(), *quoted[1:])
    return end, MarkupBlock(BlockKind.CALLOUT, start + 1, body, match["type"].casefold())


def _callout_voice(callout_type: str) -> Voice:
    if callout_type in _ROLL_CALLOUTS:
        return Voice.ORACLE
    return Voice.OOC if callout_type in _NOTE_CALLOUTS else Voice.GM


def _quote_links(line: str) -> str:
    """Quote a bare value with a link or a tag of a solo log, which YAML would read as a list."""
    match = re.fullmatch(r"(\s*(?:[\w -]+:|-))\s+([^\"'\s].*\[.*|\[\[.*)", line)
    if match is None or (match[2].startswith("[") and not match[2].startswith("[[")):
        return line
    escaped = match[2].replace("\\", "\\\\").replace('"', '\\"')
    return f'{match[1]} "{escaped}"'


def _split_fields(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return `key: value` of every line that has both, for front matter that is no YAML."""
    pairs = (line.partition(":") for line in lines if not line[:1].isspace())
    return tuple((k.strip(), v.strip(" \"'")) for k, _, v in pairs if k.strip() and v.strip())


def _field_text(value: object) -> str:
    match value:
        case None:
            return ""
        case Mapping():
            return ", ".join(f"{key} {_field_text(inner)}".strip() for key, inner in value.items())
        case list():
            return ", ".join(filter(None, map(_field_text, value)))
        case _:
            return " ".join(plain_links(str(value)).split())
