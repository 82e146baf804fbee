"""Founding a world from a file: YAML words become a checked seed, and a seed becomes proposals.

Nothing here is canon: the proposals pass the gate like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from agents import yaml_with_lines as marked_yaml
from agents.sanitize import clean
from agents.yaml_with_lines import Loc
from stores.errors import InputError
from stores.records.base import Record
from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    Evidence,
    EvidenceKind,
    FactKind,
    FactValue,
    Involvement,
    NoteAxiom,
    Payload,
    Standing,
)
from stores.records.ids import Clock, Id, derive_id
from stores.records.workflow import ProposedChange
from stores.records.world import Calendar, EntityKind, Number, Universe


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
Keys = Annotated[tuple[Key, ...], BeforeValidator(_as_list)]
Words = Annotated[str, Field(max_length=2_000), AfterValidator(_one_line)]
Name = Annotated[str, Field(max_length=120), AfterValidator(_one_line), Field(min_length=1)]
Sentence = Annotated[Words, Field(min_length=1)]
Tick = Annotated[int, Field(ge=-(10**12), le=10**12)]


class Seed(Record):
    """A part of a world file. Names of things are keys here; identifiers come with `proposals_of`."""

    model_config = ConfigDict(allow_inf_nan=False)


class UniverseSeed(Seed):
    name: Name
    genre: Words = ""
    tone: Words = ""
    description: Words = ""
    calendar: Calendar = Calendar()


class EntitySeed(Seed):
    key: Key
    kind: EntityKind
    name: Name
    aliases: tuple[Name, ...] = ()
    description: Words = ""
    is_pc: bool = False
    tags: tuple[Name, ...] = ()
    numbers: dict[Key, Number] = Field(default_factory=dict)


class AxiomSeed(Seed):
    """A rule of the world. `involves` maps a role to the key or keys that play it."""

    statement: Sentence
    predicate: Key = "axiom"
    scope: Words = ""
    severity: Words = "must"
    involves: dict[Key, Keys] = Field(default_factory=dict)


class FactSeed(Seed):
    """One sentence held true (or told) from `valid_from` to `valid_to`, in world ticks."""

    kind: FactKind
    predicate: Key
    statement: Sentence
    involves: dict[Key, Keys]
    value: FactValue | None = None
    standing: Standing = Standing.TRUE
    valid_from: Tick | None = None
    valid_to: Tick | None = None


class OpeningSeed(Seed):
    """A story to start with. `cast` names everybody who is there, `pc` among them."""

    title: Name
    theme: Words = ""
    tone: Words = ""
    constraints: Words = ""
    lines_and_veils: Words = ""
    pc: Key
    scene_title: Name
    scene_goal: Words = ""
    place: Key
    cast: tuple[Key, ...]
    tick: Tick
    prose: tuple[Sentence, ...] = ()


class WorldSeed(Seed):
    """A whole world file, checked: every key is known and nothing has another's name."""

    universe: UniverseSeed
    entities: tuple[EntitySeed, ...] = Field(min_length=1)
    axioms: tuple[AxiomSeed, ...] = ()
    facts: tuple[FactSeed, ...] = ()
    opening: OpeningSeed


class Opening(Record):
    """The suggested first story and scene, with identifiers; `prose` is said before the first turn."""

    title: str
    theme: str
    tone: str
    constraints: str
    lines_and_veils: str
    pc_id: Id
    scene_title: str
    scene_goal: str
    place_id: Id
    cast: tuple[Id, ...]
    tick: int
    prose: tuple[str, ...]


def read_seed(text: str) -> WorldSeed:
    """Read a world file. Raises InputError that names the lines and entries that are wrong."""
    try:
        document = marked_yaml.load_yaml(text)
    except marked_yaml.UnreadableYaml as error:
        raise _refused(str(error)) from None
    try:
        seed = WorldSeed.model_validate(document.data)
        faults = list(_disagreements(seed))
    except ValidationError as error:
        faults = [
            (fault["loc"], _plain(fault["type"], fault["msg"], fault["loc"])) for fault in error.errors()
        ]
    if faults:
        raise _refused(marked_yaml.describe_faults((document.line_of(loc), words) for loc, words in faults))
    return seed


