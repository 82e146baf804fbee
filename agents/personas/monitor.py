"""The Monitor: says whether a typed line is the story's or a command of ours, when heuristics cannot; and
makes a story's set-up out of a sentence or two.

It only chooses among commands that there are; what it chose is carried out as if it had been typed. What it
imagines only fills a form. Source: LANGGRAPH_AGENTS, "Router decision flow".
"""

from __future__ import annotations

from collections.abc import Mapping

from agents.clean import clean
from agents.model.asking import Calls, Occasion, Parts
from agents.model.errors import ModelRefused
from agents.model.prompt_files import STORY
from agents.personas.outputs import NONE, Routing, StoryIdea, routing_among
from stores.records.model import Persona

NARRATION = Routing(mode="narration", command=NONE)


class Monitor:
    """Classifies lines, and imagines stories. Stateless."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def classify(self, line: str, operations: Mapping[str, str], occasion: Occasion) -> Routing:
        """Return what the line is; `operations` are command names with what each does in a few words.

        Narration, if it is off, has no answer or names no command. Raises ModelError if the model did not
        answer.
        """
        if not self._calls.on(Persona.MONITOR):
            return NARRATION
        table = "\n".join(f"{name}: {does}" for name, does in sorted(operations.items()))
        into = routing_among(frozenset(operations))
        sections = {"operations": table, "words": line}
        shaped = await self._calls.shaped(Persona.MONITOR, sections, occasion, into)
        routing = shaped.value
        if routing is None or routing.mode == "narration" or routing.command not in operations:
            return NARRATION
        return Routing(mode="operation", command=routing.command, argument=" ".join(routing.argument.split()))

    async def imagine(self, words: str, world: Parts, occasion: Occasion) -> StoryIdea:
        """Return a story's set-up for the game master's `words`, in a world of these sections. It is asked by
        a key, so the persona's switch does not matter.

        Raises ModelError if nothing was answered, or nothing that can be used.
        """
        shaped = await self._calls.shaped(
            Persona.MONITOR, {**world, "words": words}, occasion, StoryIdea, STORY
        )
        idea = _sound(shaped.value) if shaped.value else StoryIdea()
        if idea.empty:
            raise ModelRefused(
                "No story could be read in what the model answered.",
                todo="Say it in other words, or fill it in yourself.",
            )
        return idea


def _sound(idea: StoryIdea) -> StoryIdea:
    """Return it with every text in one clean line; entries that say nothing are left out."""

    def lines(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(line for text in texts if (line := _line(text)) and any(map(str.isalnum, line)))

    fields = {name: _line(text) for name, text in idea if isinstance(text, str)}
    return StoryIdea.model_validate({**fields, "people": lines(idea.people), "places": lines(idea.places)})


def _line(text: str) -> str:
    return " ".join(clean(text).split())
