"""Tests who is in a scene, in the player's own words: known is not present, and narration moves the cast."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.canon_keeper.fact_ids import fact_id_of
from stores.authority import Role
from stores.errors import InputError
from stores.records.canon import AssertFact
from tests.played_scene import PlayedScene
from tests.program import begin, opened


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedScene]:
    async with opened(tmp_path) as program:
        yield PlayedScene(program, await begin(program))


async def test_presence_of_who_is_declared_or_named_is_known_not_here(table: PlayedScene) -> None:
    lines = await table.say("/npc Teodor Quay: my lost brother")
    assert lines[-1] == "Teodor Quay is known, not here: /cast + Teodor Quay brings them in."
    lines = await table.say("/zero rival Captain Vess: she wants the bell")
    assert "Captain Vess is known, not here: /cast + Captain Vess brings them in." in lines
    await table.say("I ask the sea about Teodor.", "/accept all", "/commit")
    assert await table.cast() == {}


async def test_presence_of_several_is_entered_though_one_is_here_already(table: PlayedScene) -> None:
    await table.say("/npc here Pell", "/npc Widow Arda", "/npc Biscuit")
    assert await table.say("/cast + Widow Arda, Pell and Biscuit") == (
        "Widow Arda comes in.", "Biscuit comes in.", "Pell is here already.",
    )  # fmt: skip
    with pytest.raises(InputError, match=r"Pell is here\. Biscuit is here\."):
        await table.say("/cast + Pell, Biscuit")
    # `/place here NAME` says where that is, as `/npc here NAME` does.
    await table.say("/place here Cold Fork Inn: a smoky inn at the crossroads")
    assert await table.place() == "Cold Fork Inn"
    await table.say("/undo")
    assert await table.place() == "Yard"
    await table.say("/place Barn", "/place here Barn")
    assert await table.place() == "Barn"


async def test_presence_ends_by_running_off_into_what_hides(table: PlayedScene) -> None:
    await table.say("/npc here Osric: a miller", "/npc here Bodil: a ferrywoman")
    for line in (
        "> Osric runs off into the reeds with the axe.",
        "> Osric runs off into the marsh with his axe.",
        "> Osric runs off into the reeds.",
        "> Osric staggers off into the rain.",
    ):
        assert "Osric leaves." in await table.say(line), line
        assert await table.cast_names() == {"Bodil"}, line
        await table.say("/undo")
    for line in (
        "> Osric runs off at the mouth.",
        "> Osric would run off into the reeds.",
        "> Osric goes off into fits of laughter.",
        "> Osric runs into the room.",
    ):
        await table.say(line)
        assert await table.cast_names() == {"Osric", "Bodil"}, line


@pytest.mark.parametrize("line", ["/npc here Old Tam: a keeper", "/npc + Old Tam: a keeper"])
async def test_presence_of_a_newcomer_who_is_here_is_undone_with_them(table: PlayedScene, line: str) -> None:
    assert (await table.say("I wait.", line))[-1] == "Old Tam is here."
    assert await table.cast() == {"Old Tam": ""}
    await table.say("/undo")
    assert await table.cast() == {}


async def test_presence_of_who_was_narrated_in_before_is_read_when_they_are_declared(
    table: PlayedScene,
) -> None:
    await table.say("> A girl, Wren, steps in from the rain.")
    assert (await table.say("/npc Wren: a girl"))[-1] == "Wren is here."


async def test_presence_moves_with_plain_narration_and_is_undone_with_its_turn(table: PlayedScene) -> None:
    await table.say("/npc Captain Vess: a sailor", "I wait.")
    assert await table.say("> Captain Vess comes in.") == ("Captain Vess comes in.",)
    assert await table.say("> The captain turns on her heel and leaves.") == ("Captain Vess leaves.",)
    await table.say("/undo")
    assert await table.cast() == {"Captain Vess": ""}
    await table.say("/undo")
    assert await table.cast() == {}
    assert not (await table.program.services.gate.gate(table.scene_id)).proposals[1:]  # no row but hers


async def test_presence_ends_by_leaving_the_place_by_its_name(table: PlayedScene) -> None:
    await table.say("/npc here Bela: a smith", "/place Salt Steps", "I nod.", "/go Salt Steps with Bela")
    assert await table.say("> Bela leaves the Salt Steps.") == ("Bela leaves.",)


async def test_presence_that_is_read_wrongly_is_corrected_by_cast(table: PlayedScene) -> None:
    await table.say("/npc Bela: a smith", "> Bela comes in.")
    assert await table.say("/cast - Bela") == ("Bela leaves.",)
    assert await table.cast() == {}


async def test_presence_go_leaves_the_cast_behind_but_for_who_comes_along(table: PlayedScene) -> None:
    await table.say("/npc here Bela: a smith", "/npc here Old Tam", "/place Pier", "/place Mill", "I nod.")
    lines = await table.say("/go Pier with Bela")
    assert lines[1:] == ("Bela comes along.", "Old Tam stays behind.")
    assert await table.cast() == {"Bela": ""}
    await table.say("/undo")
    assert await table.cast() == {"Bela": "", "Old Tam": ""}
    await table.say("I set out, and Old Tam follows me.", "/go Pier")
    assert await table.cast() == {"Old Tam": ""}
    await table.say("We go on together.")
    assert (await table.say("/go Mill"))[1:] == ("Old Tam comes along.",)


@pytest.mark.parametrize("place", ["Hollin Bridge", "The Tin Kettle"])
async def test_presence_of_a_companion_outlasts_a_plain_sentence(table: PlayedScene, place: str) -> None:
    await table.say("/npc here Osk Wendry: a mercenary", f"/place {place}", "I nod.")
    assert (await table.say(f"/go {place} with Osk Wendry"))[-1] == "Osk Wendry comes along."
    assert await table.say("I walk out on the bridge, staff in hand.") == ()
    assert await table.say("I walk out to the meadow, staff in hand.") == ()
    assert await table.cast() == {"Osk Wendry": ""}


async def test_presence_of_a_companion_in_words_outlasts_a_plain_sentence(table: PlayedScene) -> None:
    await table.say("/npc here Osk Wendry: a mercenary", "/npc here Tam: a groom")
    lines = await table.say("I walk out to the road, and Osk comes along.")
    assert lines == (
        "Osk Wendry comes along.",
        "Tam stays behind: /cast + Tam brings them along.",
    )
    await table.say("I walk down to the river.")
    assert await table.cast() == {"Osk Wendry": ""}
    await table.say("/undo", "/undo", "I walk down to the river.")
    assert await table.cast() == {}


@pytest.mark.parametrize(
    "line",
    [
        "I walk out to the road alone.",
        "I walk out to the road without Osk.",
        "Osk stays here. I walk out to the road.",
        "I walk out to the road. Osk stays behind.",
        "I leave Osk behind.",
    ],
)
async def test_presence_of_a_companion_ends_where_the_words_say_so(table: PlayedScene, line: str) -> None:
    await table.say("/npc here Osk Wendry: a mercenary", "/place Mill", "I nod.", "/go Mill with Osk Wendry")
    await table.say(line)
    assert await table.cast() == {}


async def test_presence_is_kept_by_moving_about_in_the_place(table: PlayedScene) -> None:
    await table.say(
        "/place Hollin Bridge", "I nod.", "/go Hollin Bridge", "/npc here Osk Wendry: a mercenary"
    )
    assert await table.say("I walk out on the bridge, staff in hand.") == ()
    assert await table.say("> Osk walks off down the bridge.") == ()
    assert await table.cast() == {"Osk Wendry": ""}
    await table.say("I walk away from the bridge into the woods.")
    assert await table.cast() == {}


async def test_presence_says_how_to_take_back_who_stays_behind(table: PlayedScene) -> None:
    await table.say(
        "/npc here Jory Penn: a groom", "/npc here Wat Penn: a groom", "/place Mill", "/go Mill with all"
    )
    await table.say("/cast - Jory Penn, Wat Penn", "/cast + Jory Penn, Wat Penn", "I nod.")
    lines = await table.say("I walk out to the road, staff in hand.")
    assert lines == ("Jory Penn and Wat Penn stay behind: /cast + Jory Penn, Wat Penn brings them along.",)
    await table.say("/cast + Jory Penn, Wat Penn", "I walk down to the river.")
    assert await table.cast() == {"Jory Penn": "", "Wat Penn": ""}


async def test_presence_go_says_whom_canon_has_there(table: PlayedScene) -> None:
    await table.say("/npc Dob Harrow: the pier-keeper", "/place Pier", "/fact Dob Harrow located_in Pier")
    await table.say("/accept all", "/commit", "I set out.")
    lines = await table.say("/go Pier")
    assert lines[-1] == "Dob Harrow is here, by canon: /cast + Dob Harrow if you meet."
    assert await table.cast() == {}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("/go Pier with Bela", "Bela is not here to come along."),
        ("/whisper Bela: run", "Bela is not here to hear it."),
        ("/react Bela", "Bela is not here to react."),
        ("/go Pier with Gil", "Gil is dead and does not come along."),
        ("/whisper Gil: run", "Gil is dead, and is not there to hear it."),
        ("/react Gil", "Gil is dead, and is not there to react."),
    ],
)
async def test_presence_is_asked_of_who_should_act_or_hear(
    table: PlayedScene, line: str, problem: str
) -> None:
    await table.say("/npc Bela", "/npc here Gil", "/place Pier", "I nod.", "/fact Gil is dead")
    with pytest.raises(InputError) as refusal:
        await table.say(line)
    assert refusal.value.what == problem
    assert refusal.value.todo


async def test_presence_at_a_new_scene_is_the_heros_alone_and_says_who_was_there(table: PlayedScene) -> None:
    await table.say("/npc here Bela: a smith", "/creature here Rat: small", "> The rat drops dead.")
    await table.say("/fact Rat is dead", "/end We rest", "/accept all", "/commit")
    assert await table.cast() == {}
    view = await table.program.services.play.scene(table.scene_id)
    assert view.opening_hint.startswith("/cast + Bela if they are still with you · ")


async def test_outcome_involves_who_is_named_and_is_written_without_who_is_undecided(
    table: PlayedScene,
) -> None:
    await table.say(
        "/npc here Bela: a smith", "/accept all", "/commit", "I nod.", "/npc here Old Bram: a pedlar"
    )
    await table.say("/defer old bram", "/end Mara and Old Bram struck a deal")
    (outcome,) = [
        row.proposal
        for row in (await table.program.services.gate.gate(table.scene_id)).proposals
        if isinstance(row.proposal.change, AssertFact)
    ]
    report = await table.program.services.gate.commit(table.scene_id)
    assert report.failures == ()
    canon = table.program.stores.canon(Role.CONTEXT_ASSEMBLY)
    fact = (await canon.facts_by_id([fact_id_of(outcome)]))[fact_id_of(outcome)]
    names = {e.name for e in (await canon.entities_by_id([i.entity_id for i in fact.involves])).values()}
    assert names == {"Mara"}


async def test_presence_is_denied_by_words_that_say_who_is_not_here(table: PlayedScene) -> None:
    await table.say("/npc Bram: a ferryman", "I wait.")
    for line in ("I think of Bram, though he is not here.", "I hug Bram, though he is not here."):
        assert await table.say(line) == ()
        assert await table.cast() == {}


async def test_export_says_of_those_who_die_sleep_and_wake_what_became_of_them(table: PlayedScene) -> None:
    await table.say("/npc here Jon", "/npc here Tess", "> Jon dies.", "> Tess falls asleep.")
    assert await table.say("> Tess wakes.") == ("Tess wakes.",)
    (written,) = await table.say("/export")
    path = Path(written.removeprefix("Written: "))
    text = await asyncio.to_thread(path.read_text, encoding="utf-8")
    after_death = text[text.index("Jon dies.") :]
    assert "Jon is dead in this scene." in after_death
    assert "Tess sleeps, and hears nothing." in after_death
    assert "Tess wakes." in after_death
    assert "comes in" not in after_death


ARRIVALS_WITH_THE_DEAD = (
    ("> Jon and Osk come in.", True),
    ("> Jon comes in with Osk.", True),
    ("> Jon, followed by Osk, comes in.", True),
    ("> Jon brings Osk along.", True),
    ("> In comes Osk.", True),
    ("I take Osk with me.", True),
    ("I go to the Chapel with Jon and Osk.", True),
    ("> Jon drags Osk in.", False),
    ("> Osk lies by the door.", False),
    ("> The ghost of Osk comes in.", False),
    ("I carry Osk to the Chapel.", False),
    ("I find Osk in the corner.", False),
)


async def test_presence_of_the_dead_among_those_who_come_is_told(table: PlayedScene) -> None:
    await table.say("/npc Osk Wendry", "/npc Jon", "/place Chapel", "/fact Osk Wendry is dead", "/commit")
    for line, is_told in ARRIVALS_WITH_THE_DEAD:
        assert ("⚠ Osk Wendry is dead." in await table.say(line)) is is_told, line
        await table.say("/undo")


@pytest.mark.slow
@pytest.mark.parametrize(
    "death",
    [
        "/fact Pell is dead",
        "/fact Pell was killed by Bram",
        "/fact Bram killed Pell",
        "> Pell was killed by Bram.",
        "> Pell drowned in the harbour.",
    ],
)
async def test_presence_warns_of_the_dead_who_act_however_their_death_was_told(
    table: PlayedScene, death: str
) -> None:
    await table.say("/npc Pell: a sailor", "/npc Bram: a smith", "I wait.", death)
    for line in (
        *("> Pell whispers the name of the ship.", "> Pell hands me a letter.", "> Pell walks in."),
        *("> It was only a joke: Pell gets up again.", "> The wind howls, and Pell laughs."),
    ):
        assert "⚠ Pell is dead." in await table.say(line), line


THE_DEAD_IN_THE_DOORWAY = (
    ("> Dob Harrow stands in the doorway, smiling.", True),
    ("> Dob stands in the doorway.", True),
    ("> Dob kneels by the door.", True),
    ("> Dob sits up.", True),
    ("> Dob waits at the door.", True),
    ("> Dob's statue stands in the doorway.", False),
    ("> A statue of Dob stands by the door.", False),
    ("> Dob lies in the doorway.", False),
    ("> Dob hangs from the beam.", False),
    ("> The place where Dob stood is empty.", False),
    ("> Dob stands propped up against the wall, dead.", False),
    ("> Dob kneels, bound to the post.", False),
    ("> Dob sits upright in his chair.", False),
    ("> Dob stands in the way of the treaty.", False),
    ("> Dob stands on the list of the dead.", False),
)


async def test_presence_warns_of_the_dead_who_stand_and_not_of_a_body_that_is_held_up(
    table: PlayedScene,
) -> None:
    await table.say("/npc here Dob Harrow: a pier-keeper", "/state Dob.alive = false", "/accept all")
    for line, is_told in THE_DEAD_IN_THE_DOORWAY:
        assert ("⚠ Dob Harrow is dead." in await table.say(line)) is is_told, line


@pytest.mark.parametrize(
    "line",
    ["> Pell smiles in the picture.", "> Pell's name is on the ship.", "> The song goes: Pell rides again."],
)
async def test_presence_does_not_warn_of_the_dead_in_a_picture(table: PlayedScene, line: str) -> None:
    await table.say("/npc Pell: a sailor", "I wait.", "/fact Pell is dead")
    assert "⚠ Pell is dead." not in await table.say(line)


async def test_presence_of_who_is_here_too(table: PlayedScene) -> None:
    await table.say("/npc Nan: a girl", "/npc Dob Harrow: a keeper")
    for line, names in {
        "> Nan is here, and Dob Harrow too.": {"Nan", "Dob Harrow"},
        "> Nan is here, and so is Dob Harrow.": {"Nan", "Dob Harrow"},
        "> Nan is here and Dob Harrow as well.": {"Nan", "Dob Harrow"},
        "> Nan is here, and Dob Harrow is away.": {"Nan"},
        "> Nan is not here, and Dob Harrow too.": set(),
        "> Nan was here, and Dob Harrow too.": set(),
    }.items():
        await table.say(line)
        assert await table.cast_names() == names, line
        await table.say("/undo")


async def test_presence_ends_by_leaving_for_a_place_that_is_not_known(table: PlayedScene) -> None:
    await table.say("/npc here Osric: a miller", "/npc here Bodil: a ferrywoman")
    for line in (
        "> Osric leaves for Esk.",
        "> Osric sails for Esk at dawn.",
        "> Osric walks off to Esk with Tom.",
    ):
        assert "Osric leaves." in await table.say(line), line
        assert await table.cast_names() == {"Bodil"}, line
        await table.say("/undo")
    await table.say("> Osric goes to Tom Hale.")
    assert await table.cast_names() == {"Osric", "Bodil"}


async def test_presence_of_who_is_known_does_not_end_by_a_pronoun_for_a_stranger(table: PlayedScene) -> None:
    await table.say("/npc here Maud Quay: my mother", "> Maud burns her hand.")
    await table.say("> The doctor is a small woman called Brinn Ashdown. She comes with her bag.")
    await table.say("> Brinn bandages Maud's hand and asks for nothing.", "I pay her three crowns anyway.")
    await table.say("> She leaves without another word.")
    assert await table.cast_names() == {"Maud Quay"}
    for line in ("> Rain lashes the window.", "> Maud smiles.", "> I wave at Greta."):
        await table.say("> Maud nods.", line)
        assert "Maud Quay leaves." in await table.say("> She leaves without another word."), line
        await table.say("/cast + Maud Quay")
