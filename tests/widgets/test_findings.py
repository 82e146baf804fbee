"""How a finding is told in lines."""

from __future__ import annotations

from agents.views.query_views import AnswerStanding, QueryFinding
from widgets.finding_list import finding_lines


def test_findings_score_next_to_nothing_is_not_told_as_nothing() -> None:
    """BM25 gives a word that stands in most rows a millionth."""
    found = QueryFinding(
        1, AnswerStanding.ON_RECORD, "It rains.", score=1e-6, by=(("words", 1e-6), ("graph", 0.25))
    )
    told = " ".join(part for line in finding_lines(found, 80) for part, _ in line)
    assert "under 0.01 (words under 0.01, graph 0.25)" in told


def test_findings_of_rejected_words_are_marked_as_rejected() -> None:
    for rejected_quotes, is_marked in (((), False), (("It rains",), True)):
        found = QueryFinding(1, AnswerStanding.ON_RECORD, "It rains.", rejected_quotes=rejected_quotes)
        head = "".join(part for part, _ in finding_lines(found, 40)[0])
        assert ("on record, ✗ rejected" in head) is is_marked
