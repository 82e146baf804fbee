"""Reads which rows a verdict on all is for, and says which it leaves as they are. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from agents.orchestrator.commands.row_numbers import MAX_NAMED_NUMBERS
from agents.proposals.decisions import VERDICT_WORDS
from agents.views.proposal_views import ProposalView
from agents.views.row_verdicts import is_acceptable_unseen, is_open, is_undecided
from stores.records.canon import MergeEntities
from stores.records.workflow import Verdict

_COMMANDS: Final[Mapping[Verdict, tuple[str, str]]] = {
    Verdict.ACCEPT: ("/accept", "accepts"),
    Verdict.REJECT: ("/reject", "rejects"),
    Verdict.FLAVOUR: ("/flavour", "makes just flavour of"),
    Verdict.DEFER: ("/defer", "defers"),
}
"""The command that sets a verdict, and what it does."""


def select_for_all(rows: Sequence[ProposalView], verdict: Verdict | None) -> list[ProposalView]:
    """Return the rows that get the verdict: those without another, and none unseen that is in conflict.

    To take verdicts back (None) is meant for all that have one.
    """
    open_rows = [row for row in rows if is_open(row)]
    if verdict is None:
        return open_rows
    is_chosen = is_acceptable_unseen if verdict is Verdict.ACCEPT else is_undecided
    return [row for row in open_rows if row.verdict is verdict or is_chosen(row)]


def describe_left_rows(
    rows: Sequence[ProposalView], chosen_rows: Sequence[ProposalView], verdict: Verdict | None
) -> tuple[str, ...]:
    """Return how many open rows are left as they are, by why they are, each with the command that decides them."""
    if verdict is None:
        return ()
    chosen_ids = {row.proposal.id for row in chosen_rows}
    left_by_reason: defaultdict[tuple[str, str], list[ProposalView]] = defaultdict(list)
    for row in rows:
        if is_open(row) and row.proposal.id not in chosen_ids:
            left_by_reason[_say_why_left(row)].append(row)
    command, deed = _COMMANDS[verdict]
    lines = list[str]()
    for (one, several), left_rows in left_by_reason.items():
        count = len(left_rows)
        why, them = (one, "it") if count == 1 else (several, "them")
        if count > MAX_NAMED_NUMBERS:
            lines.append(f"{count:,} {why}. /proposals lists {them}; {command} and numbers {deed} {them}.")
            continue
        numbers = " ".join(str(row.number) for row in left_rows)
        shown = f"/resolve {left_rows[0].number} shows both sides; " if left_rows[0].mark == "hold" else ""
        all_the_same = "" if left_rows[0].verdict else " all the same"
        lines.append(f"{count} {why}. {shown}{command} {numbers} {deed} {them}{all_the_same}.")
    return tuple(lines)


def _say_why_left(row: ProposalView) -> tuple[str, str]:
    """Return why a row is left as it is, said of one and of several."""
    if not is_undecided(row):
        word = VERDICT_WORDS[row.verdict].lower()
        return f"{word} before stays so", f"{word} before stay so"
    if row.mark == "hold":
        return "is in conflict and waits", "are in conflict and wait"
    if isinstance(row.proposal.change, MergeEntities):
        return "makes two one and waits for your own look", "make two one and wait for your own look"
    return "is left, which a commit rejects", "are left, which a commit rejects"
