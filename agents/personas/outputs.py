"""Defines the answers of the personas, with bounds on every field.

Bounds let a small model finish and limit a hostile one. Each answer has a one-line form (`in_short`, for the
X-ray), and where plain words can be parsed as it, `from_words`, the last step of the fallback ladder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from agents.ingest.ladder.tool_calls import ChunkToolCalls

ShortText = Annotated[str, Field(max_length=200)]
Percent = Annotated[int, Field(ge=0, le=100)]

_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+(.*\S)")
_UNKNOWN_ANSWER = re.compile(r"\W*(?:unknown|the record (?:is silent|does not say))\b", re.I)
_CITATION = re.compile(r"\[(\d{1,2})\]")
_SENTENCE = re.compile(r"[^.!?]+(?:[.!?]+[\"”’)]*(?:\s*\[\d{1,2}\])*|$)")
_KEEP_WORDS = re.compile(
    r"\b(?:no faults?|nothing (?:goes|is) (?:against|wrong)|keep it|fine as it is|good as it is)\b", re.I
)

_LABELLED = re.compile(r"^[\s>*#_-]*([A-Za-z][A-Za-z _]{2,20}?)[*_ ]*:[*_ ]*(\S.*)$", re.M)
_SHORT_FIELDS = frozenset({"title", "hero_name", "scene_title", "place"})


class PersonaAnswer(BaseModel):
    """A frozen answer. Unknown fields are ignored, because models add fields freely."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    def in_short(self) -> str:
        """Return the answer in one line."""
        return ""


class Plan(PersonaAnswer):
    """The Director's answer: what this exchange should show, in order, and what it assumes."""

    beats: tuple[ShortText, ...] = Field(min_length=1, max_length=4)
    assumptions: tuple[ShortText, ...] = Field(default=(), max_length=3)
    next_step: Annotated[str, Field(max_length=20)] = ""
    """What comes after these beats: `go on`, `goal reached`, `beat complete` or `scene over`."""

    def in_short(self) -> str:
        return _count_with_noun(self.beats, "beat") + (
            f", {_count_with_noun(self.assumptions, 'assumption')}" if self.assumptions else ""
        )

    @classmethod
    def from_words(cls, text: str) -> Self | None:
        beats = _parse_bullets(text)[:4]
        return cls(beats=tuple(beats)) if beats else None


class SuggestedActions(PersonaAnswer):
    """The Director's answer to what the player's character could do next."""

    actions: tuple[ShortText, ...] = Field(min_length=1, max_length=4)

    def in_short(self) -> str:
        return _count_with_noun(self.actions, "action")

    @classmethod
    def from_words(cls, text: str) -> Self | None:
        actions = _parse_bullets(text)[:4]
        return cls(actions=tuple(actions)) if actions else None


class CitedSentence(PersonaAnswer):
    """One sentence of an answer, and the numbers of the evidence that it rests on."""

    text: Annotated[str, Field(max_length=300)]
    cites: tuple[Annotated[int, Field(ge=0, le=100)], ...] = Field(default=(), max_length=4)


class CitedAnswer(PersonaAnswer):
    """The Librarian's answer to a question: sentences with citations, or that the record does not say."""

    unknown: bool = False
    sentences: tuple[CitedSentence, ...] = Field(default=(), max_length=5)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not (self.unknown or self.sentences):
            raise ValueError("give sentences, or say that it is unknown")
        return self

    def in_short(self) -> str:
        return (
            "unknown" if self.unknown or not self.sentences else _count_with_noun(self.sentences, "sentence")
        )

    @classmethod
    def from_words(cls, text: str) -> Self | None:
        """Parse plain sentences that cite with numbers in brackets (`Wenna has the key [2].`)."""
        line = _one_line(text, 1_500)
        if _UNKNOWN_ANSWER.match(line):
            return cls(unknown=True)
        sentence_parts = [
            (_CITATION.sub(" ", part), _CITATION.findall(part)) for part in _SENTENCE.findall(line)
        ]
        cited_sentences = [
            CitedSentence(text=_one_line(words, 300).replace(" .", "."), cites=tuple(map(int, cites[:4])))
            for words, cites in sentence_parts
            if any(map(str.isalnum, words))
        ]
        return (
            cls(sentences=tuple(cited_sentences[:5])) if any(one.cites for one in cited_sentences) else None
        )


class DraftFault(PersonaAnswer):
    """One sentence of a draft that goes against the record."""

    quote: Annotated[str, Field(max_length=300)]
    """The sentence of the draft."""
    breaks: Annotated[str, Field(max_length=400)]
    """The line of the record that it goes against."""
    note: ShortText = ""
    """What to correct."""


class Critique(PersonaAnswer):
    """The check of a draft. Plain words are no answer unless they say that nothing is wrong: they quote nothing."""

    faults: tuple[DraftFault, ...] = Field(max_length=3)

    def in_short(self) -> str:
        return _count_with_noun(self.faults, "fault")

    @classmethod
    def from_words(cls, text: str) -> Self | None:
        return cls(faults=()) if _KEEP_WORDS.search(text) else None


PersonName = Annotated[str, Field(max_length=80)]

ChangeKind = Literal[
    "new",
    "fact",
    "state",
    "holds",
    "moved",
    "wants",
    "died",
    "promise",
    "debt",
    "question",
    "said",
    "met",
    "ended",
    "described",
]


class ReportedChange(PersonaAnswer):
    """One change that the Archivist reports, with the words of the text that it rests on.

    `agents/prompts/archivist.yaml` says what the fields mean for each kind, and
    `agents/narrator/change_payloads.py` what is made of them.
    """

    kind: ChangeKind
    subject: Annotated[str, Field(max_length=80)]
    predicate: Annotated[str, Field(max_length=40)] = ""
    object: ShortText = ""
    quote: Annotated[str, Field(max_length=300)]
    weight: Percent = 50
    heard_by: tuple[PersonName, ...] = Field(default=(), max_length=8)
    """Who alone heard or noticed it, if not everybody here did."""


