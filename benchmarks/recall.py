"""Measures how well turns are found again, on the measuring sets (`python -m benchmarks.recall`).

Each log of `benchmarks/recall_set` is imported and indexed like any log; its questions are asked by words
alone, by meaning alone, by both fused, and with the graph: without canon, as an imported log has none, and
(the campaign) with the canon that its gate would have accepted (`canon.jsonl`). Weights were chosen on every
other question of each kind; the others were held out, and are shown apart. The order of the figures is asserted in
`tests/agents/search/test_recall_set.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from agents.search.hybrid_search import POOL_SIZE, HybridSearch
from agents.search.score_fusion import fuse_scores, normalise_scores, rank_ids
from agents.search.search_port import SearchScope
from agents.search.turn_ranking import WEIGHTS
from benchmarks.recall_library import QuestionLibrary, commit_canon, index_canon, open_indexed
from stores.authority import Role
from stores.records.ids import Id

HERE: Final = Path(__file__).parent / "recall_set"
CAMPAIGN: Final = "campaign"
SETS: Final = {
    CAMPAIGN: HERE,
    **{name: HERE / name for name in ("friends", "tavern", "winter", "saltmarket")},
}
"""The measuring sets by name, with their folders."""
AT: Final = (5, 10, 20)
SEVERAL_TURNS_KINDS: Final = frozenset({"multi", "list"})
"""Kinds of questions that several turns answer together."""
DEEP: Final = 300
"""How many results are searched for the old and the current value."""

WORDS, MEANING, FUSED, GRAPH, CANON = "words", "meaning", "fused", "+ graph", "+ canon"
Half = Literal["tuned", "held out"]


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    id: str
    kind: str
    text: str
    turns: tuple[str, ...]
    old: tuple[str, ...]
    half: Half


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """The answer to one question by one way of searching.

    `turn_refs` are turns, best first, by the log's own references; `confidence` is how near the best came.
    """

    question: RecallQuestion
    way: str
    turn_refs: tuple[str, ...]
    confidence: float = 0.0

    def recall(self, k: int) -> float:
        """Return the share of the answering turns that are among the first `k`."""
        return sum(turn in self.turn_refs[:k] for turn in self.question.turns) / len(self.question.turns)

    def is_complete(self, k: int) -> bool:
        """Say whether all answering turns are among the first `k`."""
        return set(self.question.turns) <= set(self.turn_refs[:k])

    @property
    def reciprocal_rank(self) -> float:
        """Return one divided by the rank of the first answering turn."""
        places = [n for n, turn in enumerate(self.turn_refs, 1) if turn in self.question.turns]
        return 1 / places[0] if places else 0.0

    @property
    def ranks_current_first(self) -> bool:
        """Say whether the current value ranks above the old one.

        What was not found ranks below what was; if neither was, it does not.
        """
        return self._first_place(self.question.turns) < self._first_place(self.question.old)

    def _first_place(self, turns: Sequence[str]) -> int:
        return min((n for n, turn in enumerate(self.turn_refs) if turn in turns), default=len(self.turn_refs))


@dataclass(frozen=True, slots=True)
class RecallFigures:
    """Shares of 1, but for `count`."""

    recall: tuple[float, ...]
    mrr: float
    count: int


@dataclass(frozen=True, slots=True)
class RecallResults:
    answered_questions: tuple[AnsweredQuestion, ...]

    @property
    def ways(self) -> list[str]:
        """Return the ways of searching, in order."""
        return list(dict.fromkeys(answered_question.way for answered_question in self.answered_questions))

    def figures_of(self, way: str, kind: str = "", half: Half | None = None) -> RecallFigures:
        """Return the figures of the questions with an answer (of one kind, of one half)."""
        matching = [
            a
            for a in self.answered_questions
            if a.way == way
            and a.question.turns
            and kind in ("", a.question.kind)
            and half in (None, a.question.half)
        ]
        count = max(1, len(matching))
        recall = tuple(sum(a.recall(k) for a in matching) / count for k in AT)
        return RecallFigures(recall, sum(a.reciprocal_rank for a in matching) / count, len(matching))

    def complete_share(self, way: str, k: int) -> float:
        """Return the share of the questions of several turns of which all are among the first `k`."""
        matching = [
            a for a in self.answered_questions if a.way == way and a.question.kind in SEVERAL_TURNS_KINDS
        ]
        return sum(a.is_complete(k) for a in matching) / max(1, len(matching))

    def current_first_share(self, way: str, half: Half | None = None) -> float:
        """Return the share of changed facts whose current value ranks above the old one."""
        matching = [
            a
            for a in self.answered_questions
            if a.way == way and a.question.kind == "changed" and half in (None, a.question.half)
        ]
        return sum(a.ranks_current_first for a in matching) / max(1, len(matching))

    def confidence_separation(self, way: str) -> float:
        """Return how well confidence separates questions with an answer from those without.

        It is how often one with an answer has more confidence than one without (0.5: no separation).
        """
        answered_confidences, unanswered_confidences = (
            [
                a.confidence
                for a in self.answered_questions
                if a.way == way and bool(a.question.turns) is answered
            ]
            for answered in (True, False)
        )
        pairs = len(answered_confidences) * len(unanswered_confidences)
        return sum(
            (a > b) + 0.5 * (a == b) for a in answered_confidences for b in unanswered_confidences
        ) / max(1, pairs)


def read_questions(file: Path) -> tuple[RecallQuestion, ...]:
    """Read the questions; every other one of each kind was held out."""
    question_counts = Counter[str]()
    questions = []
    for line in file.read_text("utf-8").splitlines():
        question_json = json.loads(line)
        kind = question_json["kind"]
        half: Half = "held out" if question_counts[kind] % 2 else "tuned"
        question_counts[kind] += 1
        turns, old = tuple(question_json["turns"]), tuple(question_json.get("old", ()))
        questions.append(
            RecallQuestion(question_json["id"], kind, question_json["question"], turns, old, half)
        )
    return tuple(questions)


async def measure(folder: Path, name: str = CAMPAIGN, vectors_file: Path | None = None) -> RecallResults:
    """Ask every question of a set in every way."""
    questions = await asyncio.to_thread(read_questions, SETS[name] / "questions.jsonl")
    answered_questions: list[AnsweredQuestion] = []
    async with open_indexed(folder, SETS[name] / "log.jsonl", vectors_file) as question_library:
        names = {turn.id: ref for ref, turn in question_library.turns.items()}
        ways = (WORDS, MEANING, FUSED, GRAPH)
        answered_questions += [
            await _ask(question_library, question, way, names) for question in questions for way in ways
        ]
        canon = SETS[name] / "canon.jsonl"
        if canon.exists():
            await commit_canon(
                question_library.stores, question_library.universe_id, canon, question_library.turns
            )
            await index_canon(question_library.stores, question_library.universe_id, question_library.meaning)
            answered_questions += [
                await _ask(question_library, question, CANON, names) for question in questions
            ]
    return RecallResults(tuple(answered_questions))


async def _ask(
    question_library: QuestionLibrary, question: RecallQuestion, way: str, names: dict[Id, str]
) -> AnsweredQuestion:
    if way in (GRAPH, CANON):
        role, stores = Role.CONTEXT_ASSEMBLY, question_library.stores
        recall = HybridSearch(
            stores.canon(role),
            stores.log(role),
            stores.words(role),
            stores.vectors(role),
            question_library.meaning,
        )
        findings = await recall.search(
            "turns", question.text, SearchScope(question_library.universe_id), k=DEEP
        )
        turn_refs = tuple(names[one.id] for one in findings.hits)
        return AnsweredQuestion(question, way, turn_refs, findings.confidence)
    lists = {}
    if way != MEANING:
        lists[WORDS] = normalise_scores(await _search_words(question_library, question.text))
    if way != WORDS:
        lists[MEANING] = normalise_scores(await _search_meaning(question_library, question.text))
    by = fuse_scores(lists, {WORDS: WEIGHTS.words, MEANING: WEIGHTS.meaning})
    return AnsweredQuestion(question, way, tuple(names[id] for id in rank_ids(by)))


async def _search_words(question_library: QuestionLibrary, text: str) -> list[tuple[Id, float]]:
    words = question_library.stores.words(Role.CONTEXT_ASSEMBLY)
    hits = await words.search("turns", text, k=POOL_SIZE, scope={"universe": question_library.universe_id})
    return [(hit.id, hit.score) for hit in hits]


async def _search_meaning(question_library: QuestionLibrary, text: str) -> list[tuple[Id, float]]:
    (embedding,) = await question_library.meaning.embed([text])
    hits = await question_library.stores.vectors(Role.CONTEXT_ASSEMBLY).search(
        "turns",
        embedding.vector,
        model=question_library.meaning.model,
        k=POOL_SIZE,
        scope={"universe": question_library.universe_id},
    )
    return [(hit.id, hit.score) for hit in hits]


# --- as a table ----------------------------------------------------------------------------------------


def format_table(results: RecallResults) -> str:
    """Return the figures as lines; shares in percent."""
    kinds = list(dict.fromkeys(a.question.kind for a in results.answered_questions if a.question.turns))
    lines = [f"{'':<28}{'recall at 5':>12}{'at 10':>8}{'at 20':>8}{'MRR':>8}{'questions':>11}"]
    for way in results.ways:
        lines.append(_line(f"{way}, all", results.figures_of(way)))
        lines += [_line(f"  {kind}", results.figures_of(way, kind)) for kind in kinds]
        halves: tuple[Half, ...] = ("tuned", "held out")
        lines += [_line(f"  ({half})", results.figures_of(way, half=half)) for half in halves]
    points_ahead = 100 * (results.figures_of(GRAPH).recall[1] - results.figures_of(WORDS).recall[1])
    lines += ["", f"{GRAPH} ahead of words alone, at 10: {points_ahead:.1f} points"]
    lines.append("the current value above the old:")
    for way in results.ways:
        held_out_percent = 100 * results.current_first_share(way, "held out")
        lines.append(
            f"  {way:<10}{100 * results.current_first_share(way):5.0f} %  (held out: {held_out_percent:.0f} %)"
        )
    if set(kinds) & SEVERAL_TURNS_KINDS:
        lines.append("all turns of a question of several, in 10 and in 30:")
        lines += [
            f"  {way:<10}" + "".join(f"{100 * results.complete_share(way, k):5.0f} %" for k in (10, 30))
            for way in results.ways
        ]
    lines.append("confidence tells what has an answer from what has none (0.5: not at all):")
    lines += [
        f"  {way:<10}{results.confidence_separation(way):6.2f}"
        for way in (GRAPH, CANON)
        if way in results.ways
    ]
    return "\n".join(lines)


def _line(name: str, figures: RecallFigures) -> str:
    shares = "".join(f"{100 * share:>{12 if n == 0 else 8}.1f}" for n, share in enumerate(figures.recall))
    return f"{name:<28}{shares}{figures.mrr:>8.3f}{figures.count:>11}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; all of them")
    for name in parser.parse_args().sets or SETS:
        with tempfile.TemporaryDirectory(prefix="monitor-recall-") as folder:
            print(f"# {name}\n\n{format_table(asyncio.run(measure(Path(folder), name)))}\n")


if __name__ == "__main__":
    main()
