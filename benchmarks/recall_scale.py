"""Measures how long a context package takes in a campaign of many years (`python -m benchmarks.recall_scale`).

100,000 turns, 20,000 facts, 100,000 vectors, and ten times the turns (with their words; the vectors stay as
many). The question's vector is made by the built-in model, already started. Libraries are kept in the cache
folder.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import numpy as np

from agents.context_assembly.package_builder import ContextPackageBuilder
from agents.context_assembly.prompt_sections import build_prompt_sections
from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.embeddings import TOKEN_CODE_BYTES, Embedding
from agents.indexer import minilm_embedder
from agents.indexer.embedding_port import QuestionVector
from agents.indexer.minilm_embedder import MiniLmEmbedder
from agents.search.hybrid_search import HybridSearch
from agents.search.search_port import SearchScope
from benchmarks import table
from benchmarks.libraries import cache_folder
from benchmarks.stores_fill import DIMENSION, HERO, START, STORY, UNIVERSE, StoresSize, fill_canon, turn_id
from stores.authority import Role
from stores.embedded.text_query import STOP_WORDS
from stores.history import CollectionRecords
from stores.open import open_stores
from stores.ports import TextItem, VectorItem
from stores.queries import FactQuery
from stores.records.ids import Id, derive_id
from stores.records.play import Scene, Speaker, Story, Turn
from stores.stores import Stores

T = TypeVar("T")

FORMAT: Final = 4
TOKENS: Final = 33
"""Tokens of a turn: as many as one of the recall sets has on average."""
A_SCENE: Final = 1_000
ROUNDS: Final = 60
WARM: Final = 5
PATIENCE: Final = 30.0
"""Seconds; so long that no search is given up."""
AIM: Final = 60
RECALL_AIM: Final = 40
MOST_TIMES: Final = 1.5
NAMES: Final = 4
VOCABULARY: Final = 8_000
"""Words that texts are made of: English ones, since an invented word is five tokens to the embedding model.
"""


@dataclass(frozen=True, slots=True)
class Scale:
    turns: int
    facts: int
    vectors: int
    entities: int

    @property
    def name(self) -> str:
        return f"{self.turns:,} turns, {self.facts:,} facts, {self.vectors:,} vectors"


FULL: Final = Scale(100_000, 20_000, 100_000, 5_000)
QUICK: Final = Scale(5_000, 1_000, 5_000, 500)


def ten_times(scale: Scale) -> Scale:
    return Scale(10 * scale.turns, scale.facts, scale.vectors, scale.entities)


# --- what is measured ----------------------------------------------------------------------------------


@dataclass(slots=True)
class MeasuredTimes:
    """The seconds of each package; `fresh` ones have a question whose vector is not cached.

    `cpu` is the mean processor time of this process for a fresh one.
    """

    fresh: list[float] = field(default_factory=list)
    known: list[float] = field(default_factory=list)
    cpu: float = 0.0
    recall: list[float] = field(default_factory=list)
    """Of turns alone, with a question that nobody asked before."""
    recall_cpu: list[float] = field(default_factory=list)
    """The processor time of this process for each of them."""


async def measure(homes: Sequence[Path], rounds: int) -> list[MeasuredTimes]:
    """Build packages in each library in turn, so that other load on the machine affects all alike."""
    embedder = MiniLmEmbedder()
    async with AsyncExitStack() as open_:
        open_.push_async_callback(embedder.close)
        desks = [await _services(open_, home, embedder) for home in homes]
        times_by_home = [MeasuredTimes() for _ in homes]
        for nth in range(rounds + WARM):
            for services, into in zip(desks, times_by_home, strict=True):
                await _measure_recall(services, _question(-1 - nth), into, is_noted=nth >= WARM)
                words = _question(nth)
                for times in (into.fresh, into.known):
                    started_at, cpu_seconds = time.perf_counter(), time.process_time()
                    package = await services.packages.build_package(
                        await services.context.load_context(services.last), words
                    )
                    build_prompt_sections(package)
                    if nth >= WARM:
                        times.append(time.perf_counter() - started_at)
                        into.cpu += (
                            (time.process_time() - cpu_seconds) / rounds if times is into.fresh else 0.0
                        )
    return times_by_home


async def _measure_recall(
    services: _RecallServices, question: str, times: MeasuredTimes, *, is_noted: bool
) -> None:
    """Search for turns."""
    started_at, cpu_seconds = time.perf_counter(), time.process_time()
    await services.recall.search("turns", question, SearchScope(UNIVERSE), k=20)
    if is_noted:
        times.recall.append(time.perf_counter() - started_at)
        times.recall_cpu.append(time.process_time() - cpu_seconds)


class _RecallServices(NamedTuple):
    """Builds packages in one library, for the scene in play."""

    packages: ContextPackageBuilder
    context: SceneContextLoader
    last: Id
    recall: HybridSearch


async def _services(open_: AsyncExitStack, home: Path, embedder: MiniLmEmbedder) -> _RecallServices:
    stores = await open_stores(home)
    open_.push_async_callback(stores.close)
    role = Role.CONTEXT_ASSEMBLY
    canon, log = stores.canon(role), stores.log(role)
    context = SceneContextLoader(canon, log)
    recall = HybridSearch(canon, log, stores.words(role), stores.vectors(role), _Meaning(embedder))
    packages = ContextPackageBuilder(
        canon, log, context, StoryAgendaReader(canon, log), recall, search_timeout=PATIENCE
    )
    return _RecallServices(packages, context, (await log.scenes(STORY))[-1].id, recall)


def in_batches(items: Iterable[T], count: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, count)):
        yield batch


class _Meaning:
    """The built-in model without a time limit; a question's vector is made once."""

    def __init__(self, embedder: MiniLmEmbedder) -> None:
        self._embedder = embedder
        self._asked: dict[str, asyncio.Future[list[Embedding]]] = {}

    async def embed_question(self, question: str) -> QuestionVector | str:
        if question not in self._asked:
            self._asked[question] = asyncio.ensure_future(self._embedder.embed([question], urgent=True))
        (embedding,) = await self._asked[question]
        return QuestionVector(self._embedder.model, embedding.vector, embedding.tokens.codes)


