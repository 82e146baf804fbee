"""What plain narration states: proposed with its line, and undone with it.

It is inferred from prose, as what a model proposes is: it waits at the gate until the player decides, also in
autopilot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import (
    ALIVE,
    LOCATED_IN,
    OBJECT,
    SUBJECT,
    is_open,
    is_true,
)
from agents.canon_keeper.sentence_facts import build_life
from agents.canon_keeper.sentences.killings import find_killers
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.scene_context import SceneContext
from agents.declarations.denied_deeds import denies_deed, find_deniable_deeds
from agents.declarations.departures import Departure, find_departure_sentences, read_departures
from agents.declarations.ended_ties import (
    EndedOffice,
    complete_ended_office,
    ends_tie,
    find_ended_offices,
)
from agents.declarations.handovers import (
    Handover,
    HandoverReader,
    find_other_holding,
    read_handovers,
)
from agents.declarations.lasting_facts import (
    LastingFact,
    find_statements,
    has_unknown_names,
    read_lasting_facts,
)
from agents.declarations.named_entities import list_scene_entities, read_named_entities
from agents.declarations.said_in_passing import Statement, says_kinship
from agents.declarations.shared_names import describe_shared_name, find_shared_names
from agents.declarations.thing_moves import ThingMoveKind, says_who_has_thing
from agents.declarations.unknown_names import UnknownName
from agents.declarations.unknown_things import find_unknown_handed_things, find_unknown_things
from agents.declarations.used_things import find_used_things, may_use_things
from agents.narrator.decision_marks import strip_typed_markers
from agents.orchestrator.earlier_times import describe_earlier_times
from agents.orchestrator.exchange import Exchange, is_narration, tells_of_hero
from agents.orchestrator.line_facts import MAX_COMPARED_FACTS, LineFacts
from agents.orchestrator.name_notices import NameNotices
from agents.orchestrator.same_debts import describe_same_debt, may_be_same_debt
from agents.orchestrator.scene_views import SceneViewBuilder, describe_conflicts
from agents.proposals.decisions import is_rejected
from agents.proposals.evidence import words_evidence
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.proposals.statements import STATED_PREDICATE, as_sentence
from agents.prose.called_names import find_called
from agents.prose.names import names_of
from agents.prose.opening_times import drop_opening_times, restore_times
from agents.prose.unsaid_hero import add_hero
from agents.solo.cast_moves import CastMoves, RecordedMoves
from agents.solo.notices import CommandHint
from agents.solo.strangers import find_strangers_in_claims
from agents.solo.told_fates import FateReader, ToldDeed, ToldFate
from agents.views.proposal_views import ProposalView
from stores.ports import CanonReader
from stores.queries import FactsAboutQuery
from stores.records.canon import (
    AssertFact,
    Authority,
    ChangeSecrecy,
    EndFact,
    Involvement,
    Payload,
    Standing,
)
from stores.records.ids import Clock, Id, derive_id
from stores.records.play import Turn
from stores.records.workflow import ProposedChange
from stores.records.world import ACTORS, Entity, EntityKind

MAX_CLAIMS: Final = 5
"""Facts of one line that are proposed."""

_TIES_OF_HERO: Final = frozenset(
    [
        "owes",
        "ally_of",
        "enemy_of",
        "married_to",
        "sibling_of",
        "parent_of",
        "child_of",
        "member_of",
        "serves",
        "rules_over",
    ]
)
"""What the hero's own account states that lasts; the rest of it is what they do, see and carry."""

_GIVES: Final = re.compile(r"\b(?:gives|gave|hands|handed)\b")


