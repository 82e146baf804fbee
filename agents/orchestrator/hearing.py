"""Who alone hears what the player types: `/whisper Bela: ...`, or the same in prose.

Source: the issue "Context that remembers" (a whisper reaches only its hearers).
"""

from __future__ import annotations

from dataclasses import replace

from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.memory_manager.whispers import whispered_to
from agents.narrator.known import names_of
from agents.orchestrator.router import Words
from stores.errors import InputError
from stores.records.ids import Id


async def heard_by(
    typed: Words, context: SceneContext, contexts: ContextAssembly
) -> tuple[Words, tuple[Id, ...]]:
    """Return the words as they are to be told, and who alone hears them (nobody: everyone present).

    Raises InputError when one who is to hear a whisper is unknown, or is not here.
    """
    pc_id = context.story.pc_id
    if not typed.whispered:
        if typed.told or (typed.roll is not None and typed.roll.kind == "oracle"):
            return typed, ()
        people = {e.id: names_of(e) for e in context.cast()}
        return typed, whispered_to(typed.text, people, pc_id)
    here = {e.id for e in context.cast()}
    hearers = {}
    for name in typed.whispered:
        entity = await contexts.named(context, name)
        if entity.id == pc_id:
            raise InputError(f"{entity.name} is who you play.", kept="Nothing was played.")
        if entity.id not in here:
            raise InputError(
                f"{entity.name} is not here to hear it.",
                kept="Nothing was played.",
                todo=f"/cast + {entity.name} lets them come in; /cast shows who is here.",
            )
        hearers[entity.id] = entity.name
    names = list(hearers.values())
    to = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    words = typed.text.partition(": ")[2]
    return replace(typed, text=f"I whisper to {to}: {words}"), tuple(hearers)
