"""The slash commands of the model: `/continue`, `/again`, `/gm`, `/xray`, `/bill`, `/budget`, `/model`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agents.llm.budget import format_dollars
from agents.orchestrator.commands.registry import Command
from agents.orchestrator.narration.narration import Narration
from agents.views.play_views import CommandHelp, Reply
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.play import Speaker, Turn

if TYPE_CHECKING:
    from agents.services.services import Services

BUDGET_SCOPES = ("story", "universe", "day")
DEFAULT_TRANSCRIPT_TURNS = 20
"""Turns that /transcript shows, if it is not told how many."""
MAX_LINE_LENGTH = 300
"""Characters of a turn in its line."""
MAX_XRAY_LOOKBACK = 12
"""Turns back in which the last one that was told is looked for."""


def model_commands(services: Services, narration: Narration) -> tuple[Command, ...]:
    """Return the commands, bound to one desk."""

    async def continue_narration(scene_id: Id, argument: str) -> Reply:
        return await services.play.continue_narration(scene_id, argument)

    async def narrate_again(scene_id: Id, argument: str) -> Reply:
        return await services.play.narrate_again(scene_id, argument)

    async def gm(scene_id: Id, argument: str) -> Reply:
        return await services.play.answer_as_gm(scene_id, argument)

    async def monitor(scene_id: Id, argument: str) -> Reply:
        line = await narration.read_command(argument, scene_id, services.play.commands())
        reply = await services.play.submit(scene_id, line)
        return replace(reply, lines=(line, *reply.lines))

    async def transcript(scene_id: Id, argument: str) -> Reply:
        number = int(argument) if argument.isdecimal() and len(argument) < 5 else 0
        if argument and not number:
            raise InputError(f"{argument[:20]!r} is no number of turns.", todo="As in: /transcript 20")
        view, count = await services.play.scene(scene_id), number or DEFAULT_TRANSCRIPT_TURNS
        start = max(0, view.turns - count)
        rows = await services.play.transcript(scene_id, start, view.turns - start)
        lines = tuple(
            f"{row.turn.depth + 1} {_speaker_name(row.turn)}: {_one_line(row.turn.text)}" for row in rows
        )
        return Reply("operation", lines or ("Nothing was played yet.",))

    async def xray(scene_id: Id, argument: str) -> Reply:
        view = await services.play.scene(scene_id)
        number = int(argument) if argument.isdecimal() and len(argument) < 9 else 0
        if argument and not 1 <= number <= view.turns:
            raise InputError(
                f"There is no turn {argument[:20]!r} on this line.",
                kept="Nothing was changed.",
                todo=f"It has turns 1 to {view.turns}." if view.turns else "It has no turns yet.",
            )
        if number:
            (row,) = await services.play.transcript(scene_id, number - 1, 1)
            return Reply("operation", goto="xray", subject=row.turn.id)
        start = max(0, view.turns - MAX_XRAY_LOOKBACK)
        rows = await services.play.transcript(scene_id, start, view.turns - start)
        if not rows:
            raise InputError("Nothing was played yet.", todo="/xray shows how a turn came to be.")
        gm_rows = [r for r in rows if r.turn.speaker in (Speaker.GM, Speaker.NPC)]
        return Reply("operation", goto="xray", subject=(gm_rows or rows)[-1].turn.id)

    async def bill(scene_id: Id, argument: str) -> Reply:
        return Reply("operation", goto="bill")

    async def model(scene_id: Id, argument: str) -> Reply:
        return Reply("operation", goto="model")

    async def budget(scene_id: Id, argument: str) -> Reply:
        view = await services.play.scene(scene_id)
        subjects = {"story": view.story.id, "universe": view.universe.id, "day": None}
        words = argument.casefold().replace("$", "").split()
        if not words:
            bill_view = await services.llm.bill(story_id=view.story.id)
            shown_budgets = [b for b in bill_view.budgets if b.subject in (None, *subjects.values())]
            return Reply(
                "operation", tuple(_budget_line(b.scope, b.spent, b.limit, b.degraded) for b in shown_budgets)
            )
        scope, amount = words[0], _read_amount(words[1:])
        if scope not in subjects or len(words) != 2:
            raise InputError(
                "A budget is of a story, a universe or a day.",
                kept="Nothing was changed.",
                todo="As in: /budget story 5 (US dollars), or /budget day none.",
            )
        await services.llm.set_budget(scope, amount, subject=subjects[scope])
        limit = "has no limit now" if amount is None else f"may cost {format_dollars(amount)} now"
        return Reply("operation", (f"This {scope} {limit}." if scope != "day" else f"A day {limit}.",))

    return (
        (
            CommandHelp("continue", "/continue  (with a wish behind it)", "The model tells on from here"),
            continue_narration,
        ),
        (
            CommandHelp("again", "/again less gore", "The model tells the last turn again, as another take"),
            narrate_again,
        ),
        (CommandHelp("gm", "/gm WORDS", "Talk to the GM out of character; kept as a note", True), gm),
        (
            CommandHelp(
                "monitor", "/monitor list the npcs", "A command in plain words, never the story", True
            ),
            monitor,
        ),
        (CommandHelp("transcript", "/transcript 20", "The last turns in plain lines"), transcript),
        (
            CommandHelp("xray", "/xray  (or /xray 12)", "Why a turn says what it says: sent, dropped, cost"),
            xray,
        ),
        (CommandHelp("bill", "/bill", "What the model has cost, by call, turn, agent, story, day"), bill),
        (
            CommandHelp("budget", "/budget story 5  (or day none)", "What the model may cost, in dollars"),
            budget,
        ),
        (CommandHelp("model", "/model", "Set up the model: name, key, personas"), model),
    )


def _speaker_name(turn: Turn) -> str:
    return turn.name if turn.speaker is Speaker.NPC and turn.name else turn.speaker.value


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_LINE_LENGTH else line[: MAX_LINE_LENGTH - 1] + "…"


def _read_amount(words: list[str]) -> int | None:
    """Read a sum of dollars, in millionths; `none` is no limit. Raises InputError."""
    text = words[0] if words else ""
    if text in ("none", "off", "-"):
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 100_000.0:
        raise InputError(
            f"{text[:20]!r} is no sum of dollars." if text else "How much?",
            kept="Nothing was changed.",
            todo="As in: /budget story 5, or /budget story none.",
        )
    return round(value * 1_000_000)


def _budget_line(scope: str, spent: int, limit: int | None, degraded: str) -> str:
    limit_text = f"of {format_dollars(limit)}" if limit is not None else "no limit"
    return f"{scope}: {format_dollars(spent)} spent, {limit_text}" + (f" · {degraded}" if degraded else "")
