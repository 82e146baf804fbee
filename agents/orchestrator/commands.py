"""The slash commands that exist: one table for the router, the help screen, the palette and completion.

A command does nothing of its own: it reads its argument and calls the desk or the declarations.
Source: design/interface.md, "Input".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from agents.orchestrator.declarations import Declarations
from agents.orchestrator.reply_lines import staged, written
from agents.orchestrator.scene_views import OPEN
from agents.views import CommandHelp, ProposalView, Reply, SceneView
from stores.errors import InputError
from stores.records.ids import Id
from stores.records.ledger import Verdict
from stores.records.world import EntityKind

if TYPE_CHECKING:
    from agents.services.services import Services

Handler = Callable[[Id, str], Awaitable[Reply]]
Command = tuple[CommandHelp, Handler]

WORDS = (
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

_ENTITIES = (
    ("npc", EntityKind.CHARACTER, "/npc Old Tam: keeper of the salt bell (hp 6)", "Bring in a character"),
    ("creature", EntityKind.CREATURE, "/creature Orc: scarred and hungry", "Bring in a creature"),
    ("thing", EntityKind.OBJECT, "/thing Iron Key: cold to the touch", "Bring in an object"),
    ("faction", EntityKind.FACTION, "/faction The Salters: they own the pans", "Bring in a faction"),
    ("concept", EntityKind.CONCEPT, "/concept The Debt: what the coast owes the sea", "Name an idea"),
)
_PLACE = "/place Crypt > Hidden Chamber: dry and round"
_VERDICTS = (
    ("accept", Verdict.ACCEPT, "Accept proposals"),
    ("reject", Verdict.REJECT, "Reject proposals"),
    ("colour", Verdict.COLOUR, "Call proposals mere colour"),
    ("defer", Verdict.DEFER, "Keep proposals for later"),
    ("undecide", None, "Take decisions back"),
)


class Commands:
    """The table, bound to one desk; `more` are commands that stand in files of their own."""

    def __init__(
        self,
        services: Services,
        declarations: Declarations,
        turnstile: asyncio.Lock,
        more: Iterable[Command] = (),
    ) -> None:
        self._services = services
        self._declarations = declarations
        self._turnstile = turnstile
        self._handlers: dict[str, Command] = {}
        self._fill()
        self._handlers.update((entry.name, (entry, handler)) for entry, handler in more)

    def names(self) -> frozenset[str]:
        return frozenset(self._handlers)

    def help(self) -> tuple[CommandHelp, ...]:
        return (*WORDS, *(entry for entry, _ in self._handlers.values()))

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

    def _fill(self) -> None:
        self._add("place", _PLACE, "Discover a place; with > it leads on from a known one", self._place, True)
        for name, kind, usage, summary in _ENTITIES:
            self._add(name, usage, summary, self._bring_in(kind, usage), needs_argument=True)
        self._add(
            "fact", "/fact Mara owns Iron Key", "Propose a fact: a relation or a sentence", self._fact, True
        )
        self._add(
            "axiom", "/axiom The dead cannot cross salt", "Propose a rule of the world", self._axiom, True
        )
        self._add("state", "/state Mara.hp -3, Mara +wounded", "Change numbers and tags", self._state, True)
        self._add("go", "/go Hidden Chamber", "Your character is now there", self._go, True)
        self._add("proposals", "/proposals", "List what is proposed, with numbers", self._proposals)
        for name, verdict, summary in _VERDICTS:
            self._add(name, f"/{name} 1 3  (or all)", summary, self._decide(verdict), needs_argument=True)
        self._add("commit", "/commit", "Write what is accepted or ticked to canon", self._commit)
        self._add("later", "/later", "Leave what is critical to the scene's end", self._later)
        self._add("end", "/end The orc is dead", "End the scene; the words are its outcome", self._end)
        self._add("reopen", "/reopen", "Go back from the gate to play", self._reopen)
        self._add("time", "/time +2h  (or to dusk)", "World time passes", self._time, True)
        self._add("undo", "/undo", "Take the last exchange back", self._undo)
        self._add("redo", "/redo", "Bring it back", self._redo)
        self._add("retake", "/retake WORDS", "Tell the last GM turn in other words", self._retake, True)
        self._add("take", "/take next  (or previous)", "Walk the takes of the last GM turn", self._take, True)
        self._add("branch", "/branch 4", "Go on from turn 4; the rest stays in the tree", self._branch, True)
        self._add("list", "/list place", "List entities, of one kind or all", self._list)
        self._add("show", "/show Mara", "What is known of someone or something", self._show, True)
        self._add("help", "/help", "Keys, commands and a tour", self._help)

    def _add(
        self, name: str, usage: str, summary: str, handler: Handler, needs_argument: bool = False
    ) -> None:
        self._handlers[name] = (CommandHelp(name, usage, summary, needs_argument), handler)

    # --- declarations --------------------------------------------------------------------------------

    def _bring_in(self, kind: EntityKind, example: str) -> Handler:
        async def handler(scene_id: Id, argument: str) -> Reply:
            async with self._turnstile:
                return staged([await self._declarations.entity(scene_id, kind, argument, example)])

        return handler

    async def _place(self, scene_id: Id, argument: str) -> Reply:
        async with self._turnstile:
            return staged(await self._declarations.place(scene_id, argument, _PLACE))

    async def _fact(self, scene_id: Id, argument: str) -> Reply:
        async with self._turnstile:
            return staged([await self._declarations.fact(scene_id, argument)])

    async def _axiom(self, scene_id: Id, argument: str) -> Reply:
        async with self._turnstile:
            return staged([await self._declarations.axiom(scene_id, argument)])

    async def _state(self, scene_id: Id, argument: str) -> Reply:
        async with self._turnstile:
            return staged(await self._declarations.state(scene_id, argument))

    async def _go(self, scene_id: Id, argument: str) -> Reply:
        async with self._turnstile:
            return staged([await self._declarations.go(scene_id, argument)])

    # --- decisions -----------------------------------------------------------------------------------

    async def _proposals(self, scene_id: Id, argument: str) -> Reply:
        view = await self._services.play.scene(scene_id)
        lines = tuple(_row(p) for p in view.proposals) or ("Nothing is proposed.",)
        return Reply("operation", lines)

    def _decide(self, verdict: Verdict | None) -> Handler:
        async def handler(scene_id: Id, argument: str) -> Reply:
            chosen = _chosen(await self._services.play.scene(scene_id), argument)
            await self._services.gate.decide([p.proposal.id for p in chosen], verdict)
            word = f"{verdict}" if verdict else "undecided"
            return Reply("operation", tuple(f"{word}: {p.title}" for p in chosen))

        return handler

    async def _commit(self, scene_id: Id, argument: str) -> Reply:
        report = await self._services.gate.commit(scene_id)
        lines = written(report) or ("Nothing was ready for canon.",)
        if report.next_scene_id:
            return Reply("operation", lines, goto="scene", subject=report.next_scene_id)
        return Reply("operation", lines)

    async def _later(self, scene_id: Id, argument: str) -> Reply:
        await self._services.gate.dismiss_trigger(scene_id)
        return Reply("operation", ("Left to the scene's end.",))

    async def _end(self, scene_id: Id, argument: str) -> Reply:
        return await self._services.gate.end_scene(scene_id, argument)

    async def _time(self, scene_id: Id, argument: str) -> Reply:
        return await self._services.play.pass_time(scene_id, argument)

    async def _reopen(self, scene_id: Id, argument: str) -> Reply:
        await self._services.gate.reopen_scene(scene_id)
        return Reply("operation", ("Back to play; your decisions are kept.",))

    # --- the line ------------------------------------------------------------------------------------

    async def _undo(self, scene_id: Id, argument: str) -> Reply:
        return await self._services.play.undo(scene_id)

    async def _redo(self, scene_id: Id, argument: str) -> Reply:
        return await self._services.play.redo(scene_id)

    async def _retake(self, scene_id: Id, argument: str) -> Reply:
        return await self._services.play.retake(scene_id, argument)

    async def _take(self, scene_id: Id, argument: str) -> Reply:
        words = {"next": 1, "previous": -1, "prev": -1, "+": 1, "-": -1}
        step = words.get(argument.casefold())
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

    async def _list(self, scene_id: Id, argument: str) -> Reply:
        kinds = {k.value: k for k in EntityKind}
        wanted = argument.casefold().removesuffix("s")
        if wanted and wanted not in kinds:
            raise InputError(f"There is no kind {argument[:40]!r}.", todo=f"Kinds: {', '.join(kinds)}.")
        view = await self._services.play.scene(scene_id)
        entities = await self._services.world.entities(view.universe.id)
        lines = [f"{e.name} ({e.kind})" for e in entities if not wanted or e.kind == wanted]
        more = [f"... and {len(lines) - 40} more: 3 on the menu shows all."] if len(lines) > 40 else []
        return Reply("operation", tuple(lines[:40] + more) or ("Nothing of that kind is in canon.",))

    async def _show(self, scene_id: Id, argument: str) -> Reply:
        view = await self._services.play.scene(scene_id)
        found = await self._services.world.entities(view.universe.id, argument)
        if not found:
            raise InputError(
                f"Nothing in canon is called {argument[:60]!r}.", todo="/list shows what there is."
            )
        card = await self._services.world.card(found[0].id)
        head = f"{card.entity.name} ({card.entity.kind}). {card.entity.description}".strip()
        numbers = ", ".join(f"{k} {v}" for k, v in card.entity.numbers.items())
        facts = [f"· {f.fact.statement}" for f in card.facts[:20]]
        return Reply("operation", (head, *([numbers] if numbers else []), *facts))

    async def _help(self, scene_id: Id, argument: str) -> Reply:
        wanted = argument.removeprefix("/").casefold()
        lines = tuple(f"{c.usage}  ·  {c.summary}" for c in self.help() if not wanted or c.name == wanted)
        if not lines:
            raise InputError(f"There is no command /{wanted[:40]}.", todo="/help lists them all.")
        return Reply("operation", lines, goto="" if wanted else "help")


def _chosen(view: SceneView, argument: str) -> list[ProposalView]:
    """Return the proposals that the numbers name. Raises InputError for one that is not there."""
    if argument.casefold() == "all":
        return [p for p in view.proposals if p.status in OPEN]
    numbers = argument.replace(",", " ").split()
    known = {str(p.number): p for p in view.proposals}
    if wrong := [n for n in numbers if n not in known]:
        raise InputError(
            f"There is no proposal {wrong[0][:20]!r}.",
            kept="Nothing was decided.",
            todo=f"They are numbered 1 to {len(known)}." if known else "Nothing is proposed.",
        )
    return [known[n] for n in numbers]


def _row(view: ProposalView) -> str:
    held = f"  ⚠ {view.conflicts[0].text}" if view.conflicts else ""
    return f"{view.number}. [{view.mark}] {view.label}: {view.title}  {view.confidence:.2f}{held}"
