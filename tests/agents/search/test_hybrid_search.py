"""Tests of the hybrid search over an imported log: words, meaning, graph and line together."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.embeddings import TOKEN_CODE_BYTES
from agents.importers.import_views import ImportRequest
from agents.indexer.embedding_port import QuestionVector
from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.source_reader import SourceReader
from agents.search.hybrid_search import HybridSearch
from agents.search.question_cues import read_cues
from agents.search.score_fusion import rank_ids
from agents.search.search_port import SearchKind, SearchResults, SearchScope
from agents.search.turn_ranking import (
    WEIGHTS,
    TurnCandidate,
    add_cue_scores,
    add_length_scores,
    score_own_words,
    spread_to_neighbours,
)
from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import StoreUnavailable
from stores.ports import TextHit, VectorItem
from stores.records.canon import CanonBatch, Evidence, EvidenceKind, FactStatus, Supersession, Support
from stores.records.ids import Id
from stores.records.play import MoveKind, Speaker, Turn
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
class SearchFixture:
    """A library with the imported log, indexed by words."""

    program: Program
    universe_id: Id
    turns: dict[str, Turn]
    embedder: FakeQuestionEmbedder

    def build_search(self) -> HybridSearch:
        role, stores = Role.CONTEXT_ASSEMBLY, self.program.stores
        return HybridSearch(
            stores.canon(role), stores.log(role), stores.words(role), stores.vectors(role), self.embedder
        )

    async def find(self, question: str, kind: SearchKind = "turns", k: int = 5) -> SearchResults:
        return await self.build_search().search(kind, question, SearchScope(self.universe_id), k=k)

    async def texts(self, question: str, k: int = 5) -> list[str]:
        results = await self.find(question, k=k)
        texts_by_id = {turn.id: turn.text for turn in self.turns.values()}
        return [texts_by_id[hit.id] for hit in results.hits]


@dataclass
class FakeQuestionEmbedder:
    answer: QuestionVector | str = "the embedding model wakes up"

    async def embed_question(self, question: str) -> QuestionVector | str:
        return self.answer


@pytest.fixture
async def fixture(tmp_path: Path) -> AsyncIterator[SearchFixture]:
    lines = [
        json.dumps({"turn": f"t{n}", "speaker": who, "role": "player", "text": text, "time": time})
        for n, (who, text, time) in enumerate(LOG)
    ]
    async with opened(tmp_path) as program:
        request = ImportRequest("log.jsonl", "\n".join(lines).encode(), universe="Friends")
        result = await program.services.imports.import_log(request)
        log = program.stores.log(Role.INDEXER)
        source_reader, turns = SourceReader(program.stores.canon(Role.INDEXER), log), dict[str, Turn]()
        for scene in await source_reader.read_scenes(result.universe_id):
            stretch = await source_reader.read_line_stretch(scene, "", 0, 100, TurnNeighbours.BOTH)
            await program.stores.words(Role.INDEXER).put("turns", stretch.items)
            turns |= {turn.ref: turn for turn in await log.all_turns(scene.id)}
        yield SearchFixture(program, result.universe_id, turns, FakeQuestionEmbedder())


async def test_hybrid_search_ranks_answering_turn_first(fixture: SearchFixture) -> None:
    assert (await fixture.texts("When did Ana adopt the dog?"))[0] == LOG[0][1]
    assert (await fixture.texts("What does Ana bake?"))[0] == LOG[4][1]


async def test_hybrid_search_passes_score_from_question_to_answer(fixture: SearchFixture) -> None:
    question, answer = fixture.turns["t1"], fixture.turns["t2"]
    candidates = {turn.id: TurnCandidate.from_turn(turn, turn.name) for turn in (question, answer)}
    items = {question.id: {"meaning": 1.0}, answer.id: {"meaning": 0.7}}
    scores = score_own_words(items, candidates, read_cues("How old is he?"), WEIGHTS)
    assert scores[answer.id]["meaning"] > scores[question.id]["meaning"]


async def test_hybrid_search_ranks_later_turn_first_for_present(fixture: SearchFixture) -> None:
    texts = await fixture.texts("Does Ben still ride a bicycle to the office?")
    assert texts.index(LOG[7][1]) < texts.index(LOG[3][1])


async def test_hybrid_search_counts_named_date(fixture: SearchFixture) -> None:
    assert (await fixture.texts("What did Ana tell of in July 2023?"))[0] == LOG[6][1]


async def test_hybrid_search_finds_turns_of_a_named_day_and_those_that_tell_of_it(
    fixture: SearchFixture,
) -> None:
    assert (await fixture.texts("What happened on the 29th of July?"))[0] == LOG[6][1]
    # On Saturday, 4 February, `last Saturday` is a week before.
    assert (await fixture.texts("What was new on 28 January 2023?"))[0] == LOG[0][1]
    assert (await fixture.texts("What was new on the twenty-eighth of January?"))[0] == LOG[0][1]


async def test_word_search_lists_a_turn_for_its_own_words_not_its_neighbours(fixture: SearchFixture) -> None:
    results = await fixture.build_search().search_by_words(
        "turns", "Biscuit", SearchScope(fixture.universe_id)
    )
    assert [hit.id for hit in results.hits] == [fixture.turns["t2"].id]


async def test_hybrid_search_omits_undone_turns_of_stale_index(fixture: SearchFixture) -> None:
    last = fixture.turns["t9"]
    log = fixture.program.stores.log(Role.ORCHESTRATOR)
    await log.move_head(last.scene_id, fixture.turns["t8"].id, MoveKind.UNDO)
    results = await fixture.find("Where is the clinic that Dana runs?")
    assert last.id not in [hit.id for hit in results.hits]
    assert any("taken back" in note for note in results.notes)
    by_words = await fixture.build_search().search_by_words(
        "turns", "clinic", SearchScope(fixture.universe_id)
    )
    assert last.id not in [hit.id for hit in by_words.hits]


async def test_hybrid_search_without_model_uses_words_and_notes_it(fixture: SearchFixture) -> None:
    results = await fixture.find("dog")
    assert results.hits
    assert results.notes == ("meaning: the embedding model wakes up",)


async def test_hybrid_search_accepts_odd_questions(fixture: SearchFixture) -> None:
    odd_questions = (
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
    for question in odd_questions:
        for kind in kinds:
            assert len((await fixture.find(question, kind)).hits) <= 5


async def test_hybrid_search_of_empty_campaign_is_empty(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        role, stores = Role.CONTEXT_ASSEMBLY, program.stores
        search = HybridSearch(
            stores.canon(role), stores.log(role), stores.words(role), stores.vectors(role), None
        )
        assert await search.search("turns", "Who has the key?", SearchScope(make.new_id())) == SearchResults()


async def test_hybrid_search_notes_vector_of_wrong_size(fixture: SearchFixture) -> None:
    vector: Sequence[float] = [1.0, 0.0]
    fixture.embedder.answer = QuestionVector("another", vector)
    assert (await fixture.texts("What does Ana bake?"))[0] == LOG[4][1]


async def test_hybrid_search_notes_store_that_is_down(
    fixture: SearchFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(*args: object, **kwargs: object) -> list[TextHit]:
        raise StoreUnavailable("The text index does not answer.")

    words = fixture.program.stores.words(Role.CONTEXT_ASSEMBLY)
    monkeypatch.setattr(type(words), "search", down)
    results = await fixture.find("dog")
    assert results.hits == ()
    assert "words: The text index does not answer." in results.notes


async def test_hybrid_search_follows_evidence_ranks_current_facts_first_and_says_what_clashes(
    fixture: SearchFixture,
) -> None:
    dana = make.entity("Dana", universe_id=fixture.universe_id)
    ended_fact = make.fact(
        "Dana nurses at Saint Bride.",
        dana,
        universe_id=fixture.universe_id,
        status=FactStatus.SUPERSEDED,
        valid_to=900,
    )
    current_fact = make.fact(
        "Dana is mistress of her own house of healing.", dana, universe_id=fixture.universe_id
    )
    evidence = [
        Evidence(id=make.new_id(), kind=EvidenceKind.TURN, ref_id=turn.id, turn_id=turn.id)
        for turn in (fixture.turns["t5"], fixture.turns["t9"])
    ]
    await fixture.program.stores.canon(Role.CANON_KEEPER).commit(
        CanonBatch(
            id=make.new_id(),
            universe_id=fixture.universe_id,
            entities=(dana,),
            facts=(ended_fact, current_fact),
            evidence=tuple(evidence),
            supports=tuple(
                Support(subject_id=fact.id, evidence_id=piece.id)
                for fact, piece in zip((ended_fact, current_fact), evidence, strict=True)
            ),
            supersedes=(Supersession(newer_id=current_fact.id, older_id=ended_fact.id),),
        )
    )
    source_reader = SourceReader(
        fixture.program.stores.canon(Role.INDEXER), fixture.program.stores.log(Role.INDEXER)
    )
    canon = await source_reader.read_canon(fixture.universe_id)
    await fixture.program.stores.words(Role.INDEXER).put("entities", canon.entities)
    await fixture.program.stores.words(Role.INDEXER).put("facts", canon.facts)
    # The question uses the words of the old value, but asks about the present.
    texts = await fixture.texts("Does Dana nurse at Saint Bride these days?")
    assert texts[0] == LOG[9][1]
    assert texts.index(LOG[9][1]) < texts.index(LOG[5][1])
    assert [hit.id for hit in (await fixture.find("Does Dana nurse at Saint Bride?", "facts")).hits] == [
        current_fact.id,
        ended_fact.id,
    ]
    recalled = await fixture.program.services.query.recall_turns(
        "Where does Dana nurse?", universe_id=fixture.universe_id
    )
    assert {turn.turn_id: turn.clashes for turn in recalled.turns if turn.clashes} == {
        fixture.turns["t5"].id: (
            "No longer true: Dana nurses at Saint Bride. Now: Dana is mistress of her own house of healing.",
        )
    }


async def test_hybrid_search_prefers_turn_that_says_more(fixture: SearchFixture) -> None:
    short, long = fixture.turns["t1"], fixture.turns["t2"]
    candidates = {
        short.id: TurnCandidate.from_turn(short.model_copy(update={"text": "Goodbye, Ana!"}), short.name),
        long.id: TurnCandidate.from_turn(
            long.model_copy(update={"text": "Ana keeps the dog in the old barn"}), long.name
        ),
    }
    scores: dict[Id, dict[str, float]] = {short.id: {"meaning": 1.0}, long.id: {"meaning": 1.0}}
    add_length_scores(scores, candidates, WEIGHTS)
    assert rank_ids(scores) == [long.id, short.id]


async def test_hybrid_search_lends_to_short_turns_alone(fixture: SearchFixture) -> None:
    first, second = fixture.turns["t1"], fixture.turns["t2"]

    def lent_score(text: str) -> float:
        candidates = {
            turn.id: TurnCandidate.from_turn(turn, turn.name)
            for turn in (first, second.model_copy(update={"text": text}))
        }
        item_scores = {first.id: {"words": 1.0}, second.id: {"meaning": 1.0}}
        return spread_to_neighbours(item_scores, candidates, WEIGHTS)[second.id]["words"]

    assert lent_score("In the mill.") == WEIGHTS.beside
    assert lent_score("word " * 120) == pytest.approx(WEIGHTS.beside / 4)


async def test_hybrid_search_raises_the_turn_whose_own_tokens_are_asked_for(fixture: SearchFixture) -> None:
    """Every turn has the same vector here: only what is said in passing tells them apart."""
    far, near = b"\x00" * TOKEN_CODE_BYTES, b"\xff" * TOKEN_CODE_BYTES
    items = [
        VectorItem(
            turn.id,
            (1.0, 0.0),
            {"universe": fixture.universe_id},
            token_codes=far * 5 + near if ref == "t5" else far * 2,
        )
        for ref, turn in fixture.turns.items()
        if ref != "t9"
    ]
    vectors = fixture.program.stores.vectors(Role.INDEXER)
    await vectors.put("turns", items, model="m")
    asked = "Who is awake when others are not?"
    fixture.embedder.answer = QuestionVector("m", (1.0, 0.0), token_codes=near)
    results = await fixture.find(asked, k=99)
    assert results.hits[0].id == fixture.turns["t5"].id
    assert results.hits[0].score_by_way["tokens"] == WEIGHTS.tokens
    assert all(hit.score_by_way.get("tokens", 0.0) == 0.0 for hit in results.hits[1:])
    fixture.embedder.answer = QuestionVector("m", (1.0, 0.0))
    results = await fixture.find(asked, k=99)
    assert results.hits
    assert not any("tokens" in hit.score_by_way for hit in results.hits)


@pytest.mark.parametrize(
    ("question", "names_player"),
    [
        ("What did I promise Mara?", True),
        ("Where are our horses?", True),
        ("What have I’ve done?", True),
        ("Where does Ivo live?", False),
    ],
)
def test_question_with_i_or_we_is_about_the_player(question: str, names_player: bool) -> None:
    assert read_cues(question).names_player is names_player


async def test_hybrid_search_reads_i_as_the_player(fixture: SearchFixture) -> None:
    told = {
        speaker: fixture.turns[ref].model_copy(update={"speaker": speaker, "name": ""})
        for ref, speaker in (("t1", Speaker.PLAYER), ("t2", Speaker.GM))
    }
    candidates = {turn.id: TurnCandidate.from_turn(turn, "") for turn in told.values()}
    scores: dict[Id, dict[str, float]] = {id: {"meaning": 1.0} for id in candidates}
    add_cue_scores(scores, candidates, read_cues("What did I promise?"), (), WEIGHTS)
    assert rank_ids(scores)[0] == told[Speaker.PLAYER].id
