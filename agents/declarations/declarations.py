"""Stages the GM's declarations: what `/npc`, `/place`, `/fact`, `/state`, `/go`, `/axiom` propose.

Each rests on the typed words, and on the current turn of play only if its words support what is declared.
It belongs to that turn all the same, so that undoing the turn undoes the declaration too. Nothing here writes canon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from agents.canon_keeper.checks.duplicate_check import is_like_kind
from agents.canon_keeper.fact_readings import is_open
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import normalize_name
from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.canon_keeper.sentence_facts import read_deaths, read_sentence_fact
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.earlier_stays import find_earlier_stays
from agents.context_assembly.known_secrets import describe_knowers, fold_secrets
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.declarations import reader as declare
from agents.declarations.entity_lookup import scene_entity_finder
from agents.declarations.named_entities import read_named_entities
from agents.declarations.new_people import find_unknown_names, read_new_person
from agents.declarations.secret_facts import change_knowers, name_knower
from agents.declarations.secret_reader import USAGE, read_secret
from agents.declarations.shared_names import SharedName, ask_for_name, find_shared_names, name_bearers
from agents.declarations.thing_moves import find_ended_ids, read_move
from agents.proposals.decisions import is_rejected
from agents.proposals.effects import fit_value, parse_effects
from agents.proposals.evidence import turn_evidence
from agents.proposals.lore_entries import read_lore
from agents.proposals.proposals import Proposals, ProposalSite
from agents.proposals.statements import STATED_PREDICATE, build_location_fact
from agents.prose.hero_name import name_hero
from agents.prose.plain_secrets import find_subject_pronoun
from agents.prose.supporting_words import mentions_name, mentions_person, supports_statement
from agents.resolver.ruleset_schema import Pack
from agents.resolver.sheets import describe_missing_number, find_floor, find_missing_number
from agents.resolver.working_state import fold_changes
from stores.errors import InputError
from stores.queries import FactQuery, FactsAboutQuery
from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    Evidence,
    Fact,
    FactKind,
    Involvement,
    NoteAxiom,
    Payload,
    Secrecy,
    StateChange,
    StateOp,
    normalize_statement,
)
from stores.records.ids import Id, IdGenerator
from stores.records.play import Speaker
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind


class DeclarationService:
    """Reads typed declarations and proposes what they declare."""

    def __init__(
        self,
        context: SceneContextLoader,
        proposals: Proposals,
        read_catalogue: ReadCatalogue,
        ids: IdGenerator,
        find_pack: Callable[[SceneContext], Pack | None],
    ) -> None:
        self._context = context
        self._find_pack = find_pack
        self._proposals = proposals
        self._read_catalogue = read_catalogue
        self._ids = ids

    async def find_known(
        self, context: SceneContext, kind: EntityKind, argument: str, example: str
    ) -> Entity | None:
        """Return what a typed name without a description means: the one that is called so, or has all its words.

        A description says that another is meant: two may have one name.
        """
        new_entity = declare.read_entity(argument, example)
        if new_entity.description or new_entity.is_important or new_entity.numbers:
            return None
        typed_name = normalize_name(new_entity.name)
        matches = [
            entity
            for entity in await self._context.find_entities(context, new_entity.name, allow_partial=True)
            if is_like_kind(entity.kind, kind)
            and not context.is_dead(entity)
            and any(_has_words(name, typed_name) for name in (entity.name, *entity.aliases))
        ]
        called_so = [e for e in matches if typed_name in map(normalize_name, (e.name, *e.aliases))]
        matches = called_so or matches
        return matches[0] if len(matches) == 1 else None

    async def declare_entity(
        self, context: SceneContext, kind: EntityKind, argument: str, example: str
    ) -> ProposedChange:
        """Propose a new entity; a name that ends in `!` is a discovery."""
        new_entity = _read_new_entity(context, argument, example)
        change = declare.build_entity_creation(new_entity, kind, self._ids.new())
        return await self._stage_proposal(context, change, argument, critical=new_entity.is_important)

    async def declare_place(self, context: SceneContext, argument: str, example: str) -> list[ProposedChange]:
        """Propose a discovered place; `Crypt > Chamber` (or `here > Chamber`) says where it leads on from.

        To a place that is known only the way is proposed.
        """
        name, colon, description = argument.partition(":")
        start_name, arrow, name = name.rpartition(">")
        own_words = f"{name.strip()}{colon}{description}"
        new_place = _read_new_entity(context, own_words, example)
        creation = declare.build_entity_creation(new_place, EntityKind.PLACE, self._ids.new())
        known_place = await self.find_known(context, EntityKind.PLACE, own_words, example) if arrow else None
        proposals = [] if known_place else [self._build_proposal(context, creation, argument, critical=True)]
        if arrow:
            start = await self._find_start_place(context, start_name.strip())
            if known_place is not None and known_place.id == start.id:
                raise InputError(
                    f"{start.name} does not lead on to itself.",
                    kept="Nothing was proposed.",
                    todo=f"A description makes it another place, as in: {example}",
                )
            catalogue = await self._read_catalogue(context.universe.id)
            place_id, place_name = (
                (known_place.id, known_place.name) if known_place else (creation.entity_id, creation.name)
            )
            connection = declare.build_connection_fact(start, place_id, place_name, catalogue.phrase)
            # The words that tell of the place tell of the way there, which begins where they are spoken.
            evidence = _supporting_turn_evidence(context, creation, argument)
            proposals.append(self._build_proposal(context, connection, argument, evidence=evidence))
        return await self.stage_command(proposals)

    async def declare_companion(
        self, context: SceneContext, argument: str, example: str, tie: str
    ) -> list[ProposedChange]:
        """Propose a character, unless the name is known, and what ties them to the hero: `ally_of` or the like."""
        new_entity = _read_new_entity(context, argument, example)
        proposals = []
        if known_entities := await self._context.find_entities(context, new_entity.name):
            person_id, name = known_entities[0].id, known_entities[0].name
        else:
            person_id, name = self._ids.new(), new_entity.name
            change = declare.build_entity_creation(new_entity, EntityKind.CHARACTER, person_id)
            proposals.append(
                self._build_proposal(context, change, argument, critical=new_entity.is_important)
            )
        hero = context.player_character()
        if hero is not None and hero.id != person_id:
            catalogue = await self._read_catalogue(context.universe.id)
            statement = catalogue.phrase(tie, name, hero.name)
            fact = declare.build_tie_fact(tie, person_id, hero.id, statement, context.tick)
            if await self._is_tied(context, fact):
                raise InputError(
                    f"That is so, or proposed, already: {statement}",
                    kept="Nothing was proposed.",
                    todo=f"Somebody else is named so: {example}",
                )
            proposals.append(self._build_proposal(context, fact, argument))
        if not proposals:
            raise InputError(
                f"{name} is who you play.", kept="Nothing was proposed.", todo=f"As in: {example}"
            )
        return await self.stage_command(proposals)

    async def _is_tied(self, context: SceneContext, fact: AssertFact) -> bool:
        """Say whether canon, or a proposal that is not rejected, ties these two in this way already."""
        ids = {i.entity_id for i in fact.involves}
        query = FactsAboutQuery(predicate=fact.predicate)
        canon_facts = await self._context.canon.facts_about(fact.involves[0].entity_id, query)
        proposed = [
            p.change
            for p in context.staged_proposals
            if isinstance(p.change, AssertFact) and not is_rejected(p)
        ]
        tied = [f.involves for f in canon_facts]
        tied += [change.involves for change in proposed if change.predicate == fact.predicate]
        return any({i.entity_id for i in involves} == ids for involves in tied)

    async def declare_held_thing(
        self, context: SceneContext, owner: Entity, typed_name: str, tag: str, quote: str
    ) -> list[ProposedChange]:
        """Propose a thing with a tag, unless the name is known, and that somebody has it: as a gift, it can be lost."""
        known = [
            e for e in await self._context.find_entities(context, typed_name) if e.kind is EntityKind.OBJECT
        ]
        if known:
            thing_id, name = known[0].id, known[0].name
            change: Payload = StateChange(entity_id=thing_id, key=tag, op=StateOp.TAG)
        else:
            name = declare.read_entity(typed_name, "/gear sword: Old Faithful").name
            thing_id = self._ids.new()
            # `Dob steals the long blade.` means it too, as long as nothing else is called so.
            aliases = () if await self._context.find_entities(context, tag) else (tag,)
            change = CreateEntity(
                entity_id=thing_id,
                entity_kind=EntityKind.OBJECT,
                name=name,
                aliases=aliases if name != tag else (),
                tags=(tag,),
            )
        fact = AssertFact(
            fact_kind=FactKind.ATTRIBUTE,
            predicate=STATED_PREDICATE,
            statement=f"{owner.name} has {name}.",
            involves=(
                Involvement(role="subject", entity_id=owner.id),
                Involvement(role="participant", entity_id=thing_id),
            ),
            valid_from=context.tick,
        )
        return await self.stage_command(
            [self._build_proposal(context, each, quote) for each in (change, fact)]
        )

    async def _find_start_place(self, context: SceneContext, name: str) -> Entity:
        if name.casefold() not in ("", "here"):
            return await self._find_place(context, name)
        if context.place is None:
            raise InputError(
                "It is not known where you are, so nothing can lead on from here.",
                kept="Nothing was proposed.",
                todo="/place NAME brings in where you are, and /go NAME then says so.",
            )
        return context.place

    async def _find_place(self, context: SceneContext, name: str) -> Entity:
        """Return the place that a name means. Raises InputError if it is none, or the name of somebody."""
        place = await self._context.find_one_entity(context, name, kind=EntityKind.PLACE)
        if place.kind is not EntityKind.PLACE:
            raise InputError(
                f"{place.name} is a {place.kind}, not a place.",
                kept="Nothing was proposed.",
                todo="/place Name brings in a new place.",
            )
        return place

    async def declare_fact(self, context: SceneContext, argument: str) -> list[ProposedChange]:
        """Propose a fact: a relation, a value, or a sentence, and whom that makes known and who dies by it."""
        return await self.stage_command(await self.build_fact(context, argument))

    async def build_fact(self, context: SceneContext, argument: str) -> list[ProposedChange]:
        """Return what would propose a fact, which is not staged yet."""
        catalogue = await self._read_catalogue(context.universe.id)
        statement = name_hero_in(context, argument)
        find_entity = scene_entity_finder(context, self._context, text=statement, guess_people=True)
        change = await declare.read_fact(statement, catalogue, find_entity, context.tick)
        changes, proposals = [change], []
        if change.predicate == STATED_PREDICATE:
            mentioned = await declare.find_mentioned_entities(statement, find_entity)
            new_person = read_new_person(statement, mentioned, catalogue, self._ids.new, context.tick)
            if new_person is not None:
                await self._refuse_shared_name(context, new_person.creation.name)
                changes = [new_person.fact]
                proposals.append(self._build_proposal(context, new_person.creation, argument))
            else:
                changes += read_deaths(statement, mentioned, catalogue, context.tick)
        changes = [await self._end_earlier_moves(context, change) for change in changes]
        proposals += self._build_facts(context, changes, argument, catalogue)
        return _as_command(proposals)

    async def _end_earlier_moves(self, context: SceneContext, fact: AssertFact) -> AssertFact:
        """Return a fact of who has a thing with those that it ends: where the thing lay, and that it was lost."""
        involved_ids = [i.entity_id for i in fact.involves]
        missing_ids = set(involved_ids) - context.entities.keys()
        entities = {
            **(await self._context.canon.entities_by_id(missing_ids) if missing_ids else {}),
            **context.entities,
        }
        kinds = {entity_id: entity.kind for entity_id, entity in entities.items()}
        thing_id = next((i for i in involved_ids if kinds.get(i) is EntityKind.OBJECT), None)
        if thing_id is None or fact.predicate != STATED_PREDICATE:
            return fact
        proposed_facts = [
            fact_from_assertion(p, p.change)
            for p in context.undecided
            if isinstance(p.change, AssertFact) and not is_rejected(p)
        ]
        facts = (*await self._context.canon.facts_about(thing_id), *proposed_facts)
        moves = (read_move(f, kinds) for f in facts)
        own_moves = [move for move in moves if move is not None and move.thing_id == thing_id]
        return fact.model_copy(update={"ends": find_ended_ids(fact, own_moves)})

    async def find_unknown_names(self, context: SceneContext, argument: str) -> list[str]:
        """Return the names in a sentence that mean nobody and nothing that is known. Raises StoreError."""
        statement = name_hero_in(context, argument)
        find_entity = scene_entity_finder(context, self._context, text=statement, guess_people=True)
        return find_unknown_names(statement, await declare.find_mentioned_entities(statement, find_entity))

    async def find_shared_names(self, context: SceneContext, argument: str) -> list[SharedName]:
        """Return the names in a sentence that two people have, one of whom it means. Raises StoreError."""
        statement = name_hero_in(context, argument)
        known = await read_named_entities(self._context.canon, context, statement)
        return find_shared_names(statement, known)

    async def _refuse_shared_name(self, context: SceneContext, name: str) -> None:
        """Raise InputError if a name that would make somebody known is one by which two people are called."""
        for shared_name in (await self.find_shared_names(context, name))[:1]:
            raise InputError(
                f"{name_bearers(shared_name)}.",
                kept="Nothing was proposed, and your words are still in the prompt.",
                todo=ask_for_name(shared_name),
            )

    async def declare_secret(self, context: SceneContext, argument: str) -> ProposedChange:
        """Propose a secret, or who may know what canon has already: `Vess, Dob: The seal is forged`."""
        find_entity = scene_entity_finder(context, self._context, text=argument, guess_people=True)
        knowers, words = await read_secret(argument, find_entity, context.player_character())
        if not words:
            raise InputError("A secret needs a sentence.", kept="Nothing was proposed.", todo=USAGE)
        catalogue = await self._read_catalogue(context.universe.id)
        named_words = name_knower(words, knowers.only_named)
        change = await declare.read_fact(
            name_hero_in(context, named_words or words), catalogue, find_entity, context.tick
        )
        known_fact = await self._find_stated_fact(context, change.statement)
        if known_fact is not None:
            return await self._stage_proposal(context, change_knowers(known_fact, knowers), argument)
        if knowers.is_revealed:
            raise InputError(
                "No such secret is known.",
                kept="Nothing was proposed and your words are still in the prompt.",
                todo="/secret lists them. /fact proposes what everybody may know.",
            )
        if not named_words:
            raise InputError(
                f"It is not clear who “{find_subject_pronoun(words)}” is.",
                kept="Nothing was proposed and your words are still in the prompt.",
                todo="Put a name in its place.",
            )
        secret = change.model_copy(update={"secrecy": Secrecy(known_to=knowers.known_to)})
        critical = catalogue.is_critical(change.predicate, change.value)
        return await self._stage_proposal(context, secret, argument, critical=critical)

    async def list_secrets(self, context: SceneContext) -> tuple[str, ...]:
        """Return a line on each secret as it stands with what is proposed, and who may know it."""
        canon_secrets = await self._context.canon.facts(context.universe.id, FactQuery(only_secrets=True))
        secrets = fold_secrets(canon_secrets, context.staged_proposals, {})
        knower_ids = {i for fact in secrets.values() if fact.secrecy for i in fact.secrecy.known_to}
        missing_ids = knower_ids - context.entities.keys()
        entities = {
            **(await self._context.canon.entities_by_id(missing_ids) if missing_ids else {}),
            **context.entities,
        }
        return tuple(f"{fact.statement} ({describe_knowers(fact, entities)})" for fact in secrets.values())

    async def _find_stated_fact(self, context: SceneContext, statement: str) -> Fact | None:
        """Return the fact that says this now, in canon or among what is proposed in the scene, as it would be then."""
        canon_facts = await self._context.canon.facts_by_statement(
            context.universe.id, [normalize_statement(statement)]
        )
        open_facts = {fact.id: fact for fact in canon_facts if is_open(fact)}
        proposed_facts = (
            fact_from_assertion(p, p.change)
            for p in context.staged_proposals
            if isinstance(p.change, AssertFact)
        )
        stated_facts = open_facts | {
            fact.id: fact for fact in proposed_facts if fact.statement_key == normalize_statement(statement)
        }
        secrets = fold_secrets((), context.staged_proposals, stated_facts)
        return next((secrets.get(i, fact) for i, fact in stated_facts.items()), None)

    async def build_axiom(self, context: SceneContext, argument: str) -> list[ProposedChange]:
        """Return what would propose a rule of the world, which is not staged yet."""
        rule = name_hero_in(context, argument)
        change = await declare.read_axiom(rule, scene_entity_finder(context, self._context, text=rule))
        return _as_command([self._build_proposal(context, change, argument)])

    async def declare_lore(self, context: SceneContext, argument: str) -> ProposedChange:
        """Propose a lore entry: keys, a colon, a text."""
        return await self._stage_proposal(context, read_lore(argument), argument)

    async def declare_move(
        self,
        context: SceneContext,
        argument: str,
        typed_text: str,
        command_id: Id | None = None,
        evidence: Sequence[Evidence] = (),
    ) -> tuple[Entity, ProposedChange]:
        """Propose that the player character is now in a place, and no longer where they were; return the place, too.

        It rests on the line that was typed, of which `argument` names the place, or on other `evidence`, and is undone
        with the rest of the command `command_id`, if there is more of it.
        """
        actor = context.player_character()
        if actor is None:
            raise InputError(
                "This story has no player character to go anywhere.", kept="Nothing was proposed."
            )
        place = await self._find_place(context, argument)
        earlier_stays = await find_earlier_stays(context, self._context.canon, actor.id, place.id)
        change = build_location_fact(actor, place, context.tick, earlier_stays=earlier_stays)
        proposal = self._build_proposal(context, change, typed_text, evidence=evidence)
        return place, (await self.stage_command([proposal], command_id))[0]

    async def declare_state(self, context: SceneContext, argument: str) -> list[ProposedChange]:
        """Propose changes of numbers, values and tags: `Mara.hp -3, Mara +wounded`."""
        changes: list[StateChange] = []
        pack = self._find_pack(context)
        for effect in parse_effects(argument):
            entity = await self._context.find_one_entity(context, effect.name)
            numbers = fold_changes(entity, (*context.state_changes(entity.id), *changes)).numbers
            effect = fit_value(replace(effect, name=entity.name), numbers)
            if missing := find_missing_number(pack, effect, numbers):
                raise InputError(
                    describe_missing_number(missing),
                    kept="Nothing was proposed, and your words are still in the prompt.",
                    todo=f"/state {missing} gives it, as an example.",
                )
            changes.append(
                StateChange(
                    entity_id=entity.id,
                    key=effect.key,
                    op=effect.op,
                    value=effect.value,
                    floor=find_floor(pack, effect.key) if effect.op is StateOp.ADD else None,
                )
            )
        return await self.propose_state_changes(context, changes, argument)

    async def propose_state_changes(
        self, context: SceneContext, changes: Sequence[StateChange], quote: str, *, is_quotation: bool = True
    ) -> list[ProposedChange]:
        """Propose changes of numbers, values and tags, all resting on the same words.

        Raises InputError without any.
        """
        catalogue = await self._read_catalogue(context.universe.id)
        proposals = [
            self._build_proposal(
                context,
                c,
                quote,
                critical=catalogue.is_critical(c.key, c.value),
                is_quotation=is_quotation,
            )
            for c in changes
        ]
        if not proposals:
            raise InputError(
                "It needs a change.",
                kept="Nothing was proposed.",
                todo="As in: /state NAME.hp -3, NAME +wounded",
            )
        return await self.stage_command(proposals)

    async def stage_change(self, context: SceneContext, change: Payload, quote: str) -> ProposedChange:
        """Propose a change in the GM's name that was not typed as a declaration, such as a clock's advance."""
        return await self._stage_proposal(context, change, quote, is_quotation=False)

    async def build_outcome(
        self, context: SceneContext, event: AssertFact, quote: str, *, evidence: Sequence[Evidence]
    ) -> list[ProposedChange]:
        """Return proposals of what a scene came to, as one fact, and of the deaths that it tells among other things.

        A sentence that states a fact of the catalogue, such as a death, is that fact; any other is the event.
        """
        find_entity = scene_entity_finder(context, self._context, text=event.statement, guess_people=True)
        mentioned_entities = await declare.find_mentioned_entities(event.statement, find_entity)
        catalogue = await self._read_catalogue(context.universe.id)
        fact = read_sentence_fact(event.statement, mentioned_entities, catalogue, context.tick)
        if fact is None or fact.fact_kind not in (FactKind.STATE, FactKind.RELATION):
            deaths = read_deaths(event.statement, mentioned_entities, catalogue, context.tick)
            changes = [event, *deaths]
        else:
            changes = [fact]
        return self._build_facts(context, changes, quote, catalogue, evidence)

    async def _stage_proposal(
        self,
        context: SceneContext,
        change: Payload,
        quote: str,
        *,
        critical: bool = False,
        evidence: Sequence[Evidence] = (),
        is_quotation: bool = True,
    ) -> ProposedChange:
        proposal = self._build_proposal(
            context, change, quote, critical=critical, evidence=evidence, is_quotation=is_quotation
        )
        (staged_proposal,) = await self.stage_command([proposal])
        return staged_proposal

    async def stage_command(
        self, proposals: Sequence[ProposedChange], command_id: Id | None = None
    ) -> list[ProposedChange]:
        """Stage all that one command proposes, which is undone together."""
        staged_proposals = _as_command(proposals, command_id)
        await self._proposals.stage(staged_proposals)
        return staged_proposals

    def _build_facts(
        self,
        context: SceneContext,
        facts: Iterable[AssertFact],
        quote: str,
        catalogue: Catalogue,
        evidence: Sequence[Evidence] = (),
    ) -> list[ProposedChange]:
        return [
            self._build_proposal(
                context,
                fact,
                quote,
                critical=catalogue.is_critical(fact.predicate, fact.value),
                evidence=evidence,
            )
            for fact in facts
        ]

    def _build_proposal(
        self,
        context: SceneContext,
        change: Payload,
        quote: str,
        *,
        critical: bool = False,
        evidence: Sequence[Evidence] = (),
        is_quotation: bool = True,
    ) -> ProposedChange:
        return self._proposals.build(
            change,
            quote,
            Authority.GM,
            _site_of(context),
            turn=context.last_play_turn,
            evidence=evidence or _supporting_turn_evidence(context, change, quote),
            critical=critical,
            is_quotation=is_quotation,
        )


def name_hero_in(context: SceneContext, text: str) -> str:
    """Return typed words with the hero's name in the place of `I`, `me` and `my`, as canon has them."""
    hero = context.player_character()
    return name_hero(text, hero.name) if hero is not None else text


