"""All services in one value: what screens, the command line and scripts are given."""

from __future__ import annotations

from dataclasses import dataclass

from agents.background.runner import Runner
from agents.importing.imports import Imports
from agents.messages import EventBus
from agents.orchestrator.courtroom import Courtroom
from agents.orchestrator.house_desk import HouseDesk
from agents.orchestrator.models import Models
from agents.orchestrator.portraits import Portraits
from agents.orchestrator.recollection import Recollections
from agents.orchestrator.world_desk import WorldServices
from agents.services.gate import GateService
from agents.services.play import PlayService
from agents.services.stories import StoryService


@dataclass(frozen=True, slots=True)
class Services:
    """The program's operations by area of use. What happens meanwhile is published on `events`."""

    play: PlayService
    stories: StoryService
    gate: GateService
    conflicts: Courtroom
    policy: HouseDesk
    world: WorldServices
    characters: Portraits
    query: Recollections
    imports: Imports
    llm: Models
    jobs: Runner
    events: EventBus
