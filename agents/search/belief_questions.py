"""Recognizes questions that somebody's memories answer: `What does Bela know of it?`, `Who knows I lied?`. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.prose.titles import TITLES
from agents.search.normal_words import has_word_like, normalize_word, word_forms
from agents.search.question import MIN_WORD_SHARE, RecordQuestion
from agents.search.question_names import QuestionName
from agents.search.relatives import find_asked_relatives, speaks_of_relatives
from stores.records.ids import Id

_VERB: Final = r"(?:know|think|believe|remember|recall|suspect)"
_KNOWS: Final = re.compile(
    rf"^(?:what (?:else )?)?(?:does|did|do) (?P<owner>.+?) (?:really |still |already )?{_VERB}\b",
    re.IGNORECASE,
)
_WAS_TOLD: Final = re.compile(
    r"^(?:what (?:else )?)?(?:was|were|is|has|have) (?P<owner>.+?) (?:been )?told\b", re.IGNORECASE
)
_ASKS_WHETHER: Final = re.compile(
    rf"^(?:does|did|do) .+? {_VERB} "
    r"(?!(?:of|about|what|who|whom|whose|where|when|why|how|which|anything|something)\b)\w",
    re.IGNORECASE,
)
_ASKS_WHO_KNOWS: Final = re.compile(
    r"^who(?: else| all)? (?:already |still )?(?:(?:knows?|knew|remembers?|has heard|heard|suspects?)\b"
    r"|(?:believes?|believed|thinks?|thought)\b(?! (?:of|about|in|up|to|so)\b))",
    re.IGNORECASE,
)
_SAYS_KNOW: Final = re.compile(
    r"\b(?:knows?|knew|known|heard|remembers?|suspects?|told|learn\w*|believes?|believed|thinks?|thought)\b",
    re.IGNORECASE,
)
_SAYS_ALIVE: Final = re.compile(
    r"\b(?:alive|lives|living|lived|survive[sd]?|not (?:really )?dead)\b|n['’]t dead\b", re.IGNORECASE
)
_SAYS_DEAD: Final = re.compile(
    r"(?<!\bnot )(?<!n['’]t )\b(?:dead|died|dies|killed|murdered)\b", re.IGNORECASE
)
_SAYS_I: Final = re.compile(r"\b(?:I|me|my|we|us|our)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+")
_ASKING_WORDS: Final = frozenset(
    map(normalize_word, ["know", "think", "believe", "remember", "recall", "suspect", "told", "tell", "true"])
)


_TITLE_WORDS: Final = frozenset(map(normalize_word, TITLES))


def find_believers(question: RecordQuestion) -> frozenset[Id]:
    """Return whose memories the question asks for; empty if it asks for nobody's."""
    name = _find_owner(question)
    return name.entity_ids if name else frozenset()


def asks_who_knows(question: RecordQuestion) -> bool:
    """Say whether the question asks who knows something: `Who knows I was a thief?`."""
    return _ASKS_WHO_KNOWS.match(question.text.strip()) is not None


def asks_whether_known(question: RecordQuestion) -> bool:
    """Say whether it asks if somebody knows one thing: `Does Dob know that the mill burned?`."""
    return bool(find_believers(question)) and _ASKS_WHETHER.match(question.text.strip()) is not None


def asks_what_was_told(question: RecordQuestion) -> bool:
    """Say whether it asks what somebody was told, and not what they saw."""
    return _WAS_TOLD.match(question.text.strip()) is not None


def says_otherwise_of_life(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has somebody dead of whom the question asks who knows them alive, or the other way round."""
    if _SAYS_ALIVE.search(question.text):
        return _SAYS_ALIVE.search(text) is None and _SAYS_DEAD.search(text) is not None
    is_of_dead = _SAYS_DEAD.search(question.text) is not None
    return is_of_dead and _SAYS_DEAD.search(text) is None and _SAYS_ALIVE.search(text) is not None


def says_who_knows(text: str) -> bool:
    """Say whether a text speaks of knowing."""
    return _SAYS_KNOW.search(text) is not None


def is_on_known_matter(question: RecordQuestion, text: str, about_ids: frozenset[Id]) -> bool:
    """Say whether a text is on the matter that is known or not; any is, if the question has none.

    Where one statement is asked for, the text has more than half of its words.
    """
    owner = _find_owner(question)
    memory_forms = word_forms(text)
    own_ids = owner.entity_ids if owner is not None else frozenset[Id]()
    other_names = [
        n for n in question.names if not (n is owner or (n.entity_ids and n.entity_ids <= own_ids))
    ]
    matter_words = question.content_words - _ASKING_WORDS
    if _SAYS_I.search(question.text) and question.asker_names:
        names_asker = any(
            name.entity_ids & about_ids or name.normalized_words <= memory_forms
            for name in question.asker_names
        )
        if not names_asker:
            return False
    if not speaks_of_relatives(find_asked_relatives(question.text), text):
        return False
    has_names = all(
        name.entity_ids & about_ids or name.normalized_words <= memory_forms for name in other_names
    )
    matched_count = sum(has_word_like(word, memory_forms) for word in matter_words)
    if asks_who_knows(question) or asks_whether_known(question):
        has_words = not matter_words or matched_count / len(matter_words) > MIN_WORD_SHARE
    else:
        has_words = not matter_words or matched_count > 0
    return has_names and has_words


def _find_owner(question: RecordQuestion) -> QuestionName | None:
    text = question.text.strip()
    matched = _KNOWS.match(text) or _WAS_TOLD.match(text)
    if matched is None:
        return None
    owner_words = {normalize_word(word.casefold()) for word in _WORD.findall(matched["owner"])} - {"the"}
    for words in (owner_words, owner_words - _TITLE_WORDS):  # `Sheriff Tully` of Sheriff Hob Tully
        for name in question.names:
            if words and name.normalized_words == words:
                return name
    return None
