"""The personas: the roles that a language model plays, each with its own prompt and task.

All but the Narrator have a fallback when they are off or the model gives no answer; a ModelError is raised if
the model did not answer at all. `agents.narrator.gm_turn_writer` writes the turns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from agents.canon_keeper.predicates import Catalogue
from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.prompt_sections import (
    build_npc_sections,
    build_previous_text,
    build_prompt_sections,
)
from agents.llm.call_context import CallContext, OnText, PersonaCalls, PromptParts, ProseAnswer
from agents.llm.errors import ModelRefused
from agents.personas.narrator_brief import NarratorBrief
from agents.personas.outputs import (
    NO_COMMAND,
    Chronicle,
    CitedAnswer,
    Critique,
    DraftFault,
    Plan,
    ReportedChange,
    Routing,
    StoryIdea,
    SuggestedActions,
    routing_model,
)
from agents.personas.prompt_files import ACTIONS_TASK, ANSWER_TASK, STORY_TASK, TALK_TASK
from agents.personas.reported_cast import NO_REPORT, ReportedCast
from agents.prose.quotes import find_quote
from agents.prose.words import NO_TITLE_BEFORE
from agents.sanitize import clean
from stores.records.llm import Persona
from stores.records.memory import Memory
from stores.records.world import Entity


@dataclass(frozen=True, slots=True)
class Director:
    """Turns the player's intent and the sealed result into a short plan before anything is narrated."""

    calls: PersonaCalls

    async def plan(
        self, package: ContextPackage, brief: NarratorBrief, call_context: CallContext
    ) -> Plan | None:
        """Return 2 to 4 beats and the assumptions; None if it is off or gave no answer.

        Raises ModelError if the model did not answer.
        """
        if not self.calls.is_on(Persona.DIRECTOR):
            return None
        sections = {**build_prompt_sections(package), **brief.parts()}
        return (await self.calls.ask_structured(Persona.DIRECTOR, sections, call_context, Plan)).value

    async def suggest_actions(self, package: ContextPackage, call_context: CallContext) -> tuple[str, ...]:
        """Return what the player's character could do next; empty if no action could be read.

        The player asks for it by a key, so it does not matter whether the persona is on. Raises ModelError if
        nothing was answered.
        """
        structured = await self.calls.ask_structured(
            Persona.DIRECTOR, build_prompt_sections(package), call_context, SuggestedActions, ACTIONS_TASK
        )
        lines = (_clean_line(action) for action in (structured.value.actions if structured.value else ()))
        return tuple(dict.fromkeys(line for line in lines if any(map(str.isalnum, line))))


@dataclass(frozen=True, slots=True)
class Librarian:
    """Answers questions from the record."""

    calls: PersonaCalls

    async def answer(self, question: str, evidence: str, call_context: CallContext) -> CitedAnswer | None:
        """Return an answer to `question` that cites the numbered lines of `evidence`; None if it could not be read.

        The player asks for it by a key, so it does not matter whether the persona is on. Raises ModelError if
        nothing was answered.
        """
        sections = {"evidence": evidence, "words": question}
        structured = await self.calls.ask_structured(
            Persona.LIBRARIAN, sections, call_context, CitedAnswer, ANSWER_TASK
        )
        return structured.value


@dataclass(frozen=True, slots=True)
class Narrator:
    """Narrates what happens, bound by the sealed result, the rules and the record.

    Without a model the GM narrates.
    """

    calls: PersonaCalls

    async def narrate(
        self, package: ContextPackage, brief: NarratorBrief, on_text: OnText, call_context: CallContext
    ) -> ProseAnswer:
        """Have the exchange narrated; `on_text` gets the text as it arrives.

        Sections that the brief leaves empty come from the package. Raises ModelError (ModelUnset if the
        persona is off) if no text arrived.
        """
        return await self.calls.ask_prose(
            Persona.NARRATOR, {**build_prompt_sections(package), **brief.parts()}, call_context, on_text
        )

    async def answer_out_of_character(
        self, package: ContextPackage, words: str, call_context: CallContext
    ) -> ProseAnswer:
        """Answer the player beside the table. Raises ModelError if no text arrived."""
        sections = {**build_prompt_sections(package), "words": words}
        return await self.calls.ask_prose(Persona.NARRATOR, sections, call_context, lambda _: None, TALK_TASK)


