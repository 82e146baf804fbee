"""A sentence in canon never takes the place of a relation in the same words."""

from __future__ import annotations

from pathlib import Path

from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import begin, opened


async def say(program: Program, scene_id: Id, *lines: str) -> None:
    for line in lines:
        await program.services.play.submit(scene_id, line)


async def test_move_to_a_place_that_a_sentence_names_is_written(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "/place Pier Nine", "/place Tar Shed", "I look.", "/commit")
        await say(program, scene_id, "/fact Mara is in Pier Nine", "/commit")
        await say(program, scene_id, "/go Tar Shed", "I sit down.", "/commit")
        await say(program, scene_id, "/go Pier Nine", "I sit down again.", "/commit")
        scene = await program.services.play.scene(scene_id)
        card = await program.services.world.entity_cards.read_card(scene.story.pc_id or "")
        assert "Mara is in Pier Nine." in [view.fact.statement for _, _, view in card.relations]
        assert "Mara is in Tar Shed." not in [view.fact.statement for _, _, view in card.relations]


async def test_relation_is_written_that_was_a_sentence_before_its_thing_existed(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/fact Mara owns Glass Bell", "/commit", "/thing Glass Bell")
        await say(program, scene_id, "/fact Mara owns Glass Bell", "/commit")
        scene = await program.services.play.scene(scene_id)
        card = await program.services.world.entity_cards.read_card(scene.story.pc_id or "")
        assert "Mara owns Glass Bell." in [view.fact.statement for _, _, view in card.relations]
