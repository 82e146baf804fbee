"""Finds who speaks in lines such as `Vess: Hello.` and `Vess says: Hello.`, and refuses those who cannot."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.orchestrator.input.parser import WordsInput
from agents.prose.names import MAX_NAME_WORDS, names_of
from agents.prose.speech import SAYS
from agents.solo.presence_checks import require_aware
from stores.records.world import ACTORS, Entity

_SPEAKER: Final = re.compile(
    r"^\s*(?P<name>[^\W\d_a-z][^:.!?\"“”«»\n]{0,80}?)"
    rf"(?P<verb>\s+(?:\w+ly\s+)?{SAYS}(?:\s+\w+ly)?)?\s*:\s*\S",
    re.MULTILINE,
)
"""A speaker at the beginning of a line, with a capital and before a colon."""


async def require_speakers(
    words_input: WordsInput, context: SceneContext, contexts: SceneContextLoader
) -> None:
    """Raise InputError if somebody known speaks in a line of their own who is dead, asleep or away.

    `Vess says: Hello.` is plain narration, which brings in whoever is away, and not only a speaker's mark.
    """
    present_ids = {entity.id for entity in context.present_actors()}
    for match in _SPEAKER.finditer(words_input.text):
        name = match["name"].strip()
        if len(name.split()) > MAX_NAME_WORDS:
            continue
        speaker = await _find_person(context, contexts, name)
        if speaker is None or speaker.id == context.story.pc_id:
            continue
        is_coming_in = match["verb"] and speaker.id not in present_ids and not context.is_dead(speaker)
        if not is_coming_in:
            require_aware(context, speaker, "to say that", "Nothing was played.")


async def give_words_to_speaker(
    words_input: WordsInput, context: SceneContext, contexts: SceneContextLoader
) -> WordsInput:
    """Return `Vess: Hello.` as `Hello.`, said by Vess, if Vess is here and not the hero; other words as they are.

    Whoever plays the hero speaks for the others as the GM does. Words of several lines may be of several people, a
    roll is the hero's, and `Vess says: Hello.` is narration.
    """
    match = _SPEAKER.match(words_input.text)
    if match is None or match["verb"] or words_input.roll or words_input.hearer_names:
        return words_input
    name, _, speech = words_input.text.partition(":")
    if words_input.is_narrate_command or "\n" in words_input.text or len(name.split()) > MAX_NAME_WORDS:
        return words_input
    speaker = await _find_person(context, contexts, name.strip())
    if speaker is None or speaker.id not in {entity.id for entity in context.present_actors()}:
        return words_input
    if speaker.id == context.story.pc_id:
        return words_input
    return replace(words_input, text=speech.strip(), gm_authored=True, npc_name=speaker.name)


async def _find_person(context: SceneContext, contexts: SceneContextLoader, name: str) -> Entity | None:
    """Return the one person or creature who is called so, in full or for short."""
    people = [
        entity
        for entity in await contexts.find_entities(context, name, allow_partial=True)
        if entity.kind in ACTORS and name.casefold() in {n.casefold() for n in names_of(entity)}
    ]
    return people[0] if len(people) == 1 else None
