"""The slash commands that exist: one table for the router, the help screen, the palette and completion.

A command does nothing of its own: it reads its argument and calls the desk or the declarations.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from agents.declarations.declarations import DeclarationService
from agents.orchestrator.reply_lines import commit_lines, proposed_reply
from agents.services.scene_views import UNDECIDED_STATUSES
from agents.views.play_views import CommandHelp, ProposalView, Reply, SceneView
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.workflow import Verdict
from stores.records.world import EntityKind

if TYPE_CHECKING:
    from agents.services.services import Services

CommandHandler = Callable[[Id, str], Awaitable[Reply]]
Command = tuple[CommandHelp, CommandHandler]

PLAYED_COMMANDS = (
    CommandHelp("narrate", "/narrate WORDS  (or > WORDS)", "Tell what happens, as the GM", True),
    CommandHelp("whisper", "/whisper Bela: the key is gone", "Say what only those hear whom you name", True),
    CommandHelp(
        "check", "/check 2d6+1 vs 9; success: Orc.hp -3", "Roll against a target; effects are optional"
    ),
    CommandHelp("move", "/move strike Orc", "A named move of the story's rules; alone it lists them"),
    CommandHelp("roll", "/roll 2d6+1  (= 5 4: your own dice)", "Roll dice", True),
    CommandHelp("oracle", "/oracle likely: Is it locked?  (or ? ...)", "Ask what yes or no can answer", True),
    CommandHelp("howmuch", "/howmuch +1", "How much of it there is, from -3 (little) to +3 (much)"),
    CommandHelp("react", "/react Old Tam", "How someone meets your character", True),
    CommandHelp("spark", "/spark", "Two words to think from; /spark NAME draws from a table"),
    CommandHelp("event", "/event", "A random event about your own people, places and open matters"),
)
"""Lines that are played, not carried out: the router knows them, no handler does."""

_ENTITY_COMMANDS = (
    ("npc", EntityKind.CHARACTER, "/npc Old Tam: keeper of the salt bell (hp 6)", "Bring in a character"),
    ("creature", EntityKind.CREATURE, "/creature Orc: scarred and hungry", "Bring in a creature"),
    ("thing", EntityKind.OBJECT, "/thing Iron Key: cold to the touch", "Bring in an object"),
    ("faction", EntityKind.FACTION, "/faction The Salters: they own the pans", "Bring in a faction"),
    ("concept", EntityKind.CONCEPT, "/concept The Debt: what the coast owes the sea", "Name an idea"),
)
_PLACE_USAGE = "/place Crypt > Hidden Chamber: dry and round"
_VERDICT_COMMANDS = (
    ("accept", Verdict.ACCEPT, "Accept proposals"),
    ("reject", Verdict.REJECT, "Reject proposals"),
    ("colour", Verdict.FLAVOUR, "Call proposals mere colour"),
    ("defer", Verdict.DEFER, "Keep proposals for later"),
    ("undecide", None, "Take decisions back"),
)


class CommandRegistry:
    """The table, bound to one desk; `more` are commands that stand in files of their own."""

    def __init__(
        self,
        services: Services,
        declarations: DeclarationService,
        session_lock: asyncio.Lock,
        extra_commands: Iterable[Command] = (),
    ) -> None:
        self._services = services
        self._declarations = declarations
        self._session_lock = session_lock
        self._handlers: dict[str, Command] = {}
        self._register_all()
        self._handlers.update((entry.name, (entry, handler)) for entry, handler in extra_commands)

    def command_names(self) -> frozenset[str]:
        return frozenset(self._handlers)

    def list_help(self) -> tuple[CommandHelp, ...]:
        return (*PLAYED_COMMANDS, *(entry for entry, _ in self._handlers.values()))

    async def run(self, scene_id: Id, name: str, argument: str) -> Reply:
        """Carry out a command. Raises InputError when its argument is missing or makes no sense."""
        entry, handler = self._handlers[name]
        if entry.needs_argument and not argument:
            raise InputError(
                f"/{name} needs something behind it.",
                kept="Nothing was changed.",
                todo=f"As in: {entry.usage}",
            )
        return await handler(scene_id, argument)

    def _register_all(self) -> None:
        self._register(
            "place",
            _PLACE_USAGE,
            "Discover a place; with > it leads on from a known one",
            self._declare_place,
            True,
        )
        for name, kind, usage, summary in _ENTITY_COMMANDS:
            self._register(name, usage, summary, self._entity_handler(kind, usage), needs_argument=True)
        self._register(
            "fact",
            "/fact Mara owns Iron Key",
            "Propose a fact: a relation or a sentence",
            self._declare_fact,
            True,
        )
        self._register(
            "axiom",
            "/axiom The dead cannot cross salt",
            "Propose a rule of the world",
            self._declare_axiom,
            True,
        )
        self._register(
            "state", "/state Mara.hp -3, Mara +wounded", "Change numbers and tags", self._declare_state, True
        )
        self._register("go", "/go Hidden Chamber", "Your character is now there", self._declare_move, True)
        self._register("proposals", "/proposals", "List what is proposed, with numbers", self._list_proposals)
        for name, verdict, summary in _VERDICT_COMMANDS:
            self._register(
                name, f"/{name} 1 3  (or all)", summary, self._verdict_handler(verdict), needs_argument=True
            )
        self._register("commit", "/commit", "Write what is accepted or ticked to canon", self._commit)
        self._register("later", "/later", "Leave what is critical to the scene's end", self._dismiss_trigger)
        self._register(
            "end", "/end The orc is dead", "End the scene; the words are its outcome", self._end_scene
        )
        self._register("reopen", "/reopen", "Go back from the gate to play", self._reopen_scene)
        self._register("time", "/time +2h  (or to dusk)", "World time passes", self._pass_time, True)
        self._register("undo", "/undo", "Take the last exchange back", self._undo)
        self._register("redo", "/redo", "Bring it back", self._redo)
        self._register("retake", "/retake WORDS", "Tell the last GM turn in other words", self._retake, True)
        self._register(
            "take", "/take next  (or previous)", "Walk the takes of the last GM turn", self._walk_takes, True
        )
        self._register(
            "branch", "/branch 4", "Go on from turn 4; the rest stays in the tree", self._branch, True
        )
        self._register("list", "/list place", "List entities, of one kind or all", self._list_entities)
        self._register("show", "/show Mara", "What is known of someone or something", self._show_entity, True)
        self._register("help", "/help", "Keys, commands and a tour", self._show_help)

    def _register(
        self, name: str, usage: str, summary: str, handler: CommandHandler, needs_argument: bool = False
    ) -> None:
        self._handlers[name] = (CommandHelp(name, usage, summary, needs_argument), handler)

    # --- declarations --------------------------------------------------------------------------------

    def _entity_handler(self, kind: EntityKind, example: str) -> CommandHandler:
        async def handler(scene_id: Id, argument: str) -> Reply:
            async with self._session_lock:
                return proposed_reply(
                    [await self._declarations.declare_entity(scene_id, kind, argument, example)]
                )

        return handler

    async def _declare_place(self, scene_id: Id, argument: str) -> Reply:
        async with self._session_lock:
            return proposed_reply(await self._declarations.declare_place(scene_id, argument, _PLACE_USAGE))

    async def _declare_fact(self, scene_id: Id, argument: str) -> Reply:
        async with self._session_lock:
            return proposed_reply([await self._declarations.declare_fact(scene_id, argument)])

    async def _declare_axiom(self, scene_id: Id, argument: str) -> Reply:
        async with self._session_lock:
            return proposed_reply([await self._declarations.declare_axiom(scene_id, argument)])

    async def _declare_state(self, scene_id: Id, argument: str) -> Reply:
        async with self._session_lock:
            return proposed_reply(await self._declarations.declare_state(scene_id, argument))

    async def _declare_move(self, scene_id: Id, argument: str) -> Reply:
        async with self._session_lock:
            return proposed_reply([await self._declarations.declare_move(scene_id, argument)])

    # --- decisions -----------------------------------------------------------------------------------

    async def _list_proposals(self, scene_id: Id, argument: str) -> Reply:
        view = await self._services.play.scene(scene_id)
        lines = tuple(_proposal_line(p) for p in view.proposals) or ("Nothing is proposed.",)
        return Reply("operation", lines)

    def _verdict_handler(self, verdict: Verdict | None) -> CommandHandler:
        async def handler(scene_id: Id, argument: str) -> Reply:
            chosen_rows = _choose_rows(await self._services.play.scene(scene_id), argument)
            await self._services.gate.decide([p.proposal.id for p in chosen_rows], verdict)
            verdict_word = f"{verdict}" if verdict else "undecided"
            return Reply("operation", tuple(f"{verdict_word}: {p.title}" for p in chosen_rows))

        return handler

    async def _commit(self, scene_id: Id, argument: str) -> Reply:
        report = await self._services.gate.commit(scene_id)
        lines = commit_lines(report) or ("Nothing was ready for canon.",)
        if report.next_scene_id:
            return Reply("operation", lines, goto="scene", subject=report.next_scene_id)
        return Reply("operation", lines)

    async def _dismiss_trigger(self, scene_id: Id, argument: str) -> Reply:
        await self._services.gate.dismiss_trigger(scene_id)
        return Reply("operation", ("Left to the scene's end.",))

    async def _end_scene(self, scene_id: Id, argument: str) -> Reply:
        return await self._services.gate.end_scene(scene_id, argument)

    async def _pass_time(self, scene_id: Id, argument: str) -> Reply:
        return await self._services.play.pass_time(scene_id, argument)

    async def _reopen_scene(self, scene_id: Id, argument: str) -> Reply:
        await self._services.gate.reopen_scene(scene_id)
        return Reply("operation", ("Back to play; your decisions are kept.",))

    # --- the line ------------------------------------------------------------------------------------

    async def _undo(self, scene_id: Id, argument: str) -> Reply:
        return await self._services.play.undo(scene_id)

    async def _redo(self, scene_id: Id, argument: str) -> Reply:
        return await self._services.play.redo(scene_id)

    async def _retake(self, scene_id: Id, argument: str) -> Reply:
        return await self._services.play.retake(scene_id, argument)

    async def _walk_takes(self, scene_id: Id, argument: str) -> Reply:
        step_by_word = {"next": 1, "previous": -1, "prev": -1, "+": 1, "-": -1}
        step = step_by_word.get(argument.casefold())
        if step is None:
            raise InputError("Which take?", kept="Nothing was changed.", todo="/take next or /take previous.")
        return await self._services.play.walk_takes(scene_id, 1 if step > 0 else -1)

    async def _branch(self, scene_id: Id, argument: str) -> Reply:
        view = await self._services.play.scene(scene_id)
        number = int(argument) if argument.isdecimal() and len(argument) < 9 else 0
        if not 1 <= number <= view.turns:
            raise InputError(
                f"There is no turn {argument[:20]!r} on this line.",
                kept="Nothing was changed.",
                todo=f"It has turns 1 to {view.turns}." if view.turns else "It has no turns yet.",
            )
        (row,) = await self._services.play.transcript(scene_id, number - 1, 1)
        return await self._services.play.branch(scene_id, row.turn.id)

    # --- looking -------------------------------------------------------------------------------------

    async def _list_entities(self, scene_id: Id, argument: str) -> Reply:
        kinds = {k.value: k for k in EntityKind}
        wanted_kind = argument.casefold().removesuffix("s")
        if wanted_kind and wanted_kind not in kinds:
            raise InputError(f"There is no kind {argument[:40]!r}.", todo=f"Kinds: {', '.join(kinds)}.")
        view = await self._services.play.scene(scene_id)
        entities = await self._services.world.entities(view.universe.id)
        lines = [f"{e.name} ({e.kind})" for e in entities if not wanted_kind or e.kind == wanted_kind]
        more_lines = [f"... and {len(lines) - 40} more: 3 on the menu shows all."] if len(lines) > 40 else []
        return Reply("operation", tuple(lines[:40] + more_lines) or ("Nothing of that kind is in canon.",))

    async def _show_entity(self, scene_id: Id, argument: str) -> Reply:
        view = await self._services.play.scene(scene_id)
        matches = await self._services.world.entities(view.universe.id, argument)
        if not matches:
            raise InputError(
                f"Nothing in canon is called {argument[:60]!r}.", todo="/list shows what there is."
            )
        card = await self._services.world.card(matches[0].id)
        head = f"{card.entity.name} ({card.entity.kind}). {card.entity.description}".strip()
        numbers = ", ".join(f"{k} {v}" for k, v in card.entity.numbers.items())
        facts = [f"· {f.fact.statement}" for f in card.facts[:20]]
        return Reply("operation", (head, *([numbers] if numbers else []), *facts))

    async def _show_help(self, scene_id: Id, argument: str) -> Reply:
        wanted_name = argument.removeprefix("/").casefold()
        lines = tuple(
            f"{c.usage}  ·  {c.summary}" for c in self.list_help() if not wanted_name or c.name == wanted_name
        )
        if not lines:
            raise InputError(f"There is no command /{wanted_name[:40]}.", todo="/help lists them all.")
        return Reply("operation", lines, goto="" if wanted_name else "help")


def _choose_rows(view: SceneView, argument: str) -> list[ProposalView]:
    """Return the proposals that the numbers name. Raises InputError for one that is not there."""
    if argument.casefold() == "all":
        return [p for p in view.proposals if p.status in UNDECIDED_STATUSES]
    numbers = argument.replace(",", " ").split()
    rows_by_number = {str(p.number): p for p in view.proposals}
    if unknown_numbers := [n for n in numbers if n not in rows_by_number]:
        raise InputError(
            f"There is no proposal {unknown_numbers[0][:20]!r}.",
            kept="Nothing was decided.",
            todo=f"They are numbered 1 to {len(rows_by_number)}."
            if rows_by_number
            else "Nothing is proposed.",
        )
    return [rows_by_number[n] for n in numbers]


def _proposal_line(view: ProposalView) -> str:
    conflict_note = f"  ⚠ {view.conflicts[0].text}" if view.conflicts else ""
    return f"{view.number}. [{view.mark}] {view.label}: {view.title}  {view.confidence:.2f}{conflict_note}"
