"""Parses a question to the record: the names in it, the words that carry it, and the predicates it asks for.

`match_question` states when a text answers a question. It compares words, so it can be wrong both ways;
near misses are therefore still shown, apart from the answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.prose.names import HONORIFICS, find_name_spans
from agents.prose.words import split_sentences, stem
from agents.resolver.phrasings import word_set
from agents.search.relatives import find_asked_relatives, speaks_of_relatives
from agents.typed_text import plain_line
from stores.records.ids import Id

STOP_WORDS: Final = word_set(
    "a an and any are as at be been being but by can could did do does for from had has have he her hers "
    "him his how i if in into is it its may me might more most must my no not of off on or our out over "
    "shall she should so some still than that the their them then there these they this those to up us was "
    "we were what when where which who whom whose why will with would you your ever about tell know known "
    "anything everything something somebody someone anyone happen happened happens exactly really actually "
    "just now currently also too very much many one s t m re ve ll d name named called call"
)
"""Words that carry no meaning by themselves, above all in questions."""

LOCATION_WORDS: Final = word_set(
    "in at on under inside behind beneath near beside above below outside within between upon aboard off"
)
"""Words of which a text needs one to say where something is."""

_EQUIVALENT_WORDS: Final[tuple[frozenset[str], ...]] = tuple(
    word_set(group)
    for group in (
        "be found stay stand live lives lived home located whereabouts place",
        "die died dies dead death alive killed kill kills slain",
        "say said says tell told tells claim claimed",
        "hide hid hidden hides hiding",
        "keep kept keeps keeping",
        "take took taken takes steal stole stolen steals theft thief",
        "give gave given gives gift",
        "go went gone goes leave left leaves",
        "come came comes arrive arrived",
        "know knew knows known",
        "meet met meets meeting",
        "see saw seen sees",
        "find found finds",
        "lose lost loses",
        "break broke broken breaks",
        "buy bought buys sell sold sells",
        "write wrote written letter",
        "swear swore sworn promise promised promises oath",
        "owe owes owed debt debts",
        "lead leads led leader leaders head heads headed",
        "own owns owned owner belong belongs belonged",
        "carry carries carried hold holds held wear wears wore",
        "make made makes build built builds",
        "ring rang rung rings",
        "speak spoke spoken speaks",
        "send sent sends",
        "bring brought brings",
        "fight fought fights",
        "afraid fear fears feared",
        "lie lies lied lying",
        "shoot shot shoots",
        "burn burnt burned burns",
        "destroy destroyed destroys burn burnt burned burns ash ashes shatter shattered shatters",
        "pay paid pays",
        "sink sank sunk sinks",
        "drink drank drunk drinks",
        "eat ate eaten eats",
        "sleep slept sleeps",
        "throw threw thrown throws",
        "fall fell fallen falls",
        "hear heard hears",
        "catch caught catches",
        "teach taught teaches learn learnt learned learns",
        "choose chose chosen chooses",
        "drive drove driven drives",
        "ride rode ridden rides",
        "draw drew drawn draws",
        "win won wins",
        "sing sang sung sings",
        "swim swam swum swims",
        "run ran runs",
        "begin began begun begins start started starts",
        "wake woke woken wakes",
        "blow blew blown blows",
        "hurt hurts wound wounded injure injured",
        "mother father parent parents child children daughter son",
        "brother sister sibling siblings",
        "wife husband married marry spouse",
        "friend friends ally allies",
        "enemy enemies foe",
    )
)
"""Equivalent forms and near synonyms that stemming does not match; a word may be in several groups."""

PREDICATES_BY_WORD: Final[Mapping[str, tuple[str, ...]]] = {
    "where": ("located_in", "part_of", "contains", "connected_to", "buried_in"),
    "whose": ("owned_by", "owns"),
    "own": ("owned_by", "owns"),
    "belong": ("owned_by", "owns", "member_of"),
    "have": ("owned_by", "owns"),
    "has": ("owned_by", "owns"),
    "carry": ("owned_by", "owns"),
    "die": ("alive", "buried_in"),
    "friend": ("ally_of",),
    "foe": ("enemy_of",),
    "child": ("parent_of", "child_of"),
    "mother": ("parent_of", "child_of"),
    "brother": ("sibling_of",),
    "wife": ("married_to",),
    "promise": ("promised",),
    "owe": ("owes", "owed"),
    "work": ("serves", "member_of"),
    "rule": ("rules_over",),
}
"""Predicates that question words ask for, beside those whose own names contain the word."""

_NUMBER_WORDS: Final = "zero one two three four five six seven eight nine ten eleven twelve"
FIGURES_BY_WORD: Final = {word: str(n) for n, word in enumerate(_NUMBER_WORDS.split())}


def _build_form_table() -> dict[str, frozenset[str]]:
    forms_by_stem: dict[str, frozenset[str]] = {}
    for group in _EQUIVALENT_WORDS:
        group_stems = frozenset(map(stem, group))
        for word_stem in group_stems:
            forms_by_stem[word_stem] = forms_by_stem.get(word_stem, frozenset({word_stem})) | group_stems
    return forms_by_stem


FORMS_BY_STEM: Final = _build_form_table()


MAX_QUESTION_LENGTH: Final = 500
"""Characters of a question that are read."""

MIN_WORD_SHARE: Final = 0.5
"""The least share of a question's words, names aside, that an answering text contains."""

