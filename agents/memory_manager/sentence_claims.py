"""Reads what a sentence claims, so that it can be compared with a sentence or a fact.

A claim is a fact key and its value (`owned_by` of the bell: Tam; `alive` of the orc: false; where the key is:
`under the stone`). Two claims with one fact key and different values contradict each other. Sentences are read as
proposals are (`agents/canon_keeper/sentences`); besides, it understands the sentence forms of a universe's own
predicates, where something is, and what the password, the killer, the name and the like are. Any other sentence
is a claim of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from agents.canon_keeper.fact_readings import ALIVE, read_fact
from agents.canon_keeper.predicates import Catalogue, Predicate, value_in_words
from agents.canon_keeper.sentences.claims import Claim
from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import NameBook, split_words
from stores.records.canon import Fact, FactKind, normalize_statement
from stores.records.ids import Id

IdsByName = Mapping[str, Id]
"""Entities by their names in lower case."""

_NEGATION: Final = re.compile(r"\b(?:not|never|no longer|nobody|no one|cannot)\b|n['’]t\b", re.IGNORECASE)
_PLACE_SENTENCE: Final = re.compile(
    r"(?P<what>.+?)\s+(?:is|are|lies?|lay|stands?|hides?|was|were|is hidden|lies hidden|is buried|is kept)\s+"
    r"(?:now\s+)?(?P<where>(?:in|at|under|beneath|behind|on|near|inside|above|below|beside|by|with)\s+.+)",
    re.IGNORECASE,
)
_UNIQUE_ROLE_SENTENCE: Final = re.compile(
    r"(?P<what>(?:the|my|your|his|her|their|\w+['’]s)\s+(?:\w+\s+){0,3}?"
    r"(?:password|name|killer|murderer|thief|culprit|traitor|spy|heir|code|number|price|king|queen|captain|"
    r"leader|ruler|owner|hour|day|way out|answer|word|sign|father|mother)(?:\s+(?:of|to|for)\s+[^,.]+?)?)\s+"
    r"(?:is|was)\s+(?P<which>.+)",
    re.IGNORECASE,
)
_OPENING_PHRASE: Final = re.compile(
    r"^(?:no|actually|in truth|the truth is|listen|believe me|they say|i heard|i know|i swear|mark my words|"
    r"well|now|and|but)\b[,:]?\s*(?:that\s+)?",
    re.IGNORECASE,
)
_HYPOTHETICAL: Final = re.compile(
    r"\?|\b(?:if|would|could|might|may|perhaps|maybe|suppose|wonder|wish|hope|should|shall|will)\b",
    re.IGNORECASE,
)
_DEATH_TEMPLATES: Final = (
    "{subject} is dead",
    "{subject} has died",
    "{subject} was killed",
    "{subject} is slain",
)
_EDGE_CHARS: Final = " \"“”'.,;!…"
_ARTICLE: Final = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
CORRECTION_WORDS: Final = re.compile(
    r"\b(?:actually|in truth|i lied|was a lie|is a lie|were lies|is wrong|was wrong|not true|untrue|"
    r"mistaken|i misspoke|the truth is|correction|rather than|it was not|it is not)\b|^no,",
    re.IGNORECASE,
)
"""Words of somebody who corrects what was said before."""


class SentenceClaim(NamedTuple):
    """A fact key and its value; if not `is_affirmed`, the claim is that it does not have the value."""

    fact_key: str
    value: str
    is_affirmed: bool = True

    def contradicts(self, other: SentenceClaim) -> bool:
        """Say whether both claims cannot be true."""
        if self.fact_key != other.fact_key:
            return False
        if self.is_affirmed and other.is_affirmed:
            return self.fact_key != "said" and self.value != other.value
        return self.value == other.value and self.is_affirmed is not other.is_affirmed


MAX_FACTS_KEPT: Final = 10_000
"""Facts whose claims a reader keeps."""

MAX_SENTENCES_KEPT: Final = 5_000
"""Sentences whose claims a reader keeps: what the people of a scene remember is compared with each of its pieces."""


class ClaimReader:
    """Reads claims by the predicates of one universe's catalogue.

    It keeps what facts and sentences claim as long as the names are the same: after each exchange the same ones are
    compared with the new turns. One thread at a time may use it.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._patterns = _compile_patterns(catalogue.predicates.values())
        self._claims_by_fact: dict[tuple[Id, str, str, str], list[SentenceClaim]] = {}
        self._claims_by_sentence: dict[tuple[str, Id | None], list[SentenceClaim]] = {}
        self._names: IdsByName = {}
        self._name_book = _name_book_of({})

    def read_claims(
        self, sentence: str, ids_by_name: IdsByName, speaker_id: Id | None = None
    ) -> list[SentenceClaim]:
        """Return what a sentence of the speaker claims; nothing for a question or a mere possibility."""
        self._use_names(ids_by_name)
        key = (sentence, speaker_id)
        if key not in self._claims_by_sentence:
            if len(self._claims_by_sentence) >= MAX_SENTENCES_KEPT:
                self._claims_by_sentence.clear()
            self._claims_by_sentence[key] = self._read_claims_of_sentence(sentence, ids_by_name, speaker_id)
        return self._claims_by_sentence[key]

    def _use_names(self, ids_by_name: IdsByName) -> None:
        """Forget what was read by other names. The same names come in another mapping with each piece of a scene."""
        if ids_by_name is self._names:
            return
        if ids_by_name != self._names:
            self._claims_by_fact.clear()
            self._claims_by_sentence.clear()
            self._name_book = _name_book_of(ids_by_name)
        self._names = ids_by_name

    def _read_claims_of_sentence(
        self, sentence: str, ids_by_name: IdsByName, speaker_id: Id | None
    ) -> list[SentenceClaim]:
        text = _drop_address(
            _OPENING_PHRASE.sub("", " ".join(sentence.split()).strip(_EDGE_CHARS)), ids_by_name
        )
        if not text or _HYPOTHETICAL.search(sentence):
            return []
        is_affirmed = _NEGATION.search(text) is None
        affirmed_text = text if is_affirmed else " ".join(_NEGATION.sub(" ", text).split())
        if not is_affirmed:
            affirmed_text = _affirm(affirmed_text)
        pattern_claims = [
            claim._replace(is_affirmed=is_affirmed == claim.is_affirmed)
            for claim in self._read_patterns(affirmed_text, ids_by_name, speaker_id)
        ]
        read_claims = self._read_sentence(text, speaker_id)
        read_keys = {claim.fact_key for claim in read_claims}
        other_claims = [claim for claim in pattern_claims if claim.fact_key not in read_keys]
        return [
            *read_claims,
            *other_claims,
            SentenceClaim("said", _normalise_text(affirmed_text), is_affirmed),
        ]

    def _read_sentence(self, text: str, speaker_id: Id | None) -> list[SentenceClaim]:
        """Return the claims of a sentence about somebody or something that has a name."""
        claims = read_statement(text, self._name_book, speaker_id or "").claims
        claims_or_none = (_read_claim(claim, self.catalogue) for claim in claims)
        return list(dict.fromkeys(claim for claim in claims_or_none if claim is not None))

    def is_mutual(self, fact: Fact) -> bool:
        """Say whether a fact is equally about both entities, so that both know of it."""
        return self.catalogue[fact.predicate].symmetric

    def read_fact_claims(self, fact: Fact, ids_by_name: IdsByName) -> list[SentenceClaim]:
        """Return what a fact claims."""
        self._use_names(ids_by_name)
        key = (fact.id, fact.predicate, fact.statement, str(fact.value))
        if key not in self._claims_by_fact:
            if len(self._claims_by_fact) >= MAX_FACTS_KEPT:
                self._claims_by_fact.clear()
            self._claims_by_fact[key] = self._read_claims_of_fact(fact, ids_by_name)
        return self._claims_by_fact[key]

    def _read_claims_of_fact(self, fact: Fact, ids_by_name: IdsByName) -> list[SentenceClaim]:
        fact_claims = _claims_from_predicate(fact, self.catalogue)
        if not fact_claims:
            sentence_claims = self._read_claims_of_sentence(fact.statement, ids_by_name, None)
            fact_claims = [claim for claim in sentence_claims if claim.fact_key != "said"]
        return [*fact_claims, SentenceClaim("said", _normalise_text(fact.statement))]

    def _read_patterns(self, text: str, ids_by_name: IdsByName, speaker_id: Id | None) -> list[SentenceClaim]:
        pattern_claims: list[SentenceClaim] = []
        folded_text = text.casefold()
        for fixed_words, pattern, predicate, fixed_value in self._patterns:
            match = pattern.fullmatch(text) if fixed_words in folded_text else None
            if match is None:
                continue
            groups = match.groupdict()
            subject, value = resolve_name(groups.get("subject") or "", ids_by_name, speaker_id), fixed_value
            if fixed_value is None and "object" in groups:
                value = resolve_name(groups["object"], ids_by_name, speaker_id)
            elif fixed_value is None and "value" in groups:
                value = groups["value"].casefold()
            if subject is None or value is None:
                continue
            if predicate.inverse_of:
                pattern_claims.append(_build_claim(predicate.inverse_of, value, subject, self.catalogue))
            elif predicate.name == "is_not":
                pattern_claims.append(_build_claim("is", subject, value, self.catalogue, is_affirmed=False))
            else:
                pattern_claims.append(_build_claim(predicate.name, subject, value, self.catalogue))
        if not any(c.fact_key.startswith(("located_in", "alive")) for c in pattern_claims):
            pattern_claims += _claims_from_free_text(text, ids_by_name, speaker_id)
        return list(dict.fromkeys(pattern_claims))