class PlainClaims:
    """Reads what typed lines of narration state, and says what it contradicts."""

    def __init__(
        self,
        canon: CanonReader,
        read_catalogue: ReadCatalogue,
        views: SceneViewBuilder,
        cast_moves: CastMoves,
        fate_reader: FateReader,
        clock: Clock,
    ) -> None:
        self._canon = canon
        self._fate_reader = fate_reader
        self._read_catalogue = read_catalogue
        self._views = views
        self._clock = clock
        self._name_notices = NameNotices(canon, cast_moves)

    async def build_claims(self, exchange: Exchange, context: SceneContext) -> tuple[ProposedChange, ...]:
        """Return a proposal for each new fact that the words of an exchange state. Most lines state none."""
        text = _plain_words(exchange)
        tells = is_narration(exchange, text)
        hero = context.player_character()
        hero_name = hero.name if hero is not None else ""
        is_of_hero = tells_of_hero(exchange, text)
        statements = (
            find_statements(text, list(context.entities.values()), hero_name) if tells or is_of_hero else []
        )
        if tells:
            statements += await self._complete_ended_offices(find_ended_offices(text), context)
        departures = find_departure_sentences(text) if tells else []
        handovers = _find_handovers(exchange, text, context)
        turn = exchange.build_words_turn(self._clock())
        if turn is None:
            return ()
        # What the hero does to somebody is no narration, with `I` before it or in notes without.
        tells_of_others = tells and add_hero(text) == text
        deaths = await self._fate_reader.find_deaths(context, turn) if tells_of_others else []
        survivors = await self._fate_reader.find_survivors(context, turn) if tells else []
        if tells or is_of_hero:
            statements += await self._find_debt_statements(context, turn, hero_name, statements, tells=tells)
        if tells_of_others:
            known_people = list(context.entities.values())
            statements += [
                statement._replace(quote=killing.quote)
                for killing in await self._fate_reader.find_killings(context, turn)
                for statement in find_statements(killing.sentence, known_people, hero_name)
            ]
        if not (statements or departures or handovers or deaths or survivors):
            return ()
        entities = await self._read_named_entities(
            context,
            [
                *statements,
                *departures,
                *_words_of(handovers),
            ],
        )
        catalogue = await self._read_catalogue(context.universe.id)
        stated_facts = [
            fact
            for fact in read_lasting_facts(statements, entities, catalogue, exchange.tick)
            if not (hero is not None and _is_read_elsewhere(fact, hero, deaths))
            and (tells or _ties_hero(fact.fact))
        ]
        handover_facts = read_handovers(handovers, entities, catalogue, exchange.tick)
        site = ProposalSite(
            context.universe.id, context.story.id, context.scene.id, turn.id, tick=exchange.tick
        )
        line = LineFacts(self._canon, context, entities, catalogue)
        # `Vess gives the bell to Bela` says who has it now, as `Vess gives me the bell` does.
        held_facts = [
            fact
            for fact in handover_facts
            if not fact.changes_nothing(
                await line.read_moves(fact.thing.id), is_owned=await line.is_owned(fact.thing.id)
            )
        ]
        handover_quotes = {fact.quote for fact in held_facts}
        held_thing_ids = {fact.thing.id for fact in held_facts}
        facts = [
            *(
                fact
                for fact in stated_facts
                if handover_quotes.isdisjoint((fact.quote, fact.fact.statement.rstrip(".")))
                and not _is_gift_of(fact.fact, held_thing_ids)
                and not any(_only_tells(fact, fate) for fate in (*deaths, *survivors))
            ),
            *(
                LastingFact(build_life(fate.who, catalogue, exchange.tick, is_alive=is_alive), fate.quote)
                for is_alive, fates in ((False, deaths), (True, survivors))
                for fate in fates
                if not any(_tells_life(fact.fact, fate.who) for fact in stated_facts)
            ),
            *(LastingFact(fact.fact, fact.quote) for fact in held_facts),
        ]
        for fact, quote in sorted(facts, key=lambda lasting_fact: text.find(lasting_fact.quote)):
            if _is_known_death(fact, context) and not find_killers(fact.statement, entities):
                continue
            claim = build_proposal(
                derive_id("claim", turn.id, fact.statement),
                fact,
                [words_evidence(turn, restore_times(quote, turn.text))],
                Authority.SYSTEM,
                site,
                turn.created_at,
            )
            await line.propose(claim, is_handover=quote in handover_quotes)
        ended_stays = await self._find_ended_stays(
            read_departures(departures, entities), context, exchange.tick
        )
        ends = (
            build_proposal(
                derive_id("departure", turn.id, end.fact_id),
                end,
                [words_evidence(turn, restore_times(quote, turn.text))],
                Authority.SYSTEM,
                site,
                turn.created_at,
            )
            for end, quote in ended_stays
        )
        return (*line.new_proposals, *ends)[:MAX_CLAIMS]

    async def _find_debt_statements(
        self,
        context: SceneContext,
        turn: Turn,
        hero_name: str,
        statements: Sequence[Statement],
        *,
        tells: bool,
    ) -> list[Statement]:
        """Return what the words state of debts beside other `statements`, where a pronoun means who owes or is owed."""
        known_entities = list(context.entities.values())

        def state(debt: ToldDeed) -> list[Statement]:
            stated = find_statements(debt.sentence, known_entities, hero_name)
            return [statement._replace(quote=debt.quote) for statement in stated]

        debtors = await self._fate_reader.find_debtors(context, turn) if tells else []
        debt_statements = [statement for debt in debtors for statement in state(debt)]
        quotes = {statement.quote for statement in (*statements, *debt_statements)}
        for debt in await self._fate_reader.find_hero_debts(context, turn):
            if debt.quote not in quotes:
                debt_statements += state(debt)
        return debt_statements

    async def _complete_ended_offices(
        self, ended_offices: Sequence[EndedOffice], context: SceneContext
    ) -> list[Statement]:
        """Return the ends of offices that canon or an open proposal gives to whom the words name."""
        if not ended_offices:
            return []
        entities = await read_named_entities(
            self._canon, context, " ".join(ended.who for ended in ended_offices)
        )
        completed = []
        for ended in ended_offices:
            changes = (p.change for p in context.undecided if not is_rejected(p))
            proposed = [change.statement for change in changes if isinstance(change, AssertFact)]
            canon_facts = [
                fact.statement
                for who in find_called(ended.who, entities)
                for fact in await self._canon.facts_about(who.id, FactsAboutQuery(newest=MAX_COMPARED_FACTS))
                if is_true(fact) and is_open(fact)
            ]
            statement = complete_ended_office(ended, [*canon_facts, *proposed], entities)
            completed += [statement] if statement else []
        return completed

    async def _find_ended_stays(
        self, departures: Sequence[Departure], context: SceneContext, tick: int
    ) -> list[tuple[EndFact, str]]:
        """Return the ends of the stays of canon that departures end: where somebody is then, they do not say."""
        ended_ids = {p.change.fact_id for p in context.undecided if isinstance(p.change, EndFact)}
        return [
            (EndFact(fact_id=fact.id, at=tick), quote)
            for who, place, quote in departures
            for fact in await self._canon.facts_about(who.id, FactsAboutQuery(predicate=LOCATED_IN))
            if fact.entity(SUBJECT) == who.id and fact.entity(OBJECT) == place.id and fact.id not in ended_ids
        ]

    async def describe_claims(self, exchange: Exchange) -> tuple[str, ...]:
        """Return a line on each stay that the exchange ends, and on each proposal that contradicts something."""
        proposed_ids = {proposal.id for proposal in exchange.proposals}
        if not proposed_ids:
            return ()
        rows = await self._views.read_scene_rows(exchange.scene_id)
        own_rows = [row for row in rows if row.proposal.id in proposed_ids]
        named_lines = (f"Proposed: {row.title}" for row in own_rows if _is_named(row.proposal.change))
        time_lines = describe_earlier_times(row.proposal for row in own_rows)
        debt_lines = (
            describe_same_debt(other.title)
            for row in own_rows
            for other in rows
            if other.proposal.id not in proposed_ids and may_be_same_debt(row.proposal, other.proposal)
        )
        return (
            *named_lines,
            *_describe_ended_holdings(own_rows),
            *time_lines,
            *debt_lines,
            *describe_conflicts(own_rows),
        )

    async def describe_other_holders(self, exchange: Exchange, context: SceneContext) -> tuple[str, ...]:
        """Return a warning on each thing that the words hand over from somebody while somebody else has it.

        `context` is the scene before the exchange.
        """
        handovers = _find_handovers(exchange, _plain_words(exchange), context)
        if not handovers:
            return ()
        entities = await self._read_named_entities(context, _words_of(handovers))
        catalogue = await self._read_catalogue(context.universe.id)
        line = LineFacts(self._canon, context, entities, catalogue)
        proposed_ids = {fact_id_of(p) for p in context.undecided}
        lines = []
        for handover in handovers:
            for fact, _, thing, *_ in read_handovers([handover], entities, catalogue, exchange.tick):
                moves = await line.read_moves(thing.id)
                holding = find_other_holding(handover, entities, moves)
                is_proposed = holding is not None and holding.id in proposed_ids
                is_repeated = (
                    holding is not None and is_proposed and set(holding.involves) == set(fact.involves)
                )
                if holding is not None and not is_repeated:
                    source, holder = _name_source(is_proposed), handover.holder_before
                    lines.append(f"⚠ {source} “{holding.statement}” By this line it was with {holder}.")
        return tuple(lines)

    async def describe_destroyed_things(self, exchange: Exchange, context: SceneContext) -> tuple[str, ...]:
        """Return a warning on each thing that the words have somebody use and that is no more.

        `context` is the scene before the exchange.
        """
        text = _plain_words(exchange)
        if exchange.is_oracle_question or not may_use_things(text):
            return ()
        named = await read_named_entities(self._canon, context, text)
        used_ids = find_used_things(text, named)
        if not used_ids:
            return ()
        line = LineFacts(self._canon, context, named, await self._read_catalogue(context.universe.id))
        proposed_ids = {fact_id_of(p) for p in context.undecided}
        moves = [(await line.read_moves(thing_id))[-1:] for thing_id in used_ids]
        return tuple(
            f"⚠ {_name_source(move.fact.id in proposed_ids)} “{move.fact.statement}”"
            for last_moves in moves
            for move in last_moves
            if move.kind is ThingMoveKind.IS_DESTROYED
        )

    async def describe_denied_deeds(self, exchange: Exchange, context: SceneContext) -> tuple[str, ...]:
        """Return a warning on each of those who do what canon or a proposal denies them: the blind who read.

        `context` is the scene before the exchange.
        """
        text = _plain_words(exchange)
        people = [entity for entity in context.entities.values() if entity.kind in ACTORS]
        deeds = find_deniable_deeds(text, people) if is_narration(exchange, text) else []
        lines = []
        for deed in deeds:
            facts = await self._canon.facts_about(deed.who_id, FactsAboutQuery(newest=MAX_COMPARED_FACTS))
            changes = (p.change for p in context.staged_proposals if not is_rejected(p))
            statements = [
                *(fact.statement for fact in facts if is_true(fact) and is_open(fact)),
                *(c.statement for c in changes if isinstance(c, AssertFact) and c.standing is Standing.TRUE),
                *(
                    f"{who.name} is {tag}."
                    for who in people
                    if who.id == deed.who_id
                    for tag in context.working_state(who).tags
                ),
            ]
            lines += [f"⚠ {words}" for words in statements if denies_deed(words, deed, people)][:1]
        return tuple(dict.fromkeys(lines))

    async def notice_unknown_names(
        self, exchange: Exchange, context: SceneContext, moves: RecordedMoves
    ) -> list[CommandHint]:
        """Return notices on the names in the words that mean nobody and nothing that is known, each once a scene."""
        text = _plain_words(exchange)
        unknown_names: list[UnknownName] = []
        if moves.unknown_place:
            unknown_names.append(UnknownName(moves.unknown_place, EntityKind.PLACE, is_gone_to=True))
        departures = self._name_notices.notice_departed(moves.departed_strangers, context)
        unknown_names += [
            UnknownName(
                one.name,
                EntityKind.CHARACTER,
                is_here=one.name not in moves.departed_strangers,
                description=one.description,
            )
            for one in moves.strangers
        ]
        tells, known = is_narration(exchange, text), list(context.entities.values())
        hero = context.player_character()
        hero_name = hero.name if hero else ""
        if tells and find_unknown_things(text, known, hero_name):
            named = await read_named_entities(self._canon, context, text)
            unknown_names += find_unknown_things(text, [*known, *named], hero_name)
        if handovers := _find_handovers(exchange, text, context):
            named = await self._read_named_entities(context, _words_of(handovers))
            unknown_names += find_unknown_handed_things(handovers, named)
        if tells and find_strangers_in_claims(text, known):
            named = await read_named_entities(self._canon, context, text)
            unknown_names += [
                UnknownName(name, EntityKind.CHARACTER)
                for name in find_strangers_in_claims(text, [*known, *named])
            ]
        # Who is named matters more than what they carry: the first offer is what Tab takes.
        small_things = [one for one in unknown_names if one.name.islower()]
        names = [one for one in unknown_names if not one.name.islower()]
        notices = await self._name_notices.notice_each(names, context)
        if not exchange.is_oracle_question:
            shared_names = [moves.unclear_place.name.removeprefix("The ")] if moves.unclear_place else []
            notices += await self._name_notices.notice_others(text, context, shared_names)
        notices += await self._name_notices.notice_each(small_things, context)
        return [*notices, *departures]

    async def describe_shared_names(self, exchange: Exchange, context: SceneContext) -> tuple[str, ...]:
        """Return a line on each name of two people in words that state something of one, once a scene."""
        text = _plain_words(exchange)
        if exchange.proposals:
            return ()
        known = list(context.entities.values())
        statements = [
            *(find_statements(text, known) if is_narration(exchange, text) else ()),
            *_words_of(_find_handovers(exchange, text, context)),
        ]
        if not statements:
            return ()
        entities = await self._read_named_entities(context, statements)
        stated_text = " ".join(statement.quote for statement in statements)
        return tuple(
            describe_shared_name(shared_name)
            for shared_name in find_shared_names(stated_text, entities)
            if self._name_notices.add(context, f"shared {shared_name.name}")
        )

    async def _read_named_entities(
        self, context: SceneContext, statements: Sequence[Statement]
    ) -> list[Entity]:
        """Return the entities of the scene, and those of canon that a statement may name if the scene has not all."""
        scene_entities = list_scene_entities(context)
        if not any(has_unknown_names(statement, scene_entities) for statement in statements):
            return scene_entities
        text = " ".join(statement.sentence for statement in statements)
        return await read_named_entities(self._canon, context, text)


