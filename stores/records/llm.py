"""What a model was asked, what it answered and what that cost: the X-ray, the bill and the replay.


(`@DECISION` tags). Money is whole millionths of a US dollar, so that sums are exact.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from pydantic import Field, field_validator

from stores.records.base import Record
from stores.records.ids import Id

MAX_CALL_TOKENS: Final = 100_000_000
"""Tokens that one call can have: more is a fault of whoever counted them."""

MAX_CALL_MICROS: Final = 10_000_000_000
"""Millionths of a dollar that one call can cost ($10,000). Sums of calls within it stay far below 2^63."""


class Persona(StrEnum):
    """Who speaks through the model. Each is a prompt; none has an authority of its own."""

    DIRECTOR = "director"
    LIBRARIAN = "librarian"
    STEWARD = "steward"
    NARRATOR = "narrator"
    CRITIC = "critic"
    ARCHIVIST = "archivist"
    CHARACTER = "character"
    MONITOR = "monitor"


class CallOutcome(StrEnum):
    """How a call ended. `CUT`: words arrived and then the connection, the time or the length ran out;
    `STOPPED`: the player stopped it, and what had arrived was kept."""

    DONE = "done"
    CUT = "cut"
    STOPPED = "stopped"
    REFUSED = "refused"
    FAILED = "failed"


class FallbackStep(StrEnum):
    """Which rung of the ladder gave a structured answer; `NONE` when no rung did."""

    PLAIN = "plain"
    SCHEMA = "schema"
    TOOLS = "tools"
    TEXT = "text"
    HEURISTICS = "heuristics"
    NONE = "none"


class RecordedSection(Record):
    """One part of a prompt, sent or dropped. `exact` says that a tokenizer of the model counted it, and
    not our estimate; `dropped` why it was not sent (empty: it was)."""

    name: str
    tokens: int = Field(ge=0)
    exact: bool = False
    stable: bool = False
    dropped: str = ""
    text: str = ""


class Money(Record):
    """What a call cost, in millionths of a US dollar; `known` is false where no price is on the list."""

    micros: int = Field(default=0, ge=0)
    known: bool = True


class LlmCall(Record):
    """One finished call of a model, failed ones included.

    `id` is derived from the exchange, the persona and how many such calls came before, so that a retry
    of the step finds it again instead of paying twice; `answer` is the words that came, which make a
    session replayable. `turn_id` is the turn that it wrote or
    served. Seconds are of the model's own time; `first_seconds` to its first word (None: it never came).
    """

    id: Id
    universe_id: Id
    story_id: Id | None = None
    scene_id: Id | None = None
    turn_id: Id | None = None
    run_id: Id | None = Field(default=None, validation_alias="beat_id")
    """The run of an exchange that made the call: the identifier of its `Checkpoint`."""
    persona: Persona
    model: str
    sections: tuple[RecordedSection, ...] = ()
    tokens_in: int = Field(default=0, ge=0)
    tokens_out: int = Field(default=0, ge=0)
    tokens_cached: int = Field(default=0, ge=0)
    counted: bool = False
    """Whether the provider counted the tokens (else they are our estimate)."""
    cost: Money = Money()
    seconds: float = Field(default=0.0, ge=0.0)
    first_seconds: float | None = None
    tries: int = Field(default=1, ge=1)
    fallback_step: FallbackStep = Field(default=FallbackStep.PLAIN, validation_alias="rung")
    outcome: CallOutcome = CallOutcome.DONE
    answer: str = ""
    result: str = ""
    """What was made of it, in one line: three beats, no warnings, two proposals and a quote dropped."""
    error: str = ""
    at: datetime

    @field_validator("at")
    @classmethod
    def _in_utc(cls, at: datetime) -> datetime:
        """What is spent is summed by day, and a day is UTC's wherever the call was made."""
        return at.astimezone(UTC)


class DecisionMark(Record):
    """A `@DECISION(reason=..., impact=...)` marker in a turn. It is never compressed away, and counts while
    its turn is on the line."""

    id: Id
    universe_id: Id
    scene_id: Id
    turn_id: Id
    text: str
    reason: str = ""
    impact: str = ""
    at: datetime
