"""Finding again: words, meaning, graph and line together, over a log that was brought in."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.importers.import_views import ImportRequest
from agents.indexer.embedding_port import QuestionVector
from agents.indexer.source_reader import SourceReader
from agents.search.hybrid_search import HybridSearch
from agents.search.question_cues import read_cues
from agents.search.search_port import SearchKind, SearchResults, SearchScope
from agents.search.turn_ranking import WEIGHTS, TurnCandidate, score_own_words
from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import StoreUnavailable
from stores.ports import TextHit
from stores.records.canon import CanonBatch, Evidence, EvidenceKind, FactStatus, Supersession, Support
from stores.records.ids import Id
from stores.records.play import MoveKind, Turn
from tests.contract import builders as make
from tests.program import opened

LOG = (
    ("Ana", "Hi Ben! I adopted a dog last Saturday.", "2023-02-04T10:00"),
    ("Ben", "Lovely! What is he called?", "2023-02-04T10:01"),
    ("Ana", "Biscuit, because of his colour.", "2023-02-04T10:02"),
    ("Ben", "My car broke down, so I ride a bicycle to the office.", "2023-03-11T09:00"),
    ("Ana", "Poor you. I bake lemon cakes to calm down.", "2023-03-11T09:01"),
    ("Ben", "Dana my sister works on the hospital ward at night.", "2023-03-11T09:02"),
    ("Ana", "We climbed a mountain in Wales in the rain.", "2023-07-29T21:00"),
    ("Ben", "I bought a green van, so I ride no bicycle to the office any more.", "2023-10-22T12:00"),
    ("Ana", "And your sister?", "2023-10-22T12:01"),
    ("Ben", "Dana runs a clinic now and sleeps at night.", "2023-10-22T12:02"),
)


@dataclass
class Shelf:
    """A library with the log in it, indexed by words."""

    program: Program
    universe_id: Id
    turns: dict[str, Turn]
    meaning: Meaning

    def recall(self) -> HybridSearch:
        role, stores = Role.CONTEXT_ASSEMBLY, self.program.stores
        return HybridSearch(
            stores.canon(role), stores.log(role), stores.words(role), stores.vectors(role), self.meaning
        )

    async def find(self, question: str, kind: SearchKind = "turns", k: int = 5) -> SearchResults:
        return await self.recall().search(kind, question, SearchScope(self.universe_id), k=k)

    async def texts(self, question: str, k: int = 5) -> list[str]:
        found = await self.find(question, k=k)
        by_id = {turn.id: turn.text for turn in self.turns.values()}
        return [by_id[one.id] for one in found.hits]


@dataclass
class Meaning:
    answer: QuestionVector | str = "the embedding model wakes up"

    async def embed_question(self, question: str) -> QuestionVector | str:
        return self.answer


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    lines = [
        json.dumps({"turn": f"t{n}", "speaker": who, "role": "player", "text": text, "time": time})
        for n, (who, text, time) in enumerate(LOG)
    ]
    async with opened(tmp_path) as program:
        order = ImportRequest("log.jsonl", "\n".join(lines).encode(), universe="Friends")
        done = await program.services.imports.import_log(order)
        log = program.stores.log(Role.INDEXER)
        truth, turns = SourceReader(program.stores.canon(Role.INDEXER), log), dict[str, Turn]()
        for scene in await truth.read_scenes(done.universe_id):
            stretch = await truth.read_line_stretch(scene, "", 0, 100)
            await program.stores.words(Role.INDEXER).put("turns", stretch.items)
            turns |= {turn.ref: turn for turn in await log.all_turns(scene.id)}
        yield Shelf(program, done.universe_id, turns, Meaning())


async def test_hybrid_search_ranks_answering_turn_first(shelf: Shelf) -> None:
    assert (await shelf.texts("When did Ana adopt the dog?"))[0] == LOG[0][1]
    assert (await shelf.texts("What does Ana bake?"))[0] == LOG[4][1]


async def test_hybrid_search_passes_score_from_question_to_answer(shelf: Shelf) -> None:
    asks, answers = shelf.turns["t1"], shelf.turns["t2"]
    told = {turn.id: TurnCandidate.from_turn(turn, turn.name) for turn in (asks, answers)}
    items = {asks.id: {"meaning": 1.0}, answers.id: {"meaning": 0.7}}
    by = score_own_words(items, told, read_cues("How old is he?"), WEIGHTS)
    assert by[answers.id]["meaning"] > by[asks.id]["meaning"]


async def test_hybrid_search_ranks_later_turn_first_for_present(shelf: Shelf) -> None:
    now = await shelf.texts("Does Ben still ride a bicycle to the office?")
    assert now.index(LOG[7][1]) < now.index(LOG[3][1])


async def test_hybrid_search_counts_named_date(shelf: Shelf) -> None:
    assert (await shelf.texts("What did Ana tell of in July 2023?"))[0] == LOG[6][1]


async def test_hybrid_search_omits_undone_turns_of_stale_index(shelf: Shelf) -> None:
    last = shelf.turns["t9"]
    log = shelf.program.stores.log(Role.ORCHESTRATOR)
    await log.move_head(last.scene_id, shelf.turns["t8"].id, MoveKind.UNDO)
    found = await shelf.find("Where is the clinic that Dana runs?")
    assert last.id not in [one.id for one in found.hits]
    assert any("taken back" in note for note in found.notes)
    by_words = await shelf.recall().search_by_words("turns", "clinic", SearchScope(shelf.universe_id))
    assert last.id not in [one.id for one in by_words.hits]


async def test_hybrid_search_without_model_uses_words_and_notes_it(shelf: Shelf) -> None:
    found = await shelf.find("dog")
    assert found.hits
    assert found.notes == ("meaning: the embedding model wakes up",)


async def test_hybrid_search_accepts_odd_questions(shelf: Shelf) -> None:
    odd = (
        "",
        "   ",
        "???",
        '"unbalanced',
        "NEAR/3 * ^ (",
        "¿Dónde está el perro?",
        "犬はどこですか",
        "x" * 50_000,
        "\0",
    )
    kinds: tuple[SearchKind, ...] = ("turns", "facts", "entities", "memories", "scenes", "snippets")
    for question in odd:
        for kind in kinds:
            assert len((await shelf.find(question, kind)).hits) <= 5


async def test_hybrid_search_of_empty_campaign_is_empty(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        role, stores = Role.CONTEXT_ASSEMBLY, program.stores
        recall = HybridSearch(
            stores.canon(role), stores.log(role), stores.words(role), stores.vectors(role), None
        )
        assert await recall.search("turns", "Who has the key?", SearchScope(make.new_id())) == SearchResults()


async def test_hybrid_search_notes_vector_of_wrong_size(shelf: Shelf) -> None:
    point: Sequence[float] = [1.0, 0.0]
    shelf.meaning.answer = QuestionVector("another", point)
    assert (await shelf.texts("What does Ana bake?"))[0] == LOG[4][1]


async def test_hybrid_search_notes_store_that_is_down(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    async def down(*given: object, **named: object) -> list[TextHit]:
        raise StoreUnavailable("The text index does not answer.")

    words = shelf.program.stores.words(Role.CONTEXT_ASSEMBLY)
    monkeypatch.setattr(type(words), "search", down)
    found = await shelf.find("dog")
    assert found.hits == ()
    assert "words: The text index does not answer." in found.notes


async def test_hybrid_search_follows_evidence_and_ranks_current_facts_first(
    shelf: Shelf,
) -> None:
    dana = make.entity("Dana", universe_id=shelf.universe_id)
    was = make.fact(
        "Dana nurses at Saint Bride.",
        dana,
        universe_id=shelf.universe_id,
        status=FactStatus.SUPERSEDED,
        valid_to=900,
    )
    now = make.fact("Dana is mistress of her own house of healing.", dana, universe_id=shelf.universe_id)
    pieces = [
        Evidence(id=make.new_id(), kind=EvidenceKind.TURN, ref_id=turn.id, turn_id=turn.id)
        for turn in (shelf.turns["t5"], shelf.turns["t9"])
    ]
    await shelf.program.stores.canon(Role.CANON_KEEPER).commit(
        CanonBatch(
            id=make.new_id(),
            universe_id=shelf.universe_id,
            entities=(dana,),
            facts=(was, now),
            evidence=tuple(pieces),
            supports=tuple(
                Support(subject_id=fact.id, evidence_id=piece.id)
                for fact, piece in zip((was, now), pieces, strict=True)
            ),
            supersedes=(Supersession(newer_id=now.id, older_id=was.id),),
        )
    )
    truth = SourceReader(shelf.program.stores.canon(Role.INDEXER), shelf.program.stores.log(Role.INDEXER))
    canon = await truth.read_canon(shelf.universe_id)
    await shelf.program.stores.words(Role.INDEXER).put("entities", canon.entities)
    await shelf.program.stores.words(Role.INDEXER).put("facts", canon.facts)
    # The words are the old value's; what is asked is how it is.
    found = await shelf.texts("Does Dana nurse at Saint Bride these days?")
    assert found[0] == LOG[9][1]
    assert found.index(LOG[9][1]) < found.index(LOG[5][1])
    assert [one.id for one in (await shelf.find("Does Dana nurse at Saint Bride?", "facts")).hits] == [
        now.id,
        was.id,
    ]