def _name_source(is_proposed: bool) -> str:
    return "Another proposal says" if is_proposed else "Canon says"


def _plain_words(exchange: Exchange) -> str:
    """Return the words of an exchange without marks, and without how they say that time went by.

    What somebody beside the hero says states nothing.
    """
    if exchange.npc_name:
        return ""
    return drop_opening_times(strip_typed_markers(exchange.words))


def _describe_ended_holdings(rows: Iterable[ProposalView]) -> Iterator[str]:
    """Yield a line on each row by whose deed somebody has a thing no more: that Bela has it ends that by itself."""
    for row in rows:
        _, before, after = next(iter(row.diff), ("", "", ""))
        if says_who_has_thing(before) and not says_who_has_thing(after):
            yield f"It ends: {before}"


def _find_handovers(exchange: Exchange, text: str, context: SceneContext) -> list[Handover]:
    """Return what is true after somebody, in words that no roll decides, handed over or left a thing."""
    if not text or exchange.time_passes or exchange.roll is not None or exchange.hearers:
        return []
    hero, place = context.player_character(), context.place
    reader = HandoverReader(
        hero.name if hero else "",
        place.name if place else "",
        is_gm=exchange.gm_authored,
        people_here=[name for actor in context.present_actors() for name in names_of(actor)],
    )
    return reader.find_moves(text)


