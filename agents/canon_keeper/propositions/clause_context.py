"""What everything that a clause says has in common: of whom, when, denied or not, and what is left open."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import (
    DENYING_VERBS,
    EVERYBODY,
    NEGATIONS,
    NOBODY,
    PERSON_NOUNS,
    content_words,
    means_all_time,
    names_meant,
    names_whole_night,
    phrase_after,
    plain_time,
    reaches_now,
)
from agents.canon_keeper.propositions.concepts import base_forms
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition
from agents.canon_keeper.propositions.vocabulary import load_vocabulary
from agents.canon_keeper.sentences.clause_times import denies_only_manner, take_time
from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PREPOSITIONS, REFLEXIVES
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.verb_finder import BE, CAN, DO, HAVE
from agents.canon_keeper.sentences.word_lists import number_of, singular

_EXCEPTIONS: Final = frozenset({"but", "except", "save", "besides", "outside"})
_ANYTHING_BUT: Final = frozenset(
    {"everything", "anything", "nothing", "everybody", "everyone", "anybody", "anyone"}
)
_TIME_PREPOSITIONS: Final = frozenset({"before", "after", "until", "till"})
_CHANGES: Final = frozenset(
    ["become", "begin", "start", "stop", "cease", "now", "anymore", "longer", "again", "turn", "grow", "recently"]
)  # fmt: skip
_NARROWING: Final = frozenset(
    {"alone", "just", "merely", "only", "together", "well", "much", "many", "enough"}
)
"""Words that a denial may be about instead of the verb."""
_NO_TURNING: Final = frozenset({"down", "away", "off", "on", "out", "over", "up", "back"})
_PUNCTUAL_VERBS: Final = frozenset(
    ["open", "close", "shut", "lock", "unlock", "break", "kill", "die", "steal", "sell", "give", "leave", "win",
     "lose", "burn", "destroy", "find", "take", "marry", "fall", "enter", "arrive", "return", "escape", "wake",
     "betray", "swear", "free", "repair", "heal", "cure", "empty", "forgive", "accept", "agree", "refuse", "join",
     "bury", "smash"]
)  # fmt: skip
"""Verbs that in the present, too, tell of what happens."""
_STATIVE_VERBS: Final = frozenset({"be", "have", "remain", "stand", "lie"})
_EVERY_KIND: Final = frozenset({"mortal", "soul", "human", "living", "body", "people"})
_LINKING: Final = frozenset(
    [
        "to",
        "of",
        "about",
        "from",
        "for",
        "against",
        "with",
        "at",
        "in",
        "inside",
        "within",
        "into",
        "on",
        "near",
        "outside",
        "beside",
        "beyond",
        "around",
    ]
)
_SAME_PREPOSITIONS: Final = {"inside": "in", "within": "in", "at": "in", "into": "in", "about": "of"}
_NUMBERS_OF_PEOPLE: Final = frozenset({"dozens", "hundreds", "thousands", "scores", "many", "several"})
_FORMERLY: Final = frozenset(
    {"once", "then", "formerly", "originally", "previously", "earlier", "ago", "already", "first"}
)
_AGES: Final = frozenset({"boy", "girl", "child", "youth", "baby", "infant"})


class ClauseContext:
    """Reads what the words of a clause have in common, for those who read what it is about."""

    def __init__(self, clause: ClauseWords, pronoun_id: str, named: frozenset[str]) -> None:
        self.clause = clause
        self.pronoun_id = pronoun_id
        stated, self.is_cut = _without_open_part(clause)
        rest, when = take_time(stated)
        front, front_when = take_time(list(clause.front))
        rest, rest_limit = _take_limit(rest)
        front, front_limit = _take_limit(front)
        self.rest, self._front = rest, front
        parts = (front_when, when, front_limit, rest_limit, clause.limit, _age_named(clause))
        self._when = " ".join(" ".join(parts).split())
        words = [*front, *clause.subject, *clause.helpers, *rest]
        self.words = [t.word for t in words]
        self.plain_words = [t.word for t in (*clause.front, *clause.subject, *clause.helpers, *clause.rest)]
        self.verb_at = len(front) + len(clause.subject) + len(clause.helpers)
        self.tokens = [*words[: self.verb_at], Token(clause.verb, clause.verb), *words[self.verb_at :]]
        self.lemmas = self._lemmas(len(front) + len(clause.subject))
        self.excepted = self._excepted()
        self.is_only = bool(self.excepted) and clause.subject[0].word == "only"
        self.negations = self._count_negations()
        self.is_denied = (self.negations == 1) is not clause.is_denied or self.is_only
        self.base = self._base(named)

    @property
    def is_doubtful(self) -> bool:
        """Whether it is not clear what is denied."""
        if self.negations > 1 or (self.is_denied and self.is_cut):
            return True
        if "but" in self.words and not _ANYTHING_BUT.isdisjoint(self.words):
            return True
        behind = {t.word for t in self.rest}
        helpers = {t.word for t in self.clause.helpers}
        if self.is_denied and (
            ("had" in helpers and "before" in self.plain_words) or not REFLEXIVES.isdisjoint(behind)
        ):
            return True  # `had never rung before`, `never forgave himself`
        if "but" in behind and not behind.isdisjoint(NEGATIONS):
            return True  # `trusts nobody but Dunne`
        if self.negations == 1 and any(
            denies_only_manner(words) for words in (self.plain_words, *([h] for h in helpers))
        ):
            return True
        return self.negations == 1 and not _NARROWING.isdisjoint(self.plain_words)

    @property
    def is_approximate(self) -> bool:
        return not {"almost", "nearly"}.isdisjoint(self.words)

    @property
    def is_sole(self) -> bool:
        """Whether it is said of nobody else: `rules alone`, `is the sole owner`."""
        rest = [t.word for t in self.clause.rest]
        is_said = "alone" in self.words[-1:] or (rest[:1] == ["the"] and rest[1:2] in (["sole"], ["only"]))
        return is_said and bool(self.base.doers) and not self.is_denied

    @cached_property
    def content(self) -> frozenset[str]:
        """The words that say what the clause is about."""
        return content_words(self.tokens, self.lemmas, set())

    def _lemmas(self, helpers_at: int) -> list[frozenset[str]]:
        lemmas = [frozenset() if t.entity else base_forms(t.word) for t in self.tokens]
        for index in range(helpers_at, self.verb_at):
            if self.tokens[index].word in BE | HAVE | DO | CAN:
                lemmas[index] = frozenset()
        lemmas[self.verb_at] = frozenset() if self.clause.tag == "be" else frozenset({self.clause.verb})
        return lemmas

    def _count_negations(self) -> int:
        count = sum(w in NEGATIONS for w in self.words)
        if self.clause.verb in DENYING_VERBS and not self.clause.is_passive:
            count += 1
        text = f" {' '.join(self.words)} "
        if any(f" {idle} " in text for idle in ("no doubt", "nothing but", "no matter", "no sooner")):
            return 2
        # `never had a better friend` says that it was a friend.
        return count - 1 if "never" in self.words and " better " in text else count

    def _excepted(self) -> frozenset[str]:
        subject = self.clause.subject
        words = [t.word for t in subject]
        if words[:1] == ["only"]:
            return _names_and_nouns(subject[1:])
        for index, word in enumerate(words):
            is_general = index and words[0] in NOBODY | EVERYBODY | {"no", "every", "all"}
            if is_general and word in _EXCEPTIONS and index + 1 < len(words):
                return _names_and_nouns(subject[index + 1 :])
        return frozenset()

    def _base(self, named: frozenset[str]) -> Proposition:
        clause = self.clause
        subject_words = [t.word for t in clause.subject]
        subject_names = names_meant(clause.subject) | frozenset(t.entity for t in clause.aside if t.entity)
        if subject_words[:1] and subject_words[0] in ("he", "she", "it", "they") and self.pronoun_id:
            subject_names |= {self.pronoun_id}
        subject_names -= self.excepted
        rest_names = names_meant(self.rest) | names_meant(self._front)
        everyone = frozenset(t.entity for t in self.tokens if t.entity)
        doers, others = subject_names, rest_names - subject_names
        if clause.is_passive:
            doers = names_meant(phrase_after(self.rest, "by"))
            others = (rest_names | subject_names) - doers
        owners = everyone - subject_names - rest_names - self.excepted
        if subject_words == ["there"]:
            # `There is a knife in Nima's boot`: she has it.
            doers = owners & frozenset(t.entity for t in self.tokens if t.is_person)
        helpers = {t.word for t in clause.helpers}
        time = self._read_time(helpers)
        return Proposition(
            concept="",
            is_affirmed=True,
            doers=doers,
            others=others,
            owners=owners,
            people=frozenset(t.entity for t in self.tokens if t.is_person),
            general="person"
            if self._can_be_done_by_nobody()
            else _general(subject_words, is_only=self.is_only),
            excepted=self.excepted,
            kinds=_kinds(clause),
            part=_part(subject_words) or _part_of_object([t.word for t in self.rest]),
            target=self._target(),
            links=_links(self.rest),
            time=time,
            is_perfect=self._is_perfect(helpers),
            when=self._time_named(time),
            is_ability=not helpers.isdisjoint({"can", "could", "may"}),
            is_change=self._is_change(),
            is_still="still" in self.plain_words
            or "to this day" in " ".join(self.plain_words)
            or (clause.verb == "remain" and time is ClauseTime.NOW),
            is_event=self._is_event(time),
            is_former=time is ClauseTime.PAST and self._is_former(),
            is_plural=_is_plural(clause),
            is_any=bool(self.rest) and self.rest[0].word in ("any", "every", "all"),
            is_passive=clause.is_passive,
            named=named,
        )

    def _time_named(self, time: ClauseTime) -> str:
        if time is ClauseTime.NOW and reaches_now(self.plain_words):
            return ""
        named = plain_time(self._when)
        if time is not ClauseTime.PAST:
            return named
        words = [*self.plain_words, *self.clause.limit.split()]
        return "night" if names_whole_night(words, named) else named

    def _can_be_done_by_nobody(self) -> bool:
        """Say whether nobody can do it: `The door cannot be opened`. By day or without a key it may be otherwise."""
        helpers = {t.word for t in self.clause.helpers}
        is_denied = bool({"not", "never"} & helpers) and bool({"can", "could"} & helpers)
        return self.clause.is_passive and is_denied and not self.rest

    def _is_perfect(self, helpers: set[str]) -> bool:
        return not helpers.isdisjoint({"has", "have"}) and self.clause.tag in ("part", "be", "ing")

    def _read_time(self, helpers: set[str]) -> ClauseTime:
        is_law = "will" in self.plain_words and self.plain_words[:1] == ["no"]
        if is_law or means_all_time(self.plain_words):
            return ClauseTime.ALWAYS
        if self._is_perfect(helpers):
            is_so_now = reaches_now(self.plain_words) and "not" not in self.plain_words
            return ClauseTime.NOW if is_so_now else ClauseTime.PAST
        is_past = self.clause.tag == "past" or not helpers.isdisjoint({"was", "were", "did", "had", "could"})
        return ClauseTime.PAST if is_past else ClauseTime.NOW

    def _is_change(self) -> bool:
        words = {self.clause.verb, *self.words}
        has_learned = self.clause.verb == "learn" and "to" in self.words
        if self.clause.verb == "turn" and self.rest and self.rest[0].word in _NO_TURNING:
            words.discard("turn")  # `turned down the offer`
        if self.clause.verb == "grow" and self.rest and self.rest[0].word == "up":
            words.discard("grow")  # `grew up as an only child`
        return has_learned or "any more" in " ".join(self.words) or not _CHANGES.isdisjoint(words)

    def _is_event(self, time: ClauseTime) -> bool:
        clause = self.clause
        if clause.tag == "be" or (clause.verb in _STATIVE_VERBS and clause.word != "lied"):
            return False
        if time is ClauseTime.NOW and clause.verb not in _PUNCTUAL_VERBS:
            return False
        if time is ClauseTime.NOW and clause.tag in ("s", "base") and self._is_habit():
            return False
        return not (clause.is_passive and time is ClauseTime.NOW and "by" not in self.words)

    def _is_former(self) -> bool:
        nouns = {singular(t.word) for t in self.rest} if self.clause.tag == "be" else set[str]()
        return not _FORMERLY.isdisjoint(self.plain_words) or not _AGES.isdisjoint(nouns)

    def _is_habit(self) -> bool:
        """Say whether it is done to any of a kind, and so again and again: `takes orders from Nora`, `kills rats`."""
        words = [t.word for t in self.rest]
        if words[:2] and words[0] in POSSESSIVES and words[1:2] == ["orders"]:
            return True  # `takes his orders from Nora`
        return bool(words) and not self.rest[0].entity and singular(words[0]) != words[0]

    def _target(self) -> str:
        """Return the name right behind the verb, or of whom the passive is said."""
        if self.clause.is_passive:
            return next((t.entity for t in self.clause.subject if t.entity), "")
        end = next((n for n, t in enumerate(self.rest) if t.word in PREPOSITIONS | {","}), len(self.rest))
        names = names_meant(self.rest[:end])
        return next((t.entity for t in self.rest[:end] if t.entity in names), "")


def _without_open_part(clause: ClauseWords) -> tuple[list[Token], bool]:
    """Return the words behind the verb without what is only promised, tried or wished, and whether some was."""
    rest = list(clause.rest)
    words = [t.word for t in rest]
    if "as" in words[:1] and "as" in words[2:]:
        rest = rest[1 : words.index("as", 2)]  # `as poor as a church mouse`
        words = [t.word for t in rest]
    is_contrast = any(h.word in ("not", "never") for h in clause.helpers)
    if is_contrast and "but" in words and words.index("but") + 1 < len(words):
        rest = rest[: words.index("but")]  # `not by Dob but by his wife`
    if len(rest) > 1 and words[0] == "or" and any(h.word in ("not", "never") for h in clause.helpers):
        rest = rest[2:]  # `cannot read or write`
    vocabulary = load_vocabulary()
    if clause.verb not in vocabulary.open_verbs:
        return rest, False
    for index, token in enumerate(rest):
        following = rest[index + 1].word if index + 1 < len(rest) else ""
        is_verb = following in ("be", "have") or any(
            r.tag == "base" for r in vocabulary.readings_as_verb(following)
        )
        if token.word == "to" and is_verb:
            return rest[: index - 1 if index and rest[index - 1].word in ("never", "not") else index], True
        if token.word == "that":
            return rest[:index], True
    return rest, False


def _take_limit(tokens: list[Token]) -> tuple[list[Token], str]:
    """Take `before the war` and the like out of the words: it says when."""
    for index, token in enumerate(tokens):
        if token.word in _TIME_PREPOSITIONS and index + 1 < len(tokens):
            end = next(
                (n for n in range(index + 1, len(tokens)) if tokens[n].word in PREPOSITIONS | {","}),
                len(tokens),
            )
            return [*tokens[:index], *tokens[end:]], " ".join(t.word for t in tokens[index:end])
    return tokens, ""


def _age_named(clause: ClauseWords) -> str:
    """Return at which age it was so: `as a boy`, `in his youth`."""
    words = [t.word for t in (*clause.front, *clause.rest)]
    for index, word in enumerate(words[:-2]):
        if (word, words[index + 1]) in (("as", "a"), ("as", "an")) and {"young", *_AGES} & set(
            words[index + 2 :]
        ):
            return "as young"
        if word == "in" and words[index + 2] in (
            "youth",
            "childhood",
            "prime",
            "day",
            "days",
            "time",
            "twenties",
        ):
            return f"in {words[index + 2]}"
    return ""


def _general(words: list[str], *, is_only: bool) -> str:
    if not words:
        return ""
    if words[0] == "none" and words[1:3] == ["of", "the"] and len(words) > 3:
        return singular(words[3])
    if is_only or words[0] in NOBODY | EVERYBODY | {"anybody", "anyone"} or words[:2] == ["no", "one"]:
        return "person"
    if words[0] in ("no", "every", "all", "none") and len(words) > 1:
        following = [word for word in words[1:] if word not in ("of", "the")]
        noun = singular(following[0]) if following else ""
        return "person" if noun in _EVERY_KIND else noun
    return ""


def _kinds(clause: ClauseWords) -> frozenset[str]:
    nouns = {singular(t.word) for t in clause.subject if not t.entity}
    is_number = bool(clause.subject) and clause.subject[-1].word in _NUMBERS_OF_PEOPLE
    is_part = [t.word for t in clause.subject[:2]] in (
        ["half", "of"],
        ["most", "of"],
        ["many", "in"],
        ["many", "of"],
    )
    is_number = is_number or (is_part and len(clause.subject) == 3 and bool(clause.subject[2].entity))
    return frozenset(nouns & PERSON_NOUNS) | (frozenset({"people"}) if is_number else frozenset())


def _names_and_nouns(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(t.entity or singular(t.word) for t in tokens if t.word not in ARTICLES)


def _part(words: list[str]) -> str:
    if words[:2] == ["one", "of"]:
        return "one"
    return "both" if words[:1] in (["both"], ["all"], ["every"]) else ""


def _links(tokens: Sequence[Token]) -> frozenset[tuple[str, str]]:
    """Return the prepositions that a name stands right behind; `in`, `inside` and `within` are one.

    Whose something is does not count: `afraid of Nora's dog`.
    """
    words = [*(t for t in tokens if t.word not in ARTICLES), Token(",", ",")]
    return frozenset(
        (_SAME_PREPOSITIONS.get(before.word, before.word), token.entity)
        for before, token, behind in zip(words, words[1:], words[2:], strict=False)
        if token.entity and before.word in _LINKING and behind.word != "'s"
    )


def _part_of_object(words: list[str]) -> str:
    return "one" if ("one", "of") in itertools.pairwise(words) else ""


def _is_plural(clause: ClauseWords) -> bool:
    tokens = phrase_after(list(clause.rest), "by") if clause.is_passive else clause.subject
    nouns = [t.word for t in tokens]
    is_plural = bool(nouns) and nouns[-1] != singular(nouns[-1])
    return is_plural or any((number_of(word) or 0) > 1 for word in nouns)
