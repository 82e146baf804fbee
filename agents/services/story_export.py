"""A story as text to read, keep and share: Markdown, and a plain solo journal. Pure.

Both tell the kept line in order and cite canon: each fact at the last turn that it rests on.
Lines and veils stay at home.

The journal's signs are those that solo players use in their logs (as in Lonelog by R. Bisceglie): `@` action,
`?` question, `d:` roll, `->` result, `=>` what happens; `!` and `<-` (a fact, and what it rests on) are ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from agents.importers.lonelog import LEGEND
from agents.sanitize import clean
from agents.services.markdown import noted, one_line, paragraphs, quoted
from agents.views.play_views import FactView, TurnView
from stores.records.canon import Authority, Evidence, EvidenceKind, Standing, normalize_statement
from stores.records.ids import Id
from stores.records.play import Degree, Resolution, Scene, Speaker, Story

MAX_EVIDENCE: Final = 4
"""Pieces of evidence that are quoted for one fact; a scene's outcome rests on all that was told in it."""

_KINDS: Final[Mapping[EvidenceKind, str]] = {
    EvidenceKind.TURN: "turn",
    EvidenceKind.RESOLUTION: "roll",
    EvidenceKind.CHUNK: "page",
    EvidenceKind.SCENE: "scene",
    EvidenceKind.MANUAL: "by hand",
}
_AUTHORITIES: Final[Mapping[Authority, str]] = {
    Authority.SOURCE: "from a source",
    Authority.GM: "by the GM",
    Authority.PLAYER: "by a roll",
    Authority.SYSTEM: "inferred",
}


@dataclass(frozen=True, slots=True)
class ScenePart:
    """A scene with the rows of its line, first to last; `when` and `place` in words. Out of character,
    `notes` were made before its first turn, `left` at turns that were taken back."""

    scene: Scene
    rows: Sequence[TurnView]
    when: str = ""
    place: str = ""
    notes: Sequence[str] = ()
    left: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class StoryRecord:
    """All that an export tells.

    `hero` is the player character's name, `facts` canon with its evidence, `sources` titles by id.
    """

    story: Story
    scenes: Sequence[ScenePart]
    facts: Sequence[FactView] = ()
    universe: str = ""
    hero: str = ""
    sources: Mapping[Id, str] = field(default_factory=dict)


# --- Markdown ---------------------------------------------------------------------------------------


def to_markdown(record: StoryRecord) -> str:
    """Return the story as Markdown: scenes, prose, rolls as quotes, canon as footnotes."""
    return "\n\n".join(_Markdown(record).blocks()) + "\n"


class _Markdown:
    def __init__(self, record: StoryRecord) -> None:
        self._record = record
        self._cited = _Citations(record)
        self._notes: list[FactView] = []

    def blocks(self) -> Iterator[str]:
        record = self._record
        yield f"# {one_line(record.story.title) or 'A story'}"
        about = (record.universe, record.hero, record.story.theme, record.story.tone)
        if subtitle := _joined(map(one_line, about)):
            yield f"*{subtitle}*"
        for part in filter(_has_begun, record.scenes):
            yield from self._scene(part)
        if record.story.recap:
            yield "## What came of it"
            yield from paragraphs(record.story.recap)
        if self._cited.elsewhere:
            yield "## Also true"
            yield "\n".join(f"- {self._fact(view)}" for view in self._cited.elsewhere)
        for number, view in enumerate(self._notes, start=1):
            yield f"[^{number}]: {self._fact(view)}"

    def _scene(self, part: ScenePart) -> Iterator[str]:
        scene = part.scene
        yield f"## {scene.order}. {one_line(scene.title)}".rstrip()
        if under := _joined(map(one_line, (part.when, part.place, scene.goal))):
            yield f"*{under}*"
        asked = _questions(part.rows)
        yield from map(_note, part.notes)
        for row in part.rows:
            yield from self._row(row, asks=row.turn.id in asked)
        yield from map(_note, part.left)
        outcome = one_line(scene.summary) or ("Canon from this scene" if self._cited.at(scene.id) else "")
        if outcome:
            yield noted(f"**Outcome:** {outcome}", self._marks(scene.id))

    def _row(self, row: TurnView, *, asks: bool) -> Iterator[str]:
        turn = row.turn
        told = paragraphs(turn.text) or ["…"]
        if row.resolution and row.resolution.effects:
            told.append(one_line(", ".join(row.resolution.effects)))
        if label := "Question" if asks else self._label(row):
            told[0] = f"**{label}:** {told[0]}"
        told[-1] = noted(told[-1], self._marks(turn.id))
        if turn.speaker in (Speaker.ORACLE, Speaker.SYSTEM) or asks:
            yield quoted("\n\n".join(told))
        else:
            yield from told
        yield from map(_note, row.notes)

    def _label(self, row: TurnView) -> str:
        match row.turn.speaker:
            case Speaker.PLAYER:
                return one_line(self._record.hero) or "You"
            case Speaker.NPC:
                return one_line(row.turn.name) or "Somebody"
            case Speaker.SYSTEM:
                return "Note"
        return ""

    def _marks(self, subject_id: Id) -> range:
        """Number the facts that rest on this turn or scene, in the order they are met."""
        first = len(self._notes) + 1
        self._notes.extend(self._cited.at(subject_id))
        return range(first, len(self._notes) + 1)

    def _fact(self, view: FactView) -> str:
        evidence = "; ".join(map(one_line, self._cited.evidence(view)))
        rests = f" Rests on {evidence}." if evidence else ""
        return f"{one_line(view.fact.statement)} *({one_line(_standing(view))})*{rests}"


