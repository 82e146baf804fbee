"""Findings of a query, a row each: standing (sign and word), text, place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from agents.proposals.evidence import show_words
from agents.views.query_views import Answer, AnswerStanding, QueryFinding
from widgets.ink import Ink, Line
from widgets.plain_rows import heading_row
from widgets.row_list import ListRow, RowList
from widgets.safe_text import content, ellipsise, one_line, wrap

STANDING_SIGNS: Final = {
    AnswerStanding.CANON: ("✓", Ink.GOOD),
    AnswerStanding.PROPOSED: ("+", Ink.WARN),
    AnswerStanding.ON_RECORD: ("❝", Ink.GM),
    AnswerStanding.BELIEVED: ("~", Ink.NPC),
    AnswerStanding.CONTRADICTED: ("×", Ink.BAD),
    AnswerStanding.UNKNOWN: ("?", Ink.MUTED),
}
MAX_QUOTE_LINES: Final = 3


def finding_lines(finding: QueryFinding, width: int) -> list[Line]:
    """Return one finding: number, sign, standing and owner; its text; the quote; its place."""
    sign, ink = STANDING_SIGNS[finding.standing]
    believer_note = f" by {one_line(finding.believer)}" if finding.believer else ""
    rejected_note = ", ✗ rejected" if finding.rejected_quotes else ""
    lines: list[Line] = [
        [
            (f" {sign} ", ink),
            (ellipsise(f"{finding.standing}{believer_note}", width - 9 - len(rejected_note)), Ink.STRONG),
            (rejected_note, Ink.BAD),
            (f"  [{finding.number}]", Ink.MUTED),
        ]
    ]
    lines += [[("   ", Ink.PROSE), (part, Ink.PROSE)] for part in wrap(one_line(finding.text), width - 4)]
    quote = one_line(finding.quote)
    if quote and quote not in one_line(finding.text):
        quote_lines = wrap(show_words(quote, is_quotation=finding.is_quotation), width - 4)
        if len(quote_lines) > MAX_QUOTE_LINES:
            quote_lines = [
                *quote_lines[: MAX_QUOTE_LINES - 1],
                ellipsise(" ".join(quote_lines[MAX_QUOTE_LINES - 1 :]), width - 4),
            ]
        lines += [[("   ", Ink.PROSE), (part, Ink.QUOTE)] for part in quote_lines]
    source_text = " · ".join(filter(None, (one_line(finding.where), _score_text(finding))))
    lines += [
        [("   ", Ink.PROSE), (part, Ink.MUTED)]
        for part in (wrap(source_text, width - 4) if source_text else ())
    ]
    return lines


def answer_content(answer: Answer, *, in_play: bool = False, is_typing: bool = False) -> Content:
    """Return the standing of an answer with its sign, then the model's prose with unsupported parts marked.

    While the question `is_typing`, a letter is a part of it, and Enter comes before the keys that are named.
    """
    sign, _ = STANDING_SIGNS[answer.standing]
    head = f"{sign} {answer.standing}"
    if not answer.findings:
        silence_text = "nothing says so clearly" if answer.nearest else "nothing is on record"
        keys = f"{'O asks the oracle, ' if in_play else ''}n proposes it"
        head += f": {silence_text}. {'⏎, then ' if is_typing else ''}{keys}."
    lines = [content(head, "bold")]
    if answer.words:
        lines.append(content(one_line(answer.words)))
    unsupported_texts = (
        f"⚠ beyond its evidence: “{one_line(unsupported_text)}”" for unsupported_text in answer.unsupported
    )
    lines += (content(words, "$text-warning") for words in unsupported_texts)
    return Content("\n").join(lines)


def _score_text(finding: QueryFinding) -> str:
    """Return the score of each search method, if that was asked for."""
    if not finding.by:
        return ""
    method_scores = ", ".join(f"{way} {_format_score(share)}" for way, share in finding.by)
    return f"{_format_score(finding.score)} ({method_scores})"


def _format_score(score: float) -> str:
    """Return a score; one that rounds to nothing is shown as less than the smallest step."""
    return f"{score:.2f}" if score >= 0.005 or score <= 0 else "under 0.01"


class FindingList(RowList[QueryFinding]):
    """Findings in their order; the nearest ones are under a heading of their own."""

    HELP_TITLE: ClassVar[str] = "Results"
    HELP_TEXT: ClassVar[str] = (
        "✓ canon, + proposed and not decided, ❝ on record: narrated, never decided, ~ somebody's memory, "
        "× contradicted: no longer true, or disputed. Enter or x shows the evidence."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,x", "look", "Look", id="findings.look", tooltip="Show the evidence"),
    ]

    @dataclass
    class FindingChosen(Message):
        """The record of this finding is to be opened."""

        finding: QueryFinding

    def show_findings(self, findings: Sequence[QueryFinding], nearest: Sequence[QueryFinding] = ()) -> None:
        """Show these from the top."""
        self.set_rows([])
        self.set_rows(list(_finding_rows(findings, nearest)))
        self.scroll_to_line(0)

    def row_highlighted(self, value: QueryFinding | None) -> None:
        self.refresh_bindings()

    def row_chosen(self, value: QueryFinding) -> None:
        self.action_look()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "look":
            return self.current is not None
        return super().check_action(action, parameters)

    def action_look(self) -> None:
        if self.current is not None:
            self.post_message(self.FindingChosen(self.current))


def _finding_rows(
    findings: Sequence[QueryFinding], nearest: Sequence[QueryFinding]
) -> Iterator[ListRow[QueryFinding]]:
    for finding in findings:
        yield _finding_row(finding)
    if nearest:
        yield heading_row("Nearest; may not be an answer")
        for finding in nearest:
            yield _finding_row(finding)


def _finding_row(finding: QueryFinding) -> ListRow[QueryFinding]:
    def draw(width: int) -> Sequence[Line]:
        return [*finding_lines(finding, width), []]

    return ListRow(f"finding {finding.number}", draw, finding)
