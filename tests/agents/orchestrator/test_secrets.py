"""Secrets in play: who is said to know them, who is told of them, and what prompts and screens make of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import house, telling
from tests.examples import first_few
from tests.program import begin, opened

SEAL = "Dob forged the seal."


class Table:
    """A story with Vess, Dob and Bela in its first scene."""

    def __init__(self, program: Program, scene_id: Id) -> None:
        self.program = program
        self.scene_id = scene_id

    async def play(self, *lines: str) -> list[str]:
        replies: list[str] = []
        for line in lines:
            replies += (await self.program.services.play.submit(self.scene_id, line)).lines
        return replies

    async def secrets(self) -> list[str]:
        return await self.play("/secret")

    async def commit(self) -> None:
        await self.play("/accept all", "/commit")

    async def undo(self) -> None:
        await self.program.services.play.undo(self.scene_id)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    async with opened(tmp_path) as program:
        table = Table(program, await begin(program))
        await table.play(*(f"/npc here {name}: of the pier" for name in ("Vess", "Dob", "Bela")))
        await table.commit()
        yield table


@pytest.mark.parametrize(
    ("line", "known_to"),
    [
        ("/secret Dob forged the seal", "the GM alone"),
        ("/secret Vess, Dob: Dob forged the seal", "Vess, Dob"),
        ("/secret me and Vess: Dob forged the seal", "Mara, Vess"),
        ("> Only Vess knows that Dob forged the seal.", "Vess"),
        ("> Nobody knows that Dob forged the seal.", "the GM alone"),
        ("> Nobody but Vess and Bela knows that Dob forged the seal, and it must stay so.", "Vess, Bela"),
        ("Only Vess knows that Dob forged the seal.", "Vess"),
    ],
)
async def test_secret_is_proposed_with_who_may_know_it_and_undone(
    table: Table, line: str, known_to: str
) -> None:
    await table.play(line)
    expected = [f"{SEAL} (secret; known to: {known_to})"]
    assert await table.secrets() == expected
    await table.undo()
    assert (await table.secrets())[0].startswith("No secrets.")
    await table.play(line)
    await table.commit()
    assert await table.secrets() == expected


@pytest.mark.parametrize(
    ("line", "known_to"),
    first_few(
        [
            ("> Vess tells Dob that Bela opened the sluice.", "Vess, Dob"),
            ("> Vess quietly tells Dob about the sluice.", "Vess, Dob"),
            ("> Vess confides in Dob that Bela opened the sluice.", "Vess, Dob"),
            ("> Vess tells you the secret.", "Vess, Mara"),
            ("> Vess tells you that Bela opened the sluice.", "Vess, Mara"),
            ("> Vess tells Dob and Bela about the sluice.", "Vess, Dob, Bela"),
            ("> Vess tells Dob that Bela opened the door.", "Vess"),
            ("> Vess tells Dob that Bela never opened the sluice.", "Vess"),
            ("> Will Vess tell Dob that Bela opened the sluice?", "Vess"),
            ("> If Vess tells Dob that Bela opened the sluice, all is lost.", "Vess"),
            ('> "Vess tells Dob that Bela opened the sluice," says the clerk.', "Vess"),
            ("> Bela tells Dob about the sluice.", "Vess"),
            ("I tell Dob that Bela opened the sluice.", "Vess"),
            ("> Vess tells Corvin that Bela opened the sluice.", "Vess"),
        ]
    ),
)
async def test_who_is_told_by_somebody_who_knows_may_know(table: Table, line: str, known_to: str) -> None:
    await table.play("/npc Corvin: far away", "/secret Vess: Bela opened the sluice")
    await table.commit()
    before = await table.secrets()
    replies = await table.play(line)
    assert await table.secrets() == [f"Bela opened the sluice. (secret; known to: {known_to})"]
    assert any("may know" in reply for reply in replies) is (known_to != "Vess")
    await table.undo()
    assert await table.secrets() == before


async def test_hero_who_knows_a_secret_tells_it(table: Table) -> None:
    await table.play("/secret me: Bela opened the sluice")
    await table.commit()
    assert await table.play("I tell Dob that Bela opened the sluice.") == [
        "Proposed: Dob may know: Bela opened the sluice"
    ]
    await table.commit()
    assert await table.secrets() == ["Bela opened the sluice. (secret; known to: Mara, Dob)"]


async def test_gate_names_who_may_know_a_secret_that_is_about_others(table: Table) -> None:
    """Its row said `somebody unknown` of the hero and of Bela, whom the sentence does not name."""
    await table.play("/secret me and Bela: Dob forged the seal")
    (row,) = [
        row for row in (await table.program.services.gate.gate(table.scene_id)).proposals if row.title == SEAL
    ]
    assert ("known to", "all", "Mara, Bela") in row.diff


async def test_secret_is_revealed_and_made_again(table: Table) -> None:
    await table.play("/fact Dob forged the seal")
    await table.commit()
    await table.play("/secret Vess: Dob forged the seal")
    await table.commit()
    assert await table.secrets() == [f"{SEAL} (secret; known to: Vess)"]
    with pytest.raises(InputError, match="so already"):
        await table.play("/secret Vess: Dob forged the seal")
    await table.play("> Everybody knows now that Dob forged the seal.")
    assert (await table.secrets())[0].startswith("No secrets.")
    await table.undo()
    assert await table.secrets() == [f"{SEAL} (secret; known to: Vess)"]
    await table.play("/secret all: Dob forged the seal")
    await table.commit()
    assert (await table.secrets())[0].startswith("No secrets.")


async def test_secret_needs_a_sentence_and_known_people(table: Table) -> None:
    with pytest.raises(InputError, match="Nobody is called 'Corvin'"):
        await table.play("/secret Vess, Corvin: Dob forged the seal")
    with pytest.raises(InputError, match="needs a sentence"):
        await table.play("/secret Vess:")
    with pytest.raises(InputError, match="No such secret"):
        await table.play("/secret all: Dob forged the seal")
    assert (await table.secrets())[0].startswith("No secrets.")


async def test_secret_has_the_one_who_may_know_it_for_a_pronoun(table: Table) -> None:
    await table.play("/npc here Mr. Pask: the steward", "/npc Lady Orla: rich")
    for line, statement in (
        ("/secret Mr. Pask: He forged Lady Orla's will", "Mr. Pask forged Lady Orla's will."),
        ("/secret Mr. Pask: his brother forged the will", "Mr. Pask's brother forged the will."),
        ("/secret Lady Orla: Her Majesty's seal is forged", "Her Majesty's seal is forged."),
        ("> Only Mr. Pask knows that he sank the ferry.", "Mr. Pask sank the ferry."),
    ):
        await table.play(line)
        assert [secret.partition(" (")[0] for secret in await table.secrets()] == [statement], line
        await table.undo()
    for line in (
        "/secret Lady Orla: He forged her seal",
        "/secret Mr. Pask, Lady Orla: He forged the seal",
        "/secret Vess: He killed her father",
        "/secret me: He forged the seal",
        "/secret He forged the seal",
    ):
        with pytest.raises(InputError, match=r"not clear who “He” is"):
            await table.play(line)
    await table.play("> Only Lady Orla knows that he burned the mill.")
    assert (await table.secrets())[0].startswith("No secrets.")


async def test_secret_is_marked_for_the_gm_and_left_out_for_players(table: Table) -> None:
    await table.play(
        "The tide turns.",
        "> Only Vess knows that Dob forged the seal. A gull cries.",
        "/secret Vess: Bela opened the sluice",
        "/note Dob is nervous.",
    )
    await table.commit()
    services = table.program.services
    scene = (await services.play.scene(table.scene_id)).scene
    await services.jobs.wait_until_idle()
    answer = await services.query.answer_question("Who forged the seal?", universe_id=scene.universe_id)
    assert f"{SEAL} (secret; known to: Vess)" in [finding.text for finding in answer.findings]
    assert f"· {SEAL} (secret; known to: Vess)" in await table.play("/show Dob")

    gm_text = read_written(await table.play("/export"))
    assert "Bela opened the sluice. *(" in gm_text
    assert "secret; known to: Vess" in gm_text
    players_text = read_written(await table.play("/export players"))
    assert "The tide turns." in players_text
    assert "A gull cries." in players_text
    for hidden in ("seal", "sluice", "secret", "nervous"):
        assert hidden not in players_text


def read_written(lines: list[str]) -> str:
    return Path(lines[0].removeprefix("Written: ")).read_text()


async def test_who_knows_of_a_secret_are_those_who_may(table: Table) -> None:
    await table.play("> Only Vess knows that Dob forged the seal.")
    await table.commit()
    services = table.program.services
    await services.jobs.wait_until_idle()
    scene = (await services.play.scene(table.scene_id)).scene
    characters = await services.characters.list_characters(scene.universe_id)
    dob = next(row.entity for row in characters if row.entity.name == "Dob")
    card = (await services.characters.read_character(dob.id)).card
    fact_id = next(view.fact.id for view in card.facts if view.fact.statement == SEAL)
    assert [view.name for view in await services.characters.find_who_knows(fact_id)] == ["Vess"]
    memories = (await services.characters.read_character(dob.id)).memories
    assert not any("forged" in view.memory.text for view in memories)


async def test_undoing_a_committed_telling_makes_it_unknown_again(table: Table) -> None:
    await table.play("/secret Vess: Bela opened the sluice")
    await table.commit()
    await table.play("> Vess tells Dob about the sluice.")
    await table.commit()
    question = await table.program.services.play.undo(table.scene_id)
    assert question.confirm_line is not None
    reply = await table.program.services.play.submit(table.scene_id, question.confirm_line)
    assert "Not canon any more: Dob may know: Bela opened the sluice" in reply.lines
    await table.play("/undo")
    assert await table.secrets() == ["Bela opened the sluice. (secret; known to: Vess)"]


async def test_knowers_are_chosen_at_the_gate_and_on_a_card(table: Table) -> None:
    services = table.program.services
    await table.play("/fact Dob forged the seal")
    row = next(r for r in (await services.play.scene(table.scene_id)).proposals if r.title == SEAL)
    with pytest.raises(InputError, match="Nobody is called"):
        await services.gate.set_knowers(row.proposal.id, "Corvin")
    await services.gate.set_knowers(row.proposal.id, "Vess, me")
    assert await table.secrets() == [f"{SEAL} (secret; known to: Vess, Mara)"]
    await table.play("/commit")
    scene = (await services.play.scene(table.scene_id)).scene
    dob = next(
        c.entity
        for c in await services.characters.list_characters(scene.universe_id)
        if c.entity.name == "Dob"
    )
    view = next(
        v for v in (await services.characters.read_character(dob.id)).card.facts if v.fact.statement == SEAL
    )
    assert view.secret_note == "secret; known to: Vess, Mara"
    staged = await services.world.edits.propose_knowers(view.fact.id, "nobody")
    assert staged.lines[0] == "Proposed: Vess, Mara may not know: Dob forged the seal"
    staged = await services.world.edits.propose_knowers(view.fact.id, "all")
    assert staged.lines[0] == "Proposed: No longer a secret: Dob forged the seal"


async def test_prompts_have_the_secrets_of_those_here_and_the_x_ray_says_what_was_held_back(
    tmp_path: Path,
) -> None:
    script = {
        Persona.CHARACTER: "I shrug.",
        Persona.NARRATOR: '"It was Vess who opened the sluice," says Dob. The rain comes down on the yard.',
    }
    async with telling(tmp_path, script, house(Persona.CHARACTER)) as scripted:
        services = scripted.program.services
        for line in (
            "/npc here Vess",
            "/npc here Dob",
            "/npc Bela",
            "/secret Vess: Vess opened the sluice",
            "/secret Bela: Dob forged the seal",
            "/secret The well is poisoned",
            "I ask Dob who opened the gate.",
        ):
            await services.play.submit(scripted.scene_id, line)
        narrator_prompt, dob_prompt = scripted.sent(Persona.NARRATOR), scripted.sent(Persona.CHARACTER)
        assert "- Vess opened the sluice. (secret; known to: Vess)" in narrator_prompt
        for held_back in ("forged the seal", "well is poisoned"):
            assert held_back not in narrator_prompt + dob_prompt
        assert "sluice" not in dob_prompt

        xray = await services.llm.read_xray((await scripted.last()).id)
        calls = {call.persona: call for call in xray.calls}
        held_back_text = str(calls[Persona.NARRATOR].sections) + str(calls[Persona.CHARACTER].sections)
        for held_back in (
            "held back, as nobody here may know it: Dob forged the seal.",
            "held back, as nobody here may know it: The well is poisoned.",
            "held back from Dob: Vess opened the sluice.",
        ):
            assert held_back in held_back_text
        warnings = str([step.summary for step in xray.steps])
        assert "Dob may not know that secret: Vess opened the sluice." in warnings

        await services.play.submit(scripted.scene_id, "I ask Vess who opened the gate.")
        assert "- Vess opened the sluice. (nobody else knows it)" in scripted.sent(Persona.CHARACTER)
