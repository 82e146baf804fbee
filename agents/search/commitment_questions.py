"""Reads to whom a question asks for promises and debts, and whether a text tells of one to them. Pure.

`Who promised Bram?` asks for promises to Bram; what Bram promised comes after them.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from agents.canon_keeper.commitments import CommitmentKind, commitment_kind
from agents.prose.names import HONORIFICS
from agents.prose.speech import strip_speech
from agents.search.death_questions import subject_of
from agents.search.normal_words import normalize_word
from agents.search.question import RecordQuestion, find_asked_subjects
from agents.search.question_names import QuestionName
from agents.search.result_validity import is_ended
from stores.records.canon import Fact, FactKind, FactStatus
from stores.records.ids import Id


class CommitmentState(StrEnum):
    OPEN = "open"
    MET = "met"
    UNMET = "unmet"


_WORD: Final = re.compile(r"[^\W_]+")
_COMMIT_FORMS: Final = (
    "promise promises promised vow vows vowed swear swears swore sworn owe owes owed pledged"
)
_COMMITS: Final = frozenset(map(normalize_word, _COMMIT_FORMS.split()))
_TO: Final = frozenset({"to", "the"}) | frozenset(map(normalize_word, HONORIFICS))
_ASKS_HOW_SETTLED: Final = re.compile(
    r"(?:did|has|have|will|does|do|am|is|are)\b.+?\b(?:"
    r"(?P<promise>(?:keep|kept|break|broke|broken|honou?r(?:ed)?|fulfil(?:l|led)?) "
    r"(?:her|his|their|my|our|its|the|that|any|a|all)(?: of (?:her|his|their|my|our|its|the))?"
    r" (?:promises?|word|vows?|oaths?|pledges?))"
    r"|(?:pay|paid|repay|repaid|settled?)(?: off)? (?:her|his|their|my|our|its|the|that|any|all)"
    r"(?: of (?:her|his|their|my|our|its|the))? debts?)\b",
    re.IGNORECASE,
)


_ASKS_FOR_LIST: Final = re.compile(
    r"(?:which|what)(?: of(?: [^\s?]+){0,3}?)?(?: (?:my|our|the|all|all the))? "
    r"(?P<kind>promises?|vows?|oaths?|debts?)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_ASKED_STATES: Final = (
    (
        re.compile(r"\b(?:kept|keep|honou?red|fulfilled|paid|repaid|settled|pay|repay|settle)\b"),
        CommitmentState.MET,
    ),
    (re.compile(r"\b(?:broke|broken|break|failed|unkept)\b"), CommitmentState.UNMET),
    (re.compile(r"\b(?:open|still stand|outstanding|unpaid|unsettled|left)\b"), CommitmentState.OPEN),
)
_DENIES: Final = re.compile(r"\b(?:not|never|yet to)\b|n['’]t\b")
_ASKER_OBJECTS: Final = frozenset({"me", "us"})
_ASKER_SUBJECTS: Final = frozenset({"i", "we"})
_ASKER_WORDS: Final = _ASKER_SUBJECTS | {"my", "our"}
_MAX_WORDS_BEFORE_VERB: Final = 2
_SAYS: Final = frozenset(map(normalize_word, ("says", "said", "asks", "answers", "replies")))
_PASSIVE: Final = frozenset({"is", "are", "was", "were", "been", "being"})


class AskedCommitments(NamedTuple):
    """Promises or debts of which all in one state are asked for: `Which promises have I kept?`."""

    kind: CommitmentKind
    state: CommitmentState
    makers: frozenset[Id]
    """Whose they are to be; anybody's if empty."""

    def has(self, fact: Fact) -> bool:
        """Say whether a fact is one of them."""
        if fact.kind is not FactKind.COMMITMENT or commitment_kind(fact) is not self.kind:
            return False
        if self.makers and subject_of(fact) not in self.makers:
            return False
        return fact.status is not FactStatus.RETCONNED and _state_of(fact) is self.state


