"""Builds the typed payload of a proposal from a change in the Archivist's words.

First the names are resolved: to somebody of the scene, of canon, or whom this turn brings in. Then each kind
of change is built; one that canon could not take, or already has, is refused with a short reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.canon_keeper.canon_snapshot import SIMILAR_NAME_LIKENESS
from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import normalize_name
from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.earlier_stays import find_proposed_stays
from agents.context_assembly.live_facts import find_proposed_facts
from agents.narrator.holdings import HOLDING_VERBS, build_holding, find_former_holdings
from agents.personas.outputs import ReportedChange
from agents.proposals.effects import MAX_NUMBER
from agents.proposals.statements import MAX_NAME_LENGTH, STATED_PREDICATE, as_sentence, build_location_fact
from agents.prose.names import names_of
from agents.resolver.sheets import find_floor
from agents.sanitize import clean
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    EndFact,
    Fact,
    FactKind,
    Involvement,
    Payload,
    StateChange,
    StateOp,
    UnmetEnding,
    UpdateEntity,
)
from stores.records.ids import Id, derive_id
from stores.records.play import Turn
from stores.records.world import Entity, EntityKind

PLAYER_CHARACTER_WORDS: Final = frozenset(
    {"you", "the player", "player", "the player's character", "i", "pc"}
)
"""What the player's character is called besides its name."""


class NameResolver:
    """Resolves names in prose to entities of the scene, of canon, and of this turn."""

    def __init__(self, package: ContextPackage, entities_by_name: Mapping[str, Entity]) -> None:
        scene = package.scene
        self._pc = package.player_character
        present_entities = {e.id: e for e in scene.entities.values()}
        present_entities |= {
            p.entity.id: p.entity
            for p in (
                *package.canonical.cast,
                *package.canonical.named_elsewhere,
                *package.canonical.off_stage,
            )
        }
        self._by_full_name: dict[str, Entity] = dict(entities_by_name)
        self._by_name_part: dict[str, list[Entity]] = {}
        for entity in present_entities.values():
            self._add_entity(entity)

    def find(self, name: str) -> Entity | None:
        """Return the entity that a name means; None if there is none, or several."""
        bare_name = normalize_name(name)
        if name.strip().casefold() in PLAYER_CHARACTER_WORDS:
            return self._pc
        if bare_name in self._by_full_name:
            return self._by_full_name[bare_name]
        part_bearers = self._by_name_part.get(bare_name, [])
        if len(part_bearers) == 1:
            return part_bearers[0]
        return self.find_similar(name) if len(bare_name) > 4 else None

    def find_similar(self, name: str) -> Entity | None:
        """Return the entity whose name differs only by a slip."""
        from rapidfuzz import fuzz  # loaded when it is needed: three megabytes

        bare_name = normalize_name(name)
        return next(
            (
                e
                for full_name, e in self._by_full_name.items()
                if fuzz.ratio(bare_name, full_name) >= SIMILAR_NAME_LIKENESS
            ),
            None,
        )

    def add(self, change: CreateEntity, turn: Turn, package: ContextPackage) -> None:
        """Add an entity that this turn brings in."""
        self._add_entity(
            Entity(
                id=change.entity_id,
                universe_id=package.scene.universe.id,
                kind=change.entity_kind,
                name=change.name,
                description=change.description,
                recorded_at=turn.created_at,
            )
        )

    def _add_entity(self, entity: Entity) -> None:
        self._by_full_name |= {normalize_name(name): entity for name in (entity.name, *entity.aliases)}
        for part in names_of(entity):
            bearers = self._by_name_part.setdefault(normalize_name(part), [])
            if all(bearer.id != entity.id for bearer in bearers):
                bearers.append(entity)


END_LIKENESS: Final = 85
"""Likeness, in per cent, from which words mean a fact on record that has ended."""

ENTITY_KIND_WORDS: Final[Mapping[str, EntityKind]] = {
    **{kind.value: kind for kind in EntityKind},
    "person": EntityKind.CHARACTER,
    "npc": EntityKind.CHARACTER,
    "thing": EntityKind.OBJECT,
    "item": EntityKind.OBJECT,
    "location": EntityKind.PLACE,
    "group": EntityKind.FACTION,
    "animal": EntityKind.CREATURE,
    "monster": EntityKind.CREATURE,
    "idea": EntityKind.CONCEPT,
}
UNMET_ENDING_WORDS: Final[Mapping[str, UnmetEnding]] = {
    **{ending.value: ending for ending in UnmetEnding},
    "not kept": UnmetEnding.BROKEN,
    "unpaid": UnmetEnding.BROKEN,
    "moot": UnmetEnding.VOID,
    "impossible": UnmetEnding.VOID,
    "released": UnmetEnding.WITHDRAWN,
    "forgiven": UnmetEnding.WITHDRAWN,
}
"""How a matter went unmet, in a model's words; any other end is that it was met."""
_TRUTH_WORDS: Final = {
    "yes": True,
    "true": True,
    "on": True,
    "": True,
    "no": False,
    "false": False,
    "off": False,
}
_NUMBER = re.compile(r"([+-−–])?\s*(\d{1,9}(?:\.\d{1,4})?)")
_KEY = re.compile(r"[^\W\d][\w '-]{0,38}[\w]|[^\W\d]")


