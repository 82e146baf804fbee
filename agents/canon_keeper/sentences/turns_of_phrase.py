"""Says in plain words what a clause says by a turn of phrase: who `turned against Mara` became an enemy of hers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.noun_phrases import POSSESSIVES, PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import WordLists

_FORMS: Final = {"be": "be", "have": "have"}
_NOT: Final = "not"
_SELVES: Final = frozenset({"himself", "herself", "itself", "themselves"})
_SOMEBODY_NEXT: Final = "@"
_NOTHING_NEXT: Final = "."


def say_plainly(clause: Clause, lists: WordLists) -> Clause:
    """Return the clause in plain words, or as it is."""
    if clause.form == "be":
        return clause
    for phrase, plain in () if clause.is_passive else lists.turns_of_phrase.get(clause.verb, ()):
        if (rest := _match(clause, phrase)) is not None:
            return _say(clause, plain, rest, is_affirmed=phrase[0] == _NOT)
    return _say_death(clause, lists)


def _match(clause: Clause, phrase: Sequence[str]) -> tuple[Token, ...] | None:
    """Return what follows a turn of phrase in a clause; None if the clause has other words."""
    is_denied = phrase[0] == _NOT
    if is_denied and (clause.negation not in ("not", "never") or clause.can):
        return None
    words = list(phrase[2:] if is_denied else phrase[1:])
    last = words.pop() if words and words[-1] in (_SOMEBODY_NEXT, _NOTHING_NEXT) else ""
    if len(clause.tail) < len(words) or not all(map(_is_word, clause.tail, words)):
        return None
    rest = clause.tail[len(words) :]
    if last == _SOMEBODY_NEXT:
        return rest if rest and rest[0].is_person else None
    if last == _NOTHING_NEXT and rest and rest[0].word not in PREPOSITIONS:
        return None
    return rest


def _is_word(token: Token, word: str) -> bool:
    if word == "his":
        return token.word in POSSESSIVES
    if word == "himself":
        return token.word in _SELVES
    return token.word == word


def _say(clause: Clause, plain: Sequence[str], rest: tuple[Token, ...], *, is_affirmed: bool) -> Clause:
    verb, *added = plain
    if not rest and added and added[-1] in PREPOSITIONS:
        added = added[:-1]
    return replace(
        clause,
        verb=verb,
        form=_FORMS.get(verb, "verb"),
        negation="" if is_affirmed else clause.negation,
        tail=(*(Token(word, word) for word in added), *rest),
    )


def _say_death(clause: Clause, lists: WordLists) -> Clause:
    """Return who was stabbed to death as killed, who bled to death as dead, and whom somebody drowned as killed."""
    words = [token.word for token in clause.tail]
    place = next((n for n in range(len(words) - 1) if words[n : n + 2] == ["to", "death"]), None)
    if clause.verb in lists.deaths_of_violence and place is not None:
        rest = (*clause.tail[:place], *clause.tail[place + 2 :])
        is_done_to_somebody = clause.is_passive or place > 0
        return replace(clause, verb="kill" if is_done_to_somebody else "die", tail=rest)
    if clause.verb in lists.killing_verbs and not clause.is_passive and words:
        is_whole = len(words) == 1 or words[1] in PREPOSITIONS
        if clause.tail[0].is_person and is_whole:
            return replace(clause, verb="kill")
    return clause
