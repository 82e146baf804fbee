"""Reads what plain narration states as a fact that holds from then on: `Dob Harrow stole the glass bell.` Pure.

Words that somebody speaks, thinks or is said to have said state nothing, and neither does what only happens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentences.lasting_statements import LastingStatementReader, reports_words
from agents.canon_keeper.sentences.tokens import NameBook, build_name_book, read_tokens
from agents.declarations.reader import build_involvements
from agents.declarations.sentence_facts import read_sentence_fact
from agents.proposals.statements import STATED_PREDICATE, as_sentence
from agents.prose.names import NON_NAME_WORDS
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences
from stores.records.canon import AssertFact, FactKind
from stores.records.world import Entity, EntityKind

MAX_SENTENCES: Final = 40
"""Sentences of one turn that are read."""
MAX_SENTENCE_CHARS: Final = 240
"""Characters of a sentence that may be a plain statement."""
_SPEECH: Final = "¶"
_SINGLE_QUOTED: Final = re.compile(r"(?<![\w’'])['‘][^'‘’\n]{2,}[,.!?…]['’]")
"""Speech in single quotation marks, which an apostrophe is not."""
_PIECE_END: Final = re.compile(r"\s*;\s*|,\s+(?:and|but|so|yet)\s+")
_UNCERTAIN_OPENING: Final = re.compile(r"\b(?:that|if|whether|unless)\b|\?|:", re.IGNORECASE)
_NAME_RUN: Final = re.compile(
    r"[^\W\d_a-z][\w'’-]*(?:\s+(?:(?:of|of\s+the|de|von|van)\s+)?[^\W\d_a-z][\w'’-]*)*"
)
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_NO_TIME: Final = datetime.min.replace(tzinfo=UTC)


class LastingFact(NamedTuple):
    """A fact, and the words of the text that state it."""

    fact: AssertFact
    quote: str


def find_statements(text: str, known: Sequence[Entity]) -> list[str]:
    """Return the parts of a text that may state a fact about those known, or about names that are not known yet.

    Nothing is looked up for this: it says whether it is worth while to look names up.
    """
    pieces = list(_split_pieces(text))
    if not pieces:
        return []
    readers = [
        LastingStatementReader(
            build_name_book([*known, *_guess_entities(text, known, kind)]), guesses_things=True
        )
        for kind in (EntityKind.OBJECT, EntityKind.CHARACTER)
    ]
    return [piece for piece in pieces if any(reader.states_fact(piece) for reader in readers)]


def read_lasting_facts(
    statements: Iterable[str], entities: Sequence[Entity], catalogue: Catalogue, tick: int
) -> list[LastingFact]:
    """Return the facts that parts of a text state about the entities, each in its own words."""
    names = build_name_book(entities)
    reader = LastingStatementReader(names)
    return [
        LastingFact(_build_fact(piece, _find_named(piece, names, entities), catalogue, tick), piece)
        for piece in statements
        if reader.states_fact(piece)
    ]


def has_unknown_names(statement: str, entities: Sequence[Entity]) -> bool:
    """Say whether a statement means somebody or something by a name that none of these has."""
    return not LastingStatementReader(build_name_book(entities)).states_fact(statement) or bool(
        list(_guess_entities(statement, entities, EntityKind.OBJECT))
    )


def _split_pieces(text: str) -> Iterator[str]:
    """Yield the sentences and their parts in which the text itself speaks, without words of somebody's."""
    if _SINGLE_QUOTED.search(text):
        return
    for sentence in split_sentences(strip_speech(text))[:MAX_SENTENCES]:
        if _SPEECH in sentence or _UNCERTAIN_OPENING.search(sentence) or reports_words(sentence):
            continue
        for piece in _PIECE_END.split(sentence):
            words = piece.strip(" .!…")
            if words and len(words) <= MAX_SENTENCE_CHARS:
                yield words


def _build_fact(piece: str, mentioned: Sequence[Entity], catalogue: Catalogue, tick: int) -> AssertFact:
    return read_sentence_fact(piece, mentioned, catalogue, tick) or AssertFact(
        fact_kind=FactKind.ATTRIBUTE,
        predicate=STATED_PREDICATE,
        statement=as_sentence(piece),
        involves=tuple(build_involvements(mentioned)),
        valid_from=tick,
    )


def _find_named(piece: str, names: NameBook, entities: Sequence[Entity]) -> list[Entity]:
    entities_by_id = {entity.id: entity for entity in entities}
    ids = (token.entity for token in read_tokens(piece, names.restricted_to(piece)) if token.entity)
    return [entities_by_id[entity_id] for entity_id in dict.fromkeys(ids)]


def _guess_entities(text: str, known: Sequence[Entity], kind: EntityKind) -> Iterator[Entity]:
    """Yield an entity for each name in the text that nobody known has."""
    names = build_name_book(known)
    for match in _NAME_RUN.finditer(text):
        words = match[0].split()
        begins_sentence = re.search(r"(?:^|[.!?…;]\s*)$", text[: match.start()]) is not None
        if begins_sentence and words[0].casefold() in NON_NAME_WORDS:
            words = words[1:]
        name = _POSSESSIVE.sub("", " ".join(words))
        tokens = read_tokens(name, names.restricted_to(name))
        if name and not any(token.entity for token in tokens):
            yield Entity(id=f"name:{name}", universe_id="", kind=kind, name=name, recorded_at=_NO_TIME)
