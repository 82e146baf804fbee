"""A story as a plain solo journal. Pure.

The signs are those that solo players use in their logs (as in Lonelog by R. Bisceglie): `@` action, `?` question,
`d:` roll, `->` result, `=>` what happens; `!` and `<-` (a fact, and what it rests on) are ours.
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.exports.fact_citations import (
    FactCitations,
    describe_standing,
    find_question_ids,
    has_begun,
    has_ended,
    is_oracle_answer,
    join_parts,
)
from agents.exports.story_values import ExportedScene, StoryRecord
from agents.importers.log_entries import LEGEND
from agents.sanitize import clean
from agents.views.card_views import FactView
from agents.views.turn_views import TurnView
from stores.records.play import Degree, Resolution, Speaker


def write_journal(record: StoryRecord) -> str:
    """Return the story as a plain solo journal, with a sign before every entry.

    Further lines of an entry are indented, so that no text can pass for another entry.
    """
    citations = FactCitations(record)
    lines = [_format_entry("", record.story.title or "A story"), LEGEND]
    lines += [
        _format_entry(f"({name}: ", text, ")")
        for name, text in (
            ("world", record.universe_name),
            ("hero", record.hero_name),
            ("theme", record.story.theme),
            ("tone", record.story.tone),
        )
        if text
    ]
    for exported_scene in filter(has_begun, record.scenes):
        lines += ["", *_journal_scene(exported_scene, citations)]
    if record.story.recap:
        lines += ["", _format_entry("(recap: ", record.story.recap, ")")]
    if citations.uncited_facts:
        lines += ["", *(line for view in citations.uncited_facts for line in _journal_fact(view, citations))]
    return "\n".join(lines) + "\n"


def _journal_scene(exported_scene: ExportedScene, citations: FactCitations) -> Iterator[str]:
    scene = exported_scene.scene
    yield _format_entry(
        f"S{scene.order} ", join_parts((scene.title, exported_scene.when, exported_scene.place))
    )
    if scene.goal:
        yield _format_entry("(goal: ", scene.goal, ")")
    question_ids = find_question_ids(exported_scene.rows)
    yield from (_format_entry("(note: ", note, ")") for note in exported_scene.notes)
    yield from _journal_events(exported_scene.event_line(scene.id))
    for row in exported_scene.rows:
        yield from _journal_row(row, is_question=row.turn.id in question_ids)
        yield from _journal_events(exported_scene.event_line(row.turn.id))
        for view in citations.facts_at(row.turn.id):
            yield from _journal_fact(view, citations)
    yield from (_format_entry("(note: ", note, ")") for note in exported_scene.removed_turn_notes)
    if scene.summary:
        yield _format_entry("=> ", scene.summary)
    for view in citations.facts_at(scene.id):
        yield from _journal_fact(view, citations)


def _journal_row(row: TurnView, *, is_question: bool) -> Iterator[str]:
    turn = row.turn
    match turn.speaker:
        case Speaker.PLAYER if is_question:
            yield _format_entry("? ", turn.text)
        case Speaker.PLAYER:
            yield _format_entry("@ ", turn.text)
        case Speaker.GM:
            yield _format_entry("=> ", turn.text)
        case Speaker.NPC:
            yield _format_entry("=> ", f"{turn.name}: {turn.text}" if turn.name else turn.text)
        case Speaker.ORACLE:
            yield _journal_roll(turn.text, row.resolution)
        case Speaker.SYSTEM:
            yield _format_entry("(note: ", turn.text, ")")
    if row.resolution and row.resolution.effects:
        effects = (
            f"{effect}{' (rejected)' if n in row.rejected_effects else ''}"
            for n, effect in enumerate(row.resolution.effects)
        )
        yield _format_entry("=> ", ", ".join(effects))
    yield from (_format_entry("(note: ", note, ")") for note in row.notes)


def _journal_events(line: str) -> Iterator[str]:
    if line:
        yield _format_entry("(note: ", line, ")")


def _journal_roll(text: str, resolution: Resolution | None) -> str:
    """Return `d: 2d6+1 [5,4]+1 = 10 vs 9 -> success`; the answer to a question has only the arrow."""
    if resolution is None or is_oracle_answer(resolution):
        # An imported question to the oracle has no roll either.
        return _format_entry("? " if resolution is None and text.endswith("?") else "-> ", text)
    if resolution.degree is Degree.NONE:
        return _format_entry("d: ", " -> ".join(text.split(" = ", 1)))
    roll_text, separator, says = text.partition(f" · {resolution.degree}")
    return _format_entry("d: ", f"{roll_text} -> {resolution.degree}{says}" if separator else text)


def _journal_fact(view: FactView, citations: FactCitations) -> Iterator[str]:
    ended = "No longer true: " if has_ended(view) else ""
    yield _format_entry("! ", f"{ended}{view.fact.statement} ({describe_standing(view)})")
    for evidence in citations.describe_evidence(view):
        yield _format_entry("<- ", evidence)


def _format_entry(sign: str, text: str, end: str = "") -> str:
    lines = [line.strip() for line in clean(text).replace("\u2028", "\n").replace("\u2029", "\n").split("\n")]
    return sign + "\n    ".join(line for line in lines if line) + end