_LOCATION_PREDICATE: Final = "located_in"

_PASSIVE_WORDS: Final = word_set("is was are were be been being")
ASKING_AUXILIARIES: Final = word_set("did does do has have had will would must should can could may")
SAYING_WORDS: Final = word_set(
    "say says said tell tells told ask asks asked answer answers answered promise promises promised swear swears swore "
    "sworn speak spoke mention mentioned claim claims claimed call calls called think thinks thought believe believes"
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours)\b|\b(?:My|Me|We|Our)\b")
_WORD: Final = re.compile(r"[^\W_]+")
_POSSESSIVE: Final = re.compile(r"['’]s?\b")


@dataclass(frozen=True, slots=True)
class QuestionName:
    """A name in the question: its words, and the entities that it may mean (none if canon has no such name)."""

    normalized_words: frozenset[str]
    entity_ids: frozenset[Id]


@dataclass(frozen=True, slots=True)
class RecordQuestion:
    """A parsed question."""

    text: str
    names: tuple[QuestionName, ...]
    content_words: frozenset[str]
    """The words that carry the question, names aside, in normal form. Question words such as `where` are
    not among them."""
    wanted_predicates: Mapping[str, frozenset[str]]
    """The predicates that the question asks for, with the words that ask for them."""
    asker_ids: frozenset[Id] = frozenset()
    """Whom `I` means."""
    asker_names: tuple[QuestionName, ...] = ()
    """Their names in canon."""

    @property
    def entity_ids(self) -> tuple[Id, ...]:
        """The entities that the question may be about."""
        return tuple(
            dict.fromkeys(i for question_name in self.names for i in sorted(question_name.entity_ids))
        )

    @property
    def is_empty(self) -> bool:
        return not (self.names or self.content_words)


@dataclass(frozen=True, slots=True)
class QuestionMatch:
    """How much of a question a text contains: the share of its names and of its other words (0 to 1 each)."""

    name_share: float
    word_share: float
    is_match: bool

    @property
    def average_share(self) -> float:
        return (self.name_share + self.word_share) / 2


def parse_question(
    text: str,
    entity_names: Iterable[tuple[str, Id]],
    catalogue: Catalogue,
    asker_ids: Collection[Id] = (),
) -> RecordQuestion:
    """Parse a question; `entity_names` are the names in canon, in lower case, with the entity of each."""
    text = plain_line(text)[:MAX_QUESTION_LENGTH]
    folded_words = [_fold_word(word) for word in _WORD.findall(_POSSESSIVE.sub(" ", text))]
    entity_names = list(entity_names)
    names, name_positions = _find_names(text, folded_words, entity_names)
    asker_names = tuple(
        QuestionName(word_forms(name), frozenset({entity_id}))
        for name, entity_id in entity_names
        if entity_id in asker_ids
    )
    content_words = [word for n, word in enumerate(folded_words) if n not in name_positions]
    normalized_words = frozenset(
        normalize_word(word) for word in content_words if word not in STOP_WORDS and len(word) > 1
    )
    wanted_predicates = _find_wanted_predicates(content_words, catalogue)
    return RecordQuestion(text, names, normalized_words, wanted_predicates, frozenset(asker_ids), asker_names)


