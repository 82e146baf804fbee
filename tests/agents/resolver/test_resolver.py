"""The Resolver: sealed results, their evidence, and repeated requests."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from agents.proposals.evidence import MAX_QUOTE_LENGTH
from agents.resolver.check import PARTIAL_WITHIN, CheckResult, CheckSpec, roll_check
from agents.resolver.dice_parser import parse
from agents.resolver.dice_score import score_roll
from agents.resolver.resolution_requests import CheckRequest, RollRequest
from agents.resolver.resolver import CheckRules, Resolver
from stores.errors import InputError
from stores.ports import ResolverLog
from stores.records.canon import (
    Authority,
    Evidence,
    EvidenceKind,
    StateChange,
    StateOp,
)
from stores.records.ids import Id, SeededIdGenerator, SteppingClock, derive_id
from stores.records.play import Degree, Resolution, Scene
from stores.records.workflow import ProposalStatus, ProposedChange
from stores.records.world import Entity, EntityKind

MakeEntity = Callable[..., Entity]
START = datetime(2026, 1, 1, tzinfo=UTC)
ORACLE, PLAYER = derive_id("turn", "oracle"), derive_id("turn", "player")
EFFECTS = "; success: orc.hp -8, The Captain -TIRED; partial: Mara.HP -3; fail: Mara.Alive = false"


class FakeLog:
    """As much of the narrative log as the Resolver uses. `off_line` makes proposals read as withdrawn."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.sealed: dict[Id, Resolution] = {}
        self.staged: dict[Id, ProposedChange] = {}
        self.off_line = False

    async def seal(self, resolution: Resolution, proposals: Sequence[ProposedChange] = ()) -> None:
        self.calls.append("seal")
        self.sealed.setdefault(resolution.id, resolution)
        self._keep(proposals)

    async def stage(self, proposals: Sequence[ProposedChange]) -> None:
        self.calls.append("stage")
        self._keep(proposals)

    async def resolutions(self, turn_ids: Collection[Id]) -> list[Resolution]:
        return [r for r in self.sealed.values() if r.turn_id in turn_ids]

    async def proposals_by_id(self, ids: Collection[Id]) -> dict[Id, ProposedChange]:
        update = {"status": ProposalStatus.WITHDRAWN} if self.off_line else {}
        return {i: self.staged[i].model_copy(update=update) for i in ids if i in self.staged}

    def _keep(self, proposals: Sequence[ProposedChange]) -> None:
        for proposal in proposals:
            self.staged.setdefault(proposal.id, proposal)


class ResolverHarness:
    """A Resolver on a fake log, in a scene with Mara, an orc and a bell."""

    def __init__(self, make_entity: MakeEntity) -> None:
        self.log = FakeLog()
        self.clock = SteppingClock(START)
        self.ids = SeededIdGenerator(1, self.clock)
        self.scene = Scene(
            id=derive_id("scene"),
            story_id=derive_id("story"),
            universe_id=derive_id("universe"),
            order=1,
            title="Under the chapel",
            tick=95,
            created_at=START,
        )
        self.mara = make_entity(
            "Mara", numbers={"hp": 10, "might": 2}, tags=("Tired",), aliases=("The Captain",)
        )
        self.orc = make_entity("Orc", numbers={"HP": 8})
        self.bell = make_entity("The Drowned Bell", kind=EntityKind.OBJECT, numbers={"cracks": 0})

    def resolver(self, rules: CheckRules = roll_check) -> Resolver:
        log = cast(ResolverLog, self.log)
        return Resolver(log, self.ids, self.clock, rules=rules)

    def request(self, spec: str, **fields: Any) -> CheckRequest:
        request_fields: dict[str, Any] = {
            "scene": self.scene,
            "turn_id": derive_id("turn", "oracle"),
            "player_turn_id": derive_id("turn", "player"),
            "intent": f"/check {spec}",
            "spec": spec,
            "seed": 7,
            "numbers": self.mara.numbers,
            "entities": (self.mara, self.orc, self.bell),
        }
        return CheckRequest(**(request_fields | fields))


@pytest.fixture
def harness(make_entity: MakeEntity) -> ResolverHarness:
    return ResolverHarness(make_entity)


# --- check ------------------------------------------------------------------------------------------


