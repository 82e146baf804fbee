"""Reads the GM's typed declarations into proposed changes: `/npc`, `/place`, `/fact`, `/axiom`, `/go`.

Pure but for the name lookup, which is passed in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.fact_readings import CONNECTED_TO
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentence_facts import read_sentence_fact
from agents.name_forms import is_capitalised
from agents.proposals.effects import MAX_NUMBER, TRUTH_KEYS, read_truth
from agents.proposals.statements import (
    MAX_NAME_LENGTH,
    STATED_PREDICATE,
    as_question,
    as_sentence,
    require_statement_length,
)
from agents.prose.auxiliary_names import AUXILIARY_NAMES
from agents.prose.hero_name import HERO_PRONOUNS
from agents.prose.mentions import is_part_of_other_name
from agents.prose.verb_forms import PAST_VERB
from agents.prose.words import SHORT_TITLE_PATTERN
from agents.sanitize import clean, require_letter
from agents.typed_numbers import split_trailing_numbers
from stores.errors import InputError
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    FactKind,
    FactValue,
    Involvement,
    NoteAxiom,
)
from stores.records.ids import Id
from stores.records.world import ACTORS, Entity, EntityKind, Number

FindEntity = Callable[[str], Awaitable[Entity | None]]
"""Gives the one entity of that name, or None."""

PhraseFact = Callable[[str, str, str], str]
"""Words a predicate, its subject's name and its object as a sentence."""


_FACT_KIND_BY_WORD = {
    "fact": (FactKind.ATTRIBUTE, STATED_PREDICATE),
    "event": (FactKind.EVENT, "event"),
    "attribute": (FactKind.ATTRIBUTE, STATED_PREDICATE),
    "state": (FactKind.STATE, "state"),
    "assertion": (FactKind.ASSERTION, "assertion"),
    "promise": (FactKind.COMMITMENT, "promised"),
    "debt": (FactKind.COMMITMENT, "owes"),
    "question": (FactKind.COMMITMENT, "question"),
    "open question": (FactKind.COMMITMENT, "question"),
    "change": (FactKind.CHANGE, "change"),
    "encounter": (FactKind.ENCOUNTER, "encounter"),
}
"""The words that name a kind, as screens use them, with the kind and the predicate of the sentence after them.

By the predicate the ledger keeps promise, debt and question apart.
"""
_KIND_PREFIX = re.compile(rf"({'|'.join(_FACT_KIND_BY_WORD)})\s*:\s*(.+)", re.IGNORECASE | re.DOTALL)
_CAPITALISED = re.compile(
    rf"\b(?:the\s+)?{SHORT_TITLE_PATTERN}[^\W\d_a-z][\w'’-]*(?:\s+(?:(?:of|the|and|in)\s+)*[^\W\d_a-z][\w'’-]*)*"
)
"""Names as they stand in a sentence, with what joins them and an article before them, which may be part of
the first: `the Heron House` of an inn called The Heron House."""
_SMALL_LETTERS = re.compile(
    r"\b(?i:the|a|an|his|her|their|its|my)\s+([a-z][a-z'’-]*(?:\s+[a-z][a-z'’-]*){0,2})"
)
"""What may be the name of a thing in small letters: up to three words behind an article."""
_DEATH_PATTERN = re.compile(r"(.+?)\s+(?:is dead|dies|died|has died)", re.IGNORECASE)
"""The sentence that players type for a death; it is one, not a mere remark."""
_QUESTION = re.compile(
    r"(?:(?:so|and|but|then|now|or),?\s+)?(?:(?:in|on|at|of|for|from|to|with|by|under|behind)\s+)?"
    r"(?:who(?:m|se)?|what|which|where|when|why|how|is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|"
    r"shall|should|may|might|must)\b.*\?",
    re.IGNORECASE | re.DOTALL,
)
"""A question, which is open; that somebody asks one (`Dob asks: where is it?`) is a fact."""
_ASKING_VERB: Final = rf"(?:is|are|has|have|had|did|does|do|can|could|will|would|should|{PAST_VERB.pattern})"
_UNMARKED_QUESTION: Final = re.compile(
    rf"(?:(?:who|whom|where|when|why|how|what|which) {_ASKING_VERB}"
    rf"|(?:whose|what|which|how)(?: [a-z]+){{1,2}}? {_ASKING_VERB})\b(?P<rest>[^,;:?]*)"
    r"|(?:did|does|is|are|was|were|has|have) (?:i|you|he|she|it|we|they|the|there|any|some|(?-i:[A-Z]))[^?]*",
    re.IGNORECASE,
)
"""What asks something, and lacks the question mark: `who killed the baker`, `did Vess kill the baker`."""
_STATING_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|will|must|shall|may)\b", re.IGNORECASE
)
"""Behind what begins as a question: `Who killed the baker is unknown`."""
_DESCRIBED_AFTER_COMMA = re.compile(
    r"([^,]+),\s*((?:(?i:the|an?|of|from|in|at|who|whose|his|her|their|my|our|your|once|formerly)\b|[a-z]).*)",
    re.DOTALL,
)
"""A name with a comma and who it is; the comma of `Harl, Lord of the Pans` is part of the name."""
_PLACE_WORDS = frozenset({"here", "+"})
"""What may stand before a name of somebody who is here, and is none alone."""
_POSSESSIVE = re.compile(r"['’]s?$")
_JOINING_WORDS = frozenset({"the", "a", "an", "of", "and", "in"})
"""Words that join names and name nobody alone."""
_MAX_SPANS = 40
_MAX_SMALL_SPANS = 6
_MAX_SPAN_WORDS = 24
_MAX_NAME_WORDS = 6
"""Words of one capitalised span that are read, and of one name in it."""


