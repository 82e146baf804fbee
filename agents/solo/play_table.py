"""What lies on the table beside the story: dice, sheets, rules, notes, in one hand.

What the desk and the slash commands share.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.orchestrator.dice_requests import DiceRequestService
from agents.orchestrator.rests import RestService
from agents.solo.character_sheets import Sheets
from agents.solo.depletion import DepletionWatcher
from agents.solo.notes import Notes
from agents.solo.story_settings import Settings


@dataclass(frozen=True, slots=True)
class PlayTable:
    """Stateless."""

    dicing: DiceRequestService
    sheets: Sheets
    rests: RestService
    running_out: DepletionWatcher
    settings: Settings
    notes: Notes
