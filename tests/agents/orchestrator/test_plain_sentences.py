"""What a player types as a plain sentence is compared with canon and with what else is proposed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.canon_keeper.proposal_rows import NOT_COMPARED
from agents.views.proposal_views import ProposalView
from monitor_tui.compose import Program
from stores.authority import Role
from stores.queries import ProposalQuery
from stores.records.canon import AssertFact, FactStatus
from stores.records.workflow import Verdict
from tests.examples import first_few
from tests.program import begin, opened

PEOPLE = (
    "/npc Dob Harrow: the pier-keeper",
    "/npc Iselin Quay: a salvager",
    "/npc Tam: a ferryman",
    "/npc Bela: a miller",
    "/npc Captain Vess: of the skiff",
    "/place Pier Nine",
    "/place Salvage Skiff",
    "/place Tower",
    "/place The Hall",
    "/thing Glass Bell",
    "/commit",
)


async def proposed(program: Program, *lines: str) -> tuple[ProposalView, ...]:
    """Play the lines in a scene with the people, and return what is proposed then."""
    scene_id = await begin(program)
    for line in (*PEOPLE, *lines):
        await program.services.play.submit(scene_id, line)
    return (await program.services.play.scene(scene_id)).proposals


def open_rows(rows: tuple[ProposalView, ...]) -> list[ProposalView]:
    return [row for row in rows if row.mark != "reject" and isinstance(row.proposal.change, AssertFact)]


@pytest.mark.parametrize(
    ("before", "after"),
    first_few(
        [
            ("Dob Harrow stole the glass bell", "Dob Harrow never stole the glass bell"),
            ("Dob Harrow stole the glass bell", "Dob did not steal the Glass Bell"),
            ("Iselin Quay is in Pier Nine", "Iselin Quay is in Salvage Skiff"),
            ("Tam is in Tower", "Tam is in The Hall"),
            ("Tam is dead", "Tam is alive"),
            ("Bela is an ally of Tam", "Bela is an enemy of Tam"),
            ("Bela and Tam are friends", "Bela and Tam are enemies"),
            ("Bela is the mother of Tam", "Iselin Quay is Tam's mother"),
            ("Dob Harrow owns the glass bell", "The glass bell belongs to Captain Vess"),
            ("Iselin Quay is in debt", "Iselin Quay is not in debt"),
            ("Captain Vess promised Tam a boat", "Captain Vess never promised Tam anything"),
            ("Only Tam can read", "Bela can read"),
        ]
    ),
)
async def test_two_plain_facts_that_contradict_each_other_are_both_held(
    tmp_path: Path, before: str, after: str
) -> None:
    async with opened(tmp_path) as program:
        rows = open_rows(await proposed(program, f"/fact {before}", f"/fact {after}"))
        assert [row.mark for row in rows] == ["hold", "hold"], [(r.title, r.conflicts) for r in rows]


async def test_plain_fact_that_contradicts_canon_is_held_and_says_with_what(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        rows = await proposed(
            program, "/fact Dob Harrow stole the glass bell", "/commit", "I wait.",
            "/fact Dob Harrow never stole the glass bell",
        )  # fmt: skip
        (row,) = [r for r in rows if r.mark == "hold"]
        (conflict,) = row.conflicts
        assert (
            conflict.text == "Canon says “Dob Harrow stole the glass bell.” One denies what the other says."
        )
        assert conflict.is_certain


async def test_plain_fact_that_denies_a_tag_is_held(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        rows = await proposed(
            program, "/state Iselin Quay +in debt", "/commit", "I wait.", "/fact Iselin Quay is not in debt"
        )
        assert [row.mark for row in rows if row.title == "Iselin Quay is not in debt."] == ["hold"]


async def test_the_dead_who_promise_in_a_plain_sentence_are_held(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        rows = await proposed(
            program, "/fact Tam is dead", "/commit", "I wait.", "/fact Tam promised Bela to mend the net"
        )
        (row,) = [r for r in rows if r.mark == "hold"]
        assert "the dead do not act" in row.conflicts[0].text
        assert row.label == "promise"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Dob Harrow stole the glass bell", "Captain Vess says that Dob never stole the glass bell"),
        ("Iselin Quay is in Pier Nine", "Iselin Quay left Pier Nine"),
        ("Iselin Quay is in debt", "Iselin Quay is no longer in debt"),
        ("Tam is in Tower", "Bela is in The Hall"),
        ("Tam owns the glass bell", "Tam gave the glass bell to Bela"),
        ("Bela is an ally of Tam", "If Bela lies, she is an enemy of Tam"),
    ],
)
async def test_plain_facts_that_can_both_be_true_are_not_held(
    tmp_path: Path, before: str, after: str
) -> None:
    async with opened(tmp_path) as program:
        rows = open_rows(await proposed(program, f"/fact {before}", f"/fact {after}"))
        assert [row.mark for row in rows] == ["accept", "accept"], [(r.title, r.conflicts) for r in rows]


KINDS_OF_SENTENCES = (
    ("Iselin Quay is in Pier Nine", "located_in", "relation"),
    ("Dob is at Pier Nine", "located_in", "relation"),
    ("Tam is alive", "alive", "state"),
    ("Iselin Quay is an enemy of Captain Vess", "enemy_of", "relation"),
    ("Dob Harrow owns Salvage Skiff", "owns", "relation"),
    ("The glass bell belongs to Dob", "owned_by", "relation"),
    ("Vess promised Tam to come back", "promised", "promise"),
    ("Dob Harrow stole the glass bell", "stated", "fact"),
    ("Dob bled to death", "alive", "state"),
    ("Dob froze to death", "alive", "state"),
    ("Dob drowned", "alive", "state"),
    ("Dob starved", "alive", "state"),
    ("Dob was hanged", "alive", "state"),
    ("Dob was killed by Captain Vess", "alive", "state"),
    ("Dob fell to his death", "alive", "state"),
    ("Dob took his own life", "alive", "state"),
    ("Dob passed away", "alive", "state"),
    ("Dob did not survive", "alive", "state"),
    ("Dob did not survive the winter", "alive", "state"),
    ("Dob lost his life at sea", "alive", "state"),
    ("Dob was bored to death", "stated", "fact"),
    ("Dob drowned his sorrows", "stated", "fact"),
    ("Dob died laughing", "stated", "fact"),
    ("Dob died of boredom", "stated", "fact"),
    ("Dob nearly bled to death", "stated", "fact"),
    ("Tam became an enemy of Captain Vess", "enemy_of", "relation"),
    ("Tam turned against Captain Vess", "enemy_of", "relation"),
    ("Bela married Tam", "married_to", "relation"),
)


async def test_plain_fact_becomes_the_kind_of_fact_that_it_states(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        rows = await proposed(program, *(f"/fact {sentence}" for sentence, _, _ in KINDS_OF_SENTENCES))
        log = program.stores.log(Role.CANON_KEEPER)
        proposals = await log.proposals(ProposalQuery(scene_id=rows[0].proposal.scene_id))
        changes = {p.change.statement: p.change for p in proposals if isinstance(p.change, AssertFact)}
        labels = {row.title: row.label for row in rows}
        for sentence, predicate, label in KINDS_OF_SENTENCES:
            statement = f"{sentence}."
            assert changes[statement].predicate == predicate, sentence
            assert labels.get(statement, label) == label, sentence
        # That Dob died is one change, however often it is told; the row has the last words.
        assert "Dob lost his life at sea." in labels
        assert "Dob bled to death." not in labels


async def test_later_plain_place_ends_the_earlier_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            *PEOPLE, "/fact Iselin Quay is in Pier Nine", "/commit", "I wait.", "/fact Iselin Quay is in Salvage Skiff",
            "/commit",
        ):  # fmt: skip
            await program.services.play.submit(scene_id, line)
        universe = (await program.services.play.scene(scene_id)).universe
        facts = await program.stores.canon(Role.CONTEXT_ASSEMBLY).facts(universe.id)
        where = [
            f.statement for f in facts if f.predicate == "located_in" and f.status is FactStatus.CANONICAL
        ]
        assert where == ["Iselin Quay is in Salvage Skiff."]


@pytest.mark.parametrize(
    ("sentence", "reading"),
    [
        ("Dob stole the glass bell", "read as: Dob Harrow — stole — Glass Bell"),
        ("Iselin Quay is at Pier Nine", "read as: Iselin Quay — is at — Pier Nine"),
        ("Iselin Quay is in Pier Nine", ""),
        ("Captain Vess and Tam left at dawn", "read as: Captain Vess and Tam — left at dawn"),
        ("What a night for Tam", NOT_COMPARED),
        ("There's a tunnel from the coal shed to the mine", NOT_COMPARED),
    ],
)
async def test_plain_fact_shows_how_it_is_read(tmp_path: Path, sentence: str, reading: str) -> None:
    async with opened(tmp_path) as program:
        (row,) = open_rows(await proposed(program, f"/fact {sentence}"))
        assert row.reading == reading


async def test_plain_fact_in_which_no_claim_is_read_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        note = f"{NOT_COMPARED}."
        for line, is_unread in (
            ("/fact What a night for Mara", True),
            ("/fact Mara might be a spy", True),
            ("/fact Mara owns the skiff", False),
            ("/fact event: What a night for Mara", False),
            ("/promise Mara will come back", False),
        ):
            assert (note in (await program.services.play.submit(scene_id, line)).lines) is is_unread, line


async def test_editing_a_plain_fact_reads_it_anew(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        (row,) = open_rows(await proposed(program, "/fact Iselin Quay is in Pier Nine"))
        scene_id = row.proposal.scene_id
        assert scene_id is not None
        for words, predicate, reading in (
            ("Iselin Quay left Pier Nine", "stated", "read as: Iselin Quay — left — Pier Nine"),
            ("Dob owns the glass bell", "owns", "read as: Dob Harrow — owns — Glass Bell"),
        ):
            await program.services.gate.edit_text(row.proposal.id, words)
            (row,) = open_rows((await program.services.play.scene(scene_id)).proposals)
            assert isinstance(row.proposal.change, AssertFact)
            assert (row.proposal.change.predicate, row.reading) == (predicate, reading)


async def test_outcome_that_states_a_fact_of_the_catalogue_is_that_fact_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        rows = await proposed(program, "I wait.", "/end Iselin Quay is in Pier Nine")
        changes = [row.proposal.change for row in rows if row.status == "pending"]
        assert [c.predicate for c in changes if isinstance(c, AssertFact)] == ["located_in"]


async def test_death_contradicts_nothing_that_was_so_before_it_and_outlasts_its_end(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        rows = open_rows(
            await proposed(
                program,
                "/fact Captain Vess rules over Pier Nine",
                "/commit",
                "I wait.",
                "/time +2h",
                "/fact Captain Vess is dead",
            )
        )
        assert [(row.mark, row.conflicts) for row in rows if row.status == "pending"] == [("accept", ())]
        scene_id = rows[0].proposal.scene_id
        assert scene_id is not None
        await program.services.play.submit(scene_id, "/commit")
        universe_id = rows[0].proposal.universe_id
        canon = program.stores.canon(Role.CONTEXT_ASSEMBLY)
        (rule,) = [f for f in await canon.facts(universe_id) if "rules over" in f.statement]
        await program.services.world.edits.propose_end(rule.id)
        waiting = (await program.services.gate.gate(None, universe_id)).proposals
        await program.services.gate.decide(
            [row.proposal.id for row in waiting if row.status == "pending"], Verdict.ACCEPT
        )
        assert (await program.services.gate.commit_universe(universe_id)).failures == ()
        holding = {f.statement for f in await canon.facts(universe_id) if f.status is FactStatus.CANONICAL}
        assert "Captain Vess died." in holding
        assert "Captain Vess rules over Pier Nine." not in holding