def proposals_of(
    seed: WorldSeed, universe_id: Id, *, clock: Clock
) -> tuple[Universe, list[ProposedChange], Opening]:
    """Return the universe, a proposal for everything in it, and its opening.

    Every identifier is derived from `universe_id` and the file's own keys and words, so that bringing
    a world in twice gives the same records. Entities come first, then axioms, then facts.
    """
    ids = {entity.key: derive_id("sample", universe_id, entity.key) for entity in seed.entities}

    def propose(key: str, payload: Payload, words: str) -> ProposedChange:
        evidence = Evidence(
            id=derive_id("evidence", EvidenceKind.MANUAL, universe_id, words),
            kind=EvidenceKind.MANUAL,
            ref_id=universe_id,
            quote=words,
        )
        return ProposedChange(
            id=derive_id("sample_proposal", universe_id, key),
            universe_id=universe_id,
            payload=payload,
            evidence=(evidence,),
            authority=Authority.SOURCE,
            created_at=clock(),
        )

    universe = Universe(
        id=universe_id,
        name=seed.universe.name,
        genre=seed.universe.genre,
        tone=seed.universe.tone,
        description=seed.universe.description,
        calendar=seed.universe.calendar,
        recorded_at=clock(),
    )
    proposals = [
        *(propose(e.key, _creation(e, ids[e.key]), e.description or e.name) for e in seed.entities),
        *(propose(a.statement, _axiom(a, ids), a.statement) for a in seed.axioms),
        *(propose(f.statement, _assertion(f, ids), f.statement) for f in seed.facts),
    ]
    return universe, proposals, _opening(seed.opening, ids)


# --- seeds to payloads ------------------------------------------------------------------------------


def _creation(entity: EntitySeed, entity_id: Id) -> CreateEntity:
    return CreateEntity(
        entity_id=entity_id,
        entity_kind=entity.kind,
        name=entity.name,
        aliases=entity.aliases,
        description=entity.description,
        is_pc=entity.is_pc,
        tags=entity.tags,
        numbers=entity.numbers,
    )


def _axiom(axiom: AxiomSeed, ids: dict[str, Id]) -> NoteAxiom:
    return NoteAxiom(
        statement=axiom.statement,
        predicate=axiom.predicate,
        scope=axiom.scope,
        severity=axiom.severity,
        involves=_involved(axiom.involves, ids),
    )


def _assertion(fact: FactSeed, ids: dict[str, Id]) -> AssertFact:
    return AssertFact(
        fact_kind=fact.kind,
        predicate=fact.predicate,
        statement=fact.statement,
        involves=_involved(fact.involves, ids),
        value=fact.value,
        standing=fact.standing,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
    )


def _involved(involves: dict[str, tuple[str, ...]], ids: dict[str, Id]) -> tuple[Involvement, ...]:
    parts = ((role, key) for role, keys in involves.items() for key in keys)
    return tuple(Involvement(role=role, entity_id=ids[key]) for role, key in parts)


def _opening(opening: OpeningSeed, ids: dict[str, Id]) -> Opening:
    return Opening(
        title=opening.title,
        theme=opening.theme,
        tone=opening.tone,
        constraints=opening.constraints,
        lines_and_veils=opening.lines_and_veils,
        pc_id=ids[opening.pc],
        scene_title=opening.scene_title,
        scene_goal=opening.scene_goal,
        place_id=ids[opening.place],
        cast=tuple(ids[key] for key in opening.cast),
        tick=opening.tick,
        prose=opening.prose,
    )


# --- what no single entry can know ------------------------------------------------------------------

_Fault = tuple[Loc, str]


