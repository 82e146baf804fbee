"""Values that the play, gate and sheet screens draw, read from the stores at one moment.

A view has no handle; read it again after an event. Ticks are minutes of world time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

from stores.records.canon import Evidence, Fact
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.play import Resolution, Scene, Story, Turn
from stores.records.workflow import ProposalStatus, ProposedChange, Verdict
from stores.records.world import Entity, Number, Universe


@dataclass(frozen=True, slots=True)
class LineOutcome:
    """What became of the words of a turn, besides the story that they tell."""

    proposed_count: int = 0
    """Changes that they propose and no commit has closed."""
    heard_by: tuple[str, ...] | None = None
    """Who was told something that is theirs alone, by name; empty: all who are here. None: nobody was."""
    believed_by: tuple[str, ...] = ()
    """Who is said to believe it."""
    is_unread: bool = False
    """Whether they state something that nothing was read of."""


NO_OUTCOME: Final = LineOutcome()


@dataclass(frozen=True, slots=True)
class TurnView:
    """One row of the transcript."""

    turn: Turn
    resolution: Resolution | None = None
    take: int = 1
    """Position among its siblings, from 1."""

    take_count: int = 1
    """Number of siblings, itself included."""

    made_count: int = 0
    """Number of facts and entities that rest on it."""

    notes: tuple[str, ...] = ()
    """Out-of-character notes made at this turn."""

    rejected_effects: tuple[int, ...] = ()
    """Indexes of its result's effects that the GM rejected: they are not so."""

    is_reworded: bool = False
    """Whether it reads in other words than it was told in."""

    outcome: LineOutcome = NO_OUTCOME


@dataclass(frozen=True, slots=True)
class ConflictView:
    """Why a proposal contradicts canon, or another proposal."""

    check_name: str
    """Name of the check that found it."""

    text: str
    other_fact: Fact | None = None
    """The fact that it contradicts."""

    is_certain: bool = True
    """False where it may be harmless."""

    entity_id: Id | None = None
    """The entity that may be the same as the proposed one."""

    is_with_proposal: bool = False
    """Whether what it contradicts is an open proposal itself, and no canon."""

    is_model_doubt: bool = False
    """Whether a model thinks so, and no rule found it: it is a warning."""


@dataclass(frozen=True, slots=True)
class ProposalView:
    """A proposed change as rows draw it."""

    number: int
    """The number that `/accept N` refers to; in a scene it never means another row."""

    member_ids: tuple[Id, ...]
    """The proposals that a verdict on this row decides: its own, and earlier moves of the same clock or number."""

    proposal: ProposedChange
    status: ProposalStatus
    verdict: Verdict | None
    mark: Literal["accept", "reject", "defer", "hold"]
    """What a commit now would do with it; `hold`: it has an unresolved conflict."""

    label: str
    title: str
    group: str
    confidence: float
    reasons: tuple[str, ...] = ()
    diff: tuple[tuple[str, str, str], ...] = ()
    """Lines of (what, before, after)."""

    conflicts: tuple[ConflictView, ...] = ()
    is_critical: bool = False
    quote: str = ""
    is_quotation: bool = True
    """Whether somebody wrote the quote; else it says in the program's words what was done."""
    reading: str = ""
    """How a sentence was read (`read as: Dob Harrow — stole — glass bell`); empty for what is no sentence."""

    turn_number: int | None = None
    is_declared_after_turn: bool = False
    """Whether the quote was typed after that turn, whose words do not have it."""
    similar_matches: tuple[ConflictView, ...] = ()
    """Existing things that resemble it; worth a look, but they hold nothing back."""

    is_marked_by_rule: bool = False
    """Whether a rule of the universe's policy set the mark."""

    is_closed_by_policy: bool = False
    """Whether a commit closed it without a decision of the GM."""

    is_retconned: bool = False
    """Whether what a commit made of it was retconned since."""

    is_scenery: bool = False
    """Whether it is a detail of a place that a model found and held for minor."""

    is_superseded: bool = False
    """Whether something else took its place in canon since: it was so, and is no longer."""

    replaced_ids: tuple[Id, ...] = ()
    """Open proposals whose facts it would replace in the same commit."""

    is_replaced: bool = False
    """Whether another row that is ticked would replace it in the same commit."""


@dataclass(frozen=True, slots=True)
class UndoneDecision:
    """A decision that was taken back."""

    word: str
    """What had been done: `Accepted`."""

    proposal_ids: tuple[Id, ...]


