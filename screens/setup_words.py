"""Story set-up in words: a sentence or two are asked for, and the model's idea comes back for the form.

Nothing is created by it: the form is the game master's, before and after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.message import Message

from screens.base import ServiceScreen
from screens.edit_text import EditTextScreen

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea
    from agents.services.services import Services
    from agents.story_outline import NewUniverse
    from stores.records.world import Universe

HINT = (
    "A sentence or two: whom you play, what it is about, how it should feel, what never happens. "
    "For example: a lighthouse keeper who owes the sea, grim, no gore. "
    "The model fills in the form, you change what you like; nothing is created before you begin."
)
ASKING = "The model reads that. esc stops it; the form stays yours meanwhile."
FILLED = "Filled in by the model. Change what you like; nothing is created yet."
WHOM = "Filled in by the model. Whom do you play?"
JOB = "imagine"


class WordsScreen(ServiceScreen[None]):
    """A screen with a form that the model may fill in."""

    BINDINGS = [
        Binding(
            "f7",
            "in_words",
            "In words",
            id="setup.words",
            tooltip="A model fills in the form by your words",
        ),
    ]

    @dataclass
    class Imagined(Message):
        """The model has an idea."""

        idea: StoryIdea

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._words = ""

    @property
    def fillable(self) -> Universe | NewUniverse | None:
        """The world that the form is about; None while no form is there to fill in."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Put words at the foot of the form."""
        raise NotImplementedError

    @property
    def asking(self) -> bool:
        """Whether the model is at it."""
        return any(w.node is self and w.name == JOB and not w.is_finished for w in self.workers)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "in_words":
            return self.services.llm.on and self.fillable is not None
        return super().check_action(action, parameters)

    def action_in_words(self) -> None:
        if not self.asking:
            self.app.push_screen(EditTextScreen("In words", self._words, HINT, optional=True), self._ask)

    def stop_asking(self) -> bool:
        """Stop the model; returns whether it was at it."""
        return self.asking and self.services.llm.stop(None)

    def _ask(self, words: str | None) -> None:
        if words is not None and self.fillable is not None:
            self._words = words  # what fails can be tried again as it was
            self.say(ASKING)
            self.change(self._imagine(self.fillable, words), JOB)

    async def _imagine(self, world: Universe | NewUniverse, words: str) -> None:
        known = getattr(world, "id", None)
        told = "\n".join(filter(None, (world.name, world.genre, world.tone, world.description)))
        idea = await self.services.llm.imagine(known, words, world="" if known else told)
        self.post_message(self.Imagined(idea))
