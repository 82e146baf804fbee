"""How personas ask the model: by name and parts of a prompt, on an occasion. `Calls` is the one door.

What a persona is told stands in `agents/prompts/<persona>.yaml`; here is only who asks, for what turn, and
what comes back. Source: LANGGRAPH_AGENTS, "Agent catalog"; design/loops.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from stores.records.ids import Id
from stores.records.model import LlmCall, Persona, Rung

T = TypeVar("T", bound=BaseModel)

PromptParts = Mapping[str, str]
"""Sections of a prompt by name (`rules`, `scene`, `result` ...); empty ones are left out."""

LEFT_OUT = "left out"
"""Among the parts, no section: what of a section was left out before there was a prompt, and why; one a line,
as `section: why`. It is shown with what the prompt's budget drops."""

OnText = Callable[[str], None]
"""Called with words as they come. Must not block."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a call is for. `beat_id` and `nth` (of this persona in this beat, from 1) name it for good, so
    that a step done twice after a crash finds its call again and pays once."""

    universe_id: Id
    story_id: Id | None
    scene_id: Id | None
    run_id: Id
    turn_id: Id | None = None
    nth: int = 1


@dataclass(frozen=True, slots=True)
class ProseAnswer:
    """Words that were told. `whole` is false if they were cut off or stopped; then `why` says how."""

    text: str
    call: LlmCall
    is_complete: bool = True
    cutoff_reason: str = ""


@dataclass(frozen=True, slots=True)
class StructuredAnswer(Generic[T]):
    """A structured answer, or None if no rung of the ladder gave one; `note` then says why."""

    value: T | None
    fallback_step: Rung
    call: LlmCall
    note: str = ""


class PersonaCalls(Protocol):
    def is_on(self, persona: Persona) -> bool:
        """Whether this persona is switched on and has a model."""
        ...

    async def ask_prose(
        self, persona: Persona, parts: PromptParts, call_context: CallContext, on_text: OnText
    ) -> ProseAnswer:
        """Have prose told. Raises ModelError if not a word came."""
        ...

    async def ask_structured(
        self,
        persona: Persona,
        parts: PromptParts,
        call_context: CallContext,
        output_type: type[T],
        task: str = "",
    ) -> StructuredAnswer[T]:
        """Ask for a structured answer by the ladder. Raises ModelError if nothing was answered at all, or if
        the player stopped it.

        `task` names a prompt of the persona's beside its usual one. What the X-ray says of the answer in one
        line is the value's `in_short()`, if it has one.
        """
        ...
