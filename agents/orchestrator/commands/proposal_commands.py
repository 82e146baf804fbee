"""Slash commands that propose, decide and commit: `/npc`, `/place`, `/fact`, `/accept`, `/commit`, `/end` ..."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agents.context_assembly.scene_context import SceneContext
from agents.declarations.shared_names import describe_shared_name
from agents.diagrams.grid_map import Direction, read_direction
from agents.orchestrator.commands.all_rows import describe_left_rows, select_for_all
from agents.orchestrator.commands.registry import CommandCall, CommandGroup, CommandHandler
from agents.orchestrator.commands.row_numbers import NOTHING_OPEN, choose_rows, read_rows
from agents.orchestrator.commands.tools import CommandTools
from agents.orchestrator.commit_reports import commit_lines
from agents.orchestrator.dispatcher import Access
from agents.orchestrator.outcome import Outcome
from agents.proposals.decisions import VERDICT_WORDS
from agents.proposals.evidence import turn_evidence
from agents.solo.grid_maps import NOT_MOVED, name_wild_place
from agents.views.proposal_views import ProposalView
from agents.views.replies import CommandTopic, Reply
from stores.errors import InputError
from stores.records.canon import CreateEntity, Evidence
from stores.records.workflow import OPEN_STATUSES, ProposalStatus, ProposedChange, Verdict
from stores.records.world import ACTORS, Entity, EntityKind

group = CommandGroup(CommandTopic.WORLD)

MAX_UNKNOWN_NAMES = 2
"""Names of one sentence that a reply says are not known."""

_HERE_PATTERN = re.compile(r"(?:here\b\s*[>:,]?|\+)\s*(?=\S)", re.IGNORECASE)
"""What before a new name says that they are in the scene: `/npc here Old Tam`, `/npc + Old Tam`."""
_SCENE_IS_THERE = re.compile(r"(?:here\b\s*[:,]?|\+)\s*(?=[^\s>])(?!.*>)", re.IGNORECASE | re.DOTALL)
"""What before a place says that the scene is there: `/place here Cold Fork Inn`, not `/place here > Cellar`."""
_WITH_ALL = "with all"
"""Who goes to where the scene is said to be: whoever is in it."""
_OWN_PROMISE = re.compile(r"(?:me\s+)?(?P<deed>(?:(?:never|not)\s+)?to\s+\w.*)", re.IGNORECASE | re.DOTALL)
"""What the hero promises, as a deed and without a name: `/promise to bring it back`."""
NO_SECRETS = (
    "No secrets. /secret NAME: WORDS makes one that NAME may know, /secret WORDS one for the GM alone."
)
_PLACE_USAGE = "/place here > NAME: dry and round"


async def reply_with_promises(tools: CommandTools, call: CommandCall) -> Reply:
    """Reply with the open promises, debts and questions, numbered as `/paid` takes them."""
    lines = await tools.conflicts.list_commitments(call.scene_id)
    empty_line = "No open promises, debts or questions. /promise NAME will come back makes one."
    return Reply("operation", lines or (empty_line,))


async def _reply_proposed(
    tools: CommandTools, context: SceneContext, proposals: Sequence[ProposedChange]
) -> Outcome:
    """Reply with what was proposed, also by earlier lines that can be read now, and with the scene as it is then."""
    read_again = await tools.earlier_lines.propose_again(context, proposals)
    return await tools.actions.describe_proposed(context, (*proposals, *read_again))


async def _propose_once(
    tools: CommandTools, context: SceneContext, proposals: Sequence[ProposedChange]
) -> tuple[Outcome, Sequence[ProposedChange]]:
    """Propose what a command built, unless it is proposed already; return the reply, and what was proposed."""
    if repeated_lines := await tools.actions.describe_repeated(context, proposals):
        return Outcome(Reply("operation", repeated_lines), context), ()
    staged_proposals = await tools.declarations.stage_command(proposals, proposals[0].command_id)
    return await _reply_proposed(tools, context, staged_proposals), staged_proposals


# --- declarations ----------------------------------------------------------------------------------------


@group.command(
    "place",
    _PLACE_USAGE,
    "Discover a place; /place here NAME has the scene in it, > makes it lead on from a known one",
    access=Access.CHANGE,
    needs_argument=True,
)
async def declare_place(tools: CommandTools, call: CommandCall) -> Outcome:
    here_match, typed_text = _SCENE_IS_THERE.match(call.argument), f"/place {call.argument}"
    argument = call.argument[here_match.end() :] if here_match else call.argument
    known_place = (
        None
        if ">" in argument
        else await tools.declarations.find_known(call.context, EntityKind.PLACE, argument, _PLACE_USAGE)
    )
    if known_place is not None and here_match is not None:
        return await _move_to(
            tools, call, call.context, f"{known_place.name} {_WITH_ALL}", typed_text=typed_text
        )
    if known_place is not None:
        return _reply_known(known_place, "place")
    proposals = await tools.declarations.declare_place(call.context, argument, _PLACE_USAGE)
    context = await tools.solo_tools.context.load_context(call.scene_id)
    new_ids = [p.change.entity_id for p in proposals if isinstance(p.change, CreateEntity)]
    for place in (context.entities[entity_id] for entity_id in new_ids):
        if here_match is not None:
            return await _move_to(
                tools, call, context, f"{place.name} {_WITH_ALL}", proposals, typed_text=typed_text
            )
        turn = await tools.solo_tools.cast.find_turn_on_way(context, place)
        if turn is None:
            continue
        if await tools.solo_tools.cast.has_newcomers_since(context, turn):
            # Who came in since may be there or here: the player says where the scene is.
            outcome = await _reply_proposed(tools, call.context, proposals)
            lines = (*outcome.reply.lines, f"/go {place.name} goes there.")
            return replace(outcome, reply=replace(outcome.reply, lines=lines))
        evidence = [turn_evidence(turn)]
        return await _move_to(
            tools, call, context, place.name, proposals, typed_text=typed_text, evidence=evidence
        )
    return await _reply_proposed(tools, call.context, proposals)


def _reply_known(entity: Entity, command: str) -> Outcome:
    """Reply that a name means what is known, and how to say that something else is meant."""
    way_in = ""
    if entity.kind in ACTORS:
        way_in = f" /cast + {entity.name} brings them in."
    elif entity.kind is EntityKind.PLACE:
        way_in = f" /go {entity.name} goes there."
    return Outcome(
        Reply(
            "operation",
            (
                f"{entity.name} is known; nothing new was proposed.{way_in}",
                f"/{command} NAME: DESCRIPTION proposes another with a name like it.",
            ),
        )
    )


def _require_no_here(kind: EntityKind, argument: str, usage: str) -> None:
    """Raise InputError where `here` would become the first word of a name: a thing is not in the cast."""
    if argument.startswith("here "):
        name = argument.removeprefix("here ").partition(":")[0].strip()
        raise InputError(
            "“here” would be part of the name: it is for people, creatures, and the place where you are.",
            kept="Nothing was proposed, and your words are still there.",
            todo=f"{usage.split()[0]} {name} makes the {kind} known; /fact {name} is in PLACE says where it is.",
        )


def _declare_entity(kind: EntityKind, usage: str) -> CommandHandler:
    async def declare_entity(tools: CommandTools, call: CommandCall) -> Outcome:
        if kind not in ACTORS:
            _require_no_here(kind, call.argument, usage)
            known_entity = await tools.declarations.find_known(call.context, kind, call.argument, usage)
            if known_entity is not None:
                return _reply_known(known_entity, usage.split()[0].removeprefix("/"))
            proposal = await tools.declarations.declare_entity(call.context, kind, call.argument, usage)
            return await _reply_proposed(tools, call.context, [proposal])
        here_match = _HERE_PATTERN.match(call.argument)
        argument = call.argument[here_match.end() :] if here_match else call.argument
        known_person = await tools.declarations.find_known(call.context, kind, argument, usage)
        if known_person is not None and here_match is not None:
            lines = await tools.solo_tools.cast.enter_scene(call.context.scene.id, known_person.name)
            return Outcome(Reply("operation", lines))
        if known_person is not None:
            return _reply_known(known_person, usage.split()[0].removeprefix("/"))
        proposal = await tools.declarations.declare_entity(call.context, kind, argument, usage)
        presence_lines = await tools.solo_tools.cast.place_newcomer(
            call.context, proposal, is_here=here_match is not None
        )
        outcome = await _reply_proposed(tools, call.context, [proposal])
        return Outcome(replace(outcome.reply, lines=(*outcome.reply.lines, *presence_lines)))

    return declare_entity


for _name, _kind, _usage, _summary in (
    (
        "npc",
        EntityKind.CHARACTER,
        "/npc NAME: keeper of the bell (hp 6)",
        "Make a character known; /npc here NAME brings them in",
    ),
    (
        "creature",
        EntityKind.CREATURE,
        "/creature NAME: scarred and hungry",
        "Make a creature known; /creature here NAME brings it in",
    ),
    ("thing", EntityKind.OBJECT, "/thing NAME: cold to the touch", "Add an object"),
    ("faction", EntityKind.FACTION, "/faction NAME: they own the pans", "Add a faction"),
    ("concept", EntityKind.CONCEPT, "/concept NAME: what the coast owes the sea", "Add a concept"),
):
    group.command(
        _name,
        _usage,
        _summary,
        access=Access.CHANGE,
        needs_argument=True,
        other_names=("object", "item") if _kind is EntityKind.OBJECT else (),
    )(_declare_entity(_kind, _usage))


@group.command(
    "fact",
    "/fact NAME owns THING",
    "Propose a fact: a relation or a sentence",
    access=Access.CHANGE,
    needs_argument=True,
)
async def declare_fact(tools: CommandTools, call: CommandCall) -> Outcome:
    built = await tools.declarations.build_fact(call.context, call.argument)
    if repeated_lines := await tools.plain_vows.describe_repeated_promises(call.context, built):
        return Outcome(Reply("operation", repeated_lines), call.context)
    outcome, proposals = await _propose_once(tools, call.context, built)
    proposed_names = {p.change.name for p in proposals if isinstance(p.change, CreateEntity)}
    shared_names = await tools.declarations.find_shared_names(call.context, call.argument)
    unknown_names = [
        name
        for name in await tools.declarations.find_unknown_names(call.context, call.argument)
        if name not in proposed_names and name not in {shared.name for shared in shared_names}
    ]
    note_lines = (
        f"“{name}” is not known in this world: /npc, /place or /thing {name} makes it known."
        for name in unknown_names[:MAX_UNKNOWN_NAMES]
    )
    shared_lines = (describe_shared_name(shared_name) for shared_name in shared_names[:MAX_UNKNOWN_NAMES])
    move_lines = await tools.solo_tools.cast.follow_stated_move(call.context, proposals)
    lines = (*outcome.reply.lines, *note_lines, *shared_lines, *move_lines)
    reply = replace(outcome.reply, lines=lines)
    return Outcome(reply, None if move_lines else outcome.context)


@group.command(
    "lore",
    "/lore salt house, salthouse: It stands on piles",
    "Propose a text that prompts have while a key was just said",
    access=Access.CHANGE,
    needs_argument=True,
)
async def declare_lore(tools: CommandTools, call: CommandCall) -> Outcome:
    proposal = await tools.declarations.declare_lore(call.context, call.argument)
    return await _reply_proposed(tools, call.context, [proposal])


@group.command(
    "secret",
    "/secret NAME, NAME: The seal is forged",
    "Propose a fact that they alone may know; alone, list the secrets",
    access=Access.CHANGE,
    needs_argument=True,
    lists_alone=True,
)
async def declare_secret(tools: CommandTools, call: CommandCall) -> Outcome:
    if not call.argument:
        lines = await tools.declarations.list_secrets(call.context)
        return Outcome(Reply("operation", lines or (NO_SECRETS,)), call.context)
    proposal = await tools.declarations.declare_secret(call.context, call.argument)
    return await _reply_proposed(tools, call.context, [proposal])


@group.command(
    "promise",
    "/promise NAME will come back before winter",
    "Propose a promise; it stays open until it is kept",
    access=Access.CHANGE,
    needs_argument=True,
    lists_alone=True,
)
async def declare_promise(tools: CommandTools, call: CommandCall) -> Outcome:
    if not call.argument:
        return Outcome(await reply_with_promises(tools, call), call.context)
    hero = call.context.player_character()
    match = _OWN_PROMISE.fullmatch(call.argument)
    promise = f"{hero.name} promised {match['deed']}" if hero and match else call.argument
    proposals = await tools.declarations.declare_fact(call.context, f"promise: {promise}")
    outcome = await _reply_proposed(tools, call.context, proposals)
    same_lines = await tools.plain_vows.describe_same_promise(call.context, proposals)
    return replace(outcome, reply=replace(outcome.reply, lines=(*outcome.reply.lines, *same_lines)))


@group.command(
    "axiom",
    "/axiom The dead cannot cross salt",
    "Propose a rule of the world",
    access=Access.CHANGE,
    needs_argument=True,
)
async def declare_axiom(tools: CommandTools, call: CommandCall) -> Outcome:
    proposals = await tools.declarations.build_axiom(call.context, call.argument)
    outcome, _ = await _propose_once(tools, call.context, proposals)
    return outcome


@group.command(
    "state",
    "/state NAME.hp -3, NAME +wounded",
    "Change numbers and tags",
    access=Access.CHANGE,
    needs_argument=True,
)
async def declare_state(tools: CommandTools, call: CommandCall) -> Outcome:
    proposals = await tools.declarations.declare_state(call.context, call.argument)
    return await _reply_proposed(tools, call.context, proposals)


@group.command(
    "go",
    "/go PLACE  (or PLACE with NAMES, or north)",
    "Move your character to a place, or a step on a grid map; who comes along is said",
    access=Access.CHANGE,
    needs_argument=True,
)
async def declare_move(tools: CommandTools, call: CommandCall) -> Outcome:
    direction = read_direction(call.argument)
    if direction is not None and not await tools.canon.find_entity(call.context.universe.id, call.argument):
        return await _step(tools, call, direction)
    return await _move_to(tools, call, call.context, call.argument)


async def _step(tools: CommandTools, call: CommandCall, direction: Direction) -> Outcome:
    """Move the hero to the neighbouring cell of a grid map; one that is drawn and has no place yet becomes one."""
    maps = tools.play_tools.grid_maps
    step = await maps.find_hero_step(call.context, direction)
    if step.place is not None and step.place.is_proposed and step.place.id not in call.context.entities:
        raise InputError(
            f"{step.place.name} waits at the gate of this world and is not in canon yet.",
            kept=NOT_MOVED,
            todo="g in the universe (Ctrl+P) decides it; then the step goes there.",
        )
    if step.place is not None:
        return await _move_to(tools, call, call.context, step.place.name)
    name = name_wild_place(step.cell)
    proposals = await tools.declarations.declare_place(call.context, f"here > {name}", _PLACE_USAGE)
    place_id = next(p.change.entity_id for p in proposals if isinstance(p.change, CreateEntity))
    await maps.save_edit(maps.bind_place(step, place_id))
    context = await tools.solo_tools.context.load_context(call.scene_id)
    return await _move_to(tools, call, context, name, proposals)


async def _move_to(
    tools: CommandTools,
    call: CommandCall,
    context: SceneContext,
    place_words: str,
    proposals: Sequence[ProposedChange] = (),
    *,
    typed_text: str = "",
    evidence: Sequence[Evidence] = (),
) -> Outcome:
    """Move the hero, and reply with that and with what the command proposed before."""
    cast = tools.solo_tools.cast
    journey = await cast.read_journey(context, place_words)
    command_id = proposals[0].command_id if proposals else None
    place, proposal = await tools.declarations.declare_move(
        context, journey.place_text, typed_text or f"/go {call.argument}", command_id, evidence
    )
    move_lines = await cast.move_with_hero(context, journey, place, proposal.command_id or proposal.id)
    outcome = await _reply_proposed(tools, context, [*proposals, proposal])
    return Outcome(replace(outcome.reply, lines=(*outcome.reply.lines, *move_lines)))


# --- decisions -------------------------------------------------------------------------------------------


@group.command(
    "proposals",
    "/proposals",
    "List the proposals, with numbers",
    topic=CommandTopic.DECIDE,
    access=Access.READ,
    instead_of_words="/proposals lists them all; /accept, /reject or /defer and a number decides one.",
)
async def list_proposals(tools: CommandTools, call: CommandCall) -> Reply:
    """Reply with the rows of the gate, and with the number and the mark of each."""
    rows = await read_rows(tools, call)
    return Reply("operation", tuple(map(_proposal_line, rows)) or ("No proposals.",))


def _has_verdict(row: ProposalView, verdict: Verdict | None) -> bool:
    """Say whether the row has this verdict already; of one with several steps only the last is known to have it."""
    return row.verdict == verdict and len(row.member_ids) == 1


def _decision_line(row: ProposalView, verdict: Verdict | None) -> str:
    """Return what a decision made of a row, which is as it was before."""
    if not _has_verdict(row, verdict):
        return f"{VERDICT_WORDS[verdict]}: {row.title}"
    return f"{VERDICT_WORDS[verdict]} already: {row.title}" if verdict else f"Not decided yet: {row.title}"


def _decide(verdict: Verdict | None) -> CommandHandler:
    async def decide(tools: CommandTools, call: CommandCall) -> Reply | Outcome:
        if not call.argument:
            return await list_proposals(tools, call)
        rows, is_for_all = await read_rows(tools, call), call.argument.casefold() == "all"
        if is_for_all:
            chosen_rows = select_for_all(rows, verdict)
        else:
            chosen_rows = await choose_rows(tools, call, rows)
        changed_ids = [row.proposal.id for row in chosen_rows if not _has_verdict(row, verdict)]
        if changed_ids:
            await tools.gate.decide(changed_ids, verdict)
        lines = [_decision_line(row, verdict) for row in chosen_rows]
        if is_for_all:
            lines += describe_left_rows(rows, chosen_rows, verdict)
        return Reply("operation", tuple(lines) or (NOTHING_OPEN,))

    return decide


for _name, _verdict, _summary, _former_name in (
    ("accept", Verdict.ACCEPT, "Accept proposals", ""),
    ("reject", Verdict.REJECT, "Reject proposals", ""),
    ("flavour", Verdict.FLAVOUR, "Reject proposals as just flavour", "colour"),
    ("defer", Verdict.DEFER, "Decide on proposals later", ""),
    ("undecide", None, "Undo decisions", ""),
):
    group.command(
        _name,
        f"/{_name} 1 3  (or all)",
        _summary,
        access=Access.CHANGE,
        needs_argument=True,
        lists_alone=True,
        takes_numbers=True,
        former_name=_former_name,
    )(_decide(_verdict))


@group.command(
    "commit",
    "/commit",
    "Write what is accepted or ticked to canon",
    topic=CommandTopic.DECIDE,
    access=Access.CHANGE,
    instead_of_words="/commit writes all that is accepted or ticked; /reject or /defer what is to stay out.",
)
async def commit(tools: CommandTools, call: CommandCall) -> Reply:
    report = await tools.gate.commit_scene(call.context)
    lines = commit_lines(report) or ("Nothing is accepted yet.",)
    if report.next_scene_id:
        lines = tuple(filter(None, (*lines, report.left_open.describe_after_end())))
        return Reply("operation", lines, goto="scene", subject=report.next_scene_id)
    if left_open := report.left_open.describe():
        lines = (*lines, f"{left_open}. /proposals lists them.")
    return Reply("operation", lines)


@group.command(
    "later",
    "/later",
    "Decide on a critical change at the end of the scene",
    topic=CommandTopic.DECIDE,
    access=Access.CHANGE,
    instead_of_words="/later leaves what is offered for the end of the scene; "
    "/defer and a number leaves a proposal for later.",
)
async def dismiss_offer(tools: CommandTools, call: CommandCall) -> Reply:
    if not await tools.gate.dismiss_offer(call.scene_id):
        raise InputError(
            "Nothing is offered to be written now.",
            kept="Nothing was changed.",
            todo="/defer and a number leaves a proposal for later.",
        )
    return Reply("operation", ("Left for the end of the scene.",))


@group.command(
    "end",
    "/end OUTCOME",
    "End the scene; the words are its outcome",
    topic=CommandTopic.SCENES,
    access=Access.PLAY,
    action="end what happens",
    needs_records=True,
)
async def end_scene(tools: CommandTools, call: CommandCall) -> Outcome:
    return await tools.gate.end_scene(call.context, call.argument)


@group.command(
    "reopen",
    "/reopen",
    "Return from the gate to play",
    topic=CommandTopic.SCENES,
    access=Access.CHANGE,
    instead_of_words="/reopen returns to play; your decisions are kept.",
)
async def reopen_scene(tools: CommandTools, call: CommandCall) -> Reply:
    await tools.gate.reopen_scene(call.scene_id)
    return Reply("operation", ("Back to play; your decisions are kept.",))


def _proposal_line(row: ProposalView) -> str:
    conflict_note = f"  ⚠ {row.conflicts[0].text}" if row.conflicts else ""
    mark = row.mark if row.status in OPEN_STATUSES else _describe_closed(row)
    return f"{row.number}. [{mark}] {row.label}: {row.title}  {row.confidence:.2f}{conflict_note}"


def _describe_closed(row: ProposalView) -> str:
    """Return what became of a proposal that a commit closed."""
    if row.is_retconned:
        return "taken from canon"
    return "in canon" if row.status is ProposalStatus.ACCEPTED else row.status
