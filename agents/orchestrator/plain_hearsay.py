"""What typed lines tell as hearsay: a rumour is proposed as one, and the reply says who keeps what they were told.

What somebody is told or believes is theirs alone: the MemoryManager remembers it for them, and nothing is proposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from agents.canon_keeper.fact_readings import is_open
from agents.canon_keeper.sentences.tokens import build_name_book
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.scene_context import SceneContext
from agents.declarations.lasting_facts import build_stated_fact
from agents.declarations.named_entities import read_named_entities
from agents.memory_manager.spoken_sentences import find_spoken_sentences
from agents.narrator.decision_marks import strip_typed_markers
from agents.orchestrator.exchange import Exchange, is_narration
from agents.proposals.decisions import is_rejected
from agents.proposals.evidence import words_evidence
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.prose.hearsay import find_beliefs, find_rumours
from agents.prose.names import names_of
from stores.ports import CanonReader
from stores.records.canon import AssertFact, Authority, Standing, normalize_statement
from stores.records.ids import Clock, Id, derive_id
from stores.records.play import Turn
from stores.records.workflow import ProposedChange
from stores.records.world import ACTORS, Entity

MAX_RUMOURS: Final = 3
"""Rumours of one line that are proposed."""


class PlainHearsay:
    """Reads rumours, beliefs and what somebody is told in typed lines."""

    def __init__(self, canon: CanonReader, read_catalogue: ReadCatalogue, clock: Clock) -> None:
        self._canon = canon
        self._read_catalogue = read_catalogue
        self._clock = clock

    async def build_rumours(self, exchange: Exchange, context: SceneContext) -> tuple[ProposedChange, ...]:
        """Return a proposal, with the standing of a rumour, for each that the words tell about somebody known."""
        text = strip_typed_markers(exchange.words)
        rumours = find_rumours(text)[:MAX_RUMOURS] if is_narration(exchange, text) else []
        turn = exchange.build_words_turn(self._clock()) if rumours else None
        if turn is None:
            return ()
        entities = await read_named_entities(self._canon, context, text)
        catalogue = await self._read_catalogue(context.universe.id)
        site = ProposalSite(
            context.universe.id, context.story.id, context.scene.id, turn.id, tick=exchange.tick
        )
        proposals, names = [], build_name_book(entities)
        for words, quote in rumours:
            fact = build_stated_fact(words, names, entities, catalogue, exchange.tick)
            if not fact.involves or await self._is_known(normalize_statement(fact.statement), context):
                continue
            proposals.append(
                build_proposal(
                    derive_id("rumour", turn.id, fact.statement),
                    fact.model_copy(update={"standing": Standing.RUMOUR}),
                    [words_evidence(turn, quote)],
                    Authority.SYSTEM,
                    site,
                    turn.created_at,
                )
            )
        return tuple(proposals)

    async def _is_known(self, statement_key: str, context: SceneContext) -> bool:
        """Say whether canon or an open proposal has the words already, be it as a rumour or as the truth."""
        open_statements = (
            p.change.statement
            for p in context.undecided
            if isinstance(p.change, AssertFact) and not is_rejected(p)
        )
        if statement_key in map(normalize_statement, open_statements):
            return True
        facts = await self._canon.facts_by_statement(context.universe.id, {statement_key})
        return any(is_open(fact) for fact in facts)

    def describe_hearsay(
        self, exchange: Exchange, context: SceneContext, turns: Iterable[Turn]
    ) -> tuple[str, ...]:
        """Return who remembers what they are told in the words, and who believes what: it is nothing in canon.

        `turns` are those of the exchange.
        """
        turn = next((turn for turn in turns if turn.id == exchange.words_id), None)
        # Who is told a secret is proposed, and what is proposed says so itself.
        if turn is None or exchange.time_passes or exchange.is_oracle_question or exchange.proposals:
            return ()
        hero = context.player_character()
        present = {entity.id: entity for entity in context.present_actors()}
        if hero is not None:
            present[hero.id] = hero
        people = (entity for entity in context.entities.values() if entity.kind in ACTORS)
        names_by_id = {entity.id: tuple(names_of(entity)) for entity in people}
        tellings = dict.fromkeys(
            (s.speaker_id, s.addressee_ids)
            for s in find_spoken_sentences(turn, names_by_id, hero.id if hero else None)
            if s.is_hearsay
        )
        lines = [line for by, to in tellings for line in self._describe_telling(by, to, present)]
        holders = dict.fromkeys(b.holder_id for b in find_beliefs(turn.text, names_by_id))
        lines += [f"{context.entities[i].name} believes it; canon stays as it is." for i in holders]
        return tuple(lines)

    def _describe_telling(
        self, speaker_id: Id | None, addressee_ids: tuple[Id, ...], present: Mapping[Id, Entity]
    ) -> Iterator[str]:
        hearers = [present[i].name for i in addressee_ids if i != speaker_id and i in present]
        teller = present.get(speaker_id or "")
        if teller is not None and len(present) > 1 and (hearers or not addressee_ids):
            verb = "remembers" if len(hearers) == 1 else "remember"
            yield f"{' and '.join(hearers) or 'Those here'} {verb} it from {teller.name}; canon stays as it is."
