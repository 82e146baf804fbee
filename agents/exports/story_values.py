"""What an exported story consists of, and what of it players may see. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from agents.prose.struck_words import is_stated, strike_statements
from agents.views.card_views import FactView
from agents.views.turn_views import TurnView
from stores.records.canon import Evidence
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.play import Scene, Story, Turn
from stores.records.world import Entity


@dataclass(frozen=True, slots=True)
class ExportedScene:
    """A scene with the rows of its timeline.

    `when` and `place` are in words. `notes` (out of character) were made before its first turn,
    `removed_turn_notes` at turns that were undone. `events` are lines of the story's journal by their turn, or by the
    scene before its first turn: who comes and leaves, threads, decisions.
    """

    scene: Scene
    rows: Sequence[TurnView]
    when: str = ""
    place: str = ""
    notes: Sequence[str] = ()
    removed_turn_notes: Sequence[str] = ()
    events: Mapping[Id, Sequence[str]] = field(default_factory=dict)

    def event_line(self, turn_or_scene_id: Id) -> str:
        """Return the events there as sentences on one line; empty if there are none."""
        lines = dict.fromkeys(self.events.get(turn_or_scene_id, ()))
        return " ".join(line if line.endswith((".", "!", "?", "…")) else f"{line}." for line in lines)


class StoryThread(NamedTuple):
    """An open question of a story's journal."""

    name: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class StoryRecord:
    """All that an export contains.

    `hero_name` is the player character's name, `facts` canon with its evidence, `source_titles` titles by id, `cast`
    who else was in its scenes, and the places of these.
    """

    story: Story
    scenes: Sequence[ExportedScene]
    facts: Sequence[FactView] = ()
    universe_name: str = ""
    hero_name: str = ""
    source_titles: Mapping[Id, str] = field(default_factory=dict)
    cast: Sequence[Entity] = ()
    threads: Sequence[StoryThread] = ()
    clocks: Sequence[ProgressClock] = ()


def without_secrets(record: StoryRecord, world_secrets: Sequence[str] = ()) -> StoryRecord:
    """Return what may be shown to players: without secrets, in canon or their very words, without notes and events.

    `world_secrets` are statements of the world that are secret besides those of the story itself.
    """
    secrets = [*world_secrets, *(view.fact.statement for view in record.facts if view.fact.is_secret)]

    def strike_scene(part: ExportedScene) -> ExportedScene:
        scene = part.scene.model_copy(update={"summary": strike_statements(part.scene.summary, secrets)})
        rows = [replace(row, turn=_strike_turn(row.turn, secrets), notes=()) for row in part.rows]
        told_rows = [row for row in rows if row.turn.text.strip()]
        return replace(part, scene=scene, rows=told_rows, notes=(), removed_turn_notes=(), events={})

    recap = strike_statements(record.story.recap, secrets)
    return replace(
        record,
        story=record.story.model_copy(update={"recap": recap}),
        scenes=[strike_scene(part) for part in record.scenes],
        facts=strike_secret_facts(record.facts, secrets),
        threads=[thread for thread in record.threads if not any(is_stated(thread.name, s) for s in secrets)],
    )


def strike_secret_facts(views: Iterable[FactView], secrets: Sequence[str]) -> list[FactView]:
    """Return the facts that are no secrets, with nothing secret in the words that they rest on."""
    return [
        replace(
            view,
            evidence=tuple(_strike_evidence(e, secrets) for e in view.evidence),
            superseded_by=strike_statements(view.superseded_by, secrets),
        )
        for view in views
        if not view.fact.is_secret
    ]


def _strike_turn(turn: Turn, secrets: Sequence[str]) -> Turn:
    text = strike_statements(turn.text, secrets)
    # Few turns say a secret, and a copy of each of many thousands takes seconds.
    return turn if text == turn.text else turn.model_copy(update={"text": text})


def _strike_evidence(evidence: Evidence, secrets: Sequence[str]) -> Evidence:
    quote = strike_statements(evidence.quote, secrets)
    return evidence if quote == evidence.quote else evidence.model_copy(update={"quote": quote})