@dataclass(frozen=True, slots=True)
class CastMember:
    """Somebody in the scene with their working state: canon with what is staged on this line."""

    entity_id: Id
    name: str
    is_pc: bool
    numbers: dict[str, Number] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    changed_keys: tuple[str, ...] = ()
    """Names of numbers and tags that differ from canon."""
    note: str = ""
    """Why they neither act nor hear, if so: `asleep`, `out of earshot`, `dead`."""
    is_note_staged: bool = False
    """Whether `note` rests on what is not canon yet."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A command that is offered for what a line says."""

    question: str
    """Why, without a full stop: `Time passes?`, `Vess is not here:`."""
    command: str
    """The whole line that does it."""

    @property
    def text(self) -> str:
        return f"{self.question} {self.command}"

    @property
    def ends_scene(self) -> bool:
        return self.command.split()[0] == "/end"


@dataclass(frozen=True, slots=True)
class ThreadView:
    """Something left open in the story."""

    id: Id
    number: int
    """The number that `/thread` takes."""

    name: str
    weight: int = 1
    kind: str = ""
    """The commitment that it shows; empty: a thread of the GM's own."""

    age: str = ""
    """Its age, in words."""

    is_open: bool = True
    closed_at: str = ""
    outcome: str = ""
    """When it was closed, in words."""

    is_proposed: bool = False
    """Whether it is not canon yet."""

    is_paying_off: bool = False
    """Whether its pay-off is proposed."""


@dataclass(frozen=True, slots=True)
class TensionSuggestion:
    """A change of tension that the scene's sealed results suggest."""

    before: int
    after: int
    reason: str


@dataclass(frozen=True, slots=True)
class SceneView:
    """Everything that the play screen shows besides the transcript."""

    universe: Universe
    story: Story
    scene: Scene
    when: str
    """World time in words."""

    state: str
    """State of the scene loop."""

    turn_count: int
    place: str
    cast: tuple[CastMember, ...]
    proposals: tuple[ProposalView, ...]
    trigger_reason: str = ""
    """Why a commit is offered now; empty: it is not."""

    offer_ids: tuple[Id, ...] = ()
    """The proposals that it would write."""

    is_offer_lapsed: bool = False
    """Whether something else was done since, so that a bare Enter does not mean it."""

    can_undo: bool = False
    can_redo: bool = False
    unfinished_count: int = 0
    """Number of exchanges whose narration was interrupted."""

    stalled_note: str = ""
    """How to go on, if the scene stands at its gate or an exchange unfinished for too long."""

    threads: tuple[ThreadView, ...] = ()
    clocks: tuple[ProgressClock, ...] = ()
    """Clocks that are open."""

    tracks: tuple[ProgressClock, ...] = ()
    """Progress tracks that are open."""

    opening_hint: str = ""
    """A suggestion for how the scene begins, until somebody acts."""

    offers: tuple[Offer, ...] = ()
    """What lines of the scene offered and nobody answered yet, the newest first."""


@dataclass(frozen=True, slots=True)
class ActionIdeas:
    """What the player's character could do next, as lines that could be typed."""

    actions: tuple[str, ...]
    note: str = ""
    """Why they are not the model's, if one was asked."""


@dataclass(frozen=True, slots=True)
class SceneEnd:
    """The last turns of the scene before."""

    title: str
    turns: tuple[TurnView, ...]


@dataclass(frozen=True, slots=True)
class GateView:
    """The proposals at a gate: of one scene or, without a scene, of the universe."""

    title: str
    universe: Universe
    scene: Scene | None
    is_finalizing: bool
    """Whether the scene is ending."""

    proposals: tuple[ProposalView, ...]
    elsewhere_count: int = 0
    """Number of proposals at the gates of scenes that are being played."""

    scene_end_lines: tuple[str, ...] = ()
    """What the end of the scene proposed by itself, and how to go on if it has stood for too long, in lines."""

    tension_suggestion: TensionSuggestion | None = None
    """A change of tension that its results suggest."""


WAITING_PLACE: Final = "Decide at the gate of the world: 3 on the menu, then g."
"""Where what a scene's end left open waits, and the keys that lead there."""


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """How many rows of the gate a commit left open, by why."""

    conflict_count: int = 0
    undecided_count: int = 0
    deferred_count: int = 0

    def describe(self) -> str:
        """Return it in words, as `2 left open: 1 in conflict, 1 not decided`; empty if nothing was left."""
        counts = (
            (self.conflict_count, "in conflict"),
            (self.undecided_count, "not decided"),
            (self.deferred_count, "deferred"),
        )
        reasons = ", ".join(f"{count} {word}" for count, word in counts if count)
        return f"{sum(count for count, _ in counts)} left open: {reasons}" if reasons else ""

    def describe_after_end(self) -> str:
        """Return it in words with where it waits once its scene is over; empty if nothing was left."""
        description = self.describe()
        return f"{description}. {WAITING_PLACE}" if description else ""


