"""The language model for screens and commands: set-up, X-ray, bill, budgets, and stopping a stream."""

from __future__ import annotations

from collections.abc import Callable

from agents.canon_keeper.keeper import CanonKeeper
from agents.llm.call_context import PersonaCalls
from agents.llm.cancellations import Cancellations
from agents.orchestrator.dispatcher import Dispatcher
from agents.personas.outputs import StoryIdea
from agents.services.bill import BillReader
from agents.services.llm_setup import LlmSetup
from agents.services.prompt_editing import PromptEditor
from agents.services.story_ideas import StoryIdeas
from agents.services.xray import XrayReader
from agents.views.llm_views import BillView, LlmSetupView, LlmTrialView, PromptEdit, PromptView, XrayView
from stores.errors import InputError
from stores.ports import OrchestratorLog
from stores.records.ids import Id
from stores.records.llm import Persona

MICROS_PER_DOLLAR = 1_000_000


MAX_SHARE = 100


class LlmService:
    """Set-up, costs and control of the language model.

    `retry_waiting` has the background try again what waits for a model or a budget.
    """

    def __init__(
        self,
        calls: PersonaCalls,
        cancellations: Cancellations,
        llm_setup: LlmSetup,
        xray_reader: XrayReader,
        bill_reader: BillReader,
        log: OrchestratorLog,
        keeper: CanonKeeper,
        dispatcher: Dispatcher,
        story_ideas: StoryIdeas,
        retry_waiting: Callable[[], None],
        prompt_editor: PromptEditor,
    ) -> None:
        self._prompt_editor = prompt_editor
        self._story_ideas = story_ideas
        self._calls = calls
        self._cancellations = cancellations
        self._llm_setup = llm_setup
        self._xray_reader = xray_reader
        self._bill_reader = bill_reader
        self._log = log
        self._keeper = keeper
        self._dispatcher = dispatcher
        self._retry_waiting = retry_waiting

    @property
    def is_on(self) -> bool:
        """Whether a model narrates."""
        return self._calls.is_on(Persona.NARRATOR)

    @property
    def retake_models(self) -> tuple[str, ...]:
        """The models that a retake can be asked of, without their addresses, the Narrator's first."""
        names = self._llm_setup.current_settings.list_retake_models()
        return tuple(name.partition("@")[0] for name in names)

    async def start_process(self) -> None:
        """Start the model's process, if a model is set up.

        Call after the first frame; it returns at once, and trouble is published as a Notice.
        """
        await self._llm_setup.start_process()

    def stop_streaming(self, scene_id: Id | None) -> bool:
        """Stop the narration that streams into the scene, and keep what came; return whether there was one.

        None stands for a request that belongs to no scene.
        """
        return self._cancellations.cancel_scene(scene_id)

    async def suggest_story(
        self, universe_id: Id | None, typed_idea: str, *, world_description: str = ""
    ) -> StoryIdea:
        """Return an idea for a story from the GM's words, for the set-up form: nothing is created.

        `world_description` is of a universe that is not created yet. It can be stopped from now on. Raises InputError;
        ModelError.
        """
        with self._cancellations.watch_scene(None):
            return await self._story_ideas.suggest_story(universe_id, typed_idea, world_description)

    async def read_xray(self, turn_id: Id) -> XrayView:
        return await self._xray_reader.read_xray(turn_id)

    async def read_bill(self, *, story_id: Id | None = None) -> BillView:
        """Return the bill; with `story_id`, its calls and turns are that story's."""
        return await self._bill_reader.read_bill(story_id=story_id)

    async def read_story_cost(self, story_id: Id) -> tuple[int, bool]:
        """Return what the story has cost in millionths of a US dollar, and whether every price is known."""
        return await self._bill_reader.read_story_cost(story_id)

    async def read_setup(self) -> LlmSetupView:
        return await self._llm_setup.build_setup_view()

    async def choose_model(self, *, model: str, api_base: str = "") -> LlmSetupView:
        """Set the default model; an empty name is no model.

        Raises InputError for a name that no provider knows, with similar names.
        """
        setup = await self._llm_setup.choose_model(model=model, api_base=api_base)
        self._retry_waiting()
        return setup

    async def set_fallbacks(self, models: tuple[str, ...]) -> LlmSetupView:
        return await self._llm_setup.set_fallbacks(models)

    async def set_others(self, models: tuple[str, ...]) -> LlmSetupView:
        """Set the models that a retake can be asked of, beside those that are set up."""
        return await self._llm_setup.set_others(models)

    async def set_persona(
        self,
        persona: Persona,
        *,
        on: bool | None = None,
        model: str | None = None,
        temperature: float | None = None,
    ) -> LlmSetupView:
        setup = await self._llm_setup.set_persona(persona, on=on, model=model, temperature=temperature)
        self._retry_waiting()
        return setup

    async def list_prompts(self) -> tuple[PromptView, ...]:
        """Return every prompt, with the model and the samplers of its persona."""
        return await self._prompt_editor.list_prompts()

    async def save_prompt(self, edit: PromptEdit) -> tuple[PromptView, ...]:
        """Write what was changed of a prompt and its persona's samplers; it holds from the next call on.

        Raises InputError that names the field; then nothing was changed.
        """
        return await self._prompt_editor.save(edit)

    async def reset_prompt(self, persona: Persona, task: str) -> tuple[PromptView, ...]:
        """Go back to the bundled prompt; the user's own file is set aside, not deleted."""
        return await self._prompt_editor.reset(persona, task)

    async def set_key(self, key: str) -> LlmSetupView:
        """Store the key of the default model's provider in the system's keyring, and nowhere else.

        Raises InputError, with what to do instead, where there is no keyring.
        """
        setup = await self._llm_setup.set_key(key)
        self._retry_waiting()
        return setup

    async def set_share(self, universe_id: Id, share: int) -> None:
        """Set how many background jobs of a universe are done for one of another. Raises InputError."""
        if not 1 <= share <= MAX_SHARE:
            raise InputError(f"A share is a number from 1 to {MAX_SHARE}.", kept="Nothing was changed.")
        async with self._dispatcher.exclusive():
            await self._keeper.policies.set_share(universe_id, share)

    async def set_budget(self, scope: str, amount: int | None, *, subject: Id | None = None) -> BillView:
        """Set a budget in millionths of a dollar, that of a week in tokens; None: no limit.

        Raises InputError for an unknown scope, and for a story or universe that is not named.
        """
        if amount is not None and amount < 0:
            raise InputError("A budget is no less than nothing.", kept="Nothing was changed.")
        if scope == "day":
            await self._llm_setup.set_day_budget(None if amount is None else amount / MICROS_PER_DOLLAR)
            self._retry_waiting()
            return await self.read_bill()
        if scope not in ("story", "universe", "week") or subject is None:
            raise InputError(
                "A budget is of a story, a universe, a day or a week.",
                kept="Nothing was changed.",
                todo="As in: /budget story 5, or /budget day none.",
            )
        async with self._dispatcher.exclusive():
            if scope == "story":
                story = await self._log.story(subject)
                await self._log.put_story(story.model_copy(update={"budget": amount}))
            elif scope == "week":
                await self._keeper.policies.set_weekly_tokens(subject, amount)
            else:
                await self._keeper.policies.set_budget(subject, amount)
        self._retry_waiting()
        return await self.read_bill(story_id=subject if scope == "story" else None)

    async def test_model(self, model: str = "", *, api_base: str = "") -> LlmTrialView:
        """Make one small call to a model, the default if none is named, and return how it went. Raises ModelError."""
        return await self._llm_setup.test_model(model, api_base=api_base)
