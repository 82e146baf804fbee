"""The slash command that asks the record: `/query`. Source: design/interface.md, "Input" and "Query"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.orchestrator.commands.registry import Command
from agents.views.play_views import CommandHelp, Reply
from agents.views.query_views import Answer, AnswerStanding, QueryFinding
from stores.records.ids import Id

if TYPE_CHECKING:
    from agents.services.services import Services


def query_commands(services: Services) -> tuple[Command, ...]:
    """Return the commands, bound to one desk."""

    async def query(scene_id: Id, argument: str) -> Reply:
        """A screen asks anew, in words if there is a model; what is told here is the evidence itself."""
        if not argument:
            return Reply("operation", ("/query and a question behind it asks the record.",), goto="query")
        universe_id = (await services.play.scene(scene_id)).universe.id
        answer = await services.query.ask(argument, universe_id=universe_id, in_words=False)
        return Reply("operation", answer_lines(answer), goto="query", words=argument)

    return (
        (
            CommandHelp("query", "/query who has the key?", "Ask the record: canon, told, believed"),
            query,
        ),
    )


def answer_lines(answer: Answer) -> tuple[str, ...]:
    """Return an answer as lines: how it stands, the words for it, each finding, and what is nearest."""
    lines = [f"{answer.standing}: {answer.words}" if answer.words else str(answer.standing)]
    if answer.standing is AnswerStanding.UNKNOWN and not answer.words:
        unknown_reason = "nothing plainly says so" if answer.nearest else "the record is silent"
        lines = [f"unknown: {unknown_reason}."]
    lines += [f"beyond its evidence: {unsupported_claim}" for unsupported_claim in answer.unsupported]
    lines += map(_finding_line, answer.findings)
    if answer.nearest:
        lines += ["nearest; it may not answer it:", *map(_finding_line, answer.nearest)]
    return (*lines, *(f"note: {note}" for note in answer.notes))


def _finding_line(finding: QueryFinding) -> str:
    believer_note = f" by {finding.believer}" if finding.believer else ""
    place_note = f"  ({finding.where})" if finding.where else ""
    return " ".join(
        f"[{finding.number}] {finding.standing}{believer_note}: {finding.text}{place_note}".split()
    )
