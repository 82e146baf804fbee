"""A record that cannot be read: its story cannot be played, every other one can, and the menu says so."""

from __future__ import annotations

from pathlib import Path

import apsw

from agents.services.services import Services
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from monitor_tui.compose import open_program
from stores.embedded.permissions import allow_all_writes
from stores.records.ids import Id


async def test_damaged_entity_closes_its_story_and_no_other(tmp_path: Path) -> None:
    program = await open_program(tmp_path)
    own_story_id = await begin_own_story(program.services)
    await program.services.stories.suspend()
    await program.services.stories.add_sample()
    await program.services.stories.start_story(await program.services.stories.sample_outline())
    await program.services.stories.suspend()
    await program.close()
    remove_numbers(tmp_path, "Mara Venn")

    program = await open_program(tmp_path)
    (line,) = await program.services.stories.recover()
    assert line.startswith("“The Drowned Bell” cannot be played. The entity ")
    assert "monitor restore" in line
    menu = await program.services.stories.menu()
    assert line in menu.notes
    assert {card.story.title for card in await program.services.stories.stories()} == {
        "The Drowned Bell",
        "First Light",
    }
    scene_id = await program.services.stories.resume(own_story_id)
    await program.services.play.submit(scene_id, "I look up at the light.")
    turns = await program.services.play.transcript(scene_id, 0, 10)
    assert "I look up at the light." in [turn.turn.text for turn in turns]
    await program.close()


async def begin_own_story(services: Services) -> Id:
    universe = await services.stories.create_universe(NewUniverse("Far Hills"))
    outline = StoryOutline(universe.id, "First Light", pc=NewCharacter("Ana Holt"), scene_title="On the road")
    await services.stories.start_story(outline)
    (card,) = await services.stories.stories()
    return card.story.id


def remove_numbers(home: Path, name: str) -> None:
    """Give the entity numbers that no program can read."""
    connection = apsw.Connection(str(home / "library.db"))
    allow_all_writes(connection)
    connection.execute(
        """UPDATE canon_entities SET body = json_set(body, '$.numbers', json('{"hp": null}'))
           WHERE body ->> '$.name' = ?""",
        (name,),
    )
    assert connection.changes() == 1
    connection.close()
