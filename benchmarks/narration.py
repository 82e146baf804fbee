"""Measures an exchange that a model narrates.

Measured is what the pipeline takes beyond the model's own time, and how soon its first word is shown. The
model answers at once; its own time is subtracted. *In this process* it is scripted; *by its child* it is a
LiteLLM custom provider behind the real child and pipes, so LiteLLM's own work is included.
"""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_lowercase

from agents.events import Event, TextStreamed
from agents.llm.child_client import ChildModel
from agents.llm.llm_port import LlmRequest, TextChunk, Usage
from agents.llm.llm_settings import AppSettings, ModelSettings, PersonaSettings
from agents.llm.scripted_model import ScriptedModel
from agents.services.llm_setup import ModelProcess
from agents.services.services import Services
from benchmarks.libraries import Libraries
from benchmarks.start import starts
from benchmarks.table import Row, make_times_row
from monitor_tui.compose import open_program
from stores.records.ids import Id
from stores.records.llm import Persona

TURNS = 60
WARM_UP = 3
"""Exchanges that are not counted: in the first, LangGraph is imported and the child starts."""
COMMIT_EVERY = 10
"""Exchanges between two commits, which are not timed: open proposals are folded in at every read."""
PIPELINE_AIM = 60
FIRST_WORD_AIM = 100

ACT = "I pull at the chain. /check might vs 8; success: Mara.nerve +1; fail: Mara.hp -1"
RECORD = json.dumps({"summary": "Mara pulls the chain, and a bell speaks.", "changes": []})
PROVIDER = "tests.agents.llm.provider:provider"


def run(libraries: Libraries) -> Iterator[Row]:
    for library_name, home in (("fresh library", libraries.fresh), (libraries.big_name, libraries.big)):
        for backend in ("langgraph", "inmemory"):
            narration_times = asyncio.run(_measure_in_process(home, backend, libraries.often(TURNS)))
            yield from _rows(f"{backend}, {library_name}", narration_times)
    narration_times = asyncio.run(_measure_by_child(libraries.fresh, libraries.often(TURNS)))
    yield from _rows("langgraph, by its child", narration_times)
    yield from _measure_starts(libraries)


@dataclass
class _NarrationTimes:
    """Seconds of each exchange beyond the model's own, and until its first word."""

    exchange_seconds: list[float] = field(default_factory=list)
    first_word: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def _rows(name: str, narration_times: _NarrationTimes) -> Iterator[Row]:
    cpu = sum(narration_times.cpu) / len(narration_times.cpu)
    yield make_times_row(
        f"narrated exchange, ours: {name}", narration_times.exchange_seconds, PIPELINE_AIM, cpu
    )
    yield make_times_row(f"Enter to first word, ours: {name}", narration_times.first_word, FIRST_WORD_AIM)


class _TimedModel(ScriptedModel):
    """A scripted model that measures its own time, in `waited`, since the last `reset`."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self._dice = random.Random(1)
        self.waited_seconds = 0.0

    def _answer(self, ask: LlmRequest) -> str:
        """Return other prose each time: repeated prose would be narrated again."""
        if "You keep the record" in ask.messages[0].text:
            return RECORD
        words = ("".join(self._dice.choices(ascii_lowercase, k=5)) for _ in range(50))
        return f"The {' '.join(words)}."

    async def stream(self, request: LlmRequest) -> AsyncGenerator[TextChunk | Usage, None]:
        started_at = time.perf_counter()
        async for part in super().stream(request):
            self.waited_seconds += time.perf_counter() - started_at
            yield part
            started_at = time.perf_counter()


async def _measure_in_process(home: Path, backend: str, count: int) -> _NarrationTimes:
    model = _TimedModel()
    async with _open_scene(home, model, _make_settings(backend)) as (services, scene_id):
        return await _measure(services, scene_id, count, model)


async def _measure_by_child(home: Path, count: int) -> _NarrationTimes:
    """Measure with a child; the Archivist's provider answers in JSON, the Narrator's in words."""
    settings = _make_settings("langgraph", archivist=PersonaSettings(model="scripted/record"))
    model = ChildModel(provider=PROVIDER)
    async with _open_scene(home, model, settings) as (services, scene_id):
        return await _measure(services, scene_id, count, None)


async def _measure(
    services: Services, scene_id: Id, count: int, model: _TimedModel | None
) -> _NarrationTimes:
    narration_times, first_word_at = _NarrationTimes(), list[float]()

    def on_event(event: Event) -> None:
        if isinstance(event, TextStreamed) and not first_word_at:
            first_word_at.append(time.perf_counter())

    services.events.subscribe(on_event)
    for number in range(WARM_UP + count):
        first_word_at.clear()
        waited_before, cpu, started_at = (
            model.waited_seconds if model else 0.0,
            time.process_time(),
            time.perf_counter(),
        )
        await services.play.submit(scene_id, ACT)
        seconds, cpu_seconds = time.perf_counter() - started_at, time.process_time() - cpu
        if number % COMMIT_EVERY == 0:
            await services.gate.commit(scene_id)
        if number < WARM_UP:
            continue
        narration_times.exchange_seconds.append(
            seconds - (model.waited_seconds - waited_before if model else 0.0)
        )
        narration_times.first_word.append(first_word_at[0] - started_at)
        narration_times.cpu.append(cpu_seconds)
    return narration_times


def _make_settings(backend: str, **more: PersonaSettings) -> AppSettings:
    name = ModelSettings(name="scripted/good")
    return AppSettings.model_validate({"model": name, "engine": {"backend": backend}, **more})


@asynccontextmanager
async def _open_scene(
    home: Path, model: ModelProcess, settings: AppSettings
) -> AsyncIterator[tuple[Services, Id]]:
    """Open a library with a model at its scene in play, and suspend it again at the end."""
    assert settings.is_on(Persona.NARRATOR)
    program = await open_program(home, model=model, settings=settings)
    try:
        await program.services.stories.recover()
        card = (await program.services.stories.menu()).resume_story
        assert card is not None, "a library to measure has a story"
        yield program.services, await program.services.stories.resume(card.story.id)
        await program.services.stories.suspend()
    finally:
        await program.close()


def _measure_starts(libraries: Libraries) -> Iterator[Row]:
    """Measure the program's start with a model set up, whose process starts after the first frame."""
    home = libraries.folder / "with-a-model"
    shutil.copytree(libraries.fresh, home)
    (home / "settings.toml").write_text('[model]\nname = "openai/gpt-4o-mini"\n', encoding="utf-8")
    for name, place in (("no model", libraries.fresh), ("a model set up", home)):
        yield from starts(name, place, libraries.often(10))
