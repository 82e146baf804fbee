"""NPCs who are spoken to answer from their own memories only, end to end with a scripted model."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.llm.errors import ModelBusy
from agents.llm.llm_port import Usage
from agents.llm.scripted_model import ScriptedReply
from agents.orchestrator.narration.npc_voices import find_addressees
from stores.authority import Role
from stores.records.llm import CallOutcome, Money, Persona
from stores.records.memory import Memory
from stores.records.play import Speaker
from tests.agents.narrator.context_packages import SELLA, TAM, build_package
from tests.agents.orchestrator.scripted_program import PROSE, ScriptedProgram, house, telling

CHARACTER = (Persona.CHARACTER,)
SPOKEN = "“The light is nobody's business,” I say, and I turn the lamp down."
SAID = {Persona.CHARACTER: SPOKEN}
SECRETS = (
    "Ode drowned the keeper.",  # a fact
    "Who drowned the keeper",  # a thread
    "Brenna saw Ode at the tower",  # somebody else's memory
    "The sea takes a life a year",  # a rule
    "Halloran owes Ode a boat",  # a proposal
    "Is Ode a murderer",  # asked of the oracle
    "d100",  # and what it answered
    "2d6",  # a roll
)


async def played(scripted: ScriptedProgram) -> None:
    """A yard with Brenna and Ode in it, and secrets of every kind."""
    services = scripted.program.services
    for line in (
        "/npc here Father Ode: a priest with wet sleeves",
        "/npc here Brenna: a fisher",
        "/npc here Halloran: a debtor",
        f"/fact {SECRETS[0]}",
        f"/thread {SECRETS[1]}?",
        f"/axiom {SECRETS[3]}",
        "/commit",
        f"/fact {SECRETS[4]}",
        "/cast - Halloran",
        "? certain: Is Ode a murderer",
        "/roll 2d6",
        "> Rain drums on the lamp-room glass.",
    ):
        await services.play.submit(scripted.scene_id, line)
    view = await services.play.scene(scripted.scene_id)
    ids = {member.name: member.entity_id for member in view.cast}
    memories = {
        ids["Brenna"]: f"{SECRETS[2]} that night.",
        ids["Father Ode"]: "I lit the lamp for the keeper, once.",
    }
    at = datetime(2026, 1, 1, tzinfo=UTC)
    await scripted.program.stores.log(Role.MEMORY_MANAGER).put_memories(
        [
            Memory(id=f"m{n}", entity_id=who, universe_id=view.universe.id, text=text, created_at=at)
            for n, (who, text) in enumerate(memories.items())
        ]
    )


async def test_npc_voice_one_who_is_asked_knows_its_own_memories_and_what_it_saw_and_heard(
    tmp_path: Path,
) -> None:
    async with telling(tmp_path, SAID, house(*CHARACTER)) as scripted:
        await played(scripted)
        await scripted.program.services.play.submit(scripted.scene_id, "I ask Ode who lit the lamp.")
        asked = scripted.sent(Persona.CHARACTER)
        assert "I lit the lamp for the keeper, once." in asked
        assert "Father Ode" in asked
        assert "a priest with wet sleeves" in asked
        assert "Rain drums" in asked
        assert "I ask Ode who lit the lamp." in asked
        assert "Brenna" in asked  # plain to see
        assert f"- {SECRETS[0]}" in asked  # it is of Ode himself, and nobody marked it as unknown to him
        assert not [secret for secret in SECRETS[1:] if secret.casefold() in asked.casefold()]


async def test_npc_voice_what_it_says_reaches_the_narrator_and_the_x_ray(tmp_path: Path) -> None:
    async with telling(tmp_path, SAID, house(*CHARACTER)) as scripted:
        await played(scripted)
        services = scripted.program.services
        await services.play.submit(scripted.scene_id, "I ask Ode who lit the lamp.")
        assert scripted.asked[:2] == [Persona.CHARACTER, Persona.NARRATOR]
        assert f"- Father Ode: {SPOKEN}" in scripted.sent(Persona.NARRATOR)
        xray = await services.llm.read_xray((await scripted.last()).id)
        calls = {call.persona: call for call in xray.calls}
        assert calls[Persona.CHARACTER].answer == SPOKEN
        sent = {section.name for section in calls[Persona.CHARACTER].sections}
        assert sent == {
            "instructions",
            "self",
            "own",
            "scene",
            "cast",
            "memories",
            "recent",
            "state",
            "words",
            "ask",
        }
        heard = [s for s in calls[Persona.NARRATOR].sections if s.name == "voices"]
        assert SPOKEN in heard[0].text


async def test_npc_voice_each_of_two_answers_from_its_own_memories_in_the_order_they_are_named(
    tmp_path: Path,
) -> None:
    async with telling(tmp_path, SAID, house(*CHARACTER)) as scripted:
        await played(scripted)
        await scripted.program.services.play.submit(
            scripted.scene_id, "“Brenna, was Father Ode here?” I ask."
        )
        # They are asked side by side, so either may be first.
        asked = [scripted.sent(Persona.CHARACTER, nth) for nth in (0, 1)]
        (brenna,) = [sent for sent in asked if "## Who you are\n<data>\nBrenna" in sent]
        (ode,) = [sent for sent in asked if "## Who you are\n<data>\nFather Ode" in sent]
        assert SECRETS[2] in brenna
        assert SECRETS[2] not in ode
        assert "I lit the lamp" in ode
        assert "I lit the lamp" not in brenna
        assert scripted.asked.count(Persona.CHARACTER) == 2


async def test_npc_voice_rewrite_and_a_retake_keep_to_what_was_said(tmp_path: Path) -> None:
    rewrite = '{"faults": [{"quote": "The hinges give with a shriek.", "breaks": "It is Day 1", "note": "shorter"}]}'
    script = {**SAID, Persona.CRITIC: rewrite}
    async with telling(tmp_path, script, house(*CHARACTER, Persona.CRITIC)) as scripted:
        await played(scripted)
        await scripted.program.services.play.submit(scripted.scene_id, "I ask Ode who lit the lamp.")
        assert scripted.asked.count(Persona.NARRATOR) == 2
        assert scripted.asked.count(Persona.CHARACTER) == 1
        assert SPOKEN in scripted.sent(Persona.NARRATOR)


async def test_npc_voice_nobody_is_asked_when_nobody_is_spoken_to_or_the_oracle_is(tmp_path: Path) -> None:
    async with telling(tmp_path, SAID, house(*CHARACTER)) as scripted:
        await played(scripted)
        services = scripted.program.services
        await services.play.submit(scripted.scene_id, "I look at Father Ode.")
        await services.play.submit(scripted.scene_id, "? even: Does Ode tell the truth")
        await services.play.continue_narration(scripted.scene_id)
        assert Persona.CHARACTER not in scripted.asked
        assert scripted.asked.count(Persona.NARRATOR) == 2


@pytest.mark.slow
async def test_npc_voice_without_an_answer_of_its_own_the_narrator_speaks_for_it(tmp_path: Path) -> None:
    script = {Persona.CHARACTER: ModelBusy("The provider is busy.")}
    async with telling(tmp_path, script, house(*CHARACTER)) as scripted:
        await played(scripted)
        reply = await scripted.program.services.play.submit(scripted.scene_id, "I ask Ode who lit the lamp.")
        assert (await scripted.last()).text == PROSE
        assert [line for line in reply.lines if "Father Ode had no voice of their own" in line]
        assert not [line for line in reply.lines if "Nothing was narrated" in line]
        assert "What they say and do now" not in scripted.sent(Persona.NARRATOR)


async def test_npc_voice_near_the_end_of_a_budget_voices_wait_and_the_narration_goes_on(
    tmp_path: Path,
) -> None:
    dear = ScriptedReply((PROSE,), usage=Usage(100, 20, cost=Money(micros=850)))
    async with telling(tmp_path, {**SAID, Persona.NARRATOR: dear}, house(*CHARACTER)) as scripted:
        await played(scripted)
        services = scripted.program.services
        await services.play.continue_narration(scripted.scene_id)
        story_id = (await services.play.scene(scripted.scene_id)).story.id
        await services.llm.set_budget("story", 1_000, subject=story_id)
        reply = await services.play.submit(scripted.scene_id, "I ask Ode who lit the lamp.")
        assert Persona.CHARACTER not in scripted.asked
        assert [line for line in reply.lines if "85 % of this story's budget" in line]
        assert (await scripted.last()).text == PROSE


async def test_npc_voice_to_stop_a_voice_is_to_stop_the_narration(tmp_path: Path) -> None:
    started = asyncio.Event()
    hung = ScriptedReply(("“I ", "never"), gate=asyncio.Semaphore(1), started=started)
    async with telling(tmp_path, {Persona.CHARACTER: hung}, house(*CHARACTER)) as scripted:
        await played(scripted)
        services = scripted.program.services
        job = asyncio.ensure_future(services.play.submit(scripted.scene_id, "I ask Ode who lit the lamp."))
        await asyncio.wait_for(started.wait(), 60)
        assert services.llm.stop_streaming(scripted.scene_id)
        await asyncio.wait_for(job, 60)
        assert Persona.NARRATOR not in scripted.asked
        assert (await scripted.last()).speaker is Speaker.PLAYER
        rows = await scripted.program.stores.log(Role.CONTEXT_ASSEMBLY).llm_calls()
        assert [(c.persona, c.outcome) for c in rows] == [(Persona.CHARACTER, CallOutcome.STOPPED)]


@pytest.mark.parametrize(
    ("words", "who"),
    [
        ("I ask Tam about the bell.", ["Old Tam"]),
        ("I talk to old tam.", ["Old Tam"]),
        ("I stamp my foot and shout.", []),
        ("“Sella, is Tam here?”", ["Sella Brand", "Old Tam"]),
        ("I nod to Sella Brand.", []),
        ("I whisper into the dark.", []),
        ("I thank Joss, who is not here.", []),
    ],
)
def test_whom_words_are_spoken_to(words: str, who: list[str]) -> None:
    assert [p.entity.name for p in find_addressees(words, build_package())] == who


def test_npc_voice_one_who_is_here_alone_is_spoken_to_without_a_name() -> None:
    here = build_package()
    alone = [p for p in here.canonical.cast if p.entity.id != SELLA.id]
    here = replace(here, canonical=replace(here.canonical, cast=tuple(alone)))
    assert [p.entity.id for p in find_addressees("“Who was out last night?”", here)] == [TAM.id]
    assert find_addressees("I look up.", here) == []


async def test_npc_voice_whisper_is_known_to_whom_it_was_whispered(tmp_path: Path) -> None:
    async with telling(tmp_path, SAID, house(*CHARACTER)) as scripted:
        await played(scripted)
        services = scripted.program.services
        await services.play.submit(scripted.scene_id, "/whisper Brenna: Father Ode burned the boat")
        assert scripted.asked.count(Persona.CHARACTER) == 1  # who is only spoken of does not hear it
        assert "burned the boat" in scripted.sent(Persona.CHARACTER)
        await services.play.submit(
            scripted.scene_id, "> Brenna whispers to you, “The oar is hidden.” Ode coughs."
        )
        for line in ("I ask Ode what he knows.", "I ask Brenna what she knows."):
            await services.play.submit(scripted.scene_id, line)
        ode, brenna = (scripted.sent(Persona.CHARACTER, nth) for nth in (1, 2))
        assert "burned the boat" not in ode
        assert "oar is hidden" not in ode
        assert "Brenna whispers to you, …" in ode
        assert "burned the boat" in brenna
        assert "oar is hidden" in brenna


async def test_npc_voice_who_comes_later_does_not_know_what_was_said_before(tmp_path: Path) -> None:
    async with telling(tmp_path, SAID, house(*CHARACTER)) as scripted:
        await played(scripted)
        services = scripted.program.services
        for line in (
            "/cast - Brenna",
            "> Gulls scream over the boat that burned.",
            "/cast + Brenna",
            "/npc here Wren: a child",
            "/commit",
            "I ask Brenna what she heard.",
            "I ask Wren what she heard.",
        ):
            await services.play.submit(scripted.scene_id, line)
        brenna, wren = (scripted.sent(Persona.CHARACTER, nth) for nth in (0, 1))
        for heard in (brenna, wren):
            assert "boat that burned" not in heard
        assert "Rain drums" in brenna
        assert "Rain drums" not in wren
