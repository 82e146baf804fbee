"""Tests of whispers: which words of prose only some could hear."""

from __future__ import annotations

import pytest

from agents.memory_manager.whispers import find_whisper_hearers, find_whispers, mask_unheard_whispers
from stores.records.play import Speaker

PEOPLE = {"mara": ("Mara",), "bela": ("Bela Orsk", "Bela", "Orsk"), "tam": ("Old Tam", "Tam")}


def heard_text(text: str, hearer_id: str, speaker: Speaker = Speaker.GM) -> str:
    return mask_unheard_whispers(text, find_whispers(text, speaker, "", PEOPLE, "mara"), hearer_id, "mara")


@pytest.mark.parametrize(
    ("text", "secret", "hearers"),
    [
        ('Bela whispers to Mara, "The key is gone." Tam looks away.', "The key is gone.", "bela mara"),
        ("“The key is gone,” Bela whispers to Tam. Mara coughs.", "The key is gone,", "bela tam"),
        ("“Run,” whispers Bela to Tam. “Run now.”", "Run now.", "bela tam"),
        ("Bela leans over to you and whispers: “Trust nobody.” “Fine,” says Tam.", "Trust", "bela mara"),
        ("Bela leans close to Tam and whispers that the bell is false. She smiles.", "false", "bela tam"),
        ('Tam whispers in your ear, "They are coming."', "coming", "tam mara"),
        ('You whisper to Bela, "Stay."', "Stay", "mara bela"),
        ('He whispers to her, "Gone."', "Gone", "mara"),
        ("Bela takes Tam aside and tells him that the bell is false.", "false", "bela tam"),
        (
            "Bela Orsk takes Old Tam by the arm and draws him aside. She says the bell is false.",
            "false",
            "bela tam",
        ),
        (
            "Bela draws Tam into a corner. “It is false,” she says. “Since when?” asks Tam.",
            "Since",
            "bela tam",
        ),
        ("Bela tells Tam in confidence that the bell is false.", "false", "bela tam"),
        ("Bela tells Tam, behind Mara's back, that the bell is false.", "false", "bela tam"),
        ("Bela confides to Tam that the bell is false. Mara coughs.", "false", "bela tam"),
        ("Bela and Tam step aside, and Bela tells him that the bell is false.", "false", "bela tam"),
        ("Bela takes you aside and tells you that the bell is false.", "false", "bela mara"),
    ],
)
def test_whisper_in_prose_is_heard_by_its_hearers(text: str, secret: str, hearers: str) -> None:
    for hearer_id in PEOPLE:
        assert (secret in heard_text(text, hearer_id)) is (hearer_id in hearers.split()), hearer_id


@pytest.mark.parametrize(
    "text",
    [
        '"Quiet," Bela whispers.',
        "The wind whispers to the trees.",
        'Tam says, "Bela whispers to Mara at night."',
        "Bela tells Tam that the bell is false.",
        "Bela takes the lamp aside and tells Tam that the bell is false.",
        "Bela steps aside and tells Tam that the bell is false.",
        "Bela pulls Tam out of the water and says that the bell is false.",
    ],
)
def test_whisper_without_hearer_is_heard_by_all(text: str) -> None:
    assert all(heard_text(text, hearer_id) == text for hearer_id in PEOPLE)


def test_talk_aside_ends_with_the_next_person() -> None:
    text = "Bela takes Tam aside. She tells him of the bell. Mara coughs and spits."
    assert heard_text(text, "mara") == "Bela takes Tam aside… Mara coughs and spits."


def test_whisper_masking_keeps_other_words() -> None:
    text = "“Run,” whispers Bela to Tam. “Fine weather,” she says."
    assert "Fine weather" in heard_text(text, "mara")
    assert "Run" not in heard_text(text, "mara")


@pytest.mark.parametrize(
    ("typed_line", "hearers"),
    [
        ("I whisper to Bela: the key is under the stone.", ("bela",)),
        ("I quietly whisper to Bela that Tam lies.", ("bela",)),
        ("I whisper to Bela and Old Tam: run", ("bela", "tam")),
        ('I whisper to Bela, "run." Then I shout, "Fire!"', ()),
        ('I draw my knife and whisper to Bela, "Now."', ()),
        ("I whisper: go", ()),
        ("I whisper to the wind: go", ()),
        ("I go home.", ()),
    ],
)
def test_whisper_as_whole_turn_has_hearers(typed_line: str, hearers: tuple[str, ...]) -> None:
    assert find_whisper_hearers(typed_line, PEOPLE, "mara") == hearers


def test_whisper_within_act_hides_only_its_words() -> None:
    text = 'I draw my knife and whisper to Bela, "Now."'
    assert heard_text(text, "tam", Speaker.PLAYER) == "I draw my knife and whisper to Bela, …"
    assert heard_text(text, "bela", Speaker.PLAYER) == text
