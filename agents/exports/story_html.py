"""A story's scenes as HTML: prose alone, or with rolls, notes and what became true. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from agents.exports.fact_citations import (
    FactCitations,
    describe_standing,
    drop_passed_numbers,
    find_question_ids,
    has_begun,
    has_ended,
    join_parts,
)
from agents.exports.html_text import escape_html, write_element, write_list, write_paragraphs
from agents.exports.story_values import ExportedScene, StoryRecord
from agents.proposals.effects import describe_effects
from agents.proposals.statements import as_sentence
from agents.prose.narrated_lines import tells_of_others
from agents.views.card_views import FactView
from agents.views.turn_views import TurnView
from stores.records.play import Speaker

_TYPED_SIGNS: Final = ("/", "?")
"""What a line of a player begins with that is no prose."""


class StoryHtmlWriter:
    """Writes the scenes of a story. `escape` escapes one line of prose."""

    def __init__(
        self, record: StoryRecord, *, with_mechanics: bool, escape: Callable[[str], str] = escape_html
    ) -> None:
        self._record = record
        self._with_mechanics = with_mechanics
        self._escape = escape
        self._citations = FactCitations(record)

    def write_begun_scenes(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the title and the blocks of each scene in which there is something to read."""
        for part in filter(has_begun, self._record.scenes):
            blocks = list(self.write_scene(part))
            if blocks:
                yield scene_title(part), blocks

    def write_scene(self, part: ExportedScene) -> Iterator[str]:
        """Yield the blocks of a scene, without its title."""
        subtitle = join_parts((part.when, part.place, *([part.scene.goal] if self._with_mechanics else [])))
        if subtitle:
            yield write_element("p", escape_html(subtitle), {"class": "when"})
        question_ids = find_question_ids(part.rows)
        if self._with_mechanics:
            yield from self._write_notes(part.notes)
            yield from self._write_event(part.event_line(part.scene.id))
        for row in part.rows:
            yield from self._write_row(row, is_question=row.turn.id in question_ids)
            if self._with_mechanics:
                yield from self._write_event(part.event_line(row.turn.id))
        if self._with_mechanics:
            yield from self._write_notes(part.removed_turn_notes)
            yield from self._write_outcome(part)

    def _write_row(self, row: TurnView, *, is_question: bool) -> Iterator[str]:
        turn = row.turn
        is_mechanics = turn.speaker in (Speaker.ORACLE, Speaker.SYSTEM) or is_question
        if is_mechanics and not self._with_mechanics:
            return
        if not self._with_mechanics and turn.text.startswith(_TYPED_SIGNS):
            return
        css_class = "roll" if is_mechanics else "player" if turn.speaker is Speaker.PLAYER else ""
        blocks = write_paragraphs(turn.text, css_class, self._escape)
        if (label := self._label(row, is_question=is_question)) and blocks:
            named = f"<strong>{escape_html(label)}:</strong> "
            opening, separator, rest = blocks[0].partition(">")
            blocks[0] = f"{opening}{separator}{named}{rest}"
        yield from blocks
        if self._with_mechanics:
            if row.resolution and row.resolution.effects:
                effects = ", ".join(describe_effects(row.resolution.effects, row.rejected_effects))
                yield write_element("p", escape_html(effects), {"class": "roll"})
            yield from self._write_notes(row.notes)

    def _label(self, row: TurnView, *, is_question: bool) -> str:
        if row.turn.speaker is Speaker.NPC:
            return row.turn.name or "Somebody"
        if not self._with_mechanics:
            return ""
        if is_question:
            return "Question"
        if row.turn.speaker is Speaker.PLAYER and tells_of_others(row.turn.text):
            return ""
        names = {Speaker.PLAYER: self._record.hero_name or "You", Speaker.SYSTEM: "Note"}
        return names.get(row.turn.speaker, "")

    def _write_notes(self, notes: Sequence[str]) -> Iterator[str]:
        for note in notes:
            yield from write_paragraphs(f"Note: {note}", "note")

    def _write_event(self, line: str) -> Iterator[str]:
        if line:
            yield write_element("p", escape_html(line), {"class": "event"})

    def _write_outcome(self, part: ExportedScene) -> Iterator[str]:
        scene = part.scene
        if scene.summary:
            outcome = (
                f"<strong>Outcome:</strong> {self._escape(as_sentence(' '.join(scene.summary.split())))}"
            )
            yield write_element("p", outcome)
        turn_ids = [row.turn.id for row in part.rows]
        cited_ids = (*turn_ids, scene.id)
        views = drop_passed_numbers([view for i in cited_ids for view in self._citations.facts_at(i)])
        for label, part_views in (
            ("True since this scene", [v for v in views if not has_ended(v)]),
            ("True for a while", [v for v in views if has_ended(v)]),
        ):
            if part_views:
                facts = write_list(map(self._write_fact, part_views))
                yield write_element("div", f"<p>{label}:</p>\n{facts}", {"class": "facts"})

    def _write_fact(self, view: FactView) -> str:
        standing = escape_html(describe_standing(view))
        evidence = escape_html("; ".join(self._citations.describe_evidence(view)))
        rests_on = f" Rests on {evidence}." if evidence else ""
        return f"{self._escape(' '.join(view.fact.statement.split()))} <em>({standing})</em>{rests_on}"


def scene_title(part: ExportedScene) -> str:
    """Return the number and the title of a scene."""
    title = part.scene.title.strip()
    return title if title == f"Scene {part.scene.order}" else f"{part.scene.order}. {title}".rstrip(". ")
