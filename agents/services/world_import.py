"""Founds a universe from a file: YAML becomes a checked seed, and a seed becomes proposals.

Nothing here is canon: the proposals pass the gate like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from agents import yaml_with_lines as marked_yaml
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.sanitize import clean
from agents.yaml_with_lines import ValuePath
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


SeedKey = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
SeedKeys = Annotated[tuple[SeedKey, ...], BeforeValidator(_as_list)]
SeedText = Annotated[str, Field(max_length=2_000), AfterValidator(_one_line)]
SeedName = Annotated[str, Field(max_length=120), AfterValidator(_one_line), Field(min_length=1)]
SeedSentence = Annotated[SeedText, Field(min_length=1)]
SeedTick = Annotated[int, Field(ge=-(10**12), le=10**12)]


class SeedRecord(Record):
    """A part of a world file. Entities are named by keys; `build_world_proposals` gives them identifiers."""

    model_config = ConfigDict(allow_inf_nan=False)


class UniverseSeed(SeedRecord):
    name: SeedName
    genre: SeedText = ""
    tone: SeedText = ""
    description: SeedText = ""
    calendar: Calendar = Calendar()


class EntitySeed(SeedRecord):
    key: SeedKey
    kind: EntityKind
    name: SeedName
    aliases: tuple[SeedName, ...] = ()
    description: SeedText = ""
    is_pc: bool = False
    tags: tuple[SeedName, ...] = ()
    numbers: dict[SeedKey, Number] = Field(default_factory=dict)


class AxiomSeed(SeedRecord):
    """A rule of the world. `involves` maps a role to the key or keys of the entities in it."""

    statement: SeedSentence
    predicate: SeedKey = "axiom"
    scope: SeedText = ""
    severity: SeedText = "must"
    involves: dict[SeedKey, SeedKeys] = Field(default_factory=dict)


class FactSeed(SeedRecord):
    """One sentence held true (or told) from `valid_from` to `valid_to`, in world ticks."""

    kind: FactKind
    predicate: SeedKey
    statement: SeedSentence
    involves: dict[SeedKey, SeedKeys]
    value: FactValue | None = None
    standing: Standing = Standing.TRUE
    valid_from: SeedTick | None = None
    valid_to: SeedTick | None = None


class OpeningSeed(SeedRecord):
    """A story to start with. `cast` names everybody present, `pc` among them."""

    title: SeedName
    theme: SeedText = ""
    tone: SeedText = ""
    constraints: SeedText = ""
    lines_and_veils: SeedText = ""
    pc: SeedKey
    scene_title: SeedName
    scene_goal: SeedText = ""
    place: SeedKey
    cast: tuple[SeedKey, ...]
    tick: SeedTick
    prose: tuple[SeedSentence, ...] = ()


class WorldSeed(SeedRecord):
    """A whole world file, checked: every key is known, and no two names are alike."""

    universe: UniverseSeed
    entities: tuple[EntitySeed, ...] = Field(min_length=1)
    axioms: tuple[AxiomSeed, ...] = ()
    facts: tuple[FactSeed, ...] = ()
    opening: OpeningSeed


class StoryOpening(Record):
    """The suggested first story and scene, with identifiers; `prose` comes before the first turn."""

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


def parse_world_file(text: str) -> WorldSeed:
    """Read a world file. Raises InputError that names the lines and entries that are wrong."""
    try:
        document = marked_yaml.load_yaml(text)
    except marked_yaml.UnreadableYaml as error:
        raise _file_error(str(error)) from None
    try:
        seed = WorldSeed.model_validate(document.data)
        faults_found = list(_find_seed_faults(seed))
    except ValidationError as error:
        faults_found = [
            (fault["loc"], _explain_fault(fault["type"], fault["msg"], fault["loc"]))
            for fault in error.errors()
        ]
    if faults_found:
        raise _file_error(
            marked_yaml.describe_faults((document.line_of(loc), message) for loc, message in faults_found)
        )
    return seed


def build_world_proposals(
    seed: WorldSeed, universe_id: Id, *, clock: Clock
) -> tuple[Universe, list[ProposedChange], StoryOpening]:
    """Return the universe, a proposal for everything in it, and its opening.

    Every identifier is derived from `universe_id` and the file's own keys and words, so that importing a file
    twice gives the same records. Entities come first, then axioms, then facts.
    """
    entity_ids = {entity.key: derive_id("sample", universe_id, entity.key) for entity in seed.entities}

    def propose(key: str, payload: Payload, quote: str) -> ProposedChange:
        evidence = Evidence(
            id=derive_id("evidence", EvidenceKind.MANUAL, universe_id, quote),
            kind=EvidenceKind.MANUAL,
            ref_id=universe_id,
            quote=quote,
        )
        return build_proposal(
            derive_id("sample_proposal", universe_id, key),
            payload,
            [evidence],
            Authority.SOURCE,
            ProposalSite(universe_id),
            clock(),
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
        *(
            propose(e.key, _build_entity_change(e, entity_ids[e.key]), e.description or e.name)
            for e in seed.entities
        ),
        *(propose(a.statement, _build_axiom_change(a, entity_ids), a.statement) for a in seed.axioms),
        *(propose(f.statement, _build_fact_change(f, entity_ids), f.statement) for f in seed.facts),
    ]
    return universe, proposals, _build_opening(seed.opening, entity_ids)


# --- seeds to payloads ------------------------------------------------------------------------------


def _build_entity_change(entity: EntitySeed, entity_id: Id) -> CreateEntity:
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


def _build_axiom_change(axiom: AxiomSeed, entity_ids: dict[str, Id]) -> NoteAxiom:
    return NoteAxiom(
        statement=axiom.statement,
        predicate=axiom.predicate,
        scope=axiom.scope,
        severity=axiom.severity,
        involves=_build_involvements(axiom.involves, entity_ids),
    )


def _build_fact_change(fact: FactSeed, entity_ids: dict[str, Id]) -> AssertFact:
    return AssertFact(
        fact_kind=fact.kind,
        predicate=fact.predicate,
        statement=fact.statement,
        involves=_build_involvements(fact.involves, entity_ids),
        value=fact.value,
        standing=fact.standing,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
    )


def _build_involvements(
    involves: dict[str, tuple[str, ...]], entity_ids: dict[str, Id]
) -> tuple[Involvement, ...]:
    role_keys = ((role, key) for role, keys in involves.items() for key in keys)
    return tuple(Involvement(role=role, entity_id=entity_ids[key]) for role, key in role_keys)


def _build_opening(opening: OpeningSeed, entity_ids: dict[str, Id]) -> StoryOpening:
    return StoryOpening(
        title=opening.title,
        theme=opening.theme,
        tone=opening.tone,
        constraints=opening.constraints,
        lines_and_veils=opening.lines_and_veils,
        pc_id=entity_ids[opening.pc],
        scene_title=opening.scene_title,
        scene_goal=opening.scene_goal,
        place_id=entity_ids[opening.place],
        cast=tuple(entity_ids[key] for key in opening.cast),
        tick=opening.tick,
        prose=opening.prose,
    )


# --- what no single entry can know ------------------------------------------------------------------

_SeedFault = tuple[ValuePath, str]


def _find_seed_faults(seed: WorldSeed) -> Iterator[_SeedFault]:
    """Yield where entries of a well-formed seed do not fit each other."""
    kinds_by_key = {entity.key: entity.kind for entity in seed.entities}
    statements = [
        *((("axioms", i, "statement"), axiom.statement) for i, axiom in enumerate(seed.axioms)),
        *((("facts", i, "statement"), fact.statement) for i, fact in enumerate(seed.facts)),
    ]
    yield from _find_repeated((("entities", i, "key"), entity.key) for i, entity in enumerate(seed.entities))
    yield from _find_repeated(_list_names(seed))
    yield from _find_repeated(statements)
    yield from (
        (loc, f"nothing in this file has the key {key!r}")
        for loc, key in _list_key_uses(seed)
        if key not in kinds_by_key
    )
    for i, entity in enumerate(seed.entities):
        if entity.is_pc and entity.kind is not EntityKind.CHARACTER:
            yield ("entities", i, "is_pc"), "only a character can be a player character"
    for i, fact in enumerate(seed.facts):
        yield from _find_fact_faults(("facts", i), fact)
    yield from _find_opening_faults(seed.opening, {entity.key: entity for entity in seed.entities})


def _list_names(seed: WorldSeed) -> Iterator[_SeedFault]:
    for i, entity in enumerate(seed.entities):
        yield ("entities", i, "name"), entity.name
        yield from ((("entities", i, "aliases", n), alias) for n, alias in enumerate(entity.aliases))


def _list_key_uses(seed: WorldSeed) -> Iterator[tuple[ValuePath, str]]:
    """Yield every use of an entity's key outside of `entities`."""
    involvements = [
        *((("axioms", i, "involves"), axiom.involves) for i, axiom in enumerate(seed.axioms)),
        *((("facts", i, "involves"), fact.involves) for i, fact in enumerate(seed.facts)),
    ]
    for loc, involves in involvements:
        for role, keys in involves.items():
            yield from (((*loc, role), key) for key in keys)
    yield ("opening", "pc"), seed.opening.pc
    yield ("opening", "place"), seed.opening.place
    yield from ((("opening", "cast", i), key) for i, key in enumerate(seed.opening.cast))


