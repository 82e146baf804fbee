"""A branch is a world of its own for archives and backups, beside the one that it left or without it."""

from __future__ import annotations

from pathlib import Path

from monitor_tui.compose import derived_id_readers
from stores.archive import export_campaign, import_campaign, verify_campaign
from stores.backup.restoring import restore_backup
from stores.backup.writing import write_backup
from stores.records.ids import Id
from tests.agents.orchestrator.test_named_branches import branch, play, read_canon
from tests.libraries import library
from tests.program import begin, opened


async def make_branched_library(home: Path) -> tuple[Id, Id]:
    """Play a world and a branch of it; return both universes."""
    async with opened(home) as program:
        main = await begin(program)
        await play(
            program, main, "I go on. /check might vs 2", "/fact event: The bell rang", "/commit", "I wait."
        )
        other = await branch(program, main, "/branch 1 No bridge")
        await play(program, other, "I run.", "/fact event: The mill burned", "/commit")
        views = [await program.services.play.scene(scene_id) for scene_id in (main, other)]
        return views[0].universe.id, views[1].universe.id


async def test_branch_archive_imports_into_the_library_of_its_main_line_and_exports_the_same(
    tmp_path: Path,
) -> None:
    main_id, branch_id = await make_branched_library(tmp_path / "one")
    main_file, branch_file = tmp_path / "main.zip", tmp_path / "branch.zip"
    async with library(tmp_path / "one") as stores:
        await export_campaign(stores, main_id, main_file)
        await export_campaign(stores, branch_id, branch_file)
    verify_campaign(branch_file)
    async with library(tmp_path / "two") as stores:
        await import_campaign(stores, main_file)
        await import_campaign(stores, branch_file)
        again = await export_campaign(stores, branch_id, tmp_path / "again.zip")
    assert verify_campaign(again.path).members == verify_campaign(branch_file).members
    async with opened(tmp_path / "two", seed=7) as program:
        shown = await program.services.branches.read_map(main_id)
        assert [row.title for row in shown.rows if row.kind == "branch"] == ["main line", "No bridge"]
        compared = await program.services.branches.compare(main_id, branch_id)
        assert [f.fact.statement for f in compared.only_other] == ["The mill burned."]
    async with library(tmp_path / "three") as stores:
        await import_campaign(stores, branch_file)
    async with opened(tmp_path / "three", seed=8) as program:
        alone = await program.services.branches.read_map(branch_id)
        assert alone.rows[0].title == "No bridge"
        (card,) = await program.services.stories.stories()
        assert "The mill burned." in await read_canon(
            program, await program.services.stories.resume(card.story.id)
        )


async def test_branch_restores_as_a_copy_that_plays_on(tmp_path: Path) -> None:
    _, branch_id = await make_branched_library(tmp_path / "one")
    async with library(tmp_path / "one") as stores:
        backup = await write_backup(stores, tmp_path / "backups", library_id="")
        restored = await restore_backup(
            stores, backup.path, only_universe=branch_id, derivation_finders=derived_id_readers()
        )
    async with opened(tmp_path / "one", seed=9) as program:
        (card,) = [
            c for c in await program.services.stories.stories() if c.universe.id == restored[0].universe_id
        ]
        scene_id = await program.services.stories.resume(card.story.id)
        await play(program, scene_id, "I hide.", "/fact event: A dog barked", "/commit")
        assert {"The mill burned.", "A dog barked."} <= set(await read_canon(program, scene_id))
