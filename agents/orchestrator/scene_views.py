"""Builds what the Scene screen and the gate show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from agents.canon_keeper.fact_ids import is_open_again
from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgenda, StoryAgendaReader
from agents.loop_states import state_after
from agents.loop_transitions import LoopTransitions
from agents.orchestrator.command_undo import find_last_command, find_undone_command
from agents.orchestrator.commit_offer import CommitOffer, is_lapsed
from agents.orchestrator.deadlock import describe_stalled_loop
from agents.orchestrator.folded_rows import (
    expand_to_row_ids,
    find_chains,
    fold_rows,
    is_foldable,
    number_rows,
    sort_by_weight,
)
from agents.orchestrator.verdict_undo import VerdictUndo
from agents.proposals.decisions import came_to_nothing
from agents.proposals.evidence import is_declared_after
from agents.proposals.line_order import sort_as_made, sort_in_line_order
from agents.resolver.working_state import find_changed_keys, fold_changes
from agents.solo.scene_start import SceneStartRules
from agents.solo.story_threads import build_thread_views
from agents.typed_numbers import DEAD_TAG
from agents.views.gate_views import GateView
from agents.views.proposal_views import ProposalView
from agents.views.scene_views import CastMember, SceneView
from agents.world_time.calendar import format_tick
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import EvidenceKind
from stores.records.ids import Clock, Id
from stores.records.play import Turn
from stores.records.story_journal import Awareness, PresenceEntry
from stores.records.workflow import (
    OPEN_STATUSES,
    Loop,
    ProposalStatus,
    ProposedChange,
)
from stores.records.world import Entity

CLOSED_STATUSES = (ProposalStatus.ACCEPTED, ProposalStatus.REJECTED)
MAX_CLOSED_ROWS = 30
"""Decided rows that are shown, the latest ones; withdrawn ones are left out."""


"""How the sheet of somebody who is dead in canon says so."""


class SceneViewBuilder:
    """Builds what screens show of a scene and of proposals; changes nothing."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        agenda_reader: StoryAgendaReader,
        start_rules: SceneStartRules,
        keeper: CanonKeeper,
        loops: LoopTransitions,
        verdict_undo: VerdictUndo,
        clock: Clock,
    ) -> None:
        self._log = log
        self._canon = canon
        self._agenda_reader = agenda_reader
        self._start_rules = start_rules
        self._keeper = keeper
        self._loops = loops
        self._verdict_undo = verdict_undo
        self._clock = clock

    async def build_scene_view(
        self,
        context: SceneContext,
        offer: CommitOffer | None,
        *,
        state: str | None = None,
        agenda: StoryAgenda | None = None,
    ) -> SceneView:
        """Return all that the Scene screen shows except the transcript.

        `offer` is the commit that is offered, if one is; `state` is the scene loop's and `agenda` the story's, if
        they were read already.
        """
        scene, entered_at = context.scene, None
        if state is None:
            last_transition = await self._loops.read_last_transition(Loop.SCENE, scene.id)
            state = state_after(Loop.SCENE, last_transition)
            entered_at = last_transition.at if last_transition else None
        checkpoints = await self._log.checkpoints(scene.id)
        agenda = await self._agenda_reader.read_numbered_agenda(context, agenda)
        shown_proposals = await self._add_closed_proposals(scene.id, context.undecided)
        return SceneView(
            universe=context.universe,
            story=context.story,
            scene=scene,
            when=format_tick(context.universe.calendar, context.tick),
            state=state,
            turn_count=context.head.depth + 1 if context.head else 0,
            place=context.place.name if context.place else "",
            cast=build_cast(context),
            proposals=await self._build_scene_rows(
                scene.id, shown_proposals, read_turns=(context.head, context.last_play_turn)
            ),
            trigger_reason=offer.reason if offer else "",
            offer_ids=offer.proposal_ids if offer else (),
            is_offer_lapsed=offer is not None and is_lapsed(offer, context),
            can_undo=scene.head is not None
            or find_last_command(context) is not None
            or await self._verdict_undo.find_last(context) is not None,
            can_redo=await self._log.redo_target(scene.id) is not None
            or find_undone_command(context) is not None
            or await self._verdict_undo.find_undone(context) is not None
            or any(map(is_open_again, context.undecided)),  # redo brings it back, or says why it does not
            unfinished_count=len(checkpoints),
            stalled_note=self._describe_stalled(state, entered_at, [c.at for c in checkpoints]),
            threads=tuple(t for t in build_thread_views(context, agenda) if t.is_open),
            clocks=agenda.open_clocks,
            tracks=agenda.open_tracks,
            opening_hint=await self._start_rules.describe_opening(context) if state == "active" else "",
        )

    def _describe_stalled(
        self, state: str, entered_at: datetime | None, unfinished_since: Sequence[datetime]
    ) -> str:
        if state == "active" and not unfinished_since:
            return ""
        return describe_stalled_loop(state, entered_at, unfinished_since, self._clock())

    async def build_gate_view(self, scene_id: Id) -> GateView:
        """Return what waits at a scene's gate, and what its commits closed lately, which can be undone."""
        scene = await self._log.scene(scene_id)
        universe = await self._canon.universe(scene.universe_id)
        rows = sort_by_weight(await self.read_scene_rows(scene_id))
        last_transition = await self._loops.read_last_transition(Loop.SCENE, scene_id)
        state = state_after(Loop.SCENE, last_transition)
        entered_at = last_transition.at if last_transition else None
        stalled_note = self._describe_stalled(state, entered_at, ())
        return GateView(
            scene.label,
            universe,
            scene,
            state in ("finalizing", "failed"),
            rows,
            scene_end_lines=(stalled_note,) if stalled_note else (),
        )

    async def read_scene_rows(self, scene_id: Id) -> tuple[ProposalView, ...]:
        """Return the rows of a scene's proposals, with the numbers that commands take."""
        return await self._build_scene_rows(scene_id, await self._list_shown_proposals(scene_id))

    async def _build_scene_rows(
        self, scene_id: Id, proposals: Sequence[ProposedChange], *, read_turns: Iterable[Turn | None] = ()
    ) -> tuple[ProposalView, ...]:
        """Return rows with numbers that they keep: each has that of its oldest member, in the order of proposing.

        All proposals of the scene count, those that are undone included, so that no number ever means another row.
        """
        if not proposals:
            return ()
        scene_proposal_ids = await self._log.proposal_ids(scene_id)
        numbers = {proposal_id: number for number, proposal_id in enumerate(scene_proposal_ids, start=1)}
        return await self._build_rows(proposals, read_turns, numbers)

    async def _list_shown_proposals(self, scene_id: Id) -> list[ProposedChange]:
        """Return the timeline's waiting proposals and the ones decided last, in the order of the timeline.

        Changes of one moment keep the order in which they were written.
        """
        undecided = await self._log.proposals(ProposalQuery(scene_id=scene_id, statuses=OPEN_STATUSES))
        return await self._add_closed_proposals(scene_id, undecided)

    async def _add_closed_proposals(
        self, scene_id: Id, undecided: Sequence[ProposedChange]
    ) -> list[ProposedChange]:
        closed_proposals = await self._log.proposals(
            ProposalQuery(scene_id=scene_id, statuses=CLOSED_STATUSES, last=2 * MAX_CLOSED_ROWS)
        )
        # What took back an undone commit: the rows of that wait again, and say so themselves.
        closed_proposals = [p for p in closed_proposals if p.undoes is None and not came_to_nothing(p)][
            -MAX_CLOSED_ROWS:
        ]
        turn_ids = {p.turn_id for p in closed_proposals if p.turn_id}
        on_line_ids = await self._log.on_line(scene_id, turn_ids) if turn_ids else set()
        closed_proposals = [p for p in closed_proposals if p.turn_id is None or p.turn_id in on_line_ids]
        return list(sort_as_made([*undecided, *closed_proposals]))

    async def ids_in_same_rows(self, ids: Collection[Id]) -> list[Id]:
        """Return the ids with those that share a row with them, since a verdict is on the row."""
        chosen_proposals = await self._log.proposals_by_id(ids)
        scene_ids = {p.scene_id for p in chosen_proposals.values() if p.scene_id and is_foldable(p)}
        further_ids = {p.scene_id for p in chosen_proposals.values() if p.scene_id} - scene_ids
        for scene_id in further_ids:
            open_proposals = await self._log.proposals(
                ProposalQuery(scene_id=scene_id, statuses=OPEN_STATUSES)
            )
            if not find_chains(sort_in_line_order(open_proposals)).keys().isdisjoint(ids):
                scene_ids.add(scene_id)
        rows = [row for scene_id in sorted(scene_ids) for row in await self.read_scene_rows(scene_id)]
        return expand_to_row_ids(rows, ids)

    async def build_turn_proposals(self, scene_id: Id, turn_id: Id) -> tuple[ProposalView, ...]:
        """Return the changes that were proposed on a turn and no commit has closed; they are withdrawn with it."""
        statuses = (*OPEN_STATUSES, ProposalStatus.WITHDRAWN)
        scene_proposals = await self._log.proposals(ProposalQuery(scene_id=scene_id, statuses=statuses))
        turn_proposals = [
            p for p in scene_proposals if turn_id in (p.turn_id, *(e.turn_id for e in p.evidence))
        ]
        return await self._build_scene_rows(scene_id, turn_proposals)

    async def find_numbered_row(self, scene_id: Id, number: int) -> ProposalView | None:
        """Return the proposal that has this number in the scene, whatever became of it; None if none was made."""
        proposal_ids = await self._log.proposal_ids(scene_id)
        if not 1 <= number <= len(proposal_ids):
            return None
        proposal = (await self._log.proposals_by_id([proposal_ids[number - 1]]))[proposal_ids[number - 1]]
        is_reversal = proposal.undoes is not None
        return None if is_reversal else (await self.build_proposal_rows([proposal]))[0]

    async def build_proposal_rows(
        self, proposals: Sequence[ProposedChange], named: Sequence[ProposedChange] = ()
    ) -> tuple[ProposalView, ...]:
        """Return rows for the proposals, numbered from 1, each with the number of its turn.

        `named` are proposals of those whom the others name; they have no rows here.
        """
        row_ids = {proposal.id for proposal in proposals}
        named = [proposal for proposal in named if proposal.id not in row_ids]
        return number_rows(await self._build_rows([*proposals, *named], (), None, row_ids if named else None))

    async def build_rows_of(
        self,
        new_proposals: Sequence[ProposedChange],
        proposals: Sequence[ProposedChange],
        read_turns: Iterable[Turn | None],
    ) -> tuple[ProposalView, ...]:
        """Return the rows of new proposals among all that wait; their numbers say nothing.

        All are compared with each other. Moves that may share a row with a new one are folded into it.
        """
        new_ids = {proposal.id for proposal in new_proposals}
        row_ids = new_ids | (
            {p.id for p in proposals if is_foldable(p)} if any(map(is_foldable, new_proposals)) else set()
        )
        rows = await self._build_rows(proposals, read_turns, None, row_ids, is_numbered=False)
        return tuple(row for row in rows if not new_ids.isdisjoint(row.member_ids))

    async def build_waiting_rows(
        self, context: SceneContext, proposals: Sequence[ProposedChange]
    ) -> tuple[ProposalView, ...]:
        """Return rows of proposals that wait in the scene; their numbers say nothing."""
        read_turns = (context.head, context.last_play_turn)
        return await self._build_rows(proposals, read_turns, None, is_numbered=False)

    async def _build_rows(
        self,
        proposals: Sequence[ProposedChange],
        read_turns: Iterable[Turn | None],
        numbers: Mapping[Id, int] | None,
        row_ids: Collection[Id] | None = None,
        *,
        is_numbered: bool = True,
    ) -> tuple[ProposalView, ...]:
        turns = {turn.id: turn for turn in read_turns if turn is not None}
        shown_proposals = [p for p in proposals if row_ids is None or p.id in row_ids]
        turn_ids = {p.turn_id for p in shown_proposals} | {
            piece.turn_id for p in shown_proposals for piece in p.evidence if piece.kind is EvidenceKind.TURN
        }
        if missing_ids := set(filter(None, turn_ids)) - turns.keys():
            turns |= await self._log.turns(missing_ids)
        turn_numbers = {turn_id: turn.depth + 1 for turn_id, turn in turns.items()}
        views = await self._keeper.build_views(
            proposals,
            turn_numbers=turn_numbers,
            numbers=numbers,
            row_ids=row_ids,
            is_numbered=is_numbered,
        )
        return fold_rows([_place_quote(view, turns) for view in views])


