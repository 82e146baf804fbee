"""Promises, debts and open questions: whose, since when, and closed by evidence."""

from __future__ import annotations

import pytest

from agents.canon_keeper.commitments import CommitmentKind, age_in_words
from stores.errors import InputError
from stores.records.canon import AssertFact, EndFact, FactKind, FactStatus, Involvement, RetconFact
from stores.records.ids import derive_id
from stores.records.world import Calendar, EntityKind
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.proposal_builders import (
    JON,
    MARA,
    UNIVERSE,
    creates,
    evidence,
    fact,
    fact_of,
    new_id,
    proposal,
    says,
)

DAY = 24 * 60
VOW = fact(
    "promised", MARA, JON, kind=FactKind.COMMITMENT, statement="Mara promised Jon a boat.", valid_from=0
)
DEBT = fact("owes", JON, MARA, kind=FactKind.COMMITMENT, statement="Jon owes Mara gold.", valid_from=DAY)
QUESTION = fact(
    "question", MARA, kind=FactKind.COMMITMENT, statement="Who moved the bell?", valid_from=2 * DAY
)


async def test_commitment_ledger_tells_who_to_whom_and_since_when(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(QUESTION, VOW, DEBT)
    entries = await keeper_library.keeper.commitments.list_commitments(UNIVERSE, 3 * DAY)
    assert [
        (e.kind, e.who and e.who.name, [one.name for one in e.to_whom], e.age_words) for e in entries
    ] == [
        (CommitmentKind.PROMISE, "Mara", ["Jon"], "3 days"),
        (CommitmentKind.DEBT, "Jon", ["Mara"], "2 days"),
        (CommitmentKind.QUESTION, "Mara", [], "1 day"),
    ]
    assert all(e.is_open and not e.is_paid for e in entries)


async def test_commitment_pay_off_closes_it_by_evidence(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(VOW)
    turn = new_id()
    change = await keeper_library.keeper.commitments.pay_off(VOW.id, 2 * DAY)
    (kept,) = await keeper_library.stage(
        proposal(change, turn_id=turn, tick=2 * DAY, evidence=(evidence("Here is your boat.", turn),))
    )
    await keeper_library.keeper.commit([kept], reason="kept")
    paid = await keeper_library.canon.fact(VOW.id)
    assert (paid.status, paid.closed, paid.valid_to) == (FactStatus.SUPERSEDED, True, 2 * DAY)
    (ending,) = await keeper_library.canon.superseded_by(VOW.id)
    assert ending.statement == "Kept: Mara promised Jon a boat."
    assert "Here is your boat." in {e.quote for e in await keeper_library.canon.evidence_of(ending.id)}
    assert await keeper_library.keeper.commitments.list_commitments(UNIVERSE, 3 * DAY) == []
    (entry,) = await keeper_library.keeper.commitments.list_commitments(
        UNIVERSE, 3 * DAY, include_closed=True
    )
    assert (entry.is_open, entry.is_paid, entry.ended_at_tick) == (False, True, 2 * DAY)
    with pytest.raises(InputError, match="settled already"):
        await keeper_library.keeper.commitments.pay_off(VOW.id)

    undo = await keeper_library.stage(proposal(RetconFact(fact_id=fact_of(kept)), turn_id=None))
    await keeper_library.keeper.commit(undo, reason="it was not kept", undecided="accept")
    again = await keeper_library.canon.fact(VOW.id)
    assert (again.status, again.closed, again.valid_to) == (FactStatus.CANONICAL, False, None)


async def test_commitment_what_is_merely_dropped_is_not_paid(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(DEBT)
    end = (await keeper_library.keeper.commitments.pay_off(DEBT.id)).model_copy(update={"closed": False})
    await keeper_library.keeper.commit(
        await keeper_library.stage(proposal(end, tick=2 * DAY)), reason="forgiven"
    )
    (entry,) = await keeper_library.keeper.commitments.list_commitments(
        UNIVERSE, 3 * DAY, include_closed=True
    )
    assert (entry.is_open, entry.is_paid) == (False, False)


async def test_commit_report_names_what_it_ends_of_somebody_who_is_new_in_it(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay()
    orrick = creates("Captain Orrick", EntityKind.CHARACTER)
    death = proposal(
        AssertFact(
            fact_kind=FactKind.STATE,
            predicate="stated",
            statement="Captain Orrick is dead.",
            involves=(Involvement(entity_id=derive_id("kit", "Captain Orrick"), role="subject"),),
        )
    )
    end = proposal(EndFact(fact_id=fact_of(death), at=2 * DAY), tick=2 * DAY)
    staged = await keeper_library.stage(orrick, death, end)
    result = await keeper_library.keeper.commit(staged, reason="play", undecided="accept")
    words = [*result.changes, *(fact.statement for fact in result.facts)]
    assert "No longer true: Captain Orrick is dead." in words
    assert not [line for line in words if "not in canon" in line]


async def test_commitment_only_a_commitment_is_paid_off(keeper_library: KeeperLibrary) -> None:
    friends = fact("ally_of", MARA, JON)
    await keeper_library.lay(friends)
    for fact_id in (friends.id, new_id()):
        with pytest.raises(InputError, match="no such promise"):
            await keeper_library.keeper.commitments.pay_off(fact_id)


async def test_commitment_promise_noticed_in_play_is_in_the_ledger(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay()
    vow = says("promised", MARA, JON, fact_kind=FactKind.COMMITMENT, statement="Mara promised.", tick=100)
    await keeper_library.keeper.commit(await keeper_library.stage(vow), reason="play")
    assert [e.fact.id for e in await keeper_library.keeper.commitments.list_commitments(UNIVERSE, 100)] == [
        fact_of(vow)
    ]


@pytest.mark.parametrize(
    ("ticks", "words"),
    [
        (None, "since an unknown time"),
        (0, "just now"),
        (1, "1 minute"),
        (59, "59 minutes"),
        (60, "1 hour"),
        (DAY - 1, "23 hours"),
        (DAY, "1 day"),
        (15 * DAY, "2 weeks"),
        (2 * 365 * DAY - 1, "104 weeks"),
        (30 * 365 * DAY, "30 years"),
        (31 * 365 * DAY - 1, "30 years"),
    ],
)
def test_ages_in_words(ticks: int | None, words: str) -> None:
    assert age_in_words(ticks, Calendar()) == words
