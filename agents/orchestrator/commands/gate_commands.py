"""Slash commands for decisions: `/recap`, `/resolve`, `/promises`, `/paid`, `/broken`, `/rules`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.name_matching import match_names
from agents.orchestrator.commands.proposal_commands import reply_with_promises
from agents.orchestrator.commands.registry import CommandCall, CommandGroup
from agents.orchestrator.commands.row_numbers import closed_row_error, missing_row_error, read_rows
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.commit_reports import commit_lines
from agents.orchestrator.dispatcher import Access
from agents.prose.hero_name import HERO_PRONOUNS
from agents.views.proposal_views import ProposalView
from agents.views.replies import CommandTopic, Reply
from stores.errors import InputError
from stores.records.workflow import OPEN_STATUSES
from stores.records.world import ACTORS, fold_name

group = CommandGroup(CommandTopic.STORY)

NOTHING_CHANGED = "Nothing was changed."

RULING_CHOICES = (
    "new", "never", "old", "rumour", "lie", "disputed", "until", "split", "same", "different",
)  # fmt: skip
"""Ways to resolve a conflict, each a command too; `/accept` and `/reject` decide a proposal in any case."""

MAX_NAMED_CONFLICTS = 5
"""Conflicts that are named when it is not clear which is meant."""


@group.command(
    "recap",
    "/recap",
    "Previously on: what happened so far",
    topic=CommandTopic.ASK,
    access=Access.READ,
    instead_of_words="/recap tells what happened so far; /query WORDS asks what is on record.",
)
async def recap(tools: CommandTools, call: CommandCall) -> Reply:
    return Reply("operation", await tools.read_recap(call.scene_id) or ("The story has hardly begun.",))


@group.command(
    "resolve",
    "/resolve 2  (then /old 2, /lie 2 ...)",
    "Show a conflict, and resolve it",
    topic=CommandTopic.DECIDE,
    access=Access.DELEGATE,
    former_name="court",
    choices=RULING_CHOICES,
)
async def resolve_conflict(tools: CommandTools, call: CommandCall) -> Reply:
    await _refuse_name(tools, call)
    row, words = await _choose_conflict(tools, call)
    if row.status not in OPEN_STATUSES:
        raise closed_row_error(row, kept=NOTHING_CHANGED)
    words = f"{call.choice} {words}".strip()
    if words:
        ruling_reply = await tools.conflicts.make_ruling(row, words)
        written_lines = commit_lines(ruling_reply.report) if ruling_reply.report else ()
        return Reply("operation", written_lines or ruling_reply.lines or (f"Resolved: {row.title}",))
    return Reply(
        "operation", await tools.conflicts.describe_conflict(row), goto="conflict", subject=row.proposal.id
    )


async def _refuse_name(tools: CommandTools, call: CommandCall) -> None:
    """Raise InputError if a way to resolve a conflict begins a name: `/Old Tam` resolves nothing."""
    if not call.choice or not call.argument or call.argument[0].isdecimal():
        return
    typed_name = fold_name(f"{call.choice} {call.argument}")
    known = [
        *call.context.entities.values(),
        *await tools.canon.find_entity(call.context.universe.id, typed_name),
    ]
    named = next((e for e in known if typed_name in map(fold_name, (e.name, *e.aliases))), None)
    # Only `new`, `until` and `split` take words behind them.
    is_like_name = call.choice not in ("new", "until", "split") and call.argument[0].isupper()
    if named is None and not (is_like_name and not await _names_conflict(tools, call)):
        return
    name = named.name if named else f"{call.choice.title()} {call.argument}"
    if named is None:
        to_do = f"/npc here {name} makes them known"
    elif named.kind in ACTORS:
        to_do = f"/cast + {name} brings them in"
    else:
        to_do = f"/show {name} shows it"
    raise InputError(
        f"“{name}” is a name, and no way to resolve a conflict.",
        kept=NOTHING_CHANGED,
        todo=f"Without the slash it is a word of the story; {to_do}; /{call.choice} and a number resolves.",
    )


async def _names_conflict(tools: CommandTools, call: CommandCall) -> bool:
    """Say whether the words behind a way are those of the title of something in conflict."""
    titles = [(row.title, row.number) for row in await read_rows(tools, call) if row.conflicts]
    words = call.argument.split()
    return any(match_names(" ".join(words[:count]), titles) for count in range(len(words), 0, -1))


async def _choose_conflict(tools: CommandTools, call: CommandCall) -> tuple[ProposalView, str]:
    """Return the row that a number or the beginning of a title names, and the words after it.

    Without either the only row in conflict is meant. Raises InputError.
    """
    rows, argument, choice = await read_rows(tools, call), call.argument, call.choice
    first_word, _, rest = argument.partition(" ")
    rows_by_number = {str(row.number): row for row in rows}
    if first_word in rows_by_number:
        return rows_by_number[first_word], rest.strip()
    conflict_rows = [row for row in rows if row.conflicts]
    if not argument and len(conflict_rows) == 1:
        return conflict_rows[0], ""
    words = argument.split()
    titles = [(row.title, row.number) for row in conflict_rows]
    for count in range(len(words), 0, -1):
        if len(named := match_names(" ".join(words[:count]), titles)) == 1:
            return rows_by_number[str(named[0])], " ".join(words[count:])
    says_how = bool(choice) or first_word.casefold() in RULING_CHOICES
    if len(conflict_rows) == 1 and says_how and not first_word.isdecimal():
        return conflict_rows[0], argument
    if choice == "lie" and not conflict_rows:
        raise InputError(
            "/lie keeps one side of a conflict as a lie, and nothing is in conflict.",
            kept=NOTHING_CHANGED,
            todo="What somebody is told is written in the story: “I tell NAME that ...”, with NAME here; "
            "it is remembered as told and is not canon.",
        )
    conflict_list = ", ".join(
        f"{row.number} {row.title.removesuffix('.')}" for row in conflict_rows[:MAX_NAMED_CONFLICTS]
    )
    todo = f"In conflict: {conflict_list}." if conflict_list else "No proposal is in conflict."
    if not argument:
        raise InputError("Which conflict?", kept=NOTHING_CHANGED, todo=todo)
    raise await missing_row_error(tools, call.scene_id, rows, first_word, kept=NOTHING_CHANGED, todo=todo)


@group.command(
    "promises",
    "/promises  (or /promises NAME)",
    "Promises, debts and open questions, the oldest first",
    access=Access.READ,
)
async def list_promises(tools: CommandTools, call: CommandCall) -> Reply:
    reply = await reply_with_promises(tools, call)
    if not call.argument or call.argument.casefold() == "all":
        return replace(reply, goto="ledger")
    lines = _select_lines(call, reply.lines)
    if not lines:
        raise InputError(
            f"No open promise, debt or question has “{call.argument[:60]}” in it.",
            kept=NOTHING_CHANGED,
            todo="/promises lists them all.",
        )
    return replace(reply, lines=lines)


def _select_lines(call: CommandCall, lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines that have the typed words in them, or another spelling of who or what they name."""
    hero = call.context.player_character()
    typed_name = hero.name if hero and call.argument.casefold() in HERO_PRONOUNS else call.argument
    entities = call.context.entities
    named_ids = match_names(typed_name, [(s, e.id) for e in entities.values() for s in (e.name, *e.aliases)])
    spellings = [
        s for i in named_ids[:1] if len(named_ids) == 1 for s in (entities[i].name, *entities[i].aliases)
    ]
    words = [fold_name(spelling) for spelling in (typed_name, *spellings)]
    return tuple(line for line in lines if any(f" {word}" in f" {fold_name(line)}" for word in words))


