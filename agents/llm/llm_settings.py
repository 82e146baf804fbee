"""How the model is set up: plain pydantic models, read from settings.toml and the environment.

    [model]                                 MONITOR_MODEL_NAME=anthropic/claude-haiku-4-5
    name = "anthropic/claude-haiku-4-5"
    [narrator]                              MONITOR_NARRATOR_TEMPERATURE=0.9
    temperature = 0.9

A name is all that is needed to play with a model. Who is on then: the Narrator, who tells, and the
Archivist, who finds what the telling changed; without the one there is no story and without the other nothing
to decide at the gate. The others cost a call each and every turn, so a newcomer's turn is two calls: whoever
wants beats planned (Director), recall weighed (Librarian), rules argued (Steward), prose judged (Critic),
people with a voice of their own (Character) or words routed (Monitor) switches them on. What is deterministic
in these jobs runs anyway. Keys are no setting: see `agents.llm.provider_keys`.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from agents.llm.model_names import ModelTarget, parse_target, provider_of
from stores.records.model import Persona


def _split_names(value: object) -> object:
    """The environment has one line: names between commas."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _address(value: object) -> object:
    if isinstance(value, str) and value.strip():
        parts = urlsplit(value.strip())
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("an address begins with http:// or https:// and names a server")
        if parts.username or parts.password:
            raise ValueError("no key or password belongs into an address")
        return value.strip().rstrip("/")
    return value


Address = Annotated[str, BeforeValidator(_address)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelSettings(_Section):
    name: str = ""
    """LiteLLM's name of the model that serves every persona without one of its own. Empty: no model."""

    api_base: Address = ""
    """Where it is, if not at its provider's own address: `http://127.0.0.1:8080/v1`."""

    fallbacks: Annotated[tuple[str, ...] | str, BeforeValidator(_split_names)] = ()
    """Models that are asked in this order when one does not answer; `name@https://address` if elsewhere."""

    seconds: float = Field(default=60.0, gt=0.0, le=3_600.0)
    """How long a whole answer may take."""


class PersonaSettings(_Section):
    """What is None is as `ON` and the persona's prompt have it; an empty `model` is the default model."""

    on: bool | None = None
    model: str = ""
    temperature: float | None = Field(default=None, ge=0.0, le=2.0)
    max_tokens: int | None = Field(default=None, ge=16, le=32_000)


class BudgetSettings(_Section):
    """Budgets in US dollars for whatever has none of its own; None: no limit."""

    day: float | None = Field(default=None, ge=0.0)
    story: float | None = Field(default=None, ge=0.0)
    universe: float | None = Field(default=None, ge=0.0)


class EngineSettings(_Section):
    backend: Literal["langgraph", "inmemory"] = "langgraph"
    """What runs the turn's steps. `inmemory` runs the same ones without LangGraph and its checkpoints."""


class CopilotSettings(_Section):
    pause: bool = False
    """Wait before what a telling would change is staged: it is staged with the player's next line."""


BUILTIN: Final = "builtin"
NO_EMBEDDING: Final = "none"


def _embedding_model(value: object) -> object:
    if not isinstance(value, str):
        return value
    name = value.strip()
    if name.casefold() in (BUILTIN, NO_EMBEDDING):
        return name.casefold()
    if not provider_of(name):
        raise ValueError(
            f"an embedding model is {BUILTIN}, {NO_EMBEDDING}, or LiteLLM's name of one, as "
            "openai/text-embedding-3-small"
        )
    return name


class EmbeddingSettings(_Section):
    """What makes vectors, by which the record is searched by meaning."""

    model: Annotated[str, BeforeValidator(_embedding_model)] = BUILTIN
    """`builtin` is the small model that comes with MONITOR and needs no network; `none` searches by words
    alone; any other is LiteLLM's name of an embedding model. Another one makes all vectors anew."""

    api_base: Address = ""
    """Where it is, if not at its provider's own address."""


ON_BY_DEFAULT: Final = frozenset({Persona.NARRATOR, Persona.ARCHIVIST})
"""Who is on until it is set otherwise."""


class AppSettings(BaseModel):
    """All that is set of the model, in one piece; a section a name in settings.toml."""

    model: ModelSettings = ModelSettings()
    director: PersonaSettings = PersonaSettings()
    librarian: PersonaSettings = PersonaSettings()
    steward: PersonaSettings = PersonaSettings()
    narrator: PersonaSettings = PersonaSettings()
    critic: PersonaSettings = PersonaSettings()
    archivist: PersonaSettings = PersonaSettings()
    character: PersonaSettings = PersonaSettings()
    monitor: PersonaSettings = PersonaSettings()
    budget: BudgetSettings = BudgetSettings()
    engine: EngineSettings = EngineSettings()
    copilot: CopilotSettings = CopilotSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()

    def persona(self, persona: Persona) -> PersonaSettings:
        section = getattr(self, persona.value)
        assert isinstance(section, PersonaSettings)
        return section

    def target(self, persona: Persona | None = None) -> ModelTarget | None:
        """Where a persona's calls go (without one: the default's); None if there is no model for it."""
        default = (
            parse_target(self.model.name)._replace(api_base=self._default_api_base())
            if self.model.name
            else None
        )
        persona_model = self.persona(persona).model if persona else ""
        return parse_target(persona_model, default) if persona_model else default

    def targets(self, persona: Persona) -> tuple[ModelTarget, ...]:
        """A persona's model and then its fall-backs in order; empty if it has no model."""
        first = self.target(persona)
        if first is None:
            return ()
        rest = (parse_target(entry, self.target()) for entry in self.model.fallbacks)
        return (first, *(one for one in rest if one != first))

    def embedding_target(self) -> ModelTarget | None:
        """The provider's model that makes vectors; None if it is the built-in one, or none."""
        if self.embedding.model in (BUILTIN, NO_EMBEDDING):
            return None
        return parse_target(self.embedding.model)._replace(api_base=self._embedding_api_base())

    def is_on(self, persona: Persona) -> bool:
        """Whether a persona is switched on and has a model."""
        return self.is_switched_on(persona) and self.target(persona) is not None

    def is_switched_on(self, persona: Persona) -> bool:
        """Whether a persona is switched on, model or not."""
        on = self.persona(persona).on
        return persona in ON_BY_DEFAULT if on is None else on

    def temperature(self, persona: Persona, default: float) -> float:
        """What is set for a persona, else `usual`: its prompt's."""
        persona_temperature = self.persona(persona).temperature
        return default if persona_temperature is None else persona_temperature

    def max_tokens(self, persona: Persona, default: int) -> int:
        """As `temperature`."""
        return self.persona(persona).max_tokens or default

    def _embedding_api_base(self) -> str:
        return parse_target(self.embedding.model).api_base or self.embedding.api_base

    def _default_api_base(self) -> str:
        return parse_target(self.model.name).api_base or self.model.api_base
