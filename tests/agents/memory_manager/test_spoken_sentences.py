"""Tests what is said in a turn without quotes, and that whoever heard it was told it and did not see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.memory_manager.spoken_sentences import find_spoken_sentences, find_teller
from stores.errors import InputError
from stores.records.play import Speaker, Turn
from tests.agents.memory_manager.memory_session import open_memory_session
from tests.program import START

NAMES = {"mara": ("Mara",), "dob": ("Dob Harrow", "Dob"), "vess": ("Captain Vess", "Vess")}


@pytest.mark.parametrize(
    ("text", "spoken", "speaker", "listeners"),
    [
        ("I tell Dob that the bell is a fake.", "the bell is a fake.", "mara", ("dob",)),
        ("I tell Dob the bell is a fake.", "the bell is a fake.", "mara", ("dob",)),
        ("I let Dob know that the bell is a fake.", "the bell is a fake.", "mara", ("dob",)),
        ("Mara tells Dob the bell is a fake.", "the bell is a fake.", "mara", ("dob",)),
        ("Vess tells Dob she saw Mara stab Wick.", "she saw Mara stab Wick.", "vess", ("dob",)),
        ("Vess warns Dob the tower is on fire.", "the tower is on fire.", "vess", ("dob",)),
        ("Vess says Dob is her brother.", "Dob is her brother.", "vess", ()),
        ("Vess says Dob rode in last night.", "Dob rode in last night.", "vess", ()),
        ("Vess tells me Dob sold the bell.", "Dob sold the bell.", "vess", ("mara",)),
        ("Vess swears Dob never left.", "Dob never left.", "vess", ()),
        ("Vess says the mill belonged to Dob.", "the mill belonged to Dob.", "vess", ()),
        ("I take Dob aside and tell him that Vess is ill.", "Vess is ill.", "mara", ("dob",)),
        ("I turn to Dob and tell him that the key is lost.", "the key is lost.", "mara", ("dob",)),
        ("I sit down beside Dob and warn him that Vess has an axe.", "Vess has an axe.", "mara", ("dob",)),
        ("I took Dob aside and told him that Vess was ill.", "Vess was ill.", "mara", ("dob",)),
        ("Vess takes Dob aside and tells him the key is lost.", "the key is lost.", "vess", ("dob",)),
        ("That night Vess comes down and tells me the key is lost.", "the key is lost.", "vess", ("mara",)),
        (
            "Dob waits, and Vess comes down and tells me the key is lost.",
            "the key is lost.",
            "vess",
            ("mara",),
        ),
        ("Dob nods and Vess comes down and tells me the key is lost.", "the key is lost.", "vess", ("mara",)),
        ("Vess lies to me and says that Dob sold the bell.", "Dob sold the bell.", "vess", ("mara",)),
        ("Vess lies to me and tells me that the key is lost.", "the key is lost.", "vess", ("mara",)),
        ("Vess lies to Dob and says that the letter is blank.", "the letter is blank.", "vess", ("dob",)),
        ("Vess lies to Dob, saying the letter is blank.", "the letter is blank.", "vess", ("dob",)),
        ("Vess lies to Dob by telling him the letter is blank.", "the letter is blank.", "vess", ("dob",)),
        ("I lie to Dob and say that the letter is blank.", "the letter is blank.", "mara", ("dob",)),
    ],
)
def test_spoken_sentence_is_found_in_a_report(
    text: str, spoken: str, speaker: str, listeners: tuple[str, ...]
) -> None:
    (sentence,) = find_spoken_sentences(turn_of(text), NAMES, "mara")
    assert (sentence.text, sentence.speaker_id, sentence.addressee_ids) == (spoken, speaker, listeners)
    assert sentence.is_hearsay


@pytest.mark.parametrize(
    "text",
    [
        "I tell Dob the truth.",
        "Vess tells Dob lies.",
        "Vess warns Dob sharply.",
        "Vess mentions Dob and laughs.",
        "I tell Dob a story that is true.",
        "I tell Dob to say the bell is mine.",
        "Vess tells me how the bell was stolen.",
        "I tell Dob about the man who is dead.",
        "Dob lies on the bed that was broken.",
        "Dob lies in the bed he owns.",
        "I tell Dob the captain's story.",
        "I tell Dob the story of the man who came back.",
        "Vess lies to Dob and leaves.",
        "Vess lies to Dob and says nothing.",
    ],
)
def test_spoken_sentence_is_no_mere_telling(text: str) -> None:
    assert find_spoken_sentences(turn_of(text), NAMES, "mara") == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Vess comes in and says she is cold.", "Vess"),
        ("Captain Vess tells me that she's very tired.", "Captain Vess"),
        ("Vess shakes her head and says that she is afraid of the dark.", "Vess"),
        ("Dob admits that he stole the bell.", "Dob"),
        ("Dob confesses to me that his knife killed the reeve.", "Dob"),
        ("Vess rubs her eyes and says that her mother is afraid of Dob.", "Vess"),
        # Another may be meant.
        ("Vess admits that he is her brother.", ""),
        ("Vess looks at Dob and admits that he stole the bell.", ""),
        ("Vess says that her mother is afraid of Dob.", ""),
        ("Vess rubs her eyes and says that his mother is afraid of Dob.", ""),
        ("Vess tells Dob that he is cold.", ""),
        ("Dob sits down. Vess says he is cold.", ""),
        ("Corm sits down. Vess says he is cold.", ""),
        ("Vess comes in with her sister and says she is cold.", ""),
        ("Vess looks at her and says she is cold.", ""),
        ("Vess kneels by the body and says he is cold.", ""),
        ("Vess says she is a widow.", ""),
        ("Vess says that he was taken by the reeve.", ""),
        ("I say that she is cold.", ""),
    ],
)
def test_pronoun_means_the_speaker_where_nobody_else_is_meant(text: str, name: str) -> None:
    assert [s.pronoun_name for s in find_spoken_sentences(turn_of(text), NAMES, "mara")] == [name]


async def test_how_somebody_feels_is_remembered_with_their_name(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        for line in ("/npc here Hela Rook", "/npc here Sten Vark", "> Hela comes in and says she is cold."):
            await session.program.services.play.submit(session.scene_id, line)
        await session.remember()
        assert [memory.text for memory in await session.memories_of("Sten Vark")] == ["Hela is cold."]


async def test_pronouns_of_the_hero_and_of_a_confession_are_remembered_by_name(tmp_path: Path) -> None:
    lines = (
        "> Sten tells me that the boat was never mine.",
        "> Sten tells you that the horse was never yours.",
        "> Sten tells you that you are the heir of Ketil Orn.",
        "> Sten admits that he drowned Ketil.",
        "> Sten says Ketil's knife is lost.",
        "> Sten tells me: your boat is gone.",
    )
    async with open_memory_session(tmp_path) as session:
        for line in ("/npc here Hela Rook", "/npc here Sten Vark", "/npc Ketil Orn", *lines):
            await session.program.services.play.submit(session.scene_id, line)
        await session.remember()
        assert [memory.text for memory in await session.memories_of("Hela Rook")] == [
            "The boat was never Mara's.",
            "The horse was never Mara's.",
            "Mara is the heir of Ketil Orn.",
            "Sten drowned Ketil.",
            "Ketil's knife is lost.",
            "Your boat is gone.",
        ]


@pytest.mark.parametrize(
    ("sentence", "teller"),
    [
        ("Vess tells you about the murder.", "vess"),
        ("Captain Vess quietly told me how the bell was stolen.", "vess"),
        ("Dob warns Vess of the tide.", "dob"),
        ("I tell Dob about the man who is dead.", "mara"),
        ("Vess tells a joke.", None),
        ("Vess saw the murder of Dob.", None),
        ("They talk about the murder.", None),
    ],
)
def test_teller_is_found_where_the_words_are_not_given(sentence: str, teller: str | None) -> None:
    assert find_teller(sentence, NAMES, "mara") == teller


def turn_of(text: str) -> Turn:
    return Turn(
        id="turn",
        exchange_id="turn",
        scene_id="scene",
        parent_id=None,
        depth=0,
        tick=0,
        speaker=Speaker.PLAYER,
        text=text,
        created_at=START,
    )


async def test_spoken_words_are_told_and_not_seen(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        await session.play(
            "/npc here Dob Harrow: the pier-keeper",
            "/npc here Captain Vess: of the skiff",
            "/npc Tam",
            "I look round.",
            "Mara tells Dob that Tam is dead.",
            "> Vess warns Dob the tower is on fire.",
        )
        await session.remember()
        assert [(m.text, m.source) for m in await session.memories_of("Dob Harrow")] == [
            ("Tam is dead.", "heard from Mara"),
            ("The tower is on fire.", "heard from Captain Vess"),
        ]
        assert ("Mara tells Dob that Tam is dead.", "saw") in [
            (m.text, m.source) for m in await session.memories_of("Mara")
        ]


async def test_what_somebody_is_told_about_is_told_and_not_seen(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        await session.play(
            "/npc here Captain Vess: of the skiff",
            "I look round.",
            "> Captain Vess tells you about the murder.",
            "> You see the murder of the pilot.",
        )
        await session.remember()
        assert [(m.text, m.source) for m in await session.memories_of("Mara")] == [
            ("Captain Vess tells you about the murder.", "heard from Captain Vess"),
            ("You see the murder of the pilot.", "saw"),
        ]


async def test_hearsay_is_the_hearers_and_a_rumour_is_proposed_as_one(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        await session.play(
            "/npc here Dace Holloway: the innkeeper", "/npc here Corrin Vale: a smuggler", "/npc Emmet Crane"
        )
        replies = [
            (await session.program.services.play.submit(session.scene_id, line)).lines[:1]
            for line in (
                "Corrin tells me that the letter comes from the hall.",
                "I lie to Dace: I have never been to Calder Gate.",
                "> Emmet believes that Corrin will sell the letter.",
                "> Rumour has it that Corrin is dead.",
                "> Corrin nods.",
            )
        ]
        assert replies == [
            ("Mara remembers it from Corrin Vale; canon stays as it is.",),
            ("Dace Holloway remembers it from Mara; canon stays as it is.",),
            ("Emmet Crane believes it; canon stays as it is.",),
            ("Proposed as a rumour: Corrin is dead.",),
            (),
        ]
        await session.remember()
        dace, emmet = await session.memories_of("Dace Holloway"), await session.memories_of("Emmet Crane")
        assert [(m.text, m.source) for m in dace] == [
            ("The letter comes from the hall.", "heard from Corrin Vale"),
            ("Mara has never been to Calder Gate.", "heard from Mara"),
            ("Corrin is dead.", "heard"),
        ]
        assert [(m.text, m.source) for m in emmet] == [("Corrin will sell the letter.", "inferred")]
        with pytest.raises(InputError, match="keeps one side of a conflict as a lie"):
            await session.play("/lie")


async def test_what_somebody_is_told_aside_is_theirs_alone(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as session:
        await session.play(
            *(f"/npc here {name}: of the skiff" for name in ("Bodil", "Lisk", "Anselm")),
            "I look round.",
            "I nod. I take Bodil aside and tell her that I sold the boat.",
            "I draw Anselm aside and warn him that the mill is on fire.",
        )
        await session.remember()
        told = {
            name: [m.text for m in await session.memories_of(name) if m.source == "heard from Mara"]
            for name in ("Bodil", "Lisk", "Anselm")
        }
    assert told == {"Bodil": ["Mara sold the boat."], "Lisk": [], "Anselm": ["The mill is on fire."]}


@pytest.mark.parametrize("text", ["Vess tells Dob the tale she heard.", "Vess tells Dob what she saw there."])
def test_what_is_told_without_being_said_is_no_statement(text: str) -> None:
    assert [
        s.text for s in find_spoken_sentences(turn_of(text), NAMES, "mara") if s.text.startswith("she")
    ] == []
