"""A story as Markdown to read, keep and share. Pure.

The kept line is told in order, and canon is cited: each fact at the last turn that it rests on.
Lines and veils stay at home.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from agents.exports.fact_citations import (
    FactCitations,
    describe_standing,
    drop_passed_numbers,
    find_question_ids,
    has_begun,
    has_ended,
    join_parts,
)
from agents.exports.markdown import append_footnotes, escape_line, escape_paragraphs, format_block_quote
from agents.exports.story_values import ExportedScene, StoryRecord
from agents.proposals.effects import describe_effects
from agents.proposals.statements import as_sentence
from agents.prose.narrated_lines import tells_of_others
from agents.views.card_views import FactView
from agents.views.turn_views import TurnView
from stores.records.play import Speaker


def write_markdown(record: StoryRecord) -> str:
    """Return the story as Markdown: scenes, prose, rolls as quotes, canon as footnotes."""
    return "\n\n".join(StoryMarkdownWriter(record).write_blocks()) + "\n"


class StoryMarkdownWriter:
    """Writes a story, whole or scene by scene. `write_paragraphs` writes the words of a turn."""

    def __init__(
        self, record: StoryRecord, write_paragraphs: Callable[[str], list[str]] = escape_paragraphs
    ) -> None:
        self._record = record
        self._write_paragraphs = write_paragraphs
        self._citations = FactCitations(record)
        self._footnotes: list[FactView] = []

    def write_blocks(self) -> Iterator[str]:
        record = self._record
        yield f"# {escape_line(record.story.title) or 'A story'}"
        subtitle_parts = (record.universe_name, record.hero_name, record.story.theme, record.story.tone)
        if subtitle := join_parts(map(escape_line, subtitle_parts)):
            yield f"*{subtitle}*"
        for exported_scene in filter(has_begun, record.scenes):
            yield from self._write_scene(exported_scene)
        if record.story.recap:
            yield "## What came of it"
            yield from escape_paragraphs(record.story.recap)
        for title, views in (
            ("Also true", [v for v in self._citations.uncited_facts if not has_ended(v)]),
            ("No longer true", [v for v in self._citations.uncited_facts if has_ended(v)]),
        ):
            if views:
                yield f"## {title}"
                yield "\n".join(f"- {self._format_fact(view)}" for view in views)
        yield from self._write_footnotes()

    def write_scene(self, exported_scene: ExportedScene) -> list[str]:
        """Return the blocks of one scene, with footnotes of its own."""
        self._footnotes = []
        return [*self._write_scene(exported_scene), *self._write_footnotes()]

    def _write_footnotes(self) -> Iterator[str]:
        for number, view in enumerate(self._footnotes, start=1):
            ended = "No longer true: " if has_ended(view) else ""
            yield f"[^{number}]: {ended}{self._format_fact(view)}"

    def _write_scene(self, exported_scene: ExportedScene) -> Iterator[str]:
        scene = exported_scene.scene
        title = escape_line(scene.title)
        yield f"## {title}" if title == f"Scene {scene.order}" else f"## {scene.order}. {title}".rstrip()
        if subtitle := join_parts(map(escape_line, (exported_scene.when, exported_scene.place, scene.goal))):
            yield f"*{subtitle}*"
        question_ids = find_question_ids(exported_scene.rows)
        yield from map(_format_note, exported_scene.notes)
        yield from _format_events(exported_scene.event_line(scene.id))
        for row in exported_scene.rows:
            yield from self._write_row(row, is_question=row.turn.id in question_ids)
            yield from _format_events(exported_scene.event_line(row.turn.id))
        yield from map(_format_note, exported_scene.removed_turn_notes)
        if scene.summary:
            outcome_facts = self._citations.outcome_facts_of(scene)
            yield append_footnotes(
                f"**Outcome:** {escape_line(as_sentence(scene.summary))}",
                self._number_footnotes(outcome_facts),
            )
        other_facts = drop_passed_numbers(self._citations.other_facts_of(scene))
        for label, views in (
            ("True since this scene", [v for v in other_facts if not has_ended(v)]),
            ("True for a while", [v for v in other_facts if has_ended(v)]),
        ):
            if views:
                yield f"*{label}:* {' '.join(map(self._mark_fact, views))}"

    def _mark_fact(self, view: FactView) -> str:
        secret_mark = " *(secret)*" if view.secret_note else ""
        return append_footnotes(
            f"{escape_line(view.fact.statement)}{secret_mark}", self._number_footnotes([view])
        )

    def _write_row(self, row: TurnView, *, is_question: bool) -> Iterator[str]:
        turn = row.turn
        blocks = self._write_paragraphs(turn.text) or ["…"]
        if row.resolution and row.resolution.effects:
            blocks.append(
                escape_line(", ".join(describe_effects(row.resolution.effects, row.rejected_effects)))
            )
        if label := "Question" if is_question else self._label_row(row):
            blocks[0] = f"**{label}:** {blocks[0]}"
        blocks[-1] = append_footnotes(blocks[-1], self._number_footnotes(self._citations.facts_at(turn.id)))
        if turn.speaker in (Speaker.ORACLE, Speaker.SYSTEM) or is_question:
            yield format_block_quote("\n\n".join(blocks))
        else:
            yield from blocks
        yield from map(_format_note, row.notes)

    def _label_row(self, row: TurnView) -> str:
        match row.turn.speaker:
            case Speaker.PLAYER if tells_of_others(row.turn.text):
                return ""
            case Speaker.PLAYER:
                return escape_line(self._record.hero_name) or "You"
            case Speaker.NPC:
                return escape_line(row.turn.name) or "Somebody"
            case Speaker.SYSTEM:
                return "Note"
        return ""

    def _number_footnotes(self, facts: Sequence[FactView]) -> range:
        """Number facts that rest on one line of the story, in the order in which they are met."""
        first_number = len(self._footnotes) + 1
        self._footnotes.extend(facts)
        return range(first_number, len(self._footnotes) + 1)

    def _format_fact(self, view: FactView) -> str:
        evidence = "; ".join(map(escape_line, self._citations.describe_evidence(view)))
        evidence_note = f" Rests on {evidence}." if evidence else ""
        return f"{escape_line(view.fact.statement)} *({escape_line(describe_standing(view))})*{evidence_note}"


def _format_note(text: str) -> str:
    """Return an out-of-character note, set apart from the story."""
    first, *more_paragraphs = escape_paragraphs(text) or ["…"]
    return format_block_quote("\n\n".join((f"**Note:** {first}", *more_paragraphs)))


def _format_events(line: str) -> Iterator[str]:
    """Yield what happened beside the prose, set apart from it: `> *Vess comes in.*`."""
    if line:
        yield format_block_quote(f"*{escape_line(line)}*")
