"""Parses a question to the record: the names in it, the words that carry it, and the predicates it asks for.

`match_question` states when a text answers a question. It compares words, so it can be wrong both ways;
near misses are therefore still shown, apart from the answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.prose.dates import PartialDate, read_dates, remove_dates
from agents.prose.words import split_sentences
from agents.resolver.phrasings import word_set
from agents.search.normal_words import (
    LOCATION_WORDS,
    STOP_WORDS,
    equivalent_forms,
    has_word_like,
    normalize_word,
    word_forms,
)
from agents.search.question_names import QuestionName, find_names, fold_word, split_folded
from agents.search.relatives import find_asked_relatives, speaks_of_relatives
from agents.typed_text import plain_line
from stores.records.ids import Id

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


MAX_QUESTION_LENGTH: Final = 500
"""Characters of a question that are read."""

MIN_WORD_SHARE: Final = 0.5
"""The least share of a question's words, names aside, that an answering text contains."""

MEASURE_WORDS: Final = word_set("old far long deep high tall wide big large heavy")
"""Words that after `how` ask for a measure."""

_TIME_CLAUSE: Final = re.compile(
    r"(?<=\w )(?<!since )(?:after|when|while|until|once) (?!did |is |was |the )(?=\w+ \w).*", re.IGNORECASE
)
"""A clause that says when: `What did Bela say when I came home?`."""
_CLAUSE_BEFORE: Final = re.compile(
    r"(?<=\w )before (?=(?:I|we|you|he|she|it|they) \w|(?-i:[A-ZÀ-Þ][^\W_]+ [a-z]))"
    r"(?!\w+ (?:would|will|can|could)\b).*",
    re.IGNORECASE,
)
"""What was to come yet, which what is told of the time before it need not say: `before she worked for Osk`."""
_ASKING_WORDS: Final = re.compile(
    r"^(?:and |but |so )?(?:what (?:has |had )?(?P<fate>became|become) of\b|how many (?P<times>times)\b"
    r"|(?:what|which) (?P<kind>kind|sort|type|way)\b"
    r"|what (?:do|does|did) .+ (?P<meaning>mean)[\s?.!]*$"
    r"|where (?:do|does|did) .+ (?P<origin>come) from[\s?.!]*$"
    r"|what(?:['’]s| is| was) .+ (?P<part>first|last|full|real|family|given) name[\s?.!]*$"
    r"|what (?:do|does|did) .+ (?P<looks>look) (?P<like>like)[\s?.!]*$"
    r"|what(?:['’]s| is| was) (?P<wrong>wrong) with\b|what(?:['’]s| is| was) the (?P<matter>matter) with\b"
    r"|(?:what|why|how) (?:do|does|did) (?P<people>people|folks?)\b)",
    re.IGNORECASE,
)
"""Words that ask, and that no answer needs to have: `What became of Dob?`, `Where does he come from?`."""
ASKS_KIND: Final = re.compile(
    r"^(?:and |but |so )?(?:what|which) (?:kind|sort|type) of (?P<genus>[^\W_]+) (?:is|was|are|were)"
    r"(?: (?:the|my|our|your|his|her))?(?! [^?]*(?:ing|ed|\b(?:of|with|in|on|at|for|to|by|from|about))\b)"
    r"(?: [^\W_]+)? (?P<one>[^\W_]+)[?.!\s]*$",
    re.IGNORECASE,
)
"""What somebody or something is: `What kind of ship is the Petrel?`; an answer need not say `ship`."""
_WHEN_IN_STORY: Final = re.compile(
    r"\b(?:at first|at last|in the end|in the beginning|at the (?:start|beginning|end)(?! of)|finally|eventually"
    r"|originally|initially|recently|lately|nowadays|these days|by now|so far|already|any ?more|no longer"
    r"|all (?:that|this|the) time|the whole time|at (?:the|that) time|back then|in those days|in the meantime)\b",
    re.IGNORECASE,
)
"""Words that say when in the story; the order of the turns says it, and not their words."""
_ASKS_HOW_THEY_STAND: Final = re.compile(
    r"^how (?:do|does|did) .+ (?:stand|get (?:on|along)|feel)\b", re.IGNORECASE
)
_STANDING_WORDS: Final = word_set("stand get on along feel about with towards toward")

_GOT_STATES: Final = word_set("ill sick hurt lost caught drunk stuck shot burnt hit")
_LOCATION_PREDICATE: Final = "located_in"

