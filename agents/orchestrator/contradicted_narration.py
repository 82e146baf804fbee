"""Says which facts a line of narration tells against, although it proposes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from agents.canon_keeper.fact_readings import is_open, is_true
from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.scene_context import SceneContext
from agents.declarations.contradicted_sentences import (
    find_contradicted_facts,
    find_named_ids,
    names_others,
    split_told_sentences,
)
from agents.declarations.named_entities import list_scene_entities, read_named_entities
from agents.narrator.decision_marks import strip_typed_markers
from agents.orchestrator.exchange import Exchange, is_narration
from agents.proposals.decisions import is_rejected
from agents.proposals.statements import STATED_PREDICATE
from agents.thread_work import run_beside_screen
from stores.ports import CanonReader
from stores.queries import FactQuery, FactsAboutQuery, FactsQuery
from stores.records.canon import AssertFact, Fact, FactKind
from stores.records.ids import Clock

MAX_COMPARED_FACTS: Final = 200
"""Newest facts about one of those named with which a line is compared, and about nobody."""


class ContradictedNarration:
    """Compares what typed lines of narration tell with canon and with what is proposed."""

    def __init__(self, canon: CanonReader, read_catalogue: ReadCatalogue, clock: Clock) -> None:
        self._canon = canon
        self._read_catalogue = read_catalogue
        self._clock = clock

    async def describe_contradicted(
        self, exchange: Exchange, context: SceneContext, reply_lines: Sequence[str]
    ) -> tuple[str, ...]:
        """Return a warning on each fact that the words cannot be true beside, unless the reply names it already.

        `context` is the scene before the exchange.
        """
        text = strip_typed_markers(exchange.words)
        sentences = split_told_sentences(text) if is_narration(exchange, text) else []
        if not sentences:
            return ()
        entities = list_scene_entities(context)
        if names_others(sentences, entities):
            entities = await read_named_entities(self._canon, context, " ".join(sentences))
        named_ids = find_named_ids(sentences, entities)
        universe_id = context.universe.id
        query = FactsQuery(
            about=[(i, FactsAboutQuery(newest=MAX_COMPARED_FACTS)) for i in sorted(named_ids)],
            of_universe=[
                FactQuery(predicate=STATED_PREDICATE, only_about_nobody=True, newest=MAX_COMPARED_FACTS)
            ],
        )
        canon_facts = await self._canon.facts_of_all(universe_id, query)
        proposals = [p for p in context.staged_proposals if not is_rejected(p)]
        proposed_facts = [
            fact_from_assertion(proposal, change)
            for proposal in proposals
            if isinstance(change := proposal.change, AssertFact)
            if not change.involves or not named_ids.isdisjoint(i.entity_id for i in change.involves)
        ]
        # What the line itself ends is told on: the ring that was lost is found.
        changes = (p.change for p in (*proposals, *exchange.proposals))
        ended_ids = {fact_id for c in changes if isinstance(c, AssertFact) for fact_id in c.ends}
        facts = [
            f
            for f in (*canon_facts, *proposed_facts)
            if is_true(f) and is_open(f) and f.valid_to is None and f.id not in ended_ids
        ]
        if not facts:
            return ()
        template = Fact(
            id="",
            universe_id=universe_id,
            kind=FactKind.EVENT,
            predicate=FactKind.EVENT.value,
            statement=text,
            recorded_at=self._clock(),
        )
        work = partial(
            find_contradicted_facts,
            sentences,
            template,
            facts,
            entities,
            await self._read_catalogue(universe_id),
        )
        proposed_ids = {fact.id for fact in proposed_facts}
        return tuple(
            f"⚠ {'Another proposal' if fact.id in proposed_ids else 'Canon'} says “{fact.statement}” {reason}"
            for fact, reason in await run_beside_screen(work, item_count=len(facts))
            if not any(fact.statement in line for line in reply_lines)
        )
