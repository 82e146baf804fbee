"""What the player does in a scene besides typed lines: time, rests, takes, sheets.

The dispatcher runs these, holds the session lock and hands in the scene's context.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from agents.canon_keeper.predicates import value_in_words
from agents.canon_keeper.proposal_description import stated_title
from agents.canon_keeper.proposal_rows import NOT_COMPARED
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.count_words import count_noun
from agents.events import EventBus, SceneOpened
from agents.orchestrator.command_undo import describe_left_commands
from agents.orchestrator.dice_requests import AlterationKind
from agents.orchestrator.earlier_times import describe_earlier_times
from agents.orchestrator.exchange import begin_exchange
from agents.orchestrator.exchange_pipeline import ExchangePipeline
from agents.orchestrator.outcome import Outcome
from agents.orchestrator.play_tools import PlayTools
from agents.orchestrator.same_debts import describe_same_debts
from agents.orchestrator.scene_views import SceneViewBuilder, describe_conflicts
from agents.orchestrator.timeline import Timeline
from agents.orchestrator.undone_canon import UndoneCanonService
from agents.proposals.decisions import is_rejected
from agents.proposals.statements import STATED_PREDICATE
from agents.prose.names import any_name_pattern, names_of
from agents.rewordings import find_wordings, reword_turns
from agents.sanitize import clean_line
from agents.solo.cast_moves import CastMoves
from agents.solo.described_moves import describe_acting_dead, describe_moves, notice_missed
from agents.solo.notices import CommandHint, add_notices
from agents.solo.solo_tools import SoloTools
from agents.typed_numbers import number_label
from agents.views.proposal_views import ProposalView
from agents.views.replies import Reply
from agents.world_time.calendar import format_clock_time
from agents.world_time.durations import read_time_jump
from stores.ports import OrchestratorLog
from stores.records.canon import AssertFact, Authority, NoteAxiom, Payload, StateChange, normalize_statement
from stores.records.ids import Id, IdGenerator
from stores.records.play import Scene, TensionMode, Turn
from stores.records.workflow import OPEN_STATUSES, ProposedChange
from stores.records.world import Number


class SceneActions:
    """Moves along the timeline of a scene, and lets time pass in it."""

    def __init__(
        self,
        log: OrchestratorLog,
        contexts: SceneContextLoader,
        timeline: Timeline,
        pipeline: ExchangePipeline,
        solo_tools: SoloTools,
        play_tools: PlayTools,
        cast_moves: CastMoves,
        undone_canon: UndoneCanonService,
        views: SceneViewBuilder,
        ids: IdGenerator,
        events: EventBus,
    ) -> None:
        self._log = log
        self._contexts = contexts
        self._timeline = timeline
        self._pipeline = pipeline
        self._solo_tools = solo_tools
        self._play_tools = play_tools
        self._cast_moves = cast_moves
        self._undone_canon = undone_canon
        self._views = views
        self._ids = ids
        self._events = events

    async def read_last_narration(self, scene_id: Id) -> Turn:
        """Return the GM turn that a retake puts in other words. Raises InputError if the last turn is none."""
        scene = await self._log.scene(scene_id)
        turn = await self._timeline.read_last_narration(scene)
        wordings = find_wordings((await self._log.story(scene.story_id)).entries)
        return reword_turns([turn], wordings)[0]

    async def retake(self, context: SceneContext, text: str) -> Outcome:
        """Add another take of the last GM turn, in the GM's words."""
        left_lines = describe_left_commands(context)
        turn = await self._timeline.retake(context.scene, clean_line(text))
        outcome = await self._reply_to_take(context.scene, turn)
        context_after = await self._contexts.load_context(context.scene.id)
        moves = await self._cast_moves.record_moves(context_after, turn)
        context_after = await self._contexts.advance(context_after, (), moves.proposals, moves.entries)
        move_lines = (*describe_moves(context_after, moves.entries), *describe_acting_dead(moves))
        reply = replace(outcome.reply, lines=(*outcome.reply.lines, *left_lines, *move_lines))
        return replace(outcome, reply=add_notices(reply, notice_missed(context_after, moves)))

    async def walk_takes(self, context: SceneContext, step: Literal[-1, 1]) -> Outcome:
        """Go to the previous or next take, if the last turn has several."""
        turn = await self._timeline.walk_takes(context.scene, step)
        return await self._reply_to_take(context.scene, turn)

    async def alter_roll(self, context: SceneContext, alteration_kind: AlterationKind, text: str) -> Outcome:
        """Throw dice of the last roll again, or pick another result.

        The new result is another take of the roll; the old one is withdrawn with all that it proposed.
        """
        proposals_by_turn = Counter(p.turn_id for p in context.staged_proposals)
        reply, removed_turns = await self._play_tools.dice_requests.alter_last_roll(
            context, alteration_kind, text
        )
        if not removed_turns:
            return Outcome(reply, context)
        retcon_lines = await self._propose_retcons(context.scene.id, removed_turns)
        withdrawn_count = sum(proposals_by_turn[turn.id] for turn in removed_turns)
        withdrawn_lines = (
            (
                f"{count_noun(withdrawn_count, 'proposal')} of the old roll went with it; /undo brings it back.",
            )
            if withdrawn_count
            else ()
        )
        return Outcome(replace(reply, lines=(*reply.lines, *withdrawn_lines, *retcon_lines)))

    async def rest(self, context: SceneContext, text: str) -> Outcome:
        """Rest by the story's rules: time passes and the effects are proposed, in one exchange.

        Lists the rests if none is named.
        """
        if not text:
            return Outcome(
                Reply("operation", self._play_tools.rests.list_rests(context), suggested_line="/rest "),
                context,
            )
        exchange = await self._play_tools.rests.begin_rest(context, text)
        run = await self._pipeline.play(exchange, context)
        lines = () if exchange.proposals else ("There was nothing to recover.",)
        return Outcome(Reply("exchange", lines), await self._pipeline.read_context_after(run))

    async def advance(self, context: SceneContext, step_name: str) -> Outcome:
        """Spend experience by the story's rules; list what it buys if nothing is named."""
        if not step_name:
            lines = self._play_tools.advances.list_advances(context)
            return Outcome(Reply("operation", lines, suggested_line="/advance "), context)
        exchange = await self._play_tools.advances.begin_advance(context, step_name)
        run = await self._pipeline.play(exchange, context)
        return Outcome(Reply("exchange"), await self._pipeline.read_context_after(run))

    async def pass_time(self, context: SceneContext, length: str) -> Outcome:
        """Let world time pass: `+2h`, `to dusk`, `to day 5`. Undone like any exchange."""
        calendar = context.universe.calendar
        until_tick = read_time_jump(length, calendar, context.tick)
        words = f"Time passes. It is {format_clock_time(calendar, until_tick)}."
        exchange = begin_exchange(self._ids, context.scene, context.head, words=words, until_tick=until_tick)
        run = await self._pipeline.play(exchange, context)
        return Outcome(Reply("exchange"), await self._pipeline.read_context_after(run))

    async def set_tension(self, scene_id: Id, tension: int | TensionMode) -> None:
        """Set the story's tension, 1 to 9, or what it does to the oracle."""
        if isinstance(tension, TensionMode):
            await self._play_tools.settings.set_tension_mode(scene_id, tension)
        else:
            await self._solo_tools.set_tension(scene_id, tension)
        self._events.publish(SceneOpened(scene_id))

    async def edit_sheet(
        self, context: SceneContext, entity_id: Id, numbers: Mapping[str, Number], tags: Mapping[str, bool]
    ) -> Outcome:
        """Propose, on the GM's word, changes of numbers and tags of a sheet."""
        proposals = await self._play_tools.sheets.propose_edit(context, entity_id, numbers, tags)
        return await self.describe_proposed(context, proposals)

    async def describe_proposed(self, context: SceneContext, proposals: Sequence[ProposedChange]) -> Outcome:
        """Return a line on each change that was proposed and on each conflict, and the scene with them staged."""
        context_after = await self.read_context_after(context, proposals)
        # Among all that waits: one may be about somebody whom only another brings in, or contradict another.
        own_rows = await self._views.build_rows_of(proposals, context_after.undecided, (context_after.head,))
        titles = [stated_title(p.change) for p in proposals]
        if not all(titles):
            titles = [row.title for row in own_rows]
        is_unread = any(row.reading == NOT_COMPARED and _is_sentence(row.proposal.change) for row in own_rows)
        unread_lines = (f"{NOT_COMPARED}.",) if is_unread else ()
        lines = (
            *_proposed_lines(titles),
            *(_describe_undone_states(context_after, proposals) if not own_rows else ()),
            *unread_lines,
            *describe_earlier_times(proposals),
            *describe_same_debts(proposals, context.undecided),
            *describe_conflicts(row for row in own_rows if row.mark != "reject"),
        )
        rejected_ids = {row.proposal.id for row in own_rows if row.mark == "reject"}
        notices = await self._notice_rejected(context.scene.id, rejected_ids) if rejected_ids else []
        return Outcome(add_notices(Reply("operation", lines), notices), context_after)

    async def describe_repeated(
        self, context: SceneContext, proposals: Sequence[ProposedChange]
    ) -> tuple[str, ...]:
        """Return a line on each change that would be proposed if the player proposed all in these words already.

        What only a model proposed may be said by the player, too, whose word counts for more; and what is said of a
        later turn that names all whom it is about is learnt by those who are here now.
        """
        # Most words are new: then nothing is read for it.
        if not _find_statements(proposals) <= _find_statements(context.undecided):
            return ()
        context_after = await self.read_context_after(context, proposals)
        own_rows = await self._views.build_rows_of(proposals, context_after.undecided, (context_after.head,))
        if not own_rows or not all(row.is_repeated for row in own_rows):
            return ()
        rows = {
            row.title.casefold(): row
            for row in await self._views.read_scene_rows(context.scene.id)
            if row.status in OPEN_STATUSES
            and row.proposal.authority is Authority.GM
            and not is_rejected(row.proposal)
        }
        earlier_rows = [rows.get(row.title.casefold()) for row in own_rows]
        if any(
            earlier_row is None or _is_said_of_later_turn(row, earlier_row, context)
            for row, earlier_row in zip(own_rows, earlier_rows, strict=True)
        ):
            return ()
        return (
            *(
                f"Proposed already: {row.title} It is row {rows[row.title.casefold()].number}."
                for row in own_rows
            ),
            *describe_conflicts(own_rows),
        )

    async def _notice_rejected(self, scene_id: Id, proposal_ids: Collection[Id]) -> list[CommandHint]:
        """Return a notice on each proposal that an old ruling or a rule would reject, though the player says it now."""
        rows = await self._views.read_scene_rows(scene_id)
        return [
            CommandHint(
                f"⚠ {row.reasons[0]} /accept {row.number} makes it true all the same", f"/accept {row.number}"
            )
            for row in rows
            if row.proposal.id in proposal_ids
        ]

    async def read_context_after(
        self, context: SceneContext, proposals: Sequence[ProposedChange]
    ) -> SceneContext:
        """Return the scene with these changes staged."""
        return await self._contexts.advance(context, (), proposals)

    async def propose_retcons_of_take(self, scene_before: Scene) -> tuple[str, ...]:
        """After another take, propose to retcon what the take before had made canon; return a line on it."""
        removed_turns = [await self._log.turn(scene_before.head)] if scene_before.head else []
        return await self._propose_retcons(scene_before.id, removed_turns)

    async def _reply_to_take(self, scene_before: Scene, turn: Turn) -> Outcome:
        retcon_lines = await self.propose_retcons_of_take(scene_before)
        return Outcome(Reply("operation", (f"Take {turn.take}.", *retcon_lines)))

    async def _propose_retcons(self, scene_id: Id, removed_turns: Sequence[Turn]) -> tuple[str, ...]:
        scene = await self._log.scene(scene_id)
        unsupported_canon = await self._undone_canon.find_unsupported(scene, removed_turns)
        return await self._undone_canon.propose_retcons(scene, unsupported_canon)


