"""Reads whether a question asks if somebody is dead, and whether a text tells of that death. Pure.

A text that names somebody beside another's death (`Osk falls dead beside the dog.`) does not tell of theirs.
"""

from __future__ import annotations

import re
from typing import Final

from agents.canon_keeper.fact_readings import ALIVE, IS, IS_NOT, SUBJECT, is_true_death
from agents.prose.words import split_sentences
from agents.search.question import QuestionName, RecordQuestion, word_forms
from agents.search.relatives import is_relative_of
from agents.search.result_validity import is_ended
from stores.records.canon import Fact, FactKind, FactStatus
from stores.records.ids import Id

_DEATH_FORMS: Final = word_forms("die died dies dead death alive kill killed kills slain")
_DIES: Final = re.compile(
    r"\b(?:dies?|died|(?<!\bthe )(?<!\ba )dead|dying|death|alive|(?:is|was|were|been)\s+(?:killed|slain))\b",
    re.IGNORECASE,
)
"""`The dead man` is somebody else."""
_KILLS: Final = re.compile(r"\b(?:kills?|killed|slays?|slew|death\s+of|killing\s+of)\b", re.IGNORECASE)
_PLACE_WORDS: Final = frozenset({"in", "at", "on", "near", "outside", "inside"})
_POSSESSIVE: Final = re.compile(r"['’]s?(?=\s+\w)")
_OWNS: Final = re.compile(r"['’]s?\s+(?!(?:death|body|corpse|murder|grave|killing)\b)", re.IGNORECASE)
"""`Osk's mother` is somebody else."""
_REST_OF_NAME: Final = re.compile(r"(?:\s+[A-Z][\w'’-]+)+")
_CONDITION: Final = re.compile(
    r"\s+(?:is|was|seems|looks|lies|remains|feels)\s+(?!(?:the|an?|my|your|his|her|in|at|on|of|from|to)\b)",
    re.IGNORECASE,
)
"""How somebody is: not what they are, or where."""
_OTHER_NAME: Final = re.compile(r"\b[A-Z]")


def asks_about_death(question: RecordQuestion) -> bool:
    """Say whether the question asks if somebody is dead or alive, be they in canon or not."""
    return bool(question.content_words & _DEATH_FORMS and find_asked_deaths(question))


def find_asked_deaths(question: RecordQuestion) -> tuple[QuestionName, ...]:
    """Return whose death may be asked for: neither Osk in `Osk's dog` nor Harl in `Who died in Harl?`."""
    return tuple(name for name in question.names if not _is_owner_or_place(question.text, name))


def tells_of_death(question: RecordQuestion, text: str) -> bool:
    """Say whether a text tells that somebody whom the question names dies, is dead or is alive."""
    return any(_tells(question, sentence) for sentence in split_sentences(text))


def subject_of(fact: Fact) -> Id | None:
    """Return whom a fact is about."""
    return next((i.entity_id for i in fact.involves if i.role == SUBJECT), None)


def is_death(fact: Fact) -> bool:
    """Say whether a fact of canon is that somebody is dead, and was not taken back."""
    return is_true_death(fact) and fact.status is FactStatus.CANONICAL


def bears_on_death(question: RecordQuestion, fact: Fact, *, is_about: bool) -> bool:
    """Say whether a fact tells of a named death, or says how somebody is of whom the question asks it."""
    asked_ids = {entity_id for name in find_asked_deaths(question) for entity_id in name.entity_ids}
    if fact.predicate == ALIVE:
        return subject_of(fact) in asked_ids
    is_state = fact.kind in (FactKind.STATE, FactKind.ATTRIBUTE) and not is_ended(fact)
    is_of_them = subject_of(fact) is None or subject_of(fact) in asked_ids
    says_condition = is_state and is_about and is_of_them and _says_condition(question, fact)
    return says_condition or tells_of_death(question, fact.statement)


def _is_owner_or_place(text: str, name: QuestionName) -> bool:
    words = list(re.finditer(r"[^\W_]+", text))
    positions = [n for n, word in enumerate(words) if word_forms(word[0]) & name.normalized_words]
    if not positions:
        return False
    before = words[positions[0] - 1][0].casefold() if positions[0] else ""
    if is_relative_of(text[: words[positions[0]].start()]):
        return True
    return before in _PLACE_WORDS or _POSSESSIVE.match(text, words[positions[-1]].end()) is not None


def _says_condition(question: RecordQuestion, fact: Fact) -> bool:
    """Say whether a fact says how somebody is: `Osk is only stunned`, HP of 0. A number above it says nothing."""
    if isinstance(fact.value, int | float) and not isinstance(fact.value, bool):
        return fact.value <= 0
    return fact.predicate in (IS, IS_NOT) or any(
        _CONDITION.match(fact.statement, word.end())
        for name in find_asked_deaths(question)
        for word in re.finditer(r"[^\W_]+", fact.statement)
        if word_forms(word[0]) & name.normalized_words
    )


def _tells(question: RecordQuestion, sentence: str) -> bool:
    words = list(re.finditer(r"[^\W_]+", sentence))
    for name in find_asked_deaths(question):
        matches = [w for w in words if word_forms(w[0]) & name.normalized_words]
        if not matches:
            continue
        begin, end = matches[0].start(), matches[-1].end()
        if _OWNS.match(sentence, end):
            continue
        rest_of_name = _REST_OF_NAME.match(sentence, end)
        end = rest_of_name.end() if rest_of_name else end
        dies = _DIES.search(sentence, end)
        kills = _KILLS.search(sentence, 0, begin)
        if dies and not _OTHER_NAME.search(sentence, end, dies.start()):
            return True
        if kills and not _OTHER_NAME.search(sentence, kills.end(), begin):
            return True
    return False
