"""The model at the table: which lines it answers, how it tells again or goes on, and what came of that.

Source: design/loops.md, "One turn"; design/interface.md, "Takes" and `/gm`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.context_assembly.package import Packages
from agents.model.asking import Calls, Occasion
from agents.model.errors import ModelError, ModelUnset
from agents.model.settings import CopilotSettings
from agents.orchestrator.exchange import Exchange, answering, going_on, told_again
from agents.orchestrator.intent import NARRATION, Intent, intent_of
from agents.orchestrator.line import Line
from agents.orchestrator.notes import Notes
from agents.orchestrator.router import Roll, Typed, Words
from agents.orchestrator.turn_graph import TurnGraph, answered
from agents.orchestrator.turn_state import NODES, TurnState
from agents.personas.bound import Bound
from agents.personas.monitor import Monitor
from agents.personas.narrator import NarratorPersona
from agents.views import CommandHelp, Reply
from stores.errors import IllegalTransition, InputError
from stores.records.ids import Id, IdMaker, derived
from stores.records.model import Persona
from stores.records.play import Speaker

TOLD_OF = frozenset({"check", "move", "roll"})
"""Rolls that stand in words and are told with them; of these alone a bare `/roll` is not an act."""
ACTS = frozenset({"check", "move"})

NOT_SAID = frozenset({"check", "move", "roll", "oracle", "narrate", "continue", "again", "gm", "note"})
"""Commands that plain words are never taken for: they are the story's, or the player's alone."""

_GM = (Speaker.GM, Speaker.NPC)

OUT_OF_CHARACTER = (
    "The player speaks to you out of character, as to a game master beside the table. Answer in two or three "
    "plain sentences. Tell no story, decide nothing that is not decided, and say so where the record is "
    "silent. The player says: "
)


class Storyteller:
    """Has exchanges told. Holds nothing but which scenes are being told right now."""

    def __init__(
        self,
        calls: Calls,
        graph: TurnGraph,
        line: Line,
        context: ContextAssembly,
        packages: Packages,
        notes: Notes,
        copilot: Callable[[], CopilotSettings],
        ids: IdMaker,
    ) -> None:
        self._calls = calls
        self._graph = graph
        self._line = line
        self._context = context
        self._packages = packages
        self._notes = notes
        self._copilot = copilot
        self._ids = ids
        self._monitor = Monitor(calls)
        self._telling: set[Id] = set()

    @property
    def on(self) -> bool:
        """Whether a model narrates."""
        return self._calls.on(Persona.NARRATOR)

    def answers(self, typed: Words | Roll) -> bool:
        """Say whether the model answers a line: acts and speech; not the GM's own words, not an oracle."""
        if not self.on:
            return False
        if isinstance(typed, Roll):
            return typed.kind in ACTS
        return not typed.told and (typed.roll is None or typed.roll.kind in TOLD_OF)

    def overridden(self, typed: Typed) -> Typed:
        """With a model, `/narrate` is the player's word that it be told; `>` stays the GM's own telling."""
        if isinstance(typed, Words) and typed.narrated and self.on:
            return replace(typed, told=False)
        return typed

    async def command_in(self, typed: Words, scene_id: Id, commands: Sequence[CommandHelp]) -> Reply | None:
        """Return a reply that offers a command, if plain words say one: it waits in the prompt for Enter, so
        that nothing is done that was meant as the story. None for words of the story."""
        if typed.told or typed.narrated or typed.roll:
            return None
        intent = intent_of(typed.text)
        if intent.kind == "unclear" and self._calls.on(Persona.MONITOR):
            intent = await self._classified(typed.text, scene_id, commands)
        if intent.kind != "operation":
            return None
        narrate = "/narrate and the same words tells it." if self.on else '> tells it, "..." says it.'
        return Reply(
            "operation", (f"That reads as {intent.line}: Enter does it; {narrate}",), text=intent.line
        )

    async def command_meant(self, words: str, scene_id: Id, commands: Sequence[CommandHelp]) -> str:
        """Return the line that words behind `/monitor` mean. Raises InputError if nobody knows one."""
        intent = intent_of(words)
        if intent.kind != "operation" and self._calls.on(Persona.MONITOR):
            intent = await self._classified(words, scene_id, commands)
        if intent.kind != "operation":
            raise InputError(
                "No command is known for that.",
                kept="Nothing was done.",
                todo="/help lists them all; with the Monitor persona on (/model) more words are understood.",
            )
        return intent.line

    async def _classified(self, text: str, scene_id: Id, commands: Sequence[CommandHelp]) -> Intent:
        """Ask the Monitor persona. Without an answer the words are the story's."""
        context = await self._context.load(scene_id)
        operations = {entry.name: entry.summary for entry in commands if entry.name not in NOT_SAID}
        beat_id = derived("beat", "monitor", scene_id, context.head.id if context.head else "", text)
        occasion = Occasion(context.universe.id, context.story.id, scene_id, beat_id)
        try:
            routing = await self._monitor.classify(text, operations, occasion)
        except ModelError:
            return NARRATION
        if routing.mode == "narration":
            return NARRATION
        return Intent("operation", routing.command, routing.argument)

    def refuse_while_telling(self, scene_id: Id, what: str) -> None:
        """Raise IllegalTransition while words stream into the scene."""
        if scene_id in self._telling:
            raise IllegalTransition(
                f"You cannot {what} while it is being told.",
                kept="Nothing was changed.",
                todo="Esc stops it, and what came is kept.",
            )

    async def again(self, context: SceneContext, note: str) -> Exchange:
        """Return the exchange that tells the last GM turn again; or for the first time, if nobody did."""
        self._need_model()
        turns = await self._line.last_exchange(context.scene)
        if not turns:
            return going_on(self._ids, context.scene, context.head, note)
        if not answered(turns):
            return answering(self._ids, context.scene, turns[-1], note)
        last = turns[-1]
        if last.speaker not in _GM:
            raise InputError(
                "The last turn is not the GM's, so there is nothing to tell again.",
                kept="Nothing was changed.",
                todo="/continue tells on from here; /undo takes the exchange back.",
            )
        return told_again(self._ids, last, await self._line.next_take(last), note)

    async def on_from_here(self, context: SceneContext, note: str) -> Exchange:
        """Return the exchange that tells on: the answer that is still open, or what happens next."""
        self._need_model()
        turns = await self._line.last_exchange(context.scene)
        if turns and not answered(turns) and turns[-1].speaker is not Speaker.SYSTEM:
            return answering(self._ids, context.scene, turns[-1], note)
        return going_on(self._ids, context.scene, context.head, note)

    async def tell(self, scene_id: Id, beat_id: Id, *, again: bool = False) -> TurnState | None:
        """Have an exchange told that was played; `again` if it had begun before, so that a pause is over.
        Raises StoreError; what a model fails at is in `told`."""
        with self._busy(scene_id):
            return await self._graph.tell(beat_id, scene_id, pause=self._copilot().pause and not again)

    async def answer(self, context: SceneContext, words: str) -> tuple[str, ...]:
        """Answer the player out of character; both are kept as notes. Raises ModelError, the note kept."""
        note = await self._notes.add(context.scene.id, words)
        if not self.on:
            return ("Noted. /notes lists them.",)
        package = await self._packages.assemble(context, words)
        occasion = Occasion(context.universe.id, context.story.id, context.scene.id, note.id)
        bound = Bound(note=OUT_OF_CHARACTER + words, lines_and_veils=context.story.lines_and_veils)
        with self._busy(context.scene.id):
            told = await NarratorPersona(self._calls).tell(package, bound, lambda _: None, occasion)
        await self._notes.add(context.scene.id, f"The GM: {told.text}")
        return (told.text,)

    def _need_model(self) -> None:
        if not self.on:
            raise ModelUnset(
                "No model is set up to tell it.",
                kept="Nothing was changed.",
                todo="Model on the menu sets one up; > tells it in your own words.",
            )

    @contextmanager
    def _busy(self, scene_id: Id) -> Iterator[None]:
        self._telling.add(scene_id)
        try:
            yield
        finally:
            self._telling.discard(scene_id)


def waits(state: TurnState) -> bool:
    """Say whether the exchange stopped at the pause before `stage`."""
    return state.done != NODES[-1]


def retaken(exchange: Exchange) -> bool:
    """Say whether it is another take of what stood."""
    return exchange.telling is not None and exchange.telling.kind == "retake"
