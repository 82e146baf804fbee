"""Reads the typed fields of an entity into the changes that lead to them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agents.canon_keeper.predicates import value_in_words
from agents.proposals.effects import MAX_NUMBER
from agents.proposals.statements import MAX_NAME_LENGTH, require_statement_length
from agents.sanitize import clean, require_letter
from agents.services.manual_edits import NOTHING_STAGED, Edit
from agents.typed_numbers import number_label
from agents.views.world_views import EntityEdit
from stores.errors import InputError, parse_field
from stores.records.canon import StateChange, StateOp, UpdateEntity
from stores.records.world import Entity, Number

MAX_TYPED_ITEMS = 20
"""Aliases, numbers or tags that can be typed for one entity at once."""


def describe_entity_edits(entity: Entity, edit: EntityEdit) -> Iterator[Edit]:
    """Yield the change of names and description, if there is one. Raises InputError."""
    name = parse_field("name", parse_name if edit.name == entity.name else parse_entity_name, edit.name)
    aliases = parse_field("aliases", parse_names, edit.aliases)
    description = parse_field("description", require_statement_length, clean(edit.description))
    change = UpdateEntity(
        entity_id=entity.id,
        name=name if name != entity.name else None,
        aliases=aliases if aliases != entity.aliases else None,
        description=description if description != entity.description else None,
    )
    changed_texts = {"called": change.name, "also": change.aliases, "described as": change.description}
    change_texts = [
        f"{label} {_format_value(value)}" for label, value in changed_texts.items() if value is not None
    ]
    if change_texts:
        yield Edit(change, f"{entity.name}: {'; '.join(change_texts)}")


def _format_value(value: str | tuple[str, ...]) -> str:
    return (value if isinstance(value, str) else ", ".join(value)) or "nothing"


def build_sheet_edits(entity: Entity, edit: EntityEdit) -> Iterator[Edit]:
    """Yield the changes of numbers and tags; a number that is left out is not among them."""
    numbers = parse_field("numbers", parse_sheet_numbers, edit.numbers, entity.numbers)
    for key, number in numbers.items():
        if entity.numbers.get(key) != number:
            change = StateChange(entity_id=entity.id, key=key, op=StateOp.SET, value=number)
            yield Edit(change, f"{entity.name}'s {number_label(key)} is {value_in_words(number)}.")
    tags = parse_field("tags", parse_names, edit.tags)
    current_tags = {tag.casefold() for tag in entity.tags}
    wanted_tags = {tag.casefold() for tag in tags}
    for tag in (t for t in tags if t.casefold() not in current_tags):
        yield _build_tag_edit(entity, tag, StateOp.TAG)
    for tag in (t for t in entity.tags if t.casefold() not in wanted_tags):
        yield _build_tag_edit(entity, tag, StateOp.UNTAG)


def _build_tag_edit(entity: Entity, tag: str, op: StateOp) -> Edit:
    verb_text = "is" if op is StateOp.TAG else "is no longer"
    change = StateChange(entity_id=entity.id, key=tag, op=op)
    return Edit(change, f"{entity.name} {verb_text} {tag}.")


def parse_name(text: str) -> str:
    """Return a clean name on one line. Raises InputError if it is missing or too long."""
    name = " ".join(clean(text).split())
    if not name:
        raise InputError("It needs a name.", kept=NOTHING_STAGED)
    if len(name) > MAX_NAME_LENGTH:
        raise InputError(
            f"That name is {len(name)} characters long; {MAX_NAME_LENGTH} is the most.",
            kept=NOTHING_STAGED,
            todo="Put the rest into the description.",
        )
    return name


def parse_entity_name(text: str) -> str:
    """Return a clean name that is new. Raises InputError if it is missing, too long or has no letter."""
    return require_letter(parse_name(text), kept=NOTHING_STAGED)


def parse_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Return clean names, each once. Raises InputError for one too long, or too many."""
    names = tuple(dict.fromkeys(parse_name(text) for text in texts if text.strip()))
    if len(names) > MAX_TYPED_ITEMS:
        raise InputError(
            f"Those are {len(names)}; {MAX_TYPED_ITEMS} at once are the most.", kept=NOTHING_STAGED
        )
    return names


def parse_sheet_numbers(
    numbers: Iterable[tuple[str, Number]], known_keys: Iterable[str] = ()
) -> dict[str, Number]:
    """Return numbers by key, in the spelling of `known_keys`. Raises InputError for one too large."""
    spelling_by_key = {key.casefold(): key for key in known_keys}
    typed_numbers = {parse_name(key).casefold(): value for key, value in numbers}
    numbers_by_key = {spelling_by_key.get(key, key): value for key, value in typed_numbers.items()}
    if too_large := [key for key, value in numbers_by_key.items() if abs(value) > MAX_NUMBER]:
        raise InputError(
            f"{too_large[0]} is more than a sheet can hold.",
            kept=NOTHING_STAGED,
            todo=f"The largest is {MAX_NUMBER:,}.",
        )
    if len(numbers_by_key) > MAX_TYPED_ITEMS:
        raise InputError(
            f"Those are {len(numbers_by_key)} numbers; {MAX_TYPED_ITEMS} at once are the most.",
            kept=NOTHING_STAGED,
        )
    return numbers_by_key
