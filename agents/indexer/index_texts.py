"""Builds the indexed text of turns, facts, memories and other items.

A fingerprint is a short hash of everything that is indexed; a different one means that the item is out of
date. Measured: a turn is found much better with its speaker's name before it and the turn that it answers
after it; by words, also with the turn that answers it, if its own words count more than those of both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from stores.ports import TextItem
from stores.records.canon import Fact, FactStatus
from stores.records.ids import Id
from stores.records.memory import Memory, Summary
from stores.records.play import Scene, Speaker, Turn
from stores.records.sources import Snippet
from stores.records.world import Entity

OWN_COPIES_OF_WORDS: Final = 2
"""How often the index of words holds a turn's own: what it says weighs more than what is said beside it."""
MAX_NEIGHBOUR_CHARS: Final = 600
"""Characters of a neighbouring turn that are indexed with a turn: of a long one, what is nearest to it."""


class TurnNeighbours(StrEnum):
    """The turns whose text an index holds with a turn's own.

    The value is part of what a scene's fingerprint covers: an index with another has its turns indexed again.
    """

    PREVIOUS = "1"
    """For vectors: one more turn in a text blurs its meaning, and each new turn would be embedded twice."""
    BOTH = "3"
    """For words, which hold a turn's own words twice, and its days (`day_words`)."""


UNFINISHED: Final = "~"
"""The fingerprint of a scene whose turns are being indexed."""

CURRENT: Final = "current"
PAST: Final = "past"
"""Values of the scope `status` of a fact: it holds now, or held once."""


class SceneFingerprint(NamedTuple):
    """What a scene's own item says about the state of the index."""

    text_fingerprint: str
    """Of the item's own text."""
    pc_fingerprint: str
    """Of what its turns are indexed with."""
    head_id: Id | None
    """The turn up to which turns are indexed."""
    turn_count: int
    """Turns of the scene in the index."""
    memory_fingerprint: str
    """How far memories were written."""

    def as_text(self) -> str:
        return (
            f"{self.text_fingerprint}:{self.pc_fingerprint}"
            f":{self.head_id or ''}:{self.turn_count}:{self.memory_fingerprint}"
        )


def parse_scene_fingerprint(fingerprint_text: str | None) -> SceneFingerprint | None:
    """Parse a scene's fingerprint; None if it is not valid."""
    parts = (fingerprint_text or "").split(":")
    if len(parts) != 5 or not parts[3].isdecimal():
        return None
    return SceneFingerprint(parts[0], parts[1], parts[2] or None, int(parts[3]), parts[4])


def build_turn_item(
    turn: Turn,
    previous_turn: Turn | None,
    next_turn: Turn | None,
    scene: Scene,
    pc_name: str,
    *,
    own_copies: int = 1,
    day_words: Sequence[str] = (),
) -> TextItem | None:
    """Build a turn's item, or None for a turn without words; `pc_name` is the player character's name."""
    spoken_text = _spoken_text(turn, pc_name)
    if not spoken_text:
        return None
    item_text = "\n".join(
        filter(
            None,
            (
                *(spoken_text,) * own_copies,
                _spoken_text(previous_turn, pc_name)[-MAX_NEIGHBOUR_CHARS:] if previous_turn else "",
                _spoken_text(next_turn, pc_name)[:MAX_NEIGHBOUR_CHARS] if next_turn else "",
                " ".join(day_words),
            ),
        )
    )
    item = _build_item(turn.id, item_text, {**_scene_scope(scene), "speaker": turn.speaker.value})
    return item._replace(own_length=len("\n".join((spoken_text,) * own_copies)))


def build_scene_item(scene: Scene, summaries: Sequence[Summary], place: str) -> TextItem:
    """Build a scene's item; `summaries` are those that count on the scene's line."""
    text_parts = (scene.title, place, scene.goal, scene.summary, *(summary.text for summary in summaries))
    return _build_item(scene.id, _join_lines(text_parts), _scene_scope(scene))


def build_memory_item(memory: Memory, name: str) -> TextItem:
    """Build a memory's item; `name` is the name of its owner."""
    scope = {"universe": memory.universe_id, "entity": memory.entity_id}
    if memory.scene_id is not None:
        scope["scene"] = memory.scene_id
    return _build_item(memory.id, f"{name}: {memory.text}" if name else memory.text, scope)


def build_entity_item(entity: Entity) -> TextItem:
    text_parts = (entity.name, *entity.aliases, entity.description, " ".join(entity.tags))
    scope = {"universe": entity.universe_id, "kind": entity.kind.value}
    return _build_item(entity.id, _join_lines(text_parts), scope)


def build_fact_item(fact: Fact, entities_by_id: Mapping[Id, Entity]) -> TextItem | None:
    """Build a fact's item, with current names; None if the fact was never true."""
    if fact.status is FactStatus.RETCONNED:
        return None
    is_current = fact.status is FactStatus.CANONICAL and fact.valid_to is None
    involved_names = [
        entities_by_id[i.entity_id].name for i in fact.involves if i.entity_id in entities_by_id
    ]
    folded_statement = fact.statement.casefold()
    text_parts = (
        fact.statement,
        ", ".join(dict.fromkeys(n for n in involved_names if n.casefold() not in folded_statement)),
    )
    scope = {
        "universe": fact.universe_id,
        "status": CURRENT if is_current else PAST,
        "kind": fact.kind.value,
        "standing": fact.standing.value,
    }
    return _build_item(fact.id, _join_lines(text_parts), scope)


def build_snippet_item(snippet: Snippet) -> TextItem:
    return _build_item(
        snippet.id, snippet.text, {"universe": snippet.universe_id, "source": snippet.source_id}
    )


def compute_fingerprint(*parts: str) -> str:
    """Return a short hash of texts."""
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _build_item(id: Id, text: str, scope: Mapping[str, str]) -> TextItem:
    fingerprint = compute_fingerprint(text, *(f"{key}={scope[key]}" for key in sorted(scope)))
    return TextItem(id, text, scope, fingerprint, own_length=len(text))


def _spoken_text(turn: Turn, pc_name: str) -> str:
    text = turn.text.strip()
    name = turn.name or (pc_name if turn.speaker is Speaker.PLAYER else "")
    return f"{name}: {text}" if name and text else text


def _scene_scope(scene: Scene) -> dict[str, str]:
    return {"universe": scene.universe_id, "story": scene.story_id, "scene": scene.id}


def _join_lines(parts: Iterable[str]) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())
