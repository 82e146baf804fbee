"""Takes the words that say when something is so out of a clause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, number_of

_IDLE_ENDINGS: Final = (
    ("in", "the", "world"), ("in", "the", "least"), ("at", "all"), ("whatsoever",), ("on", "earth"),
    ("of", "any", "kind"),
    ("in", "any", "way"), ("of", "course"), ("to", "this", "day"), ("in", "truth"), ("to", "his", "name"),
)  # fmt: skip


def opening_time_length(words: Sequence[str]) -> int:
    """Return how many words before the subject say when, without a comma: `At night the gates are closed`."""
    if len(words) > 2 and words[0] in ("at", "by", "in", "on", "this", "last", "every"):
        for length in (2, 3):
            if (
                words[length - 1] in load_word_lists().time_nouns
                and len(words) > length
                and words[length] != "of"
            ):
                return length
    return 0


def is_all_time(words: Sequence[str]) -> bool:
    """Say whether the words mean the whole time until now: `in all his years`."""
    return bool({"all", "whole"} & set(words)) and any(w in load_word_lists().time_nouns for w in words)


def take_time(tokens: list[Token]) -> tuple[list[Token], str]:
    """Take the words that say when out of the words behind a verb."""
    words = [t.word for t in tokens]
    times: list[str] = []
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        end = index
        word = words[index]
        if (
            word
            in (
                "in",
                "on",
                "at",
                "for",
                "by",
                "from",
                "to",
                "through",
                "last",
                "this",
                "every",
                "all",
                "each",
                "the",
                "one",
                "a",
                "that",
                "twice",
                "once",
            )
            or number_of(word) is not None
        ):
            limit = min(len(words), index + 6)
            stop = next(
                (
                    n
                    for n in range(index + 1, limit)
                    if (words[n] in PREPOSITIONS and words[n] != "of")
                    or tokens[n].entity
                    or (n > index + 1 and words[n] in ("every", "last", "this", "each", "all", "that"))
                ),
                limit,
            )
            time_at = next((n for n in range(index, stop) if words[n] in load_word_lists().time_nouns), None)
            is_bare = word not in PREPOSITIONS
            if time_at is not None and is_bare and word in ("the", "a", "one") and time_at > index + 2:
                time_at = None  # `betrayed the queen years ago`
            if (
                time_at is not None
                and word == "the"
                and time_at == index + 2
                and words[time_at].endswith("s")
            ):
                time_at = None
            if time_at is not None and (
                not is_bare
                or word in ("last", "this", "every", "all", "each", "one", "that")
                or (time_at + 1 < len(words) and words[time_at + 1] in ("ago", "later", "after", "before"))
            ):
                end = time_at + 1
                while end < len(words) and words[end] in ("ago", "later", "after", "before", "past"):
                    end += 1
                if end < len(words) and words[end] == "of":
                    end = len(words)
        if end > index:
            times.append(" ".join(words[index:end]))
            index = end
            continue
        if word in ("yesterday", "tonight", "today", "twice", "thrice") or (word == "once" and index):
            times.append(word)
            index += 1
            continue
        kept.append(tokens[index])
        index += 1
    return kept, " ".join(t for t in times if not is_duration(t))


def is_duration(words: str) -> bool:
    return words.startswith(("for ", "twice", "thrice", "once", "every ", "each ", "all "))


def without_idle_words(tokens: list[Token]) -> list[Token]:
    """Drop endings that say nothing of their own, and words for how something is done."""
    manners = load_word_lists().manners
    words = tuple(t.word for t in tokens)
    for ending in _IDLE_ENDINGS:
        if len(words) > len(ending) and words[-len(ending) :] == ending:
            return without_idle_words(tokens[: -len(ending)])
    if len(words) > 1 and words[-1] in manners and words[-2] not in ("as", "very", "a", "the", "and"):
        return without_idle_words(tokens[:-1])
    return tokens


def denies_only_manner(denied: Sequence[str]) -> bool:
    """Say whether words that are denied end with how something is done, or how much: `speak Thari well`."""
    lists = load_word_lists()
    return bool(denied) and denied[-1] in lists.manners | lists.degrees


def take_adverbs(tokens: list[Token]) -> tuple[list[Token], set[str]]:
    kept, taken = list(tokens), set[str]()
    while kept and kept[-1].word in (
        "now",
        "still",
        "too",
        "either",
        "again",
        "anymore",
        "already",
        "yet",
        "ever",
        "himself",
        "herself",
        "itself",
        "then",
        "today",
        "ago",
        "together",
        "alone",
    ):
        taken.add(kept.pop().word)
    if len(kept) > 2 and [t.word for t in kept[-2:]] in (["any", "more"], ["any", "longer"], ["at", "all"]):
        if kept[-2].word == "any":
            taken.add("anymore")
        kept = kept[:-2]
    return kept, taken
