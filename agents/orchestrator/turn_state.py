"""Where an exchange that a model tells stands between two nodes: plain data, kept in its checkpoint.

Source: LANGGRAPH_AGENTS, "State keys"; design/loops.md, "One turn".
"""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from agents.orchestrator.exchange import Exchange, Telling
from stores.records.base import Record
from stores.records.ids import Id
from stores.records.ledger import Checkpoint, ProposedChange, Step

NODES = (
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

RESOLVED = "resolve"
"""The node before them."""


class TurnState(Record):
    """`done` is the last node that was done; `text` what was told in the turn `told_id`, `whole` unless it
    was cut off (`why`). `bullet` is the Archivist's line; `steps` are for the X-ray."""

    exchange: Exchange
    done: str = RESOLVED
    evidence: tuple[str, ...] = ()
    beats: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    voices: dict[str, str] = Field(default_factory=dict)
    """What those say who were spoken to, by name."""
    told_id: Id | None = None
    text: str = ""
    whole: bool = True
    why: str = ""
    bullet: str = ""
    proposals: tuple[ProposedChange, ...] = ()
    offer: str = ""
    """The command that the arbiter would have come next."""
    told: tuple[str, ...] = ()
    """Lines for the player on what came of it."""
    steps: tuple[Step, ...] = ()

    @property
    def telling(self) -> Telling:
        assert self.exchange.telling is not None
        return self.exchange.telling

    def checkpoint(self, at: datetime) -> Checkpoint:
        """Return the checkpoint that holds this state."""
        return Checkpoint(
            exchange_id=self.exchange.beat_id,
            scene_id=self.exchange.scene_id,
            node=self.done,
            state={"turn": self.model_dump(mode="json")},
            at=at,
        )

    @staticmethod
    def reads(checkpoint: Checkpoint) -> bool:
        """Say whether the checkpoint holds such a state: its dice are rolled."""
        return "turn" in checkpoint.state

    @staticmethod
    def tells(checkpoint: Checkpoint) -> bool:
        """Say whether a model has still to tell the exchange."""
        return TurnState.reads(checkpoint) or bool(checkpoint.state.get("telling"))

    @staticmethod
    def of(checkpoint: Checkpoint) -> TurnState:
        """Return the state that the checkpoint holds. Raises ValueError if it cannot be read."""
        return TurnState.model_validate(checkpoint.state["turn"])


def exchange_of(checkpoint: Checkpoint) -> Exchange:
    """Return the exchange that the checkpoint is of. Raises ValueError if it cannot be read."""
    held = checkpoint.state.get("turn") if TurnState.reads(checkpoint) else None
    return Exchange.model_validate(held["exchange"] if held else checkpoint.state)


def words_of(checkpoint: Checkpoint) -> str:
    """Return the words that the exchange was typed in, or what it was."""
    state = checkpoint.state.get("turn", {}).get("exchange", checkpoint.state)
    return str(state.get("words") or "a roll")