class ChangeRefused(Exception):
    """The change is not proposed; the message is the reason."""


@dataclass(frozen=True, slots=True)
class PayloadBuilder:
    """Builds the payloads of one turn's changes."""

    turn: Turn
    package: ContextPackage
    catalogue: Catalogue
    find_entity: Callable[[str], Entity | None]
    """Returns the entity that a name means here."""
    facts_of_things: Mapping[Id, Sequence[Fact]] = field(default_factory=dict)
    """What canon says of the things that are named."""

    def build(self, change: ReportedChange) -> Payload:
        """Return the change as a payload. Raises ChangeRefused."""
        if change.kind == "new":
            return self._create_entity(change)
        if change.kind == "ended":
            return self._end_fact(change)
        subject = self._require_entity(change.subject)
        match change.kind:
            case "fact":
                return self._assert_fact(subject, change)
            case "holds":
                return self._record_holding(subject, change.object)
            case "wants":
                return self._record_want(subject, change.object)
            case "state":
                return self._change_state(subject, change)
            case "moved":
                return self._record_move(subject, change.object)
            case "died":
                return self._record_death(subject)
            case "promise":
                return self._record_commitment(
                    subject, "promised", f"{subject.name} promised: {_clean_line(change.object)}"
                )
            case "debt":
                return self._record_commitment(
                    subject, "owes", f"{subject.name} owes {_clean_line(change.object)}"
                )
            case "question":
                return self._record_commitment(subject, "question", _clean_line(change.object))
            case "said":
                return self._record_assertion(subject, change.object)
            case "met":
                return self._record_encounter(subject, change.object)
            case _:
                return self._update_entity(subject, change)

    def _require_entity(self, name: str) -> Entity:
        entity = self.find_entity(name)
        if entity is None:
            raise ChangeRefused("names nobody on record")
        return entity

    def _create_entity(self, change: ReportedChange) -> CreateEntity:
        name = _clean_line(change.subject).strip(" .,:;!?\"“”'")
        if not name or len(name) > MAX_NAME_LENGTH:
            raise ChangeRefused("has no name")
        kind = ENTITY_KIND_WORDS.get(change.predicate.strip().casefold(), EntityKind.CHARACTER)
        name = name[:1].upper() + name[1:]
        return CreateEntity(
            entity_id=derive_id("entity", self.turn.scene_id, self.turn.exchange_id, name.casefold()),
            entity_kind=kind,
            name=name,
            description=_clean_line(change.object),
        )

    def _assert_fact(self, subject: Entity, change: ReportedChange) -> Payload:
        """Return a relation for a catalogued predicate between two entities, else a fact stated in a sentence."""
        predicate = re.sub(r"\W+", "_", change.predicate.strip().casefold()).strip("_")
        other = self.find_entity(change.object)
        if predicate in ("located_in", "is_in", "in") and other is not None:
            return self._record_move(subject, change.object)
        if predicate in HOLDING_VERBS and other is not None and other.kind is EntityKind.OBJECT:
            return self._record_holding(subject, change.object)
        if predicate in ("wants", "want"):
            return self._record_want(subject, change.object)
        if predicate in ("met", "said"):
            return (
                self._record_encounter(subject, change.object)
                if predicate == "met"
                else self._record_assertion(subject, change.object)
            )
        if predicate in self.catalogue.names() and other is not None and other.id != subject.id:
            return AssertFact(
                fact_kind=FactKind.RELATION,
                predicate=predicate,
                statement=self.catalogue.phrase(predicate, subject.name, other.name),
                involves=_subject_and_object(subject, other),
                valid_from=self.turn.tick,
            )
        words = _clean_line(f"{change.predicate.replace('_', ' ')} {change.object}")
        if not words:
            raise ChangeRefused("is empty")
        statement = (
            words if words.casefold().startswith(subject.name.casefold()) else f"{subject.name} {words}"
        )
        involves = [Involvement(role="subject", entity_id=subject.id)]
        if other is not None and other.id != subject.id:
            involves.append(Involvement(role="participant", entity_id=other.id))
        return AssertFact(
            fact_kind=FactKind.ATTRIBUTE,
            predicate=STATED_PREDICATE,
            statement=as_sentence(statement),
            involves=tuple(involves),
            valid_from=self.turn.tick,
        )

    def _record_holding(self, subject: Entity, thing_words: str) -> AssertFact:
        """Return the fact that somebody has a thing now; whoever had it before has it no more."""
        words = _clean_line(thing_words)
        if not words or len(words) > MAX_NAME_LENGTH:
            raise ChangeRefused("names no thing")
        thing = self.find_entity(words)
        if thing is not None and thing.kind is not EntityKind.OBJECT:
            raise ChangeRefused("names no thing")
        holding = build_holding(subject, thing, words, self.turn.tick)
        canon = self.package.canonical
        facts = (*canon.facts, *canon.relations, *(self.facts_of_things.get(thing.id, ()) if thing else ()))
        former_ids = find_former_holdings(holding, thing, facts, self.package.scene.staged_proposals)
        return holding.model_copy(update={"ends": former_ids})

    def _record_want(self, subject: Entity, words: str) -> AssertFact:
        """Return the fact that somebody wants something now; what they wanted before they want no more."""
        want = _clean_line(words).rstrip(".")
        if not want:
            raise ChangeRefused("is empty")
        canon, wants = self.package.canonical, f"{subject.name} wants "
        former_ids = [f.id for f in (*canon.facts, *canon.relations) if f.statement.startswith(wants)]
        former_ids += (
            fact_id_of(p)
            for p in self.package.scene.staged_proposals
            if isinstance(p.change, AssertFact) and p.change.statement.startswith(wants)
        )
        return AssertFact(
            fact_kind=FactKind.ATTRIBUTE,
            predicate=STATED_PREDICATE,
            statement=as_sentence(wants + want),
            involves=(Involvement(role="subject", entity_id=subject.id),),
            valid_from=self.turn.tick,
            ends=tuple(dict.fromkeys(former_ids)),
        )

    def _change_state(self, subject: Entity, change: ReportedChange) -> Payload:
        key = _clean_line(change.predicate).casefold()
        if not _KEY.fullmatch(key):
            raise ChangeRefused("names no number or tag")
        value = _clean_line(change.object)
        if key in ("alive", "dead"):
            is_dead = _TRUTH_WORDS.get(value.casefold(), True) is (key == "dead")
            if not is_dead:
                raise ChangeRefused("only the GM revives the dead")
            return self._record_death(subject)
        if key in ("location", "located_in", "place"):
            return self._record_move(subject, value)
        if value.casefold() in _TRUTH_WORDS:
            return self._state_change(
                subject, key, StateOp.TAG if _TRUTH_WORDS[value.casefold()] else StateOp.UNTAG, None
            )
        number = _NUMBER.fullmatch(value)
        if number is None:
            return self._state_change(subject, key, StateOp.SET, value)
        amount = float(number[2]) if "." in number[2] else int(number[2])
        if amount > MAX_NUMBER:
            raise ChangeRefused("no number that a sheet can hold")
        if number[1]:
            return self._state_change(subject, key, StateOp.ADD, amount if number[1] == "+" else -amount)
        return self._state_change(subject, key, StateOp.SET, amount)

    def _state_change(
        self, subject: Entity, key: str, op: StateOp, value: bool | int | float | str | None
    ) -> StateChange:
        state = self.package.scene.working_state(subject)
        tags = {tag.casefold() for tag in state.tags}
        current_value = state.numbers.get(key, state.values.get(key))
        is_unchanged = (op is StateOp.SET and current_value == value) or (op is StateOp.TAG and key in tags)
        if is_unchanged or (op is StateOp.UNTAG and key not in tags):
            raise ChangeRefused("is so already")
        if op in (StateOp.ADD, StateOp.SET) and self._is_moved_by_dice(subject, key):
            raise ChangeRefused("is part of the result already")
        floor = find_floor(None, key) if op is StateOp.ADD else None
        return StateChange(entity_id=subject.id, key=key, op=op, value=value, floor=floor)

    def _is_moved_by_dice(self, subject: Entity, key: str) -> bool:
        """Return whether a roll or a declaration of this exchange already changes the same number."""
        last_turn_tick = max((t.tick for t in self.package.narrative.recent_turns), default=-1)
        return any(
            isinstance(p.change, StateChange)
            and p.change.entity_id == subject.id
            and p.change.key.casefold() == key
            and (p.tick or 0) > last_turn_tick
            for p in self.package.scene.staged_proposals
        )

    def _record_death(self, subject: Entity) -> StateChange:
        state = self.package.scene.working_state(subject)
        if state.values.get("alive") is False or "dead" in {tag.casefold() for tag in state.tags}:
            raise ChangeRefused("is so already")
        if subject.kind not in (EntityKind.CHARACTER, EntityKind.CREATURE):
            raise ChangeRefused("is not a living being")
        return StateChange(entity_id=subject.id, key="alive", op=StateOp.SET, value=False)

    def _record_move(self, subject: Entity, name: str) -> AssertFact:
        place = self._require_entity(name)
        if place.kind is not EntityKind.PLACE or place.id == subject.id:
            raise ChangeRefused("names no place on record")
        current_place = self.package.scene.place
        if (
            subject.id == self.package.scene.story.pc_id
            and current_place is not None
            and current_place.id == place.id
        ):
            raise ChangeRefused("is so already")
        earlier_stays = find_proposed_stays(self.package.scene, subject.id, place.id)
        return build_location_fact(subject, place, self.turn.tick, earlier_stays=earlier_stays)

    def _record_commitment(self, subject: Entity, predicate: str, words: str) -> AssertFact:
        if len(words.split()) < 3:
            raise ChangeRefused("is empty")
        return AssertFact(
            fact_kind=FactKind.COMMITMENT,
            predicate=predicate,
            statement=as_sentence(words),
            involves=(Involvement(role="subject", entity_id=subject.id),),
            valid_from=self.turn.tick,
        )

    def _record_assertion(self, subject: Entity, words: str) -> AssertFact:
        spoken_words = _clean_line(words)
        if not spoken_words:
            raise ChangeRefused("is empty")
        return AssertFact(
            fact_kind=FactKind.ASSERTION,
            predicate="said",
            statement=self.catalogue.phrase("said", subject.name, as_sentence(spoken_words)),
            involves=(Involvement(role="subject", entity_id=subject.id),),
            valid_from=self.turn.tick,
        )

    def _record_encounter(self, subject: Entity, name: str) -> AssertFact:
        other = self._require_entity(name)
        if other.id == subject.id:
            raise ChangeRefused("is empty")
        return AssertFact(
            fact_kind=FactKind.ENCOUNTER,
            predicate="met",
            statement=self.catalogue.phrase("met", subject.name, other.name),
            involves=_subject_and_object(subject, other),
            valid_from=self.turn.tick,
        )

    def _end_fact(self, change: ReportedChange) -> EndFact:
        words = _clean_line(change.object).casefold()
        matters = [
            f
            for f in self.package.agenda.commitments.values()
            if f.id not in self.package.agenda.payoff_proposal_ids
        ]
        canon = self.package.canonical
        # What was narrated in this scene alone can be over before it is canon.
        facts = (*canon.facts, *canon.relations, *find_proposed_facts(self.package))
        fact = _find_nearest_fact(words, matters) or _find_nearest_fact(words, facts)
        if fact is None:
            raise ChangeRefused("matches no open fact on record")
        how = UNMET_ENDING_WORDS.get(change.predicate.strip().casefold())
        is_commitment = fact.kind is FactKind.COMMITMENT
        return EndFact(
            fact_id=fact.id,
            at=self.turn.tick,
            closed=is_commitment and how is None,
            unmet_ending=how if is_commitment else None,
        )

    def _update_entity(self, subject: Entity, change: ReportedChange) -> UpdateEntity:
        words = _clean_line(change.object)
        if not words:
            raise ChangeRefused("is empty")
        current_names = {n.casefold() for n in (subject.name, *subject.aliases)}
        match change.predicate.strip().casefold():
            case "name" | "alias" if words.casefold() in current_names or len(words) > MAX_NAME_LENGTH:
                raise ChangeRefused("is so already")
            case "name":
                return UpdateEntity(entity_id=subject.id, name=words)
            case "alias":
                return UpdateEntity(entity_id=subject.id, aliases=(*subject.aliases, words))
            case _ if subject.description:
                # A narration does not overwrite a description that somebody wrote.
                raise ChangeRefused("is described already")
            case _:
                return UpdateEntity(entity_id=subject.id, description=as_sentence(words))


def _subject_and_object(subject: Entity, other: Entity) -> tuple[Involvement, Involvement]:
    return Involvement(role="subject", entity_id=subject.id), Involvement(role="object", entity_id=other.id)


def _find_nearest_fact(words: str, facts: Sequence[Fact]) -> Fact | None:
    from rapidfuzz import fuzz  # loaded when it is needed: three megabytes

    if len(words) < 6:
        return None
    likeness: dict[Id, float] = {f.id: fuzz.token_set_ratio(words, f.statement.casefold()) for f in facts}
    best = max(facts, key=lambda f: likeness[f.id], default=None)
    return best if best is not None and likeness[best.id] >= END_LIKENESS else None


def _clean_line(text: str) -> str:
    """Return outside text in one clean line that cannot be read as a command."""
    return " ".join(clean(text).split()).lstrip("/>?").strip()