def _is_sentence(change: Payload) -> bool:
    """Return whether a change is a sentence that may be read, and no promise, event or lore."""
    return isinstance(change, AssertFact) and change.predicate == STATED_PREDICATE


def _describe_undone_states(context: SceneContext, proposals: Sequence[ProposedChange]) -> Iterator[str]:
    """Yield a line on each number that is what canon has after these changes, and so waits nowhere."""
    for change in (proposal.change for proposal in proposals):
        entity = context.entities.get(change.entity_id) if isinstance(change, StateChange) else None
        if entity is None or not isinstance(change, StateChange):
            continue
        value = context.working_state(entity).numbers.get(change.key)
        if value is not None and value == entity.numbers.get(change.key):
            yield (
                f"{entity.name}: {number_label(change.key)} is {value_in_words(value)}, as canon has it: "
                "nothing is proposed."
            )


def _proposed_lines(titles: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"Proposed: {title}" for title in titles)


def _find_statements(proposals: Iterable[ProposedChange]) -> set[str]:
    """Return the sentences of facts and rules among proposals, in the form in which they are compared."""
    changes = (proposal.change for proposal in proposals)
    return {normalize_statement(c.statement) for c in changes if isinstance(c, AssertFact | NoteAxiom)}


def _is_said_of_later_turn(row: ProposalView, earlier_row: ProposalView, context: SceneContext) -> bool:
    """Say whether play has gone on to a turn that names all whom a change is about, as it shows them to others."""
    change, turn = row.proposal.change, context.head
    if turn is None or turn.id == earlier_row.proposal.turn_id or not isinstance(change, AssertFact):
        return False
    entities = [context.entities.get(i.entity_id) for i in change.involves]
    return len(entities) > 1 and all(
        entity is not None and re.search(any_name_pattern(names_of(entity)), turn.text, re.IGNORECASE)
        for entity in entities
    )
