"""The places a user can go to, each with what is needed there.

A screen posts `Visit`; the app alone pushes and pops, so that screens need not know each other.
`screens.navigation` has the screen of each route.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.message import Message

if TYPE_CHECKING:
    from textual.screen import Screen

    from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class ToMenu:
    """The menu. Leaves or suspends whatever was open."""


@dataclass(frozen=True, slots=True)
class ToSetup:
    """Start a story."""


@dataclass(frozen=True, slots=True)
class ToStories:
    """The list of stories."""


@dataclass(frozen=True, slots=True)
class ToImport:
    """Import a log of existing play."""


@dataclass(frozen=True, slots=True)
class ToSources:
    """The documents of a universe; without one, of the first."""

    universe_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToSourcesBesidePlay:
    """The documents of the universe that is played, over the scene, which stays open."""

    universe_id: Id
    beside_play: bool = True


@dataclass(frozen=True, slots=True)
class ToDocument:
    """Read in a document, into this universe unless another is named; `beside_play` leads back from it."""

    universe_id: Id | None = None
    beside_play: bool = False


@dataclass(frozen=True, slots=True)
class ToReview:
    """The review of a document."""

    source_id: Id


@dataclass(frozen=True, slots=True)
class ToPage:
    """A page of a document, with the words that lead there."""

    source_id: Id
    number: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ToStory:
    """The scene of a story where it was left."""

    story_id: Id


@dataclass(frozen=True, slots=True)
class ToScene:
    """The play screen; replaces the one that is open. `follows_gate`: from the gate of the scene before.

    `opening_lines` are shown there first.
    """

    scene_id: Id
    follows_gate: bool = False
    opening_lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToGate:
    """The canon gate of a scene, or of a universe, without one or if it is over; the cursor stands on `proposal_id`."""

    scene_id: Id | None
    universe_id: Id | None = None
    proposal_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToConflict:
    """The conflicts of a proposal, to be resolved."""

    proposal_id: Id


@dataclass(frozen=True, slots=True)
class ToPolicy:
    """The gate rules of a universe."""

    universe_id: Id


@dataclass(frozen=True, slots=True)
class ToReading:
    """The transcript of a scene, read only, at one of its turns."""

    turn_id: Id
    declaration: str = ""
    """What is looked for, if it was typed as a declaration: it may stand after the turn and not in it."""


@dataclass(frozen=True, slots=True)
class ToUniverse:
    """The universe browser, at an entity and (if given) a fact on its card.

    `beside_play` if it is opened from a scene.
    """

    universe_id: Id | None = None
    entity_id: Id | None = None
    beside_play: bool = False
    fact_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToPicture:
    """The picture of an entity, large: to attach, replace or remove it."""

    entity_id: Id


@dataclass(frozen=True, slots=True)
class ToRetcon:
    """The preview of retconning (or restoring) a fact or an entity."""

    subject_id: Id


@dataclass(frozen=True, slots=True)
class ToLookalikes:
    """Entities that may be the same: as one entity, or in the whole universe."""

    universe_id: Id
    entity_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToMerge:
    """Two entities side by side, to be merged."""

    kept_id: Id
    absorbed_id: Id


@dataclass(frozen=True, slots=True)
class ToHistory:
    """The history of a fact: what was true before it, and after."""

    fact_id: Id


@dataclass(frozen=True, slots=True)
class ToRelationMap:
    """The map of a universe's relations, at an entity or at its hero; or of its places alone."""

    universe_id: Id
    entity_id: Id | None = None
    is_of_places: bool = False


@dataclass(frozen=True, slots=True)
class ToGridMaps:
    """The grid maps of a universe; `scene_id`: from play, to which a step leads back."""

    universe_id: Id
    scene_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToMoment:
    """Canon at a moment of world time, as it was known at one of record time."""

    universe_id: Id


@dataclass(frozen=True, slots=True)
class ToCharts:
    """The charts of a universe; without one, of that which was played last."""

    universe_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToLanes:
    """The timeline of a universe in lanes."""

    universe_id: Id


