"""Reads the dates that a text names, as precisely as they are written: `31 January`, `the first of May`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_MONTH = re.compile(
    rf"\b(?:(?P<day1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?(?P<month>{'|'.join(_MONTHS)})"
    r"(?: (?P<day2>\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? (?P<year>(?:19|20)\d\d))?\b",
    re.IGNORECASE,
)
_ORDINAL_WORDS: Final = (
    *(
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
    ),
    *(
        "twelfth",
        "thirteenth",
        "fourteenth",
        "fifteenth",
        "sixteenth",
        "seventeenth",
        "eighteenth",
        "nineteenth",
    ),
    *("twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth"),
    *("twenty-sixth", "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first"),
)
_ORDINAL_DATE = re.compile(
    rf"\b(?P<ordinal>{'|'.join(sorted(_ORDINAL_WORDS, key=len, reverse=True))}) of (?={'|'.join(_MONTHS)})\b",
    re.IGNORECASE,
)
_ISO_DATE = re.compile(r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d?)-(?P<day>\d\d?)\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MAY: Final = 5


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date as precisely as it was written: a year, a month of any year, or a day."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def includes(self, moment: date) -> bool:
        """Say whether a day falls on this date."""
        date_parts = (self.year, self.month, self.day)
        return all(
            a is None or a == b
            for a, b in zip(date_parts, (moment.year, moment.month, moment.day), strict=True)
        )


def read_dates(text: str) -> Iterable[PartialDate]:
    """Return the dates; years alone only where no month is named."""
    text = _ORDINAL_DATE.sub(lambda match: f"{_ORDINAL_WORDS.index(match['ordinal'].casefold()) + 1} ", text)
    has_month = False
    for iso_match in _ISO_DATE.finditer(text):
        has_month = True
        yield PartialDate(int(iso_match["year"]), int(iso_match["month"]), int(iso_match["day"]))
    for month_match in _MONTH.finditer(text):
        day, year = month_match["day1"] or month_match["day2"], month_match["year"]
        number = _MONTHS.index(month_match["month"].casefold()) + 1
        if number == _MAY and not (day or year or month_match["month"] == "May"):
            continue  # "may" can be a verb
        has_month = True
        yield PartialDate(int(year) if year else None, number, int(day) if day else None)
    if not has_month:
        yield from (PartialDate(year=int(year_match[0])) for year_match in _YEAR.finditer(text))


def remove_dates(text: str) -> str:
    """Return a text without the dates that `read_dates` finds in it, and without the `on` before them."""
    if not any(True for _ in read_dates(text)):
        return text
    text = _ORDINAL_DATE.sub("", text)
    for pattern in (_ISO_DATE, _MONTH, _YEAR):
        text = re.sub(rf"(?:\bon )?{pattern.pattern}", " ", text, flags=re.IGNORECASE)
    return text
