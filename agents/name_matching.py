"""Finds what a typed name means: the same rules in every command. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, TypeVar

from agents.typed_text import fold_name

T = TypeVar("T", bound=Hashable)

MIN_PREFIX_LENGTH: Final = 2
"""Letters from which the beginning of a name is enough."""
MIN_LIKENESS: Final = 60
"""How alike a name must be, of 100, to be asked after."""

_ARTICLES: Final = ("the ", "a ", "an ")


def match_names(typed_name: str, named_items: Iterable[tuple[str, T]]) -> list[T]:
    """Return the items that a typed name means, each once: one if it is clear, several if it is not.

    The closest kind of match decides: the whole name; the name without its article; the beginning of the name;
    words from within the name, of which the last may be a beginning.
    """
    key = fold_name(typed_name)
    bare_key = _without_article(key)
    if not bare_key:
        return []
    folded_items = [(fold_name(name), item) for name, item in named_items]
    is_match_by_closeness: Sequence[Callable[[str], bool]] = (
        lambda name: name == key,
        lambda name: _without_article(name) == bare_key,
        lambda name: _begins(name, key) or _begins(_without_article(name), bare_key),
        lambda name: _has_words(name, bare_key),
    )
    for is_match in is_match_by_closeness:
        if matches := list(dict.fromkeys(item for name, item in folded_items if is_match(name))):
            return matches
    return []


def find_similar_names(typed_name: str, names: Sequence[str]) -> list[str]:
    """Return up to three names that a mistyped one may mean, the likeliest first."""
    from rapidfuzz import fuzz, process  # not loaded before the menu is filled

    def rate_likeness(
        one: str, other: str, *, processor: object = None, score_cutoff: float | None = None
    ) -> float:
        """Return how alike two names are, 0 to 100: letter by letter, or by the words that they share.

        A part of a longer name counts for nothing by itself: `Rat` is not like `Boat House`.
        """
        one, other = without_article(one), without_article(other)
        return max(fuzz.ratio(one, other), 0.9 * fuzz.token_set_ratio(one, other))

    matches = process.extract(typed_name, names, scorer=rate_likeness, limit=3, score_cutoff=MIN_LIKENESS)
    return [name for name, *_ in matches]


def without_article(name: str) -> str:
    """Return the folded name without a leading article."""
    return _without_article(fold_name(name))


def _without_article(folded_name: str) -> str:
    return next((folded_name[len(a) :] for a in _ARTICLES if folded_name.startswith(a)), folded_name)


def _begins(name: str, key: str) -> bool:
    return len(key) >= MIN_PREFIX_LENGTH and name.startswith(key)


def _has_words(name: str, key: str) -> bool:
    """Return whether the key is a run of words of the name, the last of them possibly a beginning."""
    return len(key) >= MIN_PREFIX_LENGTH and f" {key}" in f" {name}"