def match_question(
    question: RecordQuestion, text: str, involved_ids: Collection[Id] = (), *, predicate: str = ""
) -> QuestionMatch:
    """Say how far a text answers a question.

    It matches if it has every name of the question, by word or by involvement, and at least half of its
    other words in any form (more than half if the question has no name). A fact whose predicate is asked
    for counts as having the words that ask for it; a text that answers `where` needs a word like `in`, one that
    answers for somebody's brother needs a brother.
    """
    text_forms = word_forms(text)
    matched_names = sum(
        bool(n.entity_ids.intersection(involved_ids)) or n.normalized_words <= text_forms
        for n in question.names
    )
    name_share = matched_names / len(question.names) if question.names else 1.0
    is_wanted_predicate = predicate in question.wanted_predicates
    sought_words = question.content_words - question.wanted_predicates.get(predicate, frozenset())
    asked_relatives = find_asked_relatives(question.text)
    other_words = sought_words - frozenset(map(normalize_word, asked_relatives))
    if len(other_words) == 1:
        # That it is of her mother is not half of who killed her.
        sought_words = other_words
    matched_words = sum(has_word_like(word, text_forms) for word in sought_words)
    word_share = matched_words / len(sought_words) if sought_words else 1.0
    if _LOCATION_PREDICATE in question.wanted_predicates and not (
        is_wanted_predicate or question.content_words or text_forms & LOCATION_WORDS
    ):
        word_share = 0.0
    has_any_match = is_wanted_predicate or matched_names + matched_words > 0
    has_enough_words = word_share > MIN_WORD_SHARE or (word_share == MIN_WORD_SHARE and bool(question.names))
    is_match = has_any_match and name_share == 1.0 and has_enough_words
    is_of_relatives = is_wanted_predicate or speaks_of_relatives(asked_relatives, text)
    return QuestionMatch(name_share, word_share, is_match and is_of_relatives)


def has_word_like(word: str, text_forms: Collection[str]) -> bool:
    """Say whether a text has a word in any form, or one that means the same; all are in normal form."""
    return any(word_form in text_forms for word_form in _equivalent_forms(word))


def counts_as_about_speaker(question: RecordQuestion, statement: str) -> bool:
    """Say whether a speaker's name counts as a name in their words.

    It does if the question asks what was said, or if they speak of themselves.
    """
    asks_what_was_said = not SAYING_WORDS.isdisjoint(map(_fold_word, _WORD.findall(question.text)))
    return asks_what_was_said or _FIRST_PERSON.search(statement) is not None


