"""Tests that a declared name which is part of a known one means who is known, or is asked about at the gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import InputError
from tests.program import begin, opened


async def test_declared_part_of_a_name_brings_in_who_is_known(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id, play = await begin(program), program.services.play
        for line in ("/npc Lady Maude Arrel: a widow", "/accept all", "/commit"):
            await play.submit(scene_id, line)
        proposals = (await program.services.gate.gate(scene_id)).proposals
        reply = await play.submit(scene_id, "/npc here Lady Maude")
        assert reply.lines == ("Lady Maude Arrel comes in.",)
        assert [m.name for m in (await play.scene(scene_id)).cast] == ["Mara", "Lady Maude Arrel"]
        assert (await program.services.gate.gate(scene_id)).proposals == proposals


@pytest.mark.parametrize(
    ("known", "typed"),
    [
        ("/npc Lady Maude Arrel: a widow", "/npc Lady Maude"),
        ("/creature Toll Dog: old", "/creature Dog"),
        ("/place Hollin Bridge: of stone", "/place Hollin"),
        ("/thing Brass Key: small", "/thing Key"),
        ("/faction Salt Wardens: of the pans", "/faction Wardens"),
    ],
)
async def test_declared_part_of_a_name_is_asked_about_with_a_description(
    tmp_path: Path, known: str, typed: str
) -> None:
    name = known.split(" ", 1)[1].split(":")[0]
    async with opened(tmp_path) as program:
        scene_id, play = await begin(program), program.services.play
        for line in (known, "/accept all", "/commit"):
            await play.submit(scene_id, line)
        reply = await play.submit(scene_id, typed)
        assert reply.lines[0].startswith(f"{name} is known; nothing new was proposed.")
        await play.submit(scene_id, f"{typed}: another")
        (row,) = [r for r in (await program.services.gate.gate(scene_id)).proposals if r.conflicts]
        assert row.mark == "hold"
        assert [c.check_name for c in row.conflicts] == ["alike"]
        reply = await play.submit(scene_id, "/commit")
        assert "Canon" not in " ".join(reply.lines)


async def test_place_that_is_there_is_not_declared_again_unless_it_is_described(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id, play = await begin(program), program.services.play
        for typed in ("/place Yard", "/place the yard", "/place YARD"):
            reply = await play.submit(scene_id, typed)
            assert reply.lines == (
                "Yard is known; nothing new was proposed. /go Yard goes there.",
                "/place NAME: DESCRIPTION proposes another with a name like it.",
            ), typed
        await play.submit(scene_id, "/place Old Mill: by the weir")
        assert (await play.submit(scene_id, "/place here > Old Mill")).lines == (
            "Proposed: Yard leads to Old Mill.",
        )
        rows = (await play.scene(scene_id)).proposals
        assert [row.title for row in rows] == ["Old Mill", "Yard leads to Old Mill."]
        with pytest.raises(InputError, match="does not lead on to itself"):
            await play.submit(scene_id, "/place here > Yard")
        reply = await play.submit(scene_id, "/place Yard: muddy, behind the tannery")
        assert reply.lines == (
            "Proposed: Yard",
            "⚠ There is a place called Yard already. The same one, or another with that name?",
        )
        for typed in ("/thing Lamp", "/faction The Reds"):
            await play.submit(scene_id, typed)
            assert (
                (await play.submit(scene_id, typed)).lines[0].endswith("is known; nothing new was proposed.")
            )
