"""Lines and veils as players write them, and what narrations cross: the sentences of `data/lines_and_veils.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from agents.narrator.lines_and_veils import find_crossings, parse_barred_topics
from agents.narrator.prose_checks import ProseCheckInput, ProseFindingKind, Severity, check_prose
from agents.prose.words import split_sentences

_TABLE: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "data" / "lines_and_veils.yaml").read_text(encoding="utf-8")
)
_TOPICS = parse_barred_topics(_TABLE["lines_and_veils"])


def describe(text: str) -> list[str]:
    return [f"{'veil' if topic.is_veil else 'line'}: {topic.text}" for topic in parse_barred_topics(text)]


@pytest.mark.parametrize(
    ("words", "topics"),
    [
        (
            "Lines: cruelty to animals. Veils: the drowning itself and the deaths of children, known and never shown.",
            ["line: cruelty to animals", "veil: drowning", "veil: deaths of children"],
        ),
        ("suicide, only off-screen", ["veil: suicide"]),
        ("suicide only off-screen; gore", ["veil: suicide", "line: gore"]),
        ("nothing graphic", []),
        ("harm to children, nothing graphic", ["line: harm to children"]),
        ("no graphic violence", ["veil: violence"]),
        ("no harm to animals; torture off stage", ["line: harm to animals", "veil: torture"]),
        ("cruelty to animals or children", ["line: cruelty to animals", "line: cruelty to children"]),
        ("violence is fine, except against children", ["line: violence against children"]),
        ("blood and gore are fine, but nothing sexual", ["line: sexual"]),
        ("I don't want spiders or snakes, please", ["line: spiders", "line: snakes"]),
        ("child death: fade to black", ["veil: child death"]),
        ("none", []),
        ("n/a", []),
        ("No limits, anything goes.", []),
    ],
)
def test_lines_and_veils_are_read_as_clauses(words: str, topics: list[str]) -> None:
    assert describe(words) == topics


def test_lines_and_veils_table_has_its_size() -> None:
    assert len(_TABLE["ordinary"]) == len(set(_TABLE["ordinary"])) == 100
    assert len(_TABLE["crossings"]) == 30


@pytest.mark.parametrize("text", _TABLE["ordinary"])
def test_lines_and_veils_ordinary_narration_is_left_alone(text: str) -> None:
    findings = check_prose(text, ProseCheckInput(barred_topics=_TOPICS))
    assert [f.reason for f in findings if f.kind is ProseFindingKind.LINE] == []


@pytest.mark.parametrize("text", _TABLE["ordinary"])
@pytest.mark.parametrize("words", ["nothing graphic", "suicide, only off-screen"])
def test_lines_and_veils_of_manner_alone_bar_no_narration(text: str, words: str) -> None:
    assert list(find_crossings(text, parse_barred_topics(words))) == []


@pytest.mark.parametrize("case", _TABLE["crossings"], ids=lambda case: case["text"])
def test_lines_and_veils_crossing_is_found(case: dict[str, str]) -> None:
    """A line has the turn told again, a veil is a warning."""
    findings = check_prose(case["text"], ProseCheckInput(barred_topics=_TOPICS))
    findings_by_topic = {f.reason.partition(": ")[2]: f for f in findings if f.kind is ProseFindingKind.LINE}
    reasons = [reason for reason in findings_by_topic if reason.rstrip(".").endswith(case["topic"])]
    assert reasons, [f.reason for f in findings]
    is_veil = next(t.is_veil for t in _TOPICS if t.text == case["topic"])
    assert findings_by_topic[reasons[0]].severity is (Severity.WARN if is_veil else Severity.REWRITE)
    assert findings_by_topic[reasons[0]].quoted_text in split_sentences(case["text"])