CHECK_PERSONAS = (Persona.LIBRARIAN, Persona.STEWARD, Persona.CRITIC)
"""Personas that the one check of a draft stands for: it is made if any of them is on, with the Critic's settings."""


@dataclass(frozen=True, slots=True)
class Critic:
    """Checks a draft against the record; at most one rewrite follows."""

    calls: PersonaCalls

    @property
    def is_on(self) -> bool:
        return any(map(self.calls.is_on, CHECK_PERSONAS))

    async def find_faults(
        self, draft: str, package: ContextPackage, brief: NarratorBrief, call_context: CallContext
    ) -> tuple[DraftFault, ...]:
        """Return the faults whose quote is in the draft and whose line is in the record; none if the check is off.

        Raises ModelError if the model did not answer.
        """
        if not self.is_on:
            return ()
        record = {**build_prompt_sections(package), **brief.parts(), "draft": ""}
        structured = await self.calls.ask_structured(
            Persona.CRITIC, {**record, "draft": draft}, call_context, Critique
        )
        faults = structured.value.faults if structured.value else ()
        lines = "\n".join(record.values())
        return tuple(f for f in faults if find_quote(f.quote, draft) and find_quote(f.breaks, lines))


MAX_SUMMARY = 200
"""Characters of a summary that is made without a model."""

_SENTENCE_END = re.compile(rf"""(?:(?<=[.!?…]){NO_TITLE_BEFORE}|(?<=[.!?…]["”’]))\s+(?=["“‘]?[^\Wa-z])""")


@dataclass(frozen=True, slots=True)
class ArchivistRecord:
    """What the Archivist recorded of one exchange."""

    summary: str
    changes: tuple[ReportedChange, ...] | None = None
    """None: no model read the prose, and plain rules have to find the changes."""
    cast: ReportedCast = NO_REPORT
    """Who is in the scene at its end, who came and who left."""
    outcome: str = ""
    """How what the player tried ends in the draft, read without knowing the sealed result."""
    outcome_quote: str = ""
    time: str = ""
    """How much world time the draft lets pass, in the model's words."""
    next_step: str = ""
    """Whether the scene's goal is reached, a beat complete or the scene over, in the model's words."""


@dataclass(frozen=True, slots=True)
class Archivist:
    """Records an exchange in one call, as a summary and the changes with their quotes."""

    calls: PersonaCalls

    async def record(
        self,
        draft: str,
        package: ContextPackage,
        brief: NarratorBrief,
        catalogue: Catalogue,
        call_context: CallContext,
    ) -> ArchivistRecord:
        """Return the summary and the changes; if it is off or gave no answer, the draft's first sentence.

        It is told the relations of the `catalogue`, so that what it states of two can be compared with canon.

        Raises ModelError if the model did not answer.
        """
        if not self.calls.is_on(Persona.ARCHIVIST):
            return ArchivistRecord(first_sentence(draft))
        # It reads how the attempt ended in the draft: it must not be told how the dice have it end.
        blind_brief = replace(brief, draft=draft, result="", degree=None, stakes_text="")
        sections = {**build_prompt_sections(package), **blind_brief.parts()}
        sections["relations"] = describe_relations(catalogue)
        sections["previous"] = build_previous_text(package)
        if brief.effects:
            sections["effects"] = "\n".join(f"- {effect}" for effect in brief.effects)
        structured = await self.calls.ask_structured(Persona.ARCHIVIST, sections, call_context, Chronicle)
        if structured.value is None:
            return ArchivistRecord(first_sentence(draft))
        summary = _unique_sentences(structured.value.summary)
        chronicle = structured.value
        cast = ReportedCast(here=chronicle.here, came=chronicle.came, left=chronicle.left)
        return ArchivistRecord(
            summary or first_sentence(draft),
            chronicle.changes,
            cast,
            chronicle.outcome,
            chronicle.outcome_quote,
            chronicle.time,
            chronicle.next_step,
        )


_UNRELATED_PREDICATES = frozenset({"located_in", "met", "promised", "owes", "said"})
"""Relations that the Archivist reports as kinds of their own."""


