"""A story as text to read, keep and share: Markdown, and a plain solo journal. Pure.

Both tell the kept line in order and cite canon: each fact at the last turn that it rests on.
Lines and veils stay at home.

The journal's signs are those that solo players use in their logs (as in Lonelog by R. Bisceglie): `@` action,
`?` question, `d:` roll, `->` result, `=>` what happens; `!` and `<-` (a fact, and what it rests on) are ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, assert_never

from agents.canon_keeper.evidence_order import select_supporting, sort_evidence
from agents.importers.log_entries import LEGEND
from agents.proposals.effects import describe_effect
from agents.proposals.evidence import show_words
from agents.proposals.statements import as_sentence
from agents.prose.narrated_lines import tells_of_others
from agents.prose.struck_words import strike_statements
from agents.sanitize import clean
from agents.services.markdown import append_footnotes, escape_line, escape_paragraphs, format_block_quote
from agents.views.play_views import FactView, TurnView
from stores.records.canon import Authority, Evidence, EvidenceKind, Standing, normalize_statement
from stores.records.ids import Id
from stores.records.play import Degree, Resolution, Scene, Speaker, Story

MAX_EVIDENCE: Final = 4
"""Quotes for one fact; a scene's outcome rests on everything in it."""

_AUTHORITY_LABELS: Final[Mapping[Authority, str]] = {
    Authority.SOURCE: "from a source",
    Authority.GM: "by the GM",
    Authority.PLAYER: "by a roll",
    Authority.SYSTEM: "inferred",
    Authority.OUTSIDE: "from a chat client",
}


@dataclass(frozen=True, slots=True)
class ExportedScene:
    """A scene with the rows of its timeline.

    `when` and `place` are in words. `notes` (out of character) were made before its first turn,
    `removed_turn_notes` at turns that were undone. `events` are lines of the story's journal by their turn, or by the
    scene before its first turn: who comes and leaves, threads, decisions.
    """

    scene: Scene
    rows: Sequence[TurnView]
    when: str = ""
    place: str = ""
    notes: Sequence[str] = ()
    removed_turn_notes: Sequence[str] = ()
    events: Mapping[Id, Sequence[str]] = field(default_factory=dict)

    def event_line(self, turn_or_scene_id: Id) -> str:
        """Return the events there as sentences on one line; empty if there are none."""
        lines = dict.fromkeys(self.events.get(turn_or_scene_id, ()))
        return " ".join(line if line.endswith((".", "!", "?", "…")) else f"{line}." for line in lines)


@dataclass(frozen=True, slots=True)
class StoryRecord:
    """All that an export contains.

    `hero_name` is the player character's name, `facts` canon with its evidence, `source_titles` titles by id.
    """

    story: Story
    scenes: Sequence[ExportedScene]
    facts: Sequence[FactView] = ()
    universe_name: str = ""
    hero_name: str = ""
    source_titles: Mapping[Id, str] = field(default_factory=dict)


def without_secrets(record: StoryRecord) -> StoryRecord:
    """Return what may be shown to players: without secrets, in canon or their very words, without notes and events."""
    secrets = [view.fact.statement for view in record.facts if view.fact.is_secret]

    def strike_scene(part: ExportedScene) -> ExportedScene:
        scene = part.scene.model_copy(update={"summary": strike_statements(part.scene.summary, secrets)})
        rows = [
            replace(
                row,
                turn=row.turn.model_copy(update={"text": strike_statements(row.turn.text, secrets)}),
                notes=(),
            )
            for row in part.rows
        ]
        told_rows = [row for row in rows if row.turn.text.strip()]
        return replace(part, scene=scene, rows=told_rows, notes=(), removed_turn_notes=(), events={})

    recap = strike_statements(record.story.recap, secrets)
    return replace(
        record,
        story=record.story.model_copy(update={"recap": recap}),
        scenes=[strike_scene(part) for part in record.scenes],
        facts=[view for view in record.facts if not view.fact.is_secret],
    )


# --- Markdown ---------------------------------------------------------------------------------------


def write_markdown(record: StoryRecord) -> str:
    """Return the story as Markdown: scenes, prose, rolls as quotes, canon as footnotes."""
    return "\n\n".join(_MarkdownWriter(record).write_blocks()) + "\n"


