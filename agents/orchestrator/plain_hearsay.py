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
from agents.memory_manager.spoken_sentences import REPORTS_WORDS, find_spoken_sentences
from agents.name_forms import name_at_start, name_within
from agents.narrator.decision_marks import strip_typed_markers
from agents.orchestrator.exchange import Exchange, is_narration
from agents.proposals.decisions import is_rejected
from agents.proposals.evidence import words_evidence
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.prose.hearsay import find_beliefs, find_rumours
from agents.prose.names import names_of
from agents.prose.opening_times import drop_opening_times, restore_times
from agents.solo.described_moves import begin_with_names
from agents.solo.presence_checks import describe_deaf, describe_unawareness
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
        """Return a proposal, with the standing of a rumour, for each that the words tell."""
        text = drop_opening_times(strip_typed_markers(exchange.words))
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
            if await self._is_known(normalize_statement(fact.statement), context):
                continue
            proposals.append(
                build_proposal(
                    derive_id("rumour", turn.id, fact.statement),
                    fact.model_copy(update={"standing": Standing.RUMOUR}),
                    [words_evidence(turn, restore_times(quote, turn.text))],
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

    async def describe_hearsay(
        self, exchange: Exchange, before: SceneContext, context: SceneContext, turns: Iterable[Turn]
    ) -> tuple[str, ...]:
        """Return who remembers what they are told in the words, and who believes what: it is nothing in canon.

        `before` is the scene before the exchange, whose turns are `turns`, and `context` the scene after it.
        """
        turn = next((turn for turn in turns if turn.id == exchange.words_id), None)
        # Who is told a secret is proposed, and what is proposed says so itself.
        if turn is None or exchange.time_passes or exchange.is_oracle_question or exchange.proposals:
            return ()
        hero = context.player_character()
        present = {entity.id: entity for entity in context.present_actors()}
        # Who falls asleep with these words heard them, and so did who wakes with them.
        deaf_lines = {
            entity.id: describe_deaf(context, entity)
            for entity in present.values()
            if describe_unawareness(context, entity) and describe_unawareness(before, entity)
        }
        if hero is not None:
            present[hero.id] = hero
        lines = [
            line
            for by, to in find_tellings(turn, context, await read_people_told_of(turn, context, self._canon))
            for line in _describe_telling(by, to, present, deaf_lines)
        ]
        lines += [
            f"{name_at_start(name)} believes it; canon stays as it is."
            for name in find_believers(turn, context)
        ]
        return tuple(lines)


def _describe_telling(
    speaker_id: Id | None,
    addressee_ids: tuple[Id, ...],
    present: Mapping[Id, Entity],
    deaf_lines: Mapping[Id, str],
) -> Iterator[str]:
    """Yield who remembers what somebody told, and who of those it was told to does not hear it."""
    teller = present.get(speaker_id or "")
    if teller is None:
        return
    others = [i for i in addressee_ids if i != speaker_id and i in present]
    yield from filter(None, (deaf_lines.get(i) for i in others))
    hearers = [present[i].name for i in others if i not in deaf_lines]
    is_said_to_all = not addressee_ids and bool(present.keys() - deaf_lines.keys() - {speaker_id})
    if hearers or is_said_to_all:
        verb = "remembers" if len(hearers) == 1 else "remember"
        who = begin_with_names(hearers) if hearers else "Those here"
        yield f"{who} {verb} it from {name_within(teller.name)}; canon stays as it is."


async def read_people_told_of(turn: Turn, context: SceneContext, canon: CanonReader) -> list[Entity]:
    """Return the people whom a turn may name; those outside the scene are looked up only if it reports words."""
    entities = (
        await read_named_entities(canon, context, turn.text)
        if REPORTS_WORDS.search(turn.text)
        else context.entities.values()
    )
    return [entity for entity in entities if entity.kind in ACTORS]


def find_tellings(
    turn: Turn, context: SceneContext, people: Iterable[Entity]
) -> list[tuple[Id | None, tuple[Id, ...]]]:
    """Return who tells whom in a turn what is the hearers' alone; nobody named: all who are here hear it.

    `people` are those whom it may name.
    """
    hero = context.player_character()
    spoken_sentences = find_spoken_sentences(turn, _list_names(people), hero.id if hero else None)
    return list(dict.fromkeys((s.speaker_id, s.addressee_ids) for s in spoken_sentences if s.is_hearsay))


def find_believers(turn: Turn, context: SceneContext) -> tuple[str, ...]:
    """Return whom a turn says to believe something, by name."""
    holder_ids = dict.fromkeys(
        belief.holder_id for belief in find_beliefs(turn.text, _list_names(context.entities.values()))
    )
    return tuple(context.entities[holder_id].name for holder_id in holder_ids)


def _list_names(entities: Iterable[Entity]) -> dict[Id, tuple[str, ...]]:
    return {entity.id: tuple(names_of(entity)) for entity in entities if entity.kind in ACTORS}
