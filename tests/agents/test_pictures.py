"""Pictures of entities: attached, replaced, removed, undone; in exports, archives and backups; and no part of canon."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from monitor_tui.compose import Program, derived_id_readers
from stores.archive import export_campaign, import_campaign
from stores.backup.restoring import restore_backup
from stores.backup.writing import write_backup
from stores.errors import InputError, NotFound
from stores.open import open_stores
from stores.records.ids import Id
from stores.records.workflow import ProposalStatus, Verdict
from tests.agents.orchestrator.test_named_branches import branch
from tests.picture_files import huge_png, jpeg_of, moving_png, png_of, size_of
from tests.program import begin, opened


async def somebody(program: Program, scene_id: Id, name: str = "Mara") -> Id:
    universe = (await program.services.play.scene(scene_id)).universe
    (entity,) = [e for e in await program.services.world.list_entities(universe.id) if e.name == name]
    return entity.id


async def say(program: Program, scene_id: Id, line: str) -> str:
    return "\n".join((await program.services.play.submit(scene_id, line)).lines)


@pytest.mark.slow
async def test_picture_is_attached_replaced_removed_and_undone_in_play(tmp_path: Path) -> None:
    """A player: "I drew Mara, then drew her better, then liked the first one more"."""
    (tmp_path / "mara old.png").write_bytes(png_of())
    (tmp_path / "mara.txt").write_bytes(jpeg_of(300, 200))  # by its bytes, whatever its name ends in
    async with opened(tmp_path / "home") as program:
        scene_id = await begin(program)
        pictures = program.services.pictures
        mara = await somebody(program, scene_id)
        facts_before = (await program.services.stories.menu()).fact_count
        assert "Mara has no picture" in await say(program, scene_id, "/picture me")
        assert "Attached" in await say(program, scene_id, f'/picture Mara: "{tmp_path / "mara old.png"}"')
        assert "a picture (mara old.png)" in await say(program, scene_id, "/picture mara")
        first = await pictures.find_picture(mara)
        assert "Attached" in await say(program, scene_id, f"/picture Mara: {tmp_path / 'mara.txt'}")
        second = await pictures.find_picture(mara)
        assert (first.media_type, second.media_type) == ("image/png", "image/jpeg")
        assert size_of(await pictures.read_small(second, 30, 30)) == (30, 20)
        with pytest.raises(InputError, match="has that picture already"):
            await pictures.attach_picture(mara, str(tmp_path / "mara.txt"))
        assert "Removed" in await say(program, scene_id, "/picture Mara: remove")
        assert not (await pictures.find_picture(mara)).key
        with pytest.raises(InputError, match="no picture to remove"):
            await pictures.remove_picture(mara)
        assert "the picture it had before" in await say(program, scene_id, "/picture Mara: undo")
        assert (await pictures.find_picture(mara)).key == second.key
        await say(program, scene_id, "/picture Mara: undo")
        present = await pictures.find_picture(mara)
        assert (present.key, present.media_type) == (first.key, "image/png")
        assert await pictures.read_original(present) == png_of()
        assert "has no picture" in await say(program, scene_id, "/picture Mara: undo")
        with pytest.raises(InputError, match="nothing to undo"):
            await pictures.undo_picture(mara)
        assert (await program.services.stories.menu()).fact_count == facts_before
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        assert (await program.services.ingest.list_sources(universe_id)).sources == ()


@pytest.mark.slow
async def test_file_that_is_no_picture_changes_nothing_and_says_why(tmp_path: Path) -> None:
    files = {
        "notes.png": (b"words", "neither PNG nor JPEG"),
        "cut.png": (png_of()[:-30], "damaged or cut off"),
        "huge.png": (huge_png(50_000, 50_000), "50,000 x 50,000 pixels"),
        "moving.png": (moving_png(), "it moves"),
        "large.png": (png_of() + bytes(20_000_000), "more than 20 MB"),
        "empty.jpg": (b"", "it is empty"),
    }
    async with opened(tmp_path / "home") as program:
        scene_id = await begin(program)
        mara, pictures = await somebody(program, scene_id), program.services.pictures
        for name, (data, words) in files.items():
            (tmp_path / name).write_bytes(data)
            with pytest.raises(InputError, match=words) as refusal:
                await pictures.attach_picture(mara, str(tmp_path / name))
            assert refusal.value.kept == "Nothing was changed."
        for path, words in (
            (tmp_path / "gone.png", "no such file"),
            (tmp_path, "it is not a file"),
            ("~nobody/x.png", "no such home folder|no such file"),
            ("a\0b.png", "null byte|null character"),
        ):
            with pytest.raises(InputError, match=words):
                await pictures.attach_picture(mara, str(path))
        if hasattr(os, "mkfifo"):
            os.mkfifo(tmp_path / "pipe.png")
            with pytest.raises(InputError, match="it is not a file"):
                await pictures.attach_picture(mara, str(tmp_path / "pipe.png"))
        with pytest.raises(NotFound):
            await pictures.attach_picture("none", str(tmp_path / "notes.png"))
        assert not (await pictures.find_picture(mara)).can_undo
        assert await program.stores.objects(None).keys("originals") == []


@pytest.mark.slow
async def test_pictures_are_in_archives_backups_and_copies(tmp_path: Path) -> None:
    (tmp_path / "mara.png").write_bytes(png_of())
    async with opened(tmp_path / "one") as program:
        scene_id = await begin(program)
        mara = await somebody(program, scene_id)
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        await say(program, scene_id, "I wait.")
        await program.services.pictures.attach_picture(mara, str(tmp_path / "mara.png"))
        other_scene_id = await branch(program, scene_id, "/branch 1 Another way")
        on_branch = await somebody(program, other_scene_id)
        assert on_branch != mara
        assert (await program.services.pictures.find_picture(on_branch)).key
        await export_campaign(program.stores, universe_id, tmp_path / "test.monitor.zip")
        backup = await write_backup(program.stores, tmp_path / "backups", library_id="")

    stores = await open_stores(tmp_path / "two")
    await import_campaign(stores, tmp_path / "test.monitor.zip")
    await stores.close()
    async with opened(tmp_path / "two") as program:
        picture = await program.services.pictures.find_picture(mara)
        assert await program.services.pictures.read_original(picture) == png_of()

    stores = await open_stores(tmp_path / "one")
    (copy,) = await restore_backup(
        stores, backup.path, only_universe=universe_id, derivation_finders=derived_id_readers()
    )
    await stores.close()
    async with opened(tmp_path / "one", seed=9) as program:
        (copied,) = [
            e for e in await program.services.world.list_entities(copy.universe_id) if e.name == "Mara"
        ]
        assert copied.id != mara
        picture = await program.services.pictures.find_picture(copied.id)
        assert await program.services.pictures.read_original(picture) == png_of()
        await program.services.pictures.remove_picture(copied.id)
        assert (await program.services.pictures.find_picture(mara)).key


@pytest.mark.slow
async def test_pictures_are_in_vault_and_wiki_and_go_out_the_same_again(tmp_path: Path) -> None:
    (tmp_path / "mara.png").write_bytes(png_of())
    vault, wiki = tmp_path / "vault", tmp_path / "wiki"
    async with opened(tmp_path / "home") as program:
        scene_id = await begin(program)
        mara = await somebody(program, scene_id)
        universe_id = (await program.services.play.scene(scene_id)).universe.id
        await program.services.pictures.attach_picture(mara, str(tmp_path / "mara.png"))
        exports = program.services.open_exports()
        await exports.export_vault(universe_id, str(vault))
        await exports.export_wiki(universe_id, str(wiki))
        assert (vault / "Pictures" / "Mara.png").read_bytes() == png_of()
        assert "![[Pictures/Mara.png]]" in (vault / "Characters" / "Mara.md").read_text()
        assert (wiki / "Pictures" / "Mara.png").read_bytes() == png_of()
        assert re.search(r'<img [^>]*src="Pictures/Mara.png" alt="Mara"', (wiki / "Mara.html").read_text())

        again = await exports.export_vault(universe_id, str(vault))
        assert (again.plan.writes, again.plan.removals, again.plan.left) == ({}, [], [])
        assert (await exports.sync_vault(str(vault))).lines == ("Nothing new to propose.",)

        await program.services.pictures.remove_picture(mara)
        await exports.export_vault(universe_id, str(vault))
        await exports.export_wiki(universe_id, str(wiki))
        assert not (vault / "Pictures" / "Mara.png").exists()
        assert not (wiki / "Pictures" / "Mara.png").exists()
        assert "![[" not in (vault / "Characters" / "Mara.md").read_text()


@pytest.mark.slow
async def test_picture_of_who_was_merged_is_on_the_card_of_who_is_left(tmp_path: Path) -> None:
    """A player: "the hooded man was Tam all along, and I had drawn the hooded man"."""
    (tmp_path / "hood.png").write_bytes(png_of())
    async with opened(tmp_path / "home") as program:
        scene_id = await begin(program)
        for line in ("/npc The Hooded Man", "/npc Tam", "/accept all", "/commit"):
            await say(program, scene_id, line)
        hooded = await somebody(program, scene_id, "The Hooded Man")
        tam = await somebody(program, scene_id, "Tam")
        pictures, universe_id = (
            program.services.pictures,
            (await program.services.play.scene(scene_id)).universe.id,
        )
        await pictures.attach_picture(hooded, str(tmp_path / "hood.png"))
        await program.services.world.edits.propose_merge(tam, hooded)
        rows = (await program.services.gate.gate(None, universe_id)).proposals
        await program.services.gate.decide(
            [row.proposal.id for row in rows if row.status == ProposalStatus.PENDING], Verdict.ACCEPT
        )
        await program.services.gate.commit_universe(universe_id)
        assert (await program.services.world.canon.entity(hooded)).merged_into == tam
        picture = await pictures.find_picture(tam)
        assert await pictures.read_original(picture) == png_of()
        assert tam in await pictures.list_pictures(universe_id)
        await pictures.remove_picture(tam)
        assert not (await pictures.find_picture(tam)).key
        assert (await pictures.undo_picture(tam)).key == picture.key
