"""What the GM declares in words, read into proposed changes: `/npc`, `/place`, `/fact`, `/axiom`, `/go`.

Pure but for the look-up of names, which is handed in. Source: design/interface.md, "Input".
"""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass

from agents.resolver.effects import MAX_NUMBER
from agents.typed_numbers import numbers_behind
from stores.errors import InputError
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    FactKind,
    Involvement,
    Literalish,
    NoteAxiom,
)
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind, Number

FindEntity = Callable[[str], Awaitable[Entity | None]]
"""Gives the one entity of that name, or None."""

Phrase = Callable[[str, str, str], str]
"""Words a predicate, its subject's name and its object as a sentence."""

STATED = "stated"
"""The predicate of a fact that is told in a free sentence."""

_KINDS = {
    "event": (FactKind.EVENT, "event"),
    "attribute": (FactKind.ATTRIBUTE, STATED),
    "state": (FactKind.STATE, "state"),
    "assertion": (FactKind.ASSERTION, "assertion"),
    "promise": (FactKind.COMMITMENT, "promised"),
    "debt": (FactKind.COMMITMENT, "owes"),
    "question": (FactKind.COMMITMENT, "question"),
    "change": (FactKind.CHANGE, "change"),
    "encounter": (FactKind.ENCOUNTER, "encounter"),
}
"""The words that name a kind, with the kind and the predicate of a sentence behind them: the ledger tells
promise, debt and question apart by it, and the dead promise nothing."""
_KIND_PREFIX = re.compile(rf"({'|'.join(_KINDS)})\s*:\s*(.+)", re.IGNORECASE | re.DOTALL)
_CAPITALISED = re.compile(
    r"\b(?:the\s+)?[^\W\d_a-z][\w'’-]*(?:\s+(?:(?:of|the|and|in)\s+)*[^\W\d_a-z][\w'’-]*)*"
)
"""Names as they stand in a sentence, with what joins them and an article before them, which may be part of
the first: `the Heron House` of an inn called The Heron House."""
_DEATH = re.compile(r"(.+?)\s+(?:is dead|dies|died|has died)", re.IGNORECASE)
"""The sentence that players type for a death; it is one, not a mere remark."""
_JOINING = frozenset({"the", "a", "an", "of", "and", "in"})
"""Words that join names and name nobody alone."""
_SPAN = 24
_NAME_WORDS = 6
"""Words of one capitalised span that are read, and of one name in it."""
MAX_NAME = 80
MAX_STATEMENT = 1_000


@dataclass(frozen=True, slots=True)
class NewEntity:
    """`important` (a name that ends in `!`) makes a discovery that asks to be committed at once; `numbers`
    stand in brackets behind the words: `(hp 4, might 1)`."""

    name: str
    description: str
    important: bool
    numbers: tuple[tuple[str, Number], ...] = ()


def read_entity(argument: str, example: str) -> NewEntity:
    """Read `Name: description`, with numbers in brackets behind either. Raises InputError without a name."""
    name, _, description = argument.partition(":")
    description, numbers = numbers_behind(bounded(description.strip()))
    important = name.rstrip().endswith("!")
    name, more = numbers_behind(name.rstrip(" !").strip())
    if not name:
        raise InputError("It needs a name.", kept="Nothing was staged.", todo=f"As in: {example}")
    if len(name) > MAX_NAME or "\n" in name:
        raise InputError(
            f"That name is {len(name)} characters long; {MAX_NAME} on one line is the most.",
            kept="Nothing was staged.",
            todo=f"Put the description behind a colon, as in: {example}",
        )
    return NewEntity(name, description, important, (*more, *numbers))


def create_entity(new: NewEntity, kind: EntityKind, entity_id: Id) -> CreateEntity:
    return CreateEntity(
        entity_id=entity_id,
        entity_kind=kind,
        name=new.name,
        description=new.description,
        numbers=dict(new.numbers),
    )


def located(who: Entity, place: Entity, tick: int) -> AssertFact:
    """`who` is now in `place`."""
    return AssertFact(
        fact_kind=FactKind.RELATION,
        predicate="located_in",
        statement=f"{who.name} is in {place.name}.",
        involves=(
            Involvement(role="subject", entity_id=who.id),
            Involvement(role="object", entity_id=place.id),
        ),
        valid_from=tick,
    )


def leads_on(start: Entity, place: CreateEntity, phrase: Phrase) -> AssertFact:
    """From `start` one comes to the new place."""
    return AssertFact(
        fact_kind=FactKind.RELATION,
        predicate="connected_to",
        statement=phrase("connected_to", start.name, place.name),
        involves=(
            Involvement(role="subject", entity_id=start.id),
            Involvement(role="object", entity_id=place.entity_id),
        ),
    )


