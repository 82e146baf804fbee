"""The story's journal: what the GM enters beside the timeline, and the tension.

An entry belongs to the last turn at that moment, so that undoing that turn withdraws it. Nothing here is canon.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from agents.context_assembly.scene_context import (
    SceneContext,
    SceneContextLoader,
    derive_place_entry_id,
    find_pc_arrivals,
)
from agents.events import EventBus, ProposalsChanged
from agents.loop_transitions import LoopTransitions
from agents.loop_words import describe_situation
from agents.resolver.oracle import check_tension
from stores.errors import IllegalTransition
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.play import Story
from stores.records.story_journal import JournalEntry, PlaceEntry, TensionEntry, UndoEntry
from stores.records.workflow import Loop, ProposalStatus

NOTHING_CHANGED = "Nothing was changed."


class JournalStamp(TypedDict):
    """When and where an entry was made."""

    id: Id
    scene_id: Id
    turn_id: Id | None
    tick: int
    at: datetime
    command_id: Id


class StoryJournal:
    """Makes journal entries. The caller holds the session lock."""

    def __init__(
        self,
        log: OrchestratorLog,
        context: SceneContextLoader,
        loops: LoopTransitions,
        ids: IdGenerator,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._context = context
        self._loops = loops
        self._ids = ids
        self._clock = clock
        self._events = events

    async def load_open_scene(self, scene_id: Id) -> SceneContext:
        """Return the scene as it is now. Raises IllegalTransition if it or its story is over."""
        context = await self._context.load_context(scene_id)
        story, scene = (
            await self._loops.read_state(Loop.STORY, context.story.id),
            await self._loops.read_state(Loop.SCENE, scene_id),
        )
        if story != "active" or scene == "completed":
            problem = (
                f"Nothing more can be done in this story: {describe_situation(Loop.STORY, story)}."
                if story != "active"
                else "This scene is over."
            )
            raise IllegalTransition(problem, kept=NOTHING_CHANGED, todo="Continue goes on where play stands.")
        return context

    def build_stamp(self, context: SceneContext, entry_id: Id | None = None) -> JournalStamp:
        """Return the stamp of an entry that is made now, on the last turn."""
        entry_id = entry_id or self._ids.new()
        return JournalStamp(
            id=entry_id,
            command_id=entry_id,
            scene_id=context.scene.id,
            turn_id=context.last_play_turn.id if context.last_play_turn else None,
            tick=context.tick,
            at=self._clock(),
        )

    async def add_entry(self, context: SceneContext, entry: JournalEntry) -> None:
        """Add an entry."""
        await self.add_entries(context, (entry,))

    async def add_entries(self, context: SceneContext, entries: Sequence[JournalEntry]) -> None:
        """Add entries, leaving out those that are there already."""
        story = await self._log.story(context.story.id)
        existing_ids = {entry.id for entry in story.entries}
        new_entries = [entry for entry in entries if entry.id not in existing_ids]
        if new_entries:
            await self._save_story(
                context, story.model_copy(update={"entries": (*story.entries, *new_entries)})
            )

    async def enter_committed_places(self, context_before: SceneContext) -> None:
        """Enter where the hero is by proposals that a commit has accepted, on their turns.

        Undoing such a turn takes the scene back from there.
        """
        arrivals = {
            proposal.id: place_id
            for proposal, place_id in find_pc_arrivals(
                context_before.staged_proposals, context_before.story.pc_id
            )
        }
        proposals = (await self._log.proposals_by_id(arrivals)).values() if arrivals else ()
        entries = [
            PlaceEntry(
                id=derive_place_entry_id(proposal.id),
                scene_id=context_before.scene.id,
                turn_id=proposal.turn_id,
                tick=proposal.tick or context_before.scene.tick,
                at=proposal.created_at,
                place_id=arrivals[proposal.id],
            )
            for proposal in proposals
            if proposal.status is ProposalStatus.ACCEPTED
        ]
        if entries:
            await self.add_entries(context_before, entries)
        entered_ids = {entry.id for entry in entries}
        for entry in context_before.undone_entries:
            if entry.id in entered_ids:  # an undone commit left the place, and it is committed again
                await self.set_undone(context_before, entry, False)

    async def set_tension(self, context: SceneContext, tension: int, reason: str = "") -> None:
        """Set the story's tension, and enter the change. Raises InputError for a number out of range."""
        story = await self._log.story(context.story.id)
        check_tension(tension)
        entry = TensionEntry(**self.build_stamp(context), before=story.tension, after=tension, why=reason)
        changed_fields = {"tension": tension, "entries": (*story.entries, entry)}
        await self._save_story(context, story.model_copy(update=changed_fields))

    async def set_undone(self, context: SceneContext, entry: JournalEntry, is_undone: bool) -> None:
        """Undo an earlier entry, or redo it; a tension that it set goes back, or is set again."""
        story = await self._log.story(context.story.id)
        undo_entry = UndoEntry(**self.build_stamp(context), entry_id=entry.id, is_undone=is_undone)
        changed_fields: dict[str, object] = {"entries": (*story.entries, undo_entry)}
        if isinstance(entry, TensionEntry):
            changed_fields["tension"] = entry.before if is_undone else entry.after
        await self._save_story(context, story.model_copy(update=changed_fields))

    async def set_outline(self, context: SceneContext, **outline_texts: str) -> None:
        """Set the tone, the theme, or lines and veils of the story."""
        story = await self._log.story(context.story.id)
        await self._save_story(context, story.model_copy(update=dict(outline_texts)))

    async def _save_story(self, context: SceneContext, story: Story) -> None:
        await self._log.put_story(story)
        self._events.publish(ProposalsChanged(context.universe.id, context.scene.id))
