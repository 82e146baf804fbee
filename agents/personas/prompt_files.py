"""Reads the personas' prompts: the bundled ones, and the user's own in their place.

A bad file is rejected with its line, and so is a prompt that leaves out what binds the Narrator (the sealed
result, lines and veils).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from pydantic import ValidationError

from agents import yaml_with_lines as marked_yaml
from agents.llm.call_context import PICTURE_TASK
from agents.llm.prompt_builder import PROSE, PersonaPrompt, Prompts
from agents.personas.outputs import OUTPUTS
from stores.errors import InputError
from stores.records.llm import Persona

SECTION_NAMES: Final = frozenset(
    {
        *(
            "rules",
            "world",
            "story",
            "lines",
            "style",
            "scene",
            "cast",
            "facts",
            "encounters",
            "assertions",
            "lore",
            "secrets",
        ),
        *(
            "threads",
            "promises",
            "matters",
            "decisions",
            "summary",
            "memories",
            "scenes",
            "recalled",
            "recent",
        ),
        *("notes", "named", "state", "self", "own", "relations", "previous"),
        *(
            "evidence",
            "beats",
            "warnings",
            "voices",
            "result",
            "effects",
            "draft",
            "note",
            "words",
            "operations",
        ),
        *("source", "predicates", "names", "chunk"),
    }
)
"""All sections that a persona can be given."""

REQUIRED_SECTIONS: Final[Mapping[Persona, tuple[str, ...]]] = {
    Persona.DIRECTOR: ("words", "result"),
    Persona.NARRATOR: ("lines", "result", "note", "words"),
    Persona.CRITIC: ("lines", "result", "draft"),
    Persona.ARCHIVIST: ("draft",),
    Persona.CHARACTER: ("lines", "self", "words"),
    Persona.MONITOR: ("operations", "words"),
    Persona.READER: ("chunk",),
}
"""Sections that a persona's prompt must send and never drops."""

TALK_TASK: Final = "talk"
"""The Narrator's other task: to answer the player out of character."""

SHARED_CHECK_PERSONAS: Final = (Persona.LIBRARIAN, Persona.STEWARD)
"""Personas whose usual work is the check of a draft, which has the Critic's prompt."""

ACTIONS_TASK: Final = "actions"
"""The Director's other task: to name what the player's character could do next."""

STORY_TASK: Final = "story"
"""The Monitor's other task: to draft a story from a sentence or two."""

ANSWER_TASK: Final = "answer"
"""The Librarian's other task: to answer a question from the evidence."""

DOUBTS_TASK: Final = "doubts"
"""The Steward's other task: to say which sentences of the record a new one cannot be true beside."""

EXTRA_TASKS: Final[Mapping[tuple[Persona, str], tuple[str, ...]]] = {
    (Persona.NARRATOR, TALK_TASK): ("lines", "words"),
    (Persona.DIRECTOR, ACTIONS_TASK): ("lines",),
    (Persona.MONITOR, STORY_TASK): ("words",),
    (Persona.LIBRARIAN, ANSWER_TASK): ("evidence", "words"),
    (Persona.STEWARD, DOUBTS_TASK): ("evidence", "words"),
    (Persona.READER, PICTURE_TASK): ("source",),
}
"""The tasks besides a persona's usual one, with the sections that their prompts must send."""

BINDING_SECTIONS: Final = frozenset({"lines", "result", "note", "words"})
"""Sections that no prompt may drop if it sends them."""


@cache
def load_prompts() -> Prompts:
    """Return the bundled prompts. Raises InputError, with file and line, if one is not well-formed."""
    folder = files("agents.prompts")
    prompt_paths = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda f: f.name
    )
    prompts = [read_prompt(file.read_text(encoding="utf-8"), file.name) for file in prompt_paths]
    by_persona = {prompt.persona: prompt for prompt in prompts if not prompt.task}
    by_task = {(prompt.persona, prompt.task): prompt for prompt in prompts if prompt.task}
    for persona in SHARED_CHECK_PERSONAS:
        by_persona[persona] = by_persona[Persona.CRITIC]
    missing = [*(p.value for p in Persona if p not in by_persona)]
    missing += [f"{persona} ({task})" for persona, task in EXTRA_TASKS if (persona, task) not in by_task]
    if missing:
        raise _prompt_error("agents/prompts", f"there is none for the {missing[0]}")
    return Prompts(by_persona, by_task)


