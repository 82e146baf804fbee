"""What was typed, made into an FTS5 query that cannot fail and cannot take long.

Only whole quoted words ever reach FTS5, so nothing in a text is an operator. Common words are dropped and the
rarest words come first, until the rows to be scored would be too many: scoring is what a search costs (a row
takes about a thousandth of a millisecond), and the common words are those that hardly change the order. To
walk past a row takes a tenth of that, so a scope that holds much of the index is left out of the query, and
held against the best hits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

MAX_QUERY_CHARACTERS = 2_000
"""Characters of a query that are read; the words of a whole page are no longer a question."""

MAX_QUERY_WORDS = 32
MAX_SCORED_ROWS = 6_000
"""Words asked for, and rows scored, at most; the rarest word is always asked for."""

_SMALL_SCOPE_ROWS = 1_000
"""Rows of a scope in which a word is asked for however common it is: it costs nothing."""

_WIDE_SCOPE_DIVISOR = 4
"""A scope that holds this part of all rows (one by it) or more is held against the hits."""

_STOP_WORDS = """
    a about after again all also am an and any are as at be because been before being but by can could
    d did do does doing don down for from had has have having he her here hers him his how i if in into is it
    its just ll m me more most my no nor not now of off on once only or our out over own re s same she should
    so some such t than that the their them then there these they this those through to too under until up
    ve very was we were what when where which while who whom why will with would you your"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


class QueryWord(NamedTuple):
    """A word as it was typed (folded), and the stem that the index holds."""

    text: str
    stem: str


class TextQuery(NamedTuple):
    """`expression` is for FTS5; `scope` are the words of the scope that every hit is yet to be held to."""

    expression: str
    required_scope_words: tuple[str, ...] = ()


def scope_word(key: str, value: str) -> str:
    """Return the one word that stands for `key = value` in the index's scope column.

    Decimal digits alone, so that neither the folding nor the stemming of words touches it.
    """
    digest = hashlib.sha256(f"{key}\x1f{value}".encode(errors="replace")).digest()
    return str(int.from_bytes(digest[:16], "big"))


def scope_expression(scope: Mapping[str, str]) -> str:
    """Return the FTS5 query for all that is within the scope."""
    return " AND ".join(f'scope: "{scope_word(*pair)}"' for pair in scope.items())


def build_text_query(
    words: Sequence[QueryWord],
    scope: Mapping[str, str] | None,
    count_rows_with: Callable[[str], int],
    total_rows: int,
) -> TextQuery | None:
    """Return how to find any of the words within the scope; None if nothing can be found.

    `rows_with` says in how many rows of the index a stem occurs; `total` is about how many rows there are.
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
    """One word a stem, without the stop words, unless there is nothing else."""
    content_words = [word for word in words if word.text not in STOP_WORDS] or words
    return list({word.stem: word for word in content_words}.values())


def _choose_rarest(
    words: Sequence[QueryWord], max_hits: int, count_rows_with: Callable[[str], int], total_rows: int
) -> list[QueryWord]:
    """The rarest words first, until they would cost too much, or say nothing: BM25 gives no weight to a word
    that stands in half of the rows.

    A scope that holds few rows makes every word cheap: `most_hits` is all that any of them can hit. Rows
    that are only walked past cost an eighth of those that are scored.
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
