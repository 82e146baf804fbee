"""docs/oracle.md has the odds that the dice are read with."""

from __future__ import annotations

import re

import pytest

from agents.resolver.how_much import HIGHEST_TOTALS, Amount
from agents.resolver.oracle import LIKELIHOOD_ALIASES, Likelihood
from agents.resolver.random_tables import read_table
from tools.published_odds import DOCUMENT, TABLES, with_tables


def test_published_odds_in_document_are_current() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    assert sorted(re.findall(r"<!-- odds: ([a-z ]+) -->", document)) == sorted(TABLES)
    assert with_tables(document) == document, "run python -m tools.published_odds"


def test_published_odds_replace_stale_tables() -> None:
    stale = "before\n<!-- odds: scene -->\n| wrong |\n<!-- end -->\nafter\n"
    right = with_tables(stale)
    assert "| 5 | 10 | 20 | 70 |" in right
    assert "wrong" not in right
    assert right.startswith("before\n<!-- odds: scene -->\n\n| tension |")
    assert right.endswith("|\n\n<!-- end -->\nafter\n")
    with pytest.raises(KeyError):
        with_tables("<!-- odds: none such -->\n<!-- end -->")


def test_oracle_document_names_every_alias() -> None:
    listed = dict(
        re.findall(r"^\| ([a-z ]+) \| (`.*`) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    )
    documented = {
        (name, alias) for name, aliases in listed.items() for alias in re.findall("`(.*?)`", aliases)
    }
    assert documented == {
        (one.value, alias) for alias, one in LIKELIHOOD_ALIASES.items() if alias not in list(Likelihood)
    }


def test_oracle_document_gives_bands_of_amounts() -> None:
    bands = re.findall(
        r"^\| (?:to|from)? ?(\d+)[^|]*\| ([a-z ]+) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [amount for _, amount in bands] == list(Amount)
    assert [int(total) for total, _ in bands] == [
        HIGHEST_TOTALS[0],
        *(highest + 1 for highest in HIGHEST_TOTALS),
    ]


def test_oracle_document_example_table_can_be_read() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    example = re.search(r"^    title: .*?(?=\n\n)", document, re.DOTALL | re.MULTILINE)
    assert example is not None
    table = read_table("pass", "\n".join(line[4:] for line in example[0].splitlines()))
    assert [row.weight for row in table.rows] == [1, 4, 1]
