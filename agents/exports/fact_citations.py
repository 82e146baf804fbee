"""Says where in a story each fact of canon rests: at a turn, at a scene, or elsewhere. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final, assert_never

from agents.canon_keeper.evidence_order import select_supporting, sort_evidence
from agents.canon_keeper.sheet_values import is_number
from agents.exports.story_values import ExportedScene, StoryRecord
from agents.proposals.evidence import show_words
from agents.views.card_views import FactView
from agents.views.turn_views import TurnView
from stores.records.canon import (
    Authority,
    Evidence,
    EvidenceKind,
    Fact,
    FactKind,
    Standing,
    normalize_statement,
)
from stores.records.ids import Id
from stores.records.play import Resolution, Scene, Speaker

MAX_EVIDENCE: Final = 4
"""Quotes for one fact; a scene's outcome rests on everything in it."""

_AUTHORITY_LABELS: Final[Mapping[Authority, str]] = {
    Authority.SOURCE: "from a source",
    Authority.GM: "by the GM",
    Authority.PLAYER: "by a roll",
    Authority.OUTSIDE: "from a chat client",
    Authority.SYSTEM: "inferred",
}


class EvidenceDescriber:
    """Says in words what facts rest on, and where in the stories that stands."""

    def __init__(self, record_scenes: Iterable[ExportedScene], source_titles: Mapping[Id, str]) -> None:
        self._sources = source_titles
        self._described: dict[Id, list[str]] = {}
        """By fact what it rests on: in a world each fact is told at everybody whom it is about."""
        self._positions: dict[Id, tuple[int, str]] = {}
        for exported_scene in record_scenes:
            scene_place = f"scene {exported_scene.scene.order}"
            for row in exported_scene.rows:
                place = f"{scene_place}, turn {row.turn.depth + 1}"
                self._positions[row.turn.id] = (len(self._positions), place)
            self._positions[exported_scene.scene.id] = (len(self._positions), scene_place)

    def __contains__(self, subject_id: Id) -> bool:
        return subject_id in self._positions

    def position_of(self, subject_id: Id) -> int:
        """Return where a turn or a scene stands in the order of the stories."""
        return self._positions.get(subject_id, (len(self._positions), ""))[0]

    def describe_evidence(self, view: FactView) -> list[str]:
        """Return the evidence of a fact, the best first, among equals in the order of the story."""
        if view.fact.id not in self._described:
            self._described[view.fact.id] = self._describe(view)
        return self._described[view.fact.id]

    def _describe(self, view: FactView) -> list[str]:
        # That it came up in a scene goes without saying where the words or the roll stand.
        telling_evidence = [e for e in view.evidence if e.kind is not EvidenceKind.SCENE] or view.evidence
        evidence_in_order = sorted(telling_evidence, key=self._find_position)
        best_evidence = sort_evidence(evidence_in_order, view.fact.statement)
        omitted_count = len(best_evidence) - MAX_EVIDENCE
        return [
            *(self._describe_piece(e, view.fact.authority) for e in best_evidence[:MAX_EVIDENCE]),
            *([f"and {omitted_count} more"] if omitted_count > 0 else []),
        ]

    def _find_position(self, evidence: Evidence) -> int:
        return self.position_of(evidence.turn_id or evidence.ref_id)

    def _describe_piece(self, evidence: Evidence, authority: Authority) -> str:
        """Return evidence as `“drag marks in the silt” (scene 3, turn 11)`."""
        words = show_words(evidence.quote, is_quotation=evidence.is_quotation)
        _, place = self._positions.get(evidence.turn_id or evidence.ref_id, (0, ""))
        match evidence.kind:
            case EvidenceKind.TURN:
                return _with_place(words, place)
            case EvidenceKind.RESOLUTION:
                return _with_place(f"the roll {words}".rstrip(), place)
            case EvidenceKind.SCENE:
                return place or f"a scene {words}".rstrip()
            case EvidenceKind.MANUAL if authority is Authority.OUTSIDE:
                return words or "what a chat client proposed"
            case EvidenceKind.MANUAL:
                # What was declared by command rests on the command: the turn only says when.
                declared_words = f"{words}, declared" if words else "what was declared"
                return f"{declared_words} after {place}" if place else f"{declared_words} by you"
            case EvidenceKind.CHUNK:
                page = "page" if evidence.page is None else f"page {evidence.page}"
                source = self._sources.get(evidence.source_id or "", "")
                return f"{source}, {page} {words}".rstrip() if source else f"{page} {words}".rstrip()
            case _:
                assert_never(evidence.kind)


