"""Spark words: an action and a theme, or any other table."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from agents.resolver.random_tables import add_tables, bundled_tables
from agents.resolver.sparks import SPARK_KINDS, draw_spark, find_table
from stores.errors import InputError

TABLES = bundled_tables()


def test_spark_has_words_text_and_rule() -> None:
    draw_count = draw_spark(TABLES, random.Random(1), faces=[1, 100])
    assert draw_count.words == ("abandon", "a witness")
    assert draw_count.text == "spark · d100 1, d100 100 · abandon / a witness"
    assert draw_count.rule == "spark, actions and themes"
    assert [(die.sides, die.face) for die in draw_count.dice] == [("100", 1), ("100", 100)]


@pytest.mark.parametrize(
    "kind", [*SPARK_KINDS, "Descriptor", "weather", "place moods", "Place_Moods", "manners"]
)
def test_spark_draws_from_any_table(kind: str) -> None:
    first, second = (draw_spark(TABLES, random.Random(7), kind=kind) for _ in range(2))
    assert first == second
    assert all(first.words)


def test_spark_reads_physical_dice_in_order() -> None:
    assert draw_spark(TABLES, random.Random(1), faces=[3, 3], kind="descriptors").words == (
        "ageing",
        "ageing",
    )
    assert draw_spark(TABLES, random.Random(1), faces=[6, 1], kind="manners").dice[1].face == 1
    for faces in ([], [5], [5, 6, 7], [5, 101]):
        with pytest.raises(InputError):
            draw_spark(TABLES, random.Random(1), faces=faces)


def test_spark_refuses_unknown_table_with_suggestion() -> None:
    with pytest.raises(InputError, match="Did you mean weather") as caught:
        draw_spark(TABLES, random.Random(1), kind="wether")
    assert caught.value.kept == "Nothing was drawn."
    with pytest.raises(InputError, match="There is: actions"):
        find_table(TABLES, "qqq")


def test_spark_prefers_user_table() -> None:
    mine = add_tables({"actions": "title: A\nlicence: CC0\nattribution: Me.\nrows: [sail]\n"}, TABLES)
    assert draw_spark(mine, random.Random(1)).words[0] == "sail"


@pytest.mark.slow
def test_spark_words_are_equally_likely() -> None:
    draw_count, rng = 20_000, random.Random(11)
    counts = Counter(draw_spark(TABLES, rng, kind="action").words[0] for _ in range(draw_count))
    assert len(counts) == 100
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 148.2  # 1 in 1,000 for 99 degrees
