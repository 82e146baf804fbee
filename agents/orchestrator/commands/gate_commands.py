"""The slash commands of clerk and chronicle: `/court`, `/promises`, `/paid`, `/rules`, `/recap`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.orchestrator.commands.registry import Command
from agents.orchestrator.reply_lines import commit_lines
from agents.services.conflict_commands import Clerk
from agents.services.story_record import Chronicle
from agents.views.play_views import CommandHelp, Reply
from stores.errors import InputError
from stores.records.ids import Id

if TYPE_CHECKING:
    from agents.services.services import Services


def gate_commands(
    services: Services, conflict_commands: Clerk, story_record_reader: Chronicle
) -> tuple[Command, ...]:
    """Return the commands, bound to one desk."""

    async def conflict(scene_id: Id, argument: str) -> Reply:
        number, _, words = argument.partition(" ")
        rows = {str(row.number): row for row in (await services.play.scene(scene_id)).proposals}
        if number not in rows:
            raise InputError(
                f"There is no proposal {number[:20]!r}.",
                kept="Nothing was changed.",
                todo="/proposals lists them with numbers.",
            )
        row = rows[number]
        if words:
            ruling_reply = await conflict_commands.rule(row, words)
            written_lines = commit_lines(ruling_reply.report) if ruling_reply.report else ()
            return Reply("operation", written_lines or ruling_reply.lines or (f"Ruled: {row.title}",))
        return Reply("operation", await conflict_commands.hear(row), goto="court", subject=row.proposal.id)

    async def promises(scene_id: Id, argument: str) -> Reply:
        lines = await conflict_commands.promises(scene_id) or ("Nothing is promised or owed.",)
        return Reply("operation", lines, goto="ledger")

    async def pay_commitment(scene_id: Id, argument: str) -> Reply:
        number = int(argument) if argument.isdecimal() and len(argument) < 9 else 0
        payment = await conflict_commands.pay(scene_id, number)
        return Reply("operation", tuple(f"Proposed: {title}" for title in payment.titles))

    async def rules(scene_id: Id, argument: str) -> Reply:
        universe_id = (await services.play.scene(scene_id)).universe.id
        kind, _, word = argument.partition(" ")
        if argument:
            await conflict_commands.set_rule(universe_id, kind, word.strip())
        lines = await conflict_commands.rules(universe_id) or ("No house rules yet.",)
        return Reply("operation", lines, goto="" if argument else "house", subject=universe_id)

    async def recap(scene_id: Id, argument: str) -> Reply:
        return Reply(
            "operation", await story_record_reader.recap(scene_id) or ("The story has hardly begun.",)
        )

    return (
        (CommandHelp("recap", "/recap", "Previously on: what the record says"), recap),
        (
            CommandHelp("court", "/court 2  (then /court 2 old)", "Hear a conflict, and rule on it", True),
            conflict,
        ),
        (
            CommandHelp("promises", "/promises", "Promises, debts and open questions, the oldest first"),
            promises,
        ),
        (CommandHelp("paid", "/paid 1", "Propose that a promise is kept", True), pay_commitment),
        (CommandHelp("rules", "/rules state_change auto-accept", "House rules by kind of proposal"), rules),
    )
