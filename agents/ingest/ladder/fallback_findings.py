"""What is found without the tool calls of a model: plain rules over its words and the chunk, and the least of all.

Pure, and no second call. Each finding rests on words of the chunk, never on words of the model alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from agents.ingest.findings import Finding, FoundEntity, Observation
from agents.ingest.ladder.chunk_context import first_sentence_of
from agents.ingest.ladder.tool_calls import ToolCall, calls_of_findings
from agents.proposals.statements import MAX_NAME_LENGTH
from stores.records.sources import LadderStage
from stores.records.world import EntityKind

FindInChunk = Callable[[str], Sequence[Finding]]
"""Finds, by plain rules, what stands in a text."""

MAX_ANCHORS: Final = 5
"""Names that the least of all gives."""

MAX_MESSAGE_CHARACTERS: Final = 6_000
"""Characters of a model's words that are read by rules: more than it writes about a chunk that it has understood."""

NOTHING_TO_READ: Final = "Nothing to read."

_SENTENCE: Final = re.compile(r"[^.!?…\n]+[.!?…]*")
_NAME: Final = re.compile(
    r"\b[A-Z][\w’'-]*[^\W\d_][\w’'-]*(?:\s(?:of|the|de|von)){0,2}(?:\s[A-Z][\w’'-]*[^\W\d_][\w’'-]*){0,4}"
)
_TRAILING_JOINER: Final = re.compile(r"(?:\s(?:of|the|de|von))+$")


def generate_tool_calls(message: str, text: str, find_in_chunk: FindInChunk) -> tuple[ToolCall, ...]:
    """Return the calls that plain rules make of a chunk's text and of a model's words about it.

    Something that the words name counts as far as the chunk has it too, and rests on the chunk's sentence.
    """
    findings: dict[Finding, None] = dict.fromkeys(find_in_chunk(text))
    named = {finding.name.casefold() for finding in findings if isinstance(finding, FoundEntity)}
    message = message[:MAX_MESSAGE_CHARACTERS]
    for finding in find_in_chunk(message) if message.strip() else ():
        if not isinstance(finding, FoundEntity) or finding.name.casefold() in named:
            continue
        if sentence := find_sentence_with(finding.name, text):
            findings[replace(finding, quote=sentence, description="", numbers=())] = None
    return calls_of_findings(findings, LadderStage.GENERATED)


def forced_minimal(text: str, max_anchors: int = MAX_ANCHORS) -> tuple[ToolCall, ...]:
    """Return calls that leave at least one anchor of any chunk: up to `max_anchors` names, else its first sentence."""
    names = find_plain_names(text)[: max(1, max_anchors)]
    if names:
        findings: list[Finding] = [
            FoundEntity(name, EntityKind.CONCEPT, find_sentence_with(name, text) or name) for name in names
        ]
    else:
        findings = [Observation("", first_sentence_of(text))]
    return calls_of_findings(findings, LadderStage.FORCED)


def find_plain_names(text: str) -> list[str]:
    """Return capitalised names, those first that also stand within a sentence; of one word, only such."""
    within: dict[str, None] = {}
    at_start: dict[str, None] = {}
    for sentence in _SENTENCE.finditer(text):
        for match in _NAME.finditer(sentence[0]):
            name = _TRAILING_JOINER.sub("", " ".join(match[0].split()))
            if not 3 <= len(name) <= MAX_NAME_LENGTH:
                continue
            is_at_start = not sentence[0][: match.start()].strip(" \t\"'“‘*_#>-")
            if not is_at_start:
                within.setdefault(name)
            elif " " in name:
                at_start.setdefault(name)
    return list(dict.fromkeys((*within, *at_start)))


def find_sentence_with(name: str, text: str) -> str:
    """Return the sentence of a text in which a name stands, as it is written; empty if it stands in none."""
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    if match is None:
        return ""
    for sentence in _SENTENCE.finditer(text):
        if sentence.start() <= match.start() and match.end() <= sentence.end():
            return sentence[0].strip()
    return match[0]
