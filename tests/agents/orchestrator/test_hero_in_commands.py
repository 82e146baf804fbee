"""`I`, `me` and `my` in commands: the hero, by name, in all that goes into canon."""

from __future__ import annotations

from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from tests.program import begin, opened


async def say(program: Program, scene_id: Id, *lines: str) -> tuple[str, ...]:
    replies = [await program.services.play.submit(scene_id, line) for line in lines]
    return replies[-1].lines


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("/promise I will bring the bell back", "Mara will bring the bell back."),
        ("/promise me to bring it back", "Mara promised to bring it back."),
        ("/promise to bring it back", "Mara promised to bring it back."),
        ("/promise Vess pays me before dusk", "Vess pays Mara before dusk."),
        ("/fact I own my boat", "Mara owns Mara's boat."),
        ("/fact debt: I owe Vess a coin", "Mara owes Vess a coin."),
        ("/fact me located_in Yard", "Mara is in Yard."),
        ("/axiom The dead never touch me", "The dead never touch Mara."),
        ("/state me.hp -1", "Mara: HP 10 → 9"),
    ],
)
async def test_command_proposes_the_hero_by_name(tmp_path: Path, line: str, title: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert (await say(program, scene_id, "I look.", line))[0] == f"Proposed: {title}"


async def test_promise_of_the_hero_binds_the_hero(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/promise I will bring the bell back", "/commit")
        pc_id = (await program.services.play.scene(scene_id)).story.pc_id
        card = await program.services.world.entity_cards.read_card(pc_id or "")
        assert "Mara will bring the bell back." in [view.fact.statement for view in card.facts]


async def test_description_and_outcome_name_the_hero(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/npc Vess: my sister", "/end I go home with my sister.")
        rows = (await program.services.gate.gate(scene_id)).proposals
        assert ("description", "—", "Mara's sister") in rows[0].diff
        assert rows[-1].title == "Mara goes home with Mara's sister."


async def test_outcome_keeps_the_typed_words_as_evidence(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/end I go home.")
        (row,) = (await program.services.gate.gate(scene_id)).proposals
        assert "I go home." in [evidence.quote for evidence in row.proposal.evidence]


async def test_decision_names_the_hero_and_is_entered_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await say(program, scene_id, "I look.", "/decide I never go back") == (
            "Decided: Mara never goes back (/lift 1 takes it back)",
        )
        with pytest.raises(InputError, match="is decided already"):
            await say(program, scene_id, "/decide I never go back.")


async def test_words_edited_at_the_gate_name_the_hero(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await say(program, scene_id, "I look.", "/fact The rope is cut")
        (row,) = (await program.services.gate.gate(scene_id)).proposals
        await program.services.gate.edit_text(row.proposal.id, "I cut the rope")
        (row,) = (await program.services.gate.gate(scene_id)).proposals
        assert row.title == "Mara cut the rope."


@pytest.mark.parametrize("line", ["/sheet me", "/show me"])
async def test_hero_is_shown_for_me(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert (await say(program, scene_id, line))[0].startswith("Mara")


async def test_nobody_new_is_called_me(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        with pytest.raises(InputError, match="who you play"):
            await say(program, scene_id, "/npc me: a stranger")
