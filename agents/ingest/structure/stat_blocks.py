"""Reads stat blocks: of d20 games, in one line (`HP 12, AC 14`), and as code fences; and moves of PbtA games."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from agents.ingest.structure.markdown_blocks import (
    FenceBlock,
    HeadingBlock,
    MarkdownBlock,
    TableBlock,
    TextBlock,
    plain_text,
    strip_list_mark,
)

Numbers = tuple[tuple[str, int], ...]

ABILITIES: Final = ("STR", "DEX", "CON", "INT", "WIS", "CHA")
_SIGNED: Final = r"[+−–-]?\d{1,4}"
_LABELS: Final = {
    **dict.fromkeys(("armor class", "armour class", "ac", "a.c."), "AC"),
    **dict.fromkeys(("hit points", "hp", "h.p.", "hits", "hit point"), "HP"),
    **dict.fromkeys(("hit dice", "hd"), "HD"),
    **dict.fromkeys(("speed", "move", "mv", "movement"), "Speed"),
    **dict.fromkeys(("challenge rating", "challenge", "cr"), "CR"),
    **dict.fromkeys(("strength", "str"), "STR"),
    **dict.fromkeys(("dexterity", "dex"), "DEX"),
    **dict.fromkeys(("constitution", "con"), "CON"),
    **dict.fromkeys(("intelligence", "int"), "INT"),
    **dict.fromkeys(("wisdom", "wis"), "WIS"),
    **dict.fromkeys(("charisma", "cha"), "CHA"),
    **dict.fromkeys(("attack", "atk", "att", "to hit", "attack bonus"), "Attack"),
    **dict.fromkeys(("armor", "armour"), "Armor"),
    **dict.fromkeys(("morale", "ml"), "Morale"),
    **dict.fromkeys(("level", "lvl"), "Level"),
    **dict.fromkeys(("initiative", "init"), "Initiative"),
    **dict.fromkeys(("harm",), "Harm"),
    **dict.fromkeys(("defense", "defence", "def"), "Defense"),
    **dict.fromkeys(("passive perception",), "Passive Perception"),
    **dict.fromkeys(("proficiency bonus",), "Proficiency Bonus"),
    **dict.fromkeys(("wounds",), "Wounds"),
    **dict.fromkeys(("stress",), "Stress"),
    **dict.fromkeys(("stamina",), "Stamina"),
    **dict.fromkeys(("skill",), "Skill"),
    **dict.fromkeys(("damage", "dmg"), "Damage"),
}
_CERTAIN: Final = frozenset(
    {"AC", "HP", "HD", "STR", "DEX", "CON", "INT", "WIS", "CHA", "Attack", "Harm", "Wounds", "Morale"}
)
"""Labels of which a stat block has at least one."""
_LABEL_PATTERN: Final = "|".join(re.escape(label) for label in sorted(_LABELS, key=len, reverse=True))
_STAT: Final = re.compile(
    rf"(?<![\w+])(?P<label>{_LABEL_PATTERN})(?![\w.]|\s+(?:of|die|dice)\b)[*_]{{0,3}}\s{{0,3}}[:=]?\s{{0,3}}[*_]{{0,3}}\s{{0,3}}"
    rf"(?P<number>{_SIGNED})(?![\d]*d\d)(?!\w)",
    re.IGNORECASE,
)
_ABILITY_SCORE: Final = re.compile(r"(\d{1,2})")
_SCORE_IN_LINE: Final = re.compile(r"(?<![\d+−–-])(\d{1,2})\s*\(")
"""`18 (+4)`, of six in a line."""
_FENCE_LINE: Final = re.compile(r"\s*[\"']?([A-Za-z][\w ./]{0,30}?)[\"']?\s*:\s*(.*)")
_NUMBER_IN_FENCE: Final = re.compile(_SIGNED)
_MIN_STATS: Final = 2
_MAX_NAME_WORDS: Final = 6
_SHEET_SECTIONS: Final = frozenset(
    ["actions", "reactions", "bonus actions", "legendary actions", "lair actions", "traits", "special abilities",
     "mythic actions", "regional effects"]
)  # fmt: skip
_TRAIT: Final = re.compile(r"\s*(?:[-*+•]\s+)?[*_]{2,3}[^*_\n]{2,80}[*_]{2,3}")
_SHEET_WORDS: Final = re.compile(
    r"(?:Weapon|Spell) Attack:|\bMultiattack\b|^\*\*(?:Languages|Challenge|Senses|Saving Throws)\*\*",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands in no text but a stat block."""
_ROLL_PLUS: Final = re.compile(r"\broll\s*(?:2d6\s*)?\*{0,3}\s*\+\s*\*{0,3}\w", re.IGNORECASE)
_ON_TEN: Final = re.compile(r"\bon a \*{0,3}(?:10\s?\+|7\s?[-–]\s?9|hit\b|strong hit|miss\b)", re.IGNORECASE)
_MOVE_TITLE: Final = re.compile(r"\s*[*_]{2,3}([^*_\n]{2,60}?)[.:]?[*_]{2,3}")


