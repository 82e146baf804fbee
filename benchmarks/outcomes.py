"""How well the model that is set reads how an attempt ends, without knowing the dice (`docs/decisions/0028`).

260 endings in natural words (`tests/agents/narrator/data/outcomes.yaml`) go to it in the Archivist's prompt, as in
play. The model is that of the environment: `MONITOR_MODEL_NAME=provider/name make bench ARGS="--only outcomes"`, some
1,500 tokens for each. With `--quick` it is every eighth of them. Without a model nothing is measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing

from agents.llm.child_client import ChildModel
from agents.llm.errors import ModelError
from agents.llm.fallback_ladder import ask_with_fallbacks
from agents.llm.llm_port import LlmRequest, TextChunk, Usage
from agents.llm.model_names import ModelTarget
from agents.llm.prompt_builder import build_prompt, estimate_tokens
from agents.personas.outputs import Chronicle
from agents.personas.prompt_files import load_prompts
from benchmarks.libraries import Libraries
from benchmarks.table import Row
from monitor_tui.settings import read_settings
from stores.records.llm import Persona
from tests.agents.narrator.outcome_cases import Ending, Reading, measure_readings, read_endings

QUICK_STEP = 8
MAX_TOKENS = 250
"""Of an answer: the reading comes before the changes."""


def run(libraries: Libraries) -> Iterator[Row]:
    target = read_settings(libraries.folder).target(Persona.ARCHIVIST)
    if target is None:
        yield Row("endings read (MONITOR_MODEL_NAME names the model)", 0, unit="")
        return
    endings = read_endings()[:: QUICK_STEP if libraries.quick else 1]
    pairs = asyncio.run(read_with_model(target, endings))
    measure = measure_readings(pairs)
    yield Row(f"endings read by {target.model}", len(pairs), unit="")
    yield Row("of them unanswered", sum(not reading.outcome for _, reading in pairs), unit="")
    yield Row("against the dice, and found", 100 * measure.recall, unit="%")
    yield Row("not against the dice, and accused", 100 * measure.false_alarms, unit="%")


async def read_with_model(target: ModelTarget, endings: Sequence[Ending]) -> list[tuple[Ending, Reading]]:
    """Return the endings, each as the model reads it; an answer that did not come reads nothing."""
    model = ChildModel()
    try:
        facts = await model.read_facts(target.model)

        async def send(request: LlmRequest) -> tuple[str, Usage]:
            parts, usage = [], Usage()
            async with aclosing(model.stream(request)) as answer:
                async for one in answer:
                    if isinstance(one, TextChunk):
                        parts.append(one.text)
                    else:
                        usage = one
            return "".join(parts), usage

        pairs = []
        for ending in endings:
            try:
                outcome = await ask_with_fallbacks(send, _ask(target, ending), Chronicle, facts)
            except ModelError:
                pairs.append((ending, Reading()))
                continue
            read = outcome.value
            pairs.append((ending, Reading(read.outcome, read.outcome_quote) if read else Reading()))
        return pairs
    finally:
        await model.close()


def _ask(target: ModelTarget, ending: Ending) -> LlmRequest:
    prompt = load_prompts()[Persona.ARCHIVIST]
    sections = {"cast": "- Mara, the player's character.", "words": ending.line, "draft": ending.text}
    built = build_prompt(prompt, sections, estimate_tokens, None)
    return LlmRequest(
        target.model, built.messages, MAX_TOKENS, temperature=0.0, api_base=target.api_base, seconds=120.0
    )
