"""Settings of the language model, read from settings.toml and the environment.

    [model]                                 MONITOR_MODEL_NAME=anthropic/claude-haiku-4-5
    name = "anthropic/claude-haiku-4-5"
    [narrator]                              MONITOR_NARRATOR_TEMPERATURE=0.9
    temperature = 0.9

A model name is all that is needed. By default two personas are on: the Narrator, who narrates, and the
Archivist, who finds what the narration changed. Each other persona costs one more call a turn and is switched
on by the player: Director (plans beats), Librarian (digests the record), Steward (warns of contradictions),
Critic (reviews the prose), Character (gives NPCs their own voice), Monitor (routes typed lines). The
deterministic part of their work runs in any case. API keys are no settings: see `agents.llm.provider_keys`.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from agents.llm.model_names import ModelTarget, parse_target, provider_of
from stores.records.llm import Persona


def _split_names(value: object) -> object:
    """Split names separated by commas: an environment variable has one line."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _split_stops(value: object) -> object:
    r"""Split stop texts at commas, and read `\n` in them as the end of a line."""
    if isinstance(value, str):
        value = [part for part in value.split(",") if part.strip()]
    if not isinstance(value, list | tuple):
        return value
    stops = (part.replace("\\n", "\n").strip(" ") if isinstance(part, str) else part for part in value)
    return tuple(stop for stop in stops if stop != "")  # nothing would end every answer before its first word


def _address(value: object) -> object:
    """Check that an address names an http(s) server and contains no password."""
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
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ModelSettings(_Section):
    """The default model and how it is called."""

    name: str = ""
    """LiteLLM's name of the model for every persona without one of its own. Empty: no model."""

    api_base: Address = ""
    """Address of the server, if not the provider's own: `http://127.0.0.1:8080/v1`."""

    fallbacks: Annotated[tuple[str, ...] | str, BeforeValidator(_split_names)] = ()
    """Models to try in this order if the first does not answer. `name@https://address` if one is
    elsewhere."""

    others: Annotated[tuple[str, ...] | str, BeforeValidator(_split_names)] = ()
    """More models that a retake can be asked of, beside those that are set up. Written as fall-backs are."""

    seconds: float = Field(default=60.0, gt=0.0, le=3_600.0)
    """Limit for one whole answer, in seconds."""


class PersonaSettings(_Section):
    """Settings of one persona. None stands for the default: `ON_BY_DEFAULT` and the persona's prompt."""

    on: bool | None = None
    model: str = ""
    """Empty: the default model."""

    temperature: float | None = Field(default=None, ge=0.0, le=2.0)
    max_tokens: int | None = Field(default=None, ge=16, le=32_000)
    top_p: float | None = Field(default=None, gt=0.0, le=1.0)
    """Only the likeliest words that make up this share are chosen from; None: as the provider does it."""

    stop: Annotated[tuple[str, ...] | str, BeforeValidator(_split_stops)] = Field(default=(), max_length=4)
    r"""Texts that end an answer before they are written; `\n` stands for the end of a line."""


MAX_DOLLARS: Final = 100_000.0
"""The largest budget of money."""

MAX_WEEKLY_TOKENS: Final = 1_000_000_000_000
"""The largest budget of tokens."""


class BudgetSettings(_Section):
    """Default budgets in US dollars; None: no limit."""

    weekly_tokens: int | None = Field(default=None, ge=0, le=MAX_WEEKLY_TOKENS)
    """Tokens that a model may use in each universe in a week: it bounds models without a price, too."""

    cheaper_model: str = ""
    """Model that takes over what a budget holds back, as far as its price allows (empty: none)."""

    day: float | None = Field(default=None, ge=0.0, le=MAX_DOLLARS)
    story: float | None = Field(default=None, ge=0.0, le=MAX_DOLLARS)
    universe: float | None = Field(default=None, ge=0.0, le=MAX_DOLLARS)


class EngineSettings(_Section):
    """What runs the steps of a narration."""

    backend: Literal["langgraph", "inmemory"] = "langgraph"
    """`inmemory` runs the same steps without LangGraph and its checkpoints."""


class CopilotSettings(_Section):
    """How the program works beside a GM who narrates."""

    pause: bool = False
    """Wait before staging what a narration would change; it is staged with the player's next line."""


class PlaySettings(_Section):
    """How typed lines are played."""

    offer_moves: bool = True
    """Offer a move of the story's rules for a plain line that calls for one."""


