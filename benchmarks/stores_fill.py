"""Fills the stores that are measured, at their full sizes, once, in a cache folder.

Everything is written through the ports and `stores.history`, so that stores of any kind can be filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar

import numpy as np

from stores.authority import Role
from stores.history import CollectionRecords
from stores.ports import TextItem, VectorItem
from stores.records.base import Record
from stores.records.canon import CanonBatch, Evidence, EvidenceKind, Fact, FactKind, Involvement, Support
from stores.records.ids import Id, derive_id
from stores.records.play import Scene, Speaker, Story, Turn
from stores.records.world import Entity, EntityKind, Universe
from stores.stores import Stores

FORMAT = 1
"""Raise this when the contents change: older caches are then filled again."""

T = TypeVar("T")

START = datetime(2024, 1, 1, tzinfo=UTC)
UNIVERSE, OTHER = derive_id("bench", "universe"), derive_id("bench", "another universe")
STORY, SCENE = derive_id("bench", "story"), derive_id("bench", "scene")
HERO = derive_id("bench", "entity", 0)
MODEL, DIMENSION = "benchmark", 384
VOCABULARY, WORDS_A_TEXT = 20_000, 60
STORIES = 10

_AT_ONCE = 2_000
_PREDICATES = ("ally_of", "enemy_of", "owns", "member_of", "knows", "parent_of")


@dataclass(frozen=True, slots=True)
class StoresSize:
    """How much is written; `few` and `many` are vectors."""

    turns: int
    facts: int
    entities: int
    few: int
    many: int
    snippets: int


FULL = StoresSize(1_000_000, 100_000, 10_000, 100_000, 500_000, 100_000)
QUICK = StoresSize(20_000, 5_000, 500, 5_000, 20_000, 5_000)
SMALL = StoresSize(1_000, 1_000, 100, 5_000, 20_000, 5_000)
"""For servers on a machine with little to spare."""


def turn_id(number: int) -> Id:
    """Return an identifier that sorts by time, as those of play do."""
    return f"01900000-{number >> 16:04x}-7000-8000-{number & 0xFFFF:012x}"


async def fill_line(stores: Stores, size: StoresSize) -> None:
    """Write one scene, and all turns on its line."""
    story = Story(id=STORY, universe_id=UNIVERSE, title="A story", created_at=START)
    scene = Scene(
        id=SCENE,
        story_id=STORY,
        universe_id=UNIVERSE,
        order=1,
        title="One scene",
        head=turn_id(size.turns - 1),
        created_at=START,
    )
    parts: list[CollectionRecords] = [
        ("universes", [_universe()]),
        ("stories", [story]),
        ("scenes", [scene]),
        ("turns", map(_turn, range(size.turns))),
    ]
    await stores.history.load(parts, mentioned_ids=())


def _universe() -> Universe:
    return Universe(id=UNIVERSE, name="The Measured Coast", recorded_at=START)


def _turn(number: int) -> Turn:
    return Turn(
        id=turn_id(number),
        scene_id=SCENE,
        parent_id=turn_id(number - 1) if number else None,
        exchange_id=turn_id(number),
        speaker=Speaker.PLAYER,
        text=f"I go down to the water and ask after the bell, for the {number}th time.",
        depth=number,
        tick=number,
        created_at=START,
    )


async def fill_canon(stores: Stores, size: StoresSize) -> None:
    """Write the facts: half relate two entities, a quarter are about the hero; one in ten has ended."""
    parts: list[CollectionRecords] = [
        ("universes", [_universe()]),
        ("entities", map(_entity, range(size.entities))),
        ("facts", (_fact(number, size) for number in range(size.facts))),
        ("evidence", map(_evidence, range(size.facts))),
        ("supports", (_support(number) for number in range(size.facts))),
    ]
    await stores.history.load(parts, mentioned_ids=())


def _entity(number: int) -> Entity:
    return Entity(
        id=derive_id("bench", "entity", number),
        universe_id=UNIVERSE,
        kind=EntityKind.CHARACTER if number % 3 else EntityKind.PLACE,
        name=f"Somebody {number}",
        recorded_at=START,
    )


def _fact(number: int, size: StoresSize) -> Fact:
    subject = HERO if number % 4 == 0 else derive_id("bench", "entity", number % size.entities)
    other = derive_id("bench", "entity", (number * 7 + 1) % size.entities)
    relates = number % 2 == 0
    roles = (("subject", subject), ("object", other)) if relates else (("subject", subject),)
    return Fact(
        id=derive_id("bench", "fact", number),
        universe_id=UNIVERSE,
        kind=FactKind.RELATION if relates else FactKind.EVENT,
        predicate=_PREDICATES[number % len(_PREDICATES)] if relates else "stated",
        statement=f"What came to pass on the night numbered {number}.",
        involves=tuple(Involvement(role=role, entity_id=entity_id) for role, entity_id in roles),
        valid_from=number,
        valid_to=number + 500 if number % 10 == 0 else None,
        recorded_at=START,
    )


def _evidence(number: int) -> Evidence:
    return Evidence(
        id=derive_id("bench", "evidence", number),
        kind=EvidenceKind.MANUAL,
        ref_id=derive_id("bench", "fact", number),
        quote="These very words.",
    )


def _support(number: int) -> Record:
    return Support(
        subject_id=derive_id("bench", "fact", number), evidence_id=derive_id("bench", "evidence", number)
    )


def batch_of_twenty(first: int, size: StoresSize) -> CanonBatch:
    """Return a commit of twenty new facts with their evidence, half of them relations."""
    numbers = range(size.facts + first, size.facts + first + 20)
    return CanonBatch(
        id=derive_id("bench", "batch", first),
        universe_id=UNIVERSE,
        facts=tuple(_fact(number, size) for number in numbers),
        evidence=tuple(map(_evidence, numbers)),
        supports=tuple(
            Support(
                subject_id=derive_id("bench", "fact", number),
                evidence_id=derive_id("bench", "evidence", number),
            )
            for number in numbers
        ),
    )


async def fill_index(stores: Stores, size: StoresSize) -> None:
    """Write random vectors (the hardest kind) and texts of a vocabulary in which a few words are common."""
    vectors, words = stores.vectors(Role.INDEXER), stores.words(Role.INDEXER)
    random = np.random.default_rng(1)
    for collection, many in (("scenes", size.few), ("snippets", size.many)):
        for numbers in _split_into_batches(_AT_ONCE, range(many)):
            points = random.standard_normal((len(numbers), DIMENSION), dtype=np.float32)
            items = [
                VectorItem(turn_id(n), point, scope(n)) for n, point in zip(numbers, points, strict=True)
            ]
            await vectors.put(collection, items, model=MODEL)
    for numbers in _split_into_batches(_AT_ONCE, range(size.snippets)):
        ranks = random.zipf(1.2, (len(numbers), WORDS_A_TEXT)) % VOCABULARY
        texts = (" ".join(f"w{rank}" for rank in row) for row in ranks)
        await words.put(
            "snippets",
            [TextItem(turn_id(n), text, scope(n)) for n, text in zip(numbers, texts, strict=True)],
        )


def scope(number: int) -> dict[str, str]:
    """Return an item's scope: nine in ten are in the universe, and of these one in ten in each story."""
    return {
        "universe": UNIVERSE if number % 10 else OTHER,
        "story": derive_id("bench", "story", number % STORIES),
    }


def _split_into_batches(batch_size: int, items: Sequence[T]) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, batch_size)):
        yield batch
