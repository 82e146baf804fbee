"""What plain narration states: proposed with its line, and undone with it.

It is inferred from prose, as what a model proposes is: it waits at the gate until the player decides, also in
autopilot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from agents.canon_keeper.fact_readings import (
    ALIVE,
    LOCATED_IN,
    OBJECT,
    SUBJECT,
    is_open,
    is_same_statement,
    is_true,
)
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentences.tokens import NameBook, build_name_book, read_tokens
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.scene_context import SceneContext
from agents.declarations.denied_deeds import denies_deed, find_deniable_deeds
from agents.declarations.departures import Departure, find_departure_sentences, read_departures
from agents.declarations.handed_things import find_unknown_handed_things
from agents.declarations.handovers import (
    Handover,
    HandoverFact,
    HandoverReader,
    find_ended_ids,
    find_other_holding,
    moved_thing_id,
    read_handovers,
    says_who_has_thing,
)
from agents.declarations.lasting_facts import (
    LastingFact,
    Statement,
    find_statements,
    find_unknown_things,
    has_unknown_names,
    read_lasting_facts,
)
from agents.declarations.named_entities import list_scene_entities, read_named_entities
from agents.declarations.sentence_facts import build_life
from agents.declarations.shared_names import describe_shared_name, find_shared_names
from agents.declarations.unknown_names import UnknownName
from agents.narrator.decision_marks import strip_typed_markers
from agents.orchestrator.earlier_times import describe_earlier_times
from agents.orchestrator.exchange import Exchange, is_narration, tells_of_hero
from agents.orchestrator.name_notices import NameNotices
from agents.orchestrator.scene_views import SceneViewBuilder, describe_conflicts
from agents.proposals.decisions import is_rejected
from agents.proposals.evidence import words_evidence
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.proposals.statements import STATED_PREDICATE, as_sentence
from agents.prose.names import names_of
from agents.solo.cast_moves import CastMoves, RecordedMoves, ToldFate
from agents.solo.notices import CommandHint
from agents.solo.strangers import find_strangers_in_claims
from agents.views.play_views import ProposalView
from stores.ports import CanonReader
from stores.queries import FactsAboutQuery
from stores.records.canon import (
    AssertFact,
    Authority,
    ChangeSecrecy,
    EndFact,
    Fact,
    Involvement,
    Payload,
    Standing,
)
from stores.records.ids import Clock, Id, derive_id
from stores.records.workflow import ProposedChange
from stores.records.world import ACTORS, Entity, EntityKind

MAX_CLAIMS: Final = 5
"""Facts of one line that are proposed."""
MAX_COMPARED_FACTS: Final = 300
"""Newest facts about somebody among which one that says the same is looked for."""


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


class PlainClaims:
    """Reads what typed lines of narration state, and says what it contradicts."""

    def __init__(
        self,
        canon: CanonReader,
        read_catalogue: ReadCatalogue,
        views: SceneViewBuilder,
        cast_moves: CastMoves,
        clock: Clock,
    ) -> None:
        self._canon = canon
        self._cast_moves = cast_moves
        self._read_catalogue = read_catalogue
        self._views = views
        self._clock = clock
        self._name_notices = NameNotices(canon, cast_moves)

    async def build_claims(self, exchange: Exchange, context: SceneContext) -> tuple[ProposedChange, ...]:
        """Return a proposal for each new fact that the words of an exchange state. Most lines state none."""
        text = strip_typed_markers(exchange.words)
        tells = is_narration(exchange, text)
        hero = context.player_character()
        hero_name = hero.name if hero is not None else ""
        is_of_hero = tells_of_hero(exchange, text)
        known = list(context.entities.values())
        statements = find_statements(text, known, hero_name) if tells or is_of_hero else []
        departures = find_departure_sentences(text) if tells else []
        handovers = _find_handovers(exchange, text, context)
        turn = exchange.build_words_turn(self._clock())
        if turn is None:
            return ()
        deaths = await self._cast_moves.find_deaths(context, turn) if tells else []
        survivors = await self._cast_moves.find_survivors(context, turn) if tells else []
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
            and (tells or fact.fact.predicate in _TIES_OF_HERO)
        ]
        handover_facts = read_handovers(handovers, entities, catalogue, exchange.tick)
        kinds = {entity.id: entity.kind for entity in entities}
        # `Vess gives the bell to Bela` says who has it now, as `Vess gives me the bell` does.
        held_facts = await self._read_held(handover_facts, context, kinds)
        handover_quotes = {fact.quote for fact in held_facts}
        facts = [
            *(
                fact
                for fact in stated_facts
                if fact.quote not in handover_quotes
                and not any(_only_tells(fact, fate) for fate in (*deaths, *survivors))
            ),
            *(
                LastingFact(build_life(fate.who, catalogue, exchange.tick, is_alive=is_alive), fate.quote)
                for is_alive, fates in ((False, deaths), (True, survivors))
                for fate in fates
                if not any(_tells_life(fact.fact, fate.who) for fact in stated_facts)
            ),
            *held_facts,
        ]
        new_facts = await self._drop_known(facts, context, catalogue, entities)
        site = ProposalSite(
            context.universe.id, context.story.id, context.scene.id, turn.id, tick=exchange.tick
        )
        ended_stays = await self._find_ended_stays(
            read_departures(departures, entities), context, exchange.tick
        )
        changes: list[tuple[Id, AssertFact | EndFact, str]] = [
            *((derive_id("claim", turn.id, fact.statement), fact, quote) for fact, quote in new_facts),
            *((derive_id("departure", turn.id, end.fact_id), end, quote) for end, quote in ended_stays),
        ]
        return tuple(
            build_proposal(
                proposal_id, change, [words_evidence(turn, quote)], Authority.SYSTEM, site, turn.created_at
            )
            for proposal_id, change, quote in changes[:MAX_CLAIMS]
        )

    async def _read_held(
        self, handover_facts: Iterable[HandoverFact], context: SceneContext, kinds: Mapping[Id, EntityKind]
    ) -> list[LastingFact]:
        """Return the facts with those of canon that they end: the bell that Bela took lies at Pier Nine no more.

        Who drops what nobody is known to have changes nothing.
        """
        lasting_facts = []
        for fact, quote, thing, is_mere_loss in handover_facts:
            moves = await self._read_moves(thing, context, kinds)
            if is_mere_loss and not moves:
                continue
            ended_ids = find_ended_ids(fact, thing, (f for f in moves if f.id))
            lasting_facts.append(LastingFact(fact.model_copy(update={"ends": ended_ids}), quote))
        return lasting_facts

    async def _read_moves(
        self, thing: Entity, context: SceneContext, kinds: Mapping[Id, EntityKind]
    ) -> list[Fact]:
        """Return the facts of canon and of open proposals on who has a thing or where it is, the last one last."""
        canon_facts = await self._canon.facts_about(thing.id, FactsAboutQuery(newest=MAX_COMPARED_FACTS))
        changes = (p.change for p in context.staged_proposals)
        facts = [*canon_facts, *(self._as_fact(c, context) for c in changes if isinstance(c, AssertFact))]
        return [fact for fact in facts if moved_thing_id(fact, kinds) == thing.id]

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
            f"≈ “{other.title}” may be the same debt: reject one of the two if it is."
            for row in own_rows
            for other in rows
            if other.proposal.id not in proposed_ids and _may_be_same_debt(row.proposal, other.proposal)
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
        handovers = _find_handovers(exchange, strip_typed_markers(exchange.words), context)
        if not handovers:
            return ()
        entities = await self._read_named_entities(context, _words_of(handovers))
        catalogue = await self._read_catalogue(context.universe.id)
        kinds = {entity.id: entity.kind for entity in entities}
        lines = []
        for handover in handovers:
            for fact, _, thing, _ in read_handovers([handover], entities, catalogue, exchange.tick):
                moves = await self._read_moves(thing, context, kinds)
                holding = find_other_holding(handover, entities, moves)
                is_repeated = (
                    holding is not None and not holding.id and set(holding.involves) == set(fact.involves)
                )
                if holding is not None and not is_repeated:
                    said_by = "Canon says" if holding.id else "Another proposal says"
                    lines.append(
                        f"⚠ {said_by} “{holding.statement}” By this line it was with {handover.holder_before}."
                    )
        return tuple(lines)

    async def describe_denied_deeds(self, exchange: Exchange, context: SceneContext) -> tuple[str, ...]:
        """Return a warning on each of those who do what canon or a proposal denies them: the blind who read.

        `context` is the scene before the exchange.
        """
        text = strip_typed_markers(exchange.words)
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
        text = strip_typed_markers(exchange.words)
        unknown_names = [UnknownName(moves.unknown_place, EntityKind.PLACE)] if moves.unknown_place else []
        unknown_names += [UnknownName(name, EntityKind.CHARACTER, is_here=True) for name in moves.strangers]
        tells, known = is_narration(exchange, text), list(context.entities.values())
        unknown_names += [
            UnknownName(name, EntityKind.OBJECT)
            for name in (find_unknown_things(text, known) if tells else ())
        ]
        if handovers := _find_handovers(exchange, text, context):
            named = await self._read_named_entities(context, _words_of(handovers))
            unknown_names += [
                UnknownName(name, EntityKind.OBJECT) for name in find_unknown_handed_things(handovers, named)
            ]
        if tells and find_strangers_in_claims(text, known):
            named = await read_named_entities(self._canon, context, text)
            unknown_names += [
                UnknownName(name, EntityKind.CHARACTER)
                for name in find_strangers_in_claims(text, [*known, *named])
            ]
        notices = await self._name_notices.notice_each(unknown_names, context)
        if not exchange.is_oracle_question:
            notices += await self._name_notices.notice_others(text, context)
        return notices

    async def describe_shared_names(self, exchange: Exchange, context: SceneContext) -> tuple[str, ...]:
        """Return a line on each name of two people in words that state something of one, once a scene."""
        text = strip_typed_markers(exchange.words)
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

    async def _drop_known(
        self,
        facts: Iterable[LastingFact],
        context: SceneContext,
        catalogue: Catalogue,
        entities: Sequence[Entity],
    ) -> list[LastingFact]:
        """Return the facts that neither canon has, nor an open proposal, nor one before them.

        Of what changes hands or places only the last counts, and so of who is alive: the bell that went to Vess and
        back may go to her again.
        """
        kinds, names = {entity.id: entity.kind for entity in entities}, build_name_book(entities)
        # What the player rejected may be true by now: it is proposed anew.
        open_changes = (p.change for p in context.undecided if not is_rejected(p))
        open_facts = [self._as_fact(c, context) for c in open_changes if isinstance(c, AssertFact)]
        canon_facts: dict[Id, list[Fact]] = {}
        new_facts: list[LastingFact] = []
        for lasting_fact in facts:
            fact = self._as_fact(lasting_fact.fact, context)
            subject_id = fact.entity(SUBJECT)
            if subject_id is None or _is_known_death(lasting_fact.fact, context):
                continue
            if subject_id not in canon_facts:
                query = FactsAboutQuery(newest=MAX_COMPARED_FACTS)
                canon_facts[subject_id] = await self._canon.facts_about(subject_id, query)
            moved_id = moved_thing_id(fact, kinds)
            if moved_id and moved_id not in canon_facts:
                query = FactsAboutQuery(newest=MAX_COMPARED_FACTS)
                canon_facts[moved_id] = await self._canon.facts_about(moved_id, query)
            changes = [
                f
                for f in (*(canon_facts[moved_id] if moved_id else ()), *open_facts)
                if (moved_id and moved_thing_id(f, kinds) == moved_id)
                or (fact.predicate == f.predicate == ALIVE and f.entity(SUBJECT) == subject_id)
            ]
            known_facts = changes[-1:] or (*canon_facts[subject_id], *open_facts)
            is_known = any(
                is_same_statement(fact, known_fact, catalogue)
                or (moved_id and _is_same_move(fact, known_fact, kinds))
                or _is_same_by_other_names(fact, known_fact, names)
                for known_fact in known_facts
            )
            if not is_known:
                new_facts.append(lasting_fact)
                open_facts.append(fact)
        return new_facts

    def _as_fact(self, change: AssertFact, context: SceneContext) -> Fact:
        """Return what a change would make true, to compare it with what is known."""
        return Fact(
            id="",
            universe_id=context.universe.id,
            kind=change.fact_kind,
            predicate=change.predicate,
            statement=change.statement,
            involves=change.involves,
            value=change.value,
            standing=change.standing,
            recorded_at=self._clock(),
        )


def _may_be_same_debt(one: ProposedChange, other: ProposedChange) -> bool:
    """Say whether a debt of the same two is told with more words or fewer: `four coins`, `four coins for the lamp`."""
    debts = [
        p.change for p in (one, other) if isinstance(p.change, AssertFact) and p.change.predicate == "owes"
    ]
    if len(debts) < 2 or is_rejected(other) or set(debts[0].involves) != set(debts[1].involves):
        return False
    # Names may be the short or the full ones.
    words, other_words = (
        {word for word in debt.statement.rstrip(".").split() if word[0].islower()} for debt in debts
    )
    return words <= other_words or other_words <= words


def _is_same_by_other_names(fact: Fact, other: Fact, names: NameBook) -> bool:
    """Say whether two facts say the same in the same words, but for the names: `Hask`, and `Captain Hask`."""
    if fact.predicate != other.predicate or fact.standing is not other.standing:
        return False
    words, other_words = (
        [token.entity or token.word for token in read_tokens(f.statement, names.restricted_to(f.statement))]
        for f in (fact, other)
    )
    return words == other_words


def _describe_ended_holdings(rows: Iterable[ProposalView]) -> Iterator[str]:
    """Yield a line on each row by whose deed somebody has a thing no more: that Bela has it ends that by itself."""
    for row in rows:
        _, before, after = next(iter(row.diff), ("", "", ""))
        if says_who_has_thing(before) and not says_who_has_thing(after):
            yield f"It ends: {before}"


def _is_same_move(fact: Fact, other: Fact, kinds: Mapping[Id, EntityKind]) -> bool:
    """Say whether two facts have one thing with one holder or in one place, by whatever names."""
    is_move = moved_thing_id(other, kinds) is not None
    # Who is known to have a thing may yet be said to have stolen it.
    is_deed, is_other_deed = (
        f.predicate != LOCATED_IN and not says_who_has_thing(f.statement) for f in (fact, other)
    )
    return (
        is_move
        and (is_other_deed or not is_deed)
        and fact.predicate == other.predicate
        and set(fact.involves) == set(other.involves)
    )


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
        Statement(f"{h.actor_name} {h.holder_before} {h.statement.sentence}", h.statement.quote)
        for h in handovers
    ]


def _tells_life(fact: AssertFact, who: Entity) -> bool:
    return fact.predicate == ALIVE and Involvement(role=SUBJECT, entity_id=who.id) in fact.involves


def _is_read_elsewhere(lasting_fact: LastingFact, hero: Entity, deaths: Sequence[ToldFate]) -> bool:
    """Say whether it is where the hero is, which follows from where they go, or a death told of `I` or `you`."""
    fact, quote = lasting_fact
    is_stay = fact.predicate == LOCATED_IN and Involvement(role=SUBJECT, entity_id=hero.id) in fact.involves
    is_of_hero = fact.statement != as_sentence(quote)
    return is_stay or (is_of_hero and any(quote in death.quote for death in deaths))


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
