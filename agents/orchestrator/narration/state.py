"""The state of a narration between two steps: plain data, stored in its checkpoint."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field, model_validator

from agents.orchestrator.exchange import Exchange, NarrationPlan
from agents.personas.reported_cast import NO_REPORT, ReportedCast
from stores.records.base import Record, old_names_reader
from stores.records.ids import Id
from stores.records.workflow import Checkpoint, ExchangeStep, ProposedChange, TransitionProposal

NARRATION_STEPS = (
    "assemble",
    "direct",
    "validate",
    "narrate",
    "critique",
    "move",
    "extract",
    "summarise",
    "stage",
    "arbitrate",
)
"""The narration steps in order; they follow the dice, so that the plan fits the result."""

FIRST_RECORD_STEP = "extract"
"""The first step that records a narration whose words stand: from here on the player can go on."""

LAST_EXCHANGE_STEP = "resolve"
"""The last step before them."""


class NarrationState(Record):
    """The state of a narration between two steps, as its checkpoint holds it."""

    _read_old_names = model_validator(mode="before")(
        old_names_reader(
            done="last_step",
            told_id="gm_turn_id",
            text="narrated_text",
            whole="is_complete",
            why="cutoff_reason",
            bullet="exchange_summary",
            offer="offered_command",
            told="player_lines",
        )
    )

    @model_validator(mode="before")
    @classmethod
    def _drop_digest(cls, data: Any) -> Any:
        """Leave out the points of the record that earlier versions had picked, which are read anew."""
        return {k: v for k, v in data.items() if k != "evidence"} if isinstance(data, dict) else data

    exchange: Exchange
    last_step: str = LAST_EXCHANGE_STEP
    """The last step that is done."""
    beats: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    voices: dict[str, str] = Field(default_factory=dict)
    """Answers of the people who were addressed, by name."""
    gm_turn_id: Id | None = None
    """The turn that holds the narration; None before it exists."""
    narrated_text: str = ""
    is_complete: bool = True
    """Whether the narration reached its end."""
    cutoff_reason: str = ""
    """Why the narration was cut off; empty if it was not."""
    exchange_summary: str = ""
    """The Archivist's summary of the exchange, in one line."""
    reported_cast: ReportedCast = NO_REPORT
    """Who is in the scene at the narration's end, as the Archivist read it."""
    reported_time: str = ""
    """How much world time the narration lets pass, in the Archivist's words."""
    proposals: tuple[ProposedChange, ...] = ()
    transition_proposals: tuple[TransitionProposal, ...] = ()
    """What the personas proposed to come next; with those of the arbiter's other sources once it has weighed them."""
    offered_command: str = ""
    """The command that the arbiter offers next."""
    player_lines: tuple[str, ...] = ()
    """Lines for the player about the narration."""
    steps: tuple[ExchangeStep, ...] = ()

    @property
    def narration(self) -> NarrationPlan:
        assert self.exchange.narration is not None
        return self.exchange.narration

    @property
    def awaits_record(self) -> bool:
        """Whether the words of the narration stand, and what they change is not recorded yet."""
        if self.gm_turn_id is None or self.last_step not in NARRATION_STEPS:
            return False
        return NARRATION_STEPS.index(self.last_step) + 1 >= NARRATION_STEPS.index(FIRST_RECORD_STEP)

    def to_checkpoint(self, at: datetime) -> Checkpoint:
        """Return the checkpoint that holds this state."""
        return Checkpoint(
            run_id=self.exchange.run_id,
            scene_id=self.exchange.scene_id,
            step=self.last_step,
            state={"turn": self.model_dump(mode="json")},
            at=at,
        )

    @staticmethod
    def is_stored_in(checkpoint: Checkpoint) -> bool:
        """Return whether the checkpoint holds such a state, which means that its dice are rolled."""
        return "turn" in checkpoint.state

    @staticmethod
    def needs_narration(checkpoint: Checkpoint) -> bool:
        """Return whether a model still has to narrate the exchange."""
        return NarrationState.is_stored_in(checkpoint) or bool(
            checkpoint.state.get("narration") or checkpoint.state.get("telling")
        )

    @staticmethod
    def from_checkpoint(checkpoint: Checkpoint) -> NarrationState:
        """Return the state that the checkpoint holds. Raises ValueError if it cannot be read."""
        return NarrationState.model_validate(checkpoint.state["turn"])


def read_unrecorded_state(checkpoint: Checkpoint) -> NarrationState | None:
    """Return the state of a narration that awaits its record; None for any other checkpoint."""
    if not NarrationState.is_stored_in(checkpoint):
        return None
    try:
        state = NarrationState.from_checkpoint(checkpoint)
    except ValueError:
        return None  # of another version: whoever finishes the exchange says so
    return state if state.awaits_record else None


def read_exchange(checkpoint: Checkpoint) -> Exchange:
    """Return the checkpoint's exchange. Raises ValueError if it cannot be read."""
    turn_data = checkpoint.state.get("turn") if NarrationState.is_stored_in(checkpoint) else None
    return Exchange.model_validate(turn_data["exchange"] if turn_data else checkpoint.state)


def read_words(checkpoint: Checkpoint) -> str:
    """Return the typed words of the checkpoint's exchange, or else a description of it."""
    exchange_data = checkpoint.state.get("turn", {}).get("exchange", checkpoint.state)
    return str(exchange_data.get("words") or "a roll")
