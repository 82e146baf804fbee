"""Reads a statement into propositions. Words that are in doubt say nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from agents.canon_keeper.propositions.aspects import load_aspects
from agents.canon_keeper.propositions.clause_context import ClauseContext
from agents.canon_keeper.propositions.clause_propositions import propositions_of
from agents.canon_keeper.propositions.clause_splitting import ClauseSplitter, ClauseWords
from agents.canon_keeper.propositions.clause_words import PERSON_NOUNS
from agents.canon_keeper.propositions.deaths_said import HAND_IN_DEATH
from agents.canon_keeper.propositions.linked_clauses import add_kinds, with_person_meant, with_place_meant
from agents.canon_keeper.propositions.plain_turns import say_turns_plainly
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition
from agents.canon_keeper.propositions.vocabulary import load_vocabulary
from agents.canon_keeper.sentences.figures_of_speech import FigureOfSpeech, find_figures, says_concept
from agents.canon_keeper.sentences.noun_phrases import POSSESSIVES, PREPOSITIONS, PRONOUNS
from agents.canon_keeper.sentences.plain_forms import say_in_plain_form
from agents.canon_keeper.sentences.plain_verbs import say_plain_verbs
from agents.canon_keeper.sentences.reader import FIRST_TIME, MAX_READ_CHARS
from agents.canon_keeper.sentences.tokens import NameBook, Token, read_tokens
from agents.canon_keeper.sentences.turns_of_phrase import say_abilities
from agents.canon_keeper.sentences.word_lists import number_of, singular
from agents.prose.words import NO_TITLE_BEFORE

_ALIVE: Final = "alive"
"""The concept of the figures of speech about dying: `was murdered by the critics`."""
_CURING_VERBS: Final = frozenset({"cure", "heal", "restore", "transform", "free", "repair", "rebuild"})
_SENTENCE_END: Final = re.compile(rf"(?<=[.!?…]){NO_TITLE_BEFORE}\s+")
_READ_ANYWAY: Final = frozenset({"half", "may", "almost", "nearly", "more"})
"""Words that leave a sentence uncertain elsewhere, and are understood here."""
_READ_PHRASES: Final = frozenset({"more than", "less than", "fewer than", "at least"})
_BARELY: Final = frozenset({"barely", "hardly", "scarcely"})
_BARELY_OF_AGE: Final = frozenset({"out", "grown", "of", "a", "an", "old", "more"})
"""What follows `barely` where it says how young somebody is: `barely out of his teens`."""
_STORIES: Final = frozenset(
    ["lie", "lies", "truth", "joke", "jokes", "story", "stories", "tale", "tales", "fortunes", "secret", "secrets",
     "falsehood", "falsehoods", "untruth", "fib", "fibs", "yarn"]
)  # fmt: skip
"""What is told without telling what is so: `has never told a lie`."""
_ANYBODY: Final = frozenset(
    {"man", "woman", "boy", "girl", "person", "child", "people", "brother", "sister", "old"}
)
_MOST_OF: Final = frozenset({("half", "of"), ("most", "of")})
"""Before a place, what says that many people of it do so: `Half of Hollowmere owes Wick money`."""
_BEFORE_MONTHS: Final = frozenset(
    {"in", "of", "last", "this", "next", "every", "since", "until", "till", "late", "early"}
)
_BEHIND_BELIEVE: Final = frozenset({"in", "every", "no", "nothing", "none"})
_PASSIVE_BE: Final = frozenset({"is", "are", "was", "were", "been", "be"})
_BEING: Final = frozenset({"is", "was", "has", "had", "did", "does", "will", "are", "were"})
_TOLD_ASPECTS: Final = frozenset({"secret told", "told"})
"""The aspects of who told what, and whether it was the truth."""
_TELLING: Final = frozenset({"tell", "whisper"})
_TOLD: Final = frozenset(
    {"tell", "tells", "told", "telling", "whisper", "whispers", "whispered", "whispering"}
)
_REPORTED: Final = frozenset(
    {"that", "how", "what", "why", "who", "where", ":", "story", "tale", "joke", "lie", "lies"}
)
"""Words by which somebody tells what may not be so."""
_NO_REPORTS: Final = frozenset(
    ["lie", "swear", "order", "command", "insist", "deny", "doubt", "dream", "fear", "suppose", "advise", "warn", "ask"]
)  # fmt: skip


def read_propositions(statement: str, names: NameBook, pronoun_id: str = "") -> tuple[Proposition, ...]:
    """Return what a statement says; `pronoun_id` is whom `he`, `she` and `it` mean in its first sentence."""
    if len(statement) > MAX_READ_CHARS:
        return ()
    return _read(statement, names.restricted_to(statement), pronoun_id)


@lru_cache(maxsize=20_000)
def _read(statement: str, names: NameBook, pronoun_id: str) -> tuple[Proposition, ...]:
    splitter = ClauseSplitter(load_vocabulary())
    propositions: list[Proposition] = []
    clauses: list[ClauseWords] = []
    named: set[str] = set()
    for sentence in _SENTENCE_END.split(statement):
        words = _without_callings(_with_had(read_tokens(sentence, names)))
        tokens = say_abilities(
            say_in_plain_form(say_plain_verbs(words), load_vocabulary()), load_vocabulary()
        )
        tokens = say_turns_plainly(tokens)
        named |= {t.entity for t in tokens if t.entity}
        if _is_open(tokens) or FIRST_TIME in sentence:
            continue
        is_told = _is_told_about([t.word for t in tokens])
        previous: ClauseWords | None = None
        figures = find_figures(sentence)
        is_changed = False
        for clause in splitter.split(tokens):
            if _says_always(clause):
                propositions = [
                    *propositions[:-1],
                    *(replace(p, time=ClauseTime.ALWAYS) for p in propositions[-1:]),
                ]
                continue
            clause = with_place_meant(
                with_person_meant(_with_thing_meant(clause, previous), previous), previous
            )
            clauses.append(clause)
            clause_propositions = propositions_of(ClauseContext(clause, pronoun_id, frozenset(named)))
            stated = [p for p in clause_propositions if _is_meant(p, figures)]
            if is_told:
                stated = [p for p in stated if p.aspect in _TOLD_ASPECTS]
            is_changed = is_changed or (previous is not None and _tells_of_change(previous))
            previous = clause
            propositions += (replace(p, is_change=True) for p in stated) if is_changed else stated
            pronoun_id = pronoun_id or next((t.entity for t in clause.subject if t.entity), "")
    return tuple(add_kinds(propositions, clauses))


def _is_meant(proposition: Proposition, figures: tuple[FigureOfSpeech, ...]) -> bool:
    """Say whether it is said beside figures of speech, whose words say nothing of it."""
    aspect = load_aspects().aspects[proposition.aspect] if proposition.aspect else None
    concepts = (
        aspect.figures
        if aspect
        else {_ALIVE if proposition.value_of == HAND_IN_DEATH else proposition.concept}
    )
    return all(says_concept(figures, concept) for concept in concepts)


def _is_open(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence asks, supposes, or tells what others say and think."""
    lists = load_vocabulary()
    words = [t.word for t in _without_may(tokens)]
    # `barely twenty`
    words = [
        w
        for w, following in zip(words, [*words[1:], ""], strict=True)
        if not (w in _BARELY and (number_of(following) or following in _BARELY_OF_AGE))
    ]
    is_law = words[:1] == ["no"]  # `No flame will burn there`
    uncertain = lists.uncertain_words - _READ_ANYWAY - ({"will"} if is_law else set())
    if not {"?", "“", "”", '"', "½"}.isdisjoint(words) or not uncertain.isdisjoint(words):
        return True
    if "may" in words and not {"only", "no", "nobody", "anybody", "anyone", "everyone"} & set(words):
        is_law_for_kind = words[1:2] == ["may"] and singular(words[0]) != words[0] and not tokens[0].entity
        if not is_law_for_kind:  # `Men may join, too`
            return True
    is_of_place = tuple(words[:2]) in _MOST_OF and bool(tokens[2].entity) and not tokens[2].is_person
    text = f" {' '.join(words[2:] if is_of_place else words)} "
    phrases = _uncertain_phrases()
    if any(phrase in text for word in phrases.keys() & set(words) for phrase in phrases[word]):
        return True
    if words[-1:] == ["."]:
        words = words[:-1]
    if len(words) > 2 and words[-2] in PRONOUNS and "," not in words:
        words = words[:-1]  # `every word we whispered`
    reports = lists.reporting_verbs - _NO_REPORTS
    if _is_told_about(words):
        reports -= _TELLING
    if any(_is_about_person(tokens, n) for n in range(len(tokens) - 1)):
        reports -= {"suspect", "accuse"}
    if "that" not in words and not _STORIES.isdisjoint(words):
        reports -= {"tell"}
    return any(
        r.lemma in reports and r.tag != "part" and before not in _PASSIVE_BE and not _is_belief_in(words, at)
        for at, (before, word) in enumerate(zip(["", *words], words, strict=False))
        for r in lists.readings_as_verb(word)
    )


