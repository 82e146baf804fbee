"""What is off the line is in no prompt: not in what came before, in memories, among proposals, nor found again.

Each typed line and each narration has a word of its own, by which it would be found wherever it came to be.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer
from stores.authority import Role
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.llm import Persona
from stores.records.play import GM_SPEAKERS, Turn
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.agents.orchestrator.scripted_program import Script, ScriptedProgram, house, persona_of, telling
from tests.examples import examples

_WORD = re.compile(r"zq\d+x", re.IGNORECASE)
_LIFTED = re.compile(r"lifts the (zq\d+x) lamp")
_DRAFT = re.compile(r"^## How it was narrated before[^\n]*\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)

ACTIONS = st.lists(
    st.one_of(
        st.just(("say", 0)),
        st.just(("say", 0)),
        st.just(("retake", 0)),
        st.just(("retake", 0)),
        st.just(("undo", 0)),
        st.just(("undo", 0)),
        st.just(("redo", 0)),
        st.just(("previous take", 0)),
        st.just(("next take", 0)),
        st.just(("go on", 0)),
        st.just(("end", 0)),
        st.tuples(st.just("branch"), st.integers(0, 30)),
    ),
    min_size=3,
    max_size=14,
)


@dataclass
class Teller:
    """The model: a new word each time it is asked, in everything that it says."""

    count: int = 0

    def new_word(self) -> str:
        self.count += 1
        return f"zq{self.count}x"

    def narrate(self, _: LlmRequest) -> ScriptedAnswer:
        word = self.new_word()
        return (
            f"Tam Rudd lifts the {word} lamp, and the quay behind him lies as black and still as the water. "
            f"“The {word} is sunk,” says Tam Rudd. Brother {word.title()} comes in and sits down. "
            f"Tam Rudd promises to bring the {word} to the priory.\n"
            f"@DECISION(reason=the {word} is lost, impact=all owe)"
        )

    def record(self, request: LlmRequest) -> ScriptedAnswer:
        """Record what the request tells, which is not always what was narrated last: a branch is recorded anew."""
        word = _LIFTED.findall(request.messages[-1].text)[-1]
        promise = {
            "kind": "promise",
            "subject": "Tam Rudd",
            "object": f"to bring the {word} to the priory",
            "quote": f"Tam Rudd promises to bring the {word} to the priory.",
            "weight": 90,
        }
        newcomer = {
            "kind": "new",
            "subject": f"Brother {word.title()}",
            "predicate": "character",
            "object": f"a monk of the {word}",
            "quote": f"Brother {word.title()} comes in and sits down.",
            "weight": 80,
        }
        fact = {
            "kind": "fact",
            "subject": "Tam Rudd",
            "predicate": "has",
            "object": f"the {word} lamp",
            "quote": f"Tam Rudd lifts the {word} lamp",
            "weight": 50,
        }
        return json.dumps({"summary": f"Tam lifts the {word}.", "changes": [promise, newcomer, fact]})

    def speak(self, _: LlmRequest) -> ScriptedAnswer:
        return f"Tam Rudd nods. “I saw the {self.new_word()} go down.”"


def build_script(teller: Teller) -> Script:
    return {
        Persona.NARRATOR: teller.narrate,
        Persona.ARCHIVIST: teller.record,
        Persona.CHARACTER: teller.speak,
        Persona.STEWARD: json.dumps({"doubts": []}),
    }


@dataclass
class Play:
    scripted: ScriptedProgram
    teller: Teller
    scene_id: Id
    draft_words: set[str] = field(default_factory=set)

    async def settle(self) -> None:
        """Let memories, summaries and indexes be written."""
        await self.scripted.program.services.jobs.wait_until_idle()

    async def line(self) -> list[Turn]:
        rows = await self.scripted.program.services.play.transcript(self.scene_id, 0, 200)
        return [row.turn for row in rows]

    async def read_words(self) -> set[str]:
        """Return the words of the story's turns on their lines, without the last GM turn's if it is told again."""
        log = self.scripted.program.stores.log(Role.CONTEXT_ASSEMBLY)
        scene = await log.scene(self.scene_id)
        texts = []
        for earlier_scene in await log.scenes(scene.story_id):
            if earlier_scene.id != self.scene_id and earlier_scene.order < scene.order:
                rows = await self.scripted.program.services.play.transcript(earlier_scene.id, 0, 200)
                texts += [row.turn.text for row in rows]
        texts += [turn.text for turn in await self.line()]
        return find_words(" ".join(texts))

    async def act(self, action: str, number: int) -> None:
        play = self.scripted.program.services.play
        match action:
            case "say":
                await play.submit(self.scene_id, f"I ask Tam Rudd of the {self.teller.new_word()} lamp.")
            case "retake":
                await play.narrate_again(self.scene_id, "shorter")
            case "undo":
                await play.submit(self.scene_id, "/undo yes")
            case "redo":
                await play.submit(self.scene_id, "/redo")
            case "previous take":
                await play.walk_takes(self.scene_id, -1)
            case "next take":
                await play.walk_takes(self.scene_id, 1)
            case "go on":
                await play.continue_narration(self.scene_id)
            case "end":
                for line in ("/end", "/commit"):
                    reply = await play.submit(self.scene_id, line)
                    if reply.goto == "scene" and reply.subject:
                        self.scene_id = reply.subject
            case "branch":
                turns = await self.line()
                if turns:
                    services, turn_id = self.scripted.program.services, turns[number % len(turns)].id
                    made = await services.branches.make_branch(
                        self.scene_id, turn_id, f"b{len(self.scripted.model.requests)} {self.teller.count}"
                    )
                    self.scene_id = await services.stories.resume(made.copy.story_id)


def find_words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def find_prompt_words(request: LlmRequest, *, without_draft: bool) -> set[str]:
    text = "\n".join(message.text for message in request.messages)
    return find_words(_DRAFT.sub("", text) if without_draft else text)


@pytest.mark.slow
@settings(max_examples=examples(60, 8), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ACTIONS)
def test_prompts_hold_only_what_is_on_the_line(actions: list[tuple[str, int]]) -> None:
    asyncio.run(play_and_read_prompts(actions))


@pytest.mark.slow
def test_prompts_hold_only_what_is_on_the_line_in_a_story_with_every_way_back() -> None:
    named = ("say", "say", "retake", "go on", "retake", "undo", "redo", "previous take", "say", "retake")
    ended = ("end", "say", "retake", "undo", "undo", "undo", "say", "retake")
    asyncio.run(
        play_and_read_prompts([*((n, 0) for n in named), ("branch", 4), *((n, 0) for n in (*named, *ended))])
    )


async def play_and_read_prompts(actions: list[tuple[str, int]]) -> None:
    teller = Teller()
    script = build_script(teller)
    with tempfile.TemporaryDirectory() as folder:
        async with telling(
            Path(folder), script, house(Persona.CHARACTER), embedder=FakeEmbedder("m")
        ) as scripted:
            play = Play(scripted, teller, scripted.scene_id)
            await scripted.program.services.play.submit(play.scene_id, "/npc here Tam Rudd: a ferryman")
            await play.settle()
            for action, number in actions:
                asked_before = len(scripted.model.requests)
                line, count = await play.line(), teller.count
                words_on_line = await play.read_words()
                if action == "retake" and line and line[-1].speaker in GM_SPEAKERS:
                    words_on_line -= find_words(line[-1].text) - find_words(
                        " ".join(turn.text for turn in line[:-1])
                    )
                try:
                    await play.act(action, number)
                except MonitorError:
                    continue
                finally:
                    await play.settle()
                # A take walked to, or a turn done again, is asked about too, and may be before the action returns.
                words_on_line |= await play.read_words()
                new_words = {f"zq{n}x" for n in range(count + 1, teller.count + 1)}
                for request in scripted.model.requests[asked_before:]:
                    is_retake = action == "retake" and persona_of(request) is Persona.NARRATOR
                    words = find_prompt_words(request, without_draft=is_retake)
                    left_words = words - words_on_line - new_words
                    assert not left_words, (
                        action,
                        persona_of(request),
                        left_words,
                        request.messages[-1].text,
                    )


async def test_retake_gives_the_draft_and_the_wish_and_nothing_else_of_the_rejected_take(
    tmp_path: Path,
) -> None:
    """“Shorter” has a text to act on, and what it tells has not happened."""
    teller = Teller()
    script = build_script(teller)
    async with telling(tmp_path, script, embedder=FakeEmbedder("m")) as scripted:
        play = Play(scripted, teller, scripted.scene_id)
        services = scripted.program.services.play
        await services.submit(play.scene_id, "/npc here Tam Rudd: a ferryman")
        await services.submit(play.scene_id, "I ask Tam Rudd what sank.")
        rejected = (await play.line())[-1].text
        await play.settle()
        await services.narrate_again(play.scene_id, "shorter")
        sent = scripted.sent(Persona.NARRATOR)
        draft = _DRAFT.search(sent)
        assert draft is not None
        assert rejected in draft[0]
        assert "shorter" in sent
        assert "zq1x" not in _DRAFT.sub("", sent).casefold()
        assert "zq1x" not in scripted.sent(Persona.ARCHIVIST).casefold()
