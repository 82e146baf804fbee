"""What a text says of a killing in other words than `kills`."""

from __future__ import annotations

import pytest

from agents.search.told_killings import find_who_may_be_killed, say_killing_plainly

ASKED = [frozenset({"aldwin"})]


@pytest.mark.parametrize(
    ("text", "plain_text"),
    [
        ("Lisbet draws a knife and cuts Aldwin's throat.", "Lisbet draws a knife and kills Aldwin."),
        ("Lisbet slits Aldwin’s throat.", "Lisbet kills Aldwin."),
        ("Lisbet stabs Aldwin through the heart.", "Lisbet kills Aldwin."),
        ("Lisbet runs Aldwin through with her sword.", "Lisbet kills Aldwin with her sword."),
        ("Lisbet drives her knife into Aldwin's heart.", "Lisbet kills Aldwin."),
        ("She strangles Aldwin.", "She kills Aldwin."),
        ("Lisbet draws a knife, cutting Aldwin's throat.", "Lisbet draws a knife, kills Aldwin."),
        ("Lisbet grabs Aldwin and cuts his throat.", "Lisbet grabs Aldwin and kills Aldwin."),
        ("Aldwin turns. I run him through.", "Aldwin turns. I kills Aldwin."),
        ("Lisbet manages to cut Aldwin's throat.", "Lisbet manages to kills Aldwin."),
        ("“Osk cut Aldwin's throat,” says Ulf.", "“Osk kills Aldwin,” says Ulf."),
        ("Lisbet shoots Aldwin in the throat. He dies.", "Lisbet kills Aldwin in the throat. He dies."),
        ("Lisbet stabs Aldwin, who dies.", "Lisbet kills Aldwin, who dies."),
        ("Lisbet cuts down Aldwin before he can speak.", "Lisbet kills Aldwin before he can speak."),
    ],
)
def test_killing_in_other_words_is_said_plainly(text: str, plain_text: str) -> None:
    assert say_killing_plainly(text, ASKED) == plain_text


@pytest.mark.parametrize(
    "text",
    [
        "Lisbet cuts Aldwin's rope.",
        "Lisbet holds a knife to Aldwin's throat.",
        "Lisbet beats Aldwin.",
        "Lisbet breaks Aldwin's heart.",
        "Lisbet takes Aldwin's head in her hands.",
        "Lisbet runs Aldwin through the plan.",
        "Lisbet strangles Aldwin's dog.",
        "Lisbet finds Aldwin dead.",
        "Lisbet wants to cut Aldwin's throat.",
        "Lisbet wishes she had cut Aldwin's throat.",
        "Lisbet threatens to cut Aldwin's throat.",
        "Lisbet will cut Aldwin's throat.",
        "If Lisbet cuts Aldwin's throat, the village is free.",
        "Does Lisbet cut Aldwin's throat?",
        "Lisbet does not cut Aldwin's throat.",
        "Nobody cut Aldwin's throat.",
        "“Cut Aldwin's throat!” says Lisbet.",
        "Aldwin grabs Osk and cuts his throat.",
        "Lisbet grabs Aldwin, looks at Osk and cuts his throat.",
        "Aldwin laughs. He cuts her throat.",
        "Lisbet shoots Aldwin in the arm. Osk dies of a fever.",
        "Lisbet shoots Aldwin in the arm. He curses her.",
        "Lisbet shoots at Aldwin. The horse dies.",
        "Lisbet cuts Aldwin down from the gallows.",
    ],
)
def test_what_kills_nobody_of_whom_it_is_asked_stays_as_it_is(text: str) -> None:
    assert say_killing_plainly(text, ASKED) == text


def test_who_may_be_killed_is_everybody_whom_a_text_names_or_calls_by_what_they_are() -> None:
    text = "Lisbet strangles the guard and runs Osk through. A bell rings, and the rope breaks."
    killed = find_who_may_be_killed(text, frozenset({"lisbet"}))
    assert set(killed) == {frozenset({"guard"}), frozenset({"osk"})}
    assert find_who_may_be_killed("Lisbet greets Osk.", frozenset({"lisbet"})) == ()
