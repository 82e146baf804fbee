"""Reads what plain narration states as a fact that holds from then on: `Dob Harrow stole the glass bell.` Pure.

Words that somebody speaks, thinks or is said to have said state nothing, and neither does what only happens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final, NamedTuple

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentence_facts import read_sentence_fact
from agents.canon_keeper.sentences.lasting_statements import LastingStatementReader, reports_words
from agents.canon_keeper.sentences.tokens import NameBook, build_name_book, read_tokens, unquote_values
from agents.declarations.coordinated_clauses import split_clauses
from agents.declarations.kin_of_kin import name_kin_of_kin
from agents.declarations.loans import state_debt
from agents.declarations.reader import build_involvements
from agents.declarations.said_in_passing import NAME_RUN, Statement, hides_speaker, read_said_in_passing
from agents.proposals.statements import STATED_PREDICATE, as_sentence
from agents.prose.clauses import MEANWHILE
from agents.prose.frames import find_framed_sentences
from agents.prose.hero_name import as_first_person, name_hero
from agents.prose.introductions import drop_introduction
from agents.prose.names import HONORIFICS, NON_NAME_WORDS
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import split_sentences
from stores.records.canon import AssertFact, FactKind
from stores.records.world import Entity, EntityKind

MAX_SENTENCES: Final = 40
"""Sentences of one turn that are read."""
MAX_SENTENCE_CHARS: Final = 240
"""Characters of a sentence that may be a plain statement."""
_SPEECH: Final = "¶"
_PART_END: Final = re.compile(r"\s*;\s*|,\s+(?:and|but|so|yet)\s+")
_UNCERTAIN_OPENING: Final = re.compile(r"\b(?:that|if|whether|unless)\b|\?|:", re.IGNORECASE)
_IN_TALE: Final = re.compile(
    r"\bin [^\s,]+['’]s (?:\w+ )?(?:story|stories|tales?|songs?|ballads?|dreams?|play|poem)\b", re.IGNORECASE
)
"""What is so in somebody's tale is so nowhere else."""
_PAIR: Final = re.compile(rf"{NAME_RUN.pattern} and {NAME_RUN.pattern}(?= [a-z])")
_LONE_NAME: Final = re.compile(rf"(?!(?:I|You|He|She|It|We|They)\b)(?P<who>{NAME_RUN.pattern}) [a-z]")
_HE_AND: Final = re.compile(rf"(?P<he>he|she) and {NAME_RUN.pattern} are ")
_OWES_THEM: Final = re.compile(r"(?P<owes>(?:I|You) owe) (?:him|her|them)(?= )")
_INTRODUCED: Final = re.compile(rf"\b(?:called|named) {NAME_RUN.pattern}")
_LAW: Final = re.compile(
    r"No (?!one\b|sound\b|light\b|word\b|doubt\b|time\b|matter\b|answer\b|voice\b|wind\b)"
    r"[a-z][a-z-]+ (?:can|will|may)(?: ever)? (?!be\b|see\b|hear\b|reach\b|help\b|stop\b|save\b|come\b|do\b)"
    r"[a-z]+ (?:[\w'’-]+ ?){1,10}"
)
"""What nothing of a kind can do in this world: `No marsh-wight can cross a line of salt`."""
_TAKES_BACK: Final = re.compile(r"\b(?:back|refus\w*|declin\w*|pretend\w*)\b")
_TURNS_OUT: Final = re.compile(r"^(?:(?:But|And|So|Yet) )?(?:[Ii]t|[Aa]s it) turns out(?: that|,) ")
_HURT: Final = (
    r"(?:hurt|wounded|injured|stunned|bruised|asleep|unconscious|senseless|lost|captured|in hiding)"
)
_EARLY: Final = r"(?:birth|childhood|boyhood|girlhood)"
_FOR_LONG: Final = (
    rf"(?:(?:ever )?since (?:{_EARLY}|then)|from {_EARLY}|all (?:his|her|their|its) life|(?:his|her|their) whole life"
    r"|(?:for|these) (?:(?:[a-z]+ )?(?:years|winters|months|decades|ages|centuries|generations))(?: now)?)"
)
_IDLE_WORDS: Final = (
    (MEANWHILE, ""),
    (re.compile(r"\b(?P<owes>owes? .+) for (?:it|this|that|them)$"), r"\g<owes>"),
    (re.compile(r",?\s+(?:(?:yet |once )?again|once more|after all)$", re.IGNORECASE), ""),
    (
        re.compile(
            rf",?\s+(?:but |(?:he|she|they) (?:is|was|are|were) )?(?:only|just|merely) (?:badly )?{_HURT}$"
        ),
        "",
    ),
    (re.compile(rf"\b(?:is|was) (?:only|just|merely) (?:badly )?{_HURT}, not dead$"), "is not dead"),
    (re.compile(r"\bturns out to be\b"), "is"),
    # What has been so for long is so.
    (re.compile(rf"\bhas been (?P<state>[^,;]+?),? {_FOR_LONG}$"), r"is \g<state>"),
    (re.compile(rf"(?<=\bis )(?P<state>[^,;]+?),? (?:from|since) {_EARLY}$"), r"\g<state>"),
    (re.compile(r"\b(?:really|truly|actually)\s+(?=dead$|alive$)"), ""),
)
"""Words that change nothing of what is so, as in `is not dead after all`, and what stands for them."""
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_NO_TIME: Final = datetime.min.replace(tzinfo=UTC)


