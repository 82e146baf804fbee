"""Calls of a model with their prompts, answers and costs, for the X-ray, the bill and the replay.

Money is whole millionths of a US dollar, so that sums are exact.
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
    """The task that a prompt gives the model. None may write anything by itself."""

    DIRECTOR = "director"
    LIBRARIAN = "librarian"
    STEWARD = "steward"
    NARRATOR = "narrator"
    CRITIC = "critic"
    ARCHIVIST = "archivist"
    CHARACTER = "character"
    MONITOR = "monitor"
    READER = "reader"


class CallOutcome(StrEnum):
    """How a call ended.

    `CUT`: a part arrived before the connection, the time or the length ran out. `STOPPED`: the player
    stopped it, and the part that had arrived was kept.
    """

    DONE = "done"
    CUT = "cut"
    STOPPED = "stopped"
    REFUSED = "refused"
    FAILED = "failed"


class FallbackStep(StrEnum):
    """Which step of the fallback ladder gave a structured answer; `NONE` if no step did."""

    PLAIN = "plain"
    SCHEMA = "schema"
    TOOLS = "tools"
    TEXT = "text"
    HEURISTICS = "heuristics"
    NONE = "none"


class RecordedSection(Record):
    """One part of a prompt, sent or dropped."""

    name: str
    tokens: int = Field(ge=0)
    exact: bool = False
    """Whether a tokenizer of the model counted the tokens (else they are our estimate)."""
    stable: bool = False
    dropped: str = ""
    """Why it was not sent (empty: it was)."""
    text: str = ""


class Money(Record):
    """What a call cost."""

    micros: int = Field(default=0, ge=0)
    """Millionths of a US dollar."""
    known: bool = True
    """Whether the price is known."""


class LlmCall(Record):
    """One finished call of a model, failed ones included.

    `id` is derived from the run, the persona and how many such calls came before, so that a retry of the step
    finds the call again instead of paying twice.
    """

    id: Id
    universe_id: Id
    story_id: Id | None = None
    scene_id: Id | None = None
    turn_id: Id | None = None
    """The turn that it wrote or served."""
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
    """The model's own time."""
    first_seconds: float | None = None
    """Seconds to its first word (None: none came)."""
    tries: int = Field(default=1, ge=1)
    fallback_step: FallbackStep = Field(default=FallbackStep.PLAIN, validation_alias="rung")
    outcome: CallOutcome = CallOutcome.DONE
    answer: str = ""
    """The model's words, from which a session can be replayed."""
    result: str = ""
    """What the program made of the answer, in one line."""
    error: str = ""
    at: datetime

    @field_validator("at")
    @classmethod
    def _in_utc(cls, at: datetime) -> datetime:
        """Convert to UTC, as spending is summed by UTC day wherever the call was made."""
        return at.astimezone(UTC)


class DecisionMark(Record):
    """A `@DECISION(reason=..., impact=...)` marker in a turn.

    Summaries keep it; it counts while its turn is on the line.
    """

    id: Id
    universe_id: Id
    scene_id: Id
    turn_id: Id
    text: str
    reason: str = ""
    impact: str = ""
    at: datetime
