"""Finds the names of a prose text, and what is spoken by whom. Pure."""

from __future__ import annotations

from agents.ingest.names.conversation import Speaker
from agents.ingest.names.name_findings import NameMention, NamesFound, ProseName, ProseQuote
from agents.ingest.names.name_words import load_name_words
from agents.ingest.names.named_text import NamedText, read_named_text
from agents.ingest.names.quote_spans import read_paragraphs
from agents.ingest.names.quote_speakers import find_speakers
from stores.records.world import EntityKind


def find_names(text: str) -> NamesFound:
    """Return the names of a text with all their mentions, and its quotes with their speakers."""
    named_text = read_named_text(text)
    quotes = find_speakers(named_text, read_paragraphs(text), load_name_words())
    return NamesFound(
        _list_names(named_text),
        tuple(
            ProseQuote(quote.start, quote.end, text[quote.start : quote.end], _name_of(speaker, named_text))
            for quote, speaker in quotes
        ),
    )


def read_certain_kinds(text: str) -> dict[str, EntityKind]:
    """Return the kinds of the names of which a text tells the kind, by the name."""
    return {
        one.name: one.kind
        for one in read_named_text(text).named
        if one.is_certain_kind and one.kind is not EntityKind.CONCEPT
    }


def _list_names(named_text: NamedText) -> tuple[ProseName, ...]:
    mentions: list[list[NameMention]] = [[] for _ in named_text.named]
    for span, owner in zip(named_text.spans, named_text.owners, strict=True):
        mentions[owner].append(NameMention(span.start, span.end, named_text.text[span.start : span.end]))
    names = [
        ProseName(one.name, one.kind, one.aliases, tuple(places))
        for one, places in zip(named_text.named, mentions, strict=True)
    ]
    return tuple(sorted(names, key=lambda name: (-len(name.mentions), name.mentions[0].start)))


def _name_of(speaker: Speaker | None, named_text: NamedText) -> str | None:
    return named_text.named[speaker].name if isinstance(speaker, int) else speaker
