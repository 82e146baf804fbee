"""A world goes out as a vault, is edited there in the player's own words, and comes back as proposals."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.services.vault_sync import SyncReport
from agents.services.world_exports import FolderReport
from agents.views.world_views import EntityEdit, FactEdit, NewEntityFields
from monitor_tui.compose import Program
from stores.errors import ArchiveError, InputError
from stores.records.ids import Id
from stores.records.workflow import Verdict
from stores.records.world import EntityKind
from tests.program import begin, opened

WORLD = (
    "/npc here Dob Harrow: the pier-keeper",
    "/npc Iselin Quay: a salvager",
    "/place Pier Nine: slippery boards",
    "/thing Glass Bell",
    "/fact Dob Harrow fears the water",
    "/fact Iselin Quay is an ally of Dob Harrow",
    "/secret Iselin Quay drowned the keeper",
    "Dob Harrow shows me the Glass Bell on Pier Nine.",
    "/commit",
)


class Vault:
    """A world with its vault."""

    def __init__(self, program: Program, universe_id: Id, folder: Path) -> None:
        self.program = program
        self.universe_id = universe_id
        self.folder = folder

    async def export(self, *, with_secrets: bool = False) -> FolderReport:
        exports = self.program.services.open_exports()
        return await exports.export_vault(self.universe_id, str(self.folder), with_secrets=with_secrets)

    async def sync(self) -> SyncReport:
        return await self.program.services.open_exports().sync_vault(str(self.folder))

    async def accept(self) -> None:
        """Accept and commit all that waits at the gate of the world."""
        gate = self.program.services.gate
        view = await gate.gate(None, self.universe_id)
        ids = [i for row in view.proposals if row.status == "pending" for i in row.member_ids]
        await gate.decide(ids, Verdict.ACCEPT)
        await gate.commit_universe(self.universe_id)

    def edit(self, path: str, *changes: tuple[str, str]) -> None:
        note = self.folder / path
        text = note.read_text("utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        note.write_text(text, "utf-8")

    def read(self, path: str) -> str:
        return (self.folder / path).read_text("utf-8")

    def digests(self) -> dict[str, str]:
        """Return what every file of the vault is, by its path."""
        return {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


def rename_as_obsidian_does(vault: Vault, old: str, new: str) -> None:
    """Rename a note, and let all links lead to its new name."""
    (vault.folder / old).rename(vault.folder / new)
    old_name, new_name = Path(old).stem, Path(new).stem
    for note in vault.folder.rglob("*.md"):
        text = note.read_text("utf-8")
        note.write_text(text.replace(f"[[{old_name}", f"[[{new_name}"), "utf-8")


@asynccontextmanager
async def played_vault(tmp_path: Path) -> AsyncIterator[Vault]:
    async with opened(tmp_path / "home") as program:
        scene_id = await begin(program, name="The Marches")
        for line in WORLD:
            await program.services.play.submit(scene_id, line)
        scene = (await program.services.play.scene(scene_id)).scene
        yield Vault(program, scene.universe_id, tmp_path / "vault")


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Vault]:
    async with played_vault(tmp_path) as played:
        yield played


async def test_vault_has_notes_with_links_and_evidence_and_no_secrets(vault: Vault) -> None:
    report = await vault.export()
    dob = vault.read("Characters/Dob Harrow.md")
    assert 'kind: "character"' in dob
    assert 'status: "alive"' in dob
    assert "- Dob Harrow fears the water.[^" in dob
    assert "- is an ally of [[Iselin Quay]][^" in dob
    assert "Rests on “Dob Harrow fears the water”" in dob
    scene = vault.read("Stories/A story/01 The yard.md")
    assert "[[Dob Harrow]] shows me the [[Glass Bell]] on [[Pier Nine]]." in scene
    assert "[[Iselin Quay]]" in vault.read("Index.md")
    assert "[[01 The yard|Scene 1 “The yard”]]" in vault.read("Timeline.md")
    for path in vault.digests():
        assert "drowned the keeper" not in vault.read(path)
    assert report.lines[0] == f"Exported to {vault.folder}: {len(vault.digests()) - 1} written."
    await vault.export(with_secrets=True)
    assert "drowned the keeper" in vault.read("Characters/Iselin Quay.md")


async def test_second_export_writes_the_same_bytes_and_nothing_else(vault: Vault) -> None:
    await vault.export()
    before = vault.digests()
    report = await vault.export()
    assert vault.digests() == before
    assert (report.plan.writes, report.plan.left) == ({}, [])


async def test_edits_come_back_as_proposals_with_note_and_line_and_are_canon_when_accepted(
    vault: Vault,
) -> None:
    await vault.export()
    vault.edit(
        "Characters/Dob Harrow.md",
        ("the pier-keeper", "The pier-keeper, and a liar."),
        ("aliases: []", "aliases: [Old Dob]"),
        ("- Dob Harrow fears the water.", "- Dob Harrow fears deep water."),
        ("## Relations", "- He owes me a lamp.\n- is in [[Pier Nine]]\n\n## Relations"),
        ("nor changes it. %%", "nor changes it. %%\n\nWhat does he want?"),
    )
    vault.edit(
        "Characters/Iselin Quay.md", ("- is an ally of [[Dob Harrow]]", "- is an enemy of [[Dob Harrow]]")
    )
    rename_as_obsidian_does(vault, "Places/Pier Nine.md", "Places/Pier Ten.md")
    (vault.folder / "Characters/Tam Reed.md").write_text("A ferryman.\n\n## Facts\n- rows to [[Pier Nine]]\n")
    (vault.folder / "Diary.md").write_text("Nobody reads this.")
    canon_before = await vault.program.services.world.canon.count(vault.universe_id)

    report = await vault.sync()

    assert report.staged is not None
    assert sorted(report.staged.titles) == [
        "Dob Harrow fears deep water.",
        "Dob Harrow is in Pier Nine.",
        "Dob Harrow owes me a lamp.",
        "Dob Harrow: also called Old Dob",
        "Dob Harrow: description",
        "Iselin Quay is an enemy of Dob Harrow.",
        "No longer true: Iselin Quay is an ally of Dob Harrow.",
        "Pier Nine → Pier Ten",
        "Tam Reed",
        "Tam Reed rows to Pier Nine.",
    ]
    assert (report.problems, report.ignored_count) == ((), 1)
    assert await vault.program.services.world.canon.count(vault.universe_id) == canon_before, (
        "nothing is canon yet"
    )
    rows = (await vault.program.services.gate.gate(None, vault.universe_id)).proposals
    quotes = {row.title: row.quote for row in rows}
    assert quotes["Dob Harrow owes me a lamp."].startswith("Characters/Dob Harrow.md, line ")
    # What waits is left in its notes, and proposed once.
    assert (await vault.sync()).lines[0] == "Nothing new to propose."
    waiting = await vault.export()
    assert {left.path for left in waiting.plan.left} == {
        "Characters/Dob Harrow.md",
        "Characters/Iselin Quay.md",
        "Characters/Tam Reed.md",
        "Places/Pier Ten.md",
    }

    assert waiting.plan.writes == {}, "links to the renamed note lead there while it waits"

    await vault.accept()
    accepted = await vault.export()

    assert accepted.plan.left == []
    dob = vault.read("Characters/Dob Harrow.md")
    assert "The pier-keeper, and a liar." in dob
    assert "Dob Harrow fears deep water.[^" in dob
    assert 'where: "[[Pier Ten]]"' in dob
    assert dob.endswith("What does he want?\n")
    assert "line " in dob.partition("owes me a lamp")[2], "the note and line are the evidence"
    assert 'kind: "character"' in vault.read("Characters/Tam Reed.md")
    assert vault.read("Diary.md") == "Nobody reads this."
    assert not (vault.folder / "Places/Pier Nine.md").exists()
    digests = vault.digests()
    assert (await vault.sync()).lines[0] == "Nothing new to propose."
    await vault.export()
    assert vault.digests() == digests


async def test_what_cannot_be_read_stays_in_its_note_and_is_said_with_its_line(vault: Vault) -> None:
    await vault.export()
    vault.edit(
        "Characters/Dob Harrow.md",
        ("## Relations", f"- {'x' * 1_001}\n\n## Relations"),
        ("# Dob Harrow\n", "# Dob Harrow\n\n## Plans\nBurn the pier.\n"),
    )
    vault.edit("Timeline.md", ("# Timeline", "# Timeline\n\nMine."))
    (vault.folder / "Objects/Lamp.md").unlink(missing_ok=True)
    (vault.folder / "Objects/Glass Bell.md").unlink()

    report = await vault.sync()
    exported = await vault.export()

    problems = {(problem.path, problem.line) for problem in report.problems}
    assert ("Timeline.md", 1) in problems
    assert sum(path == "Characters/Dob Harrow.md" and line > 1 for path, line in problems) == 2
    assert report.gone == ("Objects/Glass Bell.md",)
    assert "Burn the pier." in vault.read("Characters/Dob Harrow.md")
    assert "Mine." in vault.read("Timeline.md")
    assert {left.path for left in exported.plan.left} == {"Characters/Dob Harrow.md", "Timeline.md"}
    assert (vault.folder / "Objects/Glass Bell.md").exists(), "what is gone is written again"


@pytest.mark.slow
async def test_rejected_edit_is_not_proposed_again_and_its_note_says_what_is_true(vault: Vault) -> None:
    await vault.export()
    vault.edit(
        "Characters/Dob Harrow.md", ("- Dob Harrow fears the water.", "- Dob Harrow fears nothing at all.")
    )
    report = await vault.sync()
    assert report.staged is not None
    gate = vault.program.services.gate
    await gate.decide(list(report.staged.proposal_ids), Verdict.REJECT)
    await gate.commit_universe(vault.universe_id)
    assert (await vault.sync()).lines[0] == "Nothing new to propose."
    await vault.export()
    assert "Dob Harrow fears the water." in vault.read("Characters/Dob Harrow.md")


async def test_nothing_is_written_over_or_outside_the_folder(vault: Vault, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    vault.folder.mkdir()
    (vault.folder / "Index.md").write_text("my own index")
    (vault.folder / "Places").symlink_to(outside)
    (vault.folder / "World.md").symlink_to(outside / "World.md")

    report = await vault.export()

    assert list(outside.iterdir()) == []
    assert vault.read("Index.md") == "my own index"
    reasons = {left.path: left.why for left in report.plan.left}
    assert reasons["Index.md"] == "MONITOR did not write it"
    assert reasons["World.md"] == "MONITOR did not write it"
    assert reasons["Places/Pier Nine.md"] == "Places is no folder"
    (vault.folder / ".monitor-export.json").write_text('{"files": {"../outside/x": {"sha256": ""}}}')
    with pytest.raises(InputError, match=r"cannot be read"):
        await vault.export()
    with pytest.raises(InputError, match=r"no vault"):
        await vault.program.services.open_exports().sync_vault(str(outside))
    with pytest.raises(ArchiveError, match=r"no folder"):
        await vault.program.services.open_exports().sync_vault(str(vault.folder / "Index.md"))


@pytest.mark.slow
async def test_hostile_names_become_files_inside_the_folder(vault: Vault) -> None:
    world = vault.program.services.world
    for name in ("../../evil", "CON", "a/b*c?", "[[x]]|#^y", "Dob harrow"):
        await world.edits.propose_entity(vault.universe_id, NewEntityFields(EntityKind.OBJECT, name))
    await vault.accept()
    report = await vault.export()
    objects = {path.removeprefix("Objects/") for path in report.plan.writes if path.startswith("Objects/")}
    assert objects == {"evil.md", "CON_.md", "a b c.md", "x y.md", "Dob harrow (2).md", "Glass Bell.md"}
    assert (await vault.sync()).lines[0] == "Nothing new to propose."


@pytest.mark.slow
async def test_renamed_in_canon_moves_the_note_with_the_players_own_words(vault: Vault) -> None:
    await vault.export()
    vault.edit("Characters/Dob Harrow.md", ("nor changes it. %%", "nor changes it. %%\n\nAsk him."))
    (vault.folder / "Friends").mkdir()
    (vault.folder / "Characters/Iselin Quay.md").rename(vault.folder / "Friends/Iselin Quay.md")
    world = vault.program.services.world
    (dob,) = await world.list_entities(vault.universe_id, "Dob")
    await world.edits.propose_entity_edit(dob.id, EntityEdit("Old Dob", description=dob.description))
    (bell,) = await world.list_entities(vault.universe_id, "Glass Bell")
    await world.edits.propose_retcon(bell.id)
    await vault.accept()

    report = await vault.export()

    assert report.plan.left == []
    assert set(report.plan.removals) == {"Characters/Dob Harrow.md", "Objects/Glass Bell.md"}
    assert vault.read("Characters/Old Dob.md").endswith("Ask him.\n")
    assert "[[Old Dob]]" in vault.read("Friends/Iselin Quay.md"), "a moved note stays where it was moved"
    assert not (vault.folder / "Characters/Iselin Quay.md").exists()
    assert (await vault.sync()).lines[0] == "Nothing new to propose."


@pytest.mark.slow
async def test_note_of_what_is_gone_is_kept_if_the_player_wrote_into_it(vault: Vault) -> None:
    await vault.export()
    vault.edit("Objects/Glass Bell.md", ("nor changes it. %%", "nor changes it. %%\n\nCracked?"))
    world = vault.program.services.world
    (bell,) = await world.list_entities(vault.universe_id, "Glass Bell")
    await world.edits.propose_retcon(bell.id)
    await vault.accept()
    report = await vault.export()
    assert [left.path for left in report.plan.left] == ["Objects/Glass Bell.md"]
    assert "Cracked?" in vault.read("Objects/Glass Bell.md")


@pytest.mark.slow
async def test_world_note_takes_rules_and_facts_about_nobody(vault: Vault) -> None:
    world = vault.program.services.world
    await world.edits.propose_axiom(vault.universe_id, "The dead cannot cross salt")
    await vault.accept()
    await vault.export()
    rule = "- The dead cannot cross salt."
    assert rule in vault.read("World.md")
    vault.edit(
        "World.md",
        ("# The Marches", "# The Marshes"),
        (rule, "- The tide is early this year"),
    )
    report = await vault.sync()
    assert report.staged is not None
    assert (
        sorted(report.staged.titles)
        == [
            "The dead can cross salt.",
            "The tide is early this year.",
        ]
        or report.staged.titles
    )
    assert [problem.why for problem in report.problems] == ["the world's name is not read"]


@pytest.mark.slow
async def test_fact_that_play_changed_meanwhile_is_no_longer_corrected_from_an_old_note(vault: Vault) -> None:
    await vault.export()
    vault.edit("Characters/Dob Harrow.md", ("- Dob Harrow fears the water.", "- Dob Harrow fears all water."))
    world = vault.program.services.world
    (dob,) = await world.list_entities(vault.universe_id, "Dob")
    (fact,) = [view.fact for view in (await world.read_card(dob.id)).facts if "fears" in view.fact.statement]
    await world.edits.propose_correction(fact.id, FactEdit("Dob Harrow fears fire."))
    await vault.accept()
    report = await vault.sync()
    assert report.staged is None
    (problem,) = report.problems
    assert problem.why == "canon has other words for it by now. Take yours out, and export again."
    exported = await vault.export()
    assert [left.path for left in exported.plan.left] == ["Characters/Dob Harrow.md"]
    assert "fears all water" in vault.read("Characters/Dob Harrow.md")


@pytest.mark.slow
async def test_sync_is_one_step_that_undo_takes_back_in_play(vault: Vault) -> None:
    await vault.export()
    vault.edit(
        "Characters/Dob Harrow.md", ("the pier-keeper", "A liar."), ("aliases: []", "aliases: [Old Dob]")
    )
    staged = (await vault.sync()).staged
    assert staged is not None
    assert len(staged.proposal_ids) == 2
    (card,) = await vault.program.services.stories.stories()
    assert card.scene is not None
    await vault.program.services.play.undo(card.scene.id)
    rows = (await vault.program.services.gate.gate(None, vault.universe_id)).proposals
    assert [row.title for row in rows if row.status == "pending"] == []
