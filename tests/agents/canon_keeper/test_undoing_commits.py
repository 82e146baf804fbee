"""Taking back what a commit decided: each kind of change, by whomever it was decided."""

from __future__ import annotations

import pytest

from agents.canon_keeper.canon_policy import AUTHORITY_WORDS
from stores.errors import InputError
from stores.records.canon import (
    AdvanceClock,
    Authority,
    ChangeSecrecy,
    EndFact,
    EvidenceKind,
    Fact,
    MergeEntities,
    NoteAxiom,
    Payload,
    RetconFact,
    Secrecy,
    UpdateEntity,
)
from stores.records.workflow import KindRule, ProposalStatus, ProposedChange, Verdict
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.proposal_builders import (
    CHAPEL,
    JON,
    LANTERN,
    MARA,
    ORC,
    UNIVERSE,
    creates,
    dies,
    fact,
    hurt,
    proposal,
    ruling,
    says,
)
from tests.examples import first_few

IN_CHAPEL = fact("located_in", MARA, CHAPEL, valid_from=50)
OWNS = fact("owns", MARA, LANTERN, valid_from=0)
SECRET = fact("serves", JON, ORC, valid_from=0, secrecy=Secrecy(known_to=(MARA.id,)))


def by_gm(change: Payload, **given: object) -> ProposedChange:
    return proposal(change, authority=Authority.GM, **given)


KINDS = {
    "create_entity": lambda: creates("Hidden Chamber"),
    "update_entity": lambda: by_gm(
        UpdateEntity(entity_id=JON.id, name="Jon Silt", description="A ferryman.", aliases=("Silt",))
    ),
    "lock": lambda: by_gm(UpdateEntity(entity_id=JON.id, locked=True)),
    "merge_entities": lambda: by_gm(MergeEntities(kept_id=MARA.id, absorbed_id=JON.id)),
    "assert_fact": lambda: says("fears", MARA, JON),
    "end_fact": lambda: by_gm(EndFact(fact_id=OWNS.id, at=90)),
    "change_secrecy": lambda: by_gm(ChangeSecrecy(fact_id=OWNS.id, is_secret=True, tell=(JON.id,))),
    "tell": lambda: by_gm(ChangeSecrecy(fact_id=SECRET.id, tell=(JON.id,))),
    "reveal": lambda: by_gm(ChangeSecrecy(fact_id=SECRET.id, is_secret=False)),
    "retcon_fact": lambda: by_gm(RetconFact(fact_id=IN_CHAPEL.id)),
    "state_change": lambda: hurt(MARA, 3),
    "a death": lambda: dies(ORC, tick=100),
    "advance_clock": lambda: by_gm(AdvanceClock(clock="Tide", by=2, size=6)),
    "note_axiom": lambda: by_gm(NoteAxiom(statement="The dead stay dead.", predicate="rule")),
}


FIRST = ("hp", "Mara's HP is 10.", None, None, "all")


async def standing(keeper_library: KeeperLibrary) -> dict[str, list[tuple[object, ...]]]:
    """Return what holds: facts in force with their times, entities as they are, their locks and names."""
    facts = [
        f for f in await keeper_library.canon.facts(UNIVERSE) if f.kind != "event" or f.predicate != "updated"
    ]
    return {
        "facts": sorted((f.predicate, f.statement, f.valid_from, f.valid_to, _knowers(f)) for f in facts),
        "entities": sorted(
            (e.name, e.description, e.aliases, e.locked, e.status, sorted(e.tags), sorted(e.numbers.items()))
            for e in await keeper_library.canon.entities(UNIVERSE)
        ),
    }


def _knowers(fact: Fact) -> str:
    return str(fact.secrecy.known_to) if fact.is_secret and fact.secrecy else "all"


async def on_record(keeper_library: KeeperLibrary) -> None:
    """Have a commit that tells how the two are: the kit lays canon without one."""
    described = [
        by_gm(UpdateEntity(entity_id=JON.id, description="He rows.")),
        by_gm(UpdateEntity(entity_id=MARA.id, aliases=("M.",))),
    ]
    await keeper_library.stage(*described)
    await keeper_library.keeper.commit(described, reason="scene")


async def undone(keeper_library: KeeperLibrary, closed: ProposedChange) -> list[ProposedChange]:
    undo = await keeper_library.keeper.undo_planner.plan_undo(closed.id, "what it was")
    await keeper_library.stage(*undo.proposals)
    await keeper_library.keeper.commit(undo.proposals, reason="by hand", universe_id=UNIVERSE)
    return list(undo.proposals)


