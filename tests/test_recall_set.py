"""The measuring set of `benchmarks/recall_set`: what it asks can be answered from the turns it names."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict
from datetime import datetime
from typing import Any

import pytest

from agents.importers.log_reading import read_log
from agents.world_time.log_times import format_day
from benchmarks.recall import CAMPAIGN, SETS
from benchmarks.recall_set.build import KINDS, LOG, QUESTIONS, read_campaign, read_questions

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def turns() -> Rows:
    return [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def questions() -> Rows:
    return [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def test_recall_set_it_is_as_large_as_it_has_to_be_and_says_nothing_twice(
    turns: Rows, questions: Rows
) -> None:
    assert len(turns) >= 1_500
    assert len(questions) >= 160
    counted = Counter(question["kind"] for question in questions)
    assert {kind: counted[kind] >= 20 for kind in KINDS} == dict.fromkeys(KINDS, True)
    for rows, field in ((turns, "turn"), (turns, "text"), (questions, "id"), (questions, "question")):
        assert [value for value, times in Counter(row[field] for row in rows).items() if times > 1] == []


def test_recall_set_it_is_what_the_campaign_as_written_makes(turns: Rows, questions: Rows) -> None:
    built, labels = read_campaign()
    assert [asdict(turn) for turn in built] == turns
    assert [asdict(question) for question in read_questions(labels)] == questions


def test_recall_set_every_answer_is_borne_out_by_the_turns_named_for_it(turns: Rows, questions: Rows) -> None:
    there = {turn["turn"]: turn for turn in turns}
    bare = []
    for question in questions:
        assert {*question["turns"], *question["old"]} <= there.keys()
        assert not set(question["turns"]) & set(question["old"])
        assert bool(question["old"]) == (question["kind"] == "changed")
        if question["kind"] == "unanswerable":
            assert not question["turns"]
            continue
        told = [there[turn] for turn in question["turns"]]
        days = [format_day(datetime.fromisoformat(turn["time"])) for turn in told]
        support = words(" ".join([*(f"{turn['speaker']} {turn['text']}" for turn in told), *days]))
        wanted = words(question["answer"])
        if 2 * len(wanted & support) < len(wanted):
            bare.append((question["id"], question["answer"]))
    assert bare == []


def test_most_questions_are_not_put_in_the_words_of_their_turns(turns: Rows, questions: Rows) -> None:
    there = {turn["turn"]: turn["text"] for turn in turns}
    shares = [
        len(words(q["question"]) & words(" ".join(there[t] for t in q["turns"]))) / len(words(q["question"]))
        for q in questions
        if q["turns"]
    ]
    assert sum(share <= 0.5 for share in shares) / len(shares) >= 0.75


def test_recall_set_log_can_be_imported_as_it_is() -> None:
    log = read_log(LOG.read_bytes(), hero="Tamsin")
    assert log.problems == ()
    assert [entry.ref for entry in log.entries] == [turn.turn for turn in read_campaign()[0]]


def words(text: str) -> set[str]:
    """The longer words of a text, cut to their stems."""
    return {word[:5] for word in re.findall(r"[a-z]+", text.casefold()) if len(word) > 3}


@pytest.mark.parametrize("name", [name for name in SETS if name != CAMPAIGN])
def test_recall_set_other_sets_are_whole(name: str) -> None:
    turns, questions = (
        [json.loads(line) for line in (SETS[name] / file).read_text(encoding="utf-8").splitlines()]
        for file in ("log.jsonl", "questions.jsonl")
    )
    there = {turn["turn"] for turn in turns if turn["role"] != "ooc"}
    for rows, field in ((turns, "turn"), (turns, "text"), (questions, "id"), (questions, "question")):
        assert [value for value, times in Counter(row[field] for row in rows).items() if times > 1] == []
    for question in questions:
        assert {*question["turns"], *question["old"]} <= there
        assert not set(question["turns"]) & set(question["old"])
        assert bool(question["turns"]) != (question["kind"] == "unanswerable")
        assert not question["old"] or question["kind"] == "changed"
    assert read_log((SETS[name] / "log.jsonl").read_bytes()).problems == ()
