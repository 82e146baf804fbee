"""Conflicts for screens and commands: both sides in views, previews of rulings, and rulings made.

It decides nothing: the CanonKeeper plans and applies rulings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from agents.canon_keeper.conflicts import ruling_service as ruling_service
from agents.canon_keeper.conflicts.conflict_reader import FactConflict
from agents.canon_keeper.conflicts.precedents import describe_ruling
from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import SceneContextLoader
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.commit_reports import publish_commit
from agents.orchestrator.dispatcher import Dispatcher
from agents.proposals.decisions import NOTHING_DECIDED, is_rejected
from agents.proposals.proposals import Proposals
from agents.proposals.statements import MAX_NAME_LENGTH
from agents.sanitize import clean_line, require_letter
from agents.services.commit_preview import preview_batch
from agents.services.conflict_statements import ConflictStatementBuilder
from agents.services.manual_edits import read_present_tick
from agents.services.ruling_options import (
    CHECK_DESCRIPTIONS,
    RULING_KINDS,
    VERDICT_OPTIONS,
    list_entity_options,
    list_ruling_options,
)
from agents.services.ruling_sentences import describe_both_statements
from agents.solo.story_journal import StoryJournal
from agents.views.conflict_views import (
    ProposalConflict,
    ProposalConflicts,
    RulingOutcome,
    RulingRequest,
    RulingView,
)
from agents.views.gate_views import CommitReport
from agents.views.proposal_views import ConflictView
from agents.world_time.moments import format_record_time, read_moment
from stores.errors import InputError
from stores.ports import CanonReader, OrchestratorLog
from stores.records.canon import CanonBatch
from stores.records.ids import Clock, Id
from stores.records.workflow import OPEN_STATUSES, Decision, ProposedChange, Ruling, RulingKind, Verdict
from stores.records.world import Universe

WRITTEN_AT_ONCE = "It is written to canon at once, before any commit."
NOTHING_WRITTEN = "Nothing is written yet; the next commit follows what you decide."
MISSING_RECORD = "something no longer on record"

_VERDICTS_BY_OPTION = {"accept": Verdict.ACCEPT, "reject": Verdict.REJECT}


@dataclass(frozen=True, slots=True)
class _RulingEffects:
    """What a ruling does, in lines."""

    changes: tuple[str, ...] = ()
    """What it writes to canon, and what is proposed and will not be written."""
    notes: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    """A sentence on what becomes of each of the two statements."""
    stated_texts: tuple[str, ...] = ()
    """The two statements, which the sentences say everything of."""

    def changes_beside_statements(self) -> tuple[str, ...]:
        """Return what is changed beside the two statements."""
        return tuple(line for line in self.changes if not line[2:].startswith(self.stated_texts))


class ConflictService:
    """Shows conflicts, and has the CanonKeeper rule on them."""

    def __init__(
        self,
        canon: CanonReader,
        log: OrchestratorLog,
        keeper: CanonKeeper,
        proposals: Proposals,
        context: SceneContextLoader,
        statement_builder: ConflictStatementBuilder,
        journal: StoryJournal,
        dispatcher: Dispatcher,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._proposals = proposals
        self._context = context
        self._statement_builder = statement_builder
        self._journal = journal
        self._dispatcher = dispatcher
        self._clock = clock
        self._events = events

    # --- hearing -------------------------------------------------------------------------------------

    async def read_conflicts(self, proposal_id: Id) -> ProposalConflicts:
        """Return an open proposal's conflicts."""
        open_conflicts = await self._keeper.rulings.read_conflicts(proposal_id)
        universe = await self._canon.universe(open_conflicts.proposal.universe_id)
        current_tick = await self._read_current_tick(open_conflicts.proposal)
        conflict_details = [
            await self._build_conflict_detail(c, open_conflicts, universe, current_tick)
            for c in open_conflicts.conflicts
        ]
        return ProposalConflicts(universe, proposal_id, open_conflicts.title, tuple(conflict_details))

    async def _build_conflict_detail(
        self,
        conflict: ConflictView,
        open_conflicts: ruling_service.OpenConflicts,
        universe: Universe,
        current_tick: int | None,
    ) -> ProposalConflict:
        proposal, calendar = open_conflicts.proposal, universe.calendar
        guarded_rule = CHECK_DESCRIPTIONS.get(conflict.check_name, conflict.check_name.replace("_", " "))
        build_detail = partial(
            ProposalConflict,
            check=guarded_rule,
            text=conflict.text,
            certain=conflict.is_certain,
            is_model_doubt=conflict.is_model_doubt,
        )
        if conflict.entity_id is not None:
            change = proposal.change
            new_statement = await self._statement_builder.build_entity_statement(
                change.entity_id,  # type: ignore[union-attr]
                open_conflicts,
                calendar,
            )
            known_statement = await self._statement_builder.build_entity_statement(
                conflict.entity_id, open_conflicts, calendar
            )
            options = list_entity_options(new_statement.text, known_statement.text)
            return build_detail(
                against=conflict.entity_id, new=new_statement, old=known_statement, options=options
            )
        claim = open_conflicts.assessment.contradictions.findings[proposal.id].fact
        if claim is not None:
            new_statement = await self._statement_builder.build_fact_statement(
                claim, proposal.evidence, calendar, is_proposed=True
            )
        else:
            new_statement = await self._statement_builder.build_proposal_statement(
                proposal, open_conflicts.title
            )
        other_fact, fact_conflict = (
            conflict.other_fact,
            open_conflicts.conflicts_by_fact.get(conflict.other_fact.id) if conflict.other_fact else None,
        )
        if other_fact is None:
            return build_detail(against=None, new=new_statement, old=None, options=VERDICT_OPTIONS)
        rival_proposal = open_conflicts.assessment.contradictions.source_proposals.get(other_fact.id)
        evidence = rival_proposal.evidence if rival_proposal else await self._canon.evidence_of(other_fact.id)
        old_statement = await self._statement_builder.build_fact_statement(
            other_fact, evidence, calendar, is_proposed=rival_proposal is not None
        )
        options = (
            list_ruling_options(fact_conflict, calendar, current_tick) if fact_conflict else VERDICT_OPTIONS
        )
        if fact_conflict is not None and fact_conflict.proposal.id != proposal.id:
            new_statement, old_statement = old_statement, new_statement
        return build_detail(against=other_fact.id, new=new_statement, old=old_statement, options=options)

    # --- ruling --------------------------------------------------------------------------------------

    async def preview_ruling(self, request: RulingRequest) -> tuple[str, ...]:
        """Return what becomes of both statements, what that changes, and that it does so at once. Nothing is staged."""
        effects = await self._describe_effects(request)
        written_line = (WRITTEN_AT_ONCE,) if effects.changes else ()
        return (*effects.statements, *effects.changes_beside_statements(), *effects.notes, *written_line)

    async def _describe_effects(self, request: RulingRequest) -> _RulingEffects:
        """Return what the ruling makes of both statements and of canon."""
        proposal = await self._read_proposal(request.proposal_id)
        if request.option in _VERDICTS_BY_OPTION:
            return _RulingEffects(notes=(NOTHING_WRITTEN,))
        if request.option == "different":
            return _RulingEffects(notes=("You will not be asked about these two again.", NOTHING_WRITTEN))
        if request.option == "same":
            union = await self._keeper.namesake_rulings.plan_union(
                request.proposal_id, self._require_other_id(request)
            )
            batch = await self._keeper.namesake_rulings.preview_union(union)
            return _RulingEffects(await self._preview_lines(batch, proposal))
        ruling_plan, fact_conflict = await self._plan_ruling(request, proposal)
        preview = await self._keeper.rulings.preview_ruling(ruling_plan)
        notes = []
        if preview.held_ids:
            notes.append("It is in another conflict too, and is written once that is resolved.")
        if preview.dependent_ids:
            notes.append("It is about something that is only proposed; both are written together.")
        universe = await self._canon.universe(proposal.universe_id)
        return _RulingEffects(
            await self._preview_lines(preview.batch, proposal),
            (*_describe_rejected(ruling_plan, fact_conflict), *notes),
            describe_both_statements(fact_conflict, ruling_plan.ruling, request, universe.calendar),
            tuple(statement.fact.statement for statement in fact_conflict.statements()),
        )

    async def make_ruling(self, request: RulingRequest) -> RulingOutcome:
        """Make the ruling: written at once, and stored, so that the same pair is not a conflict again."""
        async with self._dispatcher.exclusive():
            proposal = await self._read_proposal(request.proposal_id)
            context_before = (
                await self._context.load_context(proposal.scene_id) if proposal.scene_id else None
            )
            report, lines = await self._apply_ruling(request, proposal)
            if report is not None and context_before is not None:
                await self._journal.enter_committed_places(context_before)
        if report is not None:
            publish_commit(self._events, proposal.universe_id, proposal.scene_id, report)
        else:
            self._events.publish(ProposalsChanged(proposal.universe_id, proposal.scene_id))
        return RulingOutcome(report, lines, await self._count_remaining(request.proposal_id))

    async def _apply_ruling(
        self, request: RulingRequest, proposal: ProposedChange
    ) -> tuple[CommitReport | None, tuple[str, ...]]:
        if request.option in _VERDICTS_BY_OPTION:
            decision = Decision(verdict=_VERDICTS_BY_OPTION[request.option], by="gm", at=self._clock())
            await self._keeper.decide([proposal.id], decision)
            return None, (NOTHING_WRITTEN,)
        if request.option == "different":
            await self._keeper.namesake_rulings.rule_different(proposal.id, self._require_other_id(request))
            return None, ("Recorded: they are different.",)
        effects = await self._describe_effects(request)
        lines = (*effects.changes, *effects.notes)
        if request.option == "same":
            union = await self._keeper.namesake_rulings.plan_union(
                proposal.id, self._require_other_id(request)
            )
            await self._proposals.stage([union.merge])
            return await self._keeper.namesake_rulings.apply_union(union), lines
        ruling_plan, _ = await self._plan_ruling(request, proposal)
        await self._proposals.stage(ruling_plan.staged_proposals)
        return await self._keeper.rulings.apply_ruling(ruling_plan), lines

    # --- on record -----------------------------------------------------------------------------------

    async def list_rulings(self, universe_id: Id) -> tuple[RulingView, ...]:
        """Return all rulings that hold, the latest first."""
        recorded_rulings = [r for r in await self._log.rulings(universe_id) if not r.is_withdrawn]
        proposals = await self._log.proposals_by_id(
            {r.proposal_id for r in recorded_rulings if r.proposal_id}
        )
        rows = await self._keeper.build_views(list(proposals.values()))
        titles = {row.proposal.id: row.title for row in rows}
        facts = await self._canon.facts_by_id({r.fact_id for r in recorded_rulings if r.fact_id})
        entities = await self._canon.entities_by_id(
            {i for r in recorded_rulings if not r.fact_id for i in r.pair}
        )
        other_titles = {i: f.statement for i, f in facts.items()} | {i: e.name for i, e in entities.items()}
        return tuple(
            RulingView(
                new_title=titles.get(ruling.proposal_id or "", MISSING_RECORD),
                old_title=other_titles.get(_other_id_of(ruling), MISSING_RECORD),
                ruling=ruling.ruling,
                description=describe_ruling(ruling) if ruling.fact_id else "they are different",
                decided_by="you" if ruling.by == "gm" else ruling.by,
                decided_at=format_record_time(ruling.at),
                reason=ruling.reason,
            )
            for ruling in reversed(recorded_rulings)
        )

    # --- inside --------------------------------------------------------------------------------------

    async def _read_proposal(self, proposal_id: Id) -> ProposedChange:
        proposal = (await self._log.proposals_by_id([proposal_id])).get(proposal_id)
        if proposal is None:
            raise InputError("That proposal no longer exists.", kept=NOTHING_DECIDED)
        return proposal

    def _require_other_id(self, request: RulingRequest) -> Id:
        if request.against is None:
            raise InputError("There is no other one to compare with.", kept=NOTHING_DECIDED)
        return request.against

    async def _plan_ruling(
        self, request: RulingRequest, proposal: ProposedChange
    ) -> tuple[ruling_service.RulingPlan, FactConflict]:
        """Return the plan of the ruling. Raises InputError if it cannot be made."""
        fact_conflict = await self._keeper.rulings.read_conflict(proposal.id, request.against)
        ruling_kind, tick = RULING_KINDS.get(request.option), None
        if ruling_kind is None:
            raise InputError(f"{request.option!r} does not resolve such a conflict.", kept=NOTHING_DECIDED)
        if ruling_kind in (RulingKind.FROM_NOW, RulingKind.BOUNDED):
            tick = await self._read_typed_tick(request, proposal)
        name = _parse_new_name(request.name) if ruling_kind is RulingKind.SPLIT else ""
        if name.casefold() in {shared_name.casefold() for shared_name in fact_conflict.shared.values()}:
            raise InputError("The other one needs a name of its own.", kept=NOTHING_DECIDED)
        ruling_plan = await self._keeper.rulings.plan_ruling(
            fact_conflict,
            ruling_kind,
            tick=tick,
            yielding=request.yielding,
            standing=request.standing,
            entity_id=request.entity_id,
            name=name,
        )
        return ruling_plan, fact_conflict

    async def _read_typed_tick(self, request: RulingRequest, proposal: ProposedChange) -> int | None:
        """Return the world time that was typed; the present for a bounded ruling without one."""
        if not request.when.strip() and request.option == "new":
            return None
        universe = await self._canon.universe(proposal.universe_id)
        return read_moment(request.when, universe.calendar, await self._read_current_tick(proposal))

    async def _read_current_tick(self, proposal: ProposedChange) -> int | None:
        """Return the world time of the proposal's scene, or else the latest of the universe."""
        if proposal.scene_id is not None:
            return (await self._context.load_context(proposal.scene_id)).tick
        return await read_present_tick(self._log, proposal.universe_id)

    async def _preview_lines(self, batch: CanonBatch | None, proposal: ProposedChange) -> tuple[str, ...]:
        if batch is None:
            return ()
        universe = await self._canon.universe(proposal.universe_id)
        facts = await self._canon.facts_by_id({c.fact_id for c in batch.fact_changes})
        entity_ids = {e.id for e in batch.entities} | {e.merged_into for e in batch.entities if e.merged_into}
        entities = await self._canon.entities_by_id(entity_ids)
        return tuple(preview_batch(batch, facts, entities, universe.calendar))

    async def _count_remaining(self, proposal_id: Id) -> int:
        """Return how many conflicts an open proposal still has."""
        proposal = await self._read_proposal(proposal_id)
        if proposal.status not in OPEN_STATUSES or is_rejected(proposal):
            return 0
        return len((await self._keeper.rulings.read_conflicts(proposal_id)).conflicts)


def _parse_new_name(text: str) -> str:
    """Return the typed name. Raises InputError for one that no entity can have."""
    name = clean_line(text) if text.strip() else ""
    if not name:
        raise InputError("The other one needs a name.", kept=NOTHING_DECIDED)
    if len(name) > MAX_NAME_LENGTH:
        raise InputError(f"A name has at most {MAX_NAME_LENGTH} characters.", kept=NOTHING_DECIDED)
    return require_letter(name, kept=NOTHING_DECIDED)


def _describe_rejected(ruling_plan: ruling_service.RulingPlan, fact_conflict: FactConflict) -> Iterator[str]:
    """Yield what is proposed and will not be written, except what is written corrected."""
    for statement in fact_conflict.statements():
        decision = ruling_plan.decisions.get(statement.proposal.id) if statement.proposal else None
        if decision is not None and decision.verdict is Verdict.REJECT and not ruling_plan.restated_ids:
            yield f"✗ {statement.fact.statement}  is rejected"


def _other_id_of(ruling: Ruling) -> Id:
    """Return the fact that was ruled on, or the entity that a new one was found distinct from."""
    if ruling.fact_id is not None:
        return ruling.fact_id
    return next((i for i in ruling.pair if i != ruling.upheld), "")