@dataclass(frozen=True, slots=True)
class NewEntity:
    """`important` (a name that ends in `!`) makes a discovery that asks to be committed at once.

    `numbers` stand in brackets behind the words: `(hp 4, might 1)`.
    """

    name: str
    description: str
    is_important: bool
    numbers: tuple[tuple[str, Number], ...] = ()


def read_entity(argument: str, example: str) -> NewEntity:
    """Read `Name: description`, with numbers in brackets behind either. Raises InputError without a name.

    `Dob Harrow, the pier-keeper` is read so too: what follows the comma says who it is.
    """
    name, colon, description = argument.partition(":")
    if not colon and (match := _DESCRIBED_AFTER_COMMA.fullmatch(argument.strip())):
        name, description = match[1], match[2]
    description, numbers = split_trailing_numbers(require_statement_length(description.strip()))
    is_important = name.rstrip().endswith("!")
    name, name_numbers = split_trailing_numbers(clean(name.rstrip(" !")))
    if not name:
        raise InputError("It needs a name.", kept="Nothing was proposed.", todo=f"As in: {example}")
    if name not in _PLACE_WORDS:
        require_letter(name, kept="Nothing was proposed.", todo=f"As in: {example}")
    if name.casefold() in _PLACE_WORDS:
        raise InputError(
            f"“{name}” says where it is; the name is missing.",
            kept="Nothing was proposed.",
            todo=f"As in: {example}",
        )
    if name.casefold() in HERO_PRONOUNS:
        raise InputError(
            f"{name!r} is who you play, and no name of somebody else.",
            kept="Nothing was proposed.",
            todo=f"As in: {example}",
        )
    if len(name) > MAX_NAME_LENGTH or "\n" in name:
        raise InputError(
            f"That name is {len(name)} characters long; {MAX_NAME_LENGTH} on one line is the most.",
            kept="Nothing was proposed.",
            todo=f"Put the description after a colon, as in: {example}",
        )
    return NewEntity(name, description, is_important, (*name_numbers, *numbers))


def build_entity_creation(new_entity: NewEntity, kind: EntityKind, entity_id: Id) -> CreateEntity:
    return CreateEntity(
        entity_id=entity_id,
        entity_kind=kind,
        name=new_entity.name,
        description=new_entity.description,
        numbers=dict(new_entity.numbers),
    )


def build_connection_fact(start: Entity, place_id: Id, place_name: str, phrase: PhraseFact) -> AssertFact:
    """Return the fact that a path leads from `start` to the other place."""
    return AssertFact(
        fact_kind=FactKind.RELATION,
        predicate=CONNECTED_TO,
        statement=phrase(CONNECTED_TO, start.name, place_name),
        involves=(
            Involvement(role="subject", entity_id=start.id),
            Involvement(role="object", entity_id=place_id),
        ),
    )


def build_tie_fact(tie: str, person_id: Id, hero_id: Id, statement: str, tick: int) -> AssertFact:
    """Return the fact that ties a person to the hero by the predicate `tie`, such as `ally_of`."""
    return AssertFact(
        fact_kind=FactKind.RELATION,
        predicate=tie,
        statement=statement,
        involves=(
            Involvement(role="subject", entity_id=person_id),
            Involvement(role="object", entity_id=hero_id),
        ),
        valid_from=tick,
    )


