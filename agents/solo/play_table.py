"""What lies on the table beside the story: dice, sheets, rules, notes, in one hand.

What the desk and the slash commands share.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.orchestrator.dice_requests import DiceRequestService
from agents.orchestrator.rests import RestService
from agents.solo.character_sheets import CharacterSheets
from agents.solo.depletion import DepletionWatcher
from agents.solo.notes import NoteService
from agents.solo.story_settings import StorySettings


@dataclass(frozen=True, slots=True)
class PlayTools:
    """Stateless."""

    dice_requests: DiceRequestService
    sheets: CharacterSheets
    rests: RestService
    depletion: DepletionWatcher
    settings: StorySettings
    notes: NoteService
