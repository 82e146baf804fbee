"""Has the people whom the player's words address answer for themselves, each from their own memories."""

from __future__ import annotations

import re
from asyncio import gather
from dataclasses import replace

from agents.context_assembly.context_package import ContextPackage, ScenePerson
from agents.llm.call_context import CallContext, ProseAnswer
from agents.llm.errors import ModelError
from agents.memory_manager.attendance import is_oracle_answer
from agents.memory_manager.whispers import find_whispers
from agents.memory_manager.whispers import mask_unheard_whispers as heard_words
from agents.orchestrator.narration.inputs import NarrationInput
from agents.orchestrator.narration.state import NarrationState
from agents.personas.personas import Character
from agents.prose.names import names_of
from agents.sanitize import clean
from stores.records.llm import CallOutcome
from stores.records.play import Speaker

MAX_VOICES = 2
"""People who answer for themselves in one exchange; each is a call of the model."""

_SPEECH_PATTERN = re.compile(
    r"[\"“”«»]|\b(?:ask|tell|told|say|said|answer|reply|call|shout|whisper|greet|hail|speak|talk|beg|plead|"
    r"demand|thank|warn|promise|confess|persuade|threaten|insult)(?:s|d|es|ed|ing)?\b",
    re.IGNORECASE,
)


async def add_npc_voices(
    character: Character, state: NarrationState, narration_input: NarrationInput, call_context: CallContext
) -> NarrationState | None:
    """Add the answers of those who are addressed, who are asked side by side; None if the player stopped it.

    For somebody who gets no answer from the model, the Narrator speaks.
    """
    if not character.is_on:
        return state
    listeners = _find_audience(state, narration_input)
    answers = await gather(
        *(
            _ask_npc(character, person, words, narration_input, replace(call_context, nth=nth))
            for nth, (person, words) in enumerate(listeners, start=1)
        )
    )
    voices: dict[str, str] = {}
    for (person, _), answer in zip(listeners, answers, strict=True):
        name = person.entity.name
        if isinstance(answer, ModelError):
            line = f"{name} had no voice of their own, so the Narrator speaks for them: {answer.what}"
            state = state.model_copy(update={"player_lines": (*state.player_lines, line)})
        elif answer is None:
            continue
        elif answer.call.outcome is CallOutcome.STOPPED:
            return None
        elif spoken_line := " ".join(clean(answer.text).split()):
            voices[name] = spoken_line
    return state.model_copy(update={"voices": voices})


def count_voices(character: Character, state: NarrationState, narration_input: NarrationInput) -> int:
    """Return how many people answer for themselves in this exchange."""
    return len(_find_audience(state, narration_input)) if character.is_on else 0


def _find_audience(state: NarrationState, narration_input: NarrationInput) -> list[tuple[ScenePerson, str]]:
    # What an oracle is asked is said to nobody in the world.
    brief = narration_input.brief
    audible_words = "" if is_oracle_answer(brief.result) else brief.player_text
    return find_listeners(audible_words, state, narration_input.package)


async def _ask_npc(
    character: Character,
    person: ScenePerson,
    words: str,
    narration_input: NarrationInput,
    call_context: CallContext,
) -> ProseAnswer | ModelError | None:
    package = narration_input.package
    memories = package.memories_of(person.entity.id)
    npc_brief = replace(narration_input.brief, player_text=words)
    try:
        return await character.speak(person.entity, memories, package, npc_brief, call_context)
    except ModelError as error:
        return error


def find_listeners(
    words: str, state: NarrationState, package: ContextPackage
) -> list[tuple[ScenePerson, str]]:
    """Return the people addressed, each with what they hear of the words: a whisper is not for all."""
    names_by_id = {p.entity.id: names_of(p.entity) for p in package.present_npcs()}
    hero_id, hearers = package.scene.story.pc_id, state.exchange.hearers
    whispered_parts = find_whispers(words, Speaker.PLAYER, "", names_by_id, hero_id)
    words_by_person = (
        (p, heard_words(words, whispered_parts, p.entity.id, hero_id))
        for p in find_addressees(words, package)
    )
    return [
        (p, text)
        for p, text in words_by_person
        if (p.entity.id in hearers if hearers else text == words or _name_position(p, text) is not None)
    ]


def find_addressees(words: str, package: ContextPackage) -> list[ScenePerson]:
    """Return those present whom the words name, in order, if the words are addressed to somebody.

    If they name nobody present and only one person is present, that one.
    """
    if not _SPEECH_PATTERN.search(words):
        return []
    present_people = package.present_npcs()
    name_positions = [
        (place, n) for n, p in enumerate(present_people) if (place := _name_position(p, words)) is not None
    ]
    named_people = [present_people[n] for _, n in sorted(name_positions)]
    return named_people[:MAX_VOICES] if named_people else present_people if len(present_people) == 1 else []


def _name_position(person: ScenePerson, words: str) -> int | None:
    """Return where the words first name somebody, in full or in part."""
    name_pattern = "|".join(re.escape(name) for name in names_of(person.entity))
    match = re.search(rf"(?<!\w)(?:{name_pattern})(?!\w)", words, re.IGNORECASE)
    return match.start() if match else None
