"""An answer in words held against what it cites. Pure.

A sentence is borne out if it cites findings that there are, and every name and number in it stands in one of
those. That is not to say that it is right: it is what code can see. What it adds is shown, and marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from agents.personas.outputs import CitedSentence
from agents.prose.names import HONORIFICS, find_names
from agents.search.question import forms
from agents.views.query_views import QueryFinding

_FIGURES: Final = re.compile(r"\d+")


def evidence_of(findings: Iterable[QueryFinding]) -> str:
    """Return the findings as a model reads them, a line each, numbered."""
    return "\n".join(_line(finding) for finding in findings)


def sentence_of(said: CitedSentence) -> str:
    """Return a sentence with its citations behind it."""
    return " ".join((said.text.strip(), "".join(f"[{n}]" for n in said.cites))).strip()


def beyond(
    sentences: Sequence[CitedSentence], findings: Sequence[QueryFinding], known: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the sentences that what they cite does not bear out. `known` are names of canon: they count as
    names wherever they stand in a sentence."""
    by_number = {finding.number: finding for finding in findings}
    names = {word for name in known for word in forms(name)}
    return tuple(said.text.strip() for said in sentences if not _borne_out(said, by_number, names))


def _borne_out(said: CitedSentence, findings: Mapping[int, QueryFinding], known: set[str]) -> bool:
    cited = [findings[n] for n in said.cites if n in findings]
    if not cited or len(cited) < len(said.cites):
        return False
    there = forms(" ".join(_line(finding) for finding in cited))
    told = forms(said.text)
    named = {word for name in find_names(said.text) for word in forms(name)}
    capitals = {
        form for word in re.findall(r"[^\W\d_]+", said.text) if word[0].isupper() for form in forms(word)
    }
    claims = (named | (known & capitals)) - HONORIFICS
    counted = {word for word in told if _FIGURES.fullmatch(word)}
    return (claims | counted) <= there


def _line(finding: QueryFinding) -> str:
    """Return one finding in one line: number, standing, whose it is, the words, and those it rests on."""
    whose = f", by {finding.believer}" if finding.believer else ""
    where = f" ({finding.where})" if finding.where else ""
    quote = f" Words: “{finding.quote}”" if finding.quote and finding.quote != finding.text else ""
    return " ".join(f"[{finding.number}] {finding.standing}{whose}: {finding.text}{where}{quote}".split())
