"""A circle that began in one world is noticed in what is made of it: a restored copy, a branch, an imported archive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.deadlock import STUCK_LINES, mark_pattern
from agents.orchestrator.exchange import Exchange
from monitor_tui.compose import Program, derived_id_readers
from stores.archive import export_campaign, import_campaign
from stores.backup.campaign_copy import CampaignCopier, find_ids
from stores.backup.restoring import restore_backup
from stores.backup.writing import write_backup
from stores.records.base import Record
from stores.records.ids import Id
from stores.records.world import EntityKind
from tests.agents.orchestrator.test_named_branches import branch
from tests.contract import builders as make
from tests.libraries import library
from tests.program import begin, opened

LINE = "I listen at the door."


def build_pattern(records: list[Any]) -> str:
    universe, story, scene, place, proposal = records
    context = SceneContext(
        universe=universe,
        story=story,
        scene=scene,
        head=None,
        staged_proposals=(proposal,),
        entities={place.id: place},
        place=place,
        undecided=(proposal,),
    )
    run_id = make.new_id()
    exchange = Exchange(
        run_id=run_id, exchange_id=run_id, scene_id=scene.id, parent_id=None, depth=0, tick=0, words=LINE
    )
    return mark_pattern(make.transition(scene.id), None, exchange, context).pattern


def test_pattern_holds_no_identifiers() -> None:
    story = make.story()
    scene = make.scene(story)
    records: list[Record] = [
        make.universe(),
        story,
        scene,
        make.entity("Yard", kind=EntityKind.PLACE),
        make.proposal(scene),
    ]
    copier = CampaignCopier("copy", "Copy", {id for record in records for id in find_ids(record)}, ())
    copied_records = [copier.copy_record(record) for record in records]
    assert not {id for record in records for id in find_ids(record)} & {
        id for record in copied_records for id in find_ids(record)
    }
    assert build_pattern(records) == build_pattern(copied_records)


# --- in play ----------------------------------------------------------------------------------------------


async def play(program: Program, scene_id: Id, *lines: str) -> list[str]:
    """Play lines, and return those of the replies that speak of circles."""
    replies = [await program.services.play.submit(scene_id, one) for one in lines]
    return [text for reply in replies for text in reply.lines if "circles" in text]


async def resume(program: Program, universe_id: Id) -> Id:
    (card,) = [c for c in await program.services.stories.stories() if c.universe.id == universe_id]
    return await program.services.stories.resume(card.story.id)


@pytest.mark.slow
async def test_row_goes_on_in_copies(tmp_path: Path) -> None:
    """At a place, with a proposal that waits: both have other identifiers in a copy and in a branch."""
    one = tmp_path / "one"
    async with opened(one) as program:
        scene_id = await begin(program)
        await play(program, scene_id, "/place Cellar", "/go Cellar", "/fact Mara owns a lamp")
        assert await play(program, scene_id, *[LINE] * (STUCK_LINES - 1)) == []
        view = await program.services.play.scene(scene_id)
        universe_id = view.universe.id
    async with library(one) as stores:
        await export_campaign(stores, universe_id, tmp_path / "archive.zip")
        backup = await write_backup(stores, tmp_path / "backups", library_id="")
        (restored,) = await restore_backup(stores, backup.path, derivation_finders=derived_id_readers())
    assert restored.is_copy
    async with opened(one, seed=7) as program:
        copy_scene_id = await resume(program, restored.universe_id)
        assert len(await play(program, copy_scene_id, LINE)) == 1
        last_number = len(await program.services.play.transcript(scene_id, 0, 100))
        whole_branch = await branch(program, scene_id, f"/branch {last_number} All")
        early_branch = await branch(program, scene_id, f"/branch {last_number - 2} Early")
        assert len(await play(program, whole_branch, LINE)) == 1
        # What was played after the branch's turn counts in no row of it.
        assert await play(program, early_branch, *[LINE] * (STUCK_LINES - 1)) == []
        assert len(await play(program, early_branch, LINE)) == 1
        assert len(await play(program, scene_id, LINE)) == 1
    async with library(tmp_path / "two") as stores:
        await import_campaign(stores, tmp_path / "archive.zip")
    async with opened(tmp_path / "two", seed=8) as program:
        assert len(await play(program, await resume(program, universe_id), LINE)) == 1
