"""Tests where Query says that somebody is who has left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agents.services.findings.ranking import EARLIER_NOTE
from agents.views.query_views import AnswerStanding, QueryFinding
from tests.agents.orchestrator.asked_record import ask_record
from tests.program import begin, opened

SECRET = "Corm hides in the cellar of the Crooked Lamp."
GONE = "The next morning Corm is gone."
LINES = (
    "/npc here Lisbet Crane: a widow",
    "/npc Corm: a smith",
    "/place Crooked Lamp: an inn",
    "/accept all",
    "/commit",
    f"/secret Lisbet: {SECRET}",
    "/accept all",
    "/commit",
    "I go down to the cellar.",
    *(
        f"> Corm {verb} in the cellar."
        for verb in ("is", "sleeps", "sits", "waits", "stands", "lies", "rests")
    ),
)


async def _ask(folder: Path, lines: Sequence[str], question: str) -> tuple[QueryFinding, ...]:
    async with opened(folder) as program:
        services, scene_id = program.services, await begin(program)
        for line in (*LINES, *lines):
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()
        return (await ask_record(program, scene_id, question)).findings


@pytest.mark.parametrize("question", ["Where is Corm?", "Where did Corm go?"])
async def test_query_puts_the_line_by_which_somebody_left_before_where_they_were(
    tmp_path: Path, question: str
) -> None:
    since = ("I look for him.", *(f"> Lisbet speaks of Corm for the {n}th time." for n in range(4, 16)))
    first, second, *_ = await _ask(tmp_path, (f"> {GONE}", *since), question)
    assert (first.standing, first.quote) == (AnswerStanding.ON_RECORD, GONE)
    assert (second.standing, second.text.startswith(SECRET)) == (AnswerStanding.CANON, True)
    assert second.where.endswith(EARLIER_NOTE)


@pytest.mark.parametrize(
    "since",
    [
        ("> Corm sleeps in the cellar again.",),  # he came back
        ("/fact Corm hides in the mill", "/accept all", "/commit"),
        ("/cast + Corm",),
    ],
)
async def test_query_has_canon_first_where_something_later_says_where_they_are(
    tmp_path: Path, since: tuple[str, ...]
) -> None:
    first, *_ = await _ask(tmp_path, (f"> {GONE}", *since), "Where is Corm?")
    assert first.standing is AnswerStanding.CANON
    assert not first.where.endswith(EARLIER_NOTE)


async def test_query_takes_a_fear_for_no_departure(tmp_path: Path) -> None:
    first, *_ = await _ask(tmp_path, ("> Lisbet fears that Corm is gone.",), "Where is Corm?")
    assert first.text.startswith(SECRET)


async def test_query_still_has_where_i_am_by_canon_first(tmp_path: Path) -> None:
    lines = ("/fact Mara is in the Crooked Lamp", "/accept all", "/commit", "> Mara is gone before dawn.")
    first, *_ = await _ask(tmp_path, lines, "Where am I?")
    assert (first.standing, first.text) == (AnswerStanding.CANON, "Mara is in the Crooked Lamp.")