async def test_resolver_seals_check_with_all_details(harness: ResolverHarness) -> None:
    request = harness.request("might 9" + EFFECTS, faces=[5, 4])
    sealed_result = await harness.resolver().check(request)
    resolution = sealed_result.resolution

    assert harness.log.calls == ["seal"]
    assert harness.log.sealed == {resolution.id: resolution}
    assert resolution.id == derive_id("resolution", ORACLE)
    assert resolution.text == "2d6+2 [5,4]+2 = 11 vs 9 · success · by hand"
    assert (resolution.total, resolution.target, resolution.margin) == (11, 9, 2)
    assert (resolution.degree, resolution.rule) == (Degree.SUCCESS, "might vs 9")
    assert (resolution.turn_id, resolution.scene_id) == (ORACLE, harness.scene.id)
    assert (resolution.intent, resolution.seed) == (request.intent, 7)
    assert resolution.effects == ("Orc.HP -8", "Mara -Tired")
    assert resolution.by_hand
    assert resolution.stakes is not None
    assert resolution.stakes.partial_within == PARTIAL_WITHIN
    assert [(s.degree, s.effects) for s in resolution.stakes.by_degree] == [
        (Degree.SUCCESS, ("Orc.HP -8", "Mara -Tired")),
        (Degree.PARTIAL, ("Mara.hp -3",)),
        (Degree.FAIL, ("Mara.alive = false",)),
    ]
    assert score_roll(parse(resolution.expression), resolution.dice).total == resolution.total


async def test_resolver_proposes_effects_on_player_authority(harness: ResolverHarness) -> None:
    sealed_result = await harness.resolver().check(harness.request("might 9" + EFFECTS, faces=[5, 4]))
    assert list(harness.log.staged.values()) == list(sealed_result.proposals)
    assert [p.payload for p in sealed_result.proposals] == [
        StateChange(entity_id=harness.orc.id, key="HP", op=StateOp.ADD, value=-8, floor=0),
        StateChange(entity_id=harness.mara.id, key="Tired", op=StateOp.UNTAG),
    ]
    for index, proposal in enumerate(sealed_result.proposals):
        assert proposal.id == derive_id("proposal", ORACLE, index)
        assert (proposal.universe_id, proposal.story_id) == (derive_id("universe"), derive_id("story"))
        assert (proposal.scene_id, proposal.turn_id) == (harness.scene.id, ORACLE)
        assert (proposal.authority, proposal.tick) == (Authority.PLAYER, 95)
        assert proposal.status is ProposalStatus.PENDING
        assert not proposal.critical


async def test_resolver_proposal_evidence_is_roll_and_words(harness: ResolverHarness) -> None:
    request = harness.request("might 9; Orc.hp -8", faces=[5, 4], intent="  I cut the rope!  " + "x" * 600)
    (proposal,) = (await harness.resolver().check(request)).proposals
    roll, words = proposal.evidence
    assert roll == Evidence(
        id=derive_id("evidence", "resolution", derive_id("resolution", ORACLE)),
        kind=EvidenceKind.RESOLUTION,
        ref_id=derive_id("resolution", ORACLE),
        quote="2d6+2 [5,4]+2 = 11 vs 9 · success · by hand",
        turn_id=ORACLE,
        scene_id=harness.scene.id,
    )
    assert words.id == derive_id("evidence", "turn", PLAYER)
    assert (words.kind, words.ref_id, words.turn_id) == (EvidenceKind.TURN, PLAYER, PLAYER)
    assert words.quote == request.intent[:MAX_QUOTE_LENGTH]


async def test_resolver_marks_critical_changes(harness: ResolverHarness) -> None:
    spec = "1 vs 1; Mara.Alive = false, Mara.hp -3, Mara +alive, Mara.hp = 0, Mara.rules_over = The Coast"
    sealed_result = await harness.resolver().check(harness.request(spec))
    assert [p.critical for p in sealed_result.proposals] == [True, False, False, False, False]
    assert cast(StateChange, sealed_result.proposals[0].payload).key == "alive"

    second_request = harness.request(
        spec, turn_id=derive_id("turn", 2), is_critical=lambda key, _: key in {"rules_over", "hp"}
    )
    sealed_result = await harness.resolver().check(second_request)
    assert [p.critical for p in sealed_result.proposals] == [False, True, False, True, True]


async def test_resolver_dice_follow_seed(harness: ResolverHarness, make_entity: MakeEntity) -> None:
    first = await harness.resolver().check(harness.request("8d10>=7 vs 3"))
    other_result = await ResolverHarness(make_entity).resolver().check(harness.request("8d10>=7 vs 3"))
    assert first.resolution.dice == other_result.resolution.dice
    third = await harness.resolver().check(
        harness.request("8d10>=7 vs 3", seed=8, turn_id=derive_id("turn", 2))
    )
    assert first.resolution.dice != third.resolution.dice