def shares_content_word(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has a word that carries the question."""
    return bool(question.content_words & word_forms(text))


def find_asked_subjects(question: RecordQuestion) -> frozenset[Id]:
    """Return those of whose own doings a question asks: Bram in `What did Bram promise?` and `Bram's debts`.

    In `What did I promise?` it is the hero.

    To whom something is done (`Who promised Bram a mule?`, `What is Bram owed?`) is not meant.
    """
    words = [_fold_word(word) for word in _WORD.findall(plain_line(question.text))]
    if not _PASSIVE_WORDS.isdisjoint(words):
        return frozenset()
    subject_ids: set[Id] = set()
    if any(before in ASKING_AUXILIARIES for before, word in pairwise(words) if word == "i"):
        subject_ids |= question.asker_ids
    for name in question.names:
        positions = [n for n, word in enumerate(words) if normalize_word(word) in name.normalized_words]
        if not positions:
            continue
        words_before = [word for word in words[: positions[0]] if word != "the"]
        has_doing_word = bool(words_before) and words_before[-1] in ASKING_AUXILIARIES
        if has_doing_word or not words_before or words[positions[-1] + 1 :][:1] == ["s"]:
            subject_ids |= name.entity_ids
    return frozenset(subject_ids)


def remove_questions(text: str) -> str:
    """Remove the questions from a text: repeating a question does not answer it."""
    return " ".join(
        sentence
        for sentence in split_sentences(text)
        if not sentence.rstrip().rstrip("\"'”’»)").endswith("?")
    )


def word_forms(text: str) -> frozenset[str]:
    """Return the words of a text in normal form."""
    return frozenset(
        normalize_word(_fold_word(word)) for word in _WORD.findall(_POSSESSIVE.sub(" ", plain_line(text)))
    )


def normalize_word(word: str) -> str:
    """Return a word in normal form: stemmed, number words as figures."""
    return FIGURES_BY_WORD.get(word) or stem(word)


def _fold_word(word: str) -> str:
    return word.casefold()


def _equivalent_forms(word: str) -> frozenset[str]:
    """Return the forms that mean the same as a word, the word among them."""
    return FORMS_BY_STEM.get(word, frozenset({word}))


def _find_wanted_predicates(question_words: Iterable[str], catalogue: Catalogue) -> dict[str, frozenset[str]]:
    """Return the predicates that these words ask for, with inverses, and the words that ask for each."""
    forms_by_word = {
        word: frozenset({word, stem(word), *_equivalent_forms(stem(word))}) for word in question_words
    }
    words_by_predicate: dict[str, frozenset[str]] = {}
    for word, equivalent_forms in forms_by_word.items():
        for asking_word, names in PREDICATES_BY_WORD.items():
            if {asking_word, stem(asking_word)} & equivalent_forms:
                words_by_predicate.update(
                    {
                        name: words_by_predicate.get(name, frozenset()) | {normalize_word(word)}
                        for name in names
                    }
                )
    for name in catalogue.predicates:
        predicate_words = {stem(part) for part in name.split("_") if part not in STOP_WORDS and len(part) > 3}
        if predicate_words and predicate_words <= frozenset().union(*forms_by_word.values()):
            matching_words = frozenset(
                normalize_word(word) for word, forms in forms_by_word.items() if forms & predicate_words
            )
            related_predicates = (
                name,
                *catalogue.inverse_predicates(name),
                *filter(None, [catalogue[name].inverse_of]),
            )
            words_by_predicate.update(
                {
                    related_predicate: words_by_predicate.get(related_predicate, frozenset()) | matching_words
                    for related_predicate in related_predicates
                }
            )
    return words_by_predicate


def _find_names(
    text: str, folded_words: list[str], entity_names: Iterable[tuple[str, Id]]
) -> tuple[tuple[QuestionName, ...], frozenset[int]]:
    """Return the names in the question and the positions of their words.

    Whole names are matched before parts of names; a word written like a name counts even if nobody in canon
    has it.
    """
    ids_by_full_name: dict[tuple[str, ...], set[Id]] = {}
    ids_by_name_part: dict[str, set[Id]] = {}
    for name, entity_id in entity_names:
        name_words = tuple(map(_fold_word, _WORD.findall(_POSSESSIVE.sub(" ", plain_line(name)))))
        words_without_article = (
            name_words[1:] if len(name_words) > 1 and name_words[0] in ("the", "a", "an") else name_words
        )
        if not words_without_article:
            continue
        ids_by_full_name.setdefault(words_without_article, set()).add(entity_id)
        for word in words_without_article:
            if len(word) > 2 and word not in STOP_WORDS and word not in HONORIFICS:
                ids_by_name_part.setdefault(word, set()).add(entity_id)
    question_names: list[QuestionName] = []
    used_positions: set[int] = set()
    longest_name = max(map(len, ids_by_full_name), default=0)
    for length in range(min(longest_name, len(folded_words)), 0, -1):
        for position in range(len(folded_words) - length + 1):
            positions = range(position, position + length)
            ids = ids_by_full_name.get(tuple(folded_words[position : position + length]))
            if (
                ids
                and not used_positions.intersection(positions)
                and (length > 1 or folded_words[position] not in STOP_WORDS)
            ):
                question_names.append(
                    QuestionName(_normalize_words(folded_words[position : position + length]), frozenset(ids))
                )
                used_positions.update(positions)
    name_like_words = {
        _fold_word(w) for span in find_name_spans(text) for w in _WORD.findall(span.name)
    } - HONORIFICS
    capitalised_words = {_fold_word(w) for w in _WORD.findall(text) if w[:1].isupper()}
    for position, word in enumerate(folded_words):
        if position in used_positions or word in STOP_WORDS:
            continue
        ids = ids_by_name_part.get(word, set())
        if (word in capitalised_words or not capitalised_words) if ids else word in name_like_words:
            question_names.append(QuestionName(_normalize_words([word]), frozenset(ids)))
            used_positions.add(position)
    return tuple(dict.fromkeys(question_names)), frozenset(used_positions)


def _normalize_words(raw_words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(normalize_word, raw_words))
