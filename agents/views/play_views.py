"""What screens draw: plain values that the Orchestrator hands out, read from the stores at that moment.

A view holds no handle and no truth of its own; ask again after an event. Ticks are minutes of world time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from stores.records.canon import Evidence, Fact
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.play import Resolution, Scene, Story, Turn
from stores.records.workflow import ProposalStatus, ProposedChange, Verdict
from stores.records.world import Entity, Number, Universe


@dataclass(frozen=True, slots=True)
class TurnView:
    """One row of the transcript. `take`/`takes` count siblings; `made` the facts and entities that
    rest on it; `notes` were made out of character while play stood on it."""

    turn: Turn
    resolution: Resolution | None = None
    take: int = 1
    takes: int = 1
    made: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConflictView:
    """Why a proposal cannot stand beside canon. `rule` names the check, `other` the fact that it meets;
    `entity_id` who or what may be the same as what it would bring in."""

    rule: str
    text: str
    other: Fact | None = None
    certain: bool = True
    entity_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ProposalView:
    """A proposed change as rows draw it.

    `mark`: what a commit now would do with it: accept, reject, defer, or hold (it meets a conflict).
    `diff`: lines of (what, before, after). `number` is what `/accept N` means. `alike` are known things
    that are much like what it would bring in: worth a look, and nothing is held for it. `by_rule` says
    that a rule of the house made the mark; `by_policy`, that a commit closed it and nobody had decided it.
    """

    number: int
    proposal: ProposedChange
    status: ProposalStatus
    verdict: Verdict | None
    mark: Literal["accept", "reject", "defer", "hold"]
    label: str
    title: str
    group: str
    confidence: float
    reasons: tuple[str, ...] = ()
    diff: tuple[tuple[str, str, str], ...] = ()
    conflicts: tuple[ConflictView, ...] = ()
    critical: bool = False
    quote: str = ""
    turn_number: int | None = None
    alike: tuple[ConflictView, ...] = ()
    by_rule: bool = False
    by_policy: bool = False


@dataclass(frozen=True, slots=True)
class CastMember:
    """Someone in the scene with the working state: canon and what is staged on the line, folded."""

    entity_id: Id
    name: str
    is_pc: bool
    numbers: dict[str, Number] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadView:
    """Something left open. `number` is what `/thread` takes; `kind` names the commitment that it shows
    (empty: a thread of the GM's own), `proposed` one that is not canon yet, `paying` one whose pay-off is
    proposed. `age` and `closed` are in words."""

    id: Id
    number: int
    name: str
    weight: int = 1
    kind: str = ""
    age: str = ""
    open: bool = True
    closed: str = ""
    proposed: bool = False
    paying: bool = False


@dataclass(frozen=True, slots=True)
class TensionOffer:
    """Where a scene's sealed results would move the tension, and why."""

    before: int
    after: int
    why: str


@dataclass(frozen=True, slots=True)
class SceneView:
    """All that the Scene screen shows but the transcript. `state` is the scene loop's; `clocks` and
    `tracks` are those that run; `opening` is a line on how the scene may begin, until somebody acts."""

    universe: Universe
    story: Story
    scene: Scene
    when: str
    state: str
    turns: int
    place: str
    cast: tuple[CastMember, ...]
    proposals: tuple[ProposalView, ...]
    trigger: str = ""
    can_undo: bool = False
    can_redo: bool = False
    unfinished: int = 0
    threads: tuple[ThreadView, ...] = ()
    clocks: tuple[ProgressClock, ...] = ()
    tracks: tuple[ProgressClock, ...] = ()
    opening: str = ""


@dataclass(frozen=True, slots=True)
class GateView:
    """Everything that waits at the gate: of one scene, or (scene None) of a universe without one.

    `elsewhere` counts what waits at the gates of scenes that are being played. `told` is what the scene's
    end has brought by itself, `tension` where its results would move the tension.
    """

    title: str
    universe: Universe
    scene: Scene | None
    finalizing: bool
    proposals: tuple[ProposalView, ...]
    elsewhere: int = 0
    told: tuple[str, ...] = ()
    tension: TensionOffer | None = None


@dataclass(frozen=True, slots=True)
class CommitReport:
    """What one commit did."""

    canonization_id: Id | None
    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    accepted: int
    rejected: int
    deferred: int
    held: int
    failed: tuple[tuple[str, str], ...] = ()
    next_scene_id: Id | None = None


@dataclass(frozen=True, slots=True)
class StoryCard:
    """A story to go on with; `previously` is read for the one that the menu offers."""

    story: Story
    universe: Universe
    scene: Scene | None
    state: str
    scene_state: str
    scenes: int
    turns: int
    last_line: str = ""
    suspended: bool = False
    previously: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MenuView:
    """`resume` is the story that was played last. `notes` are lines from recovery and store health."""

    resume: StoryCard | None
    stories: int
    universes: int
    facts: int
    health: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactView:
    """A fact with what it rests on; `current` is false for what was superseded, ended or retconned."""

    fact: Fact
    current: bool
    when: str
    evidence: tuple[Evidence, ...] = ()
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class EntityCard:
    entity: Entity
    facts: tuple[FactView, ...]
    relations: tuple[tuple[str, Entity, FactView], ...]
    history: tuple[FactView, ...]
    evidence: tuple[Evidence, ...]
    appears_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """Where a turn stands, and what it made true. `proposals` are what it would make true: they wait, or
    (for a turn off the line) are withdrawn. `resolution` is the sealed result that the turn shows."""

    turn: Turn
    scene: Scene
    story: Story
    on_line: bool
    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    proposals: tuple[ProposalView, ...] = ()
    resolution: Resolution | None = None


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One line of a sheet. `key` is what an effect calls it, `shown` its value in words (`7/10`; a tag has
    none); `number` runs from `low` to `high` where the rules say so. `own`: it stands on the sheet itself,
    not just in the rules. `staged`: canon does not have it so."""

    kind: Literal["number", "track", "tag"]
    key: str
    label: str
    shown: str = ""
    meaning: str = ""
    number: Number | None = None
    low: Number | None = None
    high: Number | None = None
    own: bool = True
    staged: bool = False


@dataclass(frozen=True, slots=True)
class SheetView:
    """Somebody's sheet as the story's rules read it. `hints` are what the rules say of it as it stands,
    `others` whose sheets lie beside it, `tags` those that the rules know. `last_edit` is the GM's own last
    change of it that is still undecided."""

    entity_id: Id
    name: str
    is_pc: bool
    system: str
    rows: tuple[SheetRow, ...]
    hints: tuple[str, ...] = ()
    others: tuple[tuple[Id, str], ...] = ()
    tags: tuple[str, ...] = ()
    last_edit: Id | None = None


@dataclass(frozen=True, slots=True)
class SystemView:
    """A rule pack: what it is like, and what stands on a new hero's sheet. `problem` (of a file that cannot
    be used) says which line is wrong; then all else is empty."""

    id: str
    name: str
    summary: str = ""
    own: bool = False
    numbers: tuple[SheetRow, ...] = ()
    tracks: tuple[SheetRow, ...] = ()
    tags: tuple[SheetRow, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """A slash command, for help, palette and completion."""

    name: str
    usage: str
    summary: str
    needs_argument: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one typed line.

    `lines` are for the user and no part of the story; `goto` asks the screen to show another one (`xray`: of
    the turn `subject`); `text` puts words back into the prompt (a branch re-opens the old turn's words);
    `words` are what is asked there (`query`).
    """

    kind: Literal["exchange", "operation", "nothing"]
    lines: tuple[str, ...] = ()
    goto: Literal[
        "",
        "gate",
        "scene",
        "help",
        "menu",
        "universe",
        "ledger",
        "court",
        "house",
        "xray",
        "bill",
        "model",
        "query",
    ] = ""
    subject: Id | None = None
    text: str = ""
    words: str = ""
    severity: Literal["information", "warning", "error"] = "information"
    scene: SceneView | None = field(default=None, compare=False)
    """What the play screen shows next, if it was asked for: it need not be read again."""
