"""Builds small records for tests: fields that are not given are filled in; identifiers and times only rise."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from stores.records.canon import (
    AdvanceClock,
    Authority,
    CanonBatch,
    Evidence,
    EvidenceKind,
    Fact,
    FactKind,
    Involvement,
    Support,
)
from stores.records.grid_maps import GridMapEdit
from stores.records.ids import Id, SteppingClock, SystemIdGenerator, derive_id
from stores.records.jobs import Job, JobKind, derive_job_id
from stores.records.llm import DecisionMark, LlmCall, Money, Persona, RecordedSection
from stores.records.memory import ArchivedLog, Memory, Summary
from stores.records.play import Note, Resolution, Scene, Speaker, Story, Turn
from stores.records.sources import Snippet, Source, SourcePage, derive_page_id
from stores.records.workflow import (
    Canonization,
    Checkpoint,
    Decision,
    GatePolicy,
    KindPolicy,
    KindRule,
    Loop,
    ProposalOutcome,
    ProposalStatus,
    ProposedChange,
    Ruling,
    RulingKind,
    Transition,
    Verdict,
)
from stores.records.world import Entity, EntityKind, SceneNode, StoryNode, Universe

UNIVERSE = derive_id("test universe")
START = datetime(2026, 1, 1, tzinfo=UTC)
now = SteppingClock(START)
_ids = SystemIdGenerator(lambda: START)


def new_id() -> Id:
    return _ids.new()


# --- world and canon --------------------------------------------------------------------------------


def universe(**given: Any) -> Universe:
    return Universe(**{"id": UNIVERSE, "name": "The Salt Coast", "recorded_at": now()} | given)


def entity(name: str = "Mara", **given: Any) -> Entity:
    filled = {"id": new_id(), "universe_id": UNIVERSE, "kind": EntityKind.CHARACTER, "recorded_at": now()}
    return Entity(**filled | {"name": name} | given)


def fact(statement: str = "Mara is tired.", *subjects: Entity, **given: Any) -> Fact:
    """Return a fact about `subjects`, each in the role of subject."""
    filled = {
        "id": new_id(),
        "universe_id": UNIVERSE,
        "kind": FactKind.ATTRIBUTE,
        "predicate": "is",
        "involves": tuple(Involvement(role="subject", entity_id=e.id) for e in subjects),
        "recorded_at": now(),
    }
    return Fact(**filled | {"statement": statement} | given)


def relation(subject: Entity, predicate: str, object_: Entity, **given: Any) -> Fact:
    involves = (
        Involvement(role="subject", entity_id=subject.id),
        Involvement(role="object", entity_id=object_.id),
    )
    filled = {"kind": FactKind.RELATION, "predicate": predicate, "involves": involves}
    return fact(f"{subject.name} {predicate} {object_.name}.", **filled | given)


def evidence(quote: str = "I am tired.", **given: Any) -> Evidence:
    filled = {"id": new_id(), "kind": EvidenceKind.TURN, "ref_id": given.get("turn_id", new_id())}
    return Evidence(**filled | {"quote": quote} | given)


def batch(**given: Any) -> CanonBatch:
    return CanonBatch(**{"id": new_id(), "universe_id": UNIVERSE} | given)


def support(subject: Fact | Entity, by: Evidence) -> Support:
    return Support(subject_id=subject.id, evidence_id=by.id)


def story_node(**given: Any) -> StoryNode:
    return StoryNode(**{"id": new_id(), "universe_id": UNIVERSE, "title": "The Lamp"} | given)


def scene_node(of: StoryNode, order: int = 1, **given: Any) -> SceneNode:
    filled = {"id": new_id(), "story_id": of.id, "universe_id": of.universe_id, "order": order}
    return SceneNode(**filled | {"title": f"Scene {order}"} | given)


# --- play -------------------------------------------------------------------------------------------


def story(**given: Any) -> Story:
    return Story(
        **{"id": new_id(), "universe_id": UNIVERSE, "title": "The Lamp", "created_at": now()} | given
    )


def scene(of: Story, order: int = 1, **given: Any) -> Scene:
    filled = {"id": new_id(), "story_id": of.id, "universe_id": of.universe_id, "order": order}
    return Scene(**filled | {"title": f"Scene {order}", "created_at": now()} | given)


def turn(of: Scene, after: Turn | None = None, text: str = "I go on.", **given: Any) -> Turn:
    """Return a player's turn that follows `after`."""
    turn_id = given.pop("id", None) or new_id()
    filled = {
        "id": turn_id,
        "scene_id": of.id,
        "parent_id": after.id if after else None,
        "exchange_id": turn_id,
        "speaker": Speaker.PLAYER,
        "depth": after.depth + 1 if after else 0,
        "created_at": now(),
    }
    return Turn(**filled | {"text": text} | given)


