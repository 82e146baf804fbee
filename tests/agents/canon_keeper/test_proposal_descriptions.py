"""Proposals in words: label, title, group and diff of each kind."""

from __future__ import annotations

from typing import Any

import pytest

from agents.canon_keeper.canon_policy import ProposalFindings
from agents.canon_keeper.checks.contradictions import check_proposals
from agents.canon_keeper.proposal_description import ProposalDescription, describe_proposal
from stores.records.canon import (
    AdvanceClock,
    EndFact,
    Fact,
    FactKind,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    Standing,
    UpdateEntity,
)
from stores.records.workflow import ProposedChange
from stores.records.world import EntityKind
from tests.agents.canon_keeper.proposal_builders import (
    CATALOGUE,
    CHAPEL,
    CRYPT,
    EVERYONE,
    JON,
    LANTERN,
    MARA,
    ORC,
    canon,
    creates,
    dies,
    evidence,
    fact,
    hurt,
    involves,
    proposal,
    says,
    state,
    tagged,
    untagged,
)

STAY = fact("located_in", MARA, CHAPEL, valid_from=0)


def described(*proposals: ProposedChange, facts: tuple[Fact, ...] = (STAY,)) -> ProposalDescription:
    """Describe the last of the proposals."""
    checked = check_proposals(proposals, canon(*facts), CATALOGUE)
    return describe_proposal(proposals[-1], checked.findings[proposals[-1].id], checked.entities, CATALOGUE)