def _words_of(handovers: Iterable[Handover]) -> list[Statement]:
    """Return who and what the sentences of handovers name, to be looked up."""
    return [
        Statement(f"{h.actor_name} {h.holder_before} {h.statement.sentence} {h.loss}", h.statement.quote)
        for h in handovers
    ]


def _tells_life(fact: AssertFact, who: Entity) -> bool:
    return fact.predicate == ALIVE and Involvement(role=SUBJECT, entity_id=who.id) in fact.involves


def _is_read_elsewhere(lasting_fact: LastingFact, hero: Entity, deaths: Sequence[ToldFate]) -> bool:
    """Say whether it is where the hero is, which follows from where they go, or a death that its sentence tells."""
    fact, quote = lasting_fact
    is_stay = fact.predicate == LOCATED_IN and Involvement(role=SUBJECT, entity_id=hero.id) in fact.involves
    # Who killed somebody has another statement than its words, too, and is read here alone.
    is_death_alone = fact.predicate == ALIVE and len(fact.involves) == 1
    may_be_death = is_death_alone or any(i.entity_id == hero.id for i in fact.involves)
    is_retold = may_be_death and fact.statement != as_sentence(quote)
    return is_stay or (is_retold and any(quote in death.quote for death in deaths))


def _ties_hero(fact: AssertFact) -> bool:
    """Say whether a fact is what the hero's own account may state."""
    return fact.predicate in _TIES_OF_HERO or says_kinship(fact.statement) or ends_tie(fact.statement)