def note(of: Scene, on: Turn | None = None, text: str = "Ask about the bell.", **given: Any) -> Note:
    filled = {"id": new_id(), "story_id": of.story_id, "scene_id": of.id, "turn_id": on.id if on else None}
    return Note(**filled | {"text": text, "created_at": now()} | given)


def resolution(of: Turn, **given: Any) -> Resolution:
    filled = {"id": new_id(), "scene_id": of.scene_id, "turn_id": of.id, "rule": "d20", "intent": of.text}
    return Resolution(**filled | {"created_at": now()} | given)


def call(of: Scene | None = None, turn: Turn | None = None, micros: int = 1_500, **given: Any) -> LlmCall:
    """Return a call of a model for `turn` in scene `of`, if any."""
    filled = {
        "id": new_id(),
        "universe_id": UNIVERSE,
        "story_id": of.story_id if of else None,
        "scene_id": of.id if of else None,
        "turn_id": turn.id if turn else None,
        "run_id": turn.exchange_id if turn else None,
        "persona": Persona.NARRATOR,
        "model": "provider/large",
        "sections": (RecordedSection(name="scene", tokens=900, text="The stair is wet."),),
        "tokens_in": 1_000,
        "tokens_out": 50,
        "cost": Money(micros=micros),
        "answer": "You go down.",
        "at": now(),
    }
    return LlmCall(**filled | given)


def mark(on: Turn, text: str = "Mara keeps the key.", **given: Any) -> DecisionMark:
    filled = {"id": new_id(), "universe_id": UNIVERSE, "scene_id": on.scene_id, "turn_id": on.id, "at": now()}
    return DecisionMark(**filled | {"text": text} | given)


# --- proposals, commits, loops ----------------------------------------------------------------------


def ruling(pair: tuple[str, str] = ("new", "old"), **given: Any) -> Ruling:
    filled: dict[str, Any] = {
        "id": derive_id("test ruling", *sorted(pair)),
        "universe_id": UNIVERSE,
        "pair": pair,
    }
    filled |= {"upheld": pair[0], "ruling": RulingKind.FROM_NOW, "by": "gm", "at": now()}
    return Ruling(**filled | given)


def policy(**given: Any) -> GatePolicy:
    kinds = (KindPolicy(kind="state_change", rule=KindRule.ACCEPT, by="gm", at=now()),)
    return GatePolicy(**{"id": UNIVERSE, "universe_id": UNIVERSE, "kinds": kinds} | given)


def proposal(of: Scene, on: Turn | None = None, **given: Any) -> ProposedChange:
    filled = {
        "id": new_id(),
        "universe_id": of.universe_id,
        "story_id": of.story_id,
        "scene_id": of.id,
        "turn_id": on.id if on else None,
        "payload": AdvanceClock(clock="dawn"),
        "authority": Authority.PLAYER,
        "created_at": now(),
    }
    return ProposedChange(**filled | given)


def decision(verdict: Verdict = Verdict.ACCEPT, **given: Any) -> Decision:
    return Decision(**{"verdict": verdict, "by": "gm", "at": now()} | given)