@dataclass(frozen=True, slots=True)
class StatBlock:
    name: str
    """Empty where the stat block has none of its own, and the heading before it is its name."""
    description: str
    numbers: Numbers
    first_block: int
    last_block: int
    """Which blocks of the text it is."""
    span: tuple[int, int]
    """Where it stands in the text."""


@dataclass(frozen=True, slots=True)
class Move:
    """What a PbtA game calls a move: when this happens, roll."""

    name: str
    """Empty where the heading before it is its name."""
    text: str
    span: tuple[int, int]


def read_stats(text: str) -> Numbers:
    """Return the numbers of a stretch of text, in its order, each once."""
    numbers: dict[str, int] = {}
    for match in _STAT.finditer(text):
        label = _LABELS[match["label"].casefold()]
        numbers.setdefault(label, _number(match["number"]))
    return tuple(numbers.items())


def _number(digits: str) -> int:
    return int(digits.replace("−", "-").replace("–", "-").lstrip("+"))


def find_stat_blocks(blocks: Sequence[MarkdownBlock], text: str) -> list[StatBlock]:
    """Return the stat blocks of a text."""
    return list(_find_stat_blocks(blocks, text))


def find_sheet_blocks(blocks: Sequence[MarkdownBlock], text: str) -> set[int]:
    """Return which blocks are stat blocks, with the traits and actions that follow them: they name nobody."""
    sheets: set[int] = set()
    for each in find_stat_blocks(blocks, text):
        sheets.update(range(each.first_block, each.last_block + 1))
        if isinstance(blocks[each.last_block], FenceBlock) or each.name:
            continue
        sheets.update(_following_traits(blocks, text, each.last_block + 1))
    # What a page or a chunk begins with may go on with the sheet of the one before.
    opening = list(takewhile(lambda index: isinstance(blocks[index], TextBlock), range(len(blocks))))
    has_sheet_words = any(
        _SHEET_WORDS.search(text, blocks[index].start, blocks[index].end) for index in opening
    )
    if has_sheet_words or (len(opening) < len(blocks) and _is_sheet_section(blocks[len(opening)])):
        sheets.update(_following_traits(blocks, text, 0))
    for index, block in enumerate(blocks):
        if _is_sheet_section(block):
            sheets.update(_following_traits(blocks, text, index))
    return sheets


def _is_sheet_section(block: MarkdownBlock) -> bool:
    return isinstance(block, HeadingBlock) and block.title.casefold() in _SHEET_SECTIONS


def _following_traits(blocks: Sequence[MarkdownBlock], text: str, index: int) -> Iterator[int]:
    """Yield the blocks from `index` on that tell what the creature of a sheet can do."""
    while index < len(blocks):
        block = blocks[index]
        if not _is_sheet_section(block) and (
            not isinstance(block, TextBlock) or not _TRAIT.match(text, block.start, block.end)
        ):
            return
        yield index
        index += 1


def _find_stat_blocks(blocks: Sequence[MarkdownBlock], text: str) -> Iterator[StatBlock]:
    index = 0
    while index < len(blocks):
        block = blocks[index]
        if isinstance(block, FenceBlock):
            if stat_block := _read_fence(block, index):
                yield stat_block
            index += 1
            continue
        lines = list(_read_lines(block, text, index)) if isinstance(block, TextBlock) else []
        if lines:
            yield from lines
            index += 1
            continue
        end = _end_of_sheet(blocks, text, index)
        if end > index:
            yield _read_sheet(blocks, text, index, end)
            index = end
        else:
            index += 1


def _read_lines(block: TextBlock, text: str, index: int) -> Iterator[StatBlock]:
    """Return the stat blocks that are one line each: `Goblin Scout: HP 12, AC 14, Attack +3`."""
    for start, end in block.lines:
        line = text[start:end]
        numbers = read_stats(line)
        if len(numbers) < _MIN_STATS or _CERTAIN.isdisjoint(label for label, _ in numbers):
            continue
        first = _STAT.search(line)
        name = _line_name(line[: first.start()] if first else "")
        if name:
            yield StatBlock(name, plain_text(strip_list_mark(line)), numbers, index, index, (start, end))


def _line_name(before: str) -> str:
    """Return the name before the first number; empty if there is a sentence instead of one."""
    name = plain_text(strip_list_mark(before)).rstrip(" :.,;–—-([").strip()
    name = name.removeprefix("The ").strip()
    words = name.split()
    is_name = 0 < len(words) <= _MAX_NAME_WORDS and name[0].isupper() and not name.endswith(("!", "?"))
    has_verb = any(
        word.casefold() in ("has", "have", "with", "is", "are", "gains", "your", "a", "an", "to")
        for word in words
    )
    return name if is_name and not has_verb and name.casefold() not in _LABELS else ""


