"""The kinds of proposed changes: one table of them, and how a gate rule names them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from agents.typed_numbers import number_label
from stores.errors import InputError
from stores.records.workflow import ProposedChange
from stores.records.world import EntityKind


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """What is true of every change of one kind."""

    plural: str
    """What people call many of them."""
    part: Literal["", "predicate", "key", "entity_kind"] = ""
    """The field by which a gate rule may narrow the kind: `state_change:hp`; empty: it cannot."""


CHANGE_KINDS: Final[Mapping[str, ChangeKind]] = {
    "create_entity": ChangeKind("new entities", part="entity_kind"),
    "update_entity": ChangeKind("names and descriptions"),
    "merge_entities": ChangeKind("merges"),
    "assert_fact": ChangeKind("facts", part="predicate"),
    "end_fact": ChangeKind("ends of facts"),
    "retcon_fact": ChangeKind("retcons"),
    "change_secrecy": ChangeKind("who knows secrets"),
    "state_change": ChangeKind("numbers and tags", part="key"),
    "advance_clock": ChangeKind("clocks"),
    "note_axiom": ChangeKind("rules of the world", part="predicate"),
}
"""Every kind of change."""

MAX_KIND_LENGTH: Final = 80
"""Characters of a kind with its part."""


def kinds_of(proposal: ProposedChange) -> tuple[str, ...]:
    """Return what a gate rule may call the proposal, the narrowest first: `state_change:hp`, `state_change`."""
    change = proposal.change
    part = CHANGE_KINDS[change.kind].part
    return (f"{change.kind}:{getattr(change, part)}", change.kind) if part else (change.kind,)


def describe_kind(kind: str) -> str:
    """Return a kind as people say it: `facts (weather)`, `numbers and tags (hp)`."""
    whole, _, part = kind.partition(":")
    plural = CHANGE_KINDS[whole].plural if whole in CHANGE_KINDS else whole.replace("_", " ")
    return f"{plural} ({number_label(part)})" if part else plural


def parse_kind(text: str) -> str:
    """Return the kind that is meant. Raises InputError for what is none, with the nearest that is one."""
    from rapidfuzz import process  # loaded when it is needed: three megabytes

    words = " ".join(text.split())
    if words.endswith(")"):
        words = words[:-1].replace(" (", ":", 1)
    whole, colon, part = words.partition(":")
    whole, part = whole.strip().casefold().replace(" ", "_"), part.strip()
    kinds_by_words = {kind.plural.replace(" ", "_"): name for name, kind in CHANGE_KINDS.items()}
    whole = kinds_by_words.get(whole, whole)
    if whole not in CHANGE_KINDS or len(text) > MAX_KIND_LENGTH:
        nearest_kind = process.extractOne(whole[:MAX_KIND_LENGTH], list(CHANGE_KINDS), score_cutoff=60)
        raise _kind_error(
            f"{text[:40]!r} is not a kind of change.",
            f"Did you mean {CHANGE_KINDS[nearest_kind[0]].plural}?"
            if nearest_kind
            else f"The kinds are {', '.join(kind.plural for kind in CHANGE_KINDS.values())}.",
        )
    if not colon:
        return whole
    if not part or not CHANGE_KINDS[whole].part:
        narrowable_kinds = ", ".join(kind.plural for kind in CHANGE_KINDS.values() if kind.part)
        raise _kind_error(
            f"{CHANGE_KINDS[whole].plural} cannot be narrowed down.",
            f"Narrow down {narrowable_kinds}: numbers and tags (hp).",
        )
    if whole == "create_entity" and part.casefold() not in {k.value for k in EntityKind}:
        raise _kind_error(f"There is no {part!r} to create.", f"Kinds of entity: {', '.join(EntityKind)}.")
    return f"{whole}:{part.casefold() if whole == 'create_entity' else part}"


def _kind_error(what: str, todo: str) -> InputError:
    return InputError(what, kept="No rule was changed.", todo=todo)
