"""What a rule of the house may call a proposal: its kind, or a kind with its predicate or key. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rapidfuzz import process

from stores.errors import InputError
from stores.records.canon import AssertFact, CreateEntity, NoteAxiom, StateChange
from stores.records.workflow import ProposedChange
from stores.records.world import EntityKind

PLURALS: Final[Mapping[str, str]] = {
    "create_entity": "new entities",
    "update_entity": "names and descriptions",
    "merge_entities": "merges",
    "assert_fact": "facts",
    "end_fact": "ends of facts",
    "retcon_fact": "retcons",
    "state_change": "numbers and tags",
    "advance_clock": "clocks",
    "note_axiom": "rules of the world",
}
"""Every kind of change, by what people call many of it."""

MAX_KIND_LENGTH: Final = 80
"""Characters of a kind with its part."""

_KINDS_WITH_PARTS: Final = frozenset({"create_entity", "assert_fact", "state_change", "note_axiom"})


def kinds_of(proposal: ProposedChange) -> tuple[str, ...]:
    """Return what a rule may call the proposal, the narrowest first: `state_change:hp`, `state_change`."""
    change = proposal.change
    match change:
        case AssertFact() | NoteAxiom():
            part = change.predicate
        case StateChange():
            part = change.key
        case CreateEntity():
            part = change.entity_kind.value
        case _:
            return (change.kind,)
    return f"{change.kind}:{part}", change.kind


def describe_kind(kind: str) -> str:
    """Return a kind as people say it: `facts (weather)`, `numbers and tags (hp)`."""
    whole, _, part = kind.partition(":")
    plural = PLURALS.get(whole, whole.replace("_", " "))
    return f"{plural} ({part.replace('_', ' ')})" if part else plural


def parse_kind(text: str) -> str:
    """Return the kind that is meant. Raises InputError for what is none, with the nearest that is one."""
    whole, colon, part = " ".join(text.split()).partition(":")
    whole, part = whole.strip().casefold().replace(" ", "_"), part.strip()
    kinds_by_words = {words.replace(" ", "_"): kind for kind, words in PLURALS.items()}
    whole = kinds_by_words.get(whole, whole)
    if whole not in PLURALS or len(text) > MAX_KIND_LENGTH:
        nearest_kind = process.extractOne(whole[:MAX_KIND_LENGTH], list(PLURALS), score_cutoff=60)
        raise _kind_error(
            f"{text[:40]!r} is not a kind of change.",
            f"Did you mean {nearest_kind[0]}?" if nearest_kind else f"The kinds are {', '.join(PLURALS)}.",
        )
    if not colon:
        return whole
    if not part or whole not in _KINDS_WITH_PARTS:
        raise _kind_error(
            f"{whole} has no parts.", f"Parts have {', '.join(sorted(_KINDS_WITH_PARTS))}: state_change:hp."
        )
    if whole == "create_entity" and part.casefold() not in {k.value for k in EntityKind}:
        raise _kind_error(f"There is no {part!r} to create.", f"Kinds of entity: {', '.join(EntityKind)}.")
    return f"{whole}:{part.casefold() if whole == 'create_entity' else part}"


def _kind_error(what: str, todo: str) -> InputError:
    return InputError(what, kept="No rule was changed.", todo=todo)
