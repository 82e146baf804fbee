"""Reads earlier lines of a scene again when somebody or something that they named is declared.

A line that says something of a name that nobody has proposes nothing: `Dob stole the ring`, where no Dob is known. With
`/npc Dob` it can be read, and what it says is proposed with the command and undone with it, on its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from agents.canon_keeper.fact_readings import LOCATED_IN
from agents.canon_keeper.proposal_subjects import named_entities
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.orchestrator.exchange import Exchange
from agents.orchestrator.plain_claims import PlainClaims
from agents.orchestrator.plain_secrets import PlainSecrets
from agents.orchestrator.plain_vows import PlainVows
from agents.proposals.decisions import is_rejected
from agents.proposals.proposals import Proposals
from agents.prose.names import names_of
from stores.ports import LogReader
from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    FactKind,
    Payload,
    normalize_statement,
)
from stores.records.ids import Id, derive_id
from stores.records.play import Speaker, Turn
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

MAX_EARLIER_TURNS: Final = 40
"""Turns before a declaration that are read again, if they have its name."""
MAX_CHANGES: Final = 8
"""Changes that are proposed from them with one declaration."""
MIN_NAME_LETTERS: Final = 3
"""Letters of a word by which a line may name what was declared."""


class EarlierLines:
    """Proposes what earlier lines say of those who are known only now."""

    def __init__(
        self,
        log: LogReader,
        contexts: SceneContextLoader,
        proposals: Proposals,
        plain_claims: PlainClaims,
        plain_vows: PlainVows,
        plain_secrets: PlainSecrets,
    ) -> None:
        self._log = log
        self._contexts = contexts
        self._proposals = proposals
        self._plain_claims = plain_claims
        self._plain_vows = plain_vows
        self._plain_secrets = plain_secrets

    async def propose_again(
        self, context: SceneContext, declared: Sequence[ProposedChange]
    ) -> tuple[ProposedChange, ...]:
        """Propose what earlier lines of the scene say of the entities that a command declares; return it."""
        new_ids = {p.change.entity_id for p in declared if isinstance(p.change, CreateEntity)}
        turns = await self._log.line_tail(context.scene.id, MAX_EARLIER_TURNS) if new_ids else []
        if not turns:
            return ()
        context = await self._contexts.advance(context, (), declared)
        new_entities = [context.entities[entity_id] for entity_id in new_ids if entity_id in context.entities]
        command = declared[0]
        proposals: list[ProposedChange] = []
        for turn in _find_naming_turns(turns, new_entities):
            changes = [
                change
                for change in await self._read_changes(turn, context)
                if new_ids & named_entities(change.change)
                and not (context.has_moved_since(turn) and _says_where(change.change))
                # What a `/fact` of then says is read as this is, now that the name is known.
                and not _is_typed_since(change, turn, context)
            ]
            own_proposals = [_attach(change, command) for change in changes][: MAX_CHANGES - len(proposals)]
            if own_proposals:
                proposals += own_proposals
                context = await self._contexts.advance(context, (), own_proposals)
        await self._proposals.stage(proposals)
        return tuple(proposals)

    async def _read_changes(self, turn: Turn, context: SceneContext) -> list[ProposedChange]:
        """Return what the words of a turn propose, read as when they were typed."""
        exchange = Exchange(
            run_id=turn.id,
            exchange_id=turn.exchange_id,
            scene_id=turn.scene_id,
            parent_id=turn.parent_id,
            depth=turn.depth,
            tick=turn.tick,
            words_id=turn.id,
            words=turn.text,
            gm_authored=turn.speaker is Speaker.GM,
            words_take=turn.take,
            hearers=turn.hearers,
            seed=turn.seed,
        )
        return [
            *await self._plain_vows.build_promises(exchange, context),
            *await self._plain_claims.build_claims(exchange, context),
            *await self._plain_secrets.build_changes(exchange, context),
        ]


def _find_naming_turns(turns: Sequence[Turn], entities: Iterable[Entity]) -> list[Turn]:
    """Return the typed turns with a name of one of the entities, but for those whose words a roll decided."""
    words = {
        word
        for entity in entities
        for name in names_of(entity)
        for word in re.findall(r"\w+", name.casefold())
        if len(word) >= MIN_NAME_LETTERS
    }
    rolled_ids = {turn.parent_id for turn in turns if turn.speaker is Speaker.ORACLE}
    return [
        turn
        for turn in turns
        if turn.speaker in (Speaker.PLAYER, Speaker.GM)
        and turn.id not in rolled_ids
        and not words.isdisjoint(re.findall(r"\w+", turn.text.casefold()))
    ]


def _says_where(change: Payload) -> bool:
    return isinstance(change, AssertFact) and change.predicate == LOCATED_IN


def _is_typed_since(proposal: ProposedChange, turn: Turn, context: SceneContext) -> bool:
    """Say whether the player has proposed in the same words, at a turn or since, what that turn says."""
    change = proposal.change
    return isinstance(change, AssertFact) and any(
        isinstance(other.change, AssertFact)
        and other.change.fact_kind is not FactKind.EVENT
        and other.authority is Authority.GM
        and not is_rejected(other)
        and other.tick is not None
        and other.tick >= turn.tick
        and other.change.standing is change.standing
        and normalize_statement(other.change.statement) == normalize_statement(change.statement)
        for other in context.undecided
    )


def _attach(proposal: ProposedChange, command: ProposedChange) -> ProposedChange:
    """Return what an earlier line says as proposed by a command: undone with it, and proposed anew by the next."""
    own_fields = {"turn_id": command.turn_id, "command_id": command.command_id}
    new_id: Id = derive_id("read again", command.id, proposal.id)
    return proposal.model_copy(update={"id": new_id, **own_fields})
