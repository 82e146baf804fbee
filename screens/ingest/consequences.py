"""Says in a few lines what taking back a document, or putting another edition in its place, would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.views.ingest_views import EditionView, WithdrawalView

MAX_LISTED: Final = 5
MAX_PASSAGE_LENGTH: Final = 90


def describe_withdrawal(view: WithdrawalView) -> list[str]:
    """Return what withdrawing would do, the losses first."""
    losing = [f.fact.statement for f in view.losing_facts] + [e.name for e in view.losing_entities]
    lines = []
    if losing:
        lines.append(
            f"{len(losing):,} in canon rest on it alone, and are proposed for retraction at the gate:"
        )
        lines += _listed(losing)
    else:
        lines.append("Nothing in canon rests on it alone.")
    if view.kept_count:
        lines.append(f"{view.kept_count:,} have other evidence too, and stay.")
    if view.open_count:
        lines.append(f"{view.open_count:,} of its proposals are closed.")
    if view.snippet_count:
        lines.append(f"{view.snippet_count:,} of its passages leave the search.")
    return [*lines, "The document is kept: R brings it back."]


def describe_edition(view: EditionView) -> list[str]:
    """Return what is new in another edition, what is gone, and what would lose its evidence."""
    lines = [
        f"{view.kept_count:,} passages are the same, {len(view.new_passages):,} are new, "
        f"{len(view.gone_passages):,} are gone."
    ]
    if view.new_passages:
        lines += ["New:", *_listed(passage.text for passage in view.new_passages)]
    if view.gone_passages:
        lines += ["Gone:", *_listed(passage.text for passage in view.gone_passages)]
    if view.losing_facts:
        lines.append(f"{len(view.losing_facts):,} facts in canon rest only on what is gone:")
        lines += _listed(fact.fact.statement for fact in view.losing_facts)
    return lines + list(view.notes)


def _listed(texts: Iterable[str]) -> Iterator[str]:
    texts = list(texts)
    for text in islice(texts, MAX_LISTED):
        line = one_line(text)
        yield f"  {line if len(line) <= MAX_PASSAGE_LENGTH else line[: MAX_PASSAGE_LENGTH - 1] + '…'}"
    if len(texts) > MAX_LISTED:
        yield f"  … and {len(texts) - MAX_LISTED:,} more"
