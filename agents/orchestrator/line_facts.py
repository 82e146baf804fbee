"""What canon and the open proposals of a line say, against which the next facts that a line states are held."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import (
    ALIVE,
    OWNED_BY,
    SUBJECT,
    is_open,
    is_same_statement,
    is_true,
    read_fact,
)
from agents.canon_keeper.later_endings import ends_fact
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import named_entities, named_facts
from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.canon_keeper.sentences.killings import tells_other_killer
from agents.canon_keeper.sentences.tokens import NameBook, build_name_book, read_tokens
from agents.context_assembly.scene_context import SceneContext
from agents.declarations.thing_moves import ThingMove, ThingMoveKind, find_ended_ids, is_same_move, read_move
from agents.proposals.decisions import is_rejected
from agents.proposals.line_order import sort_in_line_order
from stores.ports import CanonReader
from stores.queries import FactsAboutQuery
from stores.records.canon import AssertFact, EndFact, Fact
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

MAX_COMPARED_FACTS: Final = 300
"""Newest facts about somebody among which one that says the same is looked for."""


class LineFacts:
    """The facts that hold on a scene's line, and those that are proposed anew by its next words."""

    def __init__(
        self, canon: CanonReader, context: SceneContext, entities: Iterable[Entity], catalogue: Catalogue
    ) -> None:
        """`entities` are those that the words may name."""
        self._canon = canon
        self._catalogue = catalogue
        self._entities = {**context.entities, **{entity.id: entity for entity in entities}}
        self._kinds = {entity.id: entity.kind for entity in self._entities.values()}
        self._names: NameBook | None = None
        # What the player rejected may be true by now: it is proposed anew.
        self._open_proposals = list(sort_in_line_order([p for p in context.undecided if not is_rejected(p)]))
        self._proposed_facts = [
            fact_from_assertion(proposal, proposal.change)
            for proposal in self._open_proposals
            if isinstance(proposal.change, AssertFact)
        ]
        self._canon_facts: dict[Id, list[Fact]] = {}
        self.new_proposals: list[ProposedChange] = []

    async def read_moves(self, thing_id: Id) -> list[ThingMove]:
        """Return what canon and open proposals say of who has a thing or where it is, the last one last."""
        facts = (*await self._read_canon(thing_id), *self._proposed_facts)
        moves = (read_move(fact, self._kinds) for fact in facts)
        return [move for move in moves if move is not None and move.thing_id == thing_id]

    async def is_owned(self, thing_id: Id) -> bool:
        """Say whether canon or an open proposal says whose a thing is."""
        facts = (*await self._read_canon(thing_id), *self._proposed_facts)
        readings = (read_fact(fact, self._catalogue) for fact in facts if is_true(fact))
        return any(r.predicate == OWNED_BY and r.subject == thing_id for r in readings)

    async def propose(self, proposal: ProposedChange, *, is_handover: bool = False) -> None:
        """Take in a proposed fact, with those that it ends, if neither canon nor a proposal before it says so already.

        The bell that Bela took lies at Pier Nine no more; by a handover, who put it away has it no more.
        """
        change = proposal.change
        assert isinstance(change, AssertFact)
        fact = fact_from_assertion(proposal, change)
        move = read_move(fact, self._kinds)
        moves = await self.read_moves(move.thing_id) if move else []
        if await self._is_known(fact, move, moves):
            return
        if move is not None and (is_handover or move.kind is not ThingMoveKind.STAYS):
            ends = change.model_copy(update={"ends": find_ended_ids(change, moves)})
            proposal = proposal.model_copy(update={"payload": ends})
        self._open_proposals.append(proposal)
        self._proposed_facts.append(fact)
        self.new_proposals.append(proposal)

    async def _is_known(self, fact: Fact, move: ThingMove | None, moves: Sequence[ThingMove]) -> bool:
        """Say whether canon or an open proposal says so, and nothing since then ended it.

        Of what changes hands or places only the last counts, and so of who is alive: the bell that went to Vess and
        back may go to her again.
        """
        subject_id = fact.entity(SUBJECT)
        if subject_id is None:
            return await self._is_stated(fact)
        known_facts = [*await self._read_canon(subject_id), *self._proposed_facts]
        if moves:
            known_facts = [moves[-1].fact]
        elif lives := [
            f
            for f in self._proposed_facts
            if f.predicate == fact.predicate == ALIVE and f.entity(SUBJECT) == subject_id
        ]:
            known_facts = lives[-1:]
        same_facts = [known for known in known_facts if self._says_same(fact, move, known)]
        return any([not await self._is_ended(known) for known in same_facts])

    async def _is_stated(self, fact: Fact) -> bool:
        """Say whether a sentence that names nobody is in canon or an open proposal already."""
        canon_facts = await self._canon.facts_by_statement(fact.universe_id, [fact.statement_key])
        known_facts = (*filter(is_open, canon_facts), *self._proposed_facts)
        return any(known.statement_key == fact.statement_key for known in known_facts)

    def _says_same(self, fact: Fact, move: ThingMove | None, known: Fact) -> bool:
        if fact.predicate == ALIVE and tells_other_killer(fact, known, self._entities.values()):
            return False
        known_move = read_move(known, self._kinds)
        return (
            is_same_statement(fact, known, self._catalogue)
            or (move is not None and known_move is not None and is_same_move(move, known_move))
            or self._is_same_by_other_names(fact, known)
        )

    def _is_same_by_other_names(self, fact: Fact, other: Fact) -> bool:
        """Say whether two facts say the same in the same words, but for the names: `Hask`, and `Captain Hask`."""
        if fact.predicate != other.predicate or fact.standing is not other.standing:
            return False
        if self._names is None:
            self._names = build_name_book(self._entities.values())
        words, other_words = (
            [
                token.entity or token.word
                for token in read_tokens(f.statement, self._names.restricted_to(f.statement))
            ]
            for f in (fact, other)
        )
        return words == other_words

    async def _is_ended(self, fact: Fact) -> bool:
        """Say whether a proposal that was made since then ends a fact: who lost the bell has it no more."""
        ids = [fact_id_of(proposal) for proposal in self._open_proposals]
        later_proposals = self._open_proposals[ids.index(fact.id) + 1 if fact.id in ids else 0 :]
        fact_ids = {i.entity_id for i in fact.involves}
        for proposal in later_proposals:
            change = proposal.change
            if isinstance(change, AssertFact | EndFact) and fact.id in named_facts(change):
                return True
            if isinstance(change, AssertFact) and fact_ids.intersection(named_entities(change)):
                missing = named_entities(change) - self._entities.keys()
                self._entities |= await self._canon.entities_by_id(missing) if missing else {}
                if ends_fact(proposal, fact, self._entities.values(), self._catalogue):
                    return True
        return False

    async def _read_canon(self, entity_id: Id) -> list[Fact]:
        if entity_id not in self._canon_facts:
            query = FactsAboutQuery(newest=MAX_COMPARED_FACTS)
            self._canon_facts[entity_id] = await self._canon.facts_about(entity_id, query)
        return self._canon_facts[entity_id]
