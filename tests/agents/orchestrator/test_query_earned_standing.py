"""Tests that an answer's standing is earned: by who did it, by what is asked for, and by nothing that nobody said."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from agents.importers.import_views import ImportRequest
from agents.views.query_views import AnswerStanding
from tests.agents.orchestrator.asked_record import ask_standing
from tests.program import begin, opened

LINES = (
    "/npc here Bram Tolliver: a miller",
    "/npc here Silas Venn: a moneylender",
    "/npc here Lady Ysolt Merrow: the lady of the valley",
    "/npc here Perrin Lisk: a thief",
    "/thing The Sluice Key: heavy and black",
    "/decide I draw no map of the marsh",
    "/accept all",
    "/commit",
    "/fact Bram Tolliver is dead",
    "/fact I owe Silas Venn forty crowns",
    "/accept all",
    "/commit",
    "/scene The Lantern Fair",
    "> Perrin takes a bow. He has stolen the key for somebody at Thornholt.",
    "I ask Bram's widow when her child will come.",
    "> At midwinter, she says, and no sooner.",
    "I buy a hot pear from a tray.",
    "/paid Mara owes Silas Venn forty crowns",
    "/accept all",
    "/commit",
)
"""Lines as a player types them."""


async def test_query_stands_only_by_what_somebody_said_of_whom_is_asked(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        services, scene_id = program.services, await begin(program)
        for line in LINES:
            await services.play.submit(scene_id, line)
        await services.jobs.wait_until_idle()
        universe_id = (await services.play.scene(scene_id)).universe.id

        ask = partial(ask_standing, program, scene_id)

        # Who did it, and nobody else; by the last word of its name, a thing is told of as well.
        standing, texts = await ask("Who stole the Sluice Key?")
        assert standing is AnswerStanding.ON_RECORD
        assert "He has stolen the key" in texts[0]
        # That he is dead does not say who killed him, and all who are dead are listed.
        assert (await ask("Who killed Bram?"))[0] is AnswerStanding.UNKNOWN
        assert (await ask("Who has died?"))[1][0] == "Bram Tolliver died."
        # What the line before asks is part of the answer.
        assert "At midwinter" in (await ask("When will the widow's child come?"))[1][0]
        # What was owed and is paid is owed no more.
        standing, texts = await ask("What do I owe Silas?")
        assert standing is AnswerStanding.CANON
        assert texts[0] == "Nothing is owed any more."
        assert texts[1].startswith("Paid: ")
        # A title before a name asks for nothing; a decision not to do it is no time at which it was done.
        for question in (
            "Who married Lady Ysolt?",
            "How old is Lady Ysolt?",
            "When did I draw a map of the marsh?",
            "What did I promise Lady Ysolt?",
            "How many crowns did Perrin lend me?",
        ):
            assert (await ask(question))[0] is AnswerStanding.UNKNOWN, question

        # A scene is found by its title, and so are its turns.
        recalled = await services.query.recall_turns(
            "What happened at the Lantern Fair?", universe_id=universe_id
        )
        assert any("hot pear" in turn.text for turn in recalled.turns)


@pytest.mark.slow
async def test_query_reads_a_day_as_when_it_was_played(tmp_path: Path) -> None:
    log = [
        ("2025-02-23T20:00", "GM", "The heron of brass on the hall roof has no head."),
        ("2025-02-24T20:00", "Orla", "I climb the roof of the hall."),
        ("2025-02-24T20:05", "GM", "You find the head of the heron in the gutter, and a mouse in it."),
        ("2025-02-25T20:00", "GM", "The mayor forgives the widow her taxes."),
        ("2025-02-26T20:00", "GM", "The smith, Aldo Brisk, shouts that the guild hall is ablaze."),
        ("2025-02-26T20:05", "Orla", "I carry the rolls into the yard."),
        ("2025-02-26T20:10", "GM", "You save nine of them, and a falling beam burns your hand."),
        ("2025-02-27T20:00", "GM", "Aldo sails to Carrick with the packet."),
    ]
    rows = [
        {
            "turn": f"t{n}",
            "speaker": who,
            "role": "gm" if who == "GM" else "player",
            "text": text,
            "time": time,
        }
        for n, (time, who, text) in enumerate(log)
    ]
    async with opened(tmp_path) as program:
        imported = await program.services.imports.import_log(
            ImportRequest("log.jsonl", "\n".join(map(json.dumps, rows)).encode(), universe="Saltmarket")
        )
        await program.services.jobs.wait_until_idle(imported.universe_id)

        async def ask(question: str) -> list[str]:
            answer = await program.services.query.answer_question(question, universe_id=imported.universe_id)
            return [finding.quote for finding in answer.findings]

        # Orla is whom the GM calls `you`; what else was told of her that day is no answer.
        found = await ask("Where did Orla find the head of the heron on 24 February?")
        assert found == [log[2][2]]
        assert await ask("Where did Orla find the head of the heron on 25 February?") == []
        assert (await ask("Who has forgiven the widow?"))[0] == log[3][2]
        assert await ask("Who has married the widow?") == []
        # The smith is Aldo, the fire was when the hall was ablaze, and `them` are the rolls.
        assert (await ask("Where did the smith sail?"))[0] == log[7][2]
        assert (await ask("What happened to my hand on the night of the fire?"))[0] == log[6][2]
        assert (await ask("How many rolls did I save?"))[0] == log[6][2]


async def test_query_takes_a_line_that_says_all_from_behind_many_others(tmp_path: Path) -> None:
    lines = [f"Pella and I walk to the old mill number {n}. Pella is old." for n in range(1, 13)]
    lines += ["The stable girl is called Pella. She is about twelve, and Biscuit bit her.", "I feed Biscuit."]
    log = "\n".join(
        json.dumps({"turn": f"t{n}", "speaker": "GM", "role": "gm", "text": text})
        for n, text in enumerate(lines)
    )
    async with opened(tmp_path) as program:
        result = await program.services.imports.import_log(
            ImportRequest("log.jsonl", log.encode(), universe="Imported")
        )
        await program.services.jobs.wait_until_idle(result.universe_id)
        ask = partial(program.services.query.answer_question, universe_id=result.universe_id)
        answer = await ask("How old is Pella?")
        assert answer.standing is AnswerStanding.ON_RECORD
        assert "She is about twelve" in answer.findings[0].text
        # Whom she is not told of is no older by it.
        assert (await ask("How old is Biscuit?")).standing is AnswerStanding.UNKNOWN