@pytest.mark.parametrize(
    ("change", "label", "title", "group", "diff"),
    [
        (hurt(MARA, 3), "state", "Mara: HP 10 → 7", "Mara", ("HP", "10", "7")),
        (state(JON, "luck", 2), "state", "Jon: luck 2", "Jon", ("luck", "—", "2")),
        (tagged(MARA, "wounded"), "state", "Mara is wounded", "Mara", ("wounded", "no", "yes")),
        (untagged(MARA, "brave"), "state", "Mara is no longer brave", "Mara", ("brave", "yes", "no")),
        (dies(ORC), "state", "Orc died", "Orc", ("Orc", "—", "Orc died")),
        (state(JON, "mood", "grim"), "state", "Jon's mood is grim", "Jon", ("mood", "—", "grim")),
        (
            state(MARA, "located_in", CRYPT.id),
            "state",
            "Mara is in Crypt",
            "Mara",
            ("is in", "—", "Mara is in Crypt."),
        ),
        (
            creates("Hidden Chamber"),
            "place",
            "Hidden Chamber",
            "Hidden Chamber",
            ("place", "—", "Hidden Chamber"),
        ),
        (
            says("located_in", MARA, CRYPT),
            "relation",
            "Mara is in Crypt.",
            "Mara",
            ("is in", "Mara is in Chapel.", "Mara is in Crypt."),
        ),
        (
            says("stated", JON, statement="Jon hums.", fact_kind=FactKind.ATTRIBUTE),
            "fact",
            "Jon hums.",
            "Jon",
            ("fact", "—", "Jon hums."),
        ),
        (
            says("promised", JON, statement="Jon will return.", fact_kind=FactKind.COMMITMENT),
            "promise",
            "Jon will return.",
            "Jon",
            ("promised", "—", "Jon will return."),
        ),
        (
            says("event", JON, statement="Jon fell.", fact_kind=FactKind.EVENT),
            "event",
            "Jon fell.",
            "Jon",
            ("event", "—", "Jon fell."),
        ),
        (
            proposal(NoteAxiom(statement="Salt burns ghosts.")),
            "axiom",
            "Salt burns ghosts.",
            "World",
            ("must", "—", "Salt burns ghosts."),
        ),
        (
            proposal(EndFact(fact_id=STAY.id)),
            "ended",
            "No longer true: Mara is in Chapel.",
            "Mara",
            ("fact", "Mara is in Chapel.", "ended"),
        ),
        (
            proposal(RetconFact(fact_id=STAY.id)),
            "retcon",
            "Never true: Mara is in Chapel.",
            "Mara",
            ("Mara is in Chapel.", "canon", "never true"),
        ),
        (
            proposal(RetconFact(fact_id=JON.id)),
            "retcon",
            "Never true: Jon (character)",
            "Jon",
            ("Jon (character)", "canon", "never true"),
        ),
        (
            proposal(UpdateEntity(entity_id=MARA.id, name="Mara Quill")),
            "rename",
            "Mara → Mara Quill",
            "Mara",
            ("name", "Mara", "Mara Quill"),
        ),
        (
            proposal(UpdateEntity(entity_id=MARA.id, aliases=("the Gull",))),
            "edit",
            "Mara: also called the Gull",
            "Mara",
            ("also called", "—", "the Gull"),
        ),
        (
            proposal(UpdateEntity(entity_id=MARA.id, locked=True)),
            "protection",
            "Protect Mara from changes",
            "Mara",
            ("protected", "no", "yes"),
        ),
        (
            proposal(MergeEntities(kept_id=MARA.id, absorbed_id=JON.id)),
            "merge",
            "Jon is Mara",
            "Mara",
            ("name", "Jon, Mara", "Mara"),
        ),
        (proposal(AdvanceClock(clock="Tide", by=2)), "clock", "Tide 0 → 2 of 6", "Tide", ("Tide", "0", "2")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_proposal_description_each_kind(
    change: ProposedChange, label: str, title: str, group: str, diff: tuple[str, str, str]
) -> None:
    words = described(change)
    assert (words.label, words.title, words.group) == (label, title, group)
    assert words.diff[0] == diff
    assert words.critical is (title in ("Orc died", "Hidden Chamber"))


def test_proposal_description_second_blow_is_said_after_the_first() -> None:
    assert described(hurt(MARA, 3), hurt(MARA, 4)).title == "Mara: HP 7 → 3"


def test_everything_about_a_new_one_is_in_the_diff() -> None:
    rat = creates(
        "Rat", EntityKind.CREATURE, aliases=("Vermin",), description="Big.", numbers={"hp": 2}, tags=("wild",)
    )
    assert described(rat).diff == (
        ("creature", "—", "Rat"),
        ("also called", "—", "Vermin"),
        ("description", "—", "Big."),
        ("HP", "—", "2"),
        ("tags", "—", "wild"),
    )


def test_proposal_description_pay_off_says_what_became_of_it() -> None:
    given: dict[str, Any] = {"kind": FactKind.COMMITMENT, "valid_from": 0}
    vow = fact("promised", MARA, statement="Mara promised Jon a boat.", **given)
    debt = fact("owes", MARA, statement="Mara owes Jon a boat.", **given)
    asked = fact("question", MARA, statement="Who moved the bell?", **given)
    paid = [described(proposal(EndFact(fact_id=f.id, closed=True)), facts=(f,)) for f in (vow, debt, asked)]
    assert [d.title for d in paid] == [
        "Kept: Mara promised Jon a boat.",
        "Paid: Mara owes Jon a boat.",
        "Answered: Who moved the bell?",
    ]
    assert paid[0].diff == (("promise", "open", "kept"),)
    dropped = described(proposal(EndFact(fact_id=vow.id)), facts=(vow,))
    assert dropped.title == "Not kept: Mara promised Jon a boat."


def test_proposal_description_rumour_says_that_it_is_one() -> None:
    rumour = says("owns", JON, LANTERN, standing=Standing.RUMOUR)
    assert described(rumour).diff[-1] == ("said to be", "—", "rumour")


def test_proposal_description_quote_is_the_first_words_that_it_rests_on() -> None:
    quoted = hurt(MARA, 1, evidence=(evidence(""), evidence("drag marks in the silt")))
    assert described(quoted).quote == "drag marks in the silt"


@pytest.mark.parametrize(
    ("change", "title"),
    [
        (hurt(MARA, 3), "Mara: HP -3"),
        (hurt(MARA, -3), "Mara: HP +3"),
        (state(MARA, "hp", 7), "Mara: HP 7"),
        (dies(ORC), "Orc died"),
        (tagged(MARA, "wounded"), "Mara is wounded"),
        (proposal(AdvanceClock(clock="Tide", by=-1)), "Tide -1"),
        (says("met", MARA, JON, involves=involves(("object", JON), ("subject", MARA))), "Mara met Jon."),
        (proposal(EndFact(fact_id=STAY.id)), "No longer true: a fact that is not in canon"),
    ],
)
def test_proposal_description_without_findings_it_is_still_told(change: ProposedChange, title: str) -> None:
    assert (
        describe_proposal(change, ProposalFindings(), {e.id: e for e in EVERYONE}, CATALOGUE).title == title
    )
