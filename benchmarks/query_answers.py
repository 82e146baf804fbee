"""Measures whether an answer's standing is earned (`python -m benchmarks.query_answers`).

The questions of `benchmarks/query_set` are of the sample world (30 that it answers and 20 with a false premise) and
of two campaigns written blind (`tests/long_campaign/data`, 159 and 81; `played`, 200 and 100), which are played and
committed first, without a model.
Those of the caravan (102 and 80), the ferry (30 and 10), the ring (60 and 30), the post (80 and 40), the dam
(60 and 30) and the recall sets are asked of their imported logs.
Without `--meaning` everything is searched by words and graph alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from agents.importers.import_views import ImportRequest
from agents.views.query_views import Answer, AnswerStanding
from benchmarks.recall import SETS
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.records.ids import Id
from tests.long_campaign.blind_playing import play_blind_campaign
from tests.long_campaign.blind_script import DATA, read_blind_script

HERE: Final = Path(__file__).parent
QUERY_LOGS: Final = {name: HERE / "query_set" / name for name in ("caravan", "ferry", "ring", "post", "dam")}
PLAYED: Final = HERE / "query_set" / "played"

Measure = Callable[[Path], Coroutine[object, object, tuple[list["AnswerQuestion"], list[Answer]]]]
"""Asks the questions of a set, in a new library at the path."""


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    text: str
    quotes: tuple[str, ...]
    """Of which an answering finding contains one; empty: nothing on record answers."""
    kind: str = ""


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
    return any(
        quote.casefold() in f"{finding.text} {finding.quote}".casefold()
        for finding in answer.findings
        for quote in question.quotes
    )


async def _ask_all(program: Program, universe_id: Id, questions: Sequence[AnswerQuestion]) -> list[Answer]:
    await program.services.jobs.wait_until_idle(universe_id)
    return [
        await program.services.query.answer_question(question.text, universe_id=universe_id, in_words=False)
        for question in questions
    ]


async def _read_questions(file_name: str) -> list[AnswerQuestion]:
    lines = (await asyncio.to_thread((HERE / "query_set" / file_name).read_text, "utf-8")).splitlines()
    return [
        AnswerQuestion(q["question"], tuple(q["answer"]), q.get("kind", "")) for q in map(json.loads, lines)
    ]


async def _measure_sample(home: Path) -> tuple[list[AnswerQuestion], list[Answer]]:
    questions = await _read_questions("questions.jsonl")
    program = await open_program(home, mode=BackgroundMode.QUERY)
    try:
        universe = await program.services.stories.add_sample()
        return questions, await _ask_all(program, universe.id, questions)
    finally:
        await program.close()


async def _measure_played(
    script_path: Path, questions_name: str, home: Path
) -> tuple[list[AnswerQuestion], list[Answer]]:
    questions = await _read_questions(questions_name)
    run = await play_blind_campaign(home, read_blind_script(script_path))
    program = await open_program(home, mode=BackgroundMode.QUERY)
    try:
        return questions, await _ask_all(program, run.universe_id, questions)
    finally:
        await program.close()


async def _measure_log(folder: Path, home: Path) -> tuple[list[AnswerQuestion], list[Answer]]:
    log = await asyncio.to_thread((folder / "log.jsonl").read_bytes)
    texts_by_ref = {turn["turn"]: turn["text"] for turn in map(json.loads, log.decode().splitlines())}
    lines = (await asyncio.to_thread((folder / "questions.jsonl").read_text, "utf-8")).splitlines()
    questions = [
        AnswerQuestion(q["question"], tuple(texts_by_ref[ref][:120] for ref in q["turns"]), q["kind"])
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
    measures: dict[str, Measure] = {
        "sample": _measure_sample,
        "orrendale": partial(_measure_played, DATA, "orrendale.jsonl"),
        "played": partial(_measure_played, PLAYED / "campaign.yaml", "played/questions.jsonl"),
        **{name: partial(_measure_log, folder) for name, folder in {**QUERY_LOGS, **SETS}.items()},
    }
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(measures)}; all of them")
    parser.add_argument("--show", action="store_true", help="Print each question that is answered wrongly.")
    parser.add_argument(
        "--meaning", action="store_true", help="Search by meaning, too, with the built-in model."
    )
    arguments = parser.parse_args()
    shows_questions = arguments.show
    if not arguments.meaning:
        os.environ["MONITOR_EMBEDDING_MODEL"] = "none"
    for name in arguments.sets or measures:
        measure = measures[name]
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
