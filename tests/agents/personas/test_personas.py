"""Tests of the personas: what each sends, how it reads the answer, and what it does when it is off."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from agents.context_assembly.prompt_sections import SECTIONS, build_npc_sections, build_prompt_sections
from agents.ingest.ladder.tool_calls import ChunkToolCalls
from agents.llm.call_context import CallContext, OnText, PromptParts, ProseAnswer, StructuredAnswer
from agents.llm.errors import ModelRefused
from agents.personas.narrator_brief import CONTINUE_INSTRUCTION, NarratorBrief
from agents.personas.outputs import (
    OUTPUTS,
    Chronicle,
    CitedAnswer,
    Critique,
    Doubts,
    DraftFault,
    Plan,
    Routing,
    StoryIdea,
    SuggestedActions,
)
from agents.personas.personas import (
    Archivist,
    Character,
    Critic,
    Director,
    Monitor,
    Narrator,
    first_sentence,
)
from agents.personas.prompt_files import SECTION_NAMES, load_prompts
from stores.records.llm import FallbackStep, LlmCall, Persona
from stores.records.memory import Memory
from stores.records.play import Degree, Stake, Stakes
from tests.agents.narrator.context_packages import (
    CATALOGUE,
    JOSS,
    MARA,
    SELLA,
    STORY,
    TAM,
    alternate_turns,
    build_package,
)
from tests.contract import builders as make

T = TypeVar("T", bound=BaseModel)
AT = datetime(2026, 1, 1, tzinfo=UTC)
CALL_CONTEXT = CallContext("u", "s", "c", "b")


class FakeCalls:
    """Implements `PersonaCalls` with given answers, and records the requests."""

    def __init__(self, *answers: BaseModel | str | None, on: Collection[Persona] = tuple(Persona)) -> None:
        self._answers = list(answers)
        self._on = on
        self.requests: list[tuple[Persona, PromptParts]] = []

    def is_on(self, persona: Persona) -> bool:
        return persona in self._on

    async def ask_prose(
        self,
        persona: Persona,
        parts: PromptParts,
        call_context: CallContext,
        on_text: OnText,
        task: str = "",
        pictures: tuple[str, ...] = (),
    ) -> ProseAnswer:
        self.requests.append((persona, parts))
        text = str(self._answers.pop(0))
        on_text(text)
        return ProseAnswer(text, call(persona))

    async def ask_structured(
        self,
        persona: Persona,
        parts: PromptParts,
        call_context: CallContext,
        output_type: type[T],
        task: str = "",
        max_answers: int = 2,
    ) -> StructuredAnswer[T]:
        self.requests.append((persona, parts))
        answer = self._answers.pop(0)
        value = None if answer is None else output_type.model_validate_json(answer.model_dump_json())  # type: ignore[union-attr]
        return StructuredAnswer(value, FallbackStep.SCHEMA if value else FallbackStep.NONE, call(persona))


def call(persona: Persona) -> LlmCall:
    return LlmCall(id="1", universe_id="u", persona=persona, model="m", at=AT)


def memory_of(entity_id: str, text: str) -> Memory:
    return Memory(id=make.new_id(), entity_id=entity_id, universe_id="u", text=text, created_at=AT)


PACKAGE = build_package(turns=alternate_turns("I knock.", "Nobody answers."), player_text="I push the door.")
BRIEF = NarratorBrief(player_text="I push the door.", result="2d6: 5 vs 9, fail", degree=Degree.FAIL)


async def test_persona_sends_sections_of_its_prompt() -> None:
    calls = FakeCalls(
        Plan(beats=("a", "b")),
        "The door holds.",
        Critique(
            faults=(
                DraftFault(quote="Draft, and so on", breaks="2d6: 5 vs 9", note="e"),
                DraftFault(quote="not in the draft", breaks="2d6: 5 vs 9"),
                DraftFault(quote="Draft, and so on", breaks="on no record whatever"),
            )
        ),
        Chronicle(summary="It rains. It rains.\nIt rains."),
        "“Who is there?”",
        Routing(mode="operation", command="show", argument="Mara"),
    )
    assert await Director(calls).plan(PACKAGE, BRIEF, CALL_CONTEXT) == Plan(beats=("a", "b"))
    texts: list[str] = []
    assert (await Narrator(calls).narrate(PACKAGE, BRIEF, texts.append, CALL_CONTEXT)).text == texts[0]
    faults = await Critic(calls).find_faults("Draft, and so on.", PACKAGE, BRIEF, CALL_CONTEXT)
    assert [fault.note for fault in faults] == ["e"], "a fault stands by its quote and its line"
    record = await Archivist(calls).record("Draft.", PACKAGE, BRIEF, CATALOGUE, CALL_CONTEXT)
    assert (record.summary, record.changes) == ("It rains.", ())
    reply = await Character(calls).speak(TAM, (), PACKAGE, BRIEF, CALL_CONTEXT)
    assert reply is not None
    assert (await Monitor(calls).classify("show Mara", {"show": "shows"}, CALL_CONTEXT)).command == "show"
    assert [persona for persona, _ in calls.requests] == [
        Persona.DIRECTOR,
        Persona.NARRATOR,
        Persona.CRITIC,
        Persona.ARCHIVIST,
        Persona.CHARACTER,
        Persona.MONITOR,
    ]
    prompts = load_prompts()
    for persona, sections in calls.requests:
        undroppable_names = {s.name for s in prompts[persona].sections if not s.drop} - {
            "note",
            "lines",
            "promises",
            "decisions",
        }
        assert undroppable_names <= set(sections), persona
        assert set(sections) <= SECTION_NAMES


async def test_personas_off_leave_one_call_per_turn() -> None:
    calls = FakeCalls("The door holds. It is cold.", on={Persona.NARRATOR})
    assert await Director(calls).plan(PACKAGE, BRIEF, CALL_CONTEXT) is None
    reply = await Narrator(calls).narrate(PACKAGE, BRIEF, lambda words: None, CALL_CONTEXT)
    assert await Critic(calls).find_faults(reply.text, PACKAGE, BRIEF, CALL_CONTEXT) == ()
    record = await Archivist(calls).record(reply.text, PACKAGE, BRIEF, CATALOGUE, CALL_CONTEXT)
    assert (record.summary, record.changes) == ("The door holds.", None)
    assert await Character(calls).speak(TAM, (), PACKAGE, BRIEF, CALL_CONTEXT) is None
    assert (await Monitor(calls).classify("list all", {"list": "lists"}, CALL_CONTEXT)).mode == "narration"
    assert len(calls.requests) == 1


async def test_persona_without_answer_behaves_as_if_off() -> None:
    calls = FakeCalls(None, None, None, None)
    assert await Director(calls).plan(PACKAGE, BRIEF, CALL_CONTEXT) is None
    assert await Critic(calls).find_faults("Draft.", PACKAGE, BRIEF, CALL_CONTEXT) == ()
    assert (
        await Archivist(calls).record("It rains.", PACKAGE, BRIEF, CATALOGUE, CALL_CONTEXT)
    ).changes is None
    assert (await Monitor(calls).classify("x", {"list": "lists"}, CALL_CONTEXT)).mode == "narration"


async def test_monitor_chooses_only_existing_commands() -> None:
    calls = FakeCalls(
        Routing(mode="operation", command="none"), Routing(mode="operation", command="end", argument="a\nb")
    )
    operations = {"end": "ends", "list": "lists"}
    assert (await Monitor(calls).classify("wipe it all", operations, CALL_CONTEXT)).mode == "narration"
    routing = await Monitor(calls).classify("that is it", operations, CALL_CONTEXT)
    assert (routing.mode, routing.command, routing.argument) == ("operation", "end", "a b")


# --- what an NPC knows --------------------------------------------------------------------------------


async def test_character_gets_only_its_own_memories() -> None:
    secret = make.fact("Sella Brand is the heir of the coast.", SELLA)
    memories = (memory_of(TAM.id, "I hid the key."), memory_of(SELLA.id, "I saw Tam hide it."))
    scene_package = build_package(
        secret, memories=memories, turns=alternate_turns("I knock.", "Nobody answers.")
    )
    calls = FakeCalls("“Go away.”")
    await Character(calls).speak(TAM, memories, scene_package, BRIEF, CALL_CONTEXT)
    ((_, sections),) = calls.requests
    everything = "\n".join(sections.values())
    assert "I hid the key." in sections["memories"]
    assert "I saw Tam hide it." not in everything
    assert "heir of the coast" not in everything
    assert "Old Tam" in sections["self"]
    assert "Sella Brand" in sections["cast"]
    assert "Joss" not in sections["cast"]
    assert "Nobody answers." in sections["recent"]
    assert "2d6" not in everything


def test_narrator_prompt_names_owner_of_each_memory() -> None:
    memories = (memory_of(TAM.id, "I hid the key."), memory_of(JOSS.id, "I took it."))
    sections = build_prompt_sections(build_package(memories=memories))["memories"]
    assert sections == "- Old Tam remembers: I hid the key."


# --- sections -----------------------------------------------------------------------------------------


def test_persona_sections_name_dead_and_absent() -> None:
    sections = build_prompt_sections(PACKAGE)
    assert set(sections) <= set(SECTIONS) <= SECTION_NAMES
    assert set(build_npc_sections(PACKAGE, TAM, ())) <= SECTION_NAMES
    state = sections["state"]
    assert "The Orc: DEAD: neither speaks nor acts" in state
    assert "Lorne is dead, and not here" in state
    assert "Joss is not here" in state
    assert "Mara: hp 10" in state
    assert "The Orc, creature" in sections["cast"]
    assert "Joss" not in sections["cast"]
    assert sections["recent"] == "Mara: I knock.\nGM: Nobody answers."


# --- what binds ---------------------------------------------------------------------------------------


def test_narrator_brief_states_sealed_result_and_stakes() -> None:
    stakes = Stakes(
        by_degree=(
            Stake(degree=Degree.FAIL, says="the alarm is raised"),
            Stake(degree=Degree.SUCCESS, says="in"),
        )
    )
    roll = make.resolution(
        alternate_turns("I push.")[0],
        text="2d6: 5 vs 9",
        degree=Degree.FAIL,
        stakes=stakes,
        effects=("Mara.hp -1",),
    )
    brief = NarratorBrief.from_story(STORY, "I push.", roll)
    result_text = brief.parts()["result"]
    assert "2d6: 5 vs 9" in result_text
    assert "It FAILED" in result_text
    assert "the alarm is raised" in result_text
    assert "in\n" not in result_text
    assert "It does: Mara.hp -1" in result_text
    assert brief.parts()["lines"] == STORY.lines_and_veils


def test_narrator_brief_continuation_asks_world_to_act() -> None:
    assert NarratorBrief.from_story(STORY, "").parts()["words"] == CONTINUE_INSTRUCTION
    assert "result" not in NarratorBrief.from_story(STORY, "I look.").parts()


def test_narrator_brief_retake_has_note_and_draft() -> None:
    sections = replace(BRIEF, note="less gore", draft="Blood.", voices={"Old Tam": "“No.”"}).parts()
    assert sections["note"] == "less gore"
    assert sections["draft"] == "Blood."
    assert sections["voices"] == "- Old Tam: “No.”"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("It rains. It pours.", "It rains."),
        ("“Stop!” she says. You stop.", "“Stop!” she says."),
        ("word " * 100, ("word " * 39)[:-1] + "…"),
        ("", ""),
    ],
)
def test_archivist_first_sentence_summarises_draft(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


async def test_monitor_suggests_story_even_if_off_and_cleans_it() -> None:
    idea = StoryIdea(title="The\x1b[31m Light\nGoes Out", people=("Ode: a priest\u202e", "--", ""), place=" ")
    calls = FakeCalls(idea, on=())
    cleaned_idea = await Monitor(calls).suggest_story("a lighthouse", {"world": "Salt Coast"}, CALL_CONTEXT)
    assert (cleaned_idea.title, cleaned_idea.people, cleaned_idea.place) == (
        "The Light Goes Out",
        ("Ode: a priest",),
        "",
    )
    assert calls.requests == [(Persona.MONITOR, {"world": "Salt Coast", "words": "a lighthouse"})]


@pytest.mark.parametrize("answer", [None, StoryIdea(), StoryIdea(title="\x07", people=("—",))])
async def test_monitor_raises_error_for_empty_story_idea(answer: StoryIdea | None) -> None:
    with pytest.raises(ModelRefused, match="No story could be read"):
        await Monitor(FakeCalls(answer)).suggest_story("a lighthouse", {}, CALL_CONTEXT)


def test_story_idea_is_parsed_from_labelled_lines() -> None:
    text = "Sure!\n**Title:** The Drowned Light\n- Hero name: Sel\nScene goal: light it again\nNote: nice"
    idea = StoryIdea.from_words(text)
    assert idea == StoryIdea(title="The Drowned Light", hero_name="Sel", scene_goal="light it again")
    assert StoryIdea.from_words("Once upon a time there was a light.") is None


@pytest.mark.parametrize("model", OUTPUTS.values())
def test_persona_outputs_have_one_line_form(model: type[BaseModel]) -> None:
    examples: dict[type[BaseModel], Any] = {
        Plan: Plan(beats=("a",)),
        Critique: Critique(faults=()),
        Chronicle: Chronicle(summary="s"),
        Routing: Routing(mode="narration"),
        CitedAnswer: CitedAnswer(unknown=True),
        SuggestedActions: SuggestedActions(actions=("I wait.",)),
        StoryIdea: StoryIdea(),
        Doubts: Doubts(doubts=()),
        ChunkToolCalls: ChunkToolCalls(),
    }
    words = examples[model].in_short()
    assert words
    assert "\n" not in words
    assert MARA.name not in words