def _question(nth: int) -> str:
    rng = random.Random(nth)
    name = f"Somebody {rng.randrange(1, 400)}"
    return f"I ask {name} about {_text(rng, 4)} and what became of it, and I look for {_text(rng, 3)}."


# --- the library ---------------------------------------------------------------------------------------


async def fill_library(scale: Scale, folder: Path) -> Path:
    """Return the library of this size, made when it is first needed."""
    home = folder / f"recall-{FORMAT}-{scale.turns}-{scale.facts}-{scale.vectors}"
    marker_file = home / "whole"
    if marker_file.exists():
        return home
    started_at = time.perf_counter()
    stores = await open_stores(home)
    try:
        await fill_canon(stores, StoresSize(scale.turns, scale.facts, scale.entities, 0, 0, 0))
        await stores.history.load(_log(scale), mentioned_ids=())
        await _index(stores, scale)
    finally:
        await stores.close()
    await asyncio.to_thread(marker_file.touch)
    print(f"(made a library of {scale.name} in {time.perf_counter() - started_at:.0f} s)", flush=True)
    return home


def _log(scale: Scale) -> list[CollectionRecords]:
    story = Story(id=STORY, universe_id=UNIVERSE, title="A story", pc_id=HERO, created_at=START)
    count = scale.turns // A_SCENE
    return [
        ("stories", [story]),
        ("scenes", (_scene(n) for n in range(count))),
        ("turns", (_turn(n) for n in range(scale.turns))),
    ]


def _scene_id(number: int) -> Id:
    return derive_id("recall bench", "scene", number)


def _scene(number: int) -> Scene:
    cast = (HERO, *(derive_id("bench", "entity", n) for n in range(1, 2 * NAMES, 2)))
    return Scene(
        id=_scene_id(number),
        story_id=STORY,
        universe_id=UNIVERSE,
        order=number + 1,
        title=f"Night {number + 1}",
        cast=cast,
        place_id=derive_id("bench", "entity", 3),
        tick=number * A_SCENE,
        head=turn_id((number + 1) * A_SCENE - 1),
        created_at=START,
    )