class _MarkdownWriter:
    def __init__(self, record: StoryRecord) -> None:
        self._record = record
        self._citations = _FactCitations(record)
        self._footnotes: list[FactView] = []

    def write_blocks(self) -> Iterator[str]:
        record = self._record
        yield f"# {escape_line(record.story.title) or 'A story'}"
        subtitle_parts = (record.universe_name, record.hero_name, record.story.theme, record.story.tone)
        if subtitle := _join_parts(map(escape_line, subtitle_parts)):
            yield f"*{subtitle}*"
        for exported_scene in filter(_has_begun, record.scenes):
            yield from self._write_scene(exported_scene)
        if record.story.recap:
            yield "## What came of it"
            yield from escape_paragraphs(record.story.recap)
        for title, views in (
            ("Also true", [v for v in self._citations.uncited_facts if not _has_ended(v)]),
            ("No longer true", [v for v in self._citations.uncited_facts if _has_ended(v)]),
        ):
            if views:
                yield f"## {title}"
                yield "\n".join(f"- {self._format_fact(view)}" for view in views)
        for number, view in enumerate(self._footnotes, start=1):
            ended = "No longer true: " if _has_ended(view) else ""
            yield f"[^{number}]: {ended}{self._format_fact(view)}"

    def _write_scene(self, exported_scene: ExportedScene) -> Iterator[str]:
        scene = exported_scene.scene
        title = escape_line(scene.title)
        yield f"## {title}" if title == f"Scene {scene.order}" else f"## {scene.order}. {title}".rstrip()
        if subtitle := _join_parts(map(escape_line, (exported_scene.when, exported_scene.place, scene.goal))):
            yield f"*{subtitle}*"
        question_ids = _find_question_ids(exported_scene.rows)
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
        other_facts = self._citations.other_facts_of(scene)
        for label, views in (
            ("True since this scene", [v for v in other_facts if not _has_ended(v)]),
            ("True for a while", [v for v in other_facts if _has_ended(v)]),
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
        blocks = escape_paragraphs(turn.text) or ["…"]
        if row.resolution and row.resolution.effects:
            blocks.append(escape_line(", ".join(map(describe_effect, row.resolution.effects))))
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
        return (
            f"{escape_line(view.fact.statement)} *({escape_line(_describe_standing(view))})*{evidence_note}"
        )


def _format_note(text: str) -> str:
    """Return an out-of-character note, set apart from the story."""
    first, *more_paragraphs = escape_paragraphs(text) or ["…"]
    return format_block_quote("\n\n".join((f"**Note:** {first}", *more_paragraphs)))


def _format_events(line: str) -> Iterator[str]:
    """Yield what happened beside the prose, set apart from it: `> *Vess comes in.*`."""
    if line:
        yield format_block_quote(f"*{escape_line(line)}*")


# --- journal ----------------------------------------------------------------------------------------


def write_journal(record: StoryRecord) -> str:
    """Return the story as a plain solo journal, with a sign before every entry.

    Further lines of an entry are indented, so that no text can pass for another entry.
    """
    citations = _FactCitations(record)
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
    for exported_scene in filter(_has_begun, record.scenes):
        lines += ["", *_journal_scene(exported_scene, citations)]
    if record.story.recap:
        lines += ["", _format_entry("(recap: ", record.story.recap, ")")]
    if citations.uncited_facts:
        lines += ["", *(line for view in citations.uncited_facts for line in _journal_fact(view, citations))]
    return "\n".join(lines) + "\n"


def _journal_scene(exported_scene: ExportedScene, citations: _FactCitations) -> Iterator[str]:
    scene = exported_scene.scene
    yield _format_entry(
        f"S{scene.order} ", _join_parts((scene.title, exported_scene.when, exported_scene.place))
    )
    if scene.goal:
        yield _format_entry("(goal: ", scene.goal, ")")
    question_ids = _find_question_ids(exported_scene.rows)
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
        yield _format_entry("=> ", ", ".join(row.resolution.effects))
    yield from (_format_entry("(note: ", note, ")") for note in row.notes)


def _journal_events(line: str) -> Iterator[str]:
    if line:
        yield _format_entry("(note: ", line, ")")


def _journal_roll(text: str, resolution: Resolution | None) -> str:
    """Return `d: 2d6+1 [5,4]+1 = 10 vs 9 -> success`; the answer to a question has only the arrow."""
    if resolution is None or _is_oracle_answer(resolution):
        # An imported question to the oracle has no roll either.
        return _format_entry("? " if resolution is None and text.endswith("?") else "-> ", text)
    if resolution.degree is Degree.NONE:
        return _format_entry("d: ", " -> ".join(text.split(" = ", 1)))
    roll_text, separator, says = text.partition(f" · {resolution.degree}")
    return _format_entry("d: ", f"{roll_text} -> {resolution.degree}{says}" if separator else text)


def _journal_fact(view: FactView, citations: _FactCitations) -> Iterator[str]:
    ended = "No longer true: " if _has_ended(view) else ""
    yield _format_entry("! ", f"{ended}{view.fact.statement} ({_describe_standing(view)})")
    for evidence in citations.describe_evidence(view):
        yield _format_entry("<- ", evidence)


def _format_entry(sign: str, text: str, end: str = "") -> str:
    lines = [line.strip() for line in clean(text).replace("\u2028", "\n").replace("\u2029", "\n").split("\n")]
    return sign + "\n    ".join(line for line in lines if line) + end


# --- canon beside the story -------------------------------------------------------------------------


class _FactCitations:
    """Which facts rest on which turn or scene of the story; `elsewhere` are those that rest on none.

    Every fact of play also rests on its scene: the scene's outcome is cited there, and what was declared without
    words of a turn that say as much; the others at the last turn that they rest on.
    """

    def __init__(self, record: StoryRecord) -> None:
        self._sources = record.source_titles
        self._positions: dict[Id, tuple[int, str]] = {}
        for exported_scene in record.scenes:
            for row in exported_scene.rows:
                place = f"scene {exported_scene.scene.order}, turn {row.turn.depth + 1}"
                self._positions[row.turn.id] = (len(self._positions), place)
            scene_place = f"scene {exported_scene.scene.order}"
            self._positions[exported_scene.scene.id] = (len(self._positions), scene_place)
        scenes_by_id = {part.scene.id: part.scene for part in record.scenes}
        scene_ids = scenes_by_id.keys()
        self._facts_by_subject: defaultdict[Id, list[FactView]] = defaultdict(list)
        self.uncited_facts: list[FactView] = []
        for view in record.facts:
            supporting_turn_ids = {e.turn_id for e in select_supporting(view.evidence, view.fact.statement)}
            known_ids = {
                i
                for i in (*supporting_turn_ids, *(i for e in view.evidence for i in (e.scene_id, e.ref_id)))
                if i in self._positions and (i in scene_ids or i in supporting_turn_ids)
            }
            outcome_ids = {i for i in known_ids & scene_ids if _is_outcome(view, scenes_by_id[i])}
            if cited_ids := outcome_ids or known_ids - scene_ids or known_ids:
                self._facts_by_subject[max(cited_ids, key=lambda i: self._positions[i][0])].append(view)
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
        return self._positions.get(evidence.turn_id or evidence.ref_id, (len(self._positions), ""))[0]

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


def _with_place(words: str, place: str) -> str:
    """Return words and where they stand in the story."""
    return f"{words} ({place})" if words and place else words or place or "a turn"


def _is_outcome(view: FactView, scene: Scene) -> bool:
    return view.fact.statement_key == normalize_statement(scene.summary)


def _has_ended(view: FactView) -> bool:
    """Return whether a fact does not hold any more, other than by being settled."""
    return not view.is_current and not view.fact.closed


def _describe_standing(view: FactView) -> str:
    """Return the standing of a fact: since when, on whose word, and whether it was settled."""
    fact = view.fact
    standing = "" if fact.standing is Standing.TRUE else fact.standing.value
    settled_note = "settled" if fact.closed else ""
    parts = (view.when, _AUTHORITY_LABELS[fact.authority], standing, view.secret_note, settled_note)
    return ", ".join(filter(None, parts))


def _find_question_ids(rows: Sequence[TurnView]) -> frozenset[Id]:
    """Return the player's turns that ask the oracle; the answer follows each."""
    return frozenset(
        row.turn.id
        for row, answer in pairwise(rows)
        if row.turn.speaker is Speaker.PLAYER and answer.resolution and _is_oracle_answer(answer.resolution)
    )


def _has_begun(part: ExportedScene) -> bool:
    """Return whether anything was played in the scene: the next scene is opened before anybody plays it."""
    return bool(part.rows or part.notes or part.removed_turn_notes or part.scene.summary or part.scene.goal)


def _is_oracle_answer(resolution: Resolution) -> bool:
    return resolution.rule.startswith("oracle")


def _join_parts(parts: Iterable[str]) -> str:
    return " · ".join(part for part in parts if part)
