"""Says in a few lines what taking back a document, or putting another edition in its place, would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from agents.count_words import count_noun
from widgets.safe_text import ellipsise, one_line

if TYPE_CHECKING:
    from agents.views.ingest_views import EditionView, WithdrawalView

MAX_LISTED: Final = 5
MAX_PASSAGE_CELLS: Final = 90


def describe_withdrawal(view: WithdrawalView) -> list[str]:
    """Return what withdrawing would do, the losses first."""
    texts_by_id = {f.fact.id: f.fact.statement for f in view.losing_facts}
    texts_by_id |= {e.id: e.name for e in view.losing_entities}
    unused = [text for id, text in texts_by_id.items() if id not in view.used_by]
    lines = []
    if view.used_by:
        titles = dict.fromkeys(title for titles in view.used_by.values() for title in titles)
        stories = ", ".join(f"“{one_line(title)}”" for title in titles)
        lines.append(
            f"Used in {stories} ({len(view.used_by):,}); each stays unless you accept its retraction:"
        )
        lines += _listed(text for id, text in texts_by_id.items() if id in view.used_by)
    if unused:
        lines.append(f"Only this document says ({len(unused):,}), so the gate will propose to retract:")
        lines += _listed(unused)
    if not texts_by_id:
        lines.append("Nothing in canon rests on it alone.")
    if view.kept_count:
        lines.append(f"In canon with other evidence too, so that it stays: {view.kept_count:,}.")
    if view.open_count:
        lines.append(f"Open in its review, and closed: {count_noun(view.open_count, 'proposal')}.")
    if view.snippet_count:
        lines.append(f"Out of the search: {count_noun(view.snippet_count, 'passage')}.")
    return [*lines, "The document is kept: R brings it back."]


def describe_edition(view: EditionView) -> list[str]:
    """Return what is new in another edition, what is gone, and what would lose its evidence."""
    new_count, gone_count = len(view.new_passages), len(view.gone_passages)
    lines = [f"Passages: {view.kept_count:,} the same, {new_count:,} new, {gone_count:,} gone."]
    if view.new_passages:
        lines += ["New:", *_listed(passage.text for passage in view.new_passages)]
    if view.gone_passages:
        lines += ["Gone:", *_listed(passage.text for passage in view.gone_passages)]
    if view.losing_facts:
        lines.append(f"In canon, and resting only on what is gone ({len(view.losing_facts):,}):")
        lines += _listed(fact.fact.statement for fact in view.losing_facts)
    return lines + list(view.notes)


def _listed(texts: Iterable[str]) -> Iterator[str]:
    texts = list(texts)
    for text in islice(texts, MAX_LISTED):
        yield f"  {ellipsise(one_line(text), MAX_PASSAGE_CELLS)}"
    if len(texts) > MAX_LISTED:
        yield f"  … and {len(texts) - MAX_LISTED:,} more"
