"""A copy of a universe derives its own identifiers of what documents propose: read on there, nothing is doubled."""

from __future__ import annotations

from pathlib import Path

from agents.ingest.source_copies import derive_source_ids
from stores.authority import Role
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity
from tests.agents.ingest.test_ingest_worker import build_ladder_server, build_worker, run_to_end, start
from tests.program import opened

BOOK = """# The Salt Coast

Captain Mara Venn rules over Salt Quay. Old Bram keeps the lamp of Salt Quay. Mara Venn serves Old Bram.

The dead cannot cross salt water. Venn is tired.

| d6 | Weather |
|----|---------|
| 1-3 | fog off the water |
| 4-6 | clear |

## Ash Hound

Armor Class 14
Hit Points 33
"""


async def test_every_proposal_of_a_document_has_its_derivation(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as program:
        source_id = await start(program, tmp_path, BOOK)
        recorder = program.services.ingest.recorder
        await run_to_end(program, build_worker(program, recorder, build_ladder_server(program)), source_id)
        proposals = await program.stores.log(Role.INGEST).proposals(ProposalQuery(source_id=source_id))
    derivations = list(derive_source_ids(lambda collection: proposals))
    derived_ids = {derivation.make(*derivation.ids) for derivation in derivations}
    assert {p.payload.kind for p in proposals} >= {"create_entity", "note_axiom", "assert_fact"}
    assert [p.payload for p in proposals if p.id not in derived_ids] == []
    entity_ids = {p.payload.entity_id for p in proposals if isinstance(p.payload, CreateEntity)}
    assert entity_ids <= derived_ids
