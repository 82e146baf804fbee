"""What slash commands work with: classes of the orchestrator, and narrow protocols of the services."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from agents.declarations.declarations import DeclarationService
from agents.exports.story_form import StoryForm
from agents.orchestrator.branch_maker import BranchMaker
from agents.orchestrator.branches import BranchActions
from agents.orchestrator.earlier_lines import EarlierLines
from agents.orchestrator.gate_actions import GateActions
from agents.orchestrator.line_player import LinePlayer
from agents.orchestrator.narration.narration import Narration
from agents.orchestrator.plain_vows import PlainVows
from agents.orchestrator.play_tools import PlayTools
from agents.orchestrator.scene_actions import SceneActions
from agents.orchestrator.scene_guard import SceneGuard
from agents.orchestrator.scene_undo import SceneUndo
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.orchestrator.suggested_actions import ActionSuggestions
from agents.solo.solo_tools import SoloTools
from agents.views.card_views import EntityCard
from agents.views.conflict_views import RulingOutcome
from agents.views.llm_views import BillView
from agents.views.picture_views import EntityPicture
from agents.views.proposal_views import ProposalView
from agents.views.query_views import Answer
from agents.views.world_views import StagedEdits
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id

ReadRecap = Callable[[Id], Awaitable[tuple[str, ...]]]
"""Returns the "previously on" of a scene's story."""

ReadEntityCard = Callable[[Id], Awaitable[EntityCard]]
"""Returns what is true of one entity."""


class AskRecord(Protocol):
    async def __call__(self, question: str, *, universe_id: Id) -> Answer:
        """Answer a question from the record of a universe, with the evidence and without a model."""
        ...


class ExportStory(Protocol):
    async def __call__(
        self, story_id: Id, form: StoryForm, *, with_mechanics: bool = False, for_players: bool = False
    ) -> str:
        """Write a story to a new file; return its path."""
        ...


class ConflictCommands(Protocol):
    """Conflicts, promises and policy rules, as lines. Each method takes the session lock if it needs it."""

    async def describe_conflict(self, row: ProposalView) -> tuple[str, ...]:
        """Return both sides of a proposal's first conflict, and the rulings to choose from."""
        ...

    async def make_ruling(self, row: ProposalView, typed_ruling: str) -> RulingOutcome:
        """Make a ruling on a proposal's first conflict."""
        ...

    async def list_commitments(self, scene_id: Id) -> tuple[str, ...]:
        """Return the open promises, debts and questions, numbered."""
        ...

    async def propose_pay_off(self, scene_id: Id, typed_name: str, *, is_met: bool = True) -> StagedEdits:
        """Propose that a promise was kept, or that it was broken."""
        ...

    async def describe_rules(self, universe_id: Id) -> tuple[str, ...]:
        """Return the rules by kind of proposal, and the rules that are suggested."""
        ...

    async def set_rule(self, universe_id: Id, kind: str, rule_name: str) -> None:
        """Set the rule for a kind of proposal; `off` removes it."""
        ...


class Pictures(Protocol):
    """The pictures of entities."""

    async def find_picture(self, entity_id: Id) -> EntityPicture:
        """Return the picture of an entity, or that it has none."""
        ...

    async def attach_picture(self, entity_id: Id, path: str) -> EntityPicture:
        """Keep a PNG or JPEG as the picture of an entity, in place of the one before."""
        ...

    async def remove_picture(self, entity_id: Id) -> EntityPicture:
        """Take the picture of an entity away."""
        ...

    async def undo_picture(self, entity_id: Id) -> EntityPicture:
        """Undo what was done last with the picture of an entity."""
        ...


class Budgets(Protocol):
    """What the model has cost, and the budgets."""

    async def read_bill(self, *, story_id: Id | None = None) -> BillView:
        """Return what the model has cost."""
        ...

    async def set_budget(self, scope: str, amount: int | None, *, subject: Id | None = None) -> BillView:
        """Set a budget in millionths of a dollar, that of a week in tokens; None for no limit."""
        ...

    async def set_share(self, universe_id: Id, share: int) -> None:
        """Set how many background jobs of a universe are done for one of another."""
        ...


@dataclass(frozen=True, slots=True)
class CommandTools:
    """Handed to every command, which uses the few members that it needs."""

    line_player: LinePlayer
    actions: SceneActions
    scene_undo: SceneUndo
    branches: BranchActions
    branch_maker: BranchMaker
    gate: GateActions
    guard: SceneGuard
    declarations: DeclarationService
    earlier_lines: EarlierLines
    plain_vows: PlainVows
    solo_tools: SoloTools
    play_tools: PlayTools
    narration: Narration
    suggestions: ActionSuggestions
    views: SceneViewBuilder
    log: LogReader
    canon: CanonReader
    conflicts: ConflictCommands
    budgets: Budgets
    export_story: ExportStory
    read_recap: ReadRecap
    read_entity_card: ReadEntityCard
    pictures: Pictures
    ask_record: AskRecord
