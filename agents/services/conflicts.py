"""The court as screens and commands see it: cases in views, what a ruling would do, and the ruling made.

It decides nothing: the CanonKeeper's court hears and rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from agents.canon_keeper.conflicts import ruling_service as bench
from agents.canon_keeper.conflicts.conflict_reader import FactConflict
from agents.canon_keeper.conflicts.precedents import describe_ruling
from agents.canon_keeper.decisions import NOTHING_DECIDED, OPEN_STATUSES, is_rejected
from agents.canon_keeper.fact_readings import LOCATED_IN, OBJECT
from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.commit_events import publish_commit
from agents.orchestrator.dispatcher import Dispatcher
from agents.proposals.statements import MAX_NAME_LENGTH
from agents.resolver.resolver import Resolver
from agents.sanitize import clean_line
from agents.services.commit_preview import outlook
from agents.services.conflict_statements import Statements
from agents.services.manual_edits import present
from agents.services.ruling_options import CHECKS, RULINGS, VERDICTS, ways_for_entity, ways_of
from agents.views.conflict_views import (
    ProposalConflict,
    ProposalConflicts,
    RulingOutcome,
    RulingRequest,
    RulingView,
)
from agents.views.play_views import CommitReport, ConflictView
from agents.world_time.moments import format_record_time, read_moment
from stores.errors import InputError
from stores.ports import CanonReader, OrchestratorLog
from stores.records.canon import CanonBatch, Standing
from stores.records.ids import Clock, Id
from stores.records.workflow import Decision, ProposedChange, Ruling, RulingKind, Verdict
from stores.records.world import Universe

GONE = "something that is no longer on record"

_VERDICTS = {"accept": Verdict.ACCEPT, "reject": Verdict.REJECT}


class Courtroom:
    """See `agents.views.conflict_views.BenchCourt`. Stateless."""

    def __init__(
        self,
        canon: CanonReader,
        log: OrchestratorLog,
        keeper: CanonKeeper,
        resolver: Resolver,
        context: SceneContextLoader,
        statements: Statements,
        dispatcher: Dispatcher,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._resolver = resolver
        self._context = context
        self._statements = statements
        self._dispatcher = dispatcher
        self._clock = clock
        self._events = events

    # --- hearing -------------------------------------------------------------------------------------

    async def docket(self, proposal_id: Id) -> ProposalConflicts:
        """Hear an open proposal's conflicts."""
        docket = await self._keeper.rulings.read_conflicts(proposal_id)
        universe = await self._canon.universe(docket.proposal.universe_id)
        now = await self._now(docket.proposal)
        cases = [await self._case(c, docket, universe, now) for c in docket.conflicts]
        return ProposalConflicts(universe, proposal_id, docket.title, tuple(cases))

    async def _case(
        self, conflict: ConflictView, docket: bench.OpenConflicts, universe: Universe, now: int | None
    ) -> ProposalConflict:
        proposal, calendar = docket.proposal, universe.calendar
        check = CHECKS.get(conflict.rule, conflict.rule.replace("_", " "))
        case = partial(ProposalConflict, check=check, text=conflict.text, certain=conflict.certain)
        if conflict.entity_id is not None:
            change = proposal.change
            new = await self._statements.of_entity(change.entity_id, docket, calendar)  # type: ignore[union-attr]
            known = await self._statements.of_entity(conflict.entity_id, docket, calendar)
            ways = ways_for_entity(new.words, known.words)
            return case(against=conflict.entity_id, new=new, old=known, options=ways)
        claim = docket.assessment.contradictions.findings[proposal.id].fact
        if claim is not None:
            new = await self._statements.of_fact(claim, proposal.evidence, calendar, proposed=True)
        else:
            new = await self._statements.of_proposal(proposal, docket.title)
        other, hearing = (
            conflict.other,
            docket.conflicts_by_fact.get(conflict.other.id) if conflict.other else None,
        )
        if other is None:
            return case(against=None, new=new, old=None, options=VERDICTS)
        rival = docket.assessment.contradictions.source_proposals.get(other.id)
        evidence = rival.evidence if rival else await self._canon.evidence_of(other.id)
        old = await self._statements.of_fact(other, evidence, calendar, proposed=rival is not None)
        ways = ways_of(hearing, calendar, now) if hearing else VERDICTS
        return case(against=other.id, new=new, old=old, options=ways)

    # --- ruling --------------------------------------------------------------------------------------

    async def foresee(self, ruling: RulingRequest) -> tuple[str, ...]:
        """What the ruling would do: what ends, what was never so, what is written. Nothing is staged."""
        proposal = await self._proposal(ruling.proposal_id)
        if ruling.option in _VERDICTS:
            return ("Nothing is written yet: the next commit goes by it.",)
        if ruling.option == "different":
            return ("Remembered of these two. Nothing is held for it, and nothing is written yet.",)
        if ruling.option == "same":
            union = await self._keeper.namesake_rulings.plan_union(ruling.proposal_id, self._against(ruling))
            return await self._told(await self._keeper.namesake_rulings.preview_union(union), proposal)
        order, hearing = await self._order(ruling, proposal)
        seen = await self._keeper.rulings.preview_ruling(order)
        lines = [*await self._told(seen.batch, proposal), *_turned_down(order, hearing)]
        if seen.held_ids:
            lines.append("It still meets something else, and is written when that is settled too.")
        if seen.dependent_ids:
            lines.append("It is about something that is only proposed, and is written together with it.")
        return tuple(lines)

    async def rule(self, ruling: RulingRequest) -> RulingOutcome:
        """Make it: written at once, and remembered, so that the same pair never asks again."""
        async with self._dispatcher.exclusive():
            proposal = await self._proposal(ruling.proposal_id)
            before = await self._context.load_context(proposal.scene_id) if proposal.scene_id else None
            report, lines = await self._made(ruling, proposal)
            if report is not None and before is not None:
                await self._keep_scene(before)
        if report is not None:
            publish_commit(self._events, proposal.universe_id, proposal.scene_id, report)
        else:
            self._events.publish(ProposalsChanged(proposal.universe_id, proposal.scene_id))
        return RulingOutcome(report, lines, await self._left(ruling.proposal_id))

    async def _made(
        self, ruling: RulingRequest, proposal: ProposedChange
    ) -> tuple[CommitReport | None, tuple[str, ...]]:
        if ruling.option in _VERDICTS:
            decision = Decision(verdict=_VERDICTS[ruling.option], by="gm", at=self._clock())
            await self._keeper.decide([proposal.id], decision)
            return None, await self.foresee(ruling)
        if ruling.option == "different":
            await self._keeper.namesake_rulings.rule_different(proposal.id, self._against(ruling))
            return None, ("Remembered: they are two.",)
        lines = await self.foresee(ruling)
        if ruling.option == "same":
            union = await self._keeper.namesake_rulings.plan_union(proposal.id, self._against(ruling))
            await self._resolver.stage([union.merge])
            return await self._keeper.namesake_rulings.apply_union(union), lines
        order, _ = await self._order(ruling, proposal)
        await self._resolver.stage(order.staged_proposals)
        return await self._keeper.rulings.apply_ruling(order), lines

    # --- on record -----------------------------------------------------------------------------------

    async def rulings(self, universe_id: Id) -> tuple[RulingView, ...]:
        """All that was ruled, the latest first."""
        made = await self._log.rulings(universe_id)
        proposals = await self._log.proposals_by_id({r.proposal_id for r in made if r.proposal_id})
        rows = await self._keeper.build_views(list(proposals.values()))
        titles = {row.proposal.id: row.title for row in rows}
        facts = await self._canon.facts_by_id({r.fact_id for r in made if r.fact_id})
        entities = await self._canon.entities_by_id({i for r in made if not r.fact_id for i in r.pair})
        others = {i: f.statement for i, f in facts.items()} | {i: e.name for i, e in entities.items()}
        return tuple(
            RulingView(
                new=titles.get(ruling.proposal_id or "", GONE),
                old=others.get(_other_of(ruling), GONE),
                ruling=ruling.ruling,
                words=describe_ruling(ruling) if ruling.fact_id else "they are two",
                by="you" if ruling.by == "gm" else ruling.by,
                at=format_record_time(ruling.at),
                reason=ruling.reason,
            )
            for ruling in reversed(made)
        )

    # --- inside --------------------------------------------------------------------------------------

    async def _proposal(self, proposal_id: Id) -> ProposedChange:
        proposal = (await self._log.proposals_by_id([proposal_id])).get(proposal_id)
        if proposal is None:
            raise InputError("That proposal is gone.", kept=NOTHING_DECIDED)
        return proposal

    def _against(self, ruling: RulingRequest) -> Id:
        if ruling.against is None:
            raise InputError("There is no other one to rule on.", kept=NOTHING_DECIDED)
        return ruling.against

    async def _order(
        self, ruling: RulingRequest, proposal: ProposedChange
    ) -> tuple[bench.RulingPlan, FactConflict]:
        """Return what the ruling comes to. Raises InputError if it cannot be made so."""
        hearing = await self._keeper.rulings.read_conflict(proposal.id, ruling.against)
        way, tick = RULINGS.get(ruling.option), None
        if way is None:
            raise InputError(f"{ruling.option!r} settles no such conflict.", kept=NOTHING_DECIDED)
        if way in (RulingKind.FROM_NOW, RulingKind.BOUNDED):
            tick = await self._tick(ruling, proposal)
        name = _name(ruling.name) if way is RulingKind.SPLIT else ""
        if name.casefold() in {known.casefold() for known in hearing.shared.values()}:
            raise InputError("The other one needs a name of its own.", kept=NOTHING_DECIDED)
        order = await self._keeper.rulings.plan_ruling(
            hearing,
            way,
            tick=tick,
            yielding=ruling.yielding,
            standing=ruling.standing,
            entity_id=ruling.entity_id,
            name=name,
        )
        return order, hearing

    async def _tick(self, ruling: RulingRequest, proposal: ProposedChange) -> int | None:
        """Return the world time that was typed; with none, a bounded one is bounded by the present."""
        if not ruling.when.strip() and ruling.option == "new":
            return None
        universe = await self._canon.universe(proposal.universe_id)
        return read_moment(ruling.when, universe.calendar, await self._now(proposal))

    async def _now(self, proposal: ProposedChange) -> int | None:
        """Return the world time that the proposal's scene stands at, or else the furthest of the world."""
        if proposal.scene_id is not None:
            return (await self._context.load_context(proposal.scene_id)).tick
        return await present(self._log, proposal.universe_id)

    async def _told(self, batch: CanonBatch | None, proposal: ProposedChange) -> tuple[str, ...]:
        if batch is None:
            return ()
        universe = await self._canon.universe(proposal.universe_id)
        facts = await self._canon.facts_by_id({c.fact_id for c in batch.fact_changes})
        concerned = {e.id for e in batch.entities} | {e.merged_into for e in batch.entities if e.merged_into}
        entities = await self._canon.entities_by_id(concerned)
        return tuple(outlook(batch, facts, entities, universe.calendar))

    async def _left(self, proposal_id: Id) -> int:
        """Return how many conflicts an open proposal still has."""
        proposal = await self._proposal(proposal_id)
        if proposal.status not in OPEN_STATUSES or is_rejected(proposal):
            return 0
        return len((await self._keeper.rulings.read_conflicts(proposal_id)).conflicts)

    async def _keep_scene(self, before: SceneContext) -> None:
        """What was staged in the scene may be canon now: its own record takes over who is here, and where."""
        born = await self._canon.entities_by_id(before.created_entity_ids())
        came = [entity.merged_into or entity.id for entity in born.values()]
        cast = tuple(dict.fromkeys((*before.scene.cast, *came)))
        place_id = before.scene.place_id
        if before.place is not None and await self._is_in(before.story.pc_id, before.place.id):
            place_id = before.place.id
        if (cast, place_id) != (before.scene.cast, before.scene.place_id):
            await self._log.update_scene(before.scene.model_copy(update={"cast": cast, "place_id": place_id}))

    async def _is_in(self, who: Id | None, place_id: Id) -> bool:
        """Say whether canon has somebody in a place."""
        stays = await self._canon.facts_about(who, predicate=LOCATED_IN) if who else []
        return any(f.standing is Standing.TRUE and f.entity(OBJECT) == place_id for f in stays)


def _name(text: str) -> str:
    """Return a name as typed. Raises InputError for one that no entity can bear."""
    name = clean_line(text) if text.strip() else ""
    if not name:
        raise InputError("The other one needs a name.", kept=NOTHING_DECIDED)
    if len(name) > MAX_NAME_LENGTH:
        raise InputError(f"A name has at most {MAX_NAME_LENGTH} characters.", kept=NOTHING_DECIDED)
    return name


def _turned_down(order: bench.RulingPlan, hearing: FactConflict) -> Iterator[str]:
    """Yield what is only proposed and will not be written; what is written corrected is not among it."""
    for side in hearing.statements():
        decision = order.decisions.get(side.proposal.id) if side.proposal else None
        if decision is not None and decision.verdict is Verdict.REJECT and not order.restated_ids:
            yield f"✗ {side.fact.statement}  is turned down"


def _other_of(ruling: Ruling) -> Id:
    """Return the fact that was ruled on, or the entity that somebody new was told apart from."""
    if ruling.fact_id is not None:
        return ruling.fact_id
    return next((i for i in ruling.pair if i != ruling.upheld), "")