def describe_relations(catalogue: Catalogue) -> str:
    """Return the relations between two that a fact may state, one in a line, each with how it reads."""
    predicates = sorted(catalogue.predicates.values(), key=lambda p: p.name)
    return "\n".join(
        f"- {predicate.name}: {catalogue.phrase(predicate.name, 'X', 'Y')}"
        for predicate in predicates
        if predicate.about_two and not predicate.inverse_of and predicate.name not in _UNRELATED_PREDICATES
    )


def _unique_sentences(text: str) -> str:
    """Return a text in one line with each sentence once: small models repeat themselves."""
    return " ".join(dict.fromkeys(" ".join(part.split()) for part in _SENTENCE_END.split(text.strip())))


def first_sentence(text: str, limit: int = MAX_SUMMARY) -> str:
    """Return the first sentence in one line, cut after a word at `limit` characters."""
    line = " ".join(_SENTENCE_END.split(text.strip(), maxsplit=1)[0].split())
    return line if len(line) <= limit else line[: limit - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"


@dataclass(frozen=True, slots=True)
class Character:
    """Speaks as one NPC, who knows its own memories and what is plain to see."""

    calls: PersonaCalls

    @property
    def is_on(self) -> bool:
        return self.calls.is_on(Persona.CHARACTER)

    async def speak(
        self,
        npc: Entity,
        memories: Sequence[Memory],
        package: ContextPackage,
        brief: NarratorBrief,
        call_context: CallContext,
        on_text: OnText = lambda words: None,
    ) -> ProseAnswer | None:
        """Return what this NPC says and does now, or None if the persona is off: then the Narrator speaks for it.

        The NPC is given what is plain to see here, and of `memories` only its own. Raises ModelError if no
        text arrived.
        """
        if not self.calls.is_on(Persona.CHARACTER):
            return None
        own_memories = [m for m in memories if m.entity_id == npc.id]
        sections = build_npc_sections(package, npc, own_memories)
        brief_parts = brief.parts()
        shared_parts = {name: brief_parts[name] for name in ("lines", "words", "note") if name in brief_parts}
        return await self.calls.ask_prose(
            Persona.CHARACTER, {**sections, **shared_parts}, call_context, on_text
        )


NARRATION = Routing(mode="narration", command=NO_COMMAND)


@dataclass(frozen=True, slots=True)
class Monitor:
    """Decides whether a typed line belongs to the story or is a command, and drafts a story's set-up.

    It only chooses among existing commands, and its choice runs as if it had been typed. A draft only fills a
    form.
    """

    calls: PersonaCalls

    async def classify(self, line: str, operations: Mapping[str, str], call_context: CallContext) -> Routing:
        """Return what the line is. `operations` are the command names, each with a short description.

        The result is narration if the persona is off, gave no answer or named no command. Raises ModelError
        if the model did not answer.
        """
        if not self.calls.is_on(Persona.MONITOR):
            return NARRATION
        operations_text = "\n".join(f"{name}: {does}" for name, does in sorted(operations.items()))
        output_type = routing_model(frozenset(operations))
        sections = {"operations": operations_text, "words": line}
        structured = await self.calls.ask_structured(Persona.MONITOR, sections, call_context, output_type)
        routing = structured.value
        if routing is None or routing.mode == "narration" or routing.command not in operations:
            return NARRATION
        return Routing(mode="operation", command=routing.command, argument=" ".join(routing.argument.split()))

    async def suggest_story(self, words: str, world: PromptParts, call_context: CallContext) -> StoryIdea:
        """Return a story's set-up for the GM's `words` and the sections of a world.

        The GM asks for it by a key, so it does not matter whether the persona is on. Raises ModelError if
        nothing was answered, or nothing that can be used.
        """
        structured = await self.calls.ask_structured(
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


class Personas(NamedTuple):
    """All personas."""

    director: Director
    librarian: Librarian
    narrator: Narrator
    critic: Critic
    archivist: Archivist
    character: Character
    monitor: Monitor

    @classmethod
    def create(cls, calls: PersonaCalls) -> Personas:
        """Return all personas, calling the model by way of `calls`."""
        return cls(
            Director(calls),
            Librarian(calls),
            Narrator(calls),
            Critic(calls),
            Archivist(calls),
            Character(calls),
            Monitor(calls),
        )