@pytest.mark.parametrize("off_line", [True, False])
async def test_resolver_repeated_request_gives_same_records(harness: ResolverHarness, off_line: bool) -> None:
    request = harness.request("might 9" + EFFECTS)
    first = await harness.resolver().check(request)
    harness.log.off_line = off_line  # the oracle turn that shows it is not written yet
    assert await harness.resolver().check(request) == first
    assert harness.log.calls == ["seal"]


async def test_resolver_keeps_sealed_result_of_turn(harness: ResolverHarness) -> None:
    """Renaming, or asking otherwise, cannot make a second result for one turn."""
    first = await harness.resolver().check(harness.request("might 9" + EFFECTS))
    assert await harness.resolver().check(harness.request("d20 vs 5", entities=(), seed=99)) == first
    assert (await harness.resolver().roll(harness.request("d20"))).resolution == first.resolution


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("might 9; fail: Ork.hp -8", "Did you mean Orc"),
        ("might 9; partial: Nobody At All +x", "Check the name"),
        ("migt 9", "Did you mean might"),
        ("might 9; Orc", "not an effect"),
        ("2d6/0 vs 9", "divide by zero"),
    ],
)
async def test_resolver_refused_check_stores_nothing(
    harness: ResolverHarness, spec: str, complaint: str
) -> None:
    is_rolled = False

    def rules(spec: CheckSpec, rng: random.Random, faces: Sequence[int] | None) -> CheckResult:
        nonlocal is_rolled
        is_rolled = "/0" not in spec.rule
        return roll_check(spec, rng, faces)

    with pytest.raises(InputError) as caught:
        await harness.resolver(rules).check(harness.request(spec))
    assert complaint in str(caught.value)
    assert not is_rolled
    assert harness.log.calls == []


# --- when the rules fail ----------------------------------------------------------------------------


async def test_resolver_falls_back_to_luck_if_rules_fail(
    harness: ResolverHarness, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(spec: CheckSpec, rng: random.Random, faces: Sequence[int] | None) -> CheckResult:
        raise KeyError("no such rule")

    spec = "might 9; success: Orc.hp -8; partial: Orc.hp -4; fail: Orc.hp +0"
    request = harness.request(spec)
    with caplog.at_level(logging.ERROR):
        sealed_result = await harness.resolver(broken).check(request)
    assert "the rules failed on 'might vs 9'" in caplog.text

    resolution = sealed_result.resolution
    assert resolution.expression == "d%"
    assert resolution.rule == (
        "narrative randomizer, even odds; instead of might vs 9, whose rules failed with KeyError"
    )
    assert resolution.text.endswith("(instead of might vs 9, whose rules failed with KeyError)")
    assert resolution.degree in (Degree.SUCCESS, Degree.PARTIAL, Degree.FAIL)
    assert (resolution.target, resolution.margin) == (None, None)
    assert len(sealed_result.proposals) == 1
    assert harness.log.calls == ["seal"]


async def test_resolver_seals_check_by_luck(harness: ResolverHarness) -> None:
    sealed_result = await harness.resolver().check(harness.request("likely; Orc.hp -8", faces=[90]))
    assert sealed_result.resolution.text == "likely odds d% [90] = 90 · success · by hand"
    assert len(sealed_result.proposals) == 1


# --- roll -------------------------------------------------------------------------------------------


async def test_resolver_seals_roll_without_proposals(harness: ResolverHarness) -> None:
    request = RollRequest(
        scene=harness.scene,
        turn_id=ORACLE,
        intent="/roll 2d6+might [leap]",
        spec="2d6+might [leap]",
        seed=7,
        numbers=harness.mara.numbers,
        faces=[5, 4],
    )
    sealed_result = await harness.resolver().roll(request)
    resolution = sealed_result.resolution
    assert (resolution.text, resolution.degree) == ("2d6+2 [5,4]+2 = 11 · leap · by hand", Degree.NONE)
    assert (resolution.rule, resolution.total, resolution.target) == ("roll", 11, None)
    assert sealed_result.proposals == ()
    assert await harness.resolver().roll(request) == sealed_result
    assert harness.log.calls == ["seal"]


async def test_resolver_refused_roll_stores_nothing(harness: ResolverHarness) -> None:
    with pytest.raises(InputError):
        await harness.resolver().roll(harness.request("2d6 vs 9"))
    assert harness.log.calls == []