@dataclass(frozen=True, slots=True)
class CommitReport:
    """The result of one commit."""

    canonization_id: Id | None
    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    accepted_count: int
    rejected_count: int
    deferred_count: int
    held_count: int
    """Proposals left open because of a conflict."""

    left_open: LeftOpen = LeftOpen()
    """What the commit did not close, in rows."""

    failures: tuple[tuple[str, str], ...] = ()
    """Title and reason of each proposal that could not be written."""

    changes: tuple[str, ...] = ()
    """What was changed of what canon had, in words: retcons, ends, names, protection, merges."""

    replaced: tuple[tuple[Id, str], ...] = ()
    """Proposal and words of each accepted change that a later one of the same commit replaced."""

    repeated: tuple[str, ...] = ()
    """What was accepted and is in canon in the same words or meaning already."""

    statuses: Mapping[Id, ProposalStatus] = field(default_factory=dict)
    """What the commit made of each proposal that it did not leave as it was."""

    next_scene_id: Id | None = None

    open_matters: tuple[str, ...] = ()
    """What a story that is over promised, owed or asked and left open, for the GM to decide."""

    cost_line: str = ""
    """What the model cost in a story that is over, in words; empty if none was asked."""

    def describe_accepted(self) -> str:
        """Return how many were accepted and what became of them; empty if none was.

        As in `14 accepted: 12 in canon, 2 replaced by later ones in the same commit`.
        """
        if not self.accepted_count:
            return ""
        replaced_count, repeated_count = len(self.replaced), len(self.repeated)
        replaced_words = "a later one" if replaced_count == 1 else "later ones"
        parts = (
            (self.accepted_count - replaced_count - repeated_count, "in canon"),
            (replaced_count, f"replaced by {replaced_words} in the same commit"),
            (repeated_count, "said already"),
        )
        counted = ", ".join(f"{count} {words}" for count, words in parts if count)
        return f"{self.accepted_count} accepted" + (
            f": {counted}" if replaced_count or repeated_count else ""
        )


@dataclass(frozen=True, slots=True)
class StoryCard:
    """A story that can be continued."""

    story: Story
    universe: Universe
    scene: Scene | None
    state: str
    """State of the story loop."""

    scene_state: str
    scene_count: int
    turn_count: int
    last_line: str = ""
    is_suspended: bool = False
    previously_lines: tuple[str, ...] = ()
    """A recap in lines, for the story that the menu offers."""


@dataclass(frozen=True, slots=True)
class MenuView:
    """The main menu."""

    resume_story: StoryCard | None
    """The story that was played last."""

    story_count: int
    universe_count: int
    fact_count: int
    review_count: int = 0
    """Proposals of documents that wait in their reviews, those of earlier editions among them."""

    is_reading: bool = False
    """Whether a document is being read, or waits to be."""

    health: tuple[tuple[str, str], ...] = ()
    """Name and state of each store."""

    notes: tuple[str, ...] = ()
    """Messages of recovery and of the stores' health."""


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact with its evidence."""

    fact: Fact
    is_current: bool
    """False if it was superseded, ended or retconned."""

    when: str
    """Its time in words."""

    evidence: tuple[Evidence, ...] = ()
    superseded_by: str = ""
    secret_note: str = ""
    """That it is a secret, and who may know it."""


@dataclass(frozen=True, slots=True)
class EntityCard:
    """An entity with what canon says of it."""

    entity: Entity
    facts: tuple[FactView, ...]
    relations: tuple[tuple[str, Entity, FactView], ...]
    """Relation in words, the other entity, and the fact."""

    history: tuple[FactView, ...]
    """Facts that no longer hold."""

    evidence: tuple[Evidence, ...]
    appearance_titles: tuple[str, ...]
    """Titles of its scenes."""


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """Where a turn stands, and what came of it."""

    turn: Turn
    scene: Scene
    story: Story
    is_on_line: bool
    """Whether it is on the scene's current line of turns."""

    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    declared_ids: frozenset[Id] = frozenset()
    """Those of its facts, entities and proposals that were declared after it, and do not rest on its words."""

    proposals: tuple[ProposalView, ...] = ()
    """What it proposes, and what was declared after it; withdrawn if the turn is off the line."""

    resolution: Resolution | None = None
    """The sealed result that the turn shows."""

    rejected_effects: tuple[int, ...] = ()
    """Indexes of the result's effects that the GM rejected."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One line of a character sheet."""

    kind: Literal["number", "track", "tag"]
    key: str
    """The name that effects use."""

    label: str
    value_text: str = ""
    """The value in words (`7/10`); a tag has none."""

    meaning: str = ""
    number: Number | None = None
    minimum: Number | None = None
    """Lowest value by the rules, if any."""

    maximum: Number | None = None
    """Highest value by the rules, if any."""

    is_on_sheet: bool = True
    """Whether it is on the sheet itself, and not only in the rules."""

    is_staged: bool = False
    """Whether canon has another value."""

    is_gear: bool = False
    """Whether a tag is something that is carried."""

    is_gone: bool = False
    """Whether the thing that it is belongs to its owner no more: it is on the sheet and does not count."""


