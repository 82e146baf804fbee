"""The Orchestrator's door, as screens and the command line know it.

Every call reads or moves the stores and returns a view; all raise `stores.errors.MonitorError` with
words for the user. What happens meanwhile is published on `events`. The real one is
`agents.orchestrator.main.Orchestrator`; screens are typed against this, so tests can give them twins.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from agents.background.views import BackgroundDesk
from agents.bench import Bench
from agents.characters_desk import CharactersDesk
from agents.import_desk import ImportDesk
from agents.messages import EventBus
from agents.model_desk import ModelDesk
from agents.recall_desk import RecallDesk
from agents.views import (
    CommandHelp,
    CommitReport,
    EntityCard,
    GateView,
    MenuView,
    Reply,
    SceneView,
    SheetView,
    StoryCard,
    SystemView,
    TurnTrace,
    TurnView,
)
from agents.world_desk import WorldDesk
from stores.records.canon import Payload
from stores.records.ids import Id
from stores.records.ledger import Verdict
from stores.records.play import Critical, DiceBy, StoryMode, TensionMode
from stores.records.world import Entity, EntityKind, Number, Universe


class Mode(StrEnum):
    """The Main Loop's modes that exist so far."""

    START_STORY = "start_story"
    CONTINUE = "continue_story"
    UNIVERSE = "universe"
    CHARACTERS = "characters"
    QUERY = "query"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class NewUniverse:
    name: str
    genre: str = ""
    tone: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class NewCharacter:
    """A player character to create; `numbers` such as hp or might."""

    name: str
    description: str = ""
    numbers: tuple[tuple[str, Number], ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Somebody or something to propose to the world."""

    kind: EntityKind
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class StoryOutline:
    """Story and first scene. `pc` is an existing character's id or one to create; `tick` the world time
    that the scene begins at; `prose` is told by the GM before the first turn. `newcomers` are proposed at
    the first scene's gate, on nobody's word; who of them is known already is there instead."""

    universe_id: Id
    title: str
    pc: Id | NewCharacter | None
    theme: str = ""
    tone: str = ""
    constraints: str = ""
    lines_and_veils: str = ""
    mode: StoryMode = StoryMode.COPILOT
    critical: Critical = Critical.ASK
    system: str = ""
    dice: DiceBy = DiceBy.PROGRAM
    tension_mode: TensionMode = TensionMode.BEND
    scene_title: str = "Scene 1"
    scene_goal: str = ""
    place: Id | str | None = None
    cast: tuple[Id, ...] = ()
    tick: int = 480
    prose: tuple[str, ...] = ()
    newcomers: tuple[Newcomer, ...] = ()


class Desk(Protocol):
    @property
    def events(self) -> EventBus: ...

    # --- session -----------------------------------------------------------------------------------
    async def recover(self) -> tuple[str, ...]:
        """Finish what a crash left half done; returns a line for each thing recovered. Call once."""
        ...

    async def enter(self, mode: Mode) -> None:
        """Main loop: Idle -> Executing(mode)."""
        ...

    async def leave(self) -> None:
        """Main loop: back to Idle."""
        ...

    async def menu(self) -> MenuView: ...

    def commands(self) -> tuple[CommandHelp, ...]:
        """The slash commands that exist."""
        ...

    # --- universes, characters, stories ------------------------------------------------------------
    async def universes(self) -> list[Universe]: ...

    async def add_sample(self) -> Universe:
        """Bring in the bundled sample universe (once: a second call returns the same one)."""
        ...

    async def systems(self) -> tuple[SystemView, ...]:
        """The rule packs there are, then the files of the user's own that cannot be used, with why."""
        ...

    async def sample_outline(self) -> StoryOutline:
        """The sample's suggested story and first scene; its universe must be there already."""
        ...

    async def create_universe(self, new: NewUniverse) -> Universe: ...

    async def characters(self, universe_id: Id) -> list[Entity]:
        """Player characters first."""
        ...

    async def places(self, universe_id: Id) -> list[Entity]: ...

    async def start_story(self, outline: StoryOutline) -> Id:
        """Create story, PC if needed, and first scene; returns the scene's id, Active."""
        ...

    async def stories(self) -> list[StoryCard]: ...

    async def resume(self, story_id: Id) -> Id:
        """Open the story where it was left: its scene's id. Finishes a half-done exchange first."""
        ...

    async def suspend(self) -> None:
        """Leave the open story where it stands (Main: Suspended)."""
        ...

    async def abandon(self, story_id: Id) -> None: ...

    async def complete_story(self, story_id: Id, recap: str = "") -> CommitReport: ...

    # --- the scene ---------------------------------------------------------------------------------
    async def scene(self, scene_id: Id) -> SceneView: ...

    async def transcript(self, scene_id: Id, start: int, count: int) -> list[TurnView]:
        """Rows at depths `start` ... of the line; cheap at any length of scene."""
        ...

    async def submit(self, scene_id: Id, line: str) -> Reply:
        """One typed line: an exchange, or a slash command."""
        ...

    async def pass_time(self, scene_id: Id, length: str) -> Reply:
        """World time passes: `+2h`, `to dusk`, `to day 5`. Undone like any exchange."""
        ...

    async def alter_roll(self, scene_id: Id, how: Literal["reroll", "pick"], typed: str) -> Reply:
        """Take the last roll of the line otherwise: throw some of its dice again, or pick another result.
        It becomes another take; the old one is withdrawn with all that it proposed. Undone by undo."""
        ...

    async def rest(self, scene_id: Id, typed: str) -> Reply:
        """Rest by the story's rules: time passes and what it does is proposed, in one exchange. Lists the
        rests if none is named."""
        ...

    async def sheet(self, scene_id: Id, entity_id: Id | None = None) -> SheetView:
        """The sheet of somebody in the scene, as it stands on its line; the hero's if nobody is named."""
        ...

    async def edit_sheet(
        self,
        scene_id: Id,
        entity_id: Id,
        numbers: Mapping[str, Number],
        tags: Mapping[str, bool],
    ) -> Reply:
        """Propose, on the GM's word, that numbers of a sheet are these, and that tags are on it or not."""
        ...

    async def set_tension(self, scene_id: Id, tension: int | TensionMode) -> None:
        """Set the story's tension, 1 to 9 (the oracle and the scene check follow it; it is recorded), or
        what it does to the oracle."""
        ...

    async def check_start(self, scene_id: Id, faces: tuple[int, ...] | None = None) -> Reply:
        """Roll whether the scene begins as expected, altered or interrupted; an exchange of its own."""
        ...

    async def finish_track(self, scene_id: Id, track: str, faces: tuple[int, ...] | None = None) -> Reply:
        """Roll how well what was worked at ends: the track of that name or number."""
        ...

    async def undo(self, scene_id: Id) -> Reply: ...

    async def redo(self, scene_id: Id) -> Reply: ...

    async def retake(self, scene_id: Id, text: str) -> Reply:
        """Another take of the last GM turn, in the GM's words."""
        ...

    async def retell(self, scene_id: Id, note: str = "") -> Reply:
        """Another take of the last GM turn, told by the model; `note` says what it should do otherwise
        ("less gore"). Raises ModelError; the take that stands is kept whatever happens."""
        ...

    async def tell_on(self, scene_id: Id, note: str = "") -> Reply:
        """The model goes on telling from where the story stands, without an act of the player's."""
        ...

    async def finish(self, scene_id: Id) -> Reply:
        """Have the model go on with an exchange that a crash or a pause left untold (`SceneView.unfinished`);
        nothing happens if there is none."""
        ...

    async def answer_as_gm(self, scene_id: Id, words: str) -> Reply:
        """Talk to the GM out of character (`/gm`): a note, and the model's answer to it beside the story.
        Nothing of it is told, staged or remembered as said in the world."""
        ...

    async def walk_takes(self, scene_id: Id, step: Literal[-1, 1]) -> Reply:
        """Stand on the take before or after, if the last turn has several."""
        ...

    async def branch(self, scene_id: Id, turn_id: Id) -> Reply:
        """Play goes on from this older turn; what came after it stays in the tree."""
        ...

    async def end_scene(self, scene_id: Id, summary: str = "") -> Reply:
        """Active -> Finalizing; `summary` becomes a proposed event, and clocks act. The reply's `goto` is
        the gate; its lines tell what the end brought by itself."""
        ...

    async def rename_scene(self, scene_id: Id, title: str, goal: str = "") -> None:
        """Give the scene another title, and a goal if one is named."""
        ...

    async def reopen_scene(self, scene_id: Id) -> None:
        """Finalizing -> Active: back to play with every decision kept."""
        ...

    # --- proposals and the gate --------------------------------------------------------------------
    async def gate(self, scene_id: Id | None, universe_id: Id | None = None) -> GateView:
        """Return what waits at a scene's gate; without a scene, what waits in the universe and comes to
        no scene's gate: the GM's own edits, what was deferred, what failed."""
        ...

    async def decide(
        self,
        proposal_ids: Collection[Id],
        verdict: Verdict | None,
        *,
        reason: str = "",
        edited: Payload | None = None,
    ) -> None:
        """Set a verdict (None takes it back). `edited` goes with ACCEPT of one proposal."""
        ...

    async def edit_text(self, proposal_id: Id, text: str) -> None:
        """Accept the proposal with its words changed: the statement, name or value it is about."""
        ...

    async def commit(self, scene_id: Id, only: Sequence[Id] | None = None) -> CommitReport:
        """Write what is accepted or pre-ticked. In a Finalizing scene this closes it, and
        `next_scene_id` names the scene that play goes on in."""
        ...

    async def commit_universe(self, universe_id: Id, only: Collection[Id] | None = None) -> CommitReport:
        """Write what is accepted or pre-ticked at the gate of a universe without a scene (of `only`, if
        given); what is undecided waits on."""
        ...

    async def commit_trigger(self, scene_id: Id) -> CommitReport:
        """Write what the trigger is about, and what that needs; the scene goes on."""
        ...

    async def dismiss_trigger(self, scene_id: Id) -> None:
        """Leave what is critical to the scene's end."""
        ...

    @property
    def bench(self) -> Bench:
        """The court and the house: conflicts settled, rules laid down, what was decided taken back."""
        ...

    # --- the model ---------------------------------------------------------------------------------
    @property
    def model(self) -> ModelDesk:
        """How the model is set up, what it did and what that cost."""
        ...

    # --- the record --------------------------------------------------------------------------------
    @property
    def recall(self) -> RecallDesk:
        """The record asked: answers by standing, turns found again, words searched."""
        ...

    @property
    def people(self) -> CharactersDesk:
        """Those who live in a universe: sheets, memories beside the truth, histories."""
        ...

    @property
    def background(self) -> BackgroundDesk:
        """What runs behind play: how it stands, and what it gave up."""
        ...

    # --- the world ---------------------------------------------------------------------------------
    @property
    def imports(self) -> ImportDesk:
        """Logs of existing play brought in."""
        ...

    @property
    def world(self) -> WorldDesk:
        """The GM's own hand: edits, what they would do, the record behind canon, the ledger."""
        ...

    async def entities(self, universe_id: Id, search: str = "") -> list[Entity]: ...

    async def known_as(self, universe_id: Id) -> list[str]:
        """Every name in canon, for `@` completion."""
        ...

    async def card(self, entity_id: Id) -> EntityCard: ...

    async def trace(self, turn_id: Id) -> TurnTrace: ...