async def read_fact(
    argument: str,
    predicates: Collection[str],
    find: FindEntity,
    phrase: Phrase,
    tick: int,
) -> AssertFact:
    """Read a fact.

    `Mara located_in Hidden Chamber` (a predicate of the catalogue between two names, or a name and a
    value) is a relation or a state; `event: ...`, `promise: ...` and the like name the kind; any other
    sentence is an attribute of whoever it names. Raises InputError when there is no sentence.
    """
    text = bounded(argument.strip())
    if not text:
        raise InputError(
            "A fact needs a sentence.",
            kept="Nothing was staged.",
            todo="As in: /fact The bell was moved, or /fact Mara owns the lantern.",
        )
    if death := _DEATH.fullmatch(text.rstrip(".")):
        who = await find(death[1])
        if who is not None:
            return _alive(who, False, phrase, tick)
    relation = await _relation(text, predicates, find, phrase, tick)
    if relation is not None:
        return relation
    kind, predicate = FactKind.ATTRIBUTE, STATED
    if prefixed := _KIND_PREFIX.fullmatch(text):
        (kind, predicate), text = _KINDS[prefixed[1].casefold()], prefixed[2].strip()
    return AssertFact(
        fact_kind=kind,
        predicate=predicate,
        statement=sentence(text),
        involves=tuple(involved(await mentioned(text, find))),
        valid_from=tick,
    )


def _alive(who: Entity, alive: bool, phrase: Phrase, tick: int) -> AssertFact:
    return AssertFact(
        fact_kind=FactKind.STATE,
        predicate="alive",
        statement=phrase("alive", who.name, str(alive).lower()),
        involves=(Involvement(role="subject", entity_id=who.id),),
        value=alive,
        valid_from=tick,
    )


async def read_axiom(argument: str, find: FindEntity) -> NoteAxiom:
    """Read a rule of the world."""
    text = bounded(argument.strip())
    if not text:
        raise InputError(
            "An axiom needs a sentence.",
            kept="Nothing was staged.",
            todo="As in: /axiom The dead cannot cross salt.",
        )
    return NoteAxiom(statement=sentence(text), involves=tuple(involved(await mentioned(text, find))))


async def mentioned(text: str, find: FindEntity) -> list[Entity]:
    """Return the entities that the text names, in its order: capitalised spans and their parts."""
    found: dict[Id, Entity] = {}
    for span in _CAPITALISED.findall(text)[:40]:
        for entity in await _named_in(span.split()[:_SPAN], find):
            found.setdefault(entity.id, entity)
    return list(found.values())


async def _named_in(words: list[str], find: FindEntity) -> list[Entity]:
    """Return whom the words name: the longest name there is, then what stands before and behind it.

    `Old Tam Weaver and Mara` is looked for before `Old Tam Weaver`, and that before `Tam Weaver`: a name may
    have an `and` in it, and two names may be joined by one.
    """
    for size in range(min(len(words), _NAME_WORDS), 0, -1):
        for start in range(len(words) - size + 1):
            part = words[start : start + size]
            if all(word.casefold() in _JOINING for word in part):
                continue
            entity = await find(" ".join(part))
            if entity is not None:
                before, behind = words[:start], words[start + size :]
                return [*await _named_in(before, find), entity, *await _named_in(behind, find)]
    return []


def involved(entities: Iterable[Entity]) -> list[Involvement]:
    """The first is the subject, the others take part."""
    return [
        Involvement(role="subject" if n == 0 else "participant", entity_id=e.id)
        for n, e in enumerate(entities)
    ]


def sentence(text: str) -> str:
    """Return the text as a sentence: a capital first, a full stop last."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "…", '"', "”")) else text + "."


def bounded(text: str) -> str:
    """Return the text, or raise InputError if it is too long for one statement."""
    if len(text) > MAX_STATEMENT:
        raise InputError(
            f"That is {len(text):,} characters; one statement holds {MAX_STATEMENT:,}.",
            kept="Nothing was staged and your words are still in the prompt.",
            todo="State it in several facts.",
        )
    return text


async def _relation(
    text: str,
    predicates: Collection[str],
    find: FindEntity,
    phrase: Phrase,
    tick: int,
) -> AssertFact | None:
    words = text.rstrip(".").split()
    for place, word in enumerate(words[1:-1], start=1):
        if word.casefold() not in predicates:
            continue
        subject, rest = await find(" ".join(words[:place])), " ".join(words[place + 1 :])
        if subject is None:
            continue
        other = await find(rest)
        if other is None and "_" not in word and not _is_plain_value(rest):
            continue
        value: Literalish | None = None if other else read_value(rest)
        roles = [Involvement(role="subject", entity_id=subject.id)]
        if other:
            roles.append(Involvement(role="object", entity_id=other.id))
        return AssertFact(
            fact_kind=FactKind.RELATION if other else FactKind.STATE,
            predicate=word.casefold(),
            statement=phrase(word.casefold(), subject.name, other.name if other else rest),
            involves=tuple(roles),
            value=value,
            valid_from=tick,
        )
    return None


def _is_plain_value(text: str) -> bool:
    return isinstance(read_value(text), bool | int | float)


def read_value(text: str) -> Literalish:
    """Read a plain value: a truth, a number or words. Raises InputError for a number no sheet can hold."""
    lowered = text.casefold()
    if lowered in ("true", "yes", "false", "no"):
        return lowered in ("true", "yes")
    for number in (int, float):
        try:
            value = number(text)
        except ValueError:
            continue
        if abs(value) > MAX_NUMBER or not math.isfinite(value):
            raise InputError(
                f"{text[:20]} is no number that a sheet can hold.",
                kept="Nothing was staged.",
                todo=f"The largest is {MAX_NUMBER:,}.",
            )
        return value
    return text
