"""What plain words say of secrets: proposed with their line, and undone with it.

Who alone knows something, and who is told of it by one who knows: `Only Vess knows that ...`, `I tell Dob that ...`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agents.canon_keeper.fact_readings import is_open
from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.known_secrets import fold_secrets
from agents.context_assembly.scene_context import SceneContext
from agents.declarations.named_entities import read_named_entities
from agents.declarations.secret_facts import SecretReader
from agents.narrator.decision_marks import strip_typed_markers
from agents.orchestrator.exchange import Exchange, is_narration
from agents.proposals.evidence import words_evidence
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.proposals.statements import as_sentence
from agents.prose.opening_times import drop_opening_times, restore_times
from agents.prose.plain_secrets import SecretSentence, SecretTelling, find_secret_sentences, name_subject
from agents.solo.presence_checks import describe_unawareness
from stores.ports import CanonReader
from stores.queries import FactQuery
from stores.records.canon import AssertFact, Authority, Fact, normalize_statement
from stores.records.ids import Clock, derive_id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

MAX_CHANGES: Final = 5
"""Changes of one line that are proposed."""


class PlainSecrets:
    """Reads who knows or is told a secret in typed lines."""

    def __init__(self, canon: CanonReader, read_catalogue: ReadCatalogue, clock: Clock) -> None:
        self._canon = canon
        self._read_catalogue = read_catalogue
        self._clock = clock

    async def build_changes(self, exchange: Exchange, context: SceneContext) -> tuple[ProposedChange, ...]:
        """Return a proposal for each secret, telling and reveal in the words of an exchange. Most lines have none."""
        text = drop_opening_times(strip_typed_markers(exchange.words))
        if not text or exchange.time_passes or exchange.npc_name or exchange.roll is not None:
            return ()
        # The hero's words may tell somebody something, but only narration says who knows what.
        tells_story = is_narration(exchange, text)
        sentences = [s for s in find_secret_sentences(text) if tells_story or isinstance(s, SecretTelling)]
        turn = exchange.build_words_turn(self._clock()) if sentences else None
        if turn is None:
            return ()
        entities = await read_named_entities(self._canon, context, text)
        site = ProposalSite(
            context.universe.id, context.story.id, context.scene.id, turn.id, tick=exchange.tick
        )
        reader = await self._build_reader(exchange, context, sentences, entities)
        return tuple(
            build_proposal(
                derive_id("secret", turn.id, str(number), quote),
                change,
                [words_evidence(turn, restore_times(quote, turn.text))],
                Authority.SYSTEM,
                site,
                turn.created_at,
            )
            for number, (change, quote) in enumerate(reader.read_changes(sentences)[:MAX_CHANGES])
        )

    async def _build_reader(
        self,
        exchange: Exchange,
        context: SceneContext,
        sentences: Iterable[SecretSentence],
        entities: list[Entity],
    ) -> SecretReader:
        universe_id = context.universe.id
        canon_secrets = await self._canon.facts(universe_id, FactQuery(only_secrets=True))
        statements = {
            normalize_statement(as_sentence(words))
            for sentence in sentences
            for words in (sentence.words, *(name_subject(sentence.words, e.name) for e in entities))
        }
        stated_facts = await self._canon.facts_by_statement(universe_id, statements)
        open_facts = {fact.id: fact for fact in stated_facts if is_open(fact)}
        secrets = fold_secrets(canon_secrets, context.staged_proposals, open_facts)
        facts = [*open_facts.values(), *_list_proposed_facts(context), *secrets.values()]
        return SecretReader(
            entities=entities,
            hero=context.player_character(),
            present_ids={e.id for e in context.present_actors() if not describe_unawareness(context, e)},
            secrets=tuple(secrets.values()),
            facts_by_statement={fact.statement_key: fact for fact in facts},
            catalogue=await self._read_catalogue(universe_id),
            tick=exchange.tick,
        )


def _list_proposed_facts(context: SceneContext) -> list[Fact]:
    return [
        fact_from_assertion(proposal, proposal.change)
        for proposal in context.staged_proposals
        if isinstance(proposal.change, AssertFact)
    ]
