"""Takes in what chat clients propose: it waits at the gate of its universe, on nobody's word but the client's.

The text comes from a model that MONITOR does not run and that may have been talked into anything. So it is cleaned and
read as words typed after `/fact` are, never as a command, and no rule of the universe accepts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from agents.events import EventBus, Notice
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.proposals.evidence import MAX_QUOTE_LENGTH, manual_evidence
from agents.proposals.proposals import Proposals, ProposalSite, build_proposal
from agents.sanitize import clean
from agents.services.manual_edits import NOTHING_STAGED
from agents.services.world_edits import PlannedEdit, WorldEditor
from agents.views.gate_views import WAITING_PLACE
from agents.views.proposal_views import ProposalView
from agents.views.world_views import NewEntityFields
from stores.errors import InputError, NotFound
from stores.outside_inbox import OutsideInbox
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import Authority, Payload
from stores.records.ids import Id, derive_id
from stores.records.outside import OutsideEntity, OutsideProposal, OutsideStatement, StatedAs
from stores.records.workflow import OPEN_STATUSES, ProposedChange

MAX_OPEN: Final = 100
"""Proposals of chat clients that may wait in one universe: more would bury those of play."""


class OutsideProposalService:
    """Checks and takes in proposals of chat clients. Raises InputError and StoreError."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        edits: WorldEditor,
        proposals: Proposals,
        views: SceneViewBuilder,
        inbox: OutsideInbox,
        dispatcher: Dispatcher,
        events: EventBus,
    ) -> None:
        self._canon = canon
        self._log = log
        self._edits = edits
        self._proposals = proposals
        self._views = views
        self._inbox = inbox
        self._dispatcher = dispatcher
        self._events = events

    async def list_waiting(self, universe_id: Id) -> list[OutsideProposal]:
        """Return what is not taken in yet of a universe, the oldest first."""
        return [p for p in await self._inbox.list_waiting() if p.universe_id == universe_id]

    async def preview(self, proposal: OutsideProposal) -> ProposalView:
        """Return the row that it would be at the gate, with what it contradicts. Writes nothing."""
        new_proposal = _build(proposal, await self._plan(proposal))
        open_proposals = await self._read_open(proposal.universe_id)
        (row,) = await self._views.build_rows_of([new_proposal], [*open_proposals, new_proposal], ())
        return row

    async def check(self, proposal: OutsideProposal) -> None:
        """Raise InputError if it could not be proposed now. Writes nothing."""
        planned = await self._plan(proposal)
        open_proposals = await self._read_open(proposal.universe_id)
        waiting = await self.list_waiting(proposal.universe_id)
        outside_count = sum(p.authority is Authority.OUTSIDE for p in open_proposals)
        if outside_count + len(waiting) >= MAX_OPEN:
            raise InputError(
                f"{MAX_OPEN} proposals of chat clients wait in this universe already.",
                kept=NOTHING_STAGED,
                todo="They are decided at the gate in MONITOR first.",
            )
        if any(p.content == proposal.content for p in waiting):
            raise _waits_already_error()
        _refuse_waiting(planned, open_proposals)

    async def take_in(self) -> tuple[str, ...]:
        """Propose all that waits in the inbox, and empty it; return lines on it, which are published as notices.

        What waits at a gate already, or cannot be proposed any more, is dropped.
        """
        titles_by_universe: Counter[Id] = Counter()
        problems: list[str] = []
        for outside in await self._inbox.list_waiting():
            try:
                await self._stage(outside)
                titles_by_universe[outside.universe_id] += 1
            except (InputError, NotFound) as error:
                problems.append(f"A chat client's proposal was dropped: {error.what}")
            await self._inbox.remove(outside.id)
        lines = [await self._describe_taken_in(i, count) for i, count in titles_by_universe.items()]
        for line in lines:
            self._events.publish(Notice(line))
        for problem in problems:
            self._events.publish(Notice(problem, "warning"))
        return (*lines, *problems)

    # --- inside --------------------------------------------------------------------------------------

    async def _stage(self, outside: OutsideProposal) -> None:
        async with self._dispatcher.exclusive():
            planned = await self._plan(outside)
            open_proposals = await self._read_open(outside.universe_id)
            # The same again after a crash: it was staged, and not yet removed from the inbox.
            if any(p.id == _proposal_id(outside) for p in open_proposals):
                return
            _refuse_waiting(planned, open_proposals)
            # It is no command of the player's: undo in play leaves it where it is.
            await self._proposals.stage([_build(outside, planned)])

    async def _plan(self, outside: OutsideProposal) -> PlannedEdit:
        """Return the edit that the words would be if the GM typed them. Raises InputError."""
        await self._canon.universe(outside.universe_id)
        match outside.content:
            case OutsideStatement(stated_as=stated_as, text=text):
                cleaned = " ".join(clean(text).split())
                if not cleaned:
                    raise InputError("There is nothing stated in that.", kept=NOTHING_STAGED)
                typed = cleaned if stated_as is StatedAs.FACT else f"{stated_as}: {cleaned}"
                return await self._edits.plan_typed_fact(outside.universe_id, typed)
            case OutsideEntity(entity_kind=kind, name=name, description=description):
                fields = NewEntityFields(kind, name, description)
                entity_id = derive_id("outside entity", outside.id)
                return await self._edits.plan_entity(outside.universe_id, fields, entity_id)

    async def _read_open(self, universe_id: Id) -> list[ProposedChange]:
        return await self._log.proposals(ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES))

    async def _describe_taken_in(self, universe_id: Id, count: int) -> str:
        universe = await self._canon.universe(universe_id)
        what = "a change" if count == 1 else f"{count} changes"
        return f"A chat client proposes {what} in {universe.name}. {WAITING_PLACE}"


def _build(outside: OutsideProposal, planned: PlannedEdit) -> ProposedChange:
    proposal_id = _proposal_id(outside)
    evidence = manual_evidence(proposal_id, describe_words(outside)[:MAX_QUOTE_LENGTH])
    return build_proposal(
        proposal_id,
        planned.edit.change,
        [evidence],
        Authority.OUTSIDE,
        ProposalSite(outside.universe_id, tick=planned.tick),
        outside.created_at,
    )


def describe_words(outside: OutsideProposal) -> str:
    """Return what the client said, and that it was a client that said so."""
    client = " ".join(clean(outside.client).split())
    said = outside.content.text if isinstance(outside.content, OutsideStatement) else outside.content.name
    reason = " ".join(clean(outside.reason).split())
    author = f"The chat client “{client}”" if client else "A chat client"
    return f"{author}: {' '.join(clean(said).split())}" + (f" (why: {reason})" if reason else "")


def _proposal_id(outside: OutsideProposal) -> Id:
    return derive_id("outside proposal", outside.id)


def _refuse_waiting(planned: PlannedEdit, open_proposals: Sequence[ProposedChange]) -> None:
    change = planned.edit.change
    if any(_says_same(change, p.change) for p in open_proposals):
        raise _waits_already_error()


def _says_same(change: Payload, other: Payload) -> bool:
    """Return whether two changes propose the same; of a new entity the identifier is made up and says nothing."""
    unnamed = {"entity_id": ""} if change.kind == other.kind == "create_entity" else {}
    return change.model_copy(update=unnamed) == other.model_copy(update=unnamed)


def _waits_already_error() -> InputError:
    return InputError(
        "That is proposed already.",
        kept=NOTHING_STAGED,
        todo="It waits until somebody decides it in MONITOR.",
    )
