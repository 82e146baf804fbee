"""The Orchestrator's side of `agents.bench`: court and house, on the same stores."""

from __future__ import annotations

from dataclasses import dataclass

from agents.orchestrator.courtroom import Courtroom
from agents.orchestrator.house_desk import HouseDesk


@dataclass(frozen=True, slots=True)
class Benches:
    court: Courtroom
    house: HouseDesk