@pytest.mark.parametrize("kind", first_few(KINDS))
async def test_undo_of_commit_every_kind_is_taken_back_whole(
    kind: str, keeper_library: KeeperLibrary
) -> None:
    await keeper_library.lay(IN_CHAPEL, OWNS, SECRET)
    await on_record(keeper_library)
    before = await standing(keeper_library)
    (change,) = await keeper_library.stage(KINDS[kind]())
    await keeper_library.keeper.commit([change], reason="scene")
    closed = await keeper_library.stored(change)
    assert closed.status is ProposalStatus.ACCEPTED, closed.error
    assert await standing(keeper_library) != before

    undoing = await undone(keeper_library, closed)
    assert all(p.authority is Authority.GM for p in undoing)
    assert all([e.kind for e in p.evidence] == [EvidenceKind.MANUAL] for p in undoing)
    after = await standing(keeper_library)
    assert after["entities"] == before["entities"]
    # What a number was at first is written with its first change, and stays: it was so.
    assert [f for f in after["facts"] if f not in before["facts"]] in ([], [FIRST])
    assert [f for f in before["facts"] if f not in after["facts"]] == []


async def test_undo_of_commit_rename_taken_back_leaves_no_word_of_it_in_canon(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay()
    await on_record(keeper_library)

    async def read_reports() -> list[str]:
        facts = await keeper_library.canon.facts(UNIVERSE)
        return [f.statement for f in facts if f.predicate == "updated"]

    before = await keeper_library.canon.entity(JON.id), await read_reports()
    (rename,) = await keeper_library.stage(by_gm(UpdateEntity(entity_id=JON.id, name="Dame Orla Arrel")))
    await keeper_library.keeper.commit([rename], reason="by hand")
    assert "Jon is called Dame Orla Arrel." in await read_reports()

    closed = await keeper_library.stored(rename)
    (undo,) = await undone(keeper_library, closed)
    assert (await keeper_library.canon.entity(JON.id), await read_reports()) == before

    stored = [await keeper_library.stored(p) for p in (rename, undo)]
    titles = [row.title for row in await keeper_library.keeper.build_views(stored)]
    assert titles == ["Jon is called Dame Orla Arrel", "Taken back: Jon is called Dame Orla Arrel"]

    # Taking that back as well gives the name again.
    await undone(keeper_library, stored[1])
    renamed = await keeper_library.canon.entity(JON.id)
    assert (renamed.name, renamed.aliases) == ("Dame Orla Arrel", (*before[0].aliases, "Jon"))


async def test_undo_of_commit_rename_is_taken_back_though_the_description_changed_since(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay()
    await on_record(keeper_library)
    both, later = (
        by_gm(UpdateEntity(entity_id=JON.id, name="Jon Silt", description="A ferryman.")),
        by_gm(UpdateEntity(entity_id=JON.id, description="A ferryman no more.")),
    )
    for edit in (both, later):
        await keeper_library.stage(edit)
        await keeper_library.keeper.commit([edit], reason="by hand")
    await undone(keeper_library, await keeper_library.stored(both))
    jon = await keeper_library.canon.entity(JON.id)
    assert (jon.name, jon.description, "Jon Silt" in jon.aliases) == ("Jon", "A ferryman no more.", False)


async def test_undo_of_commit_what_was_kept_out_is_proposed_again_on_its_own_evidence(
    keeper_library: KeeperLibrary,
) -> None:
    await keeper_library.lay(IN_CHAPEL)
    await keeper_library.keeper.policies.set_rule(UNIVERSE, "assert_fact:fears", KindRule.REJECT)
    (claim,) = await keeper_library.stage(says("fears", MARA, JON))
    await keeper_library.keeper.commit([claim], reason="scene")
    undo = await keeper_library.keeper.undo_planner.plan_undo(claim.id, "a fear")
    (again,) = undo.proposals
    assert (again.payload, again.evidence, again.turn_id) == (claim.payload, claim.evidence, claim.turn_id)
    assert again.id != claim.id


async def test_undo_of_commit_what_cannot_be_taken_back_says_why(keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(IN_CHAPEL, OWNS)
    await on_record(keeper_library)
    pending, known, name = await keeper_library.stage(
        says("fears", MARA, JON),
        says("owns", MARA, LANTERN, statement="Mara owns Lantern.", valid_from=0),
        by_gm(UpdateEntity(entity_id=JON.id, name="Jon Silt")),
    )
    of = keeper_library.keeper.undo_planner.plan_undo
    with pytest.raises(InputError, match="gone"):
        await of("nothing", "")
    with pytest.raises(InputError, match="still open"):
        await of(pending.id, "")
    await keeper_library.keeper.commit([known, name], reason="scene")
    with pytest.raises(InputError, match="only evidence was added"):
        await of(known.id, "")

    later = by_gm(UpdateEntity(entity_id=JON.id, name="Jon Tar"))
    await keeper_library.stage(later)
    await keeper_library.keeper.commit([later], reason="scene")
    with pytest.raises(InputError, match="changed again since"):
        await of(name.id, "")
    undo = await of(later.id, "a name")
    await keeper_library.stage(*undo.proposals)
    with pytest.raises(InputError, match="proposed already"):
        await of(later.id, "a name")
    await keeper_library.keeper.decide([p.id for p in undo.proposals], ruling(Verdict.ACCEPT))
    await keeper_library.keeper.commit(undo.proposals, reason="by hand")
    assert (await keeper_library.canon.entity(JON.id)).name == "Jon Silt"


def test_undo_of_commit_each_authority_has_its_words() -> None:
    assert set(AUTHORITY_WORDS) == set(Authority)
