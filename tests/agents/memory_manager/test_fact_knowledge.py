"""The whole table of who knows what, played at a real desk.

`pytest -s tests/agents/memory_manager/test_who_knows.py` prints how much of each kind is right.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from agents.memory_manager.fact_knowledge import FactKnowledge
from agents.memory_manager.memory_importance import MIN_TURN_IMPORTANCE
from stores.records.memory import MemoryOrigin
from tests.agents.memory_manager.knowledge_cases import PLAYS, Case, Play, cases
from tests.agents.memory_manager.memory_play import Remembering, sit_down
from tests.program import opened

pytestmark = pytest.mark.slow

DAY = 24 * 60
MUST = 0.95


def how_it_is(knows: FactKnowledge | None, names: dict[str, str]) -> tuple[str, str]:
    """Return how somebody stands to a fact in the table's words, and from whom they have it."""
    if knows is None:
        return "missed", ""
    whom = names.get(knows.told_by or "", "")
    if knows.is_mistaken:
        return "wrong", whom
    if knows.is_forgotten:
        return "forgot", ""
    word = {MemoryOrigin.SAW: "saw", MemoryOrigin.TOLD: "told", MemoryOrigin.INFERRED: "found"}[knows.how]
    return word, whom


async def answers(remembering: Remembering, play: Play, wanted: list[Case]) -> list[tuple[Case, str, str]]:
    await remembering.play(*play.lines)
    scenes = await remembering.log.scenes((await remembering.log.scene(remembering.scene_id)).story_id)
    await remembering.remember(*(scene.id for scene in scenes))
    everyone = await remembering.everyone()
    names = {entity_id: name for name, entity_id in everyone.items()}
    now = await remembering.knowledge.read_latest_tick(await remembering.universe()) + play.later * DAY
    found = []
    for case in wanted:
        rows = {
            k.entity_id: k
            for k in await remembering.knowledge.find_who_knows(await remembering.fact(case.fact), now)
        }
        found.append((case, *how_it_is(rows.get(everyone[case.who]), names)))
    return found


async def test_fact_knowledge_is_what_each_lived_and_nothing_else(tmp_path: Path) -> None:
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    wrong = []
    async with opened(tmp_path) as program:
        for play in PLAYS:
            wanted = [case for case in cases() if case.play == play.name]
            remembering = await sit_down(program, play.name)
            for case, what, whom in await answers(remembering, play, wanted):
                asked[case.what] += 1
                if (what, whom) == (case.what, case.whom):
                    right[case.what] += 1
                else:
                    wrong.append(f"{play.name}: {case.who} of {case.fact!r}: {what} {whom}, not {case.what}")
    print(f"\n{asked.total()} cases")
    for what, count in asked.items():
        print(f"  {what:8} {right[what]:3} of {count:3}   {right[what] / count:.0%}")
    assert not wrong, "\n".join(wrong)
    assert min(right[what] / asked[what] for what in ("saw", "missed")) >= MUST


def test_fact_knowledge_cases_are_many_enough() -> None:
    kinds = Counter(case.what for case in cases())
    assert kinds.total() >= 100
    assert min(kinds[what] for what in ("saw", "missed", "told", "wrong", "forgot")) >= 5
    assert MIN_TURN_IMPORTANCE > 0
