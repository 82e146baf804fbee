"""Defines how personas call the language model: prompt sections in, prose or a structured answer out.

`PersonaCalls` is the only way a persona reaches the model. The instructions of each persona are in
`agents/prompts/<persona>.yaml`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from stores.records.ids import Id
from stores.records.llm import FallbackStep, LlmCall, Persona

T = TypeVar("T", bound=BaseModel)

PromptParts = Mapping[str, str]
"""Texts of the prompt's sections by section name (`rules`, `scene`, `result` ...). Empty sections are left
out."""

OMISSIONS = "left out"
"""Key among the parts for what was left out of a section before the prompt was built: one `section: reason` a
line.

It is no section itself; the X-ray shows it together with what the prompt's budget dropped.
"""

PICTURE_TASK = "picture"
"""The Reader's other task: to write out the text of a page that is shown as a picture."""

OnText = Callable[[str], None]
"""Called with each new piece of text. It must not block."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """Identifies a call by `run_id`, persona and `nth`.

    A step that is repeated after a crash has the same identifier, and so is paid once.
    """

    universe_id: Id
    story_id: Id | None
    scene_id: Id | None
    run_id: Id
    """The run of the exchange that the call belongs to."""

    turn_id: Id | None = None
    nth: int = 1
    """Counts the calls of one persona within one run, from 1."""

    narrator_model: str = ""
    """The model that is asked in the place of the Narrator's; empty: none is."""
    is_beside_play: bool = False
    """Whether play goes on meanwhile: then Esc stops it only when nothing else is running in the scene."""


@dataclass(frozen=True, slots=True)
class ProseAnswer:
    """The prose of one answer, and the record of its call."""

    text: str
    call: LlmCall
    is_complete: bool = True
    """False if the answer was cut off or stopped."""

    cutoff_reason: str = ""
    """Why it is not complete, in a few words."""


@dataclass(frozen=True, slots=True)
class StructuredAnswer(Generic[T]):
    """The structured answer of one call, and the record of that call."""

    value: T | None
    """None if no step of the fallback ladder produced one."""

    fallback_step: FallbackStep
    call: LlmCall
    note: str = ""
    """Why there is no value, or how it was obtained, in a few words."""


class PersonaCalls(Protocol):
    """The calls that a persona can make; `agents.llm.model_calls.ModelCalls` implements them."""

    def is_on(self, persona: Persona) -> bool:
        """Return whether this persona is switched on and has a model."""
        ...

    async def ask_prose(
        self,
        persona: Persona,
        parts: PromptParts,
        call_context: CallContext,
        on_text: OnText,
        task: str = "",
        pictures: tuple[str, ...] = (),
    ) -> ProseAnswer:
        """Ask for prose and stream it to `on_text`; `task` selects another prompt than the persona's usual one.

        `pictures` are shown to the model, PNG files in base64.
        Raises ModelError if no text arrived.
        """
        ...

    async def ask_structured(
        self,
        persona: Persona,
        parts: PromptParts,
        call_context: CallContext,
        output_type: type[T],
        task: str = "",
        max_answers: int = 2,
    ) -> StructuredAnswer[T]:
        """Ask for an `output_type` by way of the fallback ladder; with one of `max_answers`, in one call.

        `task` selects another prompt of this persona than its usual one. The value's `in_short()`, if it has
        one, is the line that the X-ray shows. Raises ModelError if nothing was answered, or the player
        stopped the call.
        """
        ...