def _name_book_of(ids_by_name: IdsByName) -> NameBook:
    spellings = (
        (tuple(token.word for token in split_words(name)), entity_id, False)
        for name, entity_id in ids_by_name.items()
    )
    return NameBook(frozenset(spelling for spelling in spellings if spelling[0]))


def _read_claim(claim: Claim, catalogue: Catalogue) -> SentenceClaim | None:
    """Return a claim of a sentence as a fact key and its value; None for what memories do not compare."""
    subject, other = claim.subject.entity, claim.object.entity if claim.object else ""
    if not subject or claim.when or claim.is_ability:
        return None
    if claim.relation == ALIVE or claim.relation.startswith("state:"):
        return SentenceClaim(f"{claim.relation}|{subject}", claim.value.partition(":")[0], claim.is_affirmed)
    if claim.relation in catalogue.predicates and other:
        inverse = catalogue[claim.relation].inverse_of
        if inverse is not None:
            return _build_claim(inverse, other, subject, catalogue, claim.is_affirmed)
        return _build_claim(claim.relation, subject, other, catalogue, claim.is_affirmed)
    if claim.relation.startswith("verb:") and other and not claim.adjuncts:
        return SentenceClaim(f"{claim.relation}|{subject}|{other}", "done", claim.is_affirmed)
    return None


