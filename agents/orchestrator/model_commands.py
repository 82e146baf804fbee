"""The slash commands of the model: `/continue`, `/again`, `/gm`, `/xray`, `/bill`, `/budget`, `/model`.

Source: design/interface.md, "Input"; LANGGRAPH_AGENTS, "Router".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agents.model.budget import dollars
from agents.orchestrator.commands import Command
from agents.orchestrator.storyteller import Storyteller
from agents.views import CommandHelp, Reply
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.play import Speaker, Turn

if TYPE_CHECKING:
    from agents.services.services import Services

SCOPES = ("story", "universe", "day")
SHOWN = 20
"""Turns that /transcript shows, if it is not told how many."""
LONG = 300
"""Characters of a turn in its line."""
REACH = 12
"""Turns back in which the last one that was told is looked for."""


def model_commands(services: Services, storyteller: Storyteller) -> tuple[Command, ...]:
    """Return the commands, bound to one desk."""

    async def go_on(scene_id: Id, argument: str) -> Reply:
        return await services.play.tell_on(scene_id, argument)

    async def again(scene_id: Id, argument: str) -> Reply:
        return await services.play.retell(scene_id, argument)

    async def gm(scene_id: Id, argument: str) -> Reply:
        return await services.play.answer_as_gm(scene_id, argument)

    async def monitor(scene_id: Id, argument: str) -> Reply:
        line = await storyteller.command_meant(argument, scene_id, services.play.commands())
        reply = await services.play.submit(scene_id, line)
        return replace(reply, lines=(line, *reply.lines))

    async def transcript(scene_id: Id, argument: str) -> Reply:
        number = int(argument) if argument.isdecimal() and len(argument) < 5 else 0
        if argument and not number:
            raise InputError(f"{argument[:20]!r} is no number of turns.", todo="As in: /transcript 20")
        view, count = await services.play.scene(scene_id), number or SHOWN
        start = max(0, view.turns - count)
        rows = await services.play.transcript(scene_id, start, view.turns - start)
        lines = tuple(f"{row.turn.depth + 1} {_speaker(row.turn)}: {_in_line(row.turn.text)}" for row in rows)
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
        start = max(0, view.turns - REACH)
        rows = await services.play.transcript(scene_id, start, view.turns - start)
        if not rows:
            raise InputError("Nothing was played yet.", todo="/xray shows how a turn came to be.")
        told = [r for r in rows if r.turn.speaker in (Speaker.GM, Speaker.NPC)]
        return Reply("operation", goto="xray", subject=(told or rows)[-1].turn.id)

    async def bill(scene_id: Id, argument: str) -> Reply:
        return Reply("operation", goto="bill")

    async def model(scene_id: Id, argument: str) -> Reply:
        return Reply("operation", goto="model")

    async def budget(scene_id: Id, argument: str) -> Reply:
        view = await services.play.scene(scene_id)
        subjects = {"story": view.story.id, "universe": view.universe.id, "day": None}
        words = argument.casefold().replace("$", "").split()
        if not words:
            stand = await services.llm.bill(story_id=view.story.id)
            here = [b for b in stand.budgets if b.subject in (None, *subjects.values())]
            return Reply("operation", tuple(_budget(b.scope, b.spent, b.limit, b.degraded) for b in here))
        scope, sum_ = words[0], _sum(words[1:])
        if scope not in subjects or len(words) != 2:
            raise InputError(
                "A budget is of a story, a universe or a day.",
                kept="Nothing was changed.",
                todo="As in: /budget story 5 (US dollars), or /budget day none.",
            )
        await services.llm.set_budget(scope, sum_, subject=subjects[scope])
        limit = "has no limit now" if sum_ is None else f"may cost {dollars(sum_)} now"
        return Reply("operation", (f"This {scope} {limit}." if scope != "day" else f"A day {limit}.",))

    return (
        (
            CommandHelp("continue", "/continue  (with a wish behind it)", "The model tells on from here"),
            go_on,
        ),
        (
            CommandHelp("again", "/again less gore", "The model tells the last turn again, as another take"),
            again,
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


def _speaker(turn: Turn) -> str:
    return turn.name if turn.speaker is Speaker.NPC and turn.name else turn.speaker.value


def _in_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONG else line[: LONG - 1] + "…"


def _sum(words: list[str]) -> int | None:
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


def _budget(scope: str, spent: int, limit: int | None, degraded: str) -> str:
    of = f"of {dollars(limit)}" if limit is not None else "no limit"
    return f"{scope}: {dollars(spent)} spent, {of}" + (f" · {degraded}" if degraded else "")
