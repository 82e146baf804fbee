"""Slash commands for the model: narrate on or again, talk to it out of character, and see requests and costs."""

from __future__ import annotations

from agents.llm.budget import format_dollars
from agents.llm.llm_settings import MAX_DOLLARS, MAX_WEEKLY_TOKENS
from agents.orchestrator.commands.registry import CommandCall, CommandGroup
from agents.orchestrator.commands.timeline_commands import read_turn_number
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.dispatcher import Access
from agents.orchestrator.outcome import Outcome
from agents.rewordings import find_wordings, reword_turns
from agents.sanitize import clean
from agents.views.replies import CommandTopic, Reply
from stores.errors import InputError
from stores.records.play import GM_SPEAKERS, Speaker, Turn

DEFAULT_TRANSCRIPT_TURNS = 20
"""Turns that /transcript shows if no number is typed."""
MAX_LINE_LENGTH = 300
"""Characters that /transcript shows of a turn."""
MAX_XRAY_LOOKBACK = 12
"""Turns back in which /xray looks for the last GM turn."""

group = CommandGroup(CommandTopic.MODEL)


@group.command(
    "continue",
    "/continue  (or /continue WISH)",
    "The model narrates on from here, or goes on with what was cut off",
    access=Access.PLAY,
    action="narrate on",
)
async def continue_narration(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.line_player.continue_narration(call.context, call.argument)


@group.command(
    "again",
    "/again less gore  (or /again groq/llama-3.3-70b-versatile less gore)",
    "The model, or another one, narrates the last turn again, as another take",
    access=Access.PLAY,
    action="retell",
)
async def narrate_again(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.line_player.narrate_again(call.context, call.argument)


@group.command(
    "gm",
    "/gm WORDS",
    "Talk to the GM out of character; kept as a note",
    access=Access.DELEGATE,
    needs_argument=True,
)
async def talk_to_gm(tools: CommandTools, call: CommandCall) -> Outcome:
    lines = await tools.narration.answer_out_of_character(call.context, clean(call.argument))
    return Outcome(Reply("operation", lines), call.context)


@group.command(
    "ideas",
    "/ideas",
    "Three things that your character could do next: by the model, or from what is open",
    access=Access.DELEGATE,
    instead_of_words="/ideas suggests what to do next; /gm WORDS talks to the GM out of character.",
)
async def suggest_actions(tools: CommandTools, call: CommandCall) -> Outcome:
    suggested = await tools.suggestions.suggest_actions(call.context)
    lines = (*([suggested.note] if suggested.note else []), *suggested.actions)
    reply = Reply("operation", lines, suggested_line=next(iter(suggested.actions), ""))
    return Outcome(reply, call.context)


@group.command(
    "style",
    "/style past tense, one paragraph",
    "How the model narrates: length, tense, person, wishes",
    access=Access.DELEGATE,
)
async def set_style(tools: CommandTools, call: CommandCall) -> Reply:
    settings = tools.play_tools.settings
    lines = await settings.set_style(call.scene_id, call.argument)
    typed_line = "" if call.argument else await settings.read_style_line(call.scene_id)
    return Reply("operation", lines, prompt_text=typed_line)


@group.command(
    "monitor",
    "/monitor list the npcs",
    "A command in plain words, not part of the story",
    access=Access.READ,
    needs_argument=True,
)
async def read_command_in_words(tools: CommandTools, call: CommandCall) -> Outcome:
    line = await tools.narration.read_command(call.argument, call.scene_id, call.command_help)
    return Outcome(Reply("operation", (line,)), call.context, next_line=line)


@group.command(
    "transcript",
    "/transcript 20",
    "The last turns in plain lines",
    topic=CommandTopic.ASK,
    access=Access.READ,
)
async def show_transcript(tools: CommandTools, call: CommandCall) -> Reply:
    number = int(call.argument) if call.argument.isdecimal() and len(call.argument) < 5 else 0
    if call.argument and not number:
        raise InputError(f"{call.argument[:20]!r} is not a number of turns.", todo="As in: /transcript 20")
    turns = await tools.log.line_tail(call.scene_id, number or DEFAULT_TRANSCRIPT_TURNS)
    turns = reword_turns(turns, find_wordings(call.context.story.entries))
    lines = tuple(f"{turn.depth + 1} {_speaker_name(turn)}: {_one_line(turn.text)}" for turn in turns)
    return Reply("operation", lines or ("Nothing was played yet.",))


@group.command(
    "xray",
    "/xray  (or /xray 12)",
    "Why a turn says what it says: sent, dropped, cost",
    access=Access.READ,
)
async def show_xray(tools: CommandTools, call: CommandCall) -> Reply:
    if call.argument:
        (turn,) = await tools.log.line_slice(call.scene_id, read_turn_number(call) - 1, 1)
        return Reply("operation", goto="xray", subject=turn.id)
    turns = await tools.log.line_tail(call.scene_id, MAX_XRAY_LOOKBACK)
    if not turns:
        raise InputError("Nothing was played yet.", todo="/xray shows how a turn came to be.")
    gm_turns = [turn for turn in turns if turn.speaker in GM_SPEAKERS]
    return Reply("operation", goto="xray", subject=(gm_turns or turns)[-1].id)


@group.command(
    "bill",
    "/bill",
    "What the model has cost, by call, turn, agent, story, day",
    access=Access.READ,
    instead_of_words="/bill shows what the model has cost; /budget sets what it may cost.",
)
async def show_bill(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", goto="bill")


@group.command(
    "budget",
    "/budget story 5  (or day none, week 200000)",
    "What the model may cost, in dollars; of a week in tokens",
    access=Access.DELEGATE,
)
async def set_budget(tools: CommandTools, call: CommandCall) -> Reply:
    context = call.context
    subjects = {
        "story": context.story.id,
        "universe": context.universe.id,
        "day": None,
        "week": context.universe.id,
    }
    words = call.argument.casefold().replace("$", "").split()
    if not words:
        bill_view = await tools.budgets.read_bill(story_id=context.story.id)
        shown_budgets = [b for b in bill_view.budgets if b.subject in (None, *subjects.values())]
        return Reply(
            "operation", tuple(_budget_line(b.scope, b.spent, b.limit, b.limitation) for b in shown_budgets)
        )
    scope = words[0]
    if scope == "share" and len(words) == 2:
        share = int(words[1]) if words[1].isdecimal() and len(words[1]) < 4 else 0
        await tools.budgets.set_share(context.universe.id, share)
        return Reply("operation", (f"Background work of this universe counts {share} to 1 of another now.",))
    if scope == "week" and len(words) == 2:
        tokens = _read_tokens(words[1])
        await tools.budgets.set_budget(scope, tokens, subject=context.universe.id)
        limit = "as the settings have it" if tokens is None else f"{tokens:,}"
        return Reply("operation", (f"Tokens of a week in this universe: {limit}.",))
    amount = _read_amount(words[1:])
    if scope not in subjects or len(words) != 2:
        raise InputError(
            "A budget is of a story, a universe, a day or a week.",
            kept="Nothing was changed.",
            todo="As in: /budget story 5 (US dollars), /budget week 200000 (tokens), or /budget day none.",
        )
    await tools.budgets.set_budget(scope, amount, subject=subjects[scope])
    limit = "has no limit now" if amount is None else f"may cost {format_dollars(amount)} now"
    return Reply("operation", (f"This {scope} {limit}." if scope != "day" else f"A day {limit}.",))


@group.command(
    "model",
    "/model",
    "Set up the model: name, key, personas",
    access=Access.READ,
    instead_of_words="/model opens its setup; /again WORDS has it narrate again.",
)
async def open_model_setup(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", goto="model")


@group.command(
    "prompts",
    "/prompts",
    "The words that each persona is given",
    access=Access.READ,
    instead_of_words="/prompts opens them all.",
)
async def open_prompts(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", goto="prompts")


def _speaker_name(turn: Turn) -> str:
    return turn.name if turn.speaker is Speaker.NPC and turn.name else turn.speaker.value


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_LINE_LENGTH else line[: MAX_LINE_LENGTH - 1] + "…"


def _read_amount(words: list[str]) -> int | None:
    """Return a sum of dollars in millionths; None for `none`, no limit. Raises InputError."""
    text = words[0] if words else ""
    if text in ("none", "off", "-"):
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= MAX_DOLLARS:
        raise InputError(
            f"{text[:20]!r} is not an amount in dollars, of at most {MAX_DOLLARS:,.0f}."
            if text
            else "How much?",
            kept="Nothing was changed.",
            todo="As in: /budget story 5, or /budget story none.",
        )
    return round(value * 1_000_000)


def _read_tokens(text: str) -> int | None:
    """Return a number of tokens; None for `none`. Raises InputError."""
    if text in ("none", "off", "-"):
        return None
    digits = text.replace(",", "")
    if not digits.isdecimal() or len(digits) > 20 or int(digits) > MAX_WEEKLY_TOKENS:
        raise InputError(
            f"{text[:20]!r} is not a number of tokens, of at most {MAX_WEEKLY_TOKENS:,}.",
            kept="Nothing was changed.",
            todo="As in: /budget week 200000, or /budget week none.",
        )
    return int(digits)


def _budget_line(scope: str, spent: int, limit: int | None, degraded: str) -> str:
    if scope == "week":
        return f"week: {spent:,} of {limit or 0:,} tokens used" + (f" · {degraded}" if degraded else "")
    limit_text = f"of {format_dollars(limit)}" if limit is not None else "no limit"
    return f"{scope}: {format_dollars(spent)} spent, {limit_text}" + (f" · {degraded}" if degraded else "")
