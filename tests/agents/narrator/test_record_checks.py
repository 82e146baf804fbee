"""Tests of the checks for broken rules and reopened matters: true findings and harmless lookalikes."""

from __future__ import annotations

import pytest

from agents.narrator.record_checks import find_reopened_matters, find_rule_breaches

SALT = "No drowned thing crosses a line of salt."
WEIR = "No weir is opened between dusk and dawn"
LAMP = ("Mara promised Wenna to bring back the copper lantern.", frozenset({"Mara", "Wenna"}))


@pytest.mark.parametrize(
    ("text", "is_faulty"),
    [
        ("The drowned thing crosses the line of salt and drips on the boards.", True),
        ("The drowned thing crosses the line of salt as if it were chalk.", True),
        ("They opened the weir between dusk and dawn, and the water came.", True),
        ("The drowned thing stops at the line of salt and cannot cross it.", False),
        ("“The drowned thing crossed my line of salt,” says Wenna.", False),
        ("If a drowned thing crosses the line of salt, the world ends.", False),
        ("You draw a line of salt on the step.", False),
        ("The weir is opened at noon.", False),
    ],
)
def test_record_checks_find_broken_rules(text: str, is_faulty: bool) -> None:
    assert bool(list(find_rule_breaches(text, [SALT, WEIR]))) is is_faulty


def test_record_checks_skip_rule_that_forbids_nothing() -> None:
    assert not list(
        find_rule_breaches("The sea takes one of us each year.", ["The sea takes one of us each year."])
    )


@pytest.mark.parametrize(
    ("text", "is_faulty"),
    [
        ("“You still owe me a copper lantern,” says Wenna.", True),
        ("The copper lantern is still unpaid.", True),
        ("“You never brought the copper lantern,” says Wenna.", True),
        ("The copper lantern hangs over the counter where you brought it.", False),
        ("“You still owe me three silver,” says Wenna.", False),
        ("The lantern still burns.", False),
    ],
)
def test_record_checks_find_reopened_matters(text: str, is_faulty: bool) -> None:
    assert bool(list(find_reopened_matters(text, [LAMP]))) is is_faulty