class LastingFact(NamedTuple):
    """A fact, and the words of the text that state it."""

    fact: AssertFact
    quote: str


def find_statements(text: str, known: Sequence[Entity], hero_name: str = "") -> list[Statement]:
    """Return the parts of a text that may state a fact about those known, or about names that are not known yet.

    `I` and `my`, `you` and `your` mean the hero, if there is one.
    Nothing is looked up for this: it says whether it is worth while to look names up.
    """
    parts = [
        Statement(name_hero(as_first_person(sentence), hero_name) if hero_name else sentence, quote)
        for sentence, quote in split_parts(text)
        if not hides_speaker(sentence)
    ]
    if not parts:
        return []
    readers = [
        LastingStatementReader(
            build_name_book([*known, *guess_entities(text, known, kind)]), guesses_things=True
        )
        for kind in (EntityKind.OBJECT, EntityKind.CHARACTER)
    ]

    def states_fact(part: Statement) -> bool:
        return states_law(part.sentence) or any(reader.states_fact(part.sentence) for reader in readers)

    return [statement for part in parts for statement in _find_stating(part, states_fact)]


def _find_stating(part: Statement, states_fact: Callable[[Statement], bool]) -> list[Statement]:
    """Return the part if it states a fact as a whole; else what its clauses state: `Dob stole the bell and ran`."""
    if states_fact(part):
        return [part]
    clauses = split_clauses(part.sentence)
    if any(clause.is_on_same_thing and _TAKES_BACK.search(clause.sentence) for clause in clauses):
        return []
    statements = [
        # With the hero's name in it, it is in other words than the text.
        Statement(clause.sentence, clause.quote if clause.quote in part.quote else part.quote)
        for clause in clauses
    ]
    return [statement for statement in statements if states_fact(statement)]


def states_law(sentence: str) -> bool:
    """Say whether a sentence says what nothing of a kind can do."""
    return _LAW.fullmatch(sentence) is not None


def read_lasting_facts(
    statements: Iterable[Statement], entities: Sequence[Entity], catalogue: Catalogue, tick: int
) -> list[LastingFact]:
    """Return the facts that parts of a text state about the entities, each in its own words."""
    names = build_name_book(entities)
    reader = LastingStatementReader(names)
    return [
        LastingFact(build_stated_fact(sentence, names, entities, catalogue, tick), quote)
        for sentence, quote in statements
        if (reader.states_fact(sentence) or states_law(sentence))
        and not _names_somebody_else(sentence, names)
    ]


def has_unknown_names(statement: Statement, entities: Sequence[Entity]) -> bool:
    """Say whether a statement means somebody or something by a name that none of these has."""
    sentence, names = statement.sentence, build_name_book(entities)
    if not LastingStatementReader(names).states_fact(sentence):
        return True
    tokens = read_tokens(sentence, names.restricted_to(sentence))
    # `the hooded stranger` may be somebody who is known and elsewhere.
    has_small_name = any(t.word == "the" and not after.entity for t, after in pairwise(tokens))
    return has_small_name or bool(list(guess_entities(sentence, entities, EntityKind.OBJECT)))


