"""Says in plain words what a clause says by a turn of phrase: who `turned against Mara` became an enemy of hers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.noun_phrases import POSSESSIVES, PREPOSITIONS, REFLEXIVES
from agents.canon_keeper.sentences.plain_verbs import say_plain_verbs
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import WordLists

_FORMS: Final = {"be": "be", "have": "have"}
_NOT: Final = "not"
_BE: Final = frozenset({"is", "are", "was", "were", "be", "been", "am"})
_BEFORE_HABIT: Final = _BE | {"get", "gets", "got", "become", "becomes", "became", "getting"}
"""Before `used to`: somebody is accustomed to something."""
_DENYING: Final = frozenset({"no", "nobody", "nothing", "none", "neither"})
_ENDS: Final = frozenset({".", ",", ";", "!", "and", "but", "in", "at", "on"})
_NOT_AFTER_GOT: Final = frozenset(
    {"to", "up", "out", "in", "on", "away", "back", "home", "rid", "married", "lost", "into"}
)
_ENDING_VERBS: Final = frozenset({"stop", "quit", "cease"})
_BEGINNING_VERBS: Final = frozenset({"start", "begin"})
_ABILITIES: Final[dict[tuple[str, ...], bool]] = {
    **{(be, "unable", "to"): True for be in ("is", "are")},
    **{(be, "not", "able", "to"): True for be in ("is", "are")},
    **{(be, "incapable", "of"): True for be in ("is", "are")},
    **{(be, "not", "capable", "of"): True for be in ("is", "are")},
    **{(be, "capable", "of"): False for be in ("is", "are")},
    **{(be, "able", "to"): False for be in ("is", "are")},
    **{(have, "no", "idea", "how", "to"): True for have in ("has", "have")},
    **{(do, "not", "know", "how", "to"): True for do in ("does", "do")},
    **{(have, "never", learned, "to"): True for have in ("has", "have") for learned in ("learned", "learnt")},
    **{(know, "how", "to"): False for know in ("knows", "know")},
}
"""How it is said what somebody can do, and whether it is denied; who was unable once may do it later."""
_LONGEST_ABILITY: Final = max(map(len, _ABILITIES))
_ABILITY_STARTS: Final = {"known"} | {phrase[0] for phrase in _ABILITIES}
_SOMEBODY_NEXT: Final = "@"
_NOTHING_NEXT: Final = "."


def plain_words(tokens: Sequence[Token], lists: WordLists) -> list[Token]:
    """Return the words of a sentence with plain words for `used to`, `any more`, `no more`, `has got`, `of Bram's`."""
    tokens = say_abilities(say_plain_verbs(tokens), lists)
    plain: list[Token] = []
    position = 0
    while position < len(tokens):
        words = [t.word for t in tokens[position : position + 3]]
        before = plain[-1].word if plain else ""
        is_end = position + 2 >= len(tokens) or tokens[position + 2].word in _ENDS
        if words[:2] in (["used", "to"], ["use", "to"]) and before not in _BEFORE_HABIT and len(words) > 2:
            if before == "never":
                plain[-1] = Token("did", "did")
                plain.append(Token("not", "not"))
            elif words[0] == "used":
                plain.append(Token("was", "was") if words[2] == "be" else Token("did", "did"))
            position += 3 if words[2] == "be" and words[0] == "used" and before != "never" else 2
        elif is_end and words[:2] in (["any", "more"], ["any", "longer"], ["no", "more"]):
            is_state = words[0] == "no" and (before in _BE or not plain)
            is_denied = not _DENYING.isdisjoint(t.word for t in plain)
            ended = Token("now", "now") if is_denied else Token("anymore", "anymore")
            plain += tokens[position : position + 2] if is_state else [ended]
            position += 2
        elif (
            words[0] == "'s" and before and plain[-1].is_person and len(plain) > 1 and plain[-2].word == "of"
        ):
            if position + 1 < len(tokens) and tokens[position + 1].word not in _ENDS:
                plain.append(tokens[position])  # `of Bram's house`
            position += 1
        elif words[0] == "got" and _is_having(plain) and words[1:2] and words[1] not in _NOT_AFTER_GOT:
            position += 1
        else:
            plain.append(tokens[position])
            position += 1
    return plain


def say_abilities(tokens: Sequence[Token], lists: WordLists) -> list[Token]:
    """Return the words with `cannot read` for `is unable to read`, `is incapable of reading` and the like."""
    plain: list[Token] = []
    position = 0
    while position < len(tokens):
        if tokens[position].word not in _ABILITY_STARTS:
            plain.append(tokens[position])
            position += 1
            continue
        words = tuple(t.word for t in tokens[position : position + _LONGEST_ABILITY])
        if plain and plain[-1].word in _BE and words[:3] == ("known", "for", "being"):
            position += 3  # `is known for being stingy`
            continue
        phrase = next((p for p in _ABILITIES if words[: len(p)] == p), None)
        following = tokens[position + len(phrase) :] if phrase else []
        lemma = _verb_meant(following[0], lists, is_gerund=phrase[-1] == "of") if phrase and following else ""
        if phrase is None or not lemma:
            plain.append(tokens[position])
            position += 1
            continue
        plain += [Token("can", "can"), *([Token("not", "not")] if _ABILITIES[phrase] else [])]
        plain.append(following[0]._replace(text=lemma, word=lemma))
        position += len(phrase) + 1
    return plain


def _verb_meant(token: Token, lists: WordLists, *, is_gerund: bool) -> str:
    wanted = "ing" if is_gerund else "base"
    return next((r.lemma for r in lists.readings_as_verb(token.word) if r.tag == wanted), "")


def _is_having(plain: Sequence[Token]) -> bool:
    words = [t.word for t in plain[-2:]]
    return bool(words) and (
        words[-1] in ("has", "have") or (words[0] in ("has", "have") and words[-1] in ("not", "never"))
    )


def say_plainly(clause: Clause, lists: WordLists) -> Clause:
    """Return the clause in plain words, or as it is."""
    if clause.form == "be":
        return clause
    for phrase, plain in () if clause.is_passive else lists.turns_of_phrase.get(clause.verb, ()):
        if (rest := _match(clause, phrase)) is not None:
            return _say(clause, plain, rest, is_affirmed=phrase[0] == _NOT)
    return _say_habit(_say_death(clause, lists), lists)


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
        return token.word in REFLEXIVES
    return token.word == word


def _say(clause: Clause, plain: Sequence[str], rest: tuple[Token, ...], *, is_affirmed: bool) -> Clause:
    is_denying = plain[0] == _NOT
    verb, *added = plain[1:] if is_denying else plain
    if not rest and added and added[-1] in PREPOSITIONS:
        added = added[:-1]
    denial = "" if not is_denying else "never" if "always" in clause.adverbs else _NOT
    return replace(
        clause,
        verb=verb,
        form=_FORMS.get(verb, "verb"),
        negation="" if is_affirmed or (is_denying and clause.negation) else denial or clause.negation,
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


def _say_habit(clause: Clause, lists: WordLists) -> Clause:
    """Return who stopped drinking as somebody who no longer drinks, and who began to as somebody who drinks now."""
    tail = (
        clause.tail[1:]
        if clause.verb == "give" and clause.tail[:1] and clause.tail[0].word == "up"
        else clause.tail
    )
    is_end = clause.verb in _ENDING_VERBS or tail is not clause.tail
    if clause.is_passive or clause.can or not tail or not (is_end or clause.verb in _BEGINNING_VERBS):
        return clause
    doing = next((r.lemma for r in lists.readings_as_verb(tail[0].word) if r.tag == "ing"), "")
    if not doing or (clause.negation and not is_end):
        return clause
    never_ended = bool(clause.negation)
    return replace(
        clause,
        verb=doing,
        form=_FORMS.get(doing, "verb"),
        tense="now",
        negation="" if never_ended or not is_end else "no longer",
        adverbs=clause.adverbs | ({"still"} if never_ended else {"now"}),
        tail=tail[1:],
    )