class GateSettings(_Section):
    """What is done with proposals at the gate."""

    model_doubts: bool = True
    """Have the model look at each new sentence, and show what it doubts as a warning."""


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
    """The embedding model, by which the record is searched by meaning."""

    model: Annotated[str, BeforeValidator(_embedding_model)] = BUILTIN
    """`builtin` is the small offline model that comes with MONITOR; `none` searches by words alone; any
    other value is LiteLLM's name of an embedding model. Changing it recomputes all vectors."""

    api_base: Address = ""
    """Address of the server, if not the provider's own."""


ON_BY_DEFAULT: Final = frozenset({Persona.NARRATOR, Persona.ARCHIVIST})
"""Personas that are on unless they are switched off."""


class AppSettings(BaseModel):
    """All settings of the language model and of play; each field is a section of settings.toml."""

    model: ModelSettings = ModelSettings()
    director: PersonaSettings = PersonaSettings()
    librarian: PersonaSettings = PersonaSettings()
    steward: PersonaSettings = PersonaSettings()
    narrator: PersonaSettings = PersonaSettings()
    critic: PersonaSettings = PersonaSettings()
    archivist: PersonaSettings = PersonaSettings()
    character: PersonaSettings = PersonaSettings()
    monitor: PersonaSettings = PersonaSettings()
    reader: PersonaSettings = PersonaSettings()
    budget: BudgetSettings = BudgetSettings()
    engine: EngineSettings = EngineSettings()
    copilot: CopilotSettings = CopilotSettings()
    play: PlaySettings = PlaySettings()
    gate: GateSettings = GateSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()

    def persona(self, persona: Persona) -> PersonaSettings:
        """Return the section of a persona."""
        section = getattr(self, persona.value)
        assert isinstance(section, PersonaSettings)
        return section

    def target(self, persona: Persona | None = None) -> ModelTarget | None:
        """Return the model of a persona (None: the default model), or None if there is no model."""
        default = (
            parse_target(self.model.name)._replace(api_base=self._default_api_base())
            if self.model.name
            else None
        )
        persona_model = self.persona(persona).model if persona else ""
        return parse_target(persona_model, default) if persona_model else default

    def targets(self, persona: Persona, model: str = "") -> tuple[ModelTarget, ...]:
        """Return a persona's model (or `model` in its place) and then its fallbacks; empty if it has no model."""
        first = parse_target(model, self.target()) if model else self.target(persona)
        if first is None:
            return ()
        rest = (parse_target(entry, self.target()) for entry in self.model.fallbacks)
        return (first, *(one for one in rest if one != first))

    def cheaper_target(self) -> ModelTarget | None:
        """Return the model that takes over what a budget holds back; None if there is none."""
        name = self.budget.cheaper_model
        return parse_target(name, self.target()) if name else None

    def list_retake_models(self) -> tuple[str, ...]:
        """Return the names of all models that a narration can be asked of, the Narrator's first."""
        own_models = (self.persona(persona).model for persona in Persona)
        names = (self.narrator.model or self.model.name, self.model.name, *self.model.fallbacks)
        return tuple(dict.fromkeys(filter(None, (*names, *own_models, *self.model.others))))

    def embedding_target(self) -> ModelTarget | None:
        """Return the provider's embedding model; None if it is the built-in one or none."""
        if self.embedding.model in (BUILTIN, NO_EMBEDDING):
            return None
        return parse_target(self.embedding.model)._replace(api_base=self._embedding_api_base())

    def is_on(self, persona: Persona) -> bool:
        """Return whether a persona is switched on and has a model."""
        return self.is_switched_on(persona) and self.target(persona) is not None

    def is_switched_on(self, persona: Persona) -> bool:
        """Return whether a persona is switched on, with or without a model."""
        on = self.persona(persona).on
        return persona in ON_BY_DEFAULT if on is None else on

    def doubts_sentences(self) -> bool:
        """Return whether a model looks at new sentences."""
        return self.gate.model_doubts and self.target(Persona.STEWARD) is not None

    def temperature(self, persona: Persona, default: float) -> float:
        """Return the persona's temperature, or `default`."""
        persona_temperature = self.persona(persona).temperature
        return default if persona_temperature is None else persona_temperature

    def max_tokens(self, persona: Persona, default: int) -> int:
        """Return the persona's limit of answer tokens, or `default`."""
        return self.persona(persona).max_tokens or default

    def _embedding_api_base(self) -> str:
        return parse_target(self.embedding.model).api_base or self.embedding.api_base

    def _default_api_base(self) -> str:
        return parse_target(self.model.name).api_base or self.model.api_base
