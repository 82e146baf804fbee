"""Shows the prompts and samplers of the personas, and changes them: the user's own file stands over the bundled one."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from typing import Final, Protocol

from agents.llm.llm_settings import AppSettings
from agents.llm.prompt_builder import PersonaPrompt, Prompts
from agents.personas.prompt_files import (
    prompt_file_name,
    read_bundled_text,
    read_prompt,
    required_sections,
)
from agents.sanitize import clean
from agents.services.llm_setup import LlmSetup, SettingsFieldValue
from agents.views.llm_views import PromptEdit, PromptView
from stores.errors import InputError, parse_field
from stores.records.llm import Persona

UNCHANGED: Final = "Nothing was changed; your text stands in the form."
MAX_PROMPT_LENGTH: Final = 40_000
"""Characters of a prompt file: ten times the longest bundled one."""


class PromptFiles(Protocol):
    """The user's own prompt files, by name. What is taken away is set aside, not deleted."""

    def prompts(self) -> Prompts: ...

    def read_own_prompts(self) -> dict[str, str]: ...

    def write_prompt(self, name: str, text: str) -> None:
        """Write a file. Raises InputError if that cannot be."""
        ...

    def set_prompt_aside(self, name: str) -> None:
        """Take a file out of use. Raises InputError if that cannot be."""
        ...


MAX_STOPS: Final = 4
"""Stop texts that every provider takes."""
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,4})?")