@group.command(
    "paid",
    "/paid 1",
    "Propose that a promise is kept, a debt paid, a question answered",
    access=Access.DELEGATE,
    needs_argument=True,
    lists_alone=True,
    takes_numbers=True,
)
async def pay_commitment(tools: CommandTools, call: CommandCall) -> Reply:
    return await _settle_commitment(tools, call, is_met=True)


@group.command(
    "broken",
    "/broken 1",
    "Propose that a promise is broken, a debt let go",
    access=Access.DELEGATE,
    needs_argument=True,
    lists_alone=True,
    takes_numbers=True,
)
async def break_commitment(tools: CommandTools, call: CommandCall) -> Reply:
    return await _settle_commitment(tools, call, is_met=False)


async def _settle_commitment(tools: CommandTools, call: CommandCall, *, is_met: bool) -> Reply:
    """Propose that the commitment that a number or words name is met, or over and unmet. Raises InputError."""
    if not call.argument:
        return await reply_with_promises(tools, call)
    payment = await tools.conflicts.propose_pay_off(call.scene_id, call.argument, is_met=is_met)
    return Reply("operation", tuple(f"Proposed: {title}" for title in payment.titles))


@group.command(
    "rules",
    "/rules clocks auto-accept",
    "What the gate accepts or rejects by itself",
    topic=CommandTopic.DECIDE,
    access=Access.DELEGATE,
)
async def set_rules(tools: CommandTools, call: CommandCall) -> Reply:
    universe_id = call.context.universe.id
    kind, _, word = call.argument.partition(" ")
    if call.argument:
        await tools.conflicts.set_rule(universe_id, kind, word.strip())
    lines = await tools.conflicts.describe_rules(universe_id) or ("No gate rules yet.",)
    return Reply("operation", lines, goto="" if call.argument else "policy", subject=universe_id)
