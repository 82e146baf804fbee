"""The services for dice, sheets, rules, notes and maps, which services and slash commands share."""

from __future__ import annotations

from dataclasses import dataclass

from agents.orchestrator.advances import AdvanceService
from agents.orchestrator.dice_requests import DiceRequestService
from agents.orchestrator.rests import RestService
from agents.solo.character_sheets import CharacterSheets
from agents.solo.depletion import DepletionWatcher
from agents.solo.grid_maps import GridMapEditor
from agents.solo.notes import NoteService
from agents.solo.story_settings import StorySettings


@dataclass(frozen=True, slots=True)
class PlayTools:
    """The services beside the story: dice, sheets, rules, notes, maps."""

    dice_requests: DiceRequestService
    sheets: CharacterSheets
    rests: RestService
    advances: AdvanceService
    depletion: DepletionWatcher
    settings: StorySettings
    notes: NoteService
    grid_maps: GridMapEditor
