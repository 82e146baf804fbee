"""A small world and the proposals that tests make about it: say what matters, the rest is filled in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from agents.canon_keeper.batch_builder import AcceptedProposal, BuiltBatch, CommitExtras, build_batch
from agents.canon_keeper.canon_snapshot import CanonSnapshot
from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.predicates import load_catalogue
from stores.records.canon import (
    AssertFact,
    Authority,
    CanonBatch,
    CreateEntity,
    Evidence,
    EvidenceKind,
    Fact,
    FactKind,
    FactStatus,
    Involvement,
    Payload,
    StateChange,
    StateOp,
    Supersession,
)
from stores.records.ids import Id, SteppingClock, SystemIdGenerator, derive_id
from stores.records.play import Scene, Story
from stores.records.workflow import Decision, ProposedChange, Verdict
from stores.records.world import Entity, EntityKind, Universe

START = datetime(2026, 1, 1, tzinfo=UTC)
UNIVERSE = derive_id("kit", "universe")
STORY = derive_id("kit", "story")
SCENE = derive_id("kit", "scene")
CATALOGUE = load_catalogue()

now = SteppingClock(START)
_ids = SystemIdGenerator(lambda: START)


def new_id() -> Id:
    return _ids.new()


def universe(**given: Any) -> Universe:
    return Universe(**{"id": UNIVERSE, "name": "The Salt Coast", "recorded_at": START} | given)


def story() -> Story:
    return Story(id=STORY, universe_id=UNIVERSE, title="The Drowned Bell", created_at=START)


def scene(**given: Any) -> Scene:
    filled = {
        "id": SCENE,
        "story_id": STORY,
        "universe_id": UNIVERSE,
        "order": 1,
        "title": "Under the chapel",
    }
    return Scene(**filled | {"created_at": START} | given)


# --- things -----------------------------------------------------------------------------------------


def entity(name: str, kind: EntityKind = EntityKind.CHARACTER, **given: Any) -> Entity:
    filled = {"id": derive_id("kit", name), "universe_id": UNIVERSE, "kind": kind, "recorded_at": START}
    return Entity(**filled | {"name": name} | given)


MARA = entity("Mara", numbers={"hp": 10, "might": 2}, tags=("brave",), is_pc=True)
JON = entity("Jon")
ORC = entity("Orc", EntityKind.CREATURE, numbers={"hp": 8})
CHAPEL = entity("Chapel", EntityKind.PLACE)
CRYPT = entity("Crypt", EntityKind.PLACE)
LANTERN = entity("Lantern", EntityKind.OBJECT)
EVERYONE = (MARA, JON, ORC, CHAPEL, CRYPT, LANTERN)


def involves(*roles: tuple[str, Entity]) -> tuple[Involvement, ...]:
    return tuple(Involvement(role=role, entity_id=who.id) for role, who in roles)


def fact(predicate: str, subject: Entity, other: Entity | None = None, **given: Any) -> Fact:
    """A fact of canon."""
    roles = [("subject", subject), *([("object", other)] if other else [])]
    value = given.get("value")
    filled = {
        "id": new_id(),
        "universe_id": UNIVERSE,
        "kind": FactKind.RELATION if other else FactKind.STATE,
        "predicate": predicate,
        "statement": CATALOGUE.phrase(predicate, subject.name, other.name if other else "", value),
        "involves": involves(*roles),
        "recorded_at": now(),
    }
    return Fact(**filled | given)


def canon(*facts: Fact, entities: tuple[Entity, ...] = EVERYONE, **given: Any) -> CanonSnapshot:
    filled: dict[str, Any] = {
        "universe_id": UNIVERSE,
        "universe": universe(),
        "everyone": entities,
        "facts": facts,
    }
    return CanonSnapshot(**filled | {"entities": {e.id: e for e in entities}} | given)


# --- proposals --------------------------------------------------------------------------------------


def evidence(quote: str = "…", turn_id: Id | None = None) -> Evidence:
    return Evidence(
        id=new_id(), kind=EvidenceKind.TURN, ref_id=turn_id or new_id(), quote=quote, turn_id=turn_id
    )


def proposal(change: Payload, **given: Any) -> ProposedChange:
    """A proposal of a turn in play, by a resolved action, with evidence."""
    turn_id = given.get("turn_id", new_id())
    filled = {
        "id": new_id(),
        "universe_id": UNIVERSE,
        "story_id": STORY,
        "scene_id": SCENE,
        "turn_id": turn_id,
        "payload": change,
        "evidence": (evidence(turn_id=turn_id),),
        "authority": Authority.PLAYER,
        "tick": 100,
        "created_at": now(),
    }
    return ProposedChange(**filled | given)


def says(predicate: str, subject: Entity, other: Entity | None = None, **given: Any) -> ProposedChange:
    """A proposal to assert a fact; what belongs to the proposal and what to the fact is told apart."""
    of_fact = {k: given.pop(k) for k in tuple(given) if k in AssertFact.model_fields}
    model = fact(predicate, subject, other, value=of_fact.get("value"))
    filled = {"fact_kind": model.kind, "statement": model.statement, "involves": model.involves}
    return proposal(AssertFact(**{"predicate": predicate} | filled | of_fact), **given)


def state(who: Entity, key: str, value: Any, op: StateOp = StateOp.SET, **given: Any) -> ProposedChange:
    return proposal(StateChange(entity_id=who.id, key=key, op=op, value=value), **given)


def hurt(who: Entity, by: int, **given: Any) -> ProposedChange:
    return state(who, "hp", -by, StateOp.ADD, **given)


def tagged(who: Entity, tag: str, **given: Any) -> ProposedChange:
    return state(who, tag, None, StateOp.TAG, **given)


def untagged(who: Entity, tag: str, **given: Any) -> ProposedChange:
    return state(who, tag, None, StateOp.UNTAG, **given)


def dies(who: Entity, **given: Any) -> ProposedChange:
    return state(who, "alive", False, **given)


def creates(name: str, kind: EntityKind = EntityKind.PLACE, **given: Any) -> ProposedChange:
    of_entity = {k: given.pop(k) for k in tuple(given) if k in CreateEntity.model_fields}
    return proposal(
        CreateEntity(**{"entity_id": derive_id("kit", name), "entity_kind": kind, "name": name} | of_entity),
        **given,
    )


def ruled(change: ProposedChange, verdict: Verdict, **given: Any) -> ProposedChange:
    """The proposal with the GM's ruling."""
    return change.model_copy(update={"decision": ruling(verdict, **given)})


