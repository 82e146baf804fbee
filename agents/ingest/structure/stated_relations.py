"""Reads plain sentences about what has a name: how two stand to each other, and what lasts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentences.claims import Claim, ClaimTime
from agents.canon_keeper.sentences.lasting_statements import LastingStatementReader
from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import NameBook, build_name_book
from agents.ingest.findings import FoundRelation, FoundStatement
from agents.ingest.structure.document_names import DocumentName
from stores.records.world import Entity

MAX_SENTENCE: Final = 300
"""Characters up to which a sentence is plain."""


class StatedRelationReader:
    """Reads sentences by the names of a document."""

    def __init__(self, names: Sequence[DocumentName], catalogue: Catalogue) -> None:
        entities = [_entity(number, name) for number, name in enumerate(names)]
        self._name_by_id = {entity.id: entity.name for entity in entities}
        self._book: NameBook = build_name_book(entities)
        self._lasting = LastingStatementReader(self._book)
        self._catalogue = catalogue
        self._first_words = {
            word.casefold()
            for name in names
            for each in (name.name, *name.aliases)
            for word in each.split()
            if word[:1].isupper()
        }

    def read(self, sentence: str) -> Iterator[FoundRelation | FoundStatement]:
        """Return what a sentence says of what has a name, where it says something that lasts."""
        if len(sentence) > MAX_SENTENCE or not self._names_somebody(sentence):
            return
        if not self._lasting.states_fact(sentence):
            return
        claims = read_statement(sentence, self._book).claims
        relations = list(dict.fromkeys(self._relations_of(claims, sentence)))
        yield from relations
        subject = next((claim.subject.entity for claim in claims if claim.subject.entity), "")
        if not relations and subject:
            yield FoundStatement(self._name_by_id[subject], sentence, sentence)

    def _names_somebody(self, sentence: str) -> bool:
        words = sentence.replace("’", "'").replace("'s", "").split()
        return any(
            word.strip('.,;:!?"“”()').casefold() in self._first_words for word in words if word[:1].isupper()
        )

    def _relations_of(self, claims: Iterable[Claim], sentence: str) -> Iterator[FoundRelation]:
        for claim in claims:
            is_plain = claim.is_affirmed and not claim.is_ability and claim.time is not ClaimTime.PAST
            other = claim.object.entity if claim.object is not None else ""
            if not is_plain or not claim.subject.entity or not other or claim.subject.entity == other:
                continue
            if claim.relation in self._catalogue.names() and self._catalogue[claim.relation].about_two:
                yield FoundRelation(
                    self._name_by_id[claim.subject.entity], claim.relation, self._name_by_id[other], sentence
                )


def _entity(number: int, name: DocumentName) -> Entity:
    return Entity(
        id=f"name-{number}",
        universe_id="document",
        name=name.name,
        kind=name.kind,
        aliases=name.aliases,
        recorded_at=datetime.fromtimestamp(0, UTC),
    )