@dataclass(frozen=True, slots=True)
class ToTimeline:
    """The events in the order of world time."""

    universe_id: Id


@dataclass(frozen=True, slots=True)
class ToBranchMap:
    """The branches of a world with their scenes, takes and ways; `scene_id` is opened, from play or from a list."""

    universe_id: Id
    scene_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToBranchComparison:
    """What is in canon of one branch and not of another."""

    universe_id: Id
    other_id: Id


@dataclass(frozen=True, slots=True)
class ToRelations:
    """The relations around an entity."""

    entity_id: Id


@dataclass(frozen=True, slots=True)
class ToRemovedCanon:
    """What is no longer in canon: retconned or merged."""

    universe_id: Id


@dataclass(frozen=True, slots=True)
class ToCommitments:
    """Promises, debts and open questions; from a scene, at its present time, paid off on its turns.

    With `fact_id`, the cursor stands on that one.
    """

    universe_id: Id
    scene_id: Id | None = None
    fact_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToQuery:
    """Ask the record of a universe, or of one story in it.

    `scene_id`: from play, to which it leads back; a `question` is asked at once.
    """

    universe_id: Id | None = None
    story_id: Id | None = None
    scene_id: Id | None = None
    question: str = ""


@dataclass(frozen=True, slots=True)
class ToPrompt:
    """Back to the scene that is open below, with these words in its prompt."""

    scene_id: Id
    text: str


@dataclass(frozen=True, slots=True)
class ToCharacters:
    """The characters of a universe, at one of them; with `from_other_screen`, Escape leads back there."""

    universe_id: Id | None = None
    entity_id: Id | None = None
    from_other_screen: bool = False


@dataclass(frozen=True, slots=True)
class ToXray:
    """The X-ray of a turn."""

    turn_id: Id


@dataclass(frozen=True, slots=True)
class ToBill:
    """The costs of the model; with a story, that story's calls and turns."""

    story_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToLlmSetup:
    """The set-up of the model."""


@dataclass(frozen=True, slots=True)
class ToPrompts:
    """The prompts of the personas, with their models and samplers."""


@dataclass(frozen=True, slots=True)
class ToSystem:
    """The state of the stores, and the background jobs."""


@dataclass(frozen=True, slots=True)
class ToTables:
    """The tables to roll on, those of a universe too."""

    universe_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToSettings:
    """Everything that can be set, with the gate's rules of a world; with `words`, what has them."""

    words: str = ""
    universe_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToHelp:
    """Keys, commands and the tour."""


@dataclass(frozen=True, slots=True)
class Back:
    """The screen that `leaving` was opened over. Requested twice, it leads back once."""

    leaving: Screen[Any]
    note: str = ""
    """What that screen says of it; empty if nothing."""


Route = (
    ToMenu
    | ToSetup
    | ToStories
    | ToImport
    | ToSources
    | ToSourcesBesidePlay
    | ToDocument
    | ToReview
    | ToPage
    | ToStory
    | ToScene
    | ToGate
    | ToConflict
    | ToPolicy
    | ToReading
    | ToUniverse
    | ToPicture
    | ToRetcon
    | ToLookalikes
    | ToMerge
    | ToHistory
    | ToMoment
    | ToCharts
    | ToLanes
    | ToTimeline
    | ToBranchMap
    | ToBranchComparison
    | ToRelationMap
    | ToGridMaps
    | ToRelations
    | ToRemovedCanon
    | ToCommitments
    | ToQuery
    | ToCharacters
    | ToPrompt
    | ToXray
    | ToBill
    | ToLlmSetup
    | ToPrompts
    | ToSystem
    | ToTables
    | ToSettings
    | ToHelp
    | Back
)


@dataclass(frozen=True, slots=True)
class NamedRoute:
    """A route with its name and a word on where it leads, for the command palette."""

    name: str
    help: str
    route: Route


@dataclass
class Visit(Message):
    """Ask the app to go somewhere."""

    route: Route
