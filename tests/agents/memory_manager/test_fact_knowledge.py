"""Tests of who knows what, played in a real program.

`pytest -s tests/agents/memory_manager/test_fact_knowledge.py` prints how many cases of each kind are right.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from agents.memory_manager.fact_knowledge import FactKnowledge
from agents.memory_manager.memory_importance import MIN_TURN_IMPORTANCE
from stores.records.memory import MemoryOrigin
from tests.agents.memory_manager.knowledge_cases import PLAYS, KnowledgeCase, PlayedScenes, knowledge_cases
from tests.agents.memory_manager.memory_session import MemorySession, start_memory_session
from tests.program import opened

pytestmark = pytest.mark.slow

DAY = 24 * 60
MIN_SHARE_RIGHT = 0.95


def describe_knowledge(fact_knowledge: FactKnowledge | None, names_by_id: dict[str, str]) -> tuple[str, str]:
    """Return how somebody stands to a fact, in the words of the cases, and who told them."""
    if fact_knowledge is None:
        return "missed", ""
    teller = names_by_id.get(fact_knowledge.told_by or "", "")
    if fact_knowledge.is_mistaken:
        return "wrong", teller
    if fact_knowledge.is_forgotten:
        return "forgot", ""
    words = {MemoryOrigin.SAW: "saw", MemoryOrigin.TOLD: "told", MemoryOrigin.INFERRED: "found"}
    return words[fact_knowledge.how], teller


async def play_cases(
    session: MemorySession, play: PlayedScenes, cases: list[KnowledgeCase]
) -> list[tuple[KnowledgeCase, str, str]]:
    """Play the scenes; returns each case with the actual knowledge and teller."""
    await session.play(*play.lines)
    scenes = await session.log.scenes((await session.log.scene(session.scene_id)).story_id)
    await session.remember(*(scene.id for scene in scenes))
    ids_by_name = await session.ids_by_name()
    names_by_id = {entity_id: name for name, entity_id in ids_by_name.items()}
    latest_tick = await session.knowledge.read_latest_tick(await session.universe_id())
    now_tick = latest_tick + play.days_later * DAY
    answers = []
    for case in cases:
        fact_id = await session.fact_id(case.statement)
        knowers = {k.entity_id: k for k in await session.knowledge.find_who_knows(fact_id, now_tick)}
        answers.append((case, *describe_knowledge(knowers.get(ids_by_name[case.knower]), names_by_id)))
    return answers


async def test_fact_knowledge_is_what_each_lived_and_nothing_else(tmp_path: Path) -> None:
    right_counts: Counter[str] = Counter()
    case_counts: Counter[str] = Counter()
    wrong_cases = []
    async with opened(tmp_path) as program:
        for play in PLAYS:
            cases = [case for case in knowledge_cases() if case.play_name == play.name]
            session = await start_memory_session(program, play.name)
            for case, knowledge, teller in await play_cases(session, play, cases):
                case_counts[case.knowledge] += 1
                if (knowledge, teller) == (case.knowledge, case.teller):
                    right_counts[case.knowledge] += 1
                else:
                    wrong_cases.append(
                        f"{play.name}: {case.knower} of {case.statement!r}: {knowledge} {teller}, "
                        f"not {case.knowledge}"
                    )
    print(f"\n{case_counts.total()} cases")
    for knowledge, count in case_counts.items():
        right_count = right_counts[knowledge]
        print(f"  {knowledge:8} {right_count:3} of {count:3}   {right_count / count:.0%}")
    assert not wrong_cases, "\n".join(wrong_cases)
    assert min(right_counts[kind] / case_counts[kind] for kind in ("saw", "missed")) >= MIN_SHARE_RIGHT


def test_fact_knowledge_cases_are_many_enough() -> None:
    kinds = Counter(case.knowledge for case in knowledge_cases())
    assert kinds.total() >= 100
    assert min(kinds[kind] for kind in ("saw", "missed", "told", "wrong", "forgot")) >= 5
    assert MIN_TURN_IMPORTANCE > 0
