"""The personas' prompts: read from YAML, and made into messages within a budget of tokens.

Stable sections come first, so that a provider's prefix cache holds; what is over the budget is dropped by
rank and never silently. What is in a section is data: it stands between fences and cannot close them. Pure.
Source: design/product.md, pains 9 and 13; design/authority.md, "Security".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from agents.model.asking import Parts
from agents.model.port import Message
from stores.records.base import Record
from stores.records.model import Persona, Section

Count = Callable[[str], int]
"""Gives the tokens of a text."""

PROSE = "prose"


class PromptSection(Record):
    """One section: `drop` 0 is never dropped, 9 the first to go; `cap` bounds its tokens (0: nothing does).

    `keep` says what goes first when it is too long: `newest` drops its first lines, `first` its last ones,
    `whole` all of it at once. `fenced` false: our own words and the GM's wishes, which are no data.
    """

    name: str
    heading: str
    stable: bool = False
    drop: int = Field(ge=0, le=9)
    cap: int = Field(default=0, ge=0, le=100_000)
    keep: Literal["newest", "first", "whole"] = "first"
    fenced: bool = True


class Prompt(Record):
    """What a persona is told. `budget` bounds the input in tokens, `output` names a model of
    `agents/personas/outputs.py`, or is `prose`."""

    persona: Persona
    does: str = Field(min_length=1, max_length=120)
    temperature: float = Field(ge=0.0, le=2.0)
    max_tokens: int = Field(ge=16, le=32_000)
    budget: int = Field(ge=256, le=1_000_000)
    output: str
    instructions: str = Field(min_length=1)
    sections: tuple[PromptSection, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Prompts:
    """A prompt for every persona. `own` are those from the user's files; `refused` says of each file that was
    left out why."""

    by_persona: Mapping[Persona, Prompt]
    own: frozenset[Persona] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, persona: Persona) -> Prompt:
        return self.by_persona[persona]


@dataclass(frozen=True, slots=True)
class Built:
    """What is sent, and by section what was sent and what was dropped (a section cut short is in both)."""

    messages: tuple[Message, ...]
    sections: tuple[Section, ...]

    @property
    def tokens(self) -> int:
        """The tokens that are sent."""
        return sum(section.tokens for section in self.sections if not section.dropped)


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a prompt begins as the one before it did: what a prefix cache can reuse, in tokens."""

    tokens: int
    of: int


def load_prompts() -> Prompts:
    """Return the bundled prompts. Raises InputError, with file and line, if one is not well-formed."""
    raise NotImplementedError


def with_user_prompts(prompts: Prompts, texts: Mapping[str, str]) -> Prompts:
    """Return the prompts with the user's own files (`HOME/prompts/*.yaml`, by name) in their place. A bad one
    is left out and told in `refused`, with its line: no file keeps the program from opening."""
    raise NotImplementedError


def read_prompt(text: str, name: str) -> Prompt:
    """Read one prompt file. Raises InputError that names the file, the line and what is wrong there."""
    raise NotImplementedError


def pieces(prompt: Prompt, parts: Parts) -> tuple[str, ...]:
    """Return every text that `build` will count, so that an exact counter can be asked for all at once:
    `build(prompt, parts, from_table(pieces, numbers), window, exact=True)`."""
    raise NotImplementedError


def from_table(texts: Sequence[str], numbers: Sequence[int]) -> Count:
    """Return a counter that knows these texts, and estimates any other."""
    table = dict(zip(texts, numbers, strict=True))
    return lambda text: table[text] if text in table else estimate(text)


def estimate(text: str) -> int:
    """Estimate the tokens of a text without its tokenizer: rather too many than too few."""
    return math.ceil(len(text.encode()) / 3.6)


def build(prompt: Prompt, parts: Parts, count: Count, window: int | None, *, exact: bool = False) -> Built:
    """Make the messages. `count` gives the tokens of a text, `exact` says that it is the model's own count;
    `window` is what the model takes in all, in tokens (None: not known).

    Raises ModelTooLong if even what is never dropped does not fit.
    """
    raise NotImplementedError


def reusable(before: Built, after: Built, count: Count) -> Share:
    """Return how much of `after` begins as `before` did."""
    raise NotImplementedError