async def read_fact(argument: str, catalogue: Catalogue, find: FindEntity, tick: int) -> AssertFact:
    """Read a fact.

    `Mara located_in Hidden Chamber` (a predicate of the catalogue between two names, or a name and a
    value) is a relation or a state, and so is a sentence that says as much (`Mara is in the Hidden Chamber`);
    `event: ...`, `promise: ...` and the like name the kind; a question is an open one; any other sentence is an
    attribute of whoever it names. Raises InputError when there is no sentence.
    """
    text = require_statement_length(argument.strip())
    if not text:
        raise InputError(
            "A fact needs a sentence.",
            kept="Nothing was proposed.",
            todo="As in: /fact The bell was moved, or /fact NAME owns THING.",
        )
    if _QUESTION.fullmatch(text):
        text = f"question: {text}"
    if _lacks_question_mark(text):
        raise InputError(
            f"“{text}” asks something, and a fact states it.",
            kept="Nothing was proposed.",
            todo=f"/fact {text.rstrip('.')}? keeps it as an open question; /fact fact: {text} states it all the same.",
        )
    if death_match := _DEATH_PATTERN.fullmatch(text.rstrip(".")):
        dead_entity = await find(death_match[1])
        if dead_entity is not None:
            return _build_alive_fact(dead_entity, False, catalogue.phrase, tick)
    relation = await _read_relation(text, catalogue.names(), find, catalogue.phrase, tick)
    if relation is not None:
        return relation
    kind, predicate = FactKind.ATTRIBUTE, STATED_PREDICATE
    if kind_match := _KIND_PREFIX.fullmatch(text):
        (kind, predicate), text = _FACT_KIND_BY_WORD[kind_match[1].casefold()], kind_match[2].strip()
    mentioned_entities = await find_mentioned_entities(text, find)
    if kind_match is None and (fact := read_sentence_fact(text, mentioned_entities, catalogue, tick)):
        return fact
    return AssertFact(
        fact_kind=kind,
        predicate=predicate,
        statement=as_question(text) if predicate == "question" else as_sentence(text),
        involves=tuple(build_involvements(mentioned_entities)),
        valid_from=tick,
    )


def _lacks_question_mark(text: str) -> bool:
    """Say whether words are a question without its mark, and no sentence: `who killed the baker`."""
    match = _UNMARKED_QUESTION.fullmatch(text)
    return match is not None and not (match["rest"] and _STATING_VERB.search(match["rest"]))


def _build_alive_fact(entity: Entity, alive: bool, phrase: PhraseFact, tick: int) -> AssertFact:
    return AssertFact(
        fact_kind=FactKind.STATE,
        predicate="alive",
        statement=phrase("alive", entity.name, str(alive).lower()),
        involves=(Involvement(role="subject", entity_id=entity.id),),
        value=alive,
        valid_from=tick,
    )


async def read_axiom(argument: str, find: FindEntity) -> NoteAxiom:
    """Read a rule of the world."""
    text = require_statement_length(argument.strip())
    if not text:
        raise InputError(
            "An axiom needs a sentence.",
            kept="Nothing was proposed.",
            todo="As in: /axiom The dead cannot cross salt.",
        )
    return NoteAxiom(
        statement=as_sentence(text),
        involves=tuple(build_involvements(await find_mentioned_entities(text, find))),
    )


async def find_mentioned_entities(text: str, find: FindEntity) -> list[Entity]:
    """Return the entities that the text names, in its order.

    Capitalised spans and their parts name one, and so does the whole name of a thing or a place in small letters, or
    of somebody whose name has no capitals: `the glass bell`, `the hooded stranger`.
    """
    entities_by_place: list[tuple[int, Entity]] = []
    for span in list(_CAPITALISED.finditer(text))[:_MAX_SPANS]:
        words = span[0].split()[:_MAX_SPAN_WORDS]
        entities_by_place += [(span.start(), entity) for entity in await _find_named_entities(words, find)]
    for span in list(_SMALL_LETTERS.finditer(text))[:_MAX_SMALL_SPANS]:
        if (thing := await _find_thing(span[1].split(), find)) is not None:
            entities_by_place.append((span.start(), thing))
    entities_by_id: dict[Id, Entity] = {}
    for _, entity in sorted(entities_by_place, key=lambda placed: placed[0]):
        entities_by_id.setdefault(entity.id, entity)
    return list(entities_by_id.values())