def _affirm(text: str) -> str:
    """Return a sentence without `not` in its positive form: `does own` becomes `owns`."""
    text = re.sub(r"\b(is|was|are|were|do|does|did)n\b", r"\1", text)
    return re.sub(r"\bdoes (\w+)", r"\1s", text)


def _drop_address(text: str, ids_by_name: IdsByName) -> str:
    """Remove the name of the person addressed: `the water is foul, Joss`."""
    text_before, _, last_part = text.rpartition(",")
    if text_before and resolve_name(last_part, ids_by_name):
        text = text_before
    first_part, _, rest_text = text.partition(",")
    return rest_text.strip() if rest_text and resolve_name(first_part, ids_by_name) else text


def _normalise_text(text: str) -> str:
    return _ARTICLE.sub("", normalize_statement(text))


def _claims_from_predicate(fact: Fact, catalogue: Catalogue) -> list[SentenceClaim]:
    reading = read_fact(fact, catalogue)
    if reading.subject is None or (reading.object is None and reading.value is None):
        return []
    if fact.kind not in (FactKind.RELATION, FactKind.STATE, FactKind.ATTRIBUTE):
        return []
    value = reading.object or value_in_words(reading.value).casefold()
    if fact.predicate in ("is", "is_not"):
        return [_build_claim("is", reading.subject, value, catalogue, fact.predicate == "is")]
    return [_build_claim(reading.predicate, reading.subject, value, catalogue)]