def _without_may(tokens: Sequence[Token]) -> list[Token]:
    """Return the words without the month of May."""
    return [
        t
        for before, t in zip([Token("", ""), *tokens], tokens, strict=False)
        if not (t.text == "May" and before.word in _BEFORE_MONTHS)
    ]


def _is_belief_in(words: Sequence[str], at: int) -> bool:
    """Say whether what somebody believes is a thing that is told, and no sentence: `believes every word of it`."""
    following = words[at + 1] if at + 1 < len(words) else ""
    return words[at].startswith("believe") and following in _BEHIND_BELIEVE


def _is_told_about(words: Sequence[str]) -> bool:
    """Say whether somebody tells about something, which need not be so: `told nobody about the trapdoor`."""
    return "about" in words and not _TOLD.isdisjoint(words) and _REPORTED.isdisjoint(words)


@lru_cache(maxsize=1)
def _uncertain_phrases() -> dict[str, list[str]]:
    """Return the phrases that leave a sentence uncertain, by their first words."""
    phrases: defaultdict[str, list[str]] = defaultdict(list)
    for phrase in load_vocabulary().uncertain_phrases:
        if phrase not in _READ_PHRASES:
            phrases[phrase.split()[0]].append(f" {phrase} ")
    return dict(phrases)


def _is_about_person(tokens: Sequence[Token], at: int) -> bool:
    """Say whether somebody is suspected, and not that they did something: `suspects him of everything`."""
    after = tokens[at + 2].word if at + 2 < len(tokens) else ""
    is_person = tokens[at + 1].is_person or tokens[at + 1].word in ("him", "her", "them")
    return (
        tokens[at].word.startswith(("suspect", "accus"))
        and is_person
        and after in ("", ".", ",", "of", "and")
    )


