"""Values that the query screen and `monitor query` draw: answers by standing, each with its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stores.records.ids import Id


class AnswerStanding(StrEnum):
    """How far an answer may be relied on.

    CANON is committed; PROPOSED waits at the gate; ON_RECORD is in the transcript or a source and was never
    decided; BELIEVED is somebody's memory; CONTRADICTED was canon or contradicts it; UNKNOWN: the record does
    not say.
    """

    CANON = "canon"
    PROPOSED = "proposed"
    ON_RECORD = "on record"
    BELIEVED = "believed"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class QueryFinding:
    """One piece of an answer. The ids name what a key can jump to."""

    number: int
    """The number by which an answer in words cites it ([1])."""

    standing: AnswerStanding
    text: str
    quote: str = ""
    """The words that it rests on."""

    where: str = ""
    """Story, scene and turn, in words."""

    entity_id: Id | None = None
    fact_id: Id | None = None
    proposal_id: Id | None = None
    memory_id: Id | None = None
    turn_id: Id | None = None
    scene_id: Id | None = None
    story_id: Id | None = None
    snippet_id: Id | None = None
    source_id: Id | None = None
    """The document of a passage."""

    page: int | None = None
    believer: str = ""
    """Whose memory it is."""

    score: float = 0.0
    near: float = 0.0
    """How close it comes to the question, by meaning or words, from 0 to 1."""

    is_quotation: bool = True
    """Whether somebody wrote the quote; else it says in the program's words what was done."""

    rejected_quotes: tuple[str, ...] = ()
    """Words of a turn or memory that the player rejected as untrue."""

    by: tuple[tuple[str, float], ...] = ()
    """The score of each search method."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question."""

    question: str
    standing: AnswerStanding
    """The standing of the first finding, which is the best or what was asked for; UNKNOWN without one."""

    findings: tuple[QueryFinding, ...] = ()
    nearest: tuple[QueryFinding, ...] = ()
    """Findings that do not plainly answer the question, shown apart."""

    words: str = ""
    """A model's answer; empty without one."""

    cited: tuple[int, ...] = ()
    """Numbers of the findings that it cites."""

    unsupported: tuple[str, ...] = ()
    """Parts of it that no finding supports; they are shown and marked."""

    notes: tuple[str, ...] = ()
    """What could not be searched, and why."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that are spoken in a turn."""

    speaker: str
    """Empty where the prose does not say who speaks."""
    text: str


@dataclass(frozen=True, slots=True)
class RecalledTurn:
    """A turn found by `monitor recall`."""

    turn_id: Id
    score: float
    ref: str
    """Its identifier in an imported log."""

    speaker: str
    text: str
    story_id: Id
    scene_id: Id
    number: int
    """Its position on its scene's line of turns, from 1."""
    by: tuple[tuple[str, float], ...] = ()
    """The score of each search method."""

    where: str = ""
    quotations: tuple[Quotation, ...] = ()
    """What is spoken in it."""
    clashes: tuple[str, ...] = ()
    """What rests on it and does not hold any more, or never did."""
    is_earlier: bool = False
    """Whether a newer turn is on the same matter, where the question asks how it is now."""

    def to_finding(self, number: int) -> QueryFinding:
        """Return it as a finding."""
        return QueryFinding(
            number,
            AnswerStanding.ON_RECORD,
            f"{self.speaker}: {self.text}",
            where=self.where,
            turn_id=self.turn_id,
            scene_id=self.scene_id,
            story_id=self.story_id,
            score=self.score,
            by=self.by,
        )


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The turns found for a question."""

    question: str
    turns: tuple[RecalledTurn, ...] = ()
    notes: tuple[str, ...] = ()