def split_parts(text: str) -> Iterator[Statement]:
    """Yield the sentences and their parts in which the text itself speaks, without words of somebody's.

    Who somebody is, said in passing (`Vess, the captain of the skiff, laughs`), is a part of its own.
    """
    text = unquote_values(text)
    if SINGLE_QUOTED.search(text):
        return
    told_text = strip_speech(text)
    framed = find_framed_sentences(told_text)
    for position, sentence in enumerate(split_sentences(told_text)[:MAX_SENTENCES]):
        if position in framed:
            continue
        if passing := read_said_in_passing(sentence):
            yield passing
        sentence = _TURNS_OUT.sub("", sentence)
        if _SPEECH in sentence or _UNCERTAIN_OPENING.search(sentence) or reports_words(sentence):
            continue
        if _IN_TALE.search(sentence):
            continue
        before = ""
        for part in _PART_END.split(sentence):
            words = part.strip(" .!…")
            if words and len(words) <= MAX_SENTENCE_CHARS:
                told = state_debt(drop_introduction(name_kin_of_kin(_without_idle_words(words))))
                yield Statement(_with_subject_of(before, told), words)
            before = words


def _with_subject_of(before: str, words: str) -> str:
    """Return a part with the name that its `they`, `he and` or `I owe her` means: the subject of the part before."""
    pair = _PAIR.match(before)
    if pair and words.startswith("they "):
        return f"{pair[0]} {words.removeprefix('they ')}"
    single = _LONE_NAME.match(before)
    if single is not None and single["who"].casefold() in NON_NAME_WORDS:
        single = None  # `I agree, and I owe her` names nobody
    others = NAME_RUN.search(_INTRODUCED.sub("", before[single.end() :])) if single else None
    is_clear = single is not None and not pair and others is None
    if single and is_clear and (debt := _OWES_THEM.match(words)):
        return f"{debt['owes']} {single['who']}{words[debt.end() :]}"
    if single and is_clear and (match := _HE_AND.match(words)):
        return f"{single['who']} {words[match.end('he') + 1 :]}"
    return words


def _without_idle_words(words: str) -> str:
    """Return a sentence without what changes nothing of what is so, such as `after all`."""
    for pattern, replacement in _IDLE_WORDS:
        words = pattern.sub(replacement, words)
    return words


def build_stated_fact(
    sentence: str, names: NameBook, entities: Sequence[Entity], catalogue: Catalogue, tick: int
) -> AssertFact:
    """Return the fact that a sentence states of those entities that it names: of the catalogue, or in its own words."""
    mentioned = find_named(sentence, names, entities)
    return read_sentence_fact(sentence, mentioned, catalogue, tick) or AssertFact(
        fact_kind=FactKind.ATTRIBUTE,
        predicate=STATED_PREDICATE,
        statement=as_sentence(sentence),
        involves=tuple(build_involvements(mentioned)),
        valid_from=tick,
    )


def find_named(sentence: str, names: NameBook, entities: Sequence[Entity]) -> list[Entity]:
    """Return those of the entities that a sentence names, in its order."""
    entities_by_id = {entity.id: entity for entity in entities}
    ids = (token.entity for token in read_tokens(sentence, names.restricted_to(sentence)) if token.entity)
    return [entities_by_id[entity_id] for entity_id in dict.fromkeys(ids)]


def _names_somebody_else(sentence: str, names: NameBook) -> bool:
    """Say whether a name has more words than that of the person whom a part of it means: `Wil Tolliver` for Jory's."""
    tokens = read_tokens(sentence, names.restricted_to(sentence))

    def is_of_name(position: int) -> bool:
        if not 0 <= position < len(tokens) or tokens[position].entity:
            return False
        token = tokens[position]
        is_opening = position == 0 and (token.word in NON_NAME_WORDS or token.word.endswith("ly"))
        return token.text[0].isupper() and token.word not in HONORIFICS and not is_opening

    return any(t.is_person and (is_of_name(n - 1) or is_of_name(n + 1)) for n, t in enumerate(tokens))


def guess_entities(text: str, known: Sequence[Entity], kind: EntityKind) -> Iterator[Entity]:
    """Yield an entity for each name in the text that nobody known has."""
    names = build_name_book(known)
    for match in NAME_RUN.finditer(text):
        words = match[0].split()
        begins_sentence = re.search(r"(?:^|[.!?…;]\s*)$", text[: match.start()]) is not None
        if begins_sentence and words[0].casefold() in NON_NAME_WORDS:
            words = words[1:]
        name = _POSSESSIVE.sub("", " ".join(words))
        tokens = read_tokens(name, names.restricted_to(name))
        # A part of the name may be that of somebody known, and the whole that of another.
        if name and not all(token.entity or not token.text[0].isupper() for token in tokens):
            yield guess_entity(name, kind)


def guess_entity(name: str, kind: EntityKind) -> Entity:
    """Return an entity that stands in for somebody or something of a name that nobody has."""
    return Entity(id=f"name:{name}", universe_id="", kind=kind, name=name, recorded_at=_NO_TIME)
