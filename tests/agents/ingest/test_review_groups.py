"""The groups of a document's review: what is worth deciding stands first."""

from __future__ import annotations

from agents.services.review_groups import rank_groups
from agents.views.ingest_views import ReviewGroup, ReviewOrder


def group(key: str, **given: object) -> ReviewGroup:
    return ReviewGroup(key=key, title=key, count=1, **given)  # type: ignore[arg-type]


def test_what_a_document_describes_stands_before_what_it_only_names() -> None:
    """A player: "the beasts of the book stood first, and not the word that it writes on every page"."""
    groups = [
        group("", chunk_count=90, is_described=True),
        group("Multiattack", chunk_count=200),
        group("Owlbear", chunk_count=2, is_described=True),
        group("Goblin", chunk_count=9, is_described=True),
        group("Mara", chunk_count=1, is_in_play=True),
    ]
    ranked = [one.key for one in rank_groups(groups, ReviewOrder.ENTITY)]
    assert ranked == ["Mara", "Goblin", "Owlbear", "Multiattack", ""]