async def _find_thing(words: list[str], find: FindEntity) -> Entity | None:
    """Return the thing, place or nameless person whose whole name stands at the beginning of the words."""
    for size in range(len(words), 0, -1):
        name = " ".join(words[:size])
        entity = await find(name) or await find(f"the {name}")
        if entity is not None and _is_called(entity, name):
            return entity
    return None


def _is_called(entity: Entity, name: str) -> bool:
    is_thing = entity.kind in (EntityKind.OBJECT, EntityKind.PLACE) or not is_capitalised(entity.name)
    names = (n.casefold() for n in (entity.name, *entity.aliases))
    return is_thing and any(n in (name, f"the {name}") for n in names)


async def _find_named_entities(words: list[str], find: FindEntity) -> list[Entity]:
    """Return whom the words name: the longest name there is, then what stands before and behind it.

    `Old Tam Weaver and Mara` is looked for before `Old Tam Weaver`, and that before `Tam Weaver`: a name may
    have an `and` in it, and two names may be joined by one.
    """
    for size in range(min(len(words), _MAX_NAME_WORDS), 0, -1):
        for start in range(len(words) - size + 1):
            name_words = words[start : start + size]
            if all(word.casefold() in _JOINING_WORDS for word in name_words):
                continue
            before, after = words[:start], words[start + size :]
            entity = await _find_bearer(" ".join(name_words), find)
            if entity is not None and not _is_of_another(entity, name_words, before, after):
                return [
                    *await _find_named_entities(before, find),
                    entity,
                    *await _find_named_entities(after, find),
                ]
    return []


async def _find_bearer(name: str, find: FindEntity) -> Entity | None:
    """Return whom a name means, also where it says whose something is: `Mara's`."""
    bare_name = _POSSESSIVE.sub("", name)
    return await find(name) or (await find(bare_name) if bare_name != name else None)


def _is_of_another(
    entity: Entity, name_words: Sequence[str], before: Sequence[str], after: Sequence[str]
) -> bool:
    """Say whether the words are a part of a longer name than that of whom they would mean: `Corin Orrin`."""
    is_owner = _POSSESSIVE.search(name_words[-1]) is not None
    return entity.kind in ACTORS and is_part_of_other_name(
        [_POSSESSIVE.sub("", word) for word in name_words],
        (entity.name, *entity.aliases),
        _capitalised(before[-1:]),
        "" if is_owner else _capitalised(after[:1]),
        is_behind_name=not AUXILIARY_NAMES.isdisjoint(before[-1:]),
    )


def _capitalised(words: Sequence[str]) -> str:
    return next((word for word in words if word[:1].isupper()), "")


def build_involvements(entities: Iterable[Entity]) -> list[Involvement]:
    """Return the roles of entities: the first is the subject, the others take part."""
    return [
        Involvement(role="subject" if n == 0 else "participant", entity_id=e.id)
        for n, e in enumerate(entities)
    ]


async def _read_relation(
    text: str,
    predicates: Collection[str],
    find: FindEntity,
    phrase: PhraseFact,
    tick: int,
) -> AssertFact | None:
    words = text.rstrip(".").split()
    for index, word in enumerate(words[1:-1], start=1):
        if word.casefold() not in predicates:
            continue
        subject, object_text = await find(" ".join(words[:index])), " ".join(words[index + 1 :])
        if subject is None:
            continue
        if word.casefold() in TRUTH_KEYS and " " not in object_text:
            object_text = str(read_truth(subject.name, word.casefold(), object_text)).lower()
        object_entity = await find(object_text)
        if object_entity is None and "_" not in word and not _is_plain_value(object_text):
            continue
        value: FactValue | None = None if object_entity else read_value(object_text)
        involvements = [Involvement(role="subject", entity_id=subject.id)]
        if object_entity:
            involvements.append(Involvement(role="object", entity_id=object_entity.id))
        return AssertFact(
            fact_kind=FactKind.RELATION if object_entity else FactKind.STATE,
            predicate=word.casefold(),
            statement=phrase(
                word.casefold(), subject.name, object_entity.name if object_entity else object_text
            ),
            involves=tuple(involvements),
            value=value,
            valid_from=tick,
        )
    return None


def _is_plain_value(text: str) -> bool:
    return isinstance(read_value(text), bool | int | float)


def read_value(text: str) -> FactValue:
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
                kept="Nothing was proposed.",
                todo=f"The largest is {MAX_NUMBER:,}.",
            )
        return value
    return text
