"""`python -m benchmarks.recall`: how well turns are found again, on the measuring sets, as tables.

Each log of `benchmarks/recall_set` is brought in and indexed as any log is; its questions are asked by words
alone, by meaning alone, by both fused, and with the graph on top: without canon, as an imported log has none,
and (the campaign) with the canon that its gate would have taken (`canon.jsonl`). Weights were chosen on every
other question of each kind; the others were held out, and are shown apart. How the figures stand to each
other is asserted in `tests/agents/context_assembly/test_recall_set.py`.
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
from benchmarks.recall_library import Asking, index_canon, indexed, take_canon
from stores.authority import Role
from stores.records.ids import Id

HERE: Final = Path(__file__).parent / "recall_set"
CAMPAIGN: Final = "campaign"
SETS: Final = {CAMPAIGN: HERE, "friends": HERE / "friends", "tavern": HERE / "tavern"}
"""The measuring sets, by what they are called, with where they lie."""
AT: Final = (5, 10, 20)
DEEP: Final = 300
"""How far down is looked for the old and the current value."""

WORDS, MEANING, FUSED, GRAPH, CANON = "words", "meaning", "fused", "+ graph", "+ canon"
Half = Literal["tuned", "held out"]


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    kind: str
    text: str
    turns: tuple[str, ...]
    old: tuple[str, ...]
    half: Half


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was answered one way: `found` are turns, best first, by what the log calls them;
    `confidence` how near the best came."""

    question: Question
    way: str
    found: tuple[str, ...]
    confidence: float = 0.0

    def recall(self, k: int) -> float:
        """Return the share of the turns that answer which are among the first `k`."""
        return sum(turn in self.found[:k] for turn in self.question.turns) / len(self.question.turns)

    @property
    def reciprocal(self) -> float:
        """One by the place of the first turn that answers."""
        places = [n for n, turn in enumerate(self.found, 1) if turn in self.question.turns]
        return 1 / places[0] if places else 0.0

    @property
    def current_first(self) -> bool:
        """Whether the current value stands above the old; what was not found stands below what was, and if
        neither was, it does not."""
        return self._first(self.question.turns) < self._first(self.question.old)

    def _first(self, turns: Sequence[str]) -> int:
        return min((n for n, turn in enumerate(self.found) if turn in turns), default=len(self.found))


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares of 1, but for `count`."""

    recall: tuple[float, ...]
    mrr: float
    count: int


@dataclass(frozen=True, slots=True)
class Results:
    asked: tuple[Asked, ...]

    @property
    def ways(self) -> list[str]:
        """Return the ways that were gone, in their order."""
        return list(dict.fromkeys(asked.way for asked in self.asked))

    def of(self, way: str, kind: str = "", half: Half | None = None) -> Figures:
        """Return the figures of the questions that have an answer (of one kind, of one half)."""
        those = [
            a
            for a in self.asked
            if a.way == way
            and a.question.turns
            and kind in ("", a.question.kind)
            and half in (None, a.question.half)
        ]
        count = max(1, len(those))
        recall = tuple(sum(a.recall(k) for a in those) / count for k in AT)
        return Figures(recall, sum(a.reciprocal for a in those) / count, len(those))

    def current_first(self, way: str, half: Half | None = None) -> float:
        """Return the share of changed facts whose current value stands above the old."""
        those = [
            a
            for a in self.asked
            if a.way == way and a.question.kind == "changed" and half in (None, a.question.half)
        ]
        return sum(a.current_first for a in those) / max(1, len(those))

    def apart(self, way: str) -> float:
        """Return how well confidence tells questions with an answer from those without: how often one with
        an answer has more than one without (0.5: not at all)."""
        with_, without = (
            [a.confidence for a in self.asked if a.way == way and bool(a.question.turns) is answered]
            for answered in (True, False)
        )
        pairs = len(with_) * len(without)
        return sum((a > b) + 0.5 * (a == b) for a in with_ for b in without) / max(1, pairs)


def read_questions(file: Path) -> tuple[Question, ...]:
    """Read the questions; every other one of each kind was held out."""
    seen = Counter[str]()
    found = []
    for line in file.read_text("utf-8").splitlines():
        held = json.loads(line)
        kind = held["kind"]
        half: Half = "held out" if seen[kind] % 2 else "tuned"
        seen[kind] += 1
        turns, old = tuple(held["turns"]), tuple(held.get("old", ()))
        found.append(Question(held["id"], kind, held["question"], turns, old, half))
    return tuple(found)


async def measured(folder: Path, name: str = CAMPAIGN, kept: Path | None = None) -> Results:
    """Ask every question of a set every way. `kept` is where vectors are kept between runs."""
    questions = await asyncio.to_thread(read_questions, SETS[name] / "questions.jsonl")
    asked: list[Asked] = []
    async with indexed(folder, SETS[name] / "log.jsonl", kept) as asking:
        names = {turn.id: ref for ref, turn in asking.turns.items()}
        ways = (WORDS, MEANING, FUSED, GRAPH)
        asked += [await _ask(asking, question, way, names) for question in questions for way in ways]
        canon = SETS[name] / "canon.jsonl"
        if canon.exists():
            await take_canon(asking.stores, asking.universe_id, canon, asking.turns)
            await index_canon(asking.stores, asking.universe_id, asking.meaning)
            asked += [await _ask(asking, question, CANON, names) for question in questions]
    return Results(tuple(asked))


async def _ask(asking: Asking, question: Question, way: str, names: dict[Id, str]) -> Asked:
    if way in (GRAPH, CANON):
        role, stores = Role.CONTEXT_ASSEMBLY, asking.stores
        recall = HybridSearch(
            stores.canon(role), stores.log(role), stores.words(role), stores.vectors(role), asking.meaning
        )
        findings = await recall.search("turns", question.text, SearchScope(asking.universe_id), k=DEEP)
        found = tuple(names[one.id] for one in findings.hits)
        return Asked(question, way, found, findings.confidence)
    lists = {}
    if way != MEANING:
        lists[WORDS] = normalise_scores(await _by_words(asking, question.text))
    if way != WORDS:
        lists[MEANING] = normalise_scores(await _by_meaning(asking, question.text))
    by = fuse_scores(lists, {WORDS: WEIGHTS.words, MEANING: WEIGHTS.meaning})
    return Asked(question, way, tuple(names[id] for id in rank_ids(by)))


async def _by_words(asking: Asking, text: str) -> list[tuple[Id, float]]:
    words = asking.stores.words(Role.CONTEXT_ASSEMBLY)
    hits = await words.search("turns", text, k=POOL_SIZE, scope={"universe": asking.universe_id})
    return [(hit.id, hit.score) for hit in hits]


async def _by_meaning(asking: Asking, text: str) -> list[tuple[Id, float]]:
    (vector,) = await asking.meaning.embed([text])
    hits = await asking.stores.vectors(Role.CONTEXT_ASSEMBLY).search(
        "turns", vector, model=asking.meaning.model, k=POOL_SIZE, scope={"universe": asking.universe_id}
    )
    return [(hit.id, hit.score) for hit in hits]


# --- as a table ----------------------------------------------------------------------------------------


def table(results: Results) -> str:
    """Return the figures as lines; shares in percent."""
    kinds = list(dict.fromkeys(a.question.kind for a in results.asked if a.question.turns))
    lines = [f"{'':<28}{'recall at 5':>12}{'at 10':>8}{'at 20':>8}{'MRR':>8}{'questions':>11}"]
    for way in results.ways:
        lines.append(_line(f"{way}, all", results.of(way)))
        lines += [_line(f"  {kind}", results.of(way, kind)) for kind in kinds]
        halves: tuple[Half, ...] = ("tuned", "held out")
        lines += [_line(f"  ({half})", results.of(way, half=half)) for half in halves]
    ahead = 100 * (results.of(GRAPH).recall[1] - results.of(WORDS).recall[1])
    lines += ["", f"{GRAPH} ahead of words alone, at 10: {ahead:.1f} points"]
    lines.append("the current value above the old:")
    for way in results.ways:
        held = 100 * results.current_first(way, "held out")
        lines.append(f"  {way:<10}{100 * results.current_first(way):5.0f} %  (held out: {held:.0f} %)")
    lines.append("confidence tells what has an answer from what has none (0.5: not at all):")
    lines += [f"  {way:<10}{results.apart(way):6.2f}" for way in (GRAPH, CANON) if way in results.ways]
    return "\n".join(lines)


def _line(name: str, figures: Figures) -> str:
    shares = "".join(f"{100 * share:>{12 if n == 0 else 8}.1f}" for n, share in enumerate(figures.recall))
    return f"{name:<28}{shares}{figures.mrr:>8.3f}{figures.count:>11}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; all of them")
    for name in parser.parse_args().sets or SETS:
        with tempfile.TemporaryDirectory(prefix="monitor-recall-") as folder:
            print(f"# {name}\n\n{table(asyncio.run(measured(Path(folder), name)))}\n")


if __name__ == "__main__":
    main()
