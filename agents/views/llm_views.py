"""Values that the X-ray, bill and model screens draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stores.records.ids import Id
from stores.records.llm import LlmCall, Persona
from stores.records.play import Resolution, Turn
from stores.records.workflow import TransitionProposal


@dataclass(frozen=True, slots=True)
class ExchangeStepView:
    """One step of an exchange."""

    step: str
    agent: str
    state: Literal["done", "skipped", "failed", "waiting"]
    summary: str
    """Its outcome in one line."""

    seconds: float = 0.0
    call_id: Id | None = None
    """The call that it made."""


@dataclass(frozen=True, slots=True)
class XrayView:
    """How a turn came about: its exchange step by step, and every call with what was sent."""

    turn: Turn
    steps: tuple[ExchangeStepView, ...]
    calls: tuple[LlmCall, ...]
    resolution: Resolution | None = None
    warnings: tuple[str, ...] = ()
    weighed: tuple[TransitionProposal, ...] = ()
    """What was weighed to come next, the best first."""
    is_first_offered: bool = False
    """Whether the first of them was offered."""
    prompt_notes: tuple[str, ...] = ()
    """Whose prompts were sent, where they are not the ones that are used now, or the user's own."""


@dataclass(frozen=True, slots=True)
class BillRow:
    """One line of the bill. Money is in millionths of a US dollar."""

    label: str
    call_count: int
    tokens_in: int
    tokens_out: int
    micros: int
    unpriced_count: int = 0
    """Calls without a known price."""

    subject: Id | None = None


@dataclass(frozen=True, slots=True)
class BudgetView:
    """A budget of a story, a universe or a day, in millionths of a US dollar, or of a week, in tokens."""

    scope: Literal["story", "universe", "day", "week"]
    label: str
    spent: int
    limit: int | None
    """None: there is no limit."""

    subject: Id | None = None
    limitation: str = ""
    """What waits because of it, in one line."""


@dataclass(frozen=True, slots=True)
class BillView:
    """The bill by call, turn, persona, story and day, and the budgets."""

    by_call: tuple[LlmCall, ...]
    by_turn: tuple[BillRow, ...]
    by_persona: tuple[BillRow, ...]
    by_story: tuple[BillRow, ...]
    by_day: tuple[BillRow, ...]
    budgets: tuple[BudgetView, ...]
    limitation_rules: tuple[str, ...] = ()
    """What waits first when a budget runs out, in lines."""


@dataclass(frozen=True, slots=True)
class PersonaView:
    """The settings of one persona."""

    persona: Persona
    on: bool
    own_model: str
    """Empty if the default model serves it."""

    model: str
    temperature: float
    max_tokens: int
    does: str
    needs: str = ""
    """Why it cannot be switched on or off at the moment; empty: it can."""


@dataclass(frozen=True, slots=True)
class PromptView:
    """A prompt, with the model and the samplers of the persona that it is for."""

    persona: Persona
    task: str
    """Empty: the persona's usual work."""

    does: str
    text: str
    """The file as it stands, or the bundled one."""

    needs: tuple[str, ...]
    """Sections that it has to send."""

    file_name: str
    """The user's own file; empty: the prompt is the bundled one."""

    problem: str
    """Why the user's file is not used; empty: it is, or there is none."""

    is_on: bool
    own_model: str
    model: str
    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    stop: tuple[str, ...]
    prompt_temperature: float
    prompt_max_tokens: int

    @property
    def name(self) -> str:
        return f"{self.persona.value} {self.task}".strip()


@dataclass(frozen=True, slots=True)
class PromptEdit:
    """What is typed in the form of a prompt; an empty number is the prompt's or the provider's own."""

    persona: Persona
    task: str
    model: str
    temperature: str
    top_p: str
    max_tokens: str
    stop: str
    text: str


@dataclass(frozen=True, slots=True)
class LlmSetupView:
    """The settings of the language model."""

    model: str
    api_base: str
    fallbacks: tuple[str, ...]
    seconds: float
    personas: tuple[PersonaView, ...]
    key: str
    """Where the API key of the default model's provider was found: `environment NAME`, `keyring`, `not
    needed`, or `missing: set NAME`."""

    file: str
    from_environment: tuple[str, ...] = ()
    """Settings that the environment overrides."""

    others: tuple[str, ...] = ()
    """More models that a retake can be asked of."""

    state: Literal["off", "starting", "ready", "failed"] = "off"
    trouble: str = ""
    """Why `state` is `failed`."""


@dataclass(frozen=True, slots=True)
class LlmTrialView:
    """A first call of a model: the answer, its speed and its price."""

    model: str
    words: str
    first_seconds: float
    seconds: float
    tokens_in: int
    tokens_out: int
    counted: bool
    micros: int
    priced: bool
    """Whether the price is known."""

    takes_schema: bool
    per_turn: int | None = None
    """Estimated cost of one exchange in millionths of a US dollar; None: no price is known."""