def _end_of_sheet(blocks: Sequence[MarkdownBlock], text: str, index: int) -> int:
    """Return where a stat block of several paragraphs ends; `index` if none begins there."""
    end, labels = index, set[str]()
    while end < len(blocks):
        block = blocks[end]
        if labels and _is_ability_row(block, text):
            end += 1
            continue
        if isinstance(block, HeadingBlock | FenceBlock):
            break
        block_labels = {label for label, _ in _numbers_at(blocks, text, end)}
        is_short = block.end - block.start < 400
        if not block_labels or not (is_short or isinstance(block, TableBlock)):
            if end > index and is_short and labels:
                end += 1  # `**Skills** Stealth +6` and the like between two lines of numbers
                if end < len(blocks) and _numbers_of(blocks[end], text):
                    continue
                end -= 1
            break
        labels |= block_labels
        end += 1
    is_sheet = (
        len(labels) >= _MIN_STATS
        and not _CERTAIN.isdisjoint(labels)
        and ({"AC", "HP", "HD", "Wounds"} & labels)
    )
    return end if is_sheet else index


def _is_ability_row(block: MarkdownBlock, text: str) -> bool:
    """Return whether a line is `STR DEX CON INT WIS CHA` and nothing else; its scores stand below it."""
    words = re.findall(r"\w+", text[block.start : block.end].upper()) if block.end - block.start < 80 else []
    return [word[:3] for word in words] == list(ABILITIES)


def _numbers_at(blocks: Sequence[MarkdownBlock], text: str, index: int) -> Numbers:
    block = blocks[index]
    if index and isinstance(block, TextBlock) and _is_ability_row(blocks[index - 1], text):
        scores = _SCORE_IN_LINE.findall(text[block.start : block.end])
        return tuple(zip(ABILITIES, map(int, scores), strict=True)) if len(scores) == len(ABILITIES) else ()
    return _numbers_of(block, text)


def _numbers_of(block: MarkdownBlock, text: str) -> Numbers:
    if isinstance(block, TableBlock):
        header = [cell.upper()[:3] for cell in block.header]
        if header[:6] == list(ABILITIES) and block.rows:
            scores = [_ABILITY_SCORE.search(cell) for cell in block.rows[0]]
            return tuple(
                (name, int(score[1])) for name, score in zip(ABILITIES, scores, strict=False) if score
            )
        return ()
    if isinstance(block, TextBlock):
        # A sentence that mentions numbers is no line of a stat block.
        lines = [text[start:end] for start, end in block.lines]
        return read_stats("\n".join(line for line in lines if _begins_with_stat(line)))
    return ()


def _begins_with_stat(line: str) -> bool:
    match = _STAT.search(line[:60])
    return match is not None and not line[: match.start()].strip(" *_>|-+•")


def _read_sheet(blocks: Sequence[MarkdownBlock], text: str, index: int, end: int) -> StatBlock:
    numbers: dict[str, int] = {}
    for place in range(index, end):
        for label, number in _numbers_at(blocks, text, place):
            numbers.setdefault(label, number)
    name, description, start = "", "", blocks[index].start
    first = index
    before = blocks[index - 1] if index else None
    if isinstance(before, TextBlock) and before.end - before.start < 120:
        # `*Large aberration, lawful evil*` between the heading and the numbers
        description, start, first = plain_text(text[before.start : before.end]), before.start, index - 1
    return StatBlock(name, description, tuple(numbers.items()), first, end - 1, (start, blocks[end - 1].end))


def _read_fence(block: FenceBlock, index: int) -> StatBlock | None:
    """Read a code fence of `key: value` lines, as the Fantasy Statblocks plug-in of Obsidian has them."""
    name, description = "", ""
    numbers: dict[str, int] = {}
    for line in block.body.split("\n"):
        match = _FENCE_LINE.fullmatch(line)
        if match is None:
            continue
        key, value = match[1].strip().casefold(), match[2].strip().strip("\"'")
        if key == "name":
            name = value
        elif key in ("stats", "abilities"):
            scores = [_number(number) for number in _NUMBER_IN_FENCE.findall(value)]
            numbers.update(zip(ABILITIES, scores, strict=False))
        elif key in _LABELS and (number := _NUMBER_IN_FENCE.match(value)):
            numbers.setdefault(_LABELS[key], _number(number[0]))
        elif key in ("type", "size", "alignment", "subtype") and value:
            description = f"{description} {value}".strip()
    is_stat_block = "statblock" in block.language or len(numbers) >= _MIN_STATS
    if not name or not numbers or not is_stat_block:
        return None
    return StatBlock(name, description, tuple(numbers.items()), index, index, (block.start, block.end))


def read_move(block: TextBlock, text: str) -> Move | None:
    """Return the move that a paragraph tells: `When you ..., roll +Bold. On a 10+ ...`."""
    words = text[block.start : block.end]
    if not _ROLL_PLUS.search(words) or not _ON_TEN.search(words):
        return None
    title = _MOVE_TITLE.match(words)
    name = plain_text(title[1]).strip(" .:") if title and not title[1].casefold().startswith("when") else ""
    return Move(name, plain_text(words), (block.start, block.end))
