"""Proposing: what is built, staged and published."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from agents.events import Event, EventBus, ProposalsChanged
from agents.proposals.proposals import Proposals, ProposalSite, build_proposal, renew_proposal
from stores.records.canon import AdvanceClock, Authority, EvidenceKind
from stores.records.ids import SeededIdGenerator, SteppingClock
from stores.records.play import Speaker, Turn
from stores.records.workflow import Decision, ProposalStatus, ProposedChange, Verdict

DAWN = AdvanceClock(clock="dawn")
START = datetime(2026, 1, 1, tzinfo=UTC)
SITE = ProposalSite("universe", "story", "scene", "turn", tick=7)


class StagingLog:
    def __init__(self) -> None:
        self.staged: list[ProposedChange] = []

    async def stage(self, proposals: Sequence[ProposedChange]) -> None:
        self.staged += proposals


class ProposalsFixture:
    def __init__(self) -> None:
        self.clock = SteppingClock(START)
        self.log = StagingLog()
        self.published: list[Event] = []
        events = EventBus()
        events.subscribe(self.published.append)
        self.proposals = Proposals(self.log, SeededIdGenerator(1, self.clock), self.clock, events)


def built(number: int, site: ProposalSite = SITE) -> ProposedChange:
    return build_proposal(f"p{number}", DAWN, (), Authority.SYSTEM, site, SteppingClock(START)())


async def test_proposals_stage_what_is_built_already_as_it_is_and_publish() -> None:
    fixture = ProposalsFixture()
    proposals = [built(1), built(2), built(3, ProposalSite("universe"))]
    await fixture.proposals.stage(proposals)
    assert fixture.log.staged == proposals
    assert fixture.published == [ProposalsChanged("universe", "scene"), ProposalsChanged("universe", None)]


async def test_proposals_stage_of_nothing_publishes_nothing() -> None:
    fixture = ProposalsFixture()
    await fixture.proposals.stage([])
    assert (fixture.log.staged, fixture.published) == ([], [])


async def test_proposals_staged_ahead_of_their_turn_are_not_published() -> None:
    fixture = ProposalsFixture()
    await fixture.proposals.stage_ahead_of_turn([built(1)])
    assert (fixture.log.staged, fixture.published) == ([built(1)], [])


def test_proposal_rests_on_the_words_that_were_typed_on_a_turn() -> None:
    fixture = ProposalsFixture()
    turn = Turn(
        id="turn",
        scene_id="scene",
        parent_id=None,
        exchange_id="turn",
        speaker=Speaker.GM,
        text="The bell rings.",
        depth=0,
        created_at=fixture.clock(),
    )
    proposal = fixture.proposals.build(DAWN, "/clock dawn", Authority.GM, SITE, turn=turn)
    (typed,) = proposal.evidence
    assert (typed.kind, typed.ref_id, typed.quote, typed.turn_id) == (
        EvidenceKind.MANUAL,
        proposal.id,
        "/clock dawn",
        "turn",
    )
    assert (proposal.tick, proposal.turn_id, proposal.status) == (7, "turn", ProposalStatus.PENDING)


def test_renew_proposal_keeps_change_and_evidence_and_drops_the_decision() -> None:
    now = SteppingClock(START)()
    closed = built(1).model_copy(
        update={
            "status": ProposalStatus.REJECTED,
            "decision": Decision(verdict=Verdict.REJECT, by="gm", at=now),
            "canonization_id": "commit",
            "error": "x",
        }
    )
    assert renew_proposal(closed, "p1", closed.created_at) == built(1)