@dataclass(frozen=True, slots=True)
class Samplers:
    """How a persona's words are chosen; None and empty: its prompt's way, or the provider's."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()


def parse_samplers(edit: PromptEdit) -> Samplers:
    """Return the samplers that are typed in the form. Raises InputError that names the field."""
    tokens = parse_field("max_tokens", _parse_number, edit.max_tokens, "Most tokens", 16, 32_000)
    if tokens is not None and tokens != int(tokens):
        raise InputError("Tokens are a whole number.", kept=UNCHANGED, field="max_tokens")
    stop = tuple(part.strip(" ") for part in edit.stop.split(",") if part.strip())
    if len(stop) > MAX_STOPS:
        raise InputError(
            f"{len(stop)} texts to stop at are too many.",
            kept=UNCHANGED,
            todo=f"{MAX_STOPS} are taken.",
            field="stop",
        )
    return Samplers(
        temperature=parse_field("temperature", _parse_number, edit.temperature, "The temperature", 0, 2),
        top_p=parse_field("top_p", _parse_number, edit.top_p, "Top p", 0.01, 1),
        max_tokens=None if tokens is None else int(tokens),
        stop=stop,
    )


def _parse_number(text: str, label: str, least: float, most: float) -> float | None:
    text = text.strip()
    if not text:
        return None
    value = float(text) if _NUMBER.fullmatch(text) else -1.0
    if not least <= value <= most:
        raise InputError(
            f"{label} is a number from {least:g} to {most:,g}.",
            kept=UNCHANGED,
            todo="Empty: as it is by itself.",
        )
    return value


class PromptEditor:
    """Reads and writes prompts, and the samplers that go with them."""

    def __init__(self, files: PromptFiles, llm_setup: LlmSetup) -> None:
        self._files = files
        self._llm_setup = llm_setup

    async def list_prompts(self) -> tuple[PromptView, ...]:
        """Return every prompt: those of the personas' usual work, then those of their other tasks."""
        own_texts = await asyncio.to_thread(self._files.read_own_prompts)
        return self._build_views(own_texts)

    async def save(self, edit: PromptEdit) -> tuple[PromptView, ...]:
        """Write what was changed of a prompt, its model and its samplers; it holds from the next call on.

        Raises InputError that names the field; then nothing was changed.
        """
        edit = replace(edit, text=clean(edit.text))
        before = self._find_view(await self.list_prompts(), edit)
        samplers = parse_samplers(edit)
        is_text_changed = edit.text.strip() != before.text.strip()
        if is_text_changed:
            parse_field("prompt", self._check_text, edit)
        await self._save_settings(edit, samplers, before)
        if is_text_changed:
            name = before.file_name or prompt_file_name(edit.persona, edit.task)
            await asyncio.to_thread(self._files.write_prompt, name, f"{edit.text.strip()}\n")
        return await self.list_prompts()

    async def reset(self, persona: Persona, task: str) -> tuple[PromptView, ...]:
        """Go back to the bundled prompt; the user's files are set aside."""
        for name in self._files.prompts().user_files.get((persona, task), ()):
            await asyncio.to_thread(self._files.set_prompt_aside, name)
        default_name = prompt_file_name(persona, task)
        if default_name in self._files.prompts().rejected_files:
            await asyncio.to_thread(self._files.set_prompt_aside, default_name)
        return await self.list_prompts()

    async def _save_settings(self, edit: PromptEdit, samplers: Samplers, before: PromptView) -> None:
        """Write what differs from before, so that the environment may have set the rest."""
        changes: dict[str, SettingsFieldValue | None] = {}
        if edit.model.strip() != before.own_model:
            changes["model"] = edit.model.strip() or None
        changes |= {
            name: getattr(samplers, name)
            for name in ("temperature", "top_p", "max_tokens")
            if getattr(samplers, name) != getattr(before, name)
        }
        if samplers.stop != tuple(map(show_stop, before.stop)):
            changes["stop"] = list(samplers.stop) or None
        if changes:
            try:
                await self._llm_setup.change_persona(edit.persona, changes)
            except InputError as error:
                error.field = error.field or next(iter(changes))
                raise

    # --- inside --------------------------------------------------------------------------------------

    def _build_views(self, own_texts: dict[str, str]) -> tuple[PromptView, ...]:
        prompts, settings = self._files.prompts(), self._llm_setup.current_settings
        usual = [prompt for persona, prompt in prompts.by_persona.items() if prompt.persona is persona]
        every = sorted(usual, key=lambda p: list(Persona).index(p.persona))
        every += [prompt for _, prompt in sorted(prompts.by_task.items(), key=lambda item: item[0])]
        return tuple(self._build_view(prompt, prompts, settings, own_texts) for prompt in every)

    def _build_view(
        self, prompt: PersonaPrompt, prompts: Prompts, settings: AppSettings, own_texts: dict[str, str]
    ) -> PromptView:
        persona, task = prompt.persona, prompt.task
        names = prompts.user_files.get((persona, task), ())
        default_name = prompt_file_name(persona, task)
        problem = "" if names else prompts.rejected_files.get(default_name, "")
        file_name = names[-1] if names else default_name if problem else ""
        section, target = settings.persona(persona), settings.target(persona)
        return PromptView(
            persona=persona,
            task=task,
            does=prompt.does,
            text=own_texts.get(file_name, "") or read_bundled_text(persona, task),
            needs=required_sections(persona, task),
            file_name=file_name,
            problem=problem,
            is_on=settings.is_on(persona),
            own_model=section.model,
            model=target.model if target else "",
            temperature=section.temperature,
            top_p=section.top_p,
            max_tokens=section.max_tokens,
            stop=tuple(section.stop),
            prompt_temperature=prompt.temperature,
            prompt_max_tokens=prompt.max_tokens,
        )

    def _find_view(self, views: tuple[PromptView, ...], edit: PromptEdit) -> PromptView:
        return next(view for view in views if (view.persona, view.task) == (edit.persona, edit.task))

    def _check_text(self, edit: PromptEdit) -> None:
        """Raise InputError for a text that is no prompt of this persona for this task."""
        if len(edit.text) > MAX_PROMPT_LENGTH:
            raise InputError(
                f"That is {len(edit.text):,} characters; {MAX_PROMPT_LENGTH:,} is the most.",
                kept=UNCHANGED,
            )
        try:
            prompt = read_prompt(edit.text, prompt_file_name(edit.persona, edit.task))
        except InputError as error:
            needs = ", ".join(required_sections(edit.persona, edit.task))
            todo = f"It has to send: {needs}." if needs else "Correct that line."
            raise InputError(error.what, kept=UNCHANGED, todo=todo) from error
        if (prompt.persona, prompt.task) != (edit.persona, edit.task):
            named = f"{prompt.persona} {prompt.task}".strip()
            raise InputError(
                f"This is a prompt for another task: {named}.",
                kept=UNCHANGED,
                todo=f"persona and task have to be {edit.persona} and {edit.task or 'none'}.",
            )


def show_stop(text: str) -> str:
    r"""Return a stop text as it is typed: the end of a line is `\n`."""
    return text.replace("\n", "\\n")