def _disagreements(seed: WorldSeed) -> Iterator[_Fault]:
    """Yield where entries of a well-formed seed do not fit each other."""
    kinds = {entity.key: entity.kind for entity in seed.entities}
    statements = [
        *((("axioms", i, "statement"), axiom.statement) for i, axiom in enumerate(seed.axioms)),
        *((("facts", i, "statement"), fact.statement) for i, fact in enumerate(seed.facts)),
    ]
    yield from _repeated((("entities", i, "key"), entity.key) for i, entity in enumerate(seed.entities))
    yield from _repeated(_names(seed))
    yield from _repeated(statements)
    yield from (
        (loc, f"nothing in this file has the key {key!r}") for loc, key in _mentions(seed) if key not in kinds
    )
    for i, entity in enumerate(seed.entities):
        if entity.is_pc and entity.kind is not EntityKind.CHARACTER:
            yield ("entities", i, "is_pc"), "only a character can be a player character"
    for i, fact in enumerate(seed.facts):
        yield from _fact_faults(("facts", i), fact)
    yield from _opening_faults(seed.opening, {entity.key: entity for entity in seed.entities})


def _names(seed: WorldSeed) -> Iterator[_Fault]:
    for i, entity in enumerate(seed.entities):
        yield ("entities", i, "name"), entity.name
        yield from ((("entities", i, "aliases", n), alias) for n, alias in enumerate(entity.aliases))


def _mentions(seed: WorldSeed) -> Iterator[tuple[Loc, str]]:
    """Yield every use of an entity's key outside of `entities`."""
    involved = [
        *((("axioms", i, "involves"), axiom.involves) for i, axiom in enumerate(seed.axioms)),
        *((("facts", i, "involves"), fact.involves) for i, fact in enumerate(seed.facts)),
    ]
    for loc, involves in involved:
        for role, keys in involves.items():
            yield from (((*loc, role), key) for key in keys)
    yield ("opening", "pc"), seed.opening.pc
    yield ("opening", "place"), seed.opening.place
    yield from ((("opening", "cast", i), key) for i, key in enumerate(seed.opening.cast))


def _repeated(named: Iterable[tuple[Loc, str]]) -> Iterator[_Fault]:
    seen: set[str] = set()
    for loc, words in named:
        if (folded := words.casefold()) in seen:
            yield loc, f"{words!r} stands in this file twice"
        seen.add(folded)


def _fact_faults(loc: Loc, fact: FactSeed) -> Iterator[_Fault]:
    if fact.kind is FactKind.AXIOM:
        yield (*loc, "kind"), "a rule of the world belongs under 'axioms'"
    if not any(fact.involves.values()):
        yield (*loc, "involves"), "a fact is about at least one entity"
    if fact.valid_from is not None and fact.valid_to is not None and fact.valid_to < fact.valid_from:
        yield (*loc, "valid_to"), "it ends before it begins"


def _opening_faults(opening: OpeningSeed, entities: dict[str, EntitySeed]) -> Iterator[_Fault]:
    pc, place = entities.get(opening.pc), entities.get(opening.place)
    if pc and not pc.is_pc:
        yield ("opening", "pc"), f"{pc.name} is not a player character"
    if place and place.kind is not EntityKind.PLACE:
        yield ("opening", "place"), f"{place.name} is not a place"
    if opening.pc not in opening.cast:
        yield ("opening", "cast"), f"the player character ({opening.pc!r}) is not in it"


# --- words for what is wrong ------------------------------------------------------------------------


def _refused(why: str) -> InputError:
    return InputError(
        f"This world file cannot be used: {why}.",
        kept="Nothing was brought in.",
        todo="Correct the file and bring it in again.",
    )


def _plain(kind: str, message: str, loc: Loc) -> str:
    """Say a pydantic fault in words for somebody who writes a file, not a program."""
    field = loc[-1] if loc else "it"
    match kind:
        case "missing":
            return f"{field!r} is missing"
        case "extra_forbidden":
            return f"{field!r} is not a field that is read here"
        case "string_pattern_mismatch":
            return "a key is small letters, digits and _, and begins with a letter"
        case "model_type" | "dict_type":
            return "fields and their values should stand here"
        case _:
            return message[:1].lower() + message[1:]
