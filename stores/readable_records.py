"""Reads lists in which one damaged record must not hide the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

from stores.errors import LibraryUnreadable
from stores.records.base import Record

R = TypeVar("R", bound=Record)
Row = TypeVar("Row")


class ReadableRecords(NamedTuple, Generic[R]):
    """The records of a list that can be read, and what is wrong with each of the others, in words."""

    records: list[R]
    problems: list[str]


def parse_readable(rows: Iterable[Row], parse: Callable[[Row], R]) -> ReadableRecords[R]:
    """Parse every row; a row for which `parse` raises LibraryUnreadable becomes a problem."""
    readable: ReadableRecords[R] = ReadableRecords([], [])
    for row in rows:
        try:
            readable.records.append(parse(row))
        except LibraryUnreadable as error:
            readable.problems.append(str(error))
    return readable
