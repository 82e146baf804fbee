"""The program with a scripted model: what each persona answers, and every request that it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from agents.events import Event
from agents.indexer.embedding_port import Embedder
from agents.llm.llm_port import LlmRequest
from agents.llm.llm_settings import AppSettings, ModelSettings, PersonaSettings
from agents.llm.scripted_model import ScriptedAnswer, ScriptedModel, ScriptedReply
from agents.personas.prompt_files import load_prompts
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.open import open_stores
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from stores.records.llm import Persona
from stores.records.play import Turn
from tests.program import START, begin, copy_empty_library

Script = Mapping[Persona, ScriptedAnswer | Callable[[LlmRequest], ScriptedAnswer]]

NO_SCRIPT: Script = {}
PROSE = "The hinges give with a shriek. Behind the door the dark smells of salt and old rope."
NOTHING = json.dumps({"summary": "The door gives way.", "changes": []})


@dataclass
class ScriptedProgram:
    """`heard` are the events in order, `asked` the personas in the order they were asked."""

    program: Program
    scene_id: Id
    model: ScriptedModel
    heard: list[Event] = field(default_factory=list)

    async def line(self) -> list[Turn]:
        rows = await self.program.services.play.transcript(self.scene_id, 0, 200)
        return [row.turn for row in rows]

    async def last(self) -> Turn:
        return (await self.line())[-1]

    @property
    def asked(self) -> list[Persona]:
        return [persona_of(ask) for ask in self.model.requests]

    def sent(self, persona: Persona, nth: int = -1) -> str:
        """Return everything that the nth request of a persona held."""
        asks = [ask for ask in self.model.requests if persona_of(ask) is persona]
        return "\n".join(message.text for message in asks[nth].messages)


def persona_of(ask: LlmRequest) -> Persona:
    """Tell who asks by what it was told to be, for whichever task; a first try asks as the Narrator would."""
    told = ask.messages[0].text
    found = [p for begins, p in _beginnings().items() if begins in told]
    assert len(found) < 2, told[:200]
    return found[0] if found else Persona.NARRATOR


@cache
def _beginnings() -> Mapping[str, Persona]:
    prompts = load_prompts()
    every = (*prompts.by_persona.values(), *prompts.by_task.values())
    return {prompt.instructions.strip()[:60]: prompt.persona for prompt in every}


def scripted(script: Script) -> ScriptedModel:
    """Return a model in which each persona says what the script has for it, the Narrator `PROSE` and the
    Archivist that nothing changed."""
    said: dict[Persona, ScriptedAnswer | Callable[[LlmRequest], ScriptedAnswer]] = {
        Persona.NARRATOR: PROSE,
        Persona.ARCHIVIST: NOTHING,
    }
    said.update(script)

    def answer(ask: LlmRequest) -> ScriptedAnswer:
        told = said[persona_of(ask)]
        return told(ask) if callable(told) else told

    return ScriptedModel(answer)


def house(
    *on: Persona, off: tuple[Persona, ...] = (), backend: str = "langgraph", **more: object
) -> AppSettings:
    """Return settings with a model, and these personas on beside the usual two."""
    switched = {p.value: PersonaSettings(on=True) for p in on}
    switched |= {p.value: PersonaSettings(on=False) for p in off}
    return AppSettings.model_validate(
        {"model": ModelSettings(name="scripted/good"), "engine": {"backend": backend}, **switched, **more}
    )


@asynccontextmanager
async def telling(
    home: Path,
    script: Script = NO_SCRIPT,
    settings: AppSettings | None = None,
    *,
    seed: int = 1,
    embedder: Embedder | None = None,
    beside_play: bool = False,
) -> AsyncIterator[ScriptedProgram]:
    """Open the program in a new library, with Mara in the yard and a scripted model.

    `beside_play`: what goes on beside play does so, as it does on the screen, and in this process.
    """
    await asyncio.to_thread(copy_empty_library, home)
    clock = SteppingClock(START)
    model = scripted(script)
    program = await open_program(
        home,
        clock=clock,
        ids=SeededIdGenerator(seed, clock, salt=str(home)),
        model=model,
        settings=settings or (house(embedding={"model": "none"}) if beside_play else house()),
        embedder=embedder,
        **(await in_this_process(home, clock) if beside_play else {}),
    )
    try:
        scripted_program = ScriptedProgram(program, await begin(program), model)
        if beside_play:
            program.services.jobs.start()
        program.services.events.subscribe(scripted_program.heard.append)
        yield scripted_program
    finally:
        await program.close()


async def in_this_process(home: Path, clock: SteppingClock) -> dict[str, Any]:
    """Return how to open a program that works beside play without a process of its own."""
    return {"stores": await open_stores(home, clock=clock), "mode": BackgroundMode.PLAY}


def word_by_word(text: str, **how: object) -> ScriptedReply:
    """Return a reply that streams word by word."""
    parts = tuple(f"{word} " for word in text.split())
    return ScriptedReply(parts, **how)  # type: ignore[arg-type]
