"""Whom the player's words speak to, and what those say for themselves, each from their own memories alone.

Source: design/product.md, pain 12; LANGGRAPH_AGENTS, "Agent catalog" (Character).
"""

from __future__ import annotations

import re
from dataclasses import replace

from agents.clean import clean
from agents.context_assembly.package import ContextPackage, Present
from agents.context_assembly.sections import asks_oracle
from agents.memory_manager.whispers import heard as heard_of
from agents.memory_manager.whispers import whispers
from agents.model.asking import Occasion
from agents.model.errors import ModelError
from agents.narrator.known import names_of
from agents.orchestrator.ground import Ground
from agents.orchestrator.turn_state import TurnState
from agents.personas.character import Character
from stores.records.model import CallOutcome
from stores.records.play import Speaker

MOST_VOICES = 2
"""People who speak for themselves in one exchange: each is a call."""

_SPEECH = re.compile(
    r"[\"“”«»]|\b(?:ask|tell|told|say|said|answer|reply|call|shout|whisper|greet|hail|speak|talk|beg|plead|"
    r"demand|thank|warn|promise|confess|persuade|threaten|insult)(?:s|d|es|ed|ing)?\b",
    re.IGNORECASE,
)


async def with_voices(
    character: Character, state: TurnState, ground: Ground, occasion: Occasion
) -> TurnState | None:
    """Let those who are spoken to answer; for whom the model has no answer, the Narrator speaks. None if the
    player stopped it."""
    bound, voices = ground.bound, {}
    # What an oracle is asked is said to nobody in the world.
    heard = "" if asks_oracle(bound.result) else bound.words
    for nth, (person, words) in enumerate(listening(heard, state, ground.package), start=1):
        npc = person.entity
        memories = ground.package.memories_of(npc.id)
        told = replace(bound, words=words)
        try:
            said = await character.speak(npc, memories, ground.package, told, replace(occasion, nth=nth))
        except ModelError as error:
            line = f"{npc.name} had no voice of their own, so the Narrator speaks for them: {error.what}"
            state = state.model_copy(update={"told": (*state.told, line)})
            continue
        if said is None:
            break  # the persona is off
        if said.call.outcome is CallOutcome.STOPPED:
            return None
        if answer := " ".join(clean(said.text).split()):
            voices[npc.name] = answer
    return state.model_copy(update={"voices": voices})


def listening(words: str, state: TurnState, package: ContextPackage) -> list[tuple[Present, str]]:
    """Return whom the words speak to, each with what they hear of them: a whisper is not for all."""
    people = {p.entity.id: names_of(p.entity) for p in package.present()}
    pc_id, hearers = package.scene.story.pc_id, state.exchange.hearers
    spoken = whispers(words, Speaker.PLAYER, "", people, pc_id)
    each = ((p, heard_of(words, spoken, p.entity.id, pc_id)) for p in spoken_to(words, package))
    return [
        (p, text)
        for p, text in each
        if (p.entity.id in hearers if hearers else text == words or _place_of(p, text) is not None)
    ]


def spoken_to(words: str, package: ContextPackage) -> list[Present]:
    """Return those present whom the words name, in the order they are named, if they are words to somebody;
    if they name nobody here, and one alone is here, that one."""
    if not _SPEECH.search(words):
        return []
    here = package.present()
    places = [(place, n) for n, p in enumerate(here) if (place := _place_of(p, words)) is not None]
    named = [here[n] for _, n in sorted(places)]
    return named[:MOST_VOICES] if named else here if len(here) == 1 else []


def _place_of(person: Present, words: str) -> int | None:
    """Return where in the words somebody is named first, in full or in part."""
    called = "|".join(re.escape(name) for name in names_of(person.entity))
    found = re.search(rf"(?<!\w)(?:{called})(?!\w)", words, re.IGNORECASE)
    return found.start() if found else None
