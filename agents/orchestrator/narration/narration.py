"""Decides which lines the model answers, and has it narrate, narrate again or go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from agents.context_assembly.package_builder import ContextPackageBuilder
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.llm.call_context import CallContext, PersonaCalls
from agents.llm.errors import ModelError, ModelUnset
from agents.llm.llm_settings import AppSettings
from agents.narrator.decision_marks import strip_markers
from agents.orchestrator.exchange import Exchange, begin_answer, begin_continuation, begin_retake
from agents.orchestrator.exchange_pipeline import is_answered
from agents.orchestrator.input.intent import NARRATION, InputIntent, read_intent
from agents.orchestrator.input.parser import ParsedInput, RollInput, WordsInput
from agents.orchestrator.narration.runner import PAUSE_BEFORE_STEP, NarrationRunner, remaining_steps
from agents.orchestrator.narration.state import FIRST_RECORD_STEP, NarrationState
from agents.orchestrator.timeline import Timeline
from agents.personas.personas import Monitor, Narrator
from agents.resolver.roll_kinds import ACT_KINDS, PROSE_KINDS
from agents.solo.notes import NoteService
from agents.views.replies import CommandHelp, Reply
from stores.errors import IllegalTransition, InputError
from stores.ports import LogReader
from stores.queries import LlmCallQuery
from stores.records.ids import Id, IdGenerator, derive_id
from stores.records.llm import CallOutcome, Persona
from stores.records.play import GM_SPEAKERS, Scene, Speaker, Turn

STORY_COMMANDS = PROSE_KINDS | {"oracle", "narrate", "continue", "again", "gm", "note", "style"}
"""Commands that plain words are never read as: those of the story, and those for the player alone."""


RequestRecord = Callable[[Scene], None]
"""Has recorded beside play what the narrations of a scene await."""


class Narration:
    """Decides what a model narrates, has it narrated, and knows which scenes are being narrated now."""

    def __init__(
        self,
        calls: PersonaCalls,
        runner: NarrationRunner,
        timeline: Timeline,
        context: SceneContextLoader,
        packages: ContextPackageBuilder,
        notes: NoteService,
        log: LogReader,
        read_settings: Callable[[], AppSettings],
        ids: IdGenerator,
        request_record: RequestRecord | None,
    ) -> None:
        """`request_record` has narrations recorded beside play; None if nothing goes on there."""
        self._calls = calls
        self._runner = runner
        self._timeline = timeline
        self._context = context
        self._packages = packages
        self._notes = notes
        self._log = log
        self._read_settings = read_settings
        self._ids = ids
        self._request_record = request_record
        self._monitor = Monitor(calls)
        self._narrating_scenes: set[Id] = set()

    @property
    def is_enabled(self) -> bool:
        """Whether a model narrates."""
        return self._calls.is_on(Persona.NARRATOR)

    def should_answer(self, parsed_input: WordsInput | RollInput) -> bool:
        """Return whether the model answers a line: acts and speech, but not the GM's own words or an oracle."""
        if not self.is_enabled:
            return False
        if isinstance(parsed_input, RollInput):
            return parsed_input.kind in ACT_KINDS
        return not parsed_input.gm_authored and (
            parsed_input.roll is None or parsed_input.roll.kind in PROSE_KINDS
        )

    def apply_narrate_override(self, parsed_input: ParsedInput) -> ParsedInput:
        """With a model, let it narrate the words behind `/narrate`; `>` stays the GM's own narration."""
        if isinstance(parsed_input, WordsInput) and parsed_input.is_narrate_command and self.is_enabled:
            return replace(parsed_input, gm_authored=False)
        return parsed_input

    async def offer_command(
        self, words_input: WordsInput, scene_id: Id, commands: Sequence[CommandHelp]
    ) -> Reply | None:
        """Return a reply that puts a command into the prompt if plain words mean one; None for words of the story.

        It waits there for Enter, so that nothing is done that was meant as the story.
        """
        if words_input.gm_authored or words_input.is_narrate_command or words_input.roll:
            return None
        intent = read_intent(words_input.text)
        if intent.kind == "unclear" and self._calls.is_on(Persona.MONITOR):
            intent = await self._classify(words_input.text, scene_id, commands)
        if intent.kind != "operation":
            return None
        narrate_hint = (
            "/narrate and the same words narrates it." if self.is_enabled else '> narrates it, "..." says it.'
        )
        return Reply(
            "operation",
            (f"That reads as {intent.command_line}: Enter does it; {narrate_hint}",),
            prompt_text=intent.command_line,
        )

    async def read_command(self, words: str, scene_id: Id, commands: Sequence[CommandHelp]) -> str:
        """Return the command line that the words behind `/monitor` mean. Raises InputError if they mean none."""
        intent = read_intent(words)
        if intent.kind != "operation" and self._calls.is_on(Persona.MONITOR):
            intent = await self._classify(words, scene_id, commands)
        if intent.kind != "operation":
            raise InputError(
                "No command is known for that.",
                kept="Nothing was done.",
                todo="/help lists them all; with the Monitor persona on (/model) more words are understood.",
            )
        return intent.command_line

    async def _classify(self, text: str, scene_id: Id, commands: Sequence[CommandHelp]) -> InputIntent:
        """Ask the Monitor persona. If it fails, the words are the story's."""
        context = await self._context.load_context(scene_id)
        summary_by_command = {
            entry.name: entry.summary for entry in commands if entry.name not in STORY_COMMANDS
        }
        run_id = derive_id("beat", "monitor", scene_id, context.head.id if context.head else "", text)
        call_context = CallContext(context.universe.id, context.story.id, scene_id, run_id)
        try:
            classification = await self._monitor.classify(text, summary_by_command, call_context)
        except ModelError:
            return NARRATION
        if classification.mode == "narration":
            return NARRATION
        return InputIntent("operation", classification.command, classification.argument)

    def refuse_while_narrating(self, scene_id: Id, action: str) -> None:
        """Raise IllegalTransition while a narration streams into the scene."""
        if scene_id in self._narrating_scenes:
            raise IllegalTransition(
                f"You cannot {action} while the model narrates.",
                kept="Nothing was changed.",
                todo="Esc stops it, and what came is kept.",
            )

    async def plan_retake(self, context: SceneContext, note: str) -> Exchange:
        """Return the exchange that narrates the last GM turn again, or for the first time if nobody did.

        A `note` that begins with the name of a model (`AppSettings.list_retake_models`) has that one narrate.
        """
        self._require_model()
        model, note = split_model_name(note, self._read_settings().list_retake_models())
        turns = await self._timeline.read_last_exchange(context.scene)
        if not turns:
            exchange = begin_continuation(self._ids, context.scene, context.head, note, context.tick)
            return _with_model(exchange, model)
        if not is_answered(turns):
            return _with_model(await self._begin_answer(context.scene, turns[-1], note), model)
        last_turn = turns[-1]
        if last_turn.speaker not in GM_SPEAKERS:
            raise InputError(
                "The last turn is not the GM's, so there is nothing to narrate again.",
                kept="Nothing was changed.",
                todo="/continue narrates on from here; /undo takes the exchange back.",
            )
        take = await self._timeline.next_take_number(last_turn)
        return begin_retake(self._ids, last_turn, take, note, model=model)

    async def plan_continuation(self, context: SceneContext, note: str) -> Exchange:
        """Return the exchange that narrates the open answer, the rest of a cut one, or else what happens next."""
        self._require_model()
        turns = await self._timeline.read_last_exchange(context.scene)
        if turns and await self._was_cut(turns[-1]):
            take = await self._timeline.next_take_number(turns[-1])
            return begin_retake(self._ids, turns[-1], take, note, is_rest=True)
        if turns and not is_answered(turns) and turns[-1].speaker is not Speaker.SYSTEM:
            return await self._begin_answer(context.scene, turns[-1], note)
        return begin_continuation(self._ids, context.scene, context.head, note, context.tick)

    async def _was_cut(self, turn: Turn) -> bool:
        """Return whether the model broke off in this turn, at the limit of its answer or with its connection."""
        if turn.speaker not in GM_SPEAKERS:
            return False
        calls = await self._log.llm_calls(LlmCallQuery(turn_ids=[turn.id]))
        narrator_calls = [call for call in calls if call.persona is Persona.NARRATOR]
        return bool(narrator_calls) and narrator_calls[-1].outcome is CallOutcome.CUT

    async def _begin_answer(self, scene: Scene, last_turn: Turn, note: str) -> Exchange:
        take = await self._timeline.take_number_after(scene, last_turn.exchange_id, Speaker.GM)
        return begin_answer(self._ids, scene, last_turn, note, take=take)

    @property
    def records_beside_play(self) -> bool:
        """Whether what a narration changes is recorded while play goes on."""
        return self._request_record is not None and not self._read_settings().copilot.pause

    def request_record(self, scene: Scene) -> None:
        """Have recorded beside play what the scene's narrations await, if anything does."""
        if self._request_record is not None:
            self._request_record(scene)

    async def narrate(
        self, scene: Scene, run_id: Id, *, is_resumed: bool = False, records_at_once: bool = False
    ) -> NarrationState | None:
        """Have a played exchange narrated; `is_resumed` ends a pause.

        What it changes is recorded beside play, unless `records_at_once`. Raises StoreError; failures of the model are
        in the state's `player_lines`.
        """
        stop_before = ""
        if self._read_settings().copilot.pause and not is_resumed:
            stop_before = PAUSE_BEFORE_STEP
        elif self.records_beside_play and not records_at_once:
            stop_before = FIRST_RECORD_STEP
        with self._mark_narrating(scene.id):
            state = await self._runner.narrate(scene.id, run_id, stop_before=stop_before)
        if state is not None and stop_before == FIRST_RECORD_STEP and state.awaits_record:
            self.request_record(scene)
        return state

    async def answer_out_of_character(self, context: SceneContext, words: str) -> tuple[str, ...]:
        """Answer the player out of character; both texts are stored as notes.

        Raises ModelError; the player's note is stored then too.
        """
        self.refuse_while_narrating(context.scene.id, "talk to the GM")
        note = await self._notes.add_note(context.scene.id, words)
        if not self.is_enabled:
            return ("Noted. /notes lists them.",)
        package = await self._packages.build_package(context, words)
        call_context = CallContext(context.universe.id, context.story.id, context.scene.id, note.id)
        with self._mark_narrating(context.scene.id):
            reply = await Narrator(self._calls).answer_out_of_character(package, words, call_context)
        # Nothing is decided out of character.
        text = strip_markers(reply.text)
        await self._notes.add_note(context.scene.id, f"The GM: {text}")
        return (text,)

    def _require_model(self) -> None:
        if not self.is_enabled:
            raise ModelUnset(
                "No model is set up to narrate.",
                kept="Nothing was changed.",
                todo="Model on the menu sets one up; > narrates in your own words.",
            )

    @contextmanager
    def _mark_narrating(self, scene_id: Id) -> Iterator[None]:
        self._narrating_scenes.add(scene_id)
        try:
            yield
        finally:
            self._narrating_scenes.discard(scene_id)


def is_paused(state: NarrationState) -> bool:
    """Return whether the exchange waits at the pause before `stage`."""
    return remaining_steps(state)[:1] == (PAUSE_BEFORE_STEP,)


def split_model_name(note: str, models: Sequence[str]) -> tuple[str, str]:
    """Return the model that a wish begins with the name of, if it is one of these, and the rest of the wish."""
    first_word, _, rest = note.partition(" ")
    name = first_word.rstrip(":").casefold()
    model = next((m for m in models if m.partition("@")[0].casefold() == name), "")
    return (model, rest.strip()) if model else ("", note)


def _with_model(exchange: Exchange, model: str) -> Exchange:
    """Return the exchange with another model that is to narrate it; as it is if none is named."""
    assert exchange.narration is not None
    return exchange.model_copy(update={"narration": exchange.narration.model_copy(update={"model": model})})


def is_retake(exchange: Exchange) -> bool:
    """Return whether it is another take of a turn."""
    return exchange.narration is not None and exchange.narration.kind == "retake"
