"""Turns sentences on who knows a secret into what is proposed: a secret, somebody who may know it, a reveal. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.propositions.aspects import NEGATING
from agents.canon_keeper.sentence_facts import read_sentence_fact
from agents.canon_keeper.sentences.tokens import build_name_book, read_tokens
from agents.canon_keeper.sentences.verb_finder import VerbFinder
from agents.canon_keeper.sentences.word_lists import load_word_lists
from agents.declarations.reader import build_involvements
from agents.declarations.secret_reader import TypedKnowers
from agents.proposals.statements import STATED_PREDICATE, as_sentence
from agents.prose.hero_name import HERO_PRONOUNS
from agents.prose.mentions import read_gender
from agents.prose.names import names_of
from agents.prose.plain_secrets import (
    SecretClaim,
    SecretReveal,
    SecretSentence,
    SecretTelling,
    find_subject_pronoun,
    may_be_subject,
    name_subject,
)
from agents.search.question_cues import content_stems, measure_coverage
from stores.errors import InputError
from stores.records.canon import (
    AssertFact,
    ChangeSecrecy,
    Fact,
    FactKind,
    Secrecy,
    normalize_statement,
)
from stores.records.ids import Id
from stores.records.world import ACTORS, Entity, fold_name

MIN_SAME_SHARE: Final = 0.7
"""The share of a secret's words that must be told, and of what is told that must be the secret's."""

_THE_SECRET: Final = frozenset({"the secret", "her secret", "his secret", "their secret", "my secret"})
_HERO_NAMES: Final = HERO_PRONOUNS | {"you"}


class SecretChange(NamedTuple):
    """What a sentence proposes, and its words."""

    change: AssertFact | ChangeSecrecy
    quote: str


@dataclass(frozen=True, slots=True)
class SecretReader:
    """Reads sentences about the secrets of a scene."""

    entities: Sequence[Entity]
    hero: Entity | None
    present_ids: Collection[Id]
    secrets: Sequence[Fact]
    """The secrets of canon and of what is proposed, as they are now."""
    facts_by_statement: Mapping[str, Fact]
    """Facts of canon and of what is proposed that hold now, by their normalized statement."""
    catalogue: Catalogue
    tick: int

    def read_changes(self, sentences: Iterable[SecretSentence]) -> list[SecretChange]:
        """Return what the sentences propose; nothing for what is so already, or names nobody who is known."""
        changes = []
        for sentence in sentences:
            match sentence:
                case SecretClaim():
                    change = self._read_claim(sentence)
                case SecretTelling():
                    change = self._read_telling(sentence)
                case SecretReveal():
                    change = self._read_reveal(sentence)
            if change is not None:
                changes.append(SecretChange(change, sentence.quote))
        return changes

    def _read_claim(self, claim: SecretClaim) -> AssertFact | ChangeSecrecy | None:
        knowers = self._find_people(claim.knower_names)
        if knowers is None:
            return None
        is_hero_speaking = self.hero in knowers and not _HERO_NAMES.isdisjoint(
            map(str.casefold, claim.knower_names)
        )
        words = name_knower(claim.words, None if is_hero_speaking or len(knowers) != 1 else knowers[0])
        if not words:
            return None
        statement, known_to = as_sentence(words), tuple(person.id for person in knowers)
        known_fact = self.facts_by_statement.get(normalize_statement(statement))
        if known_fact is not None:
            return keep_secret(known_fact, known_to)
        mentioned = self._find_mentioned(statement)
        if not mentioned and not self._is_clause(words):
            return None
        return build_secret(statement, mentioned, known_to, self.catalogue, self.tick)

    def _read_telling(self, telling: SecretTelling) -> ChangeSecrecy | None:
        people = self._find_people((telling.teller_name, *telling.hearer_names))
        if people is None:
            return None
        teller, *hearers = people
        secret = self._find_told_secret(telling, teller)
        if secret is None:
            return None
        new_knowers = tuple(
            dict.fromkeys(
                person.id
                for person in hearers
                if person.id in self.present_ids
                and person.id != teller.id
                and not secret.is_known_to_any({person.id})
            )
        )
        return ChangeSecrecy(fact_id=secret.id, tell=new_knowers) if new_knowers else None

    def _find_told_secret(self, telling: SecretTelling, teller: Entity) -> Fact | None:
        """Return the one secret that somebody tells, of those that they may know; None if it is none or unclear."""
        own_secrets = [secret for secret in self.secrets if secret.is_known_to_any({teller.id})]
        if not telling.is_about:
            words = name_subject(telling.words, teller.name)
            told = [secret for secret in own_secrets if is_same_in_words(words, secret.statement)]
        elif telling.words.casefold() in _THE_SECRET:
            told = own_secrets
        else:
            stems = set(content_stems(telling.words))
            told = [s for s in own_secrets if stems and stems.issubset(content_stems(s.statement))]
        return told[0] if len(told) == 1 else None

    def _read_reveal(self, reveal: SecretReveal) -> ChangeSecrecy | None:
        revealed = [s for s in self.secrets if is_same_in_words(reveal.words, s.statement)]
        return ChangeSecrecy(fact_id=revealed[0].id, is_secret=False) if len(revealed) == 1 else None

    def _find_people(self, names: Iterable[str]) -> list[Entity] | None:
        """Return who is meant by each name; None if one of them is nobody who is known, or more than one."""
        people = []
        for name in names:
            if name.casefold() in _HERO_NAMES:
                matches = [self.hero] if self.hero else []
            else:
                folded_name = _fold(name)
                actors = [e for e in self.entities if e.kind in ACTORS]
                matches = [e for e in actors if folded_name in map(_fold, (e.name, *e.aliases))] or [
                    e for e in actors if folded_name in map(_fold, names_of(e))
                ]
            if len(matches) != 1:
                return None
            people.append(matches[0])
        return people

    def _find_mentioned(self, statement: str) -> list[Entity]:
        tokens = read_tokens(statement, build_name_book(self.entities))
        entities_by_id = {entity.id: entity for entity in self.entities}
        return [entities_by_id[i] for i in dict.fromkeys(t.entity for t in tokens) if i in entities_by_id]

    def _is_clause(self, words: str) -> bool:
        tokens = read_tokens(words, build_name_book(self.entities))
        return VerbFinder(load_word_lists()).find_verb(tokens) is not None


def build_secret(
    statement: str, mentioned: Sequence[Entity], known_to: Sequence[Id], catalogue: Catalogue, tick: int
) -> AssertFact:
    """Return a new fact that only these may know."""
    fact = read_sentence_fact(statement, mentioned, catalogue, tick) or AssertFact(
        fact_kind=FactKind.ATTRIBUTE,
        predicate=STATED_PREDICATE,
        statement=statement,
        involves=tuple(build_involvements(mentioned)),
        valid_from=tick,
    )
    return fact.model_copy(update={"secrecy": Secrecy(known_to=tuple(known_to))})


def keep_secret(fact: Fact, known_to: Sequence[Id]) -> ChangeSecrecy | None:
    """Return the change after which only these may know a fact; None if it is so already."""
    earlier_ids = fact.secrecy.known_to if fact.secrecy else ()
    change = ChangeSecrecy(
        fact_id=fact.id,
        is_secret=None if fact.is_secret else True,
        tell=tuple(i for i in known_to if i not in earlier_ids),
        hide_from=tuple(i for i in earlier_ids if i not in known_to),
    )
    return change if change.after(fact.secrecy) != fact.secrecy else None


def name_knower(words: str, knower: Entity | None) -> str:
    """Return a secret with its one knower for the pronoun that it begins with; empty if another may be meant."""
    if not find_subject_pronoun(words):
        return words
    if knower is None or not may_be_subject(words, read_gender(knower.name, knower.description)):
        return ""
    return name_subject(words, knower.name)


def change_knowers(fact: Fact, knowers: TypedKnowers) -> ChangeSecrecy:
    """Return the change after which these may know a fact. Raises InputError if it is so already."""
    reveal = ChangeSecrecy(fact_id=fact.id, is_secret=False) if fact.is_secret else None
    change = reveal if knowers.is_revealed else keep_secret(fact, knowers.known_to)
    if change is None:
        raise InputError(
            "That is so already.", kept="Nothing was proposed.", todo="/secret lists the secrets."
        )
    return change


def is_same_in_words(words: str, statement: str) -> bool:
    """Return whether a clause tells what a statement says: most of the words of each are the other's."""
    told, stated = content_stems(words), content_stems(statement)
    if not told or not stated or _has_negation(words) is not _has_negation(statement):
        return False
    return (
        measure_coverage(stated, told, {}) >= MIN_SAME_SHARE
        and measure_coverage(told, stated, {}) >= MIN_SAME_SHARE
    )


def _has_negation(words: str) -> bool:
    return not NEGATING.isdisjoint(
        normalize_statement(words.replace("n't", " not").replace("n’t", " not")).split()
    )


def _fold(name: str) -> str:
    return fold_name(name).removeprefix("the ")
