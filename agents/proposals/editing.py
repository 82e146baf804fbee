"""Edits the words of a proposal. Pure."""

from __future__ import annotations

from typing import Final, assert_never

from agents.proposals.effects import fit_value, parse_effect
from agents.proposals.lore_entries import format_lore, read_lore
from agents.proposals.statements import (
    MAX_NAME_LENGTH,
    as_sentence,
    require_statement_length,
)
from agents.proposals.written_tables import is_table, normalize_table_text
from agents.sanitize import clean, require_letter
from stores.errors import InputError
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    LoreKeys,
    MergeEntities,
    NoteAxiom,
    Payload,
    RetconFact,
    StateChange,
    StateOp,
    UpdateEntity,
)
from stores.records.world import EntityKind

_KIND_NAMES: Final = {
    **{kind.value: kind for kind in EntityKind},
    "person": EntityKind.CHARACTER,
    "thing": EntityKind.OBJECT,
}
_KINDS: Final = {
    f"{article}{name}": kind for name, kind in _KIND_NAMES.items() for article in ("", "a ", "an ")
}
"""Words that say nothing of somebody or something but the kind, as an edit has them: `Harrow: place`."""


def editable_text(change: Payload) -> str:
    """Return the words that an edit of this change starts from; empty when it has none."""
    match change:
        case AssertFact(lore=LoreKeys() as lore):
            return format_lore(change, lore)
        case AssertFact() | NoteAxiom():
            return change.statement
        case CreateEntity():
            return f"{change.name}: {change.description}" if change.description else change.name
        case StateChange(op=StateOp.ADD):
            return f"{change.value:+}" if isinstance(change.value, int | float) else str(change.value)
        case StateChange(op=StateOp.SET):
            return str(change.value)
        case StateChange():
            return change.key
        case UpdateEntity() | MergeEntities() | EndFact() | RetconFact() | ChangeSecrecy() | AdvanceClock():
            return ""
        case _:
            assert_never(change)


def apply_text_edit(change: Payload, text: str) -> Payload:
    """Return `change` with other words: a statement, a name (and description), an amount, a tag, lore with its keys.

    Of somebody or something new the description may be a mere kind (`Harrow: place`), which it is then of.

    Raises InputError when the text does not fit, or when this kind of change has no words.
    """
    if isinstance(change, AssertFact) and change.lore is not None:
        return read_lore(text, change)
    if isinstance(change, AssertFact) and is_table(change):
        return change.model_copy(update={"statement": normalize_table_text(text)})
    text = require_statement_length(clean(text))
    if not text:
        raise InputError("There is nothing typed.", kept="The proposal is as it was.")
    match change:
        case AssertFact():
            return change.model_copy(update={"statement": as_sentence(text)})
        case NoteAxiom():
            return change.model_copy(update={"statement": as_sentence(text)})
        case CreateEntity():
            name, _, description = text.partition(":")
            name = clean(name)
            if not name or len(name) > MAX_NAME_LENGTH:
                raise InputError(
                    f"A name has 1 to {MAX_NAME_LENGTH} characters.", kept="The proposal is as it was."
                )
            if name != change.name:
                require_letter(name, kept="The proposal is as it was.")
            if kind := _KINDS.get(description.strip(" .").casefold()):
                return change.model_copy(update={"name": name, "entity_kind": kind})
            return change.model_copy(
                update={"name": name, "description": description.strip() or change.description}
            )
        case StateChange():
            return _edit_state_change(change, text)
        case UpdateEntity() | MergeEntities() | EndFact() | RetconFact() | ChangeSecrecy() | AdvanceClock():
            raise InputError(
                f"A proposal to {change.kind.replace('_', ' ')} has no words to edit.",
                kept="The proposal is as it was.",
                todo="Reject it and declare what you mean instead.",
            )
        case _:
            assert_never(change)


def _edit_state_change(change: StateChange, text: str) -> StateChange:
    """Read the new amount, value or tag by the same rules as a typed effect."""
    match change.op:
        case StateOp.ADD:
            effect_text = f"X.{change.key} {text if text[0] in '+-' else '+' + text}"
        case StateOp.SET:
            effect_text = f"X.{change.key} = {text}"
        case StateOp.TAG:
            effect_text = f"X +{text}"
        case StateOp.UNTAG:
            effect_text = f"X -{text}"
    number_keys = (change.key,) if isinstance(change.value, int | float) else ()
    effect = fit_value(parse_effect(effect_text), number_keys)
    return change.model_copy(update={"key": effect.key, "op": effect.op, "value": effect.value})
