"""What the model did, as screens draw it: the X-ray of a turn, the bill, and how the model is set up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stores.records.ids import Id
from stores.records.llm import LlmCall, Persona
from stores.records.play import Resolution, Turn


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of the exchange. `line` is what came of it; `call` names the call that it made."""

    step: str
    agent: str
    state: Literal["done", "skipped", "failed", "waiting"]
    line: str
    seconds: float = 0.0
    call_id: Id | None = None


@dataclass(frozen=True, slots=True)
class XrayView:
    """Why a turn says what it says: its exchange step by step, and every call with what was sent."""

    turn: Turn
    steps: tuple[StepView, ...]
    calls: tuple[LlmCall, ...]
    resolution: Resolution | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BillRow:
    """One line of the bill. `calls` of which `unpriced` have no known price; money in millionths of a US
    dollar."""

    label: str
    calls: int
    tokens_in: int
    tokens_out: int
    micros: int
    unpriced: int = 0
    subject: Id | None = None


@dataclass(frozen=True, slots=True)
class BudgetView:
    """A budget of a story, a universe or a day. `limit` None: there is none. `degraded` says what waits or
    asks because of it, in one line."""

    scope: Literal["story", "universe", "day"]
    label: str
    spent: int
    limit: int | None
    subject: Id | None = None
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class BillView:
    by_call: tuple[LlmCall, ...]
    by_turn: tuple[BillRow, ...]
    by_persona: tuple[BillRow, ...]
    by_story: tuple[BillRow, ...]
    by_day: tuple[BillRow, ...]
    budgets: tuple[BudgetView, ...]
    rules: tuple[str, ...] = ()
    """What is degraded first, stated."""


@dataclass(frozen=True, slots=True)
class PersonaView:
    """How one persona is set up. `own_model` is empty where the default serves it."""

    persona: Persona
    on: bool
    own_model: str
    model: str
    temperature: float
    max_tokens: int
    does: str
    needs: str = ""
    """Why it cannot be switched on or off as things are; empty: it can."""


@dataclass(frozen=True, slots=True)
class ModelHouse:
    """How the model is set up. `key` says where the key of the default model's provider was found:
    `environment NAME`, `keyring`, `not needed`, or `missing: set NAME`."""

    model: str
    api_base: str
    fallbacks: tuple[str, ...]
    seconds: float
    personas: tuple[PersonaView, ...]
    key: str
    file: str
    from_environment: tuple[str, ...] = ()
    state: Literal["off", "starting", "ready", "failed"] = "off"
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A first call: what came, how fast, at what price. `per_turn` is an estimate of one exchange's cost in
    millionths of a US dollar (None: no price is known)."""

    model: str
    words: str
    first_seconds: float
    seconds: float
    tokens_in: int
    tokens_out: int
    counted: bool
    micros: int
    priced: bool
    takes_schema: bool
    per_turn: int | None = None
