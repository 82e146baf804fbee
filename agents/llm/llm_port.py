"""Defines the port to language models: a prompt goes in, text streams out. No provider is named here.

`agents.llm.child_client.ChildModel` implements it with LiteLLM in a child process, and
`agents.llm.scripted_model.ScriptedModel` for tests and replay. Personas do not call it directly: they go
through `agents.llm.model_calls.ModelCalls`, which records every call.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from stores.records.llm import Money


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str
    pictures: tuple[str, ...] = ()
    """PNG files in base64, shown after the text."""


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """A JSON schema for the answer."""

    name: str
    schema: Mapping[str, Any]
    mode: Literal["schema", "tools"] = "schema"
    """How to ask for it: by the provider's schema mode, or as the arguments of one tool."""


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """One request to a language model."""

    model: str
    """LiteLLM's name of the model: `openai/gpt-4o-mini`."""

    messages: tuple[Message, ...]
    max_tokens: int
    """Limit of the answer, in tokens."""

    temperature: float = 0.7
    top_p: float | None = None
    """None: as the provider does it."""

    stop: tuple[str, ...] = ()
    """Texts that end the answer before they are written."""

    seconds: float = 60.0
    """Limit of the whole call, and of each silence in it."""

    shape: AnswerSchema | None = None
    api_base: str = ""
    """Address of the server; empty for the provider's own."""

    seed: int | None = None


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of the answer, as it arrived."""

    text: str


UNPRICED = Money(known=False)
"""The cost of a model whose price is unknown."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one whole answer used."""

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    counted: bool = False
    """Whether the provider counted the tokens; otherwise they are estimated."""

    cost: Money = UNPRICED
    finish: str = "stop"
    """Why the answer ended: `stop`, `length`, `content_filter` ..."""

    def plus(self, later: Usage) -> Usage:
        """Return what two requests used together. The price is known only if both are."""
        return Usage(
            tokens_in=self.tokens_in + later.tokens_in,
            tokens_out=self.tokens_out + later.tokens_out,
            tokens_cached=self.tokens_cached + later.tokens_cached,
            counted=self.counted and later.counted,
            cost=Money(
                micros=self.cost.micros + later.cost.micros, known=self.cost.known and later.cost.known
            ),
            finish=later.finish,
        )


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model without calling it."""

    model: str
    window: int | None = None
    """The context window in tokens; None if unknown."""

    takes_schema: bool = False
    takes_tools: bool = False
    takes_pictures: bool = False
    in_per_million: float | None = None
    """Price of a million input tokens in US dollars; None if unknown."""

    out_per_million: float | None = None
    """Price of a million output tokens in US dollars; None if unknown."""


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """Texts to embed. The other fields are as in `LlmRequest`."""

    model: str
    texts: tuple[str, ...]
    api_base: str = ""
    seconds: float = 60.0


@runtime_checkable
class EmbeddingProvider(Protocol):
    """Computes embedding vectors with a provider's model."""

    async def embed(self, request: EmbeddingRequest) -> tuple[list[Sequence[float]], Usage]:
        """Return one vector per text, and the usage, in one try. Raises ModelError."""
        ...


class LanguageModel(Protocol):
    """Streams answers of a language model, one try a call."""

    def stream(self, request: LlmRequest) -> AsyncIterator[TextChunk | Usage]:
        """Yield the pieces of one answer as they arrive, and its usage last.

        One try, no retries. Raises ModelError kinds; ModelCut after some text was yielded. Closing the
        iterator, or cancelling its task, stops the provider's work.
        """
        ...

    async def count_tokens(self, model: str, texts: tuple[str, ...]) -> tuple[tuple[int, ...], bool]:
        """Count the tokens of each text. The flag says whether the counts are exact for this model."""
        ...

    async def read_facts(self, model: str) -> ModelFacts:
        """Return what is known of a model. Raises ModelUnknown if no provider knows the name."""
        ...

    async def close(self) -> None:
        """Release the model's resources."""
        ...