def _is_gift_of(fact: AssertFact, held_thing_ids: set[Id]) -> bool:
    """Return whether a mere sentence tells that a thing is given of which it is proposed who has it."""
    is_gift = fact.predicate == STATED_PREDICATE and _GIVES.search(fact.statement) is not None
    return is_gift and any(involvement.entity_id in held_thing_ids for involvement in fact.involves)


def _only_tells(lasting_fact: LastingFact, fate: ToldFate) -> bool:
    """Say whether a mere sentence says only that somebody dies or lives, such as that they do not live till morning."""
    fact = lasting_fact.fact
    is_about_them_alone = {i.entity_id for i in fact.involves} == {fate.who.id}
    return fact.predicate == STATED_PREDICATE and is_about_them_alone and lasting_fact.quote in fate.quote


def _is_known_death(fact: AssertFact, context: SceneContext) -> bool:
    """Say whether it is the death of somebody who is dead already, by their sheet or by what is proposed."""
    if fact.predicate != ALIVE or fact.value is not False:
        return False
    who = next((context.entities.get(i.entity_id) for i in fact.involves if i.role == SUBJECT), None)
    return who is not None and context.is_dead(who)


def _is_named(change: Payload) -> bool:
    """Say whether the reply names what is proposed here: what is no longer so, and who may know what."""
    return isinstance(change, EndFact | ChangeSecrecy)
