"""The one door for tool calls: whatever stage makes a call, it is logged, checked and staged here.

A call writes if something of it stands in the chunk. What does not is dropped, with the reason, and counted.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, assert_never

from agents.ingest.documents.document import Chunk
from agents.ingest.findings import (
    Finding,
    FoundEntity,
    FoundRelation,
    FoundRule,
    FoundStatement,
    FoundTable,
    Observation,
)
from agents.ingest.ladder.chunk_context import DroppedFinding, preview
from agents.ingest.ladder.tool_calls import ToolCall, ToolName, names_in
from agents.proposals.statements import MAX_NAME_LENGTH, MAX_STATEMENT_LENGTH
from agents.prose.quotes import find_quote
from agents.sanitize import clean
from agents.typed_text import fold_name, one_line

log = logging.getLogger("monitor.ingest")

NO_QUOTE: Final = "its words do not stand in the chunk"
NO_NAME: Final = "it has no name, or one that does not stand in the chunk"
NO_WORDS: Final = "it says nothing"
NO_END: Final = "it leads to something that has no name here"
MIN_QUOTE_CHARACTERS: Final = 3
MAX_CACHED_NAMES: Final = 20_000
"""Names of a document and its world whose compared forms are kept: they are compared at every chunk."""

_ARTICLE: Final = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of one call."""

    written: tuple[Finding, ...]
    dropped: tuple[DroppedFinding, ...]
    deferred: tuple[FoundRelation, ...]
    """Relations to names that are not there yet; the last step tries them again."""

    @property
    def has_succeeded(self) -> bool:
        return bool(self.written)


@dataclass(slots=True)
class ChunkStaging:
    """Collects what the calls on one chunk staged."""

    chunk: Chunk
    known_names: Collection[str] = ()
    findings: dict[Finding, None] = field(default_factory=dict)
    """What is staged, each once, in the order of the calls."""
    dropped: list[DroppedFinding] = field(default_factory=list)
    deferred: dict[tuple[str, str, str], FoundRelation] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def has_written(self) -> bool:
        return bool(self.findings)

    def touched_names(self) -> tuple[str, ...]:
        """Return the names that were touched, each once whatever its case or article, in the order of their coming."""
        names: dict[str, str] = {}
        for finding in self.findings:
            for name in names_in(finding):
                if name:
                    names.setdefault(normalize_name(name), name)
        return tuple(names.values())

    def reachable_names(self) -> frozenset[str]:
        """Return the folded names that a relation may lead to."""
        entities = (finding for finding in self.findings if isinstance(finding, FoundEntity))
        own_names = (name for entity in entities for name in (entity.name, *entity.aliases))
        return frozenset(map(_fold_known_name, (*self.known_names, *own_names)))


def invoke_tool(call: ToolCall, staging: ChunkStaging) -> ToolResult:
    """Execute one call on a chunk: log it, check each entry against the chunk's text, and stage what holds."""
    log_stage(staging.chunk, call.stage, "%s: %d entries", call.tool.value, len(call.findings))
    written: list[Finding] = []
    dropped: list[DroppedFinding] = []
    deferred: list[FoundRelation] = []
    reachable_names = staging.reachable_names() if call.tool is ToolName.CREATE_RELATIONS else frozenset()
    for finding in call.findings:
        checked = _check(finding, staging.chunk.text)
        if isinstance(checked, str):
            dropped.append(DroppedFinding(finding, checked))
        elif isinstance(checked, FoundRelation) and not _has_both_ends(checked, reachable_names):
            deferred.append(checked)
        elif checked not in staging.findings:
            written.append(checked)
            staging.findings[checked] = None
    for relation in deferred:
        staging.deferred.setdefault(relation_key(relation), relation)
    staging.dropped += dropped
    result = ToolResult(tuple(written), tuple(dropped), tuple(deferred))
    log_stage(
        staging.chunk,
        call.stage,
        "%s %s: %d written, %d dropped, %d deferred",
        call.tool.value,
        "succeeded" if result.has_succeeded else "wrote nothing",
        len(written),
        len(dropped),
        len(deferred),
    )
    return result


def retry_relations(staging: ChunkStaging) -> None:
    """Stage the deferred relations, each once, whose ends are named by now but for case, article or an alias.

    A relation that still leads nowhere is a warning, and its words are kept as an observation.
    """
    if not staging.deferred:
        return
    names_by_key: dict[str, str] = {}
    for name in (*staging.touched_names(), *staging.known_names):
        names_by_key.setdefault(normalize_name(name), name)
    staged_keys = {relation_key(f) for f in staging.findings if isinstance(f, FoundRelation)}
    for key, relation in staging.deferred.items():
        subject, other = (
            names_by_key.get(normalize_name(name)) for name in (relation.subject, relation.object)
        )
        if key in staged_keys:
            continue
        if subject and other and normalize_name(subject) != normalize_name(other):
            staging.findings[replace(relation, subject=subject, object=other)] = None
            continue
        missing_name = relation.object if subject else relation.subject
        warning = f"{preview(missing_name)} is not among the names: the relation is kept as words."
        log.warning("[ingest] chunk %d finalize: %s", staging.chunk.ordinal, warning)
        staging.warnings.append(warning)
        staging.dropped.append(DroppedFinding(relation, NO_END))
        staging.findings[Observation(subject or other or "", relation.quote)] = None
    staging.deferred.clear()


