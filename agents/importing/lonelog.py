"""Solo logs: Lonelog, and MONITOR's own journal of a story, which is written much like it.

`@` action, `?` question, `->` answer, `d:` roll, `=>` what happens, `S1` scene, `(note: ...)`, and tags such
as `[N:Name|friendly]`. Source: Lonelog by R. Bisceglie; the journal: `agents.orchestrator.story_export`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from agents.importing.entries import Entry, Gathering, Problem, Voice
from agents.importing.marks import day_in, mark_in
from agents.importing.plain_text import is_name
from agents.importing.times import day_of
from agents.orchestrator.story_export import LEGEND

_SIGNS: Final = {"@": Voice.PLAYER, "?": Voice.PLAYER, "->": Voice.ORACLE, "=>": Voice.GM, "d:": Voice.ORACLE}
_SIGN: Final = re.compile(r"(?P<sign>@|\?|->|=>|d:|gen:|tbl:)\s*(?P<text>.*)", re.DOTALL)
_SO: Final = re.compile(r"\s+(?==>\s)")
_ROLLED: Final = re.compile(r"\s+(?=(?:->|d:)\s)")
_SCENE: Final = re.compile(r"(?:T\d+-)?S\d+[a-z]?(?:\.\d+)?\b[:.]?\s*(?P<title>.*)")
_SPOKEN: Final = re.compile(
    r"(?P<who>PC|N|NPC)\s*(?:[(\[](?P<name>[^()\[\]]{1,60})[)\]])?\s*:\s*(?P<text>.+)", re.DOTALL
)
_TAGS: Final = re.compile(r"(?:\[[A-Za-z#]+:[^\[\]]*\]\s*)+")
_META: Final = re.compile(r"\((?P<key>[a-z ]{2,20}):\s*(?P<text>.*?)\)?", re.DOTALL | re.IGNORECASE)
_FACT: Final = re.compile(r"(?:!|<-)\s")
_NAMED: Final = re.compile(r"(?P<name>[^\s:][^:\n]{0,58}?): (?P<text>.+)", re.DOTALL)
_ABOUT: Final = ("world", "hero", "theme", "tone", "goal", "recap")
"""What a journal says of the story beside its line."""


def signs_in(lines: Sequence[str]) -> int:
    """Count the lines that begin with a sign of a solo log."""
    return sum(bool(re.match(r"(?:@|\?|->|=>|d:)\s+\S|T?\d*-?S\d+\b", line.strip())) for line in lines)


def read_lonelog(lines: Sequence[str]) -> Gathering:
    """Read entries. Facts of a journal are left out, and that is said: nothing of an import is canon."""
    gathering = Gathering()
    ours = any(line.strip() == LEGEND for line in lines[:10])
    hero, facts = "", 0
    for number, block in _blocks(lines, ours=ours):
        if _FACT.match(block):
            facts += 1
            continue
        if (meta := _META.fullmatch(block)) and meta["key"].casefold() in _ABOUT:
            hero = meta["text"].strip() if meta["key"].casefold() == "hero" else hero
            if meta["key"].casefold() in ("goal", "recap"):
                gathering.entries.append(Entry(number, str(number), block, voice=Voice.OOC))
            continue
        gathering.entries += _entries(number, block, hero, ours=ours)
    if facts:
        noun = "line" if facts == 1 else "lines"
        words = f"{facts:,} {noun} of canon and evidence (! and <-) left out: nothing of an import is canon"
        gathering.problems.append(Problem(0, words, lost=True))
    return gathering


def _blocks(lines: Sequence[str], *, ours: bool) -> Iterator[tuple[int, str]]:
    """Yield each entry with the line it begins at: indented lines go on, and so does a told block."""
    start, block, telling = 0, "", False
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if telling:
            telling = bare != "---\\"
            block += f"\n{bare}" if telling else ""
            continue
        goes_on = bool(block) and line[:1] in " \t" and bool(bare)
        if goes_on:
            block += f"\n{bare}"
            continue
        if block:
            yield start, block
            block = ""
        telling = bare == "\\---"
        if bare and not telling and not (ours and number <= 10 and (bare == LEGEND or number == 1)):
            start, block = number, bare
        elif telling:
            start, block = number, "\\---"
    if block:
        yield start, block


def _entries(number: int, block: str, hero: str, *, ours: bool) -> Iterator[Entry]:
    ref = str(number)

    def entry(voice: Voice, text: str, speaker: str = "") -> Entry:
        return Entry(number, ref, text.strip(), speaker or (hero if voice is Voice.PLAYER else ""), voice)

    if block.startswith("\\---"):
        yield entry(Voice.GM, block.removeprefix("\\---"))
    elif match := _SCENE.fullmatch(block):
        yield entry(Voice.MARK, match["title"].strip("* ") or block)
    elif _SIGN.match(block):
        for piece in [block] if ours else _pieces(block):
            yield from _signed(piece, entry, ours=ours)
    elif match := _SPOKEN.fullmatch(block):
        voice = Voice.PLAYER if match["who"] == "PC" else Voice.NPC
        yield entry(voice, match["text"], (match["name"] or "").strip())
    elif _TAGS.fullmatch(block):
        yield entry(Voice.SYSTEM, block)
    elif block.startswith("(") and (meta := _META.fullmatch(block)):
        yield entry(Voice.OOC, meta["text"])
    elif (day := day_in(block)) is not None:
        yield entry(Voice.MARK, day_of(day))
    elif (mark := mark_in(block)) is not None:
        yield entry(Voice.MARK, mark)
    elif block.startswith("(") and block.endswith(")"):
        yield entry(Voice.OOC, block.strip("()"))
    else:
        yield entry(Voice.GM, block)


def _pieces(block: str) -> Iterator[str]:
    """Part `@ I sneak d: 4 vs 5 -> fail => It barks` into what is done, rolled and comes of it."""
    for piece in _SO.split(block):
        yield from _ROLLED.split(piece, maxsplit=1) if piece[0] in "@?" else [piece]


def _signed(piece: str, entry: Callable[..., Entry], *, ours: bool) -> Iterator[Entry]:
    match = _SIGN.fullmatch(piece)
    assert match is not None
    sign, text = match["sign"], match["text"]
    if not text.strip():
        return
    if sign in ("gen:", "tbl:"):
        yield entry(Voice.ORACLE, piece)
    elif sign == "=>" and (named := _NAMED.fullmatch(text)) and (ours or is_name(named["name"])):
        yield entry(Voice.NPC, named["text"], named["name"])
    else:
        yield entry(_SIGNS[sign], text)
