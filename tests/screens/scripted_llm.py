"""A scripted language model for screen tests, and a library in which it has narrated a story before.

home = await build_narrated_story(tmp_path)
async with started_app(real_services(home, 8, model=ScriptedLlm())) as ui: ...
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from agents.events import Event, LlmCallRecorded, TextStreamed
from agents.llm.errors import ModelRefused, ModelUnknown
from agents.llm.llm_port import LlmRequest, ModelFacts, Usage
from agents.llm.scripted_model import ScriptedAnswer, ScriptedModel, ScriptedReply
from agents.services.services import Services
from stores.records.ids import Id
from stores.records.llm import Money, Persona
from tests.agents.orchestrator.scripted_program import NOTHING, persona_of
from tests.screens.screen_driver import real_services

MODEL = "openai/gpt-4o-mini"
SMALL_MODEL = "ollama/qwen2.5:0.5b"
PROSE = "The tide answers before anyone else does."
STOPPED = "Nothing, and then"
SILENCE = (
    "Nobody answers. Far below, water moves against stone, and something that is not water moves with it."
)

PersonaAnswer = ScriptedAnswer | Callable[[LlmRequest], ScriptedAnswer]
PersonaScript = Mapping[Persona, PersonaAnswer]

NO_SCRIPT: PersonaScript = {}
FACTS = ModelFacts(
    "", window=2_000, takes_schema=True, takes_tools=True, in_per_million=0.15, out_per_million=0.6
)
"""A small window, so that prompts leave something out, and a price."""

STORY_IDEA = {
    "title": "What the Sea Is Owed",
    "theme": "debt",
    "tone": "grim",
    "lines_and_veils": "Line: gore",
    "hero_name": "Sel Arrow",
    "hero_description": "keeps the light and owes the sea",
    "scene_title": "The lamp is out",
    "scene_goal": "Light it again",
    "place": "Cold Light",
    "people": ["Ivo Tarrant: knows the price", "Wren Arrow: her daughter"],
    "places": ["The Stair: two hundred steps", "Cold Light: the tower"],
}


class ScriptedLlm(ScriptedModel):
    """Answers for each persona by `script`, which a test may change; unscripted, the Narrator says `PROSE`,
    the Archivist that nothing changed, and the Monitor has a story idea.

    As with real providers, a name without a provider is unknown.
    """

    def __init__(self, script: PersonaScript = NO_SCRIPT, *, facts: ModelFacts = FACTS) -> None:
        super().__init__(self._answer, facts=facts)
        self.script: dict[Persona, PersonaAnswer] = {
            Persona.NARRATOR: priced(PROSE),
            Persona.ARCHIVIST: NOTHING,
            Persona.MONITOR: json.dumps(STORY_IDEA),
            **script,
        }

    def _answer(self, request: LlmRequest) -> ScriptedAnswer:
        answer = self.script[persona_of(request)]
        return answer(request) if callable(answer) else answer

    async def read_facts(self, model: str) -> ModelFacts:
        if "/" not in model:
            raise ModelUnknown(f"No provider goes by {model}.", todo=f"Did you mean openai/{model}?")
        return await super().read_facts(model)

    def asked(self, persona: Persona) -> list[LlmRequest]:
        """Return the requests of a persona, in order."""
        return [request for request in self.requests if persona_of(request) is persona]


def priced(
    text: str, micros: int = 1_000, *, gate: asyncio.Event | asyncio.Semaphore | None = None
) -> ScriptedReply:
    """Return a reply that streams word by word, with a counted usage and a price."""
    words = tuple(part for part in text.replace(" ", " \0").split("\0") if part)
    return ScriptedReply(words, Usage(2_960, 58, 1_650, counted=True, cost=Money(micros=micros)), gate=gate)


def write_settings(home: Path, text: str = f'[model]\nname = "{MODEL}"\n') -> None:
    """Write settings.toml, by default one that names the scripted model."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.toml").write_text(text, encoding="utf-8")


async def start_sample_story(services: Services, *lines: str) -> Id:
    """Begin the sample world's story and play these lines in its first scene; returns the scene."""
    await services.stories.recover()
    await services.stories.add_sample()
    scene_id = await services.stories.start_story(await services.stories.sample_outline())
    for line in lines:
        await services.play.submit(scene_id, line)
    return scene_id


async def build_narrated_story(home: Path) -> Id:
    """Build a library in which the model narrated three exchanges of the sample story; returns the scene.

    The second was stopped by the player. Of the third, the Critic's answer could not be read, and the
    Archivist declined. $0.04 of the story's budget of $0.05 is spent.
    """
    critic = f'[critic]\non = true\nmodel = "{SMALL_MODEL}"\n'
    write_settings(home, f'[model]\nname = "{MODEL}"\n{critic}[budget]\nday = 2.0\n')
    shriek = priced("The hinges give with a shriek. Cold air comes up, with the smell of weed.", 39_800)
    model = ScriptedLlm({Persona.NARRATOR: shriek, Persona.CRITIC: '{"faults": []}'})
    services, close = await real_services(home, 5, model=model)()
    model.script[Persona.ARCHIVIST] = _after_calls(services, 2, ScriptedReply((NOTHING,)))
    scene_id = await start_sample_story(services, "I force the door. /check 2d6+2 vs 8")
    model.script[Persona.ARCHIVIST] = NOTHING
    pieces = asyncio.Semaphore(len(STOPPED.split()))
    model.script[Persona.NARRATOR] = priced(f"{STOPPED} at all", gate=pieces)
    await _play_and_stop(services, scene_id, "I listen at the door.")
    model.script |= {
        Persona.NARRATOR: priced(SILENCE, 1_400),
        Persona.CRITIC: ScriptedReply(("[bold red]oops",), Usage(64, 3)),
        Persona.ARCHIVIST: _after_calls(
            services, 2, ScriptedReply(error=ModelRefused("The model declined.", kept=""))
        ),
    }
    await services.play.submit(scene_id, "“Who rang the bell?” I ask the dark.")
    await services.llm.set_persona(Persona.CRITIC, on=False)
    await services.play.submit(scene_id, "/budget story 0.05")
    await services.stories.suspend()
    await close()
    return scene_id


def _after_calls(services: Services, count: int, reply: ScriptedReply) -> ScriptedReply:
    """Return the reply, held back until so many calls are on record: the Archivist is asked beside the check."""
    gate, recorded = asyncio.Event(), 0

    def count_call(event: Event) -> None:
        nonlocal recorded
        recorded += isinstance(event, LlmCallRecorded)
        if recorded == count:
            gate.set()

    services.events.subscribe(count_call)
    return replace(reply, gate=gate)


async def _play_and_stop(services: Services, scene_id: Id, line: str) -> None:
    """Play a line, and stop the model's words when the last of `STOPPED` has come."""
    streamed = ""

    def stop_at_end(event: Event) -> None:
        nonlocal streamed
        if isinstance(event, TextStreamed):
            streamed += event.text
            if streamed.strip() == STOPPED:
                services.llm.stop_streaming(scene_id)

    unsubscribe = services.events.subscribe(stop_at_end)
    await services.play.submit(scene_id, line)
    unsubscribe()