def _note(words: str) -> str:
    """Return words out of character, set apart from what is told."""
    first, *more = paragraphs(words) or ["…"]
    return quoted("\n\n".join((f"**Note:** {first}", *more)))


# --- journal ----------------------------------------------------------------------------------------


def to_journal(record: StoryRecord) -> str:
    """Return the story as a plain solo journal, a sign at the head of every line.

    Further lines of one entry are indented, so that no text can pass for another entry.
    """
    cited = _Citations(record)
    lines = [_entry("", record.story.title or "A story"), LEGEND]
    lines += [
        _entry(f"({name}: ", text, ")")
        for name, text in (
            ("world", record.universe),
            ("hero", record.hero),
            ("theme", record.story.theme),
            ("tone", record.story.tone),
        )
        if text
    ]
    for part in filter(_has_begun, record.scenes):
        lines += ["", *_journal_scene(part, cited)]
    if record.story.recap:
        lines += ["", _entry("(recap: ", record.story.recap, ")")]
    if cited.elsewhere:
        lines += ["", *(line for view in cited.elsewhere for line in _journal_fact(view, cited))]
    return "\n".join(lines) + "\n"


def _journal_scene(part: ScenePart, cited: _Citations) -> Iterator[str]:
    scene = part.scene
    yield _entry(f"S{scene.order} ", _joined((scene.title, part.when, part.place)))
    if scene.goal:
        yield _entry("(goal: ", scene.goal, ")")
    asked = _questions(part.rows)
    yield from (_entry("(note: ", note, ")") for note in part.notes)
    for row in part.rows:
        yield from _journal_row(row, asks=row.turn.id in asked)
        for view in cited.at(row.turn.id):
            yield from _journal_fact(view, cited)
    yield from (_entry("(note: ", note, ")") for note in part.left)
    if scene.summary:
        yield _entry("=> ", scene.summary)
    for view in cited.at(scene.id):
        yield from _journal_fact(view, cited)


def _journal_row(row: TurnView, *, asks: bool) -> Iterator[str]:
    turn = row.turn
    match turn.speaker:
        case Speaker.PLAYER if asks:
            yield _entry("? ", turn.text)
        case Speaker.PLAYER:
            yield _entry("@ ", turn.text)
        case Speaker.GM:
            yield _entry("=> ", turn.text)
        case Speaker.NPC:
            yield _entry("=> ", f"{turn.name}: {turn.text}" if turn.name else turn.text)
        case Speaker.ORACLE:
            yield _journal_roll(turn.text, row.resolution)
        case Speaker.SYSTEM:
            yield _entry("(note: ", turn.text, ")")
    if row.resolution and row.resolution.effects:
        yield _entry("=> ", ", ".join(row.resolution.effects))
    yield from (_entry("(note: ", note, ")") for note in row.notes)


def _journal_roll(text: str, resolution: Resolution | None) -> str:
    """`d: 2d6+1 [5,4]+1 = 10 vs 9 -> success`; the answer to a question stands behind an arrow alone."""
    if resolution is None or _answers(resolution):
        return _entry("-> ", text)
    cut = " · " if resolution.degree is not Degree.NONE else " = "
    rolled, found, result = text.partition(cut)
    return _entry("d: ", f"{rolled} -> {result}" if found else text)


