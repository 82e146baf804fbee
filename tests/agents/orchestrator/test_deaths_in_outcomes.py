"""A death that an outcome or a fact tells among other things is a death; one that canon has as a lie is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.views.conflict_views import RulingRequest
from agents.views.query_views import AnswerStanding
from monitor_tui.compose import Program
from stores.authority import Role
from stores.queries import MemoryQuery
from stores.records.canon import Standing
from stores.records.ids import Id
from tests.program import begin, opened


async def say(program: Program, scene_id: Id, *lines: str) -> list[str]:
    replies = [(await program.services.play.submit(scene_id, line)).lines for line in lines]
    return [line for reply in replies for line in reply]


async def universe_of(program: Program, scene_id: Id) -> Id:
    return (await program.stores.log(Role.INDEXER).scene(scene_id)).universe_id


async def test_death_in_an_outcome_of_two_is_in_canon_and_closes_the_row_that_said_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program,
            scene_id,
            "/npc Bran Tull: the steward",
            "/npc here Lady Isolde Marr: a lady of the hall",
            "> Bran Tull drinks the soup and dies at the table.",
            "/end Bran Tull died and Lady Marr was arrested",
        )
        report = await program.services.gate.commit(scene_id)
        assert report.left_open.describe() == ""
        universe_id = await universe_of(program, scene_id)
        answer = await program.services.query.answer_question(
            "Is Bran Tull dead?", universe_id=universe_id, in_words=False
        )
        assert answer.standing is AnswerStanding.CANON
        assert answer.findings[0].text == "Bran Tull died."
        rows = await program.services.characters.list_characters(universe_id)
        assert [row.entity.name for row in rows if row.is_dead] == ["Bran Tull"]


@pytest.mark.parametrize(
    ("line", "dead"),
    [
        ("/fact Grue was killed and the mill burned", ["Grue"]),
        ("/fact Bran and Grue died in the fire", ["Bran", "Grue"]),
        ("/fact Bran fled, and Grue lies dead in the yard", ["Grue"]),
        ("/fact Bran did not die and Grue fled", []),
        ("/fact If Bran dies, Grue will flee", []),
    ],
)
async def test_fact_that_tells_a_death_among_other_things(tmp_path: Path, line: str, dead: list[str]) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/npc Bran: the steward", "/npc Grue: a hired knife", line, "/commit")
        rows = await program.services.characters.list_characters(await universe_of(program, scene_id))
        assert [row.entity.name for row in rows if row.is_dead] == dead


async def test_outcome_that_tells_a_death_does_not_forbid_it(tmp_path: Path) -> None:
    """`The dead do not act` was said of the very words by which he dies, once they were canon."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program,
            scene_id,
            "/npc Bran Tull: the steward",
            "/npc Lady Marr: a lady",
            "/fact Bran Tull drank the wine, cursed Lady Marr and died",
        )
        (event, *_) = [
            row for row in (await program.services.gate.gate(scene_id)).proposals if "wine" in row.title
        ]
        await program.services.gate.commit(scene_id, [event.proposal.id])
        lines = await say(program, scene_id, "/fact Bran Tull is dead")
        assert not [line for line in lines if "dead do not act" in line]
        rows = (await program.services.gate.gate(scene_id)).proposals
        assert not [row.title for row in rows if row.conflicts]


async def test_somebody_whose_death_is_a_lie_lives_and_remembers(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(
            program,
            scene_id,
            "/npc Emmet Crane: a carrier",
            "/fact Emmet Crane died at Michaelmas",
            "/commit",
            "/fact Emmet Crane is not dead",
        )
        rows = (await program.services.gate.gate(scene_id)).proposals
        claim = next(row for row in rows if "not dead" in row.title)
        await program.services.conflicts.make_ruling(
            RulingRequest(claim.proposal.id, None, "both", yielding="old", standing=Standing.LIE)
        )
        universe_id = await universe_of(program, scene_id)
        characters = await program.services.characters.list_characters(universe_id)
        assert not [row.entity.name for row in characters if row.is_dead]
        lines = await say(
            program,
            scene_id,
            "/cast + Emmet Crane",
            "I promise Emmet to bring the letter back.",
            "> Emmet nods.",
        )
        assert lines[0] == "Emmet Crane comes in."
        assert not [line for line in lines if "is dead" in line]
        await program.services.jobs.wait_until_idle()
        emmet = next(row.entity for row in characters if row.entity.name == "Emmet Crane")
        memories = await program.stores.log(Role.INDEXER).memories(MemoryQuery(entity_id=emmet.id))
        assert any("letter" in memory.text for memory in memories)