def _build_claim(
    name: str, subject: str, value: str, catalogue: Catalogue, is_affirmed: bool = True
) -> SentenceClaim:
    """Return a claim with its fact key.

    A predicate with a single value has the subject in its key, one that excludes another predicate has the
    pair; any other has the pair with yes or no as value.
    """
    predicate = catalogue[name]
    if predicate.cardinality == "one":
        return SentenceClaim(f"{name}|{subject}", value, is_affirmed)
    predicate_family = "/".join(sorted({name, *catalogue.excluded_by(name)}))
    pair = sorted((subject, value)) if predicate.symmetric or "/" in predicate_family else [subject, value]
    return SentenceClaim(f"{predicate_family}|{'|'.join(pair)}", name, is_affirmed)


def _claims_from_free_text(text: str, ids_by_name: IdsByName, speaker_id: Id | None) -> list[SentenceClaim]:
    if match := _PLACE_SENTENCE.fullmatch(text):
        what = resolve_name(match["what"], ids_by_name, speaker_id) or _normalise_text(match["what"])
        return [SentenceClaim(f"at|{what}", _normalise_text(match["where"]))]
    if match := _UNIQUE_ROLE_SENTENCE.fullmatch(text):
        which = resolve_name(match["which"], ids_by_name, speaker_id) or _normalise_text(match["which"])
        return [SentenceClaim(f"one|{_normalise_text(match['what'])}", which)]
    if match := re.fullmatch(r"(?P<which>.+?)\s+(?:is|was)\s+(?P<what>the\s+.+)", text, re.IGNORECASE):
        swapped_text = f"{match['what']} is {match['which']}"
        if swapped_match := _UNIQUE_ROLE_SENTENCE.fullmatch(swapped_text):
            which = resolve_name(swapped_match["which"], ids_by_name, speaker_id) or _normalise_text(
                swapped_match["which"]
            )
            return [SentenceClaim(f"one|{_normalise_text(swapped_match['what'])}", which)]
    return []


def resolve_name(name_text: str, ids_by_name: IdsByName, speaker_id: Id | None = None) -> Id | None:
    """Return the entity that a name means, with or without an article."""
    folded_name = name_text.strip().casefold()
    if folded_name in ("i", "me", "myself"):
        return speaker_id
    return (
        ids_by_name.get(folded_name)
        or ids_by_name.get(_ARTICLE.sub("", folded_name))
        or ids_by_name.get(f"the {folded_name}")
    )


def _compile_patterns(
    predicates: Iterable[Predicate],
) -> list[tuple[str, re.Pattern[str], Predicate, str | None]]:
    """Compile the catalogue's sentence forms into patterns, in the third and in the first person.

    Each has the words that must occur, the whole pattern, and the value that it stands for, if it has a
    fixed one.
    """
    template_rows: list[tuple[str, Predicate, str | None]] = []
    for predicate in predicates:
        statement_templates = predicate.statement
        templates: list[tuple[str | None, str]] = []
        if isinstance(statement_templates, dict):
            templates += statement_templates.items()
        elif statement_templates:
            templates.append((None, statement_templates))
        if predicate.name == "alive":
            templates += [("false", words) for words in _DEATH_TEMPLATES]
        template_rows += (
            (text, predicate, value) for value, words in templates for text in _template_variants(words)
        )
    return [
        (_longest_fixed_words(t), re.compile(_template_regex(t), re.IGNORECASE), predicate, v)
        for t, predicate, v in template_rows
    ]


def _longest_fixed_words(template: str) -> str:
    """Return the longest fixed words of a template, between its placeholders."""
    parts = re.split(r"\{\w+\}", template.casefold())
    return " ".join(max(parts, key=len).split())


def _template_variants(template: str) -> list[str]:
    template = template.rstrip(".")
    first_person = template.replace("{subject} is ", "{subject} am ")
    first_person = re.sub(r"\{subject\} (\w+?)s\b(?! \{subject\})", r"{subject} \1", first_person)
    with_now = template.replace(" is in ", " is now in ")
    return list(dict.fromkeys((template, first_person, with_now)))


def _template_regex(template: str) -> str:
    text = re.escape(template).replace(r"\ ", r"\s+")
    for field in ("subject", "object", "value"):
        text = text.replace(rf"\{{{field}\}}", rf"(?P<{field}>.+?)", 1)
    return text
