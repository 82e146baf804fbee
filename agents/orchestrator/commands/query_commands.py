"""The slash command that asks the record: `/query`."""

from __future__ import annotations

from agents.orchestrator.commands.registry import CommandCall, CommandGroup
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.dispatcher import Access
from agents.views.query_views import Answer, AnswerStanding, QueryFinding
from agents.views.replies import CommandTopic, Reply

group = CommandGroup(CommandTopic.ASK)


@group.command(
    "query", "/query who has the key?", "Ask what is canon, on record or believed", access=Access.READ
)
async def query(tools: CommandTools, call: CommandCall) -> Reply:
    """Answer in lines, with the evidence; the Query screen asks again, in prose if there is a model."""
    if not call.argument:
        return Reply("operation", ("Type a question after /query.",), goto="query")
    answer = await tools.ask_record(call.argument, universe_id=call.context.universe.id)
    return Reply("operation", answer_lines(answer), goto="query", query_text=call.argument)


def answer_lines(answer: Answer) -> tuple[str, ...]:
    """Return an answer as lines: its standing, the sentence, each finding, and the nearest records."""
    lines = [f"{answer.standing}: {answer.words}" if answer.words else str(answer.standing)]
    if answer.standing is AnswerStanding.UNKNOWN and not answer.words:
        unknown_reason = "nothing says so clearly" if answer.nearest else "nothing is on record"
        lines = [f"unknown: {unknown_reason}."]
    lines += [f"beyond its evidence: {unsupported_claim}" for unsupported_claim in answer.unsupported]
    lines += map(_finding_line, answer.findings)
    if answer.nearest:
        lines += ["nearest; may not be an answer:", *map(_finding_line, answer.nearest)]
    return (*lines, *(f"note: {note}" for note in answer.notes))


def _finding_line(finding: QueryFinding) -> str:
    believer_note = f" by {finding.believer}" if finding.believer else ""
    place_note = f"  ({finding.where})" if finding.where else ""
    return " ".join(
        f"[{finding.number}] {finding.standing}{believer_note}: {finding.text}{place_note}".split()
    )