def _turn(number: int) -> Turn:
    place = number % A_SCENE
    return Turn(
        id=turn_id(number),
        scene_id=_scene_id(number // A_SCENE),
        parent_id=turn_id(number - 1) if place else None,
        exchange_id=turn_id(number),
        speaker=Speaker.GM if number % 2 else Speaker.PLAYER,
        text=_make_statement(number),
        depth=place,
        tick=number,
        created_at=START,
    )


def _make_statement(number: int) -> str:
    return _text(random.Random(number), 24) + "."


def _text(rng: random.Random, words: int) -> str:
    """Return a text in which a few words are common and most are rare."""
    vocabulary_words = _vocabulary()
    return " ".join(vocabulary_words[int(VOCABULARY ** rng.random()) - 1] for _ in range(words))


@lru_cache
def _vocabulary() -> tuple[str, ...]:
    """Return the commonest words that the embedding model has as one token and that search does not ignore."""
    every = (Path(minilm_embedder.__file__).parent / "minilm" / "vocab.txt").read_text("utf-8").split("\n")
    content_words = (word for word in every if len(word) > 3 and word.isascii() and word.isalpha())
    return tuple(islice((word for word in content_words if word not in STOP_WORDS), VOCABULARY))


async def _index(stores: Stores, scale: Scale) -> None:
    words, vectors = stores.words(Role.INDEXER), stores.vectors(Role.INDEXER)

    for numbers in in_batches(range(scale.turns), 2_000):
        turn_items = [
            TextItem(turn_id(n), f"{_make_statement(n)}\n{_make_statement(n - 1)}", _scope(n))
            for n in numbers
        ]
        await words.put("turns", turn_items)
    rng = np.random.default_rng(1)
    # Spread over all of the turns, however many there are.
    step = max(1, scale.turns // scale.vectors)
    for vector_numbers in in_batches(range(0, scale.vectors * step, step), 2_000):
        points = rng.standard_normal((len(vector_numbers), DIMENSION), dtype=np.float32)
        items = [
            VectorItem(turn_id(n), p.tolist(), _scope(n), token_codes=rng.bytes(TOKEN_CODE_BYTES * TOKENS))
            for n, p in zip(vector_numbers, points, strict=True)
        ]
        await vectors.put("turns", items, model=MiniLmEmbedder().model)
    canon = stores.canon(Role.INDEXER)
    entities = await canon.entities(UNIVERSE, limit=10**9)
    facts = await canon.facts(UNIVERSE, FactQuery(history=True, limit=10**9))
    scope = {"universe": UNIVERSE}
    for entity_batch in in_batches(entities, 2_000):
        await words.put("entities", [TextItem(e.id, e.name, scope) for e in entity_batch])
    for fact_batch in in_batches(facts, 2_000):
        await words.put("facts", [TextItem(f.id, f.statement, scope) for f in fact_batch])


def _scope(number: int) -> dict[str, str]:
    return {"universe": UNIVERSE, "story": STORY, "scene": _scene_id(number // A_SCENE)}


def rows(scale: Scale, folder: Path, rounds: int) -> Iterator[table.Row]:
    """Measure both sizes; the last rows say how many times as long the larger takes."""
    sizes = (scale, ten_times(scale))
    homes = [asyncio.run(fill_library(size, folder)) for size in sizes]
    measured_times = asyncio.run(measure(homes, rounds))
    for size, of_size in zip(sizes, measured_times, strict=True):
        yield table.make_times_row(
            f"package, {size.name}, with the question's vector", of_size.fresh, AIM, of_size.cpu
        )
        yield table.make_times_row("  turns alone", of_size.recall, RECALL_AIM)
        yield table.make_times_row("  turns alone, processor time", of_size.recall_cpu, RECALL_AIM)
        yield table.make_times_row("  the same again, its vector known and canon read before", of_size.known)
    small, large = measured_times
    for percent in (50, 95):
        times = table.percentile(large.fresh, percent) / table.percentile(small.fresh, percent)
        yield table.Row(f"ten times the turns take, of p{percent}", times, aim=MOST_TIMES, unit="x")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall_scale", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a twentieth of it")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    folder = cache_folder() / ("quick" if options.quick else "full")
    print(table.machine())
    print(table.format_header())
    for row in rows(QUICK if options.quick else FULL, folder, options.rounds):
        print(table.format_row(row), flush=True)


if __name__ == "__main__":
    main()
