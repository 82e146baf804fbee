"""The whole table of contradictions, judged on a real library.

`pytest -s tests/agents/canon_keeper/test_contradiction_cases.py` prints precision and recall by rule.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from stores.embedded.library import open_library
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.contradiction_cases import CASES, PEOPLE, Case

MUST_CATCH, MUST_NOT = 42, 24


async def judged(case: Case, path: Path) -> tuple[str, ...]:
    """Return the rules that the case's last proposal meets."""
    db = await open_library(path)
    try:
        keeper_library = KeeperLibrary(db)
        await keeper_library.lay(*case.canon, entities=PEOPLE)
        if case.before:
            before = await keeper_library.stage(*case.before)
            result = await keeper_library.keeper.commit(
                before, reason="before", scene=await keeper_library.scene()
            )
            assert result.accepted_count == len(before)
        judgement = (await keeper_library.keeper.assess(case.proposals))[case.proposals[-1].id]
        return tuple(conflict.check_name for conflict in judgement.conflicts)
    finally:
        await db.close()


@pytest.mark.slow
async def test_contradiction_all_is_caught_and_nothing_innocent(tmp_path: Path) -> None:
    caught: Counter[str] = Counter()
    wrong: list[str] = []
    alarms = missed = 0
    for number, case in enumerate(CASES):
        rules = await judged(case, tmp_path / f"{number}.db")
        if case.rule:
            caught[case.rule] += case.rule in rules
            missed += case.rule not in rules
        alarms += any(rule != case.rule for rule in rules)
        if set(rules) != ({case.rule} if case.rule else set()):
            wrong.append(
                f"{case.name}: {case.rule or 'innocent'}, and it met {', '.join(rules) or 'nothing'}"
            )
    guilty = sum(bool(case.rule) for case in CASES)
    hits = guilty - missed
    precision, recall = hits / max(hits + alarms, 1), hits / guilty
    print(f"\n{len(CASES)} cases: {guilty} to be caught, {len(CASES) - guilty} innocent")
    for rule, count in sorted(caught.items()):
        print(f"  {rule:22} {count:3}")
    print(f"  precision {precision:.3f}   recall {recall:.3f}")
    assert wrong == []
    assert (precision, recall) == (1.0, 1.0)


def test_contradiction_table_is_large_enough_and_names_each_case_once() -> None:
    guilty = [case for case in CASES if case.rule]
    assert len(guilty) >= MUST_CATCH
    assert len(CASES) - len(guilty) >= MUST_NOT
    for some in (guilty, [case for case in CASES if not case.rule]):
        assert max(Counter(case.name for case in some).values()) <= 2