class FactCitations:
    """Which facts rest on which turn or scene of the story; `elsewhere` are those that rest on none.

    Every fact of play also rests on its scene: the scene's outcome is cited there, and what was declared without
    words of a turn that say as much; the others at the last turn that they rest on.
    """

    def __init__(self, record: StoryRecord) -> None:
        self._describer = EvidenceDescriber(record.scenes, record.source_titles)
        scenes_by_id = {part.scene.id: part.scene for part in record.scenes}
        scene_ids = scenes_by_id.keys()
        self._facts_by_subject: defaultdict[Id, list[FactView]] = defaultdict(list)
        self.uncited_facts: list[FactView] = []
        for view in record.facts:
            supporting_turn_ids = {e.turn_id for e in select_supporting(view.evidence, view.fact.statement)}
            known_ids = {
                i
                for i in (*supporting_turn_ids, *(i for e in view.evidence for i in (e.scene_id, e.ref_id)))
                if i and i in self._describer and (i in scene_ids or i in supporting_turn_ids)
            }
            outcome_ids = {i for i in known_ids & scene_ids if _is_outcome(view, scenes_by_id[i])}
            if cited_ids := outcome_ids or known_ids - scene_ids or known_ids:
                self._facts_by_subject[max(cited_ids, key=self._describer.position_of)].append(view)
            else:
                self.uncited_facts.append(view)

    def facts_at(self, subject_id: Id) -> Sequence[FactView]:
        """Return the facts whose last evidence in the story is this turn or scene."""
        return self._facts_by_subject.get(subject_id, ())

    def outcome_facts_of(self, scene: Scene) -> Sequence[FactView]:
        """Return the facts of a scene that say its outcome."""
        return [view for view in self.facts_at(scene.id) if _is_outcome(view, scene)]

    def other_facts_of(self, scene: Scene) -> Sequence[FactView]:
        """Return the facts that rest on a scene, on no turn of it, and do not say its outcome."""
        return [view for view in self.facts_at(scene.id) if not _is_outcome(view, scene)]

    def describe_evidence(self, view: FactView) -> list[str]:
        """Return the evidence of a fact, the best first, among equals in the order of the story."""
        return self._describer.describe_evidence(view)


def _with_place(words: str, place: str) -> str:
    """Return words and where they stand in the story."""
    return f"{words} ({place})" if words and place else words or place or "a turn"


def _is_outcome(view: FactView, scene: Scene) -> bool:
    return view.fact.statement_key == normalize_statement(scene.summary)


def has_ended(view: FactView) -> bool:
    """Return whether a fact does not hold any more, other than by being settled."""
    return not view.is_current and not view.fact.closed


def drop_passed_numbers(views: Sequence[FactView]) -> list[FactView]:
    """Return facts of one scene, of each number and clock only the last one: not that the HP was 7, if it is 4 now."""
    last_views: dict[tuple[object, ...], FactView] = {}
    for view in views:
        if (key := _number_key(view.fact)) is not None:
            last_views[key] = max(last_views.get(key, view), view, key=_number_order)
    return [view for view in views if (key := _number_key(view.fact)) is None or last_views[key] is view]


def _number_key(fact: Fact) -> tuple[object, ...] | None:
    """Return what has the number that a fact says; None of a fact that gives none."""
    is_number_fact = fact.kind is FactKind.STATE and is_number(fact.value)
    return (fact.predicate, fact.involves) if is_number_fact else None


def _number_order(view: FactView) -> tuple[bool, int, datetime]:
    return not has_ended(view), view.fact.valid_from or 0, view.fact.recorded_at


def describe_standing(view: FactView) -> str:
    """Return the standing of a fact: since when, on whose word, and whether it was settled."""
    fact = view.fact
    standing = "" if fact.standing is Standing.TRUE else fact.standing.value
    settled_note = "settled" if fact.closed else ""
    parts = (view.when, _AUTHORITY_LABELS[fact.authority], standing, view.secret_note, settled_note)
    return ", ".join(filter(None, parts))


def find_question_ids(rows: Sequence[TurnView]) -> frozenset[Id]:
    """Return the player's turns that ask the oracle; the answer follows each."""
    return frozenset(
        row.turn.id
        for row, answer in pairwise(rows)
        if row.turn.speaker is Speaker.PLAYER and answer.resolution and is_oracle_answer(answer.resolution)
    )


def has_begun(part: ExportedScene) -> bool:
    """Return whether anything was played in the scene: the next scene is opened before anybody plays it."""
    return bool(part.rows or part.notes or part.removed_turn_notes or part.scene.summary or part.scene.goal)


def is_oracle_answer(resolution: Resolution) -> bool:
    return resolution.rule.startswith("oracle")


def join_parts(parts: Iterable[str]) -> str:
    return " · ".join(part for part in parts if part)
