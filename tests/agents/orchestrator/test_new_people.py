"""A full name that nobody has is somebody new, and never somebody known who shares only the surname."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.canon_keeper.sentences.tokens import build_name_book, read_tokens
from agents.declarations.new_people import read_new_person
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.canon import AssertFact, CreateEntity
from stores.records.ids import Id
from stores.records.world import EntityKind
from tests.agents.canon_keeper import proposal_builders as kit
from tests.program import opened

MARA = kit.entity("Mara Orrin", EntityKind.CHARACTER)


async def begin_with_mara_orrin(program: Program) -> Id:
    universe = await program.services.stories.create_universe(NewUniverse("Ribs"))
    outline = StoryOutline(
        universe.id, "A story", NewCharacter("Mara Orrin"), scene_title="Yard", place="Yard"
    )
    return await program.services.stories.start_story(outline)


async def test_fact_of_an_unknown_brother_proposes_him_beside_the_kinship(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin_with_mara_orrin(program)
        await program.services.play.submit(scene_id, "/fact Corin Orrin is my brother")
        view = await program.services.play.scene(scene_id)
        creation, kinship = (row.proposal.change for row in view.proposals)
        assert isinstance(creation, CreateEntity)
        assert isinstance(kinship, AssertFact)
        assert (creation.name, creation.entity_kind) == ("Corin Orrin", EntityKind.CHARACTER)
        assert (kinship.predicate, kinship.statement) == (
            "sibling_of",
            "Corin Orrin is Mara Orrin's brother.",
        )
        assert {i.entity_id for i in kinship.involves} == {creation.entity_id, view.story.pc_id}
        reply = await program.services.play.submit(scene_id, "/undo")
        assert reply.lines == ("Undone: Corin Orrin; Corin Orrin is Mara Orrin's brother.",)


async def test_what_else_is_said_of_an_unknown_name_hangs_on_nobody_and_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin_with_mara_orrin(program)
        reply = await program.services.play.submit(scene_id, "/fact Corin Orrin owns the mill")
        assert reply.lines[1:] == (
            "“Corin Orrin” is not known in this world: /npc, /place or /thing Corin Orrin makes it known.",
        )
        (row,) = (await program.services.play.scene(scene_id)).proposals
        assert isinstance(row.proposal.change, AssertFact)
        assert row.proposal.change.involves == ()
        note = "“Corin Orrin” is not known in this world: /npc Corin Orrin makes them known (Tab takes it)."
        lines = [
            (await program.services.play.submit(scene_id, "> Corin Orrin is my brother.")).lines for _ in "12"
        ]
        assert lines == [(note,), ()], "it is said once a scene"


@pytest.mark.parametrize(
    ("sentence", "is_mara"),
    [
        ("Orrin is tired.", True),
        ("Captain Orrin is tired.", True),
        ("Suddenly Orrin is tired.", True),
        ("Mara's sword is broken.", True),
        ("Corin Orrin is tired.", False),
        ("Emily Orrin is tired.", False),
        ("Mara Vane is tired.", False),
        ("Orrin Hall is burnt.", False),
    ],
)
def test_part_of_a_longer_name_means_nobody_who_shares_it(sentence: str, is_mara: bool) -> None:
    tokens = read_tokens(sentence, build_name_book([MARA]))
    assert any(token.entity == MARA.id for token in tokens) is is_mara


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Corin Orrin is Mara Orrin's brother", "Corin Orrin"),
        ("Corin is Mara Orrin's brother", "Corin"),
        ("Mara Orrin is married to Wil Vane", "Wil Vane"),
        ("Zed Ruk is dead", "Zed Ruk"),
        ("Magic is dead", ""),
        ("The Salt Company is an enemy of Mara Orrin", ""),
        ("Pier Nine is flooded", ""),
        ("Mara Orrin is in Pier Nine", ""),
    ],
)
def test_sentence_makes_somebody_known_only_by_what_is_said_of_people_alone(sentence: str, name: str) -> None:
    mentioned = [MARA] if "Mara" in sentence else []
    person = read_new_person(sentence, mentioned, kit.CATALOGUE, lambda: "new", 1)
    assert (person.creation.name if person is not None else "") == name


async def test_name_with_the_full_stop_of_a_title_is_read_whole(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin_with_mara_orrin(program)

        async def play(line: str) -> tuple[str, ...]:
            return (await program.services.play.submit(scene_id, line)).lines

        await play("> Mrs. Hale comes in")
        assert await play("/npc Mrs. Hale") == ("Proposed: Mrs. Hale", "Mrs. Hale is here.")
        assert await play("> Mrs. Hale leaves.") == ("Mrs. Hale leaves.",)
        assert await play("> Mrs. Vane comes in.") == (
            "“Mrs. Vane” is not known in this world: /npc here Mrs. Vane brings them in (Tab takes it).",
        ), "another with the same title"
        assert await play("> Mr. Hale comes in.") == (
            "“Mr. Hale” is not known in this world: /npc Mr. Hale makes them known (Tab takes it).",
        ), "another with the same surname"
        assert await play("> Mrs. Hale comes in.") == ("Mrs. Hale comes in.",)
        await play("/npc Capt. Orrin")
        await play("/fact Capt. Orrin is Mrs. Hale's brother")
        await play("/place St. Osk's Chapel")
        assert (await play("I go to St. Osk's Chapel."))[0] == "The scene goes on in St. Osk's Chapel."
        *_, kinship, _ = (await program.services.play.scene(scene_id)).proposals
        assert kinship.reading == "read as: Capt. Orrin — is — Mrs. Hale's brother"


@pytest.mark.parametrize(
    "line", ["Maud is my mother", "Old Maud is my mother", "Maud is married to Teodor Orrin"]
)
async def test_fact_of_a_name_that_two_have_makes_nobody_up(tmp_path: Path, line: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin_with_mara_orrin(program)
        play = program.services.play
        for npc in ("Maud Quay: a netmaker", "Maud Stone: a widow", "Teodor Orrin: a clerk"):
            await play.submit(scene_id, f"/npc {npc}")
        before = [row.title for row in (await play.scene(scene_id)).proposals]
        with pytest.raises(InputError) as refusal:
            await play.submit(scene_id, f"/fact {line}")
        assert (refusal.value.what, refusal.value.todo) == (
            "“Maud” may be Maud Quay or Maud Stone.",
            "Write the whole name.",
        )
        assert [row.title for row in (await play.scene(scene_id)).proposals] == before


async def test_fact_of_a_whole_new_name_asks_nothing_of_those_with_a_part_of_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin_with_mara_orrin(program)
        play = program.services.play
        for npc in ("Maud Quay: a netmaker", "Maud Stone: a widow", "Teodor Orrin: a clerk"):
            await play.submit(scene_id, f"/npc {npc}")
        for line in ("Maud Orrin is the mother of Teodor Orrin", "Maud Stone is the sister of Maud Quay"):
            reply = await play.submit(scene_id, f"/fact {line}")
            assert not [text for text in reply.lines if "may be" in text], line
            assert reply.lines[0].startswith("Proposed: Maud"), line
