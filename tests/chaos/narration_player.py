"""A real process that plays with a scripted model, and dies by SIGKILL where it is told to.

Every request and every end of an answer is noted with an fsync, so that what was asked can be counted after
the kill. The hooks that kill are here and in no code of the program.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

from agents.llm.llm_port import LlmRequest, TextChunk, Usage
from agents.llm.scripted_model import ScriptedModel
from agents.orchestrator.narration.runner import StepFunctions
from agents.orchestrator.narration.state import NarrationState
from agents.orchestrator.narration.steps import NarrationSteps
from monitor_tui.compose import open_program
from stores.records.ids import Id
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import house, persona_of
from tests.program import begin

ON = (Persona.DIRECTOR, Persona.STEWARD, Persona.CRITIC)
NEVER = "never"
AGAIN_EVERY = 3
"""The Critic asks for a rewrite of every third narration, so the Narrator is asked twice."""

Note = Callable[..., None]


def act(number: int) -> str:
    return f"I do thing {number}. /check might vs 7"


def said(number: int, *, again: bool = False) -> str:
    """Return what the Narrator says, the second time in other words."""
    how = "A second lamp is lit over it." if again else "Rain runs down the wall."
    return f"{how} Mara promises to bring {number} bells to the priory."


def key_of(ask: LlmRequest) -> tuple[int, str, int]:
    """Return which call it is, as the log names it: the thing done, the persona, and how often it spoke."""
    prompt = "\n".join(message.text for message in ask.messages)
    number = int(re.findall(r"I do thing (\d+)\.", prompt)[-1])
    match persona := persona_of(ask):
        case Persona.NARRATOR:
            is_second = "How it was narrated before" in prompt
        case Persona.ARCHIVIST:
            # It reads a draft while the Critic does, and what was written instead of it after that.
            is_second = said(number, again=True) in prompt
        case _:
            is_second = False
    return number, persona.value, 2 if is_second else 1


def answer(ask: LlmRequest) -> str:
    number, persona, nth = key_of(ask)
    match persona:
        case Persona.DIRECTOR:
            return json.dumps({"beats": ["it rains"], "assumptions": []})
        case Persona.CRITIC:
            quote, line = said(number, again=False).partition(".")[0], f"I do thing {number}."
            fault = {"quote": quote, "breaks": line, "note": "More light."}
            return json.dumps({"faults": [fault] if number % AGAIN_EVERY == 0 else []})
        case Persona.ARCHIVIST:
            quote = f"Mara promises to bring {number} bells to the priory."
            change = {"kind": "promise", "subject": "Mara", "object": f"to bring {number} bells"}
            return json.dumps(
                {"summary": f"Thing {number} is done.", "changes": [change | {"quote": quote, "weight": 90}]}
            )
        case _:
            return said(number, again=nth == 2)


class NotedModel(ScriptedModel):
    """Notes what it is asked. `dies_at` is `word:PERSONA:N` or `end:PERSONA`: there the process is killed."""

    def __init__(self, note: Note) -> None:
        super().__init__(answer)
        self._note = note
        self.dies_at = NEVER

    async def stream(self, request: LlmRequest) -> AsyncGenerator[TextChunk | Usage, None]:
        key = key_of(request)
        self._note(kind="asked", key=key)
        count = 0
        async for part in super().stream(request):
            await asyncio.sleep(0)
            yield part
            count += 1
            if isinstance(part, TextChunk):
                dies(self.dies_at, f"word:{key[1]}:{count}")
        dies(self.dies_at, f"end:{key[1]}")
        self._note(kind="answered", key=key)


def dies(dies_at: str, here: str) -> None:
    if dies_at == here:
        os.kill(os.getpid(), signal.SIGKILL)


def deadly(nodes: StepFunctions, model: NotedModel) -> StepFunctions:
    """Return the nodes, the process killed `before:NODE` (the last one is checkpointed) or `after:NODE` (all
    it does is done, and not checkpointed)."""

    def armed(name: str, node: Callable[[NarrationState], Awaitable[NarrationState]]) -> Any:
        async def run(state: NarrationState) -> NarrationState:
            dies(model.dies_at, f"before:{name}")
            left = await node(state)
            dies(model.dies_at, f"after:{name}")
            return left

        return run

    return {name: armed(name, node) for name, node in nodes.items()}


def run(home: str, notes: str, backend: str, first: int, dies_at: str) -> None:
    """Finish what was cut off, then do thing `first` and all after it until killed; with `never`, only
    finish."""
    asyncio.run(_play(Path(home), Path(notes), backend, first, dies_at))


async def _play(home: Path, notes: Path, backend: str, first: int, dies_at: str) -> None:
    sheet = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(**entry: Any) -> None:
        os.write(sheet, (json.dumps({"pid": os.getpid(), **entry}) + "\n").encode())
        os.fsync(sheet)

    note(kind="started")
    model, whole = NotedModel(note), NarrationSteps.build_steps
    NarrationSteps.build_steps = lambda self: deadly(whole(self), model)  # type: ignore[method-assign]
    program = await open_program(home, model=model, settings=house(*ON, backend=backend))
    services = program.services
    await services.stories.recover()
    assert model.requests == [], "nothing is paid for before the player is there"
    scene_id = await _scene(program)
    await services.play.finish_narration(scene_id)
    model.dies_at = dies_at  # from here on: what was cut off is finished
    note(kind="ready", scene_id=scene_id)
    number = first
    while dies_at != NEVER:
        note(kind="typed", number=number)
        await services.play.submit(scene_id, act(number))
        note(kind="acknowledged", number=number)
        number += 1
    await program.close()


async def _scene(program: Any) -> Id:
    cards = await program.services.stories.stories()
    if cards:
        return Id(await program.services.stories.resume(cards[0].story.id))
    return await begin(program)
