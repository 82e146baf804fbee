"""Where an exchange that a model tells stands between two nodes: plain data, kept in its checkpoint."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field, model_validator

from agents.orchestrator.exchange import Exchange, NarrationPlan
from stores.records.base import Record, old_names_reader
from stores.records.ids import Id
from stores.records.workflow import Checkpoint, ExchangeStep, ProposedChange

NARRATION_STEPS = (
    "assemble",
    "direct",
    "validate",
    "narrate",
    "critique",
    "extract",
    "summarise",
    "stage",
    "arbitrate",
)
"""The nodes of the turn graph that come after the dice, in order: whoever plans, plans for what fell."""

LAST_EXCHANGE_STEP = "resolve"
"""The node before them."""


class NarrationState(Record):
    """Where a narration stands between two steps, as its checkpoint holds it."""

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

    exchange: Exchange
    last_step: str = LAST_EXCHANGE_STEP
    """The last step that was done."""
    evidence: tuple[str, ...] = ()
    beats: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    voices: dict[str, str] = Field(default_factory=dict)
    """What those say who were spoken to, by name."""
    gm_turn_id: Id | None = None
    """The turn that holds the narration; None until there is one."""
    narrated_text: str = ""
    is_complete: bool = True
    """Whether the narration was written to its end."""
    cutoff_reason: str = ""
    """Why it was cut off, if it was."""
    exchange_summary: str = ""
    """The Archivist's one line on the exchange."""
    proposals: tuple[ProposedChange, ...] = ()
    offered_command: str = ""
    """The command that the arbiter would have come next."""
    player_lines: tuple[str, ...] = ()
    """Lines for the player on what came of it."""
    steps: tuple[ExchangeStep, ...] = ()

    @property
    def narration(self) -> NarrationPlan:
        assert self.exchange.narration is not None
        return self.exchange.narration

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
        """Say whether the checkpoint holds such a state: its dice are rolled."""
        return "turn" in checkpoint.state

    @staticmethod
    def needs_narration(checkpoint: Checkpoint) -> bool:
        """Say whether a model has still to tell the exchange."""
        return NarrationState.is_stored_in(checkpoint) or bool(
            checkpoint.state.get("narration") or checkpoint.state.get("telling")
        )

    @staticmethod
    def from_checkpoint(checkpoint: Checkpoint) -> NarrationState:
        """Return the state that the checkpoint holds. Raises ValueError if it cannot be read."""
        return NarrationState.model_validate(checkpoint.state["turn"])


def read_exchange(checkpoint: Checkpoint) -> Exchange:
    """Return the exchange that the checkpoint is of. Raises ValueError if it cannot be read."""
    turn_data = checkpoint.state.get("turn") if NarrationState.is_stored_in(checkpoint) else None
    return Exchange.model_validate(turn_data["exchange"] if turn_data else checkpoint.state)


def read_words(checkpoint: Checkpoint) -> str:
    """Return the words that the exchange was typed in, or what it was."""
    exchange_data = checkpoint.state.get("turn", {}).get("exchange", checkpoint.state)
    return str(exchange_data.get("words") or "a roll")
