"""Numbers of a sheet as they are typed, and texts that were made to keep the reader busy."""

from __future__ import annotations

import pytest

from agents.typed_numbers import parse_numbers, split_trailing_numbers
from stores.errors import InputError


def test_typed_numbers_are_read_with_and_without_signs() -> None:
    assert parse_numbers("hp 10, might=1; Max hp: +3\nluck -0.5") == (
        ("hp", 10),
        ("might", 1),
        ("max hp", 3),
        ("luck", -0.5),
    )


@pytest.mark.parametrize("text", ["hp", "10", "hp 12345678901", "hp 1 2", "hp = = 3", "hp 1.23456", "-hp 3"])
def test_typed_numbers_without_one_name_and_one_value_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a number with a name"):
        parse_numbers(text)


def test_typed_numbers_in_brackets_are_split_off_the_text() -> None:
    assert split_trailing_numbers("keeper (of the bell) (hp 4) ") == ("keeper (of the bell)", (("hp", 4),))
    assert split_trailing_numbers("keeper (of the bell)") == ("keeper (of the bell)", ())
    assert split_trailing_numbers("keeper (hp 4) of the bell") == ("keeper (hp 4) of the bell", ())


@pytest.mark.timeout(20)
@pytest.mark.parametrize("filler", [" ", "(", "()", " (", ")"])
def test_typed_numbers_read_a_long_filler_at_once(filler: str) -> None:
    """1,200 blanks in brackets once took nine seconds, and ten times as many would have taken hours."""
    text = f"Boss (x{filler * 20_000}y)"
    assert split_trailing_numbers(text)[0].startswith("Boss (x")
