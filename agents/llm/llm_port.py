"""The model, as agents know it: a prompt goes in, words stream out. No provider's name appears here.

One protocol, `Model`, with two makers: `agents.llm.child_client.ChildModel` (LiteLLM in a child process) and
`agents.llm.scripted_model.ScriptedModel` (tests, replay). Personas do not call it: they go through
`agents.llm.model_calls.Calls`, which keeps the bill. Source: design/architecture.md;
design/libraries.md, "Model".
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from stores.records.model import Money


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """A JSON schema that the answer should have, and how to ask for it: by the provider's schema mode, or as
    the arguments of one tool."""

    name: str
    schema: Mapping[str, Any]
    mode: Literal["schema", "tools"] = "schema"


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """One request. `model` is LiteLLM's name (`openai/gpt-4o-mini`); `seconds` bounds the whole call, and
    every silence in it; `max_tokens` the answer."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.7
    seconds: float = 60.0
    shape: AnswerSchema | None = None
    api_base: str = ""
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Some words of the answer, as they came."""

    text: str


UNPRICED = Money(known=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a whole answer took. `counted`: by the provider; `finish` is stop, length, content_filter ..."""

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    counted: bool = False
    cost: Money = UNPRICED
    finish: str = "stop"


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model without asking it: its window in tokens, whether it takes a schema, prices."""

    model: str
    window: int | None = None
    takes_schema: bool = False
    takes_tools: bool = False
    in_per_million: float | None = None
    out_per_million: float | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """Texts that are to be made vectors; fields as of `Ask`."""

    model: str
    texts: tuple[str, ...]
    api_base: str = ""
    seconds: float = 60.0


@runtime_checkable
class EmbeddingProvider(Protocol):
    """What makes vectors by way of a provider."""

    async def embed(self, request: EmbeddingRequest) -> tuple[list[Sequence[float]], Usage]:
        """Return one vector a text, and what they took. One try. Raises ModelError kinds."""
        ...


class LanguageModel(Protocol):
    def stream(self, request: LlmRequest) -> AsyncIterator[TextChunk | Usage]:
        """Yield the words of one answer as they come, and last its usage.

        One try, no retries. Raises the kinds of `agents.llm.errors.ModelError`; `ModelCut` after some words
        have been yielded. Closing the iterator (or cancelling its task) stops the provider's work.
        """
        ...

    async def count_tokens(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[int, ...], bool]:
        """Count the tokens of each text, and say whether that is exact for this model."""
        ...

    async def read_facts(self, model: str) -> ModelFacts:
        """Return what is known of a model; raises ModelUnknown for a name that no provider goes by."""
        ...

    async def close(self) -> None: ...
