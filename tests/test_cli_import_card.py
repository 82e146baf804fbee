"""A character card from SillyTavern, by the command line: imported, accepted at the gate, and said by a prompt."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from monitor_tui.compose import open_program
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from stores.records.llm import Persona
from stores.records.workflow import OPEN_STATUSES, Verdict
from tests.agents.importers.card_files import card_v2, png, text_chunk
from tests.agents.orchestrator.scripted_program import ScriptedProgram, house, scripted
from tests.program import START, begin, opened
from tests.test_worked_examples import monitor

SALT_HOUSE = "The salt house stands on piles over the mud."
TIDE = "The tide rules here."
BOOK = {
    "entries": [
        {"keys": ["salt house"], "content": SALT_HOUSE, "enabled": True},
        {"keys": [], "name": "The tide", "content": TIDE, "enabled": True, "constant": True},
        {
            "keys": ["salt house"],
            "name": "Annals",
            "content": "Salt. " * 1_000,
            "enabled": True,
            "insertion_order": 1,
        },
    ]
}


@asynccontextmanager
async def narrated(home: Path, scene_id: Id) -> AsyncIterator[ScriptedProgram]:
    """Open a library with a scripted model, in a scene that is there."""
    clock, model = SteppingClock(START), scripted({})
    ids = SeededIdGenerator(7, clock, salt=str(home))
    program = await open_program(home, clock=clock, ids=ids, model=model, settings=house())
    try:
        yield ScriptedProgram(program, scene_id, model)
    finally:
        await program.close()


@pytest.mark.slow
async def test_card_imported_by_command_is_accepted_and_its_lore_stands_in_the_prompt_by_key(
    tmp_path: Path,
) -> None:
    home, card = tmp_path / "home", tmp_path / "picture"
    card.write_bytes(png(text_chunk("chara", card_v2(character_book=BOOK))))
    async with opened(home) as program:
        scene_id = await begin(program, name="The Marches")
        universe_id = (await program.services.play.scene(scene_id)).universe.id
    receipt = monitor(home, "import-log", str(card), "--universe", "The Marches", "--no-index").stdout
    assert "1 character, 2 facts and 3 lore entries proposed in The Marches." in receipt
    async with narrated(home, scene_id) as story:
        play, gate = story.program.services.play, story.program.services.gate
        await play.submit(scene_id, "I walk to the salt house.")
        assert "Lore of this world" not in story.sent(Persona.NARRATOR)
        view = await gate.gate(None, universe_id)
        assert {(row.label, row.title) for row in view.proposals} >= {
            ("character", "Ila Rook"),
            ("lore", "salt house"),
            ("lore", "The tide"),
        }
        open_ids = [row.proposal.id for row in view.proposals if row.status in OPEN_STATUSES]
        await gate.decide(open_ids, Verdict.ACCEPT)
        assert (await gate.commit_universe(universe_id)).accepted_count == 6
        for words in ("I wait.", "I sit down.", "I look up at the sky."):
            await play.submit(scene_id, words)
        assert TIDE in story.sent(Persona.NARRATOR)
        assert SALT_HOUSE not in story.sent(Persona.NARRATOR)
        await play.submit(scene_id, "“Where is the Salt House?” I ask.")
        prompt = story.sent(Persona.NARRATOR)
        assert prompt.index(TIDE) < prompt.index(SALT_HOUSE)
        xray = await story.program.services.llm.read_xray((await story.last()).id)
        (call,) = [call for call in xray.calls if call.persona is Persona.NARRATOR]
        lore_sections = [section for section in call.sections if section.name == "lore"]
        assert [bool(section.dropped) for section in lore_sections] == [False, True]
        assert lore_sections[1].dropped.startswith("“Annals” left out: 1,765 tokens, and ")
