"""Reads to whom a question asks for promises and debts, and whether a text tells of one to them. Pure.

`Who promised Bram?` asks for promises to Bram; what Bram promised comes after them.
"""

from __future__ import annotations

import re
from typing import Final

from agents.prose.words import stem
from agents.search.question import QuestionName, RecordQuestion, normalize_word

_WORD: Final = re.compile(r"[^\W_]+")
_COMMIT_FORMS: Final = (
    "promise promises promised vow vows vowed swear swears swore sworn owe owes owed pledged"
)
_COMMITS: Final = frozenset(map(stem, _COMMIT_FORMS.split()))
_TO: Final = frozenset({"to", "the"})
_PASSIVE: Final = frozenset({"is", "are", "was", "were", "been", "being"})


def find_recipients(question: RecordQuestion) -> tuple[QuestionName, ...]:
    """Return to whom the question asks for a promise or a debt: `Who promised Bram?`, `What was Bram promised?`."""
    words = _split(question.text)
    return tuple(name for name in question.names if _is_recipient(words, name))


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


def _split(text: str) -> list[str]:
    return [normalize_word(word.casefold()) for word in _WORD.findall(text)]