@dataclass(frozen=True, slots=True)
class SheetView:
    """A character sheet as the story's rules read it."""

    entity_id: Id
    name: str
    is_pc: bool
    system: str
    rows: tuple[SheetRow, ...]
    hints: tuple[str, ...] = ()
    """What the rules say of its present values."""

    load_text: str = ""
    """How much of what can be carried is: `3 of 8 slots`."""

    things: tuple[str, ...] = ()
    """What canon, or a proposal of the scene, says that they own."""

    other_sheets: tuple[tuple[Id, str], ...] = ()
    """Id and name of the other sheets of the scene."""

    known_tags: tuple[str, ...] = ()
    """Tags that the rules know."""

    last_edit_id: Id | None = None
    """The GM's own last change of it, if it is still undecided."""


@dataclass(frozen=True, slots=True)
class HeroCreation:
    """Ways to come by the numbers of a new hero."""

    keys: tuple[str, ...]
    """The numbers that they are for."""
    array: tuple[int, ...] = ()
    """Values to hand out, one to each."""
    roll: str = ""
    """Dice for each of them; empty if the rules have none."""


@dataclass(frozen=True, slots=True)
class RulePackView:
    """A rule pack, and what it puts on a new hero's sheet."""

    id: str
    name: str
    summary: str = ""
    own: bool = False
    """Whether it is one of the user's own files."""

    numbers: tuple[SheetRow, ...] = ()
    tracks: tuple[SheetRow, ...] = ()
    tags: tuple[SheetRow, ...] = ()
    creation: HeroCreation | None = None
    """How a new hero's numbers come about, besides being typed."""
    problem: str = ""
    """Why the file cannot be used, with its line; then all other fields are empty."""


class CommandTopic(StrEnum):
    """What slash commands are for, in the order in which help lists them."""

    PLAY = "Play"
    DICE = "Dice and the oracle"
    WORLD = "Say what is so"
    DECIDE = "Decide what becomes canon"
    PEOPLE = "Who is here, sheets and rests"
    STORY = "Threads, clocks and promises"
    SCENES = "Scenes, takes and time"
    ASK = "Look up and keep"
    MODEL = "The model"


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """A slash command, for help, palette and completion."""

    name: str
    usage: str
    summary: str
    needs_argument: bool = False
    topic: CommandTopic = CommandTopic.PLAY


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of one typed line."""

    kind: Literal["exchange", "operation", "nothing"]
    lines: tuple[str, ...] = ()
    """Lines for the user that are no part of the story."""

    goto: Literal[
        "",
        "gate",
        "scene",
        "story",
        "map",
        "help",
        "menu",
        "universe",
        "ledger",
        "conflict",
        "policy",
        "xray",
        "bill",
        "model",
        "prompts",
        "query",
    ] = ""
    """The screen to show next."""

    subject: Id | None = None
    """What that screen is about, such as the turn for `xray`."""

    prompt_text: str = ""
    """Text to put into the prompt: the typed line with what it still lacks, or the words of an old turn."""

    plain_line: str = ""
    """The words of a line that waits for a roll, dice or a likelihood: Esc, or another line, plays them without."""

    preparing_command: str = ""
    """The command that `lines` propose to give before the offered roll (`/state`)."""

    confirm_line: str = ""
    """The line that does it all the same, after `lines` have said what that would take. Nothing was done yet."""

    confirm_word: str = "Undo"
    """The verb for the key that sends `confirm_line`."""

    suggested_line: str = ""
    """A line, or the beginning of one, that Tab puts into the empty prompt."""

    offers: tuple[Offer, ...] = ()
    """Commands that `lines` offer: they wait until they are answered."""

    number_command: str = ""
    """The command that listed what is numbered: numbers typed alone next are what it takes (`/paid`)."""

    query_text: str = ""
    """What is asked on the `query` screen."""

    severity: Literal["information", "warning", "error"] = "information"
    scene: SceneView | None = field(default=None, compare=False)
    """What the play screen shows next, if it was asked for: it need not be read again."""