def read_asked_commitments(question: RecordQuestion) -> AskedCommitments | None:
    """Return which promises or debts a question asks to be listed; None if it asks for something else."""
    matched = _ASKS_FOR_LIST.match(question.text.strip())
    if matched is None:
        return None
    rest = matched["rest"].casefold()
    state = next((state for pattern, state in _ASKED_STATES if pattern.search(rest)), None)
    if state is None:
        return None
    if state is CommitmentState.MET and _DENIES.search(rest):
        state = CommitmentState.OPEN
    kind = CommitmentKind.DEBT if matched["kind"].casefold().startswith("debt") else CommitmentKind.PROMISE
    is_of_asker = not _ASKER_WORDS.isdisjoint(matched[0].casefold().split())
    asker_ids = question.asker_ids if is_of_asker else frozenset()
    return AskedCommitments(kind, state, find_asked_subjects(question) | asker_ids)


def _state_of(fact: Fact) -> CommitmentState:
    if not is_ended(fact):
        return CommitmentState.OPEN
    return CommitmentState.MET if fact.closed else CommitmentState.UNMET


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


def asks_how_settled(question: RecordQuestion) -> CommitmentKind | None:
    """Return of which kind of commitment the question asks whether it was met: `Did Bram keep his promise?`."""
    matched = _ASKS_HOW_SETTLED.match(question.text.strip())
    if matched is None:
        return None
    return CommitmentKind.PROMISE if matched["promise"] else CommitmentKind.DEBT


def is_made_in_reverse(question: RecordQuestion, text: str, *, is_of_asker: bool = False) -> bool:
    """Say whether a text tells of a promise or a debt the other way round: mine to Bram, where his to me is asked for.

    In the asker's own words (`is_of_asker`) `I` is the maker.
    """
    makers, recipients = find_asked_subjects(question), find_recipients(question)
    if not (makers or recipients) or not asks_for_commitment(question):
        return False
    words = _split(text)
    if not is_of_asker and any(_is_quoted(words, name) for name in recipients):
        return True
    own_words = _split(strip_speech(text)) if is_of_asker else []
    if _is_maker(own_words, QuestionName(_ASKER_SUBJECTS, frozenset())):
        text_makers = question.hero_ids
    else:
        names = (*question.names, *question.asker_names)
        text_makers = frozenset(i for n in names if _is_maker(words, n) for i in n.entity_ids)
    recipient_ids = frozenset(i for name in recipients for i in name.entity_ids)
    if not text_makers or text_makers & makers:
        return False
    return bool(text_makers & recipient_ids) or (bool(makers) and not recipient_ids)


def is_made_by_another(question: RecordQuestion, maker_id: Id | None) -> bool:
    """Say whether a promise or a debt is somebody else's than the question names: Bram's for `What did I promise?`."""
    makers = _find_makers(question)
    return bool(makers) and maker_id is not None and maker_id not in makers


def _find_makers(question: RecordQuestion) -> frozenset[Id]:
    words = _split(question.text)
    if not _PASSIVE.isdisjoint(words):
        return frozenset()
    maker_ids = {i for name in question.names if _is_maker(words, name) for i in name.entity_ids}
    if _is_maker(words, QuestionName(_ASKER_SUBJECTS, frozenset())):
        maker_ids |= question.asker_ids
    return frozenset(maker_ids)


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
    # `a coin to the old Bram`, and not `to tell Bram`
    is_behind_to = "to" in between[-1:] or (between[-2:-1] == ["to"] and between[-1] in _TO)
    return first > commit and (_TO.issuperset(between) or is_behind_to)


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


def _is_quoted(words: list[str], name: QuestionName) -> bool:
    """Say whether somebody is quoted who promises in their own words: `"I promise you that," says Bram`."""
    positions = [n for n, word in enumerate(words) if word in name.normalized_words]
    commits = [n for n, word in enumerate(words) if word in _COMMITS]
    is_own_words = any("i" in words[max(0, n - _MAX_WORDS_BEFORE_VERB) : n] for n in commits)
    return is_own_words and any(_SAYS & set(words[max(0, n - 2) : n]) for n in positions)


def _split(text: str) -> list[str]:
    return [normalize_word(word.casefold()) for word in _WORD.findall(text)]
