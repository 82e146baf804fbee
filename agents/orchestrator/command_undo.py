"""Undoes and redoes what a command did: the proposals and the journal entries that it made on the last turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.proposal_description import stated_title
from agents.context_assembly.scene_context import SceneContext
from agents.count_words import count_noun
from agents.events import EventBus, HeadMoved, ProposalsChanged
from agents.orchestrator.scene_outcome import find_outcomes
from agents.solo.journal_lines import describe_journal_entries
from agents.solo.story_journal import StoryJournal
from stores.records.ids import Clock, Id
from stores.records.play import Turn
from stores.records.story_journal import JournalEntry, RewordingEntry, UndoEntry
from stores.records.workflow import ProposedChange


@dataclass(frozen=True, slots=True)
class CommandEffects:
    """What one command did on the last turn."""

    proposals: tuple[ProposedChange, ...]
    entries: tuple[JournalEntry, ...]
    at: datetime
    """When the command was typed; of one that is undone: when it was undone."""

    def describe(self, context: SceneContext, titles_by_id: Mapping[Id, str]) -> str:
        """Return what it did, in words; `titles_by_id` has the titles of proposals that no words were typed for."""
        names = {entity.id: entity.name for entity in context.entities.values()}
        titles = [titles_by_id.get(p.id) or stated_title(p.change) or _quote(p) for p in self.proposals]
        entry_texts = [line.text for line in describe_journal_entries(self.entries, names)]
        entry_texts += [f"other words: {e.text}" for e in self.entries if isinstance(e, RewordingEntry)]
        return "; ".join(titles + entry_texts) or "a change of the story's lists"


def find_last_command(context: SceneContext) -> CommandEffects | None:
    """Return what the last command on the last turn did; None if nothing was done since the turn."""
    made_at = {p.id: p.created_at for p in context.undecided} | {e.id: e.at for e in context.story_entries}
    command = _find_latest(context, context.undecided, context.story_entries, made_at)
    head = context.head
    # A turn that reports the scene's end comes after the last turn of play, and after what was typed on it.
    is_followed = (
        command is not None and head is not context.last_play_turn and head and head.created_at > command.at
    )
    return None if is_followed else command


def find_undone_command(context: SceneContext) -> CommandEffects | None:
    """Return the command on the last turn that was undone last; None if another was typed since."""
    undone_at = {p.id: p.decision.at for p in context.undone if p.decision is not None}
    undone_at |= {e.entry_id: e.at for e in context.story.entries if isinstance(e, UndoEntry)}
    undone_command = _find_latest(context, context.undone, context.undone_entries, undone_at)
    last_command = find_last_command(context)
    is_followed = (
        undone_command is not None and last_command is not None and last_command.at > undone_command.at
    )
    return None if is_followed else undone_command


def describe_left_commands(context: SceneContext) -> tuple[str, ...]:
    """Return a line on the commands typed on the last turn, which stay with it where another take comes."""
    command_ids = {
        p.command_id for p in context.undecided if p.turn_id == context.scene.head and p.command_id
    }
    if not command_ids:
        return ()
    left = "What you typed after the take before stays with it"
    return (f"{left} ({count_noun(len(command_ids), 'command')}); Left on the turn goes back to it.",)


def _find_latest(
    context: SceneContext,
    proposals: Iterable[ProposedChange],
    entries: Iterable[JournalEntry],
    times: dict[Id, datetime],
) -> CommandEffects | None:
    """Return what the latest of the commands did that were given on the last turn, in play or at the gate."""
    last_turn = context.last_play_turn
    turn_id = last_turn.id if last_turn else None
    own_proposals = [
        p
        for p in proposals
        if p.command_id is not None and (p.turn_id == turn_id or _is_made_at_gate_since(p, last_turn))
    ]
    own_entries = [
        e
        for e in entries
        if e.command_id is not None
        and e.scene_id == context.scene.id
        and (e.turn_id == turn_id or _is_reworded_since(e, last_turn))
    ]
    latest = max((*own_proposals, *own_entries), key=lambda item: times[item.id], default=None)
    if latest is None:
        return None
    return CommandEffects(
        tuple(p for p in own_proposals if p.command_id == latest.command_id),
        tuple(e for e in own_entries if e.command_id == latest.command_id),
        times[latest.id],
    )


def _is_made_at_gate_since(proposal: ProposedChange, last_turn: Turn | None) -> bool:
    """Return whether the proposal hangs on no turn, as one that was made at the gate does, and came after the last."""
    return proposal.turn_id is None and (last_turn is None or proposal.created_at > last_turn.created_at)


def _is_reworded_since(entry: JournalEntry, last_turn: Turn | None) -> bool:
    """Return whether the entry puts an earlier turn in other words, and came after the last turn."""
    return isinstance(entry, RewordingEntry) and (last_turn is None or entry.at > last_turn.created_at)


def _quote(proposal: ProposedChange) -> str:
    return proposal.evidence[0].quote if proposal.evidence else ""


class CommandUndo:
    """Undoes the last command of a scene, and redoes it. The caller holds the session lock."""

    def __init__(self, keeper: CanonKeeper, journal: StoryJournal, clock: Clock, events: EventBus) -> None:
        self._keeper = keeper
        self._journal = journal
        self._clock = clock
        self._events = events

    async def undo(self, context: SceneContext, command: CommandEffects) -> None:
        """Take back what the command did, until it is redone."""
        await self._keeper.undo_proposals(command.proposals, self._clock())
        await self._set_entries_undone(context, command, is_undone=True)

    async def redo(self, context: SceneContext, command: CommandEffects) -> None:
        """Bring back what the command did, with what was decided of it before it was undone.

        An outcome of the scene takes the place of the one that was proposed meanwhile.
        """
        if find_outcomes(command.proposals, context.scene.id):
            replaced_outcomes = find_outcomes(context.undecided, context.scene.id)
            await self._keeper.undo_proposals(replaced_outcomes, self._clock())
        await self._keeper.redo_proposals(command.proposals)
        await self._set_entries_undone(context, command, is_undone=False)

    async def _set_entries_undone(
        self, context: SceneContext, command: CommandEffects, *, is_undone: bool
    ) -> None:
        for entry in command.entries:
            await self._journal.set_undone(context, entry, is_undone)
            if isinstance(entry, RewordingEntry):
                self._events.publish(HeadMoved(context.scene.id))
        for scene_id in dict.fromkeys((context.scene.id, *(p.scene_id for p in command.proposals))):
            self._events.publish(ProposalsChanged(context.universe.id, scene_id))
