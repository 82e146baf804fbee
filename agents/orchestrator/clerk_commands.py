"""The slash commands of clerk and chronicle: `/court`, `/promises`, `/paid`, `/rules`, `/recap`.

Source: design/authority.md ("Contradictions", "Canon policy"); design/product.md (commitment ledger).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.orchestrator.chronicle import Chronicle
from agents.orchestrator.clerk import Clerk
from agents.orchestrator.commands import Command
from agents.orchestrator.reply_lines import written
from agents.views import CommandHelp, Reply
from stores.errors import InputError
from stores.records.ids import Id

if TYPE_CHECKING:
    from agents.services.services import Services


def clerk_commands(services: Services, clerk: Clerk, chronicle: Chronicle) -> tuple[Command, ...]:
    """Return the commands, bound to one desk."""

    async def court(scene_id: Id, argument: str) -> Reply:
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
            ruled = await clerk.rule(row, words)
            done = written(ruled.report) if ruled.report else ()
            return Reply("operation", done or ruled.lines or (f"Ruled: {row.title}",))
        return Reply("operation", await clerk.hear(row), goto="court", subject=row.proposal.id)

    async def promises(scene_id: Id, argument: str) -> Reply:
        lines = await clerk.promises(scene_id) or ("Nothing is promised or owed.",)
        return Reply("operation", lines, goto="ledger")

    async def paid(scene_id: Id, argument: str) -> Reply:
        number = int(argument) if argument.isdecimal() and len(argument) < 9 else 0
        staged = await clerk.pay(scene_id, number)
        return Reply("operation", tuple(f"Proposed: {title}" for title in staged.titles))

    async def rules(scene_id: Id, argument: str) -> Reply:
        universe_id = (await services.play.scene(scene_id)).universe.id
        kind, _, word = argument.partition(" ")
        if argument:
            await clerk.set_rule(universe_id, kind, word.strip())
        lines = await clerk.rules(universe_id) or ("No house rules yet.",)
        return Reply("operation", lines, goto="" if argument else "house", subject=universe_id)

    async def recap(scene_id: Id, argument: str) -> Reply:
        return Reply("operation", await chronicle.recap(scene_id) or ("The story has hardly begun.",))

    return (
        (CommandHelp("recap", "/recap", "Previously on: what the record says"), recap),
        (
            CommandHelp("court", "/court 2  (then /court 2 old)", "Hear a conflict, and rule on it", True),
            court,
        ),
        (
            CommandHelp("promises", "/promises", "Promises, debts and open questions, the oldest first"),
            promises,
        ),
        (CommandHelp("paid", "/paid 1", "Propose that a promise is kept", True), paid),
        (CommandHelp("rules", "/rules state_change auto-accept", "House rules by kind of proposal"), rules),
    )
