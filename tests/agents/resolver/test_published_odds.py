"""docs/oracle.md prints the odds that the dice are read with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents.resolver.how_much import HIGHEST_TOTALS, Amount
from agents.resolver.oracle import LIKELIHOOD_ALIASES, Likelihood
from agents.resolver.published_odds import TABLES, with_tables
from agents.resolver.random_tables import read_table

DOC = Path(__file__).parents[3] / "docs" / "oracle.md"


def test_the_document_prints_every_table_as_it_is() -> None:
    document = DOC.read_text(encoding="utf-8")
    assert sorted(re.findall(r"<!-- odds: ([a-z ]+) -->", document)) == sorted(TABLES)
    assert with_tables(document) == document, "write with_tables(document) back to docs/oracle.md"


def test_what_is_stale_is_put_right() -> None:
    stale = "before\n<!-- odds: scene -->\n| wrong |\n<!-- end -->\nafter\n"
    right = with_tables(stale)
    assert "| 5 | 10 | 20 | 70 |" in right
    assert "wrong" not in right
    assert right.startswith("before\n<!-- odds: scene -->\n\n| tension |")
    assert right.endswith("|\n\n<!-- end -->\nafter\n")
    with pytest.raises(KeyError):
        with_tables("<!-- odds: none such -->\n<!-- end -->")


def test_the_document_names_every_short_name() -> None:
    listed = dict(re.findall(r"^\| ([a-z ]+) \| (`.*`) \|$", DOC.read_text(encoding="utf-8"), re.MULTILINE))
    documented = {
        (name, alias) for name, aliases in listed.items() for alias in re.findall("`(.*?)`", aliases)
    }
    assert documented == {
        (one.value, alias) for alias, one in LIKELIHOOD_ALIASES.items() if alias not in list(Likelihood)
    }


def test_the_document_gives_the_bands_of_amounts() -> None:
    bands = re.findall(
        r"^\| (?:to|from)? ?(\d+)[^|]*\| ([a-z ]+) \|$", DOC.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [amount for _, amount in bands] == list(Amount)
    assert [int(total) for total, _ in bands] == [
        HIGHEST_TOTALS[0],
        *(highest + 1 for highest in HIGHEST_TOTALS),
    ]


def test_the_table_in_the_document_can_be_read() -> None:
    document = DOC.read_text(encoding="utf-8")
    example = re.search(r"^    title: .*?(?=\n\n)", document, re.DOTALL | re.MULTILINE)
    assert example is not None
    table = read_table("pass", "\n".join(line[4:] for line in example[0].splitlines()))
    assert [row.weight for row in table.rows] == [1, 4, 1]
