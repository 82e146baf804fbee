"""Builds an FTS5 query from what was typed, which cannot fail and cannot take long.

Only whole quoted words reach FTS5, so nothing in a text is an operator. The rarest words are used first, until too
many rows would be scored: scoring a row takes about a microsecond, which is most of a search's time, and common
words hardly change the order. Skipping a row takes a tenth of that, so a scope with much of the index is left out of
the query, and the best hits are checked against it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

MAX_QUERY_CHARACTERS = 2_000
"""Characters of a query that are read."""

MAX_QUERY_WORDS = 32
MAX_SCORED_ROWS = 6_000
"""The most words of a query and the most rows that are scored; the rarest word is always used."""

_SMALL_SCOPE_ROWS = 1_000
"""Rows of a scope that is so small that every word is used, however common."""

_WIDE_SCOPE_DIVISOR = 4
"""A scope with at least one row in this many is left out of the query; hits are checked against it."""

_STOP_WORDS = """
    a about after again all also am an and any are as at be because been before being but by can could
    d did do does doing don down for from had has have having he her here hers him his how i if in into is it
    its just ll m me more most my no nor not now of off on once only or our out over own re s same she should
    so some such t than that the their them then there these they this those through to too under until up
    ve very was we were what when where which while who whom why will with would you your"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


class QueryWord(NamedTuple):
    """A word as it was typed (folded), and its stem in the index."""

    text: str
    stem: str


class TextQuery(NamedTuple):
    """A query of the text index: `expression` is for FTS5, the rest of the scope is checked for every hit."""

    expression: str
    required_scope_words: tuple[str, ...] = ()


def scope_word(key: str, value: str) -> str:
    """Return the one word that stands for `key = value` in the index's scope column.

    Decimal digits alone, so that neither the folding nor the stemming of words touches it.
    """
    digest = hashlib.sha256(f"{key}\x1f{value}".encode(errors="replace")).digest()
    return str(int.from_bytes(digest[:16], "big"))


def scope_expression(scope: Mapping[str, str]) -> str:
    """Return the FTS5 query for everything within the scope."""
    return " AND ".join(f'scope: "{scope_word(*pair)}"' for pair in scope.items())


def build_text_query(
    words: Sequence[QueryWord],
    scope: Mapping[str, str] | None,
    count_rows_with: Callable[[str], int],
    total_rows: int,
) -> TextQuery | None:
    """Return the query for any of the words within the scope; None if nothing can be found.

    `count_rows_with` says in how many rows of the index a stem occurs; `total_rows` is about how many rows there are.
    """
    scope_words = tuple(scope_word(key, value) for key, value in (scope or {}).items())
    scope_rows = min((count_rows_with(word) for word in scope_words), default=total_rows)
    if not scope_rows:
        return None
    is_wide_scope = scope_rows * _WIDE_SCOPE_DIVISOR >= total_rows
    chosen_words = _choose_rarest(
        _drop_stop_words(words), total_rows if is_wide_scope else scope_rows, count_rows_with, total_rows
    )
    if not chosen_words:
        return None
    text_expression = "text: ({})".format(" OR ".join(f'"{word.text}"' for word in chosen_words))
    if is_wide_scope:
        return TextQuery(text_expression, scope_words)
    return TextQuery(" AND ".join((text_expression, scope_expression(scope or {}))))


def _drop_stop_words(words: Sequence[QueryWord]) -> list[QueryWord]:
    """Return one word per stem, without stop words unless there is nothing else."""
    content_words = [word for word in words if word.text not in STOP_WORDS] or words
    return list({word.stem: word for word in content_words}.values())


def _choose_rarest(
    words: Sequence[QueryWord], max_hits: int, count_rows_with: Callable[[str], int], total_rows: int
) -> list[QueryWord]:
    """Return the rarest words, until they would cost too much or add nothing.

    BM25 gives no weight to a word in half of the rows.

    In a small scope every word is cheap: none can match more than its rows. Rows that are only skipped cost an
    eighth of those that are scored.
    """
    words_by_rarity = sorted((rows, word) for word in words if (rows := count_rows_with(word.stem)))
    chosen_words: list[QueryWord] = []
    cost = 0
    for rows, word in words_by_rarity[:MAX_QUERY_WORDS]:
        cost += min(rows, max_hits) + rows // 8
        if chosen_words and (
            cost > MAX_SCORED_ROWS or (max_hits > _SMALL_SCOPE_ROWS and 2 * rows > total_rows)
        ):
            break
        chosen_words.append(word)
    return chosen_words