def _find_repeated(located_texts: Iterable[tuple[ValuePath, str]]) -> Iterator[_SeedFault]:
    seen_texts: set[str] = set()
    for loc, text in located_texts:
        if (folded := text.casefold()) in seen_texts:
            yield loc, f"{text!r} stands in this file twice"
        seen_texts.add(folded)


def _find_fact_faults(loc: ValuePath, fact: FactSeed) -> Iterator[_SeedFault]:
    if fact.kind is FactKind.AXIOM:
        yield (*loc, "kind"), "a rule of the world belongs under 'axioms'"
    if not any(fact.involves.values()):
        yield (*loc, "involves"), "a fact is about at least one entity"
    if fact.valid_from is not None and fact.valid_to is not None and fact.valid_to < fact.valid_from:
        yield (*loc, "valid_to"), "it ends before it begins"


def _find_opening_faults(opening: OpeningSeed, entities: dict[str, EntitySeed]) -> Iterator[_SeedFault]:
    pc, place = entities.get(opening.pc), entities.get(opening.place)
    if pc and not pc.is_pc:
        yield ("opening", "pc"), f"{pc.name} is not a player character"
    if place and place.kind is not EntityKind.PLACE:
        yield ("opening", "place"), f"{place.name} is not a place"
    if opening.pc not in opening.cast:
        yield ("opening", "cast"), f"the player character ({opening.pc!r}) is not in it"


# --- words for what is wrong ------------------------------------------------------------------------


def _file_error(reason: str) -> InputError:
    return InputError(
        f"This world file cannot be used: {reason}.",
        kept="Nothing was imported.",
        todo="Correct the file and bring it in again.",
    )


def _explain_fault(kind: str, message: str, loc: ValuePath) -> str:
    """Return a validation error in words for somebody who writes the file."""
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
