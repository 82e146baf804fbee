"""Store reads of a typed line: one loaded scene context serves the whole line."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks.libraries import Libraries
from benchmarks.reads import MAX_READS, count_reads
from tests.examples import first_few


@pytest.fixture(scope="module")
def reads_by_line(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    home: Path = Libraries(tmp_path_factory.mktemp("reads"), quick=True).fresh
    return asyncio.run(count_reads(home))


@pytest.mark.slow
@pytest.mark.parametrize("line", first_few(MAX_READS))
def test_store_reads_of_a_typed_line_stay_below_their_bound(line: str, reads_by_line: dict[str, int]) -> None:
    assert reads_by_line[line] <= MAX_READS[line]


def test_store_reads_are_bounded_for_every_line_that_is_measured(reads_by_line: dict[str, int]) -> None:
    assert reads_by_line.keys() == MAX_READS.keys()