def ruling(verdict: Verdict, **given: Any) -> Decision:
    return Decision(**{"verdict": verdict, "by": "gm", "at": START} | given)


def fact_of(change: ProposedChange) -> Id:
    return fact_id_of(change)


# --- a canon on paper ---------------------------------------------------------------------------------


class PaperCanon:
    """Canon in memory, wholly read for every commit: for tests of what a batch does to it."""

    def __init__(self, *facts: Fact, entities: tuple[Entity, ...] = EVERYONE) -> None:
        self.entities = {e.id: e for e in entities}
        self.facts = {f.id: f for f in facts}
        self.supports: set[tuple[Id, Id]] = set()
        self.supersessions: dict[tuple[Id, Id], Supersession] = {}

    def commit(self, *proposals: ProposedChange, **given: Any) -> BuiltBatch:
        filled: dict[str, Any] = {"undecided": {}, "closing": CommitExtras(), "now": now()}
        built = build_batch(
            new_id(),
            [AcceptedProposal(p, 1.0) for p in proposals],
            self.snapshot(),
            CATALOGUE,
            **filled | given,
        )
        self.write(built.batch)
        return built

    def write(self, batch: CanonBatch) -> None:
        self.entities.update({e.id: e for e in batch.entities})
        self.facts = {f.id: f for f in batch.facts} | self.facts
        for change in batch.fact_changes:
            moved = {"status": change.status, "valid_to": change.valid_to}
            self.facts[change.fact_id] = self.facts[change.fact_id].model_copy(update=moved)
        self.supports |= {(s.subject_id, s.evidence_id) for s in batch.supports}
        self.supersessions.update({(s.newer_id, s.older_id): s for s in batch.supersedes})

    def snapshot(self) -> CanonSnapshot:
        return CanonSnapshot(
            universe_id=UNIVERSE,
            universe=universe(),
            entities=dict(self.entities),
            everyone=tuple(self.entities.values()),
            facts=tuple(self.facts.values()),
            supersessions=tuple(self.supersessions.values()),
            evidence={i: (evidence(f"of {e.name}"),) for i, e in self.entities.items()},
        )

    def now_so(self, predicate: str, subject: Entity) -> list[Fact]:
        """Return the canonical, open facts of a subject under a predicate."""
        return [
            f
            for f in self.facts.values()
            if (f.predicate, f.entity("subject"), f.status, f.valid_to)
            == (predicate, subject.id, FactStatus.CANONICAL, None)
        ]

    def state(self) -> tuple[dict[Id, Entity], dict[Id, Fact]]:
        """Return entities (their tags in order) and facts, to be compared."""
        entities = {i: e.model_copy(update={"tags": tuple(sorted(e.tags))}) for i, e in self.entities.items()}
        return entities, dict(self.facts)