def _read_new_entity(context: SceneContext, argument: str, example: str) -> declare.NewEntity:
    new_entity = declare.read_entity(argument, example)
    return replace(new_entity, description=name_hero_in(context, new_entity.description))


def _supporting_turn_evidence(context: SceneContext, change: Payload, quote: str) -> tuple[Evidence, ...]:
    """Return the current turn as evidence, if its words support what is declared."""
    turn, hero = context.last_play_turn, context.player_character()
    if turn is None or turn.speaker in (Speaker.SYSTEM, Speaker.ORACLE):
        return ()
    hero_name = hero.name if hero else ""
    if isinstance(change, CreateEntity):
        mentions = mentions_person if change.entity_kind is EntityKind.CHARACTER else mentions_name
        is_supported = mentions(turn.text, change.name)
    else:
        is_supported = supports_statement(turn.text, _statement_of(context, change, quote), hero_name)
    return (turn_evidence(turn),) if is_supported else ()


def _statement_of(context: SceneContext, change: Payload, quote: str) -> str:
    """Return what a declaration says in a sentence."""
    if isinstance(change, AssertFact | NoteAxiom):
        return change.statement
    if isinstance(change, StateChange) and (entity := context.entities.get(change.entity_id)):
        what = change.key if change.op in (StateOp.TAG, StateOp.UNTAG) else f"{change.key} {change.value}"
        return f"{entity.name}: {'not ' if change.op is StateOp.UNTAG else ''}{what}"
    label, colon, sentence = quote.partition(": ")  # as in `Paid: Mara owes the well a coin.`
    return sentence if colon else label


def _site_of(context: SceneContext) -> ProposalSite:
    """Return where a declaration is proposed.

    It is the current turn of play, so that undoing that turn undoes the declaration too.
    """
    return ProposalSite(
        context.universe.id,
        context.story.id,
        context.scene.id,
        context.last_play_turn.id if context.last_play_turn else None,
        tick=context.tick,
    )


def _has_words(name: str, typed_name: str) -> bool:
    """Say whether a name has all words of a normalized one."""
    return frozenset(typed_name.split()) <= frozenset(normalize_name(name).split())


def _as_command(proposals: Sequence[ProposedChange], command_id: Id | None = None) -> list[ProposedChange]:
    """Return the proposals as those of one command."""
    command_id = command_id or proposals[0].id
    return [p.model_copy(update={"command_id": command_id}) for p in proposals]