class Chronicle(PersonaAnswer):
    """The Archivist's answer: who is here, how the attempt ended, a line for the rolling summary, and the changes."""

    summary: Annotated[str, Field(max_length=300)]
    """One sentence on what happened; first, so that an answer that is cut off in its lists still has it."""
    here: tuple[PersonName, ...] = Field(default=(), max_length=24)
    """Who is in the scene when the text ends, without the player's character."""
    came: tuple[PersonName, ...] = Field(default=(), max_length=12)
    left: tuple[PersonName, ...] = Field(default=(), max_length=12)
    """Who came into the scene in the text, and who went away in it."""
    outcome: Annotated[str, Field(max_length=20)] = ""
    """How what the player tried ends in the text: `succeeded`, `failed`, `both` or `open`."""
    outcome_quote: Annotated[str, Field(max_length=300)] = ""
    """The sentence of the text that shows it."""
    time: Annotated[str, Field(max_length=40)] = ""
    """How much world time the text lets pass: `none`, `20 minutes`, `3 hours`, `to dawn`."""
    next_step: Annotated[str, Field(max_length=20)] = ""
    """Where the scene stands at the end of the text: `go on`, `goal reached`, `beat complete` or `scene over`."""
    changes: tuple[ReportedChange, ...] = Field(default=(), max_length=8)

    def in_short(self) -> str:
        return f"{_count_with_noun(self.changes, 'change')}: {self.summary}"

    @classmethod
    def from_words(cls, text: str) -> Self | None:
        """Parse plain words as the summary only: changes need quotes, which plain words do not mark."""
        line = _one_line(next(iter(_parse_bullets(text)), text), 300)
        return cls(summary=line) if line else None


class Routing(PersonaAnswer):
    """The Monitor's answer: words of the story, or a command with its argument."""

    mode: Literal["narration", "operation"]
    command: str = Field(default="", max_length=20)
    argument: Annotated[str, Field(max_length=300)] = ""

    def in_short(self) -> str:
        return f"/{self.command} {self.argument}".strip() if self.mode == "operation" else "narration"


NO_COMMAND = "none"
"""The value of `command` for no command."""


@lru_cache(maxsize=16)
def routing_model(operations: frozenset[str]) -> type[Routing]:
    """Return Routing with `command` limited to these names, and `none`."""
    names = (NO_COMMAND, *sorted(operations))
    commands: Any = Literal[names]
    return create_model("Routing", __base__=Routing, command=(commands, NO_COMMAND))


class StoryIdea(PersonaAnswer):
    """The Monitor's answer to a story idea: the fields of the set-up form; empty where it has no idea."""

    title: Annotated[str, Field(max_length=80)] = ""
    theme: ShortText = ""
    tone: ShortText = ""
    constraints: ShortText = ""
    lines_and_veils: ShortText = ""
    hero_name: Annotated[str, Field(max_length=80)] = ""
    hero_description: ShortText = ""
    scene_title: Annotated[str, Field(max_length=80)] = ""
    scene_goal: ShortText = ""
    place: Annotated[str, Field(max_length=80)] = ""
    people: tuple[ShortText, ...] = Field(default=(), max_length=4)
    """Lines of the form `Name: who that is`."""

    places: tuple[ShortText, ...] = Field(default=(), max_length=3)
    """Lines of the form `Name: what that is`."""

    @property
    def is_empty(self) -> bool:
        """Whether no field has a value."""
        return not any(self.model_dump().values())

    def in_short(self) -> str:
        return self.title or self.hero_name or self.scene_title or "no title"

    @classmethod
    def from_words(cls, text: str) -> Self | None:
        """Parse lines of the form `Title: ...`, with the names of fields."""
        field_names = {name for name, field in cls.model_fields.items() if field.annotation is str}
        values = {}
        for match in _LABELLED.finditer(text[:10_000]):
            name = "_".join(match[1].casefold().replace("_", " ").split())
            if name in field_names and name not in values:
                values[name] = _one_line(match[2].strip("*_ "), 80 if name in _SHORT_FIELDS else 200)
        return cls.model_validate(values) if values else None


class Doubt(PersonaAnswer):
    """One sentence of the record that the new one cannot be true beside, by its number, and why."""

    number: Annotated[int, Field(ge=0, le=100)]
    why: Annotated[str, Field(max_length=120)] = ""


class Doubts(PersonaAnswer):
    """The Steward's answer about a new sentence. Plain words are no answer: they name no numbers."""

    doubts: tuple[Doubt, ...] = Field(max_length=3)

    def in_short(self) -> str:
        return _count_with_noun(self.doubts, "doubt")


OUTPUTS: Mapping[str, type[BaseModel]] = {
    answer.__name__: answer
    for answer in (
        *(Plan, SuggestedActions, CitedAnswer, Critique, Chronicle, Routing, StoryIdea, Doubts),
        ChunkToolCalls,
    )
}
"""Every model that a prompt may name as its output."""


def _parse_bullets(text: str) -> list[str]:
    """Return the bullets or numbered lines of a text, each within bounds."""
    matches = (_BULLET.match(line) for line in text.splitlines()[:200])
    return [_one_line(match[1]) for match in matches if match]


def _one_line(text: str, limit: int = 200) -> str:
    return " ".join(text.split())[:limit]


def _count_with_noun(things: Iterable[object], noun: str) -> str:
    count = len(list(things))
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"
