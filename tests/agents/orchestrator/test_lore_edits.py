"""A lore entry is edited with its keys: at the gate, and once it is canon as a proposal."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.proposals.editing import editable_text
from agents.views.world_views import FactEdit
from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.canon import AssertFact, Fact, LoreKeys
from stores.records.ids import Id
from stores.records.workflow import Verdict
from tests.program import begin, opened


async def proposed_lore(program: Program, scene_id: Id) -> tuple[Id, AssertFact]:
    (row,) = (await program.services.play.scene(scene_id)).proposals
    assert isinstance(row.proposal.change, AssertFact)
    return row.proposal.id, row.proposal.change


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("salt house, pans: It burns.", LoreKeys(title="salt house", keys=("salt house", "pans"))),
        ("always: The tide rules here.", LoreKeys(title="The tide rules here", always=True)),
        (
            "salt house + night, dark: It burns: all of it.",
            LoreKeys(title="salt house", keys=("salt house",), secondary_keys=("night", "dark")),
        ),
        ('"Note: salt", C: It burns.', LoreKeys(title="Note: salt", keys=("Note: salt", "C"))),
    ],
)
async def test_lore_is_edited_at_the_gate_with_its_keys(tmp_path: Path, typed: str, keys: LoreKeys) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/lore salt house: It stands on piles")
        proposal_id, change = await proposed_lore(program, scene_id)
        assert editable_text(change) == "salt house: It stands on piles."
        await program.services.gate.edit_text(proposal_id, typed)
        _, edited = await proposed_lore(program, scene_id)
        assert edited.lore == keys
        assert editable_text(edited) == typed


@pytest.mark.parametrize("typed", ["It burns", ": It burns", "salt house:"])
async def test_lore_without_keys_or_text_is_refused(tmp_path: Path, typed: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/lore salt house: It stands on piles")
        proposal_id, change = await proposed_lore(program, scene_id)
        with pytest.raises(InputError, match="keys and a text"):
            await program.services.gate.edit_text(proposal_id, typed)
        assert (await proposed_lore(program, scene_id))[1] == change


async def test_lore_in_canon_gets_other_keys_by_a_proposal(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, scene_id = program.services, await begin(program)
        universe_id = (await services.play.scene(scene_id)).universe.id
        for line in ("/lore salt house: It stands on piles", "/accept all", "/commit"):
            await services.play.submit(scene_id, line)

        async def lore() -> Fact:
            (view,) = (await services.world.provenance.read_canon_at(universe_id, search="piles")).facts
            return view.fact

        fact = await lore()
        with pytest.raises(InputError, match="like that already"):
            await services.world.edits.propose_correction(
                fact.id, FactEdit(fact.statement, lore_keys="salt house")
            )
        with pytest.raises(InputError, match="colon"):
            await services.world.edits.propose_correction(fact.id, FactEdit(fact.statement, lore_keys="a: b"))
        staged = await services.world.edits.propose_correction(
            fact.id, FactEdit(fact.statement, lore_keys="salt house, pans + night")
        )
        assert (await lore()).lore == fact.lore
        await services.gate.decide(staged.proposal_ids, Verdict.ACCEPT)
        await services.gate.commit_universe(universe_id)
        assert (await lore()).lore == LoreKeys(
            title="salt house", keys=("salt house", "pans"), secondary_keys=("night",)
        )
