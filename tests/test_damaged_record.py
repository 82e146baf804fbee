"""A record that cannot be read: its story or universe is closed, every other one is played, and the menu says so."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from agents.services.services import Services
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from monitor_tui.compose import open_program
from stores.archive import export_campaign
from stores.backup.writing import write_backup
from stores.embedded.permissions import allow_all_writes
from stores.open import open_stores
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


MISSING_FIELD = "json_remove(body, '$.created_at', '$.recorded_at')"
BROKEN_TEXT = "substr(body, 1, length(body) - 1) || '?'"


@pytest.mark.slow
@pytest.mark.parametrize("damage", [MISSING_FIELD, BROKEN_TEXT])
@pytest.mark.parametrize(
    ("table", "field", "name"),
    [("stories", "title", "The Drowned Bell"), ("canon_universes", "name", "Salt Coast")],
)
async def test_damaged_story_or_universe_is_named_and_closes_no_other(
    tmp_path: Path, table: str, field: str, name: str, damage: str
) -> None:
    program = await open_program(tmp_path)
    own_story_id = await begin_own_story(program.services)
    await program.services.stories.suspend()
    await program.services.stories.add_sample()
    await program.services.stories.start_story(await program.services.stories.sample_outline())
    await program.services.stories.suspend()
    await program.close()
    damage_record(tmp_path, table, field, name, damage)

    program = await open_program(tmp_path)
    lines = await program.services.stories.recover()
    assert any(name in line and "in the library is damaged" in line for line in lines)
    if table == "canon_universes":
        assert "“The Drowned Bell” cannot be played: its universe cannot be read." in lines
    menu = await program.services.stories.menu()
    assert set(lines) <= set(menu.notes)
    assert menu.resume_story
    assert menu.resume_story.story.title == "First Light"
    assert [card.story.title for card in await program.services.stories.stories()] == ["First Light"]
    assert "Far Hills" in [universe.name for universe in await program.services.stories.universes()]
    scene_id = await program.services.stories.resume(own_story_id)
    await program.services.play.submit(scene_id, "I look up at the light.")
    turns = await program.services.play.transcript(scene_id, 0, 10)
    assert "I look up at the light." in [turn.turn.text for turn in turns]
    await program.services.stories.create_universe(NewUniverse("Near Hills"))
    assert (await program.services.llm.read_bill()).by_call == ()
    await program.close()

    stores = await open_stores(tmp_path)
    backup = await write_backup(stores, tmp_path / "backups", library_id="library")
    assert [universe.name for universe in backup.manifest.universes] == ["Far Hills", "Near Hills"]
    assert name in backup.left_out[0].problem
    findings = [finding async for finding in stores.doctor.findings()]
    assert any(finding.state == "bad" and name in finding.says for finding in findings)
    await export_campaign(stores, backup.manifest.universes[0].id, tmp_path / "far.monitor.zip")
    await stores.close()


async def begin_own_story(services: Services) -> Id:
    universe = await services.stories.create_universe(NewUniverse("Far Hills"))
    outline = StoryOutline(universe.id, "First Light", pc=NewCharacter("Ana Holt"), scene_title="On the road")
    await services.stories.start_story(outline)
    (card,) = await services.stories.stories()
    return card.story.id


def damage_record(home: Path, table: str, field: str, name: str, damage: str) -> None:
    """Damage the body of a record as a bad disk does: the columns that SQLite derived from it stay as they were."""
    connection = apsw.Connection(str(home / "library.db"))
    allow_all_writes(connection)
    (row,) = connection.execute(
        f"SELECT body, {damage} FROM {table} WHERE body ->> ? = ?", (f"$.{field}", name)
    )
    body, damaged_body = row
    connection.close()
    filler = str(damaged_body).encode().ljust(len(str(body).encode()))
    pattern = b"(?<!:)" + re.escape(str(body).encode())  # after a colon it is part of a commit's plan
    path = home / "library.db"
    data, count = re.subn(pattern, lambda _: filler, path.read_bytes())
    assert count == 1
    path.write_bytes(data)


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
