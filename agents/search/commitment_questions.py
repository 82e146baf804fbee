"""Reads to whom a question asks for promises and debts, and whether a text tells of one to them. Pure.

`Who promised Bram?` asks for promises to Bram; what Bram promised comes after them.
"""

from __future__ import annotations

import re
from typing import Final

from agents.prose.words import stem
from agents.search.question import QuestionName, RecordQuestion, find_asked_subjects, normalize_word

_WORD: Final = re.compile(r"[^\W_]+")
_COMMIT_FORMS: Final = (
    "promise promises promised vow vows vowed swear swears swore sworn owe owes owed pledged"
)
_COMMITS: Final = frozenset(map(stem, _COMMIT_FORMS.split()))
_TO: Final = frozenset({"to", "the"})
_ASKER_OBJECTS: Final = frozenset({"me", "us"})
_ASKER_SUBJECTS: Final = frozenset({"i", "we"})
_MAX_WORDS_BEFORE_VERB: Final = 2
_PASSIVE: Final = frozenset({"is", "are", "was", "were", "been", "being"})


def find_recipients(question: RecordQuestion) -> tuple[QuestionName, ...]:
    """Return to whom the question asks for a promise or a debt: `Who promised Bram?`, `What was Bram promised?`.

    In `What did Bram promise me?` it is the hero.
    """
    words = _split(question.text)
    named = tuple(name for name in question.names if _is_recipient(words, name))
    is_to_asker = any(
        _is_recipient(words, QuestionName(frozenset({word}), frozenset())) for word in _ASKER_OBJECTS
    )
    return (*named, *question.asker_names) if is_to_asker else named


def asks_for_commitment(question: RecordQuestion) -> bool:
    """Say whether the question asks for promises or debts."""
    return not _COMMITS.isdisjoint(_split(question.text))


def is_made_in_reverse(question: RecordQuestion, text: str, *, is_of_asker: bool = False) -> bool:
    """Say whether a text tells of a promise or a debt the other way round: mine to Bram, where his to me is asked for.

    In the asker's own words (`is_of_asker`) `I` is the maker.
    """
    makers, recipients = find_asked_subjects(question), find_recipients(question)
    if not (makers or recipients) or not asks_for_commitment(question):
        return False
    words = _split(text)
    if is_of_asker and _is_maker(words, QuestionName(_ASKER_SUBJECTS, frozenset())):
        text_makers = question.asker_ids
    else:
        names = (*question.names, *question.asker_names)
        text_makers = frozenset(i for n in names if _is_maker(words, n) for i in n.entity_ids)
    recipient_ids = frozenset(i for name in recipients for i in name.entity_ids)
    if not text_makers or text_makers & makers:
        return False
    return bool(text_makers & recipient_ids) or (bool(makers) and not recipient_ids)


def is_made_to(text: str, recipients: tuple[QuestionName, ...]) -> bool:
    """Say whether a text tells of a promise or a debt to one of them: `promised Bram a boat`, `owes a coin to Bram`."""
    words = _split(text)
    return any(_is_recipient(words, name) for name in recipients)


def _is_recipient(words: list[str], name: QuestionName) -> bool:
    positions = [n for n, word in enumerate(words) if word in name.normalized_words]
    commits = [n for n, word in enumerate(words) if word in _COMMITS]
    if not positions or not commits:
        return False
    first, last, commit = positions[0], positions[-1], commits[0]
    if last < commit:
        # `is Bram owed`
        return last + 1 == commit and bool(_PASSIVE.intersection(words[:first]))
    between = words[commit + 1 : first]
    return first > commit and (_TO.issuperset(between) or between[-1:] == ["to"])


def _is_maker(words: list[str], name: QuestionName) -> bool:
    """Say whether it is who commits: named shortly before the verb, nobody of theirs in between."""
    commit = next((n for n, word in enumerate(words) if word in _COMMITS), None)
    if commit is None:
        return False
    before = words[:commit]
    place = max((n for n, word in enumerate(before) if word in name.normalized_words), default=None)
    if place is None:
        return False
    between = before[place + 1 :]
    return len(between) <= _MAX_WORDS_BEFORE_VERB and "s" not in between


def _split(text: str) -> list[str]:
    return [normalize_word(word.casefold()) for word in _WORD.findall(text)]
