"""What words entail of whoever they are said of: two sides of one aspect contradict each other, in one respect none."""

from __future__ import annotations

from collections import defaultdict
from importlib.resources import files

import pytest
import yaml

from agents.canon_keeper.propositions.proposition_comparison import PropositionComparison
from agents.canon_keeper.propositions.proposition_reader import read_propositions
from agents.canon_keeper.sentences.tokens import build_name_book
from stores.records.world import EntityKind
from tests.contract import builders as make

NAMES = build_name_book(
    [
        *(make.entity(name) for name in ("Mara Venn", "Tam Orrin", "Bela Quay")),
        make.entity("Gull Inn", kind=EntityKind.PLACE),
        make.entity("Wren", kind=EntityKind.OBJECT),
    ]
)


def reason_against(before: str, after: str) -> str:
    comparison = PropositionComparison(lambda one, other: False)
    opposed = comparison.find_opposed(read_propositions(before, NAMES), read_propositions(after, NAMES))
    return opposed.reason if opposed else ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Mara is stone deaf.", "Mara overheard every word."),
        ("Tam is Mara's uncle.", "Tam is Bela's mother."),
        ("Tam is Mara's uncle.", "Tam is the mother of Bela."),
        ("Tam is Mara's uncle.", "Tam is the sister of Mara's friend."),
        ("Tam is a confirmed bachelor.", "Tam's wife keeps bees."),
        ("The Gull Inn burned to the ground.", "Guests sit in the Gull Inn."),
        ("Bela never weeps.", "Bela wept at the grave."),
        ("Tam lost his left arm.", "Tam has both arms."),
        ("The river is frozen over.", "The river flows fast."),
        ("Mara refused the money.", "Mara took the money."),
        ("The grey mule belongs to Mara.", "The grey mule is Tam's."),
        ("The innkeeper of the Gull Inn is called Bess.", "The innkeeper of the Gull Inn is called Greta."),
        ("The fair begins at noon.", "The fair begins at dusk."),
        ("The ransom is ten crowns.", "The ransom is forty crowns."),
        ("Four guards stand at the gate.", "A single guard stands at the gate."),
    ],
)
def test_aspects_of_one_holder_exclude_each_other(before: str, after: str) -> None:
    assert reason_against(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Mara is deaf to advice.", "Mara overheard every word."),
        ("Tam is Mara's uncle.", "Tam is Mara's mother's friend."),
        ("Tam is Mara's uncle.", "Tam is the friend of Mara's mother."),
        ("Tam is Mara's mother's friend.", "Tam is Mara's father's rival."),
        ("Bela is Tam's mother.", "Bela is Mara's father's friend."),
        ("Tam is a bachelor.", "Tam's brother's wife keeps bees."),
        ("The stable of the Gull Inn burned to the ground.", "Guests sit in the Gull Inn."),
        ("Bela never weeps in public.", "Bela wept at home."),
        ("The gate is shut.", "Tam opens the gate."),
        ("Bela is in debt.", "Bela is no longer in debt."),
        ("Mara refused the money.", "Mara took the horse."),
        ("The river is deep in winter.", "The river is shallow in summer."),
        ("Tam is bald.", "Tam combs his daughter's hair."),
        ("Bela treats the poor.", "Bela is rich."),
        ("The fair begins at dawn.", "The fair begins in the morning."),
        ("The chest is empty.", "The chest is full of holes."),
    ],
)
def test_aspects_of_two_holders_respects_or_times_do_not(before: str, after: str) -> None:
    assert reason_against(before, after) == ""


def test_aspects_say_in_the_reason_which_words_exclude_each_other() -> None:
    assert (
        reason_against("Mara is blind drunk.", "Mara is stone sober.")
        == "One says “blind drunk”, the other “stone sober”."
    )


def test_aspects_have_no_word_on_two_sides() -> None:
    text = files("agents.canon_keeper.propositions").joinpath("aspects.yaml").read_text(encoding="utf-8")
    for name, aspect in yaml.safe_load(text)["aspects"].items():
        sides_by_wording: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for side, words in aspect["sides"].items():
            for part in words.split(";"):
                slot, _, phrases = part.strip().partition(" ")
                for phrase in phrases.split(","):
                    words = [word for word in phrase.split() if word not in ("a", "an", "the")]
                    sides_by_wording[slot, " ".join(words)].add(side)
        assert {k: v for k, v in sides_by_wording.items() if len(v) > 1} == {}, name
