"""All services in one value, for screens, the command line and scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.events import EventBus
from agents.importers.import_runner import ImportRunner
from agents.jobs.job_runner import JobRunner
from agents.services.branches import BranchService
from agents.services.characters import CharacterService
from agents.services.conflicts import ConflictService
from agents.services.gate import GateService
from agents.services.ingest import IngestService
from agents.services.llm import LlmService
from agents.services.outside_proposals import OutsideProposalService
from agents.services.pictures import PictureService
from agents.services.play import PlayService
from agents.services.policy import PolicyService
from agents.services.query import QueryService
from agents.services.settings_editing import SettingsEditing
from agents.services.stories import StoryService
from agents.services.tables import TableService
from agents.services.world import WorldServices
from agents.telemetry.figures import OperationFigures
from stores.draft_file import DraftFile

if TYPE_CHECKING:
    from agents.services.world_exports import WorldExports


@dataclass(frozen=True, slots=True)
class Services:
    """The program's operations by area of use. Changes are published on `events`."""

    play: PlayService
    stories: StoryService
    branches: BranchService
    gate: GateService
    conflicts: ConflictService
    policy: PolicyService
    world: WorldServices
    characters: CharacterService
    query: QueryService
    outside: OutsideProposalService
    imports: ImportRunner
    open_exports: Callable[[], WorldExports]
    """Returns what writes worlds into folders; nothing of it is loaded before."""
    ingest: IngestService
    pictures: PictureService
    llm: LlmService
    settings: SettingsEditing
    tables: TableService
    jobs: JobRunner
    figures: OperationFigures
    """How fast the program has been since it was opened, and what failed."""
    drafts: DraftFile
    events: EventBus
