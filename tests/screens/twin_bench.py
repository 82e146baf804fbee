"""The twin's side of `desk.bench`: a case, a house with an offer, and what was asked of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from agents.events import ProposalsChanged
from agents.views.conflict_views import (
    ConflictStatement,
    KindPolicyView,
    PolicyView,
    ProposalConflict,
    ProposalConflicts,
    RulingOption,
    RulingOutcome,
    RulingRequest,
    RulingVariant,
    RulingView,
)
from agents.views.play_views import CommitReport, EntityCard
from agents.views.world_views import EvidenceSource, StagedEdits
from stores.errors import InputError
from stores.records.canon import Evidence, EvidenceKind, Standing
from stores.records.ids import Id, derive_id
from stores.records.workflow import KindRule, RulingKind
from stores.records.world import Entity

if TYPE_CHECKING:
    from tests.screens.twin import TwinDesk

WAYS = (
    RulingOption(
        "new", "The new one is true from some time on; until then the old one was", (), "time", "Day 3, 18:05"
    ),
    RulingOption("never", "The new one is true; the old one never was"),
    RulingOption("old", "The old one is true; reject the new one"),
    RulingOption(
        "both",
        "Keep both, one of them as hearsay",
        (
            RulingVariant("The new one is only a rumour", "new"),
            RulingVariant("The old one is a lie", "old", Standing.LIE),
        ),
    ),
    RulingOption(
        "until",
        "Each was true at its own time",
        (
            RulingVariant("The old one came first, then the new one", "old", suggested="Day 3, 18:05"),
            RulingVariant("The new one came first, then the old one", "new", suggested="Day 2, 08:00"),
        ),
        "time",
    ),
    RulingOption(
        "split",
        "They are about two different things with one name",
        (
            RulingVariant(
                "The new one is about another bell", "new", entity_id="bell", suggested="another bell"
            ),
        ),
        "name",
    ),
)
TWO = (
    RulingOption("same", "They are one: The Flooded Nave is known as another name of Saint Orrin's chapel"),
    RulingOption("different", "They are two: The Flooded Nave is something else; this is not asked again"),
    RulingOption("reject", "Reject it: canon stays as it is"),
)


class TwinBench:
    def __init__(self, services: TwinDesk) -> None:
        self.court = TwinCourt(services)
        self.house = TwinHouse(services)


class TwinCourt:
    """`conflicts` are those that the bell still has."""

    def __init__(self, services: TwinDesk) -> None:
        self._services = services
        self.conflicts = 1

    async def read_conflicts(self, proposal_id: Id) -> ProposalConflicts:
        self._services._call("docket", proposal_id)
        row = next(p for p in self._services._proposals if p.proposal.id == proposal_id)
        case = self._of_names(row.title) if row.label == "place" else self._of_bell()
        cases = [case] if row.label == "place" or row.conflicts else []
        if row.conflicts and self.conflicts > 1:
            cases.append(
                replace(case, against="other", text="Canon says the bell is at the bottom of the sea.")
            )
        return ProposalConflicts(self._services.universe, proposal_id, row.title, tuple(cases))

    def _of_bell(self) -> ProposalConflict:
        turn = self._services.lines[next(iter(self._services._scenes))][1].turn
        said = EvidenceSource(
            Evidence(
                id=derive_id("said"),
                kind=EvidenceKind.TURN,
                ref_id=turn.id,
                quote="Drag marks run from the foot of the stair to the flooded nave.",
                turn_id=turn.id,
            ),
            place="turn 2 of scene 1 “Under the chapel”",
            who="the GM, 2025-03-01 20:00",
            turn_id=turn.id,
        )
        return ProposalConflict(
            against="tower",
            check="only one of the two can hold at a time",
            text="Canon says the bell hangs in the tower.",
            certain=True,
            new=ConflictStatement(
                "The bell was moved after the storm", "proposed", "from Day 3, 18:05", "inferred", (said,)
            ),
            old=ConflictStatement("The bell hangs in the tower", "in canon", "always", "from a source"),
            options=WAYS,
        )

    def _of_names(self, title: str) -> ProposalConflict:
        def card(entity: Entity) -> EntityCard:
            return EntityCard(entity, (), (), (), (), ())

        chapel = self._services._places[0]
        nave = chapel.model_copy(
            update={"name": title, "description": "Knee-deep at low water.", "aliases": ("The Nave",)}
        )
        return ProposalConflict(
            against=chapel.id,
            check="the same one, or another with that name?",
            text=f"The name is much like {chapel.name}.",
            certain=False,
            new=ConflictStatement(title, "proposed", "", "your word", card=card(nave)),
            old=ConflictStatement(chapel.name, "in canon", "", "your word", card=card(chapel)),
            options=TWO,
        )

    async def preview_ruling(self, request: RulingRequest) -> tuple[str, ...]:
        self._services._call("foresee", request)
        self._refuse(request)
        return (f"+ what {request.option} would do {request.when}{request.name}".strip(),)

    def _refuse(self, ruling: RulingRequest) -> None:
        if ruling.when == "never":
            raise InputError("'never' names no day.", todo="Try day 3, day 3 dusk, now or always.")

    async def make_ruling(self, request: RulingRequest) -> RulingOutcome:
        self._services._call("rule", request)
        self._refuse(request)
        self.conflicts -= 1
        if not self.conflicts:
            self._services._proposals = [
                replace(p, conflicts=(), mark="accept") if p.proposal.id == request.proposal_id else p
                for p in self._services._proposals
            ]
        self._services.events.publish(ProposalsChanged(self._services.universe.id, None))
        report = CommitReport(derive_id("canonization"), (), (), 1, 0, 0, 0)
        return RulingOutcome(report, ("+ The bell was moved after the storm",), self.conflicts)

    async def list_rulings(self, universe_id: Id) -> tuple[RulingView, ...]:
        return ()


class TwinHouse:
    def __init__(self, services: TwinDesk) -> None:
        self._services = services
        self._call: Callable[..., None] = services._call
        self.rules: dict[str, KindRule] = {}
        self.predicates = ""

    async def read_policy(self, universe_id: Id) -> PolicyView:
        self._call("house", universe_id)
        kinds = [
            KindPolicyView("create_entity", "new entities", accepted=3, decided=9),
            KindPolicyView("assert_fact", "facts"),
            KindPolicyView("assert_fact:weather", "facts (weather)", decided=20, offered=KindRule.REJECT),
            KindPolicyView("state_change", "numbers and tags", accepted=7, decided=7),
        ]
        known = {kind.kind for kind in kinds}
        kinds += [KindPolicyView(kind, kind) for kind in self.rules if kind not in known]
        ruled = [
            replace(k, rule=self.rules[k.kind], by="you", at="2026-01-01 20:00", offered=None)
            if k.kind in self.rules
            else k
            for k in kinds
        ]
        record = RulingView(
            "The bell was moved after the storm",
            "The bell hangs in the tower",
            RulingKind.OLD,
            "the old one is true; reject the new one",
            "you",
            "2026-01-01 20:00",
        )
        return PolicyView(self._services.universe, tuple(ruled), self.predicates, (record,))

    async def set_rule(self, universe_id: Id, kind: str, rule: KindRule | None) -> str:
        self._call("set_rule", kind, rule)
        if ":" not in kind and kind not in ("create_entity", "assert_fact", "state_change"):
            raise InputError(f"{kind!r} is not a kind of change.", kept="No rule was changed.")
        if rule is None:
            self.rules.pop(kind, None)
        else:
            self.rules[kind] = rule
        self._services.events.publish(ProposalsChanged(universe_id, None))
        return kind

    async def set_predicates(self, universe_id: Id, text: str) -> int:
        self._call("set_predicates", text)
        for number, line in enumerate(text.splitlines(), start=1):
            if "two" in line:
                raise InputError(
                    f"The kinds of fact cannot be used: line {number} (cardinality): one or many.",
                    kept="This world's kinds of fact are unchanged.",
                )
        self.predicates = text
        return text.count(":")

    async def propose_undo(self, proposal_id: Id) -> StagedEdits:
        self._call("undo_decision", proposal_id)
        return StagedEdits((derive_id("undone"),), ("Never true: what it was",), 1)
