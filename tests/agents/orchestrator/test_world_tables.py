"""Tables that became canon are rolled by /table in every story of their world.

Source: docs/ingest.md, "Tables to roll on".
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.proposals.proposals import ProposalSite, build_proposal
from agents.proposals.written_tables import TABLE_PREDICATE
from agents.story_outline import NewCharacter, StoryOutline
from monitor_tui.compose import Program
from stores.authority import Role
from stores.errors import InputError
from stores.records.canon import AssertFact, Authority, FactKind
from stores.records.ids import Id, derive_id
from stores.records.play import Resolution
from stores.records.workflow import Verdict
from tests.contract import builders as make
from tests.program import begin, opened

WEATHER = "Salt weather (2d6)\n2-6: fog off the water\n7: hard frost\n8-12: clear"


async def accept_table(program: Program, scene_id: Id, text: str) -> Id:
    """Have a table of a document accepted at the gate of its world; return the world."""
    universe_id = (await program.services.play.scene(scene_id)).universe.id
    change = AssertFact(fact_kind=FactKind.LORE, predicate=TABLE_PREDICATE, statement=text)
    proposal = build_proposal(
        derive_id("table", text), change, (), Authority.SOURCE, ProposalSite(universe_id), make.now()
    )
    await program.stores.log(Role.INGEST).stage([proposal])
    await program.services.gate.decide([proposal.id], Verdict.ACCEPT)
    await program.services.gate.commit_universe(universe_id)
    return universe_id


async def last_result(program: Program, scene_id: Id) -> Resolution:
    rows = await program.services.play.transcript(scene_id, 0, 100)
    return next(row.resolution for row in reversed(rows) if row.resolution is not None)


async def test_accepted_table_is_rolled_in_every_story_of_its_world(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play = program.services.play
        first_scene = await begin(program)
        universe_id = await accept_table(program, first_scene, WEATHER)
        outline = StoryOutline(universe_id, "Another", NewCharacter("Bela"), scene_title="Quay", place="Quay")
        second_scene = await program.services.stories.start_story(outline)
        for scene_id in (first_scene, second_scene):
            await play.submit(scene_id, "/table salt weather = 3 4")
            result = await last_result(program, scene_id)
            assert result.text.startswith("Salt weather · 2d6 7 · hard frost")
        elsewhere = await begin(program, name="Elsewhere")
        with pytest.raises(InputError, match="no table called 'salt weather'"):
            await play.submit(elsewhere, "/table salt weather")


async def test_table_alone_lists_every_table_and_those_at_fault(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        universe_id = await accept_table(program, scene_id, WEATHER)
        await accept_table(program, scene_id, "Broken (d4)\n1-2: x")
        lines = (await program.services.play.submit(scene_id, "/table")).lines
        assert "salt_weather: Salt weather, 2d6, 3 rows" in lines
        assert any("'Broken'" in line and "line 2: 3 is missing after it" in line for line in lines)
        assert any("actions" in line for line in lines)
        names = await program.services.world.list_table_names(universe_id)
        assert names[0] == "salt_weather"
        assert "weather" in names


async def test_table_roll_is_rerolled_picked_and_undone_like_any_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        play = program.services.play
        scene_id = await begin(program)
        await accept_table(program, scene_id, WEATHER)
        await play.submit(scene_id, "/table salt_weather = 1 2")
        await play.submit(scene_id, "/pick hard frost")
        with pytest.raises(InputError, match="It is hard frost already"):
            await play.submit(scene_id, "/pick hard frost")
        assert "hard frost" in (await last_result(program, scene_id)).text
        await play.submit(scene_id, "/reroll all")
        assert "Salt weather" in (await last_result(program, scene_id)).text
        await play.submit(scene_id, "/spark salt weather")
        assert (await last_result(program, scene_id)).text.startswith("spark")
        before = len(await play.transcript(scene_id, 0, 100))
        await play.submit(scene_id, "/undo")
        assert len(await play.transcript(scene_id, 0, 100)) < before


async def test_table_named_like_one_of_the_program_does_not_change_its_own_draws(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await accept_table(program, scene_id, "Actions (d4)\n1-4: sing")
        await program.services.play.submit(scene_id, "/table actions")
        assert (await last_result(program, scene_id)).text.endswith("sing")
        await program.services.play.submit(scene_id, "/spark")
        assert "d4" not in (await last_result(program, scene_id)).text