def _journal_fact(view: FactView, cited: _Citations) -> Iterator[str]:
    yield _entry("! ", f"{view.fact.statement} ({_standing(view)})")
    for evidence in cited.evidence(view):
        yield _entry("<- ", evidence)


def _entry(sign: str, text: str, end: str = "") -> str:
    lines = [line.strip() for line in clean(text).replace("\u2028", "\n").replace("\u2029", "\n").split("\n")]
    return sign + "\n    ".join(line for line in lines if line) + end


# --- canon beside the story -------------------------------------------------------------------------


class _Citations:
    """Which facts rest on which turn or scene of the story; `elsewhere` are those that rest on none.

    Every fact of play rests on its scene as well: only the scene's outcome is cited there, the others at the
    last turn that they rest on.
    """

    def __init__(self, record: StoryRecord) -> None:
        self._sources = record.sources
        self._places: dict[Id, tuple[int, str]] = {}
        for part in record.scenes:
            for row in part.rows:
                place = f"{part.scene.order}.{row.turn.depth + 1}"
                self._places[row.turn.id] = (len(self._places), place)
            self._places[part.scene.id] = (len(self._places), str(part.scene.order))
        scenes = {part.scene.id for part in record.scenes}
        outcome = {p.scene.id: normalize_statement(p.scene.summary) for p in record.scenes if p.scene.summary}
        self._at: defaultdict[Id, list[FactView]] = defaultdict(list)
        self.elsewhere: list[FactView] = []
        for view in record.facts:
            named = {i for e in view.evidence for i in (e.turn_id, e.scene_id, e.ref_id) if i in self._places}
            outcomes = {i for i in named if outcome.get(i) == view.fact.said}
            if cited := outcomes or named - scenes or named:
                self._at[max(cited, key=lambda i: self._places[i][0])].append(view)
            else:
                self.elsewhere.append(view)

    def at(self, subject_id: Id) -> Sequence[FactView]:
        """Return the facts whose last evidence in the story is this turn or scene."""
        return self._at.get(subject_id, ())

    def evidence(self, view: FactView) -> list[str]:
        """Return what a fact rests on, the first of it in words."""
        told = sorted(view.evidence, key=self._place)
        more = len(told) - MAX_EVIDENCE
        return [*map(self._words, told[:MAX_EVIDENCE]), *([f"and {more} more"] if more > 0 else [])]

    def _place(self, evidence: Evidence) -> tuple[bool, int]:
        """Return where evidence stands in a list: the scene, what was said in its order, then all else."""
        place, _ = self._places.get(evidence.turn_id or evidence.ref_id, (len(self._places), ""))
        return evidence.kind is not EvidenceKind.SCENE, place

    def _words(self, evidence: Evidence) -> str:
        """Put evidence as `turn 3.11 “drag marks in the silt”`: the scene's number, then the turn's."""
        kind = _KINDS[evidence.kind]
        if evidence.kind is EvidenceKind.CHUNK:
            page = "" if evidence.page is None else f" {evidence.page}"
            source = self._sources.get(evidence.source_id or "", "")
            kind = f"{source}, {kind}{page}" if source else f"{kind}{page}"
        elif place := self._places.get(evidence.turn_id or evidence.ref_id):
            kind = f"{kind} {place[1]}"
        return f"{kind} “{evidence.quote}”" if evidence.quote else kind


def _standing(view: FactView) -> str:
    """Return how a fact stands: since when, on whose word, and whether it is still so."""
    fact = view.fact
    standing = "" if fact.standing is Standing.TRUE else fact.standing.value
    ended = "settled" if fact.closed else "" if view.current else "no longer so"
    return ", ".join(filter(None, (view.when, _AUTHORITIES[fact.authority], standing, ended)))


def _questions(rows: Sequence[TurnView]) -> frozenset[Id]:
    """Return the player's turns that ask the oracle: its answer comes next."""
    return frozenset(
        row.turn.id
        for row, answer in pairwise(rows)
        if row.turn.speaker is Speaker.PLAYER and answer.resolution and _answers(answer.resolution)
    )


def _has_begun(part: ScenePart) -> bool:
    """Whether there is anything to tell: the next scene is opened before anybody plays it."""
    return bool(part.rows or part.notes or part.left or part.scene.summary or part.scene.goal)


def _answers(resolution: Resolution) -> bool:
    return resolution.rule.startswith("oracle")


def _joined(parts: Iterable[str]) -> str:
    return " · ".join(part for part in parts if part)
