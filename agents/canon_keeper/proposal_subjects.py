"""What a proposal names, and which time it speaks of. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import assert_never

from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    Authority,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    EvidenceKind,
    MergeEntities,
    NoteAxiom,
    Payload,
    RetconFact,
    StateChange,
    UpdateEntity,
    normalize_statement,
)
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

_ARTICLES = ("the", "a", "an")


def current_entity(entity_id: Id, entities: Mapping[Id, Entity]) -> Entity | None:
    """Return the entity that an id means now: what was merged away is what it was merged into."""
    entity = entities.get(entity_id)
    while entity is not None and entity.merged_into:
        entity = entities.get(entity.merged_into)
    return entity


def named_entities(change: Payload) -> set[Id]:
    """Return the entities that must be there for the change to mean anything."""
    match change:
        case UpdateEntity() | StateChange():
            return {change.entity_id}
        case MergeEntities():
            return {change.kept_id, change.absorbed_id}
        case AssertFact() | NoteAxiom():
            return {i.entity_id for i in change.involves}
        case ChangeSecrecy():
            return {*change.tell, *change.hide_from}
        case CreateEntity() | EndFact() | RetconFact() | AdvanceClock():
            return set()
        case _:
            assert_never(change)


def named_facts(change: Payload) -> tuple[Id, ...]:
    """Return the facts that the change would end, retcon, or let be known to others."""
    match change:
        case AssertFact():
            return change.ends
        case EndFact() | RetconFact() | ChangeSecrecy():
            return (change.fact_id,)
        case UpdateEntity():
            return (change.takes_back,) if change.takes_back else ()
        case CreateEntity() | MergeEntities() | StateChange() | AdvanceClock() | NoteAxiom():
            return ()
        case _:
            assert_never(change)


def is_about_the_past(proposal: ProposedChange) -> bool:
    """Say whether the proposal tells of a time before the one it was made at."""
    change = proposal.change
    told_tick = change.valid_from if isinstance(change, AssertFact) else None
    return told_tick is not None and proposal.tick is not None and told_tick < proposal.tick


def is_premise(proposal: ProposedChange) -> bool:
    """Say whether the proposal takes something past for granted: who says it did not make it up."""
    return is_about_the_past(proposal) and proposal.authority in (
        Authority.PLAYER,
        Authority.SYSTEM,
        Authority.OUTSIDE,
    )


def is_outcome(proposal: ProposedChange) -> bool:
    """Say whether the proposal rests on its scene: it tells what the whole of it came to."""
    return any(e.kind is EvidenceKind.SCENE and e.ref_id == proposal.scene_id for e in proposal.evidence)


def is_correction(proposal: ProposedChange) -> bool:
    """Say whether a proposal corrects, outside of play, what canon says."""
    change = proposal.change
    return proposal.scene_id is None and isinstance(change, AssertFact) and bool(change.ends)


def normalize_name(name: str) -> str:
    """Return a name as names are compared: without case, punctuation and an article before it."""
    normalized = normalize_statement(name)
    article, _, rest = normalized.partition(" ")
    return rest if rest and article in _ARTICLES else normalized


_LATIN_LOOKALIKES = str.maketrans("авекмнорстухіјѕһԁԛԝҫёїαβγικνορτυχζ", "abekmhopctyxijshdqwçëïabyiknoptuxz")
"""Small letters of the Cyrillic and Greek alphabets that look, small or capital, like letters of the Latin one."""


def look_of_name(name: str) -> str:
    """Return what a normalized name looks like: the same for `mara` and for one with a Cyrillic `а`."""
    if name.isascii():
        return name
    return unicodedata.normalize("NFKC", name).casefold().translate(_LATIN_LOOKALIKES)


def causes_of(change: Payload) -> tuple[Id, ...]:
    """Return the facts that the change says it comes of."""
    return change.because if isinstance(change, AssertFact) else ()
