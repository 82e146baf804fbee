"""The Monitor: decides whether a typed line belongs to the story or is a command, and drafts a story's
set-up.

It only chooses among existing commands, and its choice runs as if it had been typed. A draft only fills a
form.
"""

from __future__ import annotations

from collections.abc import Mapping

from agents.llm.call_context import CallContext, PersonaCalls, PromptParts
from agents.llm.errors import ModelRefused
from agents.personas.outputs import NO_COMMAND, Routing, StoryIdea, routing_model
from agents.personas.prompt_files import STORY_TASK
from agents.sanitize import clean
from stores.records.llm import Persona

NARRATION = Routing(mode="narration", command=NO_COMMAND)


class Monitor:
    """Classifies typed lines, and suggests stories."""

    def __init__(self, calls: PersonaCalls) -> None:
        self._calls = calls

    async def classify(self, line: str, operations: Mapping[str, str], call_context: CallContext) -> Routing:
        """Return what the line is. `operations` are the command names, each with a short description.

        The result is narration if the persona is off, gave no answer or named no command. Raises ModelError
        if the model did not answer.
        """
        if not self._calls.is_on(Persona.MONITOR):
            return NARRATION
        operations_text = "\n".join(f"{name}: {does}" for name, does in sorted(operations.items()))
        output_type = routing_model(frozenset(operations))
        sections = {"operations": operations_text, "words": line}
        structured = await self._calls.ask_structured(Persona.MONITOR, sections, call_context, output_type)
        routing = structured.value
        if routing is None or routing.mode == "narration" or routing.command not in operations:
            return NARRATION
        return Routing(mode="operation", command=routing.command, argument=" ".join(routing.argument.split()))

    async def suggest_story(self, words: str, world: PromptParts, call_context: CallContext) -> StoryIdea:
        """Return a story's set-up for the GM's `words` and the sections of a world.

        The GM asks for it by a key, so it does not matter whether the persona is on. Raises ModelError if
        nothing was answered, or nothing that can be used.
        """
        structured = await self._calls.ask_structured(
            Persona.MONITOR, {**world, "words": words}, call_context, StoryIdea, STORY_TASK
        )
        idea = _clean_idea(structured.value) if structured.value else StoryIdea()
        if idea.is_empty:
            raise ModelRefused(
                "No story could be read in what the model answered.",
                todo="Say it in other words, or fill it in yourself.",
            )
        return idea


def _clean_idea(idea: StoryIdea) -> StoryIdea:
    """Return the idea with each text in one clean line, without empty entries."""

    def lines(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(line for text in texts if (line := _clean_line(text)) and any(map(str.isalnum, line)))

    fields = {name: _clean_line(text) for name, text in idea if isinstance(text, str)}
    return StoryIdea.model_validate({**fields, "people": lines(idea.people), "places": lines(idea.places)})


def _clean_line(text: str) -> str:
    return " ".join(clean(text).split())