def _tells_of_change(clause: ClauseWords) -> bool:
    """Say whether what follows a clause is so since then: `was cured of the curse and is human`."""
    return clause.verb in _CURING_VERBS and clause.is_passive


def _with_had(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with `had` for the `would` that `'d` was taken for: `he'd sworn`."""
    lists = load_vocabulary()
    fixed = list(tokens)
    for index, token in enumerate(tokens[:-1]):
        tags = {r.tag for r in lists.readings_as_verb(tokens[index + 1].word)}
        if token.word == "would" and "part" in tags and "base" not in tags:
            fixed[index] = Token("had", "had")
    return fixed


def _without_callings(tokens: list[Token]) -> list[Token]:
    """Return the name alone for `the hermit Ansgar` and `Pilot Reuter`, and not for `the guard Tam killed`."""
    if not any(t.is_person for t in tokens[1:]):
        return tokens
    kept: list[Token] = []
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        is_calling = (
            following is not None and following.is_person and not token.entity
            and token.word in PERSON_NOUNS and token.word not in _ANYBODY
        )  # fmt: skip
        is_told = bool(kept) and kept[-1].word == "the" and not _is_relative(tokens[index + 2 : index + 4])
        if is_calling and (is_told or token.text[:1].isupper()):
            if is_told:
                kept.pop()
            continue
        kept.append(token)
    return kept


def _is_relative(following: Sequence[Token]) -> bool:
    """Say whether a verb and another one follow: `killed was my brother`."""
    lists = load_vocabulary()
    words = [t.word for t in following]
    is_verb = len(words) == 2 and words[0] not in _BEING and bool(lists.readings_as_verb(words[0]))
    return is_verb and (words[1] in _BEING or bool(lists.readings_as_verb(words[1])))


def _says_always(clause: ClauseWords) -> bool:
    """Say whether a clause only adds that it was always so: `and always has been`, `and never did`."""
    words = {t.word for t in clause.helpers}
    return not clause.rest and clause.verb in ("be", "do", "have") and bool(words & {"always", "never"})


def _with_thing_meant(clause: ClauseWords, previous: ClauseWords | None) -> ClauseWords:
    """Replace `it` by what the clause before is about, unless that is somebody."""
    if previous is None or not any(t.word == "it" for t in (*clause.subject, *clause.rest)):
        return clause
    behind = tuple(t for t in previous.rest if t.word != "it")
    if len(behind) > 2 and behind[0].is_person and behind[1].word in POSSESSIVES:
        behind = behind[1:]  # `gave Edith his word, and kept it`
    candidates = (previous.subject, behind)
    names = [t for candidate in candidates for t in candidate if t.entity and not t.is_person]
    thing = next((c for c in candidates if c and not any(t.is_person or t.word in PRONOUNS for t in c)), ())
    if len(names) == 1 and names[0] not in thing:
        thing = (names[0],)
    while thing and thing[0].word in PREPOSITIONS:
        thing = thing[1:]
    if not thing:
        return clause

    def with_thing(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        return tuple(t for token in tokens for t in (thing if token.word == "it" else (token,)))

    return replace(clause, subject=with_thing(clause.subject), rest=with_thing(clause.rest))
