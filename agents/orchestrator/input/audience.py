"""Finds out who alone hears what the player types: `/whisper Bela: ...`, or the same in prose."""

from __future__ import annotations

from dataclasses import replace

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.memory_manager.private_words import find_private_hearers
from agents.memory_manager.whispers import find_whisper_hearers
from agents.orchestrator.input.parser import WHISPER_EXAMPLE, WHISPER_PROBLEM, WordsInput
from agents.prose.names import MAX_NAME_WORDS, names_of
from agents.solo.presence_checks import require_aware
from stores.errors import InputError
from stores.records.ids import Id


async def resolve_hearers(
    words_input: WordsInput, context: SceneContext, contexts: SceneContextLoader
) -> tuple[WordsInput, tuple[Id, ...]]:
    """Return the words as the turn records them, and who alone hears them (empty: everyone present).

    Raises InputError when a hearer of a whisper is unknown or not here.
    """
    pc_id = context.story.pc_id
    if not words_input.hearer_names and not words_input.is_whisper_unsplit:
        if words_input.gm_authored or (words_input.roll is not None and words_input.roll.kind == "oracle"):
            return words_input, ()
        names_by_id = {e.id: names_of(e) for e in context.present_actors()}
        whisper_hearers = find_whisper_hearers(words_input.text, names_by_id, pc_id)
        return words_input, whisper_hearers or find_private_hearers(words_input.text, names_by_id, pc_id)
    if words_input.is_whisper_unsplit:
        words_input = await _split_whisper(words_input, context, contexts)
    hearer_names = {}
    for name in words_input.hearer_names:
        entity = await contexts.find_one_entity(context, name)
        if entity.id == pc_id:
            raise InputError(f"{entity.name} is who you play.", kept="Nothing was played.")
        require_aware(context, entity, "to hear it", "Nothing was played.")
        hearer_names[entity.id] = entity.name
    names = list(hearer_names.values())
    joined_names = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    words = words_input.text.partition(": ")[2]
    return replace(words_input, text=f"I whisper to {joined_names}: {words}"), tuple(hearer_names)


async def _split_whisper(
    words_input: WordsInput, context: SceneContext, contexts: SceneContextLoader
) -> WordsInput:
    """Return a whisper that was typed without a colon, with the longest name at its beginning as its hearer."""
    words = words_input.text.split()
    for size in range(min(len(words) - 1, MAX_NAME_WORDS), 0, -1):
        name, rest = " ".join(words[:size]), " ".join(words[size:])
        if len(await contexts.find_entities(context, name, allow_partial=size == 1)) == 1:
            return replace(words_input, text=f"I whisper to {name}: {rest}", hearer_names=(name,))
    raise InputError(WHISPER_PROBLEM, kept="Nothing was played.", todo=WHISPER_EXAMPLE)