def outcome(
    of: ProposedChange, status: ProposalStatus = ProposalStatus.ACCEPTED, **given: Any
) -> ProposalOutcome:
    filled = {"proposal_id": of.id, "status": status, "decision": of.decision or decision()}
    return ProposalOutcome(**filled | given)


def canonization(*outcomes: ProposalOutcome, of: Scene | None = None, **given: Any) -> Canonization:
    filled = {
        "id": new_id(),
        "universe_id": UNIVERSE,
        "story_id": of.story_id if of else None,
        "scene_id": of.id if of else None,
        "reason": "scene end",
        "outcomes": outcomes,
        "batch": batch(),
        "created_at": now(),
    }
    return Canonization(**filled | given)


def transition(subject_id: Id, seq: int = 1, loop: Loop = Loop.SCENE, **given: Any) -> Transition:
    filled = {"loop": loop, "subject_id": subject_id, "seq": seq, "at": now()}
    return Transition(**filled | {"source": "Created", "event": "begin", "target": "Active"} | given)


def checkpoint(of: Turn, node: str = "route", **given: Any) -> Checkpoint:
    filled = {"run_id": of.exchange_id, "scene_id": of.scene_id, "step": node, "at": now()}
    return Checkpoint(**filled | given)


# --- memory and sources -----------------------------------------------------------------------------


def memory(of: Entity, text: str = "The stair was wet.", **given: Any) -> Memory:
    filled = {"id": new_id(), "entity_id": of.id, "universe_id": of.universe_id, "created_at": now()}
    return Memory(**filled | {"text": text} | given)


def summary(of: Scene, text: str = "They went down.", **given: Any) -> Summary:
    filled = {"id": new_id(), "scene_id": of.id, "kind": "rolling", "created_at": now()}
    return Summary(**filled | {"text": text} | given)


def source(**given: Any) -> Source:
    return Source(**{"id": new_id(), "universe_id": UNIVERSE, "title": "Book", "recorded_at": now()} | given)


def snippet(of: Source, ordinal: int = 0, **given: Any) -> Snippet:
    filled = {"id": derive_id("chunk", of.id, ordinal), "source_id": of.id, "universe_id": of.universe_id}
    return Snippet(**filled | {"ordinal": ordinal, "text": f"Page {ordinal}."} | given)


def page(of: Source, number: int = 1, **given: Any) -> SourcePage:
    edition = given.get("edition", of.edition)
    filled = {"id": derive_page_id(of.id, edition, number), "source_id": of.id, "universe_id": of.universe_id}
    return SourcePage(**filled | {"edition": edition, "number": number, "text": f"Page {number}."} | given)


def source_proposal(of: Source, **given: Any) -> ProposedChange:
    """Return a proposal that comes from a document."""
    filled = {"id": new_id(), "universe_id": of.universe_id, "source_id": of.id, "created_at": now()}
    payload = AdvanceClock(clock="dawn")
    return ProposedChange(**filled | {"payload": payload, "authority": Authority.SOURCE} | given)


def map_edit(**given: Any) -> GridMapEdit:
    filled = {"id": new_id(), "map_id": new_id(), "universe_id": UNIVERSE, "at": now()}
    return GridMapEdit(**filled | given)


def archived(of: Scene, **given: Any) -> ArchivedLog:
    filled: dict[str, Any] = {"id": derive_id("archived", of.id), "scene_id": of.id, "story_id": of.story_id}
    filled |= {"universe_id": of.universe_id, "object_key": "0" * 64, "turns": 2, "archived_at": now()}
    return ArchivedLog(**filled | given)


def job(subject_id: Id = "", kind: JobKind = JobKind.REMEMBER, **given: Any) -> Job:
    subject_id = subject_id or new_id()
    filled = {
        "id": derive_job_id(kind, subject_id),
        "kind": kind,
        "subject_id": subject_id,
        "universe_id": UNIVERSE,
    }
    return Job(**filled | {"due": now(), "updated_at": now()} | given)
