"""Reads a verb with its auxiliaries, adverbs and what belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.clause_times import (
    denies_only_manner,
    take_adverbs,
    take_time,
    without_idle_words,
)
from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.noun_phrases import NounPhrase
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.verb_finder import BE, CAN, DO, HAVE, MODALS, is_adverb
from agents.canon_keeper.sentences.word_lists import VerbForm, WordLists, load_word_lists, singular

CLAUSE_WORDS: Final = frozenset(
    [
        "because",
        "although",
        "though",
        "so",
        "whereas",
        "where",
        "that",
        "who",
        "which",
        "whose",
        "whom",
        "lest",
    ]
)
TIME_CLAUSE_WORDS: Final = frozenset(
    [
        "when",
        "while",
        "whenever",
        "until",
        "till",
        "before",
        "after",
        "since",
        "ere",
        "during",
        "by",
        "as",
        "once",
    ]
)
_COPULAS: Final = frozenset({"stand", "lie", "remain", "stay", "go", "run", "keep"})
"""Verbs that say in which state something is, with an adjective."""
_PUNCTUATION: Final = frozenset(',.;:!?—–()“”"')


class VerbPhraseReader:
    """Reads the words from the verb on."""

    def __init__(self, lists: WordLists) -> None:
        self._lists = lists

    def read(self, tokens: Sequence[Token], index: int, adverbs: set[str]) -> Clause | None:
        """Read auxiliaries, adverbs and the main verb from `index` on."""
        nobody, negation = NounPhrase(), ""
        if {"no", "longer"} <= adverbs:
            adverbs = adverbs - {"no", "longer"}
            negation = "no longer"
        elif "never" in adverbs:
            negation = "never"
        elif "not" in adverbs:
            negation = "not"
        can = False
        auxiliaries: list[str] = []
        position = index
        while position < len(tokens):
            word = tokens[position].word
            if word in MODALS:
                return None
            if word in CAN:
                can, position = True, position + 1
                auxiliaries.append(word)
                continue
            if word == "neither" and auxiliaries:
                negation, position = "not", position + 1
                continue
            if word == "no" and position + 1 < len(tokens) and tokens[position + 1].word == "longer":
                negation, position = "no longer", position + 2
                continue
            if word == "not" or word == "never":
                negation, position = (
                    "never" if word == "never" or negation == "never" else "not",
                    position + 1,
                )
                continue
            if word in HAVE and not auxiliaries and self._has_without_verb(tokens, position):
                negation = "never" if tokens[position + 1].word == "never" else "not"
                return self._with_tail(
                    Clause(
                        nobody,
                        "have",
                        "have",
                        "past" if word == "had" else "now",
                        negation,
                        adverbs=frozenset(adverbs),
                    ),
                    tokens[position + 2 :],
                )
            if word in BE or (word in HAVE | DO and self._is_auxiliary(tokens, position)):
                auxiliaries.append(word)
                position += 1
                continue
            if (
                is_adverb(tokens[position])
                and word not in ("home", "away", "alive", "back", "here", "there", "all", "out")
                and (
                    position + 1 < len(tokens) and self._has_verb_or_complement(tokens, position, auxiliaries)
                )
            ):
                adverbs.add(word)
                position += 1
                continue
            break
        tail = tokens[position:]
        tense = _tense(auxiliaries)
        if "no longer" not in negation and any(t.word in ("anymore",) for t in tail):
            negation = "no longer"
        has_be = any(a in BE for a in auxiliaries)
        clause = Clause(nobody, "be", "be", tense, negation, can=can, adverbs=frozenset(adverbs))
        main = None if has_be and means_two(tail, self._lists) else self._main_verb(tail, auxiliaries)
        if main is None and not has_be:
            return None
        if main is None:
            return self._with_tail(clause, tail)
        verb_tail = tail[1:]
        if has_be:
            if main.tag == "ing":
                return self._with_tail(
                    replace(clause, verb=main.lemma, form="verb", is_progressive=True), verb_tail
                )
            return self._with_tail(
                replace(clause, verb=main.lemma, form="verb", is_passive=True, spelling=tail[0].word),
                verb_tail,
            )
        if not auxiliaries:
            clause = replace(clause, tense="past" if main.tag == "past" else "now")
        if main.lemma in _COPULAS and _is_state(verb_tail, self._lists):
            return self._with_tail(replace(clause, adverbs=frozenset(adverbs)), verb_tail)
        form = "have" if main.lemma == "have" else "verb"
        return self._with_tail(replace(clause, verb=main.lemma, form=form), verb_tail)

    def _is_auxiliary(self, tokens: Sequence[Token], position: int) -> bool:
        """Say whether `has`, `does` and the like only help another verb."""
        word = tokens[position].word
        for token in tokens[position + 1 :]:
            if token.word in ("not", "never") or is_adverb(token):
                if word in HAVE and token.word == "not":
                    continue
                continue
            if word in DO:
                return any(
                    r.tag == "base" for r in self._lists.readings_as_verb(token.word)
                ) or token.word in ("have", "be")
            if token.word in ("been", "had"):
                return True
            return any(r.tag == "part" for r in self._lists.readings_as_verb(token.word))
        return False

    def _has_without_verb(self, tokens: Sequence[Token], position: int) -> bool:
        """Say whether `has not` denies having: `hasn't a coin`."""
        following = [t.word for t in tokens[position + 1 : position + 3]]
        return (
            len(following) == 2
            and following[0] in ("not", "never")
            and following[1] in ("a", "any", "an", "the")
        )

    def _has_verb_or_complement(self, tokens: Sequence[Token], position: int, auxiliaries: list[str]) -> bool:
        """Say whether something stands behind an adverb that it can belong to."""
        following = tokens[position + 1]
        if any(a in BE for a in auxiliaries):
            return following.word not in _PUNCTUATION
        return (
            bool(self._lists.readings_as_verb(following.word))
            or is_adverb(following)
            or following.word in HAVE | BE
        )

    def _main_verb(self, tail: Sequence[Token], auxiliaries: list[str]) -> VerbForm | None:
        if not tail or tail[0].entity:
            return None
        word = tail[0].word
        readings = self._lists.readings_as_verb(word)
        has_be, has_have = any(a in BE for a in auxiliaries), any(a in HAVE for a in auxiliaries)
        wanted: tuple[str, ...]
        if has_be:
            wanted = ("ing", "part")
        elif has_have:
            wanted = ("part",)
        elif auxiliaries:
            wanted = ("base",)
        else:
            wanted = ("s", "past", "base")
        if word in HAVE and not has_be:
            return VerbForm("have", "past" if word == "had" else "s")
        for tag in wanted:
            for reading in readings:
                if reading.tag == tag:
                    return reading
        if readings or has_be:
            if has_be and not readings and word.endswith("ed") and len(tail) > 1 and tail[1].word == "by":
                return VerbForm(_guess_lemma(word), "part")
            return None
        if auxiliaries:
            return VerbForm(_guess_lemma(word) if has_have else word, wanted[0])
        return VerbForm(_guess_lemma(word), "past" if word.endswith("ed") else "s")

    def _with_tail(self, clause: Clause, tail: Sequence[Token]) -> Clause | None:
        """Add the words behind the verb, without what says when, and without clauses of their own."""
        if clause.negation and (
            denies_only_manner([t.word for t in tail])
            or any(denies_only_manner([adverb]) for adverb in clause.adverbs)
        ):
            return None
        words: list[Token] = []
        when = ""
        adverbs = set(clause.adverbs)
        for index, token in enumerate(tail):
            word = token.word
            if word in CLAUSE_WORDS and not (word == "so" and index + 1 < len(tail)):
                if word in ("who", "which", "that", "whose", "whom"):
                    words.append(Token("~" + word, "~" + " ".join(t.word for t in tail[index:])))
                break
            if word in TIME_CLAUSE_WORDS and index and word not in ("by", "as", "once"):
                when = " ".join(t.word for t in tail[index:])
                break
            words.append(token)
        else:
            index = len(tail)
        if (
            words
            and words[0].word in TIME_CLAUSE_WORDS - {"by", "as", "once", "since"}
            and clause.form != "be"
        ):
            when = f"{' '.join(t.word for t in words)} {when}".strip()
            words = []
        words = without_idle_words(words)
        words, time_words = take_time(words)
        when = f"{time_words} {when}".strip()
        words, more = take_adverbs(words)
        narrowing = sorted(
            w for w in adverbs | more if w.endswith("ly") and w not in load_word_lists().plain_adverbs
        )
        when = " ".join([*narrowing, when]).strip()
        return replace(clause, tail=tuple(words), when=when, adverbs=frozenset(adverbs | more))


def _tense(auxiliaries: Sequence[str]) -> str:
    if not auxiliaries:
        return "now"
    if auxiliaries[0] in ("has", "have"):
        return "perfect"
    return "past" if auxiliaries[0] in ("was", "were", "had", "did", "could") else "now"


def _guess_lemma(word: str) -> str:
    for ending, instead in (("ies", "y"), ("ied", "y"), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + instead
    return word


def _is_state(tail: Sequence[Token], lists: WordLists) -> bool:
    """Say whether the words behind `stands` or `remains` say in which state: `stands empty`."""
    words = [t.word for t in tail if not (t.word.endswith("ly") and t.word in lists.plain_adverbs)]
    return bool(words) and (words[0] in lists.states or " ".join(words) in lists.states)


def means_two(tail: Sequence[Token], lists: WordLists) -> bool:
    """Say whether the words are what two are to each other: `enemies`, `old friends`, `married`."""
    if not tail or len(tail) > 2:
        return False
    word = tail[-1].word
    is_tie = singular(word) in lists.allies | lists.enemies | {"stranger"} or lists.kin.get(
        singular(word)
    ) in ("sibling", "spouse")
    return (is_tie and word != singular(word)) or word in ("married", "related", "unrelated")