def log_stage(chunk: Chunk, stage: str, message: str, *arguments: object) -> None:
    """Log a step of a stage: every line of the ladder has one prefix."""
    log.info("[ingest] chunk %d %s: " + message, chunk.ordinal, str(stage), *arguments)


def locate_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Return where a quote stands in a text, whatever its blanks, quotation marks and dashes; None if nowhere."""
    bare_quote = quote.strip()
    if len(bare_quote) < MIN_QUOTE_CHARACTERS:
        return None
    start = text.find(bare_quote)
    if start >= 0:
        return start, start + len(bare_quote)
    found_quote = find_quote(bare_quote, text)
    return (found_quote.start, found_quote.end) if found_quote else None


@lru_cache(maxsize=MAX_CACHED_NAMES)
def _fold_known_name(name: str) -> str:
    return fold_name(name)


@lru_cache(maxsize=MAX_CACHED_NAMES)
def normalize_name(name: str) -> str:
    """Return a name as names of one chunk are compared: folded, without an article before it."""
    folded_name = fold_name(name)
    return _ARTICLE.sub("", folded_name) or folded_name


def relation_key(relation: FoundRelation) -> tuple[str, str, str]:
    """Return what two relations that say the same have in common."""
    predicate = "_".join(_WORD.findall(relation.predicate.casefold()))
    return normalize_name(relation.subject), predicate, normalize_name(relation.object)


def _has_both_ends(relation: FoundRelation, reachable_names: Collection[str]) -> bool:
    return {fold_name(relation.subject), fold_name(relation.object)} <= set(reachable_names)


def _check(finding: Finding, text: str) -> Finding | str:
    """Return the finding with clean words and its quote as the chunk has it, or why it is dropped."""
    words = finding.text if isinstance(finding, Observation) else finding.quote
    span = locate_quote(words, text)
    if span is None:
        return NO_QUOTE
    quote = text[slice(*span)]
    match finding:
        case Observation():
            return Observation(_clean_name(finding.about), quote)
        case FoundEntity():
            return _check_entity(finding, quote, text)
        case FoundStatement():
            subject, statement = _clean_name(finding.subject), _clean_sentence(finding.statement)
            if not subject or not _stands_in(subject, text):
                return NO_NAME
            return FoundStatement(subject, statement, quote) if statement else NO_WORDS
        case FoundRelation():
            subject, other = _clean_name(finding.subject), _clean_name(finding.object)
            predicate = _clean_sentence(finding.predicate)[:60]
            if not subject or not other or normalize_name(subject) == normalize_name(other):
                return NO_NAME
            return FoundRelation(subject, predicate, other, quote) if predicate else NO_WORDS
        case FoundRule():
            statement = _clean_sentence(finding.statement)
            return FoundRule(statement, quote) if statement else NO_WORDS
        case FoundTable():
            title = _clean_name(finding.title)
            rows = tuple(replace(row, text=_clean_sentence(row.text)) for row in finding.rows)
            return replace(finding, title=title, rows=rows, quote=quote) if title and rows else NO_NAME
        case _:
            assert_never(finding)


def _check_entity(entity: FoundEntity, quote: str, text: str) -> FoundEntity | str:
    name = _clean_name(entity.name)
    if not name or not _stands_in(name, text):
        return NO_NAME
    aliases = dict.fromkeys(filter(None, map(_clean_name, entity.aliases)))
    return replace(
        entity,
        name=name,
        quote=quote,
        aliases=tuple(alias for alias in aliases if fold_name(alias) != fold_name(name)),
        description=_clean_sentence(entity.description),
        numbers=tuple((key, value) for name, value in entity.numbers if (key := _clean_name(name))),
    )


def _stands_in(name: str, text: str) -> bool:
    """Return whether a word of the name stands in the text: a name that it has nothing of was made up."""
    folded_text = text.casefold()
    words = _WORD.findall(name.casefold())
    return any(word in folded_text for word in words if len(word) > 2 or len(words) == 1)


def _clean_name(name: str) -> str:
    cleaned = one_line(clean(name[: 4 * MAX_NAME_LENGTH]))
    return cleaned[:MAX_NAME_LENGTH].strip() if any(map(str.isalnum, cleaned)) else ""


def _clean_sentence(text: str) -> str:
    cleaned = one_line(clean(text[: 2 * MAX_STATEMENT_LENGTH]))
    return cleaned[:MAX_STATEMENT_LENGTH].strip() if any(map(str.isalnum, cleaned)) else ""
