"""The part of the desk that is about the model: how it is set up, what it did, what that cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from agents.model_views import BillView, ModelHouse, Trial, XrayView
from stores.records.ids import Id
from stores.records.model import Persona

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea


class ModelDesk(Protocol):
    @property
    def on(self) -> bool:
        """Whether a model narrates at this desk."""
        ...

    async def warm(self) -> None:
        """Start the process that speaks for us, if a model is set up. Call after the first frame; it
        returns at once, and trouble is published as a Notice."""
        ...

    def stop(self, scene_id: Id | None) -> bool:
        """Stop the words that stream into the scene (None: what is asked for no scene), and keep those that
        came. Returns whether any did."""
        ...

    async def imagine(self, universe_id: Id | None, words: str, *, world: str = "") -> StoryIdea:
        """Make a story's set-up out of the GM's words, for a form: nothing is created. `world` tells of a
        universe that is not created yet. Raises InputError; ModelError."""
        ...

    async def xray(self, turn_id: Id) -> XrayView: ...

    async def bill(self, *, story_id: Id | None = None) -> BillView:
        """The bill; with `story_id`, its calls and turns are that story's."""
        ...

    async def cost(self, story_id: Id) -> tuple[int, bool]:
        """What the story has cost so far in millionths of a US dollar, and whether every price is known."""
        ...

    async def house(self) -> ModelHouse: ...

    async def choose(self, *, model: str, api_base: str = "") -> ModelHouse:
        """Set the model that serves every persona without one of its own (empty: no model). Raises InputError
        for a name that no provider goes by, with near ones."""
        ...

    async def set_fallbacks(self, models: tuple[str, ...]) -> ModelHouse: ...

    async def set_persona(
        self,
        persona: Persona,
        *,
        on: bool | None = None,
        model: str | None = None,
        temperature: float | None = None,
    ) -> ModelHouse: ...

    async def set_key(self, key: str) -> ModelHouse:
        """Keep the key of the default model's provider in the system's keyring. It is written nowhere else.
        Raises InputError, with what to do instead, where there is no keyring."""
        ...

    async def set_budget(self, scope: str, micros: int | None, *, subject: Id | None = None) -> BillView:
        """Set or lift (None) the budget of a story, a universe or a day."""
        ...

    async def try_out(self, model: str = "", *, api_base: str = "") -> Trial:
        """Make one small call to a model (the default if none is named) and say how it went. Raises
        ModelError."""
        ...
