"""Checks an answer in prose against the findings that it cites. Pure.

A sentence is supported if it cites existing findings, and every name and number in it occurs in one of them.
That does not make it right; it is what code can check. Unsupported sentences are shown, and marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from agents.personas.outputs import CitedSentence
from agents.proposals.evidence import show_words
from agents.prose.names import HONORIFICS, find_names
from agents.search.normal_words import word_forms
from agents.views.query_views import QueryFinding

_NUMBER: Final = re.compile(r"\d+")


def format_evidence(findings: Iterable[QueryFinding]) -> str:
    """Return the findings as a model reads them, numbered lines."""
    return "\n".join(_format_finding(finding) for finding in findings)


def format_cited_sentence(sentence: CitedSentence) -> str:
    """Return a sentence followed by its citations."""
    return " ".join((sentence.text.strip(), "".join(f"[{n}]" for n in sentence.cites))).strip()


def find_unsupported_sentences(
    sentences: Sequence[CitedSentence], findings: Sequence[QueryFinding], canon_names: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the sentences that their cited findings do not support.

    `canon_names` count as names wherever they stand in a sentence.
    """
    findings_by_number = {finding.number: finding for finding in findings}
    name_words = {word for name in canon_names for word in word_forms(name)}
    return tuple(
        sentence.text.strip()
        for sentence in sentences
        if not _is_supported(sentence, findings_by_number, name_words)
    )


def _is_supported(
    sentence: CitedSentence, findings: Mapping[int, QueryFinding], canon_name_words: set[str]
) -> bool:
    cited_findings = [findings[n] for n in sentence.cites if n in findings]
    if not cited_findings or len(cited_findings) < len(sentence.cites):
        return False
    evidence_words = word_forms(" ".join(_format_finding(finding) for finding in cited_findings))
    sentence_words = word_forms(sentence.text)
    name_words = {word for name in find_names(sentence.text) for word in word_forms(name)}
    capitalised_words = {
        form
        for word in re.findall(r"[^\W\d_]+", sentence.text)
        if word[0].isupper()
        for form in word_forms(word)
    }
    claimed_names = (name_words | (canon_name_words & capitalised_words)) - HONORIFICS
    numbers = {word for word in sentence_words if _NUMBER.fullmatch(word)}
    return (claimed_names | numbers) <= evidence_words


def _format_finding(finding: QueryFinding) -> str:
    """Return a finding in one line: number, standing, owner, text, and the quotes it rests on."""
    believer_note = f", by {finding.believer}" if finding.believer else ""
    location_note = f" ({finding.where})" if finding.where else ""
    quote_note = (
        f" Words: {show_words(finding.quote, is_quotation=finding.is_quotation)}"
        if finding.quote and finding.quote != finding.text
        else ""
    )
    return " ".join(
        f"[{finding.number}] {finding.standing}{believer_note}: {finding.text}{location_note}{quote_note}".split()
    )
