"""A mid-scene commit that is offered to the player, and whether something was done since. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.command_undo import find_last_command
from agents.proposals.decisions import gm_decision
from agents.views.play_views import ProposalView
from stores.records.ids import Id
from stores.records.play import Speaker
from stores.records.workflow import ProposedChange


@dataclass(frozen=True, slots=True)
class CommitOffer:
    """A mid-scene commit that is offered to the player."""

    reason: str
    proposal_ids: tuple[Id, ...]
    """What it would write."""

    is_critical: bool = False
    """Whether it names critical proposals, so that taking the offer accepts them and what they need."""


def is_lapsed(offer: CommitOffer, context: SceneContext) -> bool:
    """Return whether a line or a command followed what is offered."""
    return _is_followed([p for p in context.undecided if p.id in offer.proposal_ids], context)


def select_unfollowed(
    critical_proposals: Sequence[ProposedChange], context: SceneContext
) -> list[ProposedChange]:
    """Return those that no line or command followed, or all if that is so of none.

    Enter answers what happened just now: what the player passed over before is not decided with it.
    """
    return [p for p in critical_proposals if not _is_followed([p], context)] or list(critical_proposals)


def is_held(row: ProposalView) -> bool:
    """Return whether a conflict holds the row, so that no commit writes it before the player decides."""
    return row.mark == "hold" and gm_decision(row.proposal) is None


def _is_followed(offered: Sequence[ProposedChange], context: SceneContext) -> bool:
    last_turn, command = context.last_play_turn, find_last_command(context)
    newest = max((p.created_at for p in offered), default=None)
    if newest is None:
        return False
    # A command that proposes several things is no other than the one that is offered.
    offered_ids = {p.id for p in offered}
    if (
        command is not None
        and command.at > newest
        and offered_ids.isdisjoint(p.id for p in command.proposals)
    ):
        return True
    if last_turn is None or last_turn.created_at <= newest:
        return False
    # What a roll does is sealed before its turn is appended; its follow-up and its narration come after.
    own_turn_ids = {turn_id for p in offered for turn_id in (p.turn_id, *(e.turn_id for e in p.evidence))}
    return last_turn.id not in own_turn_ids and (
        last_turn.speaker is Speaker.PLAYER
        or own_turn_ids.isdisjoint({last_turn.parent_id, last_turn.exchange_id})
    )
