"""Story set-up in words: asks for a sentence or two, and fills the form with the model's idea.

Nothing is created by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Container
from textual.message import Message
from textual.worker import Worker

from screens.base import start_change
from screens.dialogs.text_dialog import TextDialog
from stores.errors import InputError
from widgets.worker import post_failed_work

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea
    from agents.services.llm import LlmService
    from agents.story_outline import NewUniverse
    from stores.records.world import Universe

STORY_IDEA_HINT = (
    "A sentence or two: whom you play, what it is about, how it should feel, what never happens. "
    "For example: a lighthouse keeper who owes the sea, grim, no gore. "
    "The model fills in the form, you change what you like; nothing is created before you begin."
)
ASKING_TEXT = "The model is reading it. Esc stops it; you can use the form meanwhile."
FILLED_TEXT = "Filled in by the model. Change what you like; nothing is created yet."
CHOOSE_HERO_TEXT = "Filled in by the model. Whom do you play?"
IDEA_WORKER = "imagine"


class StoryIdeaPanel(Container):
    """Contains the pages of the form, and has the model fill them in."""

    BINDINGS = [
        Binding(
            "f7",
            "in_words",
            "In words",
            id="setup.words",
            tooltip="A model fills in the form from your words",
        ),
        Binding(
            "f7",
            "explain_in_words",
            "In words",
            id="setup.explain_words",
            tooltip="Say that no model is set up to fill in the form",
            show=False,
        ),
    ]

    @dataclass
    class AskingStarted(Message):
        """The model was asked."""

    @dataclass
    class StoryIdeaReady(Message):
        """The model has an idea."""

        idea: StoryIdea

    def __init__(self, llm: LlmService) -> None:
        super().__init__()
        self._llm = llm
        self._world: Universe | NewUniverse | None = None
        self._idea_text = ""

    def show_world(self, world: Universe | NewUniverse | None) -> None:
        """Set the universe that the form is about; None while there is no form to fill in."""
        self._world = world

    @property
    def is_asking(self) -> bool:
        """Whether the model is at work."""
        return any(w.node is self and w.name == IDEA_WORKER and not w.is_finished for w in self.workers)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "in_words":
            return self._llm.is_on and self._world is not None
        if action == "explain_in_words":
            return not self._llm.is_on and self._world is not None
        return super().check_action(action, parameters)

    def action_in_words(self) -> None:
        if not self.is_asking:
            self.app.push_screen(
                TextDialog("In words", self._idea_text, STORY_IDEA_HINT, is_optional=True), self._start_idea
            )

    def action_explain_in_words(self) -> None:
        """Say that nothing fills in the form from words."""
        start_change(self, self._refuse_idea, IDEA_WORKER)

    async def _refuse_idea(self) -> None:
        raise InputError(
            "No model is set up to fill in the form.",
            kept="The form is as it was.",
            todo="Model on the menu sets one up.",
        )

    def stop_asking(self) -> bool:
        """Stop the model; return whether it was at work."""
        return self.is_asking and self._llm.stop_streaming(None)

    def _start_idea(self, idea_text: str | None) -> None:
        if idea_text is not None and self._world is not None:
            self._idea_text = idea_text  # what fails can be tried again as it was
            self.post_message(self.AskingStarted())
            start_change(self, partial(self._load_idea, self._world, idea_text), IDEA_WORKER)

    async def _load_idea(self, world: Universe | NewUniverse, idea_text: str) -> None:
        universe_id = getattr(world, "id", None)
        world_text = "\n".join(filter(None, (world.name, world.genre, world.tone, world.description)))
        idea = await self._llm.suggest_story(
            universe_id, idea_text, world_description="" if universe_id else world_text
        )
        self.post_message(self.StoryIdeaReady(idea))

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        post_failed_work(self, message)
