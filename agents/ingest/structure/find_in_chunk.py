"""Finds what a chunk of a document says by its form and its plain sentences, without a model. Pure.

Whatever a document says is only text: a sentence that tells the reader to add a fact adds none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from agents.canon_keeper.predicates import load_catalogue
from agents.ingest.findings import Finding, FoundEntity, FoundRelation, FoundStatement
from agents.ingest.names.named_text import read_named_text
from agents.ingest.structure.definitions import Definition, read_definitions, read_term_table
from agents.ingest.structure.document_names import DocumentName, find_names_in_texts
from agents.ingest.structure.headings import kind_of_title, name_in_heading
from agents.ingest.structure.introductions import (
    SaidSentence,
    find_said_relations,
    is_proper_name,
    kind_of_described,
    rephrase_standing,
    split_said,
)
from agents.ingest.structure.markdown_blocks import (
    HeadingBlock,
    MarkdownBlock,
    TableBlock,
    TextBlock,
    plain_text,
    split_blocks,
    strip_list_mark,
)
from agents.ingest.structure.roll_tables import read_list_block, read_table_block
from agents.ingest.structure.rule_sentences import read_rule, split_sentence_spans
from agents.ingest.structure.stat_blocks import StatBlock, find_sheet_blocks, find_stat_blocks, read_move
from agents.ingest.structure.stated_relations import StatedRelationReader
from stores.records.world import ACTORS, EntityKind

MAX_DESCRIPTION: Final = 300
_MAX_MEANING: Final = 600
_SPEECH_MARKS: Final = ("“", '"', "«", "‘")


def find_in_chunk(text: str, names: Sequence[DocumentName] | None = None) -> list[Finding]:
    """Return what a chunk says, in the order of its text; every quote stands so in the chunk.

    `names` are those of the whole document (`find_in_document`); without them the chunk's own are taken.
    """
    document_names = tuple(names) if names is not None else find_names_in_texts([text])
    reader = _ChunkReader(text, document_names)
    findings = list(reader.read())
    named = {finding.name.casefold() for finding in findings if isinstance(finding, FoundEntity)}
    return list(dict.fromkeys([*findings, *reader.read_names(named)]))


@lru_cache(maxsize=4)
def _relation_reader(names: tuple[DocumentName, ...]) -> StatedRelationReader:
    """Return the reader of a document's names, made once for all its chunks."""
    return StatedRelationReader(names, load_catalogue())


@lru_cache(maxsize=4)
def _names_by_spelling(names: tuple[DocumentName, ...]) -> dict[str, DocumentName]:
    return {spelling.casefold(): name for name in names for spelling in (name.name, *name.aliases)}