_PASSIVE_WORDS: Final = word_set("is was are were be been being")
ASKING_AUXILIARIES: Final = word_set("did does do has have had will would must should can could may")
SPEECH_WORDS: Final = word_set(
    "say says said tell tells told ask asks asked answer answers answered speak speaks spoke spoken talk talks talked "
    "mention mentions mentioned claim claims claimed think thinks thought believe believes"
)
SAYING_WORDS: Final = SPEECH_WORDS | word_set(
    "promise promises promised swear swears swore sworn call calls called"
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours)\b|\b(?:My|Me|We|Our)\b")
ASKS_INDIRECTLY: Final = re.compile(
    r"\basks?\b[^.;]*\b(?:who|whom|what|when|where|why|how|which|whether|if)\b", re.IGNORECASE
)
_ECHOES_NAME: Final = re.compile(r"[\"'“‘«]?(?:the |old )?(?:[A-ZÀ-Þ][^\W_]+[ ?]){1,3}[\"'”’»]?\s*$")
_SPEAKS_OF_ASKING: Final = re.compile(r"\bask(?:s|ed|ing)?\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+")
_NOT: Final = re.compile(r"n['’]t\b", re.IGNORECASE)


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
    hero_ids: frozenset[Id] = frozenset()
    """Whom `I` means in the player's own lines, also where the question has no such word."""
    known_name_words: frozenset[str] = frozenset()
    """The words of all names in canon, in lower case."""
    dates: tuple[PartialDate, ...] = ()
    """Days that it names."""
    names_by_role: Mapping[str, str] = field(default_factory=dict)
    """Who is meant by roles that a text may have for their names: `reeve of harrow` for Aldwin."""
    searched_roles: tuple[str, ...] = ()
    """Those of the roles by which records are searched for beside the names."""

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
    is_answer: bool = False
    """Whether the text is itself what is asked for, and does not only bear on it."""
    says_all: bool = False
    """Whether it answers with all names and words of the question: it does so wherever it was found."""

    @property
    def average_share(self) -> float:
        return (self.name_share + self.word_share) / 2

    def touches(self, question: RecordQuestion) -> bool:
        """Say whether the text has any word of the question; if it asks for names alone, any of them."""
        return self.word_share > 0 if question.content_words else bool(question.names) and self.name_share > 0


def parse_question(
    text: str,
    entity_names: Iterable[tuple[str, Id]],
    catalogue: Catalogue,
    asker_ids: Collection[Id] = (),
) -> RecordQuestion:
    """Parse a question; `entity_names` are the names in canon, in lower case, with the entity of each."""
    text = plain_line(text)[:MAX_QUESTION_LENGTH]
    # The day is no word of what is asked: it is held against when a turn was said.
    timeless_text, dates = _WHEN_IN_STORY.sub(" ", remove_dates(text)), tuple(read_dates(text))
    folded_words = split_folded(_NOT.sub(" not", timeless_text))
    entity_names = list(entity_names)
    names, name_positions, known_words = find_names(timeless_text, folded_words, entity_names)
    asker_names = tuple(
        QuestionName(word_forms(name), frozenset({entity_id}))
        for name, entity_id in entity_names
        if entity_id in asker_ids
    )
    content_words = [
        word
        for n, word in enumerate(folded_words)
        if n not in name_positions and not (n and folded_words[n - 1] == "how" and word in MEASURE_WORDS)
    ]
    if _ASKS_HOW_THEY_STAND.search(text):
        content_words = [word for word in content_words if word not in _STANDING_WORDS]
    if asking := _ASKING_WORDS.search(text):
        asking_words = {fold_word(word) for word in asking.groups() if word}
        content_words = [word for word in content_words if word not in asking_words]
    content_words = [
        word
        for n, word in enumerate(content_words)
        if word != "get" or not _is_got(content_words[n + 1 : n + 2])
    ]
    if asking := ASKS_KIND.match(text):
        content_words = [word for word in content_words if word != fold_word(asking["genus"])]
    clause = _TIME_CLAUSE.search(text) or _CLAUSE_BEFORE.search(text)
    clause_words = set(map(fold_word, _WORD.findall(clause[0]))) if clause else set()
    normalized_words = _keep_content(word for word in content_words if word not in clause_words)
    if not normalized_words:
        normalized_words = _keep_content(content_words)
    if before := _CLAUSE_BEFORE.search(text):
        told_forms = word_forms(text[: before.start()])
        names = tuple(name for name in names if name.normalized_words <= told_forms)
    wanted_predicates = _find_wanted_predicates(content_words, catalogue)
    return RecordQuestion(
        text,
        names,
        normalized_words,
        wanted_predicates,
        frozenset(asker_ids),
        asker_names,
        frozenset(asker_ids),
        known_words,
        dates,
    )


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
        bool(n.entity_ids.intersection(involved_ids)) or n.is_in(text, text_forms) for n in question.names
    )
    name_share = matched_names / len(question.names) if question.names else 1.0
    is_wanted_predicate = predicate in question.wanted_predicates
    sought_words = question.content_words - question.wanted_predicates.get(predicate, frozenset())
    asked_relatives = find_asked_relatives(question.text)
    other_words = sought_words - frozenset(map(normalize_word, asked_relatives))
    # An uncle is said of who has a nephew.
    told_relatives = {normalize_word(word) for word in asked_relatives if speaks_of_relatives([word], text)}
    if len(other_words) == 1:
        # That it is of her mother is not half of who killed her.
        sought_words = other_words
    matched_words = sum(word in told_relatives or has_word_like(word, text_forms) for word in sought_words)
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


