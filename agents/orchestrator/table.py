"""What lies on the table beside the story: dice, sheets, rules, notes, in one hand.

What the desk and the slash commands share. Source: design/product.md, "Solo procedures".
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.orchestrator.dicing import Dicing
from agents.orchestrator.notes import Notes
from agents.orchestrator.rests import Rests
from agents.orchestrator.running_out import RunningOut
from agents.orchestrator.settings import Settings
from agents.orchestrator.sheets import Sheets


@dataclass(frozen=True, slots=True)
class PlayTable:
    """Stateless."""

    dicing: Dicing
    sheets: Sheets
    rests: Rests
    running_out: RunningOut
    settings: Settings
    notes: Notes
