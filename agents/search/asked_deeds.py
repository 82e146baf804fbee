"""Reads what somebody is asked to have done, and whether a text tells that they did it, not somebody else. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agents.prose.names import HONORIFICS
from agents.resolver.phrasings import word_set
from agents.search.normal_words import LOCATION_WORDS, normalize_word
from agents.search.question import ASKING_AUXILIARIES, SPEECH_WORDS, RecordQuestion

_OWNING_WORD: Final = re.compile(r"(?P<word>[^\W_]+)(?P<owns>['’]s?(?= ))?")
_ASKS_WHO_HAS: Final = re.compile(
    r"^(?:and |but |so )?who (?:now |still )?(?:has|have|had) "
    r"(?:(?:the|an?|my|our|your|his|her|their)\b|[^\W_]+['’]s? )",
    re.IGNORECASE,
)
"""Who has a thing is asked for, and nothing that is done with it."""
SUBJECT_PRONOUNS: Final = frozenset({"i", "we", "you", "he", "she", "they"})
_ASKER: Final = frozenset({"i", "we"})
ARTICLES: Final = frozenset({"the", "a", "an"})
_WHO: Final = "who"
_WHO_OR_WHAT: Final = frozenset({"who", "what"})
PASSIVE_AUXILIARIES: Final = frozenset({"was", "were", "is", "are"})
ADVERBS: Final = word_set("ever never also already still really once not first last then just now")
_MEANS_TO: Final = word_set("want mean have need intend plan hope try ought going manage come get")
"""Verbs that another follows with `to`."""
_MOVES: Final = frozenset(
    map(normalize_word, word_set("go come run ride flee travel walk sail hide end stay sleep spend"))
)
"""What somebody did who then is somewhere: to a question where, their being there answers."""
_ASKS_WHERE: Final = re.compile(r"^(?:and |but |so )?where\b", re.IGNORECASE)
_AFTER_INTRANSITIVE: Final = LOCATION_WORDS | word_set(
    "with for to from after when before while then afterwards since"
)
MIN_WORDS_TO_WHOM: Final = 4
"""Words that a question has at least that asks to whom somebody did something: `Who did Vess rob?`."""


@dataclass(frozen=True, slots=True)
class AskedDeed:
    """What somebody is asked to have done."""

    verb: str
    """In normal form."""
    subject_words: frozenset[str]
    """The words of the name of who did it, in normal form; empty where that is asked for, or said by a pronoun."""
    is_saying: bool
    """Whether it is to speak: words are quoted without saying so."""
    is_intransitive: bool = False
    """Whether nothing follows to which it is done: `Where did Dob hide with the book?`."""
    is_of_asker: bool = False
    """Whether the player's character is asked to have done it: `When did I become bailiff?`."""
    object_words: frozenset[str] = frozenset()
    """The words of the name of whom or what it is done to, in normal form; empty where no name is."""


def find_asked_deed(question: RecordQuestion) -> AskedDeed | None:
    """Return what somebody is asked to have done: to `sell` in `Why did Dame Astrid sell the house?`.

    None if that is not plain.
    """
    name_words = frozenset(word for name in question.names for word in name.normalized_words)
    return _read_deed(question.text, name_words, question.content_words)


