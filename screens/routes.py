"""Where a user can go.

A screen posts `Visit`; the app alone pushes and pops, so that screens need not know each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.message import Message

from screens.llm_routes import LlmRoute
from screens.query_routes import QueryRoute, ToPrompt
from screens.world_routes import WorldRoute

if TYPE_CHECKING:
    from textual.screen import Screen

    from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class ToMenu:
    """Home. Leaves or suspends whatever was open."""


@dataclass(frozen=True, slots=True)
class ToSetup:
    """Start a story."""


@dataclass(frozen=True, slots=True)
class ToStories:
    """The list of stories to go on with."""


@dataclass(frozen=True, slots=True)
class ToImport:
    """Bring in a log of existing play."""


@dataclass(frozen=True, slots=True)
class ToStory:
    """Straight back into a story where it was left."""

    story_id: Id


@dataclass(frozen=True, slots=True)
class ToScene:
    """The play screen; replaces the one that is open. `follows`: from the gate of the scene before."""

    scene_id: Id
    follows_gate: bool = False


@dataclass(frozen=True, slots=True)
class ToGate:
    """The canon gate of a scene, or (without one) of a universe."""

    scene_id: Id | None
    universe_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToConflict:
    """The court, hearing the conflicts of a proposal."""

    proposal_id: Id


@dataclass(frozen=True, slots=True)
class ToPolicy:
    """What a universe lays down for its own gate."""

    universe_id: Id


@dataclass(frozen=True, slots=True)
class ToReading:
    """The transcript of a scene, read only, at one of its turns."""

    turn_id: Id


@dataclass(frozen=True, slots=True)
class ToUniverse:
    """The universe browser, at an entity and (if one is named) a fact on its card.

    `beside_play` when it is a look aside from a scene.
    """

    universe_id: Id | None = None
    entity_id: Id | None = None
    beside_play: bool = False
    fact_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToSystem:
    """How the stores fare, and what is done behind play."""


@dataclass(frozen=True, slots=True)
class ToHelp:
    """Keys, commands and the tour."""


@dataclass(frozen=True, slots=True)
class Back:
    """The screen that `leaving` was opened over. Asked for twice, it leads back once."""

    leaving: Screen[Any]


Route = (
    ToMenu
    | ToSetup
    | ToStories
    | ToImport
    | ToStory
    | ToScene
    | ToGate
    | ToConflict
    | ToPolicy
    | ToReading
    | ToUniverse
    | WorldRoute
    | LlmRoute
    | QueryRoute
    | ToPrompt
    | ToSystem
    | ToHelp
    | Back
)


@dataclass
class Visit(Message):
    """Ask the app to go somewhere."""

    route: Route