def _place_quote(view: ProposalView, turns: Mapping[Id, Turn]) -> ProposalView:
    """Return the row with the turn whose words it quotes, or saying that the words were typed after its turn.

    A name that is made known has an earlier line read again: the row is of the command's turn, the words of theirs.
    """
    pieces = [piece for piece in view.proposal.evidence if piece.quote == view.quote]
    turn = turns.get(view.proposal.turn_id or "")
    if turn is not None and pieces and all(is_declared_after(p, turn) for p in pieces):
        return replace(view, is_declared_after_turn=True)
    turn_ids = [p.turn_id or "" for p in pieces if p.kind is EvidenceKind.TURN]
    quoted = [turns[turn_id] for turn_id in turn_ids if turn_id in turns]
    if view.turn_number is None or not quoted or turn in quoted:
        return view
    return replace(view, turn_number=quoted[0].depth + 1)


def describe_conflicts(rows: Iterable[ProposalView]) -> tuple[str, ...]:
    """Return a line on each row that contradicts something: narration and commands say it in the same words."""
    return tuple(f"⚠ {row.conflicts[0].text}" for row in rows if row.conflicts)


def build_cast(context: SceneContext) -> tuple[CastMember, ...]:
    """Return those present with their working state, under the names that the timeline gives them."""
    members, changes_by_entity = [], context.state_changes_by_entity()
    last_entries = context.last_presence_entries()
    for entity in context.present_actors():
        changes = changes_by_entity.get(entity.id, [])
        state = fold_changes(entity, changes)
        note = _describe_awareness(context, entity, last_entries.get(entity.id))
        is_death_staged = note == Awareness.DEAD and DEAD_TAG not in map(str.casefold, entity.tags)
        members.append(
            CastMember(
                entity_id=entity.id,
                name=entity.name,
                is_pc=entity.is_pc,
                numbers=dict(state.numbers),
                tags=tuple(state.tags),
                changed_keys=find_changed_keys(entity, changes),
                note=note,
                is_note_staged=is_death_staged,
            )
        )
    return tuple(members)


def _describe_awareness(context: SceneContext, entity: Entity, last_entry: PresenceEntry | None) -> str:
    """Return why somebody present neither acts nor hears; empty if they do."""
    if context.is_dead(entity):
        return Awareness.DEAD.value
    is_aware = last_entry is None or last_entry.awareness is Awareness.AWARE
    return "" if is_aware or last_entry is None else last_entry.awareness.value