def says_what_came_after(question: RecordQuestion) -> bool:
    """Say whether a question has what came after what it asks for: `What did she sell before she worked for Osk?`."""
    return _CLAUSE_BEFORE.search(question.text) is not None


def _is_got(next_words: Sequence[str]) -> bool:
    """Say whether a word behind `get` says all of it: `get married`, `get ill`."""
    return any(word.endswith("ed") or word in _GOT_STATES for word in next_words)


def counts_as_about_speaker(question: RecordQuestion, statement: str) -> bool:
    """Say whether a speaker's name counts as a name in their words.

    It does if the question asks what was said, or if they speak of themselves.
    """
    asks_what_was_said = not SAYING_WORDS.isdisjoint(map(fold_word, _WORD.findall(question.text)))
    return asks_what_was_said or _FIRST_PERSON.search(statement) is not None


def shares_content_word(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has a word that carries the question."""
    return bool(question.content_words & word_forms(text))


def find_asked_subjects(question: RecordQuestion) -> frozenset[Id]:
    """Return those of whose own doings a question asks: Bram in `What did Bram promise?` and `Bram's debts`.

    In `What did I promise?` it is the hero.

    To whom something is done (`Who promised Bram a mule?`, `What is Bram owed?`) is not meant.
    """
    words = [fold_word(word) for word in _WORD.findall(plain_line(question.text))]
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


def find_place_names(question: RecordQuestion) -> frozenset[QuestionName]:
    """Return the names at which, or to which, something is asked to have happened: `at the Weirhouse`."""
    words = [fold_word(word) for word in _WORD.findall(plain_line(question.text))]
    place_names: set[QuestionName] = set()
    for name in question.names:
        first = next((n for n, word in enumerate(words) if normalize_word(word) in name.normalized_words), 0)
        words_before = [word for word in words[:first] if word != "the"]
        if words_before and words_before[-1] in LOCATION_WORDS | {"to", "into", "from"}:
            place_names.add(name)
    return frozenset(place_names)


def find_visited_places(question: RecordQuestion) -> frozenset[Id]:
    """Return the entities at which, or to which, something is asked to have happened."""
    return frozenset(id for name in find_place_names(question) for id in name.entity_ids)


def remove_questions(text: str) -> str:
    """Remove the questions from a text: repeating a question does not answer it.

    A name that is only echoed says of whom the answer is: `Strood? He came from Whitford.`
    """
    return " ".join(
        sentence.replace("?", ".")
        for sentence in split_sentences(text)
        if not sentence.rstrip().rstrip("\"'”’»)").endswith("?") or _ECHOES_NAME.match(sentence)
    )


def remove_what_is_asked(question: RecordQuestion, text: str) -> str:
    """Remove direct and indirect questions from a text, unless the question is what somebody asked."""
    return remove_questions(text) if _SPEAKS_OF_ASKING.search(question.text) else remove_all_questions(text)


def remove_all_questions(text: str) -> str:
    """Remove direct and indirect questions from a text: `I ask whether Josper is my uncle` does not say that he is."""
    sentences = split_sentences(remove_questions(text))
    return " ".join(sentence for sentence in sentences if not ASKS_INDIRECTLY.search(sentence))


def _keep_content(words: Iterable[str]) -> frozenset[str]:
    return frozenset(normalize_word(word) for word in words if word not in STOP_WORDS and len(word) > 1)


def _find_wanted_predicates(question_words: Iterable[str], catalogue: Catalogue) -> dict[str, frozenset[str]]:
    """Return the predicates that these words ask for, with inverses, and the words that ask for each."""
    forms_by_word = {
        word: frozenset({word, normalize_word(word), *equivalent_forms(normalize_word(word))})
        for word in question_words
    }
    words_by_predicate: dict[str, frozenset[str]] = {}
    for word, asking_forms in forms_by_word.items():
        for asking_word, names in PREDICATES_BY_WORD.items():
            if {asking_word, normalize_word(asking_word)} & asking_forms:
                words_by_predicate.update(
                    {
                        name: words_by_predicate.get(name, frozenset()) | {normalize_word(word)}
                        for name in names
                    }
                )
    for name in catalogue.predicates:
        predicate_words = {
            normalize_word(part) for part in name.split("_") if part not in STOP_WORDS and len(part) > 3
        }
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
