"""A story as a solo log in Lonelog (https://lonelog.org), for other programs and paper. Pure.

`agents.importers.lonelog` reads it: what was told is told again, and tags become proposals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from agents.canon_keeper.fact_readings import ALIVE, SUBJECT
from agents.exports.fact_citations import find_question_ids, has_begun, is_oracle_answer
from agents.exports.story_values import ExportedScene, StoryRecord
from agents.proposals.effects import describe_effects
from agents.sanitize import clean
from agents.views.turn_views import TurnView
from stores.records.play import Degree, Speaker
from stores.records.world import EntityKind

_SIGNS_WITHIN: Final = re.compile(r"(?<=\s)(->|=>|d:)(?=\s|$)")
"""What would begin another entry within a line."""

_MARKUP: Final = re.compile(r"[>`~%*+\[\\-]|.*::")
"""How a line begins that is a quote, a task, a block of code, a comment or a field where the log is Markdown, too."""

_TAG_SIGNS: Final = re.compile(r"[\[\]|\\]")
_NAME_SIGNS: Final = re.compile(r"[()\[\]\\]")
"""What ends a tag, or a name in brackets: it has a backslash before it, as in Markdown."""

_SIGN_WORDS: Final = {"->": "→", "=>": "⇒", "d:": "d :"}


def write_lonelog(record: StoryRecord) -> str:
    """Return the log: front matter, scenes, and at the end a tag for whoever, wherever and whatever is known."""
    properties = {
        "type": "lonelog",
        "title": record.story.title,
        "world": record.universe_name,
        "pc": record.hero_name,
        "tone": record.story.tone,
        "theme": record.story.theme,
    }
    lines = [
        "---",
        *(f"{key}: {json.dumps(text, ensure_ascii=False)}" for key, text in properties.items() if text),
    ]
    lines.append("---")
    for part in filter(has_begun, record.scenes):
        lines += ["", *_write_scene(part)]
    if record.story.recap:
        lines += ["", _entry("(note: Recap: ", record.story.recap, ")")]
    if tags := list(_write_tags(record)):
        lines += ["", *tags]
    return "\n".join(lines) + "\n"


def _write_scene(part: ExportedScene) -> Iterator[str]:
    scene = part.scene
    title = scene.title if scene.title.strip() != f"Scene {scene.order}" else ""
    place = ", ".join(filter(None, (title, part.place, part.when)))
    yield _entry(f"S{scene.order} *", place, "*") if place else f"S{scene.order}"
    if scene.goal:
        yield _entry("(note: Goal: ", scene.goal, ")")
    question_ids = find_question_ids(part.rows)
    yield from (_entry("(note: ", note, ")") for note in part.notes)
    for row in part.rows:
        yield from _write_row(row, is_question=row.turn.id in question_ids)
        yield from (_entry("(note: ", note, ")") for note in row.notes)
    if scene.summary:
        yield _entry("(note: Outcome: ", scene.summary, ")")


def _write_row(row: TurnView, *, is_question: bool) -> Iterator[str]:
    turn = row.turn
    match turn.speaker:
        case Speaker.PLAYER:
            yield _entry("? " if is_question else "@ ", turn.text)
        case Speaker.GM:
            yield _entry("=> ", turn.text)
        case Speaker.NPC:
            name = _escape(_NAME_SIGNS, turn.name, 60)
            yield _entry(f"N ({name}): " if name else "=> ", turn.text)
        case Speaker.SYSTEM:
            yield _entry("(note: ", turn.text, ")")
        case Speaker.ORACLE:
            yield _write_roll(row)
    if row.resolution and row.resolution.effects:
        yield _entry("=> ", ", ".join(describe_effects(row.resolution.effects, row.rejected_effects)))


def _write_roll(row: TurnView) -> str:
    """Return `d: 2d6+1 [5,4]+1 = 10 vs 9 -> success`; the answer to a question has only the arrow."""
    text, resolution = row.turn.text, row.resolution
    if resolution is None or is_oracle_answer(resolution):
        return _entry("? " if resolution is None and text.endswith("?") else "-> ", text)
    mark = " = " if resolution.degree is Degree.NONE else f" · {resolution.degree}"
    roll_text, separator, rest = text.partition(mark)
    result = rest if resolution.degree is Degree.NONE else f"{resolution.degree}{rest}"
    return f"{_entry('d: ', roll_text)} -> {_entry('', result)}" if separator else _entry("d: ", text)


def _write_tags(record: StoryRecord) -> Iterator[str]:
    dead_ids = {
        view.fact.entity(SUBJECT)
        for view in record.facts
        if view.is_current and view.fact.predicate == ALIVE and view.fact.value is False
    }
    for entity in record.cast:
        is_place = entity.kind is EntityKind.PLACE
        states = [*(["dead"] if entity.id in dead_ids else []), *entity.tags]
        yield _tag("L" if is_place else "N", entity.name, *states)
    yield from (_tag("Thread", name, "Open" if is_open else "Closed") for name, is_open in record.threads)
    yield from (_tag("Clock", f"{clock.name} {clock.filled}/{clock.size}") for clock in record.clocks)


def _tag(kind: str, *parts: str) -> str:
    words = [_escape(_TAG_SIGNS, part, 100) for part in parts]
    return f"[{kind}:{'|'.join(filter(None, words))}]"


def _escape(signs: re.Pattern[str], text: str, limit: int) -> str:
    """Return a text as one short line, with a backslash before each of the signs."""
    line = " ".join(clean(text).split())[:limit]
    return signs.sub(lambda sign: f"\\{sign[0]}", line)


def _entry(sign: str, text: str, end: str = "") -> str:
    """Return an entry; its further lines are indented, and no sign within it begins another."""
    lines: list[str] = []
    for line in filter(None, map(str.strip, re.split(r"[\n\u2028\u2029]", clean(text)))):
        if lines and _MARKUP.match(line):
            lines[-1] += f" {line}"
        else:
            lines.append(line)
    safe_lines = (_SIGNS_WITHIN.sub(lambda sign: _SIGN_WORDS[sign[1]], f" {line}").strip() for line in lines)
    return sign + "\n    ".join(safe_lines) + end