def with_user_prompts(prompts: Prompts, texts: Mapping[str, str]) -> Prompts:
    """Return the prompts with the user's own files (`HOME/prompts/*.yaml`, by name) in their place.

    A bad file is left out and listed in `rejected_files`, with its line: no file keeps the program from
    opening.
    """
    by_persona, by_task = dict(prompts.by_persona), dict(prompts.by_task)
    user_files, rejected_files = dict(prompts.user_files), dict(prompts.rejected_files)
    for name in sorted(texts)[: 10 * len(Persona)]:
        try:
            prompt = read_prompt(texts[name], name)
        except InputError as error:
            rejected_files[name] = str(error)
        else:
            if prompt.task:
                by_task[prompt.persona, prompt.task] = prompt
            else:
                by_persona[prompt.persona] = prompt
            key = prompt.persona, prompt.task
            user_files[key] = (*user_files.get(key, ()), name)
    return Prompts(by_persona, by_task, user_files, rejected_files)


def prompt_file_name(persona: Persona, task: str) -> str:
    """Return what the bundled prompt's file is called, and the user's own that was written here."""
    return f"{persona.value}_{task}.yaml" if task else f"{persona.value}.yaml"


def read_bundled_text(persona: Persona, task: str) -> str:
    """Return the file of a bundled prompt."""
    return files("agents.prompts").joinpath(prompt_file_name(persona, task)).read_text(encoding="utf-8")


def required_sections(persona: Persona, task: str) -> tuple[str, ...]:
    """Return the sections that a prompt must send and never drops."""
    return EXTRA_TASKS[persona, task] if task else REQUIRED_SECTIONS.get(persona, ())


def read_prompt(text: str, name: str) -> PersonaPrompt:
    """Read one prompt file. Raises InputError that names the file, the line and the fault."""
    try:
        document = marked_yaml.load_yaml(text)
    except marked_yaml.UnreadableYaml as error:
        raise _prompt_error(name, str(error)) from None
    if not isinstance(document.data, dict):
        raise _prompt_error(name, f"{document.line_of(())}: fields and their values should stand here")
    try:
        prompt = PersonaPrompt.model_validate(document.data)
    except ValidationError as error:
        raise _prompt_error(
            name, marked_yaml.describe_faults((document.line_of(e["loc"]), e["msg"]) for e in error.errors())
        ) from None
    if faults := [(document.line_of(loc), message) for loc, message in _find_faults(prompt)]:
        raise _prompt_error(name, marked_yaml.describe_faults(faults))
    return prompt


def _find_faults(prompt: PersonaPrompt) -> Iterator[tuple[marked_yaml.ValuePath, str]]:
    if prompt.task and (prompt.persona, prompt.task) not in EXTRA_TASKS:
        yield ("task",), f"the {prompt.persona} has no task {prompt.task!r}"
    if not prompt.task and prompt.persona in SHARED_CHECK_PERSONAS:
        yield ("persona",), f"the {prompt.persona} checks drafts with the critic's prompt: write that one"
    required_names = EXTRA_TASKS.get((prompt.persona, prompt.task), REQUIRED_SECTIONS.get(prompt.persona, ()))
    if prompt.output != PROSE and prompt.output not in OUTPUTS:
        yield ("output",), f"{prompt.output!r} is neither {PROSE} nor one of {', '.join(OUTPUTS)}"
    seen_names: set[str] = set()
    is_past_stable = False
    for n, section in enumerate(prompt.sections):
        if section.name not in SECTION_NAMES:
            yield ("sections", n, "name"), f"{section.name!r} is none of {', '.join(sorted(SECTION_NAMES))}"
        if section.name in seen_names:
            yield ("sections", n, "name"), f"{section.name!r} is there already"
        if section.stable and is_past_stable:
            yield ("sections", n, "stable"), "stable sections stand before all others, or no cache holds"
        if not section.drop and section.cap:
            yield ("sections", n, "cap"), "what is never dropped (drop: 0) has no cap"
        if section.drop and section.name in BINDING_SECTIONS.union(required_names):
            yield ("sections", n, "drop"), f"the {prompt.persona}'s {section.name} is never dropped: drop: 0"
        seen_names.add(section.name)
        is_past_stable = is_past_stable or not section.stable
    for name in required_names:
        if name not in seen_names:
            yield ("sections",), f"the {prompt.persona} has to be given {name!r}"


def _prompt_error(name: str, reason: str) -> InputError:
    return InputError(
        f"The prompt {name} cannot be used: {reason}.",
        kept="The bundled prompt is used in its place.",
        todo="Correct that line and start again.",
    )
