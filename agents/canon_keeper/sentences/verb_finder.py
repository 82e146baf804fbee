"""Finds the verb of a clause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import WordLists, load_word_lists, number_of

BE: Final = frozenset({"is", "are", "am", "was", "were", "be", "been", "being"})
HAVE: Final = frozenset({"has", "have", "had"})
DO: Final = frozenset({"does", "do", "did"})
FINITE: Final = (BE - {"be", "been", "being"}) | HAVE | DO
CAN: Final = frozenset({"can", "could"})
MODALS: Final = frozenset({"would", "may", "might", "should", "must", "will", "shall", "ought"})


_SAID_OF_SUBJECT: Final = ("alone", "himself", "herself", "itself", "all", "both", "here")
"""Adverbs behind a subject that belong to it, and not to the verb."""


class VerbFinder:
    """Finds verbs among words that may be nouns as well."""

    def __init__(self, lists: WordLists) -> None:
        self._lists = lists

    def starts_with_verb(self, tokens: Sequence[Token]) -> bool:
        for token in tokens[2:] if begins_no_longer(tokens) else tokens:
            if token.word in load_word_lists().adverbs or (token.word.endswith("ly") and len(token.word) > 4):
                continue
            if token.word in FINITE or token.word in CAN or token.word in MODALS:
                return True
            return any(r.tag in ("s", "past") for r in self._lists.readings_as_verb(token.word))
        return False

    def find_verb(self, tokens: Sequence[Token]) -> int | None:
        """Return where the finite verb stands, or the auxiliary before it."""
        for index, token in enumerate(tokens):
            if index == 0 and token.word not in ("is", "are", "was", "were"):
                continue
            word = token.word
            if index and (word in FINITE or word in CAN or word in MODALS):
                return index
            previous = tokens[index - 1] if index else token
            if (
                token.entity
                or index == 0
                or previous.word
                in ARTICLES
                | POSSESSIVES
                | {"'s", "no", "every", "any", "some", "each", "only", "this", "that"}
                or previous.word in PREPOSITIONS
                or (
                    number_of(previous.word) is not None
                    and previous.word != "one"
                    and tokens[index - 2].word != "of"
                )
            ):
                continue
            readings = self._lists.readings_as_verb(word)
            tags = {r.tag for r in readings}
            if tags & {"s", "past"}:
                following = tokens[index + 1].word if index + 1 < len(tokens) else ""
                if following in FINITE and "past" not in tags:
                    continue  # a plural noun: `the guards are`
                return index
            if "base" in tags and (
                previous.word.endswith("s")
                or previous.word in ("they", "i", "you", "we", "both", "people", "men")
                or previous.entity
                or previous.word in load_word_lists().adverbs
                or begins_no_longer(tokens[index - 2 : index])
            ):
                return index
            if (
                not readings
                and previous.entity
                and (word.endswith(("ed", "es")) or (word.endswith("s") and len(word) > 3))
            ):
                return index
            if (
                not readings
                and previous.word in load_word_lists().adverbs
                and previous.word != "one"
                and word.endswith(("ed", "s"))
                and len(word) > 3
            ):
                return index
        return None

    def subject_end(self, tokens: Sequence[Token], verb_index: int) -> int:
        end = verb_index
        while end > 1:
            if end > 2 and begins_no_longer(tokens[end - 2 : end]):
                end -= 2
            elif is_adverb(tokens[end - 1]) and tokens[end - 1].word not in _SAID_OF_SUBJECT:
                end -= 1
            else:
                break
        return end


def begins_no_longer(tokens: Sequence[Token]) -> bool:
    """Say whether words begin with `no longer`, which denies the verb behind it: `Sten no longer serves Hela`."""
    return [token.word for token in tokens[:2]] == ["no", "longer"]


def is_adverb(token: Token) -> bool:
    word = token.word
    return not token.entity and (
        word in load_word_lists().adverbs
        or (word.endswith("ly") and len(word) > 4 and word not in ("family", "holy", "only-child"))
    )
