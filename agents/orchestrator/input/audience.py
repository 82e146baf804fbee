"""Finds out who alone hears what the player types: `/whisper Bela: ...`, or the same in prose."""

from __future__ import annotations

from dataclasses import replace

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.memory_manager.whispers import find_whisper_hearers
from agents.orchestrator.input.parser import WordsInput
from agents.prose.names import names_of
from stores.errors import InputError
from stores.records.ids import Id


async def resolve_hearers(
    words_input: WordsInput, context: SceneContext, contexts: SceneContextLoader
) -> tuple[WordsInput, tuple[Id, ...]]:
    """Return the words as the turn records them, and who alone hears them (empty: everyone present).

    Raises InputError when a hearer of a whisper is unknown or not here.
    """
    pc_id = context.story.pc_id
    if not words_input.hearer_names:
        if words_input.gm_authored or (words_input.roll is not None and words_input.roll.kind == "oracle"):
            return words_input, ()
        names_by_id = {e.id: names_of(e) for e in context.present_actors()}
        return words_input, find_whisper_hearers(words_input.text, names_by_id, pc_id)
    present_ids = {e.id for e in context.present_actors()}
    hearer_names = {}
    for name in words_input.hearer_names:
        entity = await contexts.find_one_entity(context, name)
        if entity.id == pc_id:
            raise InputError(f"{entity.name} is who you play.", kept="Nothing was played.")
        if entity.id not in present_ids:
            raise InputError(
                f"{entity.name} is not here to hear it.",
                kept="Nothing was played.",
                todo=f"/cast + {entity.name} lets them come in; /cast shows who is here.",
            )
        hearer_names[entity.id] = entity.name
    names = list(hearer_names.values())
    joined_names = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    words = words_input.text.partition(": ")[2]
    return replace(words_input, text=f"I whisper to {joined_names}: {words}"), tuple(hearer_names)
