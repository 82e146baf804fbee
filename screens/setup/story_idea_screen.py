"""Story set-up in words: a sentence or two are asked for, and the model's idea comes back for the form.

Nothing is created by it: the form is the game master's, before and after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.message import Message

from screens.base import ServiceScreen
from screens.dialogs.text_dialog import TextDialog

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea
    from agents.services.services import Services
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


class StoryIdeaScreen(ServiceScreen[None]):
    """A screen with a form that the model may fill in."""

    BINDINGS = [
        Binding(
            "f7",
            "in_words",
            "In words",
            id="setup.words",
            tooltip="A model fills in the form from your words",
        ),
    ]

    @dataclass
    class StoryIdeaReady(Message):
        """The model has an idea."""

        idea: StoryIdea

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._idea_text = ""

    @property
    def world_to_fill(self) -> Universe | NewUniverse | None:
        """The world that the form is about; None while no form is there to fill in."""
        raise NotImplementedError

    def show_status(self, text: str) -> None:
        """Put words at the foot of the form."""
        raise NotImplementedError

    @property
    def is_asking(self) -> bool:
        """Whether the model is at it."""
        return any(w.node is self and w.name == IDEA_WORKER and not w.is_finished for w in self.workers)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "in_words":
            return self.services.llm.is_on and self.world_to_fill is not None
        return super().check_action(action, parameters)

    def action_in_words(self) -> None:
        if not self.is_asking:
            self.app.push_screen(
                TextDialog("In words", self._idea_text, STORY_IDEA_HINT, is_optional=True), self._start_idea
            )

    def stop_asking(self) -> bool:
        """Stop the model; returns whether it was at it."""
        return self.is_asking and self.services.llm.stop_streaming(None)

    def _start_idea(self, idea_text: str | None) -> None:
        if idea_text is not None and self.world_to_fill is not None:
            self._idea_text = idea_text  # what fails can be tried again as it was
            self.show_status(ASKING_TEXT)
            self.start_change(self._load_idea(self.world_to_fill, idea_text), IDEA_WORKER)

    async def _load_idea(self, world: Universe | NewUniverse, idea_text: str) -> None:
        universe_id = getattr(world, "id", None)
        world_text = "\n".join(filter(None, (world.name, world.genre, world.tone, world.description)))
        idea = await self.services.llm.suggest_story(
            universe_id, idea_text, world_description="" if universe_id else world_text
        )
        self.post_message(self.StoryIdeaReady(idea))
