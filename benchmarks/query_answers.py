"""Measures whether an answer's standing is earned (`python -m benchmarks.query_answers`).

The questions of `benchmarks/query_set` were written before the answering code was read: 30 that the sample world
answers, and 20 with a false premise. Those of two recall sets, the campaign and the winter, are asked of their imported
logs. Everything is searched by words and graph alone, without a model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from agents.importers.import_views import ImportRequest
from agents.views.query_views import Answer, AnswerStanding
from benchmarks.recall import CAMPAIGN, SETS
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.records.ids import Id

HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    text: str
    quotes: tuple[str, ...]
    """What an answering finding contains, or the reference of its turn; empty: nothing on record answers."""


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """Shares of 1."""

    evidence_share: float
    """Of answerable questions: those with an answering finding."""
    unearned_share: float
    """Of all questions: those with a standing and no finding that answers."""
    unknown_share: float
    """Of questions that nothing answers: those whose answer is `unknown`."""


def measure_answers(questions: Sequence[AnswerQuestion], answers: Sequence[Answer]) -> AnswerFigures:
    """Return the figures of these answers, one for each question."""
    pairs = list(zip(questions, answers, strict=True))
    answerable = [(question, answer) for question, answer in pairs if question.quotes]
    unanswerable = [answer for question, answer in pairs if not question.quotes]
    return AnswerFigures(
        sum(_is_answered(question, answer) for question, answer in answerable) / max(1, len(answerable)),
        sum(
            answer.standing is not AnswerStanding.UNKNOWN and not _is_answered(question, answer)
            for question, answer in pairs
        )
        / max(1, len(pairs)),
        sum(answer.standing is AnswerStanding.UNKNOWN for answer in unanswerable) / max(1, len(unanswerable)),
    )


def _is_answered(question: AnswerQuestion, answer: Answer) -> bool:
    return any(quote in finding.text for finding in answer.findings for quote in question.quotes)


async def _ask_all(program: Program, universe_id: Id, questions: Sequence[AnswerQuestion]) -> list[Answer]:
    await program.services.jobs.wait_until_idle(universe_id)
    return [
        await program.services.query.answer_question(question.text, universe_id=universe_id, in_words=False)
        for question in questions
    ]


async def _measure_sample(home: Path) -> tuple[list[AnswerQuestion], list[Answer]]:
    lines = (await asyncio.to_thread((HERE / "query_set/questions.jsonl").read_text, "utf-8")).splitlines()
    questions = [AnswerQuestion(q["question"], tuple(q["answer"])) for q in map(json.loads, lines)]
    program = await open_program(home, mode=BackgroundMode.QUERY)
    try:
        universe = await program.services.stories.add_sample()
        return questions, await _ask_all(program, universe.id, questions)
    finally:
        await program.close()


async def _measure_log(folder: Path, home: Path) -> tuple[list[AnswerQuestion], list[Answer]]:
    log = await asyncio.to_thread((folder / "log.jsonl").read_bytes)
    texts_by_ref = {turn["turn"]: turn["text"] for turn in map(json.loads, log.decode().splitlines())}
    lines = (await asyncio.to_thread((folder / "questions.jsonl").read_text, "utf-8")).splitlines()
    questions = [
        AnswerQuestion(q["question"], tuple(texts_by_ref[ref][:120] for ref in q["turns"]))
        for q in map(json.loads, lines)
    ]
    program = await open_program(home, mode=BackgroundMode.QUERY)
    try:
        result = await program.services.imports.import_log(
            ImportRequest("log.jsonl", log, universe="Measured")
        )
        return questions, await _ask_all(program, result.universe_id, questions)
    finally:
        await program.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.query_answers", description=__doc__)
    parser.add_argument("--show", action="store_true", help="Print each question that is answered wrongly.")
    shows_questions = parser.parse_args().show
    os.environ["MONITOR_EMBEDDING_MODEL"] = "none"
    measures = {"sample world": _measure_sample} | {
        name: partial(_measure_log, SETS[name]) for name in (CAMPAIGN, "winter")
    }
    for name, measure in measures.items():
        with tempfile.TemporaryDirectory(prefix="monitor-query-") as folder:
            questions, answers = asyncio.run(measure(Path(folder)))
        figures = measure_answers(questions, answers)
        print(
            f"{name}: evidence among findings {figures.evidence_share:.0%}, standing without evidence "
            f"{figures.unearned_share:.0%}, unknown where nothing answers {figures.unknown_share:.0%}"
        )
        for question, answer in zip(questions, answers, strict=True) if shows_questions else ():
            is_wrong = (
                not _is_answered(question, answer)
                if question.quotes
                else answer.standing is not AnswerStanding.UNKNOWN
            )
            if is_wrong:
                print(f"  {'+' if question.quotes else '-'} {question.text}")
                for finding in answer.findings[:3]:
                    print(f"      {finding.standing}: {finding.text[:100]}")


if __name__ == "__main__":
    main()