@lru_cache(maxsize=64)
def _read_deed(
    question_text: str, name_words: frozenset[str], content_words: frozenset[str]
) -> AskedDeed | None:
    tokens = [(m["word"].casefold(), bool(m["owns"])) for m in _OWNING_WORD.finditer(question_text)]
    words = [word for word, _ in tokens]
    if _ASKS_WHO_HAS.match(question_text):
        return None
    subject_words: set[str] = set()
    is_subject_read = is_passive = is_of_asker = False
    asks_to_whom = _asks_to_whom_it_is_done(words, name_words)
    for n, word in enumerate(words):
        normalized_word = normalize_word(word)
        is_subject = normalized_word in name_words or word in SUBJECT_PRONOUNS
        if is_subject and tokens[n][1] and not is_subject_read:
            # Of `Where does Maddow's house stand?` the house is the subject.
            return None
        if n == 0 and word == _WHO:
            is_subject_read = not asks_to_whom
        elif not is_subject_read:
            is_subject_read = is_subject and _follows_auxiliary(words[:n], name_words)
            is_passive = is_subject_read and not PASSIVE_AUXILIARIES.isdisjoint(words[:n])
            is_of_asker = is_subject_read and word in _ASKER
            subject_words |= {normalized_word} if is_subject_read and normalized_word in name_words else set()
        elif is_subject and n and normalize_word(words[n - 1]) in subject_words:
            subject_words.add(normalized_word)
        elif word in PASSIVE_AUXILIARIES and words[0] in _WHO_OR_WHAT and "by" in words[n:]:
            continue
        elif not is_subject and word not in ASKING_AUXILIARIES | ADVERBS:
            if (word in _MEANS_TO and words[n + 1 : n + 2] == ["to"]) or (
                word == "to" and words[n - 1] in _MEANS_TO
            ):
                continue
            if word == "get" and _following_word(words, n).endswith("ed"):
                continue  # to get married is to marry
            if normalized_word not in content_words and word not in SPEECH_WORDS:
                return None
            following = _following_word(words, n)
            is_passive = is_passive and not word.endswith("ing")  # `Where was Ruy hiding?`
            if following == "by" and words[0] in _WHO_OR_WHAT and words[1] in PASSIVE_AUXILIARIES:
                # `Who was robbed by Dob?`
                is_passive = False
                subject_words = {w for w in map(normalize_word, words[n + 2 :]) if w in name_words}
            return AskedDeed(
                normalized_word,
                frozenset() if is_passive else frozenset(subject_words),
                word in SPEECH_WORDS,
                is_intransitive=not following or following in _AFTER_INTRANSITIVE,
                is_of_asker=is_of_asker and not is_passive,
                object_words=frozenset(
                    subject_words if is_passive else _read_object(tokens[n + 1 :], name_words)
                ),
            )
    return None


def _following_word(words: Sequence[str], position: int) -> str:
    return words[position + 1] if position + 1 < len(words) else ""


def asks_where_by_deed(question: RecordQuestion, deed: AskedDeed) -> bool:
    """Say whether it is asked where somebody went, or the like: that they were somewhere answers it."""
    return deed.verb in _MOVES and deed.is_intransitive and _ASKS_WHERE.match(question.text) is not None


def asks_only_what_was_said(question: RecordQuestion) -> bool:
    """Say whether it asks what somebody told, and of no matter: `What did Vess tell me?`."""
    deed = find_asked_deed(question)
    return deed is not None and deed.is_saying and not question.content_words


def _read_object(tokens: Sequence[tuple[str, bool]], name_words: Collection[str]) -> frozenset[str]:
    """Return the words of the name that follows a verb in a question, each token with whether it owns what follows.

    Of Moss in `Where did we bury old Moss?`, of nobody in `Where did we bury Moss's dog?`, if that has no name.
    """
    object_words: set[str] = set()
    for n, (word, owns) in enumerate(tokens):
        if word in ARTICLES or word in HONORIFICS:
            continue
        if owns and n + 1 < len(tokens) and normalize_word(tokens[n + 1][0]) in name_words:
            continue  # `Pask's pistol` is the pistol
        if owns or normalize_word(word) not in name_words:
            return frozenset() if owns else frozenset(object_words)
        object_words.add(normalize_word(word))
    return frozenset(object_words)


def _asks_to_whom_it_is_done(words: Sequence[str], name_words: Collection[str]) -> bool:
    """Say whether `who` is to whom something is done: `Who did Captain Vess rob?`, and not `Who robbed Vess?`."""
    if words[:1] != [_WHO] or len(words) < MIN_WORDS_TO_WHOM or words[1] not in ASKING_AUXILIARIES:
        return False
    subject = next((w for w in words[2:] if w not in ARTICLES and w not in HONORIFICS), "")
    return subject in SUBJECT_PRONOUNS or normalize_word(subject) in name_words


def _follows_auxiliary(words_before: list[str], name_words: Collection[str]) -> bool:
    """Say whether a subject after these words does what is asked: `did`, then nothing but its article and title."""
    other_words = [
        word
        for word in words_before
        if normalize_word(word) not in name_words and word not in ARTICLES and word not in HONORIFICS
    ]
    return bool(other_words) and other_words[-1] in ASKING_AUXILIARIES | PASSIVE_AUXILIARIES
