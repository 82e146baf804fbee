"""What may be one by its names is one only once the player said so of just these two.

"I accepted everything about Old Sedge, and the town of Sedge was gone."
"""

from __future__ import annotations

from pathlib import Path

from agents.views.ingest_views import ReviewRow
from monitor_tui.compose import Program
from stores.records.canon import MergeEntities
from stores.records.ids import Id
from stores.records.workflow import Verdict
from tests.agents.ingest.reading_in import read_in, write_book
from tests.agents.ingest.test_book_by_rules import build_server
from tests.program import begin, opened

SEDGES = """# Gallowmere

Captain Mara Venn fears the tide. She rules over Gallowmere. Venn met Orla Tarn at the weir.

## Old Sedge

A hermit who fishes by night. He drinks at the Eel and Anchor.

## Sedge

A town of reed cutters. The Eel is served in Sedge.
"""
VORRINS = """# Gallowmere

Captain Hask Vorrin sails at dawn. People fear Hask Vorrin. Old Vorrin sells eels. They all trust Old Vorrin.
"""


async def read_vault(program: Program, folder: Path, text: str) -> Id:
    scene_id = await begin(program)
    universe_id = (await program.services.play.scene(scene_id)).universe.id
    (progress,) = await program.services.ingest.start(write_book(folder, text), universe_id)
    await read_in(program, build_server(program))
    return progress.source_id


async def read_all_rows(program: Program, source_id: Id) -> list[ReviewRow]:
    service = program.services.ingest
    groups = (await service.read_review(source_id)).groups
    return [row for group in groups for row in (await service.read_rows(source_id, group.key)).rows]


def merges_of(rows: list[ReviewRow]) -> list[ReviewRow]:
    return [row for row in rows if isinstance(row.view.proposal.payload, MergeEntities)]


async def test_towns_and_hermits_with_headings_of_their_own_are_no_merge(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        source_id = await read_vault(program, tmp_path, SEDGES)
        titles = [row.view.title for row in merges_of(await read_all_rows(program, source_id))]
        assert not [title for title in titles if "Sedge" in title or "Eel" in title]


async def test_group_is_accepted_without_its_merges(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        source_id = await read_vault(program, tmp_path, VORRINS)
        service = program.services.ingest
        groups = (await service.read_review(source_id)).groups
        await service.decide_groups(source_id, [group.key for group in groups], Verdict.ACCEPT)
        (merge,) = merges_of(await read_all_rows(program, source_id))
        assert merge.view.verdict is None
        await service.commit(source_id)
        assert merges_of(await read_all_rows(program, source_id)), "the merge still waits for the player"


async def test_merge_names_both_while_the_book_is_uncommitted(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        source_id = await read_vault(program, tmp_path, VORRINS)
        (merge,) = merges_of(await read_all_rows(program, source_id))
        assert "unknown" not in merge.view.title
        assert "Hask Vorrin" in merge.view.title
        assert "Old Vorrin" in merge.view.title
