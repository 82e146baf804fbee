"""What the Query screen and `monitor query` draw: answers by standing, each with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stores.records.ids import Id


class AnswerStanding(StrEnum):
    """How far something may be relied on. CANON is committed; PROPOSED waits at the gate; BOOK stands in the
    transcript or in a source and was never decided; BELIEVED is somebody's memory; CONTRADICTED was canon, or
    meets canon, and is not so now; UNKNOWN: the record is silent."""

    CANON = "canon"
    PROPOSED = "proposed"
    BOOK = "in the book"
    BELIEVED = "believed"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """One piece of an answer. `number` is what an answer in words cites ([1]); `text` what is found, `quote`
    the verbatim words it rests on; `where` says in words where that is (story, scene, turn). The ids name
    what a key can jump to; `believer` whose memory it is; `by` what each way of looking gave; `near` how near
    it comes to the question, by meaning or words (0 ... 1)."""

    number: int
    standing: AnswerStanding
    text: str
    quote: str = ""
    where: str = ""
    entity_id: Id | None = None
    fact_id: Id | None = None
    proposal_id: Id | None = None
    memory_id: Id | None = None
    turn_id: Id | None = None
    scene_id: Id | None = None
    story_id: Id | None = None
    snippet_id: Id | None = None
    believer: str = ""
    score: float = 0.0
    near: float = 0.0
    by: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """`standing` is that of the best finding (UNKNOWN: there is none). `words` is a model's answer, empty
    without one; `cited` the numbers it cites. `unsupported` says what of it no finding bears out: it is
    shown, and marked. `nearest` was found and does not plainly answer it; it is shown apart. `notes`: what
    could not be searched, and why."""

    question: str
    standing: AnswerStanding
    findings: tuple[Finding, ...] = ()
    nearest: tuple[Finding, ...] = ()
    words: str = ""
    cited: tuple[int, ...] = ()
    unsupported: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecalledTurn:
    """A turn that was found again, as `monitor recall` tells it. `ref` is its name in an imported log."""

    turn_id: Id
    score: float
    ref: str
    speaker: str
    text: str
    story_id: Id
    scene_id: Id
    number: int
    """Its place on its scene's line, from 1."""
    by: tuple[tuple[str, float], ...] = ()
    where: str = ""

    def finding(self, number: int) -> Finding:
        """Return it as a finding."""
        return Finding(
            number,
            AnswerStanding.BOOK,
            f"{self.speaker}: {self.text}",
            where=self.where,
            turn_id=self.turn_id,
            scene_id=self.scene_id,
            story_id=self.story_id,
            score=self.score,
            by=self.by,
        )


@dataclass(frozen=True, slots=True)
class Recollection:
    question: str
    turns: tuple[RecalledTurn, ...] = ()
    notes: tuple[str, ...] = ()