class _ChunkReader:
    def __init__(self, text: str, names: tuple[DocumentName, ...]) -> None:
        self._text = text
        self._names = names
        self._by_spelling = _names_by_spelling(names)
        self._kinds = {spelling: name.kind for spelling, name in self._by_spelling.items()}
        self._blocks = split_blocks(text)
        self._stat_blocks = find_stat_blocks(self._blocks, text)
        self._in_stat_block = find_sheet_blocks(self._blocks, text)

    def read(self) -> Iterator[Finding]:
        heading: HeadingBlock | None = None
        lead = ""
        stat_blocks: dict[int, list[StatBlock]] = defaultdict(list)
        for each in self._stat_blocks:
            stat_blocks[each.first_block].append(each)
        for index, block in enumerate(self._blocks):
            for stat_block in stat_blocks.get(index, ()):
                yield from self._read_stat_block(stat_block, heading)
            if isinstance(block, HeadingBlock):
                yield from self._read_heading(index, block)
                heading, lead = block, ""
            elif isinstance(block, TableBlock):
                yield from self._read_table(block, self._table_title(heading, lead), index)
            elif isinstance(block, TextBlock):
                yield from self._read_text(index, block, heading, lead)
                lead = self._text[block.start : block.end][-200:]

    # --- headings -------------------------------------------------------------------------------

    def _read_heading(self, index: int, heading: HeadingBlock) -> Iterator[Finding]:
        name = name_in_heading(heading.title)
        if not name or self._has_stat_block(index) or index in self._in_stat_block:
            return
        following = self._blocks[index + 1] if index + 1 < len(self._blocks) else None
        paragraph = following if isinstance(following, TextBlock) and not following.is_list else None
        words = plain_text(self._text[paragraph.start : paragraph.end]) if paragraph else ""
        kind = kind_of_described(words, kind_of_title(name, self._kinds))
        description = words[:MAX_DESCRIPTION]
        yield FoundEntity(name, kind, self._quote(heading), self._aliases(name), description)
        if paragraph and kind is not EntityKind.CONCEPT and index + 1 not in self._in_stat_block:
            for said in split_said(name, self._text, paragraph.start, paragraph.end):
                yield from self._read_said(name, said)

    def _has_stat_block(self, index: int) -> bool:
        """Return whether a stat block without a name of its own follows the heading, which then is its name."""
        return any(not each.name and each.first_block == index + 1 for each in self._stat_blocks)

    def _aliases(self, name: str) -> tuple[str, ...]:
        known = self._by_spelling.get(name.casefold())
        if known is None:
            return ()
        return tuple(each for each in (known.name, *known.aliases) if each.casefold() != name.casefold())

    def _quote(self, block: MarkdownBlock) -> str:
        return self._text[block.start : block.end]

    # --- stat blocks ----------------------------------------------------------------------------

    def _read_stat_block(self, stat_block: StatBlock, heading: HeadingBlock | None) -> Iterator[FoundEntity]:
        name = stat_block.name or (name_in_heading(heading.title) if heading else "")
        if not name:
            return
        kind = self._kinds.get(name.casefold(), EntityKind.CREATURE)
        quote = self._text[slice(*stat_block.span)]
        yield FoundEntity(
            name,
            kind if kind in ACTORS else EntityKind.CREATURE,
            quote,
            self._aliases(name),
            stat_block.description[:MAX_DESCRIPTION],
            stat_block.numbers,
        )

    # --- tables ---------------------------------------------------------------------------------

    def _table_title(self, heading: HeadingBlock | None, lead: str) -> str:
        lead_line = plain_text(lead.strip().rpartition("\n")[2])
        if lead_line and len(lead_line.split()) <= 8 and not lead_line.endswith((".", "!")):
            return lead_line.rstrip(":")
        return heading.title if heading else ""

    def _read_table(self, block: TableBlock, title: str, index: int) -> Iterator[Finding]:
        if index in self._in_stat_block:
            return
        tables = read_table_block(block, self._text, title)
        yield from tables
        if not tables:
            for definition in read_term_table(block):
                yield from self._define(definition)

    # --- text -----------------------------------------------------------------------------------

    def _read_text(
        self, index: int, block: TextBlock, heading: HeadingBlock | None, lead: str
    ) -> Iterator[Finding]:
        if index in self._in_stat_block:
            return
        heading_title = heading.title if heading else ""
        tables = read_list_block(
            block, self._text, self._table_title(heading, lead), f"{heading_title} {lead}"
        )
        if tables:
            yield from tables
            return
        if move := read_move(block, self._text):
            name = move.name or name_in_heading(heading_title)
            if name:
                quote = self._text[slice(*move.span)]
                yield FoundEntity(name, EntityKind.CONCEPT, quote, (), move.text[:_MAX_MEANING])
        else:
            in_glossary = "glossary" in heading_title.casefold()
            for definition in read_definitions(block, self._text, in_glossary=in_glossary):
                yield from self._define(definition)
        yield from self._read_sentences(block, heading)

    def _define(self, definition: Definition) -> Iterator[Finding]:
        quote = self._text[definition.start : definition.end]
        name, meaning = definition.term, definition.meaning[:_MAX_MEANING]
        kind = kind_of_title(name, self._kinds)
        if is_proper_name(name):
            kind = kind_of_described(meaning, kind)
        if kind not in ACTORS or not definition.meaning_start:
            yield FoundEntity(name, kind, quote, self._aliases(name), meaning)
            yield FoundStatement(name, meaning, quote)
            return
        first, *further = split_said(name, self._text, definition.meaning_start, definition.end)
        yield FoundEntity(name, kind, quote, self._aliases(name), plain_text(first.quote)[:MAX_DESCRIPTION])
        yield from self._read_said(name, first)
        for said in further:
            relations = list(self._read_said(name, said))
            yield from relations
            if not relations or not said.statement.startswith(name):
                # What stands beside a relation is said, too: `Fifty, loud, still owes Corvin 200 silver.`
                yield FoundStatement(name, said.statement, said.quote)

    def _read_said(self, name: str, said: SaidSentence) -> Iterator[Finding]:
        """Yield how somebody who is introduced stands to others, by one sentence of the introduction."""
        reader = _relation_reader(self._names)
        plain_sentences = [*rephrase_standing(name, said.statement)]
        if said.statement.startswith(f"{name} "):
            plain_sentences.append(said.statement)
        for sentence in plain_sentences:
            for finding in reader.read(sentence):
                if isinstance(finding, FoundRelation):
                    yield replace(finding, quote=said.quote)
        for relation in find_said_relations(said.statement):
            other = self._by_spelling.get(relation.other.removeprefix("the ").casefold())
            if other is None or other.name.casefold() == name.casefold():
                continue
            subject, object_ = (other.name, name) if relation.is_reversed else (name, other.name)
            yield FoundRelation(subject, relation.verb, object_, said.quote)

    def _read_sentences(self, block: TextBlock, heading: HeadingBlock | None) -> Iterator[Finding]:
        subject = plain_text(heading.title) if heading else ""
        reader = _relation_reader(self._names)
        lines = block.lines if block.is_list else ((block.start, block.end),)
        for line_start, line_end in lines:
            line = self._text[line_start:line_end]
            start = line_end - len(strip_list_mark(line)) if block.is_list else line_start
            for first, last in split_sentence_spans(self._text, start, line_end):
                sentence = self._text[first:last]
                if sentence.startswith(_SPEECH_MARKS) or self._is_spoken(line_start, first):
                    continue
                if rule := read_rule(sentence, subject):
                    yield rule
                else:
                    yield from reader.read(sentence)

    def _is_spoken(self, start: int, position: int) -> bool:
        """Return whether a place stands within quotation marks that its paragraph opened."""
        before = self._text[start:position]
        return before.count("“") > before.count("”") or before.count('"') % 2 == 1

    # --- names ----------------------------------------------------------------------------------

    def read_names(self, already_named: set[str]) -> Iterator[FoundEntity]:
        """Return who and what else the sentences of the chunk name, each with the first sentence that does.

        What the whole document does not take for a name is none in its chunk either: it has seen more.
        """
        named_text = read_named_text(self._text)
        reported = set(already_named)
        sentences = [
            span
            for index, block in enumerate(self._blocks)
            if isinstance(block, TextBlock) and index not in self._in_stat_block
            for span in self._sentences(block)
        ]
        starts = [first for first, _ in sentences]
        for span, owner in zip(named_text.spans, named_text.owners, strict=True):
            one = named_text.named[owner]
            known = self._by_spelling.get(one.name.casefold())
            number = bisect_right(starts, span.start) - 1
            if known is None or number < 0 or span.start >= sentences[number][1]:
                continue
            if known.name.casefold() not in reported:
                reported.add(known.name.casefold())
                quote = self._text[slice(*sentences[number])]
                yield FoundEntity(known.name, known.kind, quote, known.aliases)

    def _sentences(self, block: TextBlock) -> Iterator[tuple[int, int]]:
        """Return the sentences of a paragraph, or of each item of a list: an item ends what is said in it."""
        for start, end in block.lines if block.is_list else [(block.start, block.end)]:
            yield from split_sentence_spans(
                self._text, end - len(strip_list_mark(self._text[start:end])), end
            )
