"""What is indexed of what: the one place that says which words stand for a turn, a fact, a memory.

Pure. A mark is a print of everything that was indexed; another one says that the item is out of date.
Measured: a turn is found much better with its speaker's name before it
and its neighbour, the turn that it answers, behind it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from stores.ports import TextItem
from stores.records.canon import Fact, FactStatus
from stores.records.ids import Id
from stores.records.memory import Memory, Summary
from stores.records.play import Scene, Speaker, Turn
from stores.records.sources import Snippet
from stores.records.world import Entity

MAX_PREVIOUS_CHARS: Final = 600
"""Characters of the turn before that go with a turn: of a long telling, its end, which is answered."""

UNFINISHED: Final = "~"
"""The mark of a scene whose turns are being brought up to date: nothing is sure of them."""

CURRENT: Final = "current"
PAST: Final = "past"
"""Scopes (`status`) of a fact: it holds still, or held once."""


class SceneFingerprint(NamedTuple):
    """What a scene's own item says: `words` prints the item itself, `hero` what its turns are indexed with,
    `head` is the turn that they were brought up to, `turns` how many there are in the index, and `memories`
    where the memories stood."""

    text_fingerprint: str
    pc_fingerprint: str
    head_id: Id | None
    turn_count: int
    memory_fingerprint: str

    def as_text(self) -> str:
        return (
            f"{self.text_fingerprint}:{self.pc_fingerprint}"
            f":{self.head_id or ''}:{self.turn_count}:{self.memory_fingerprint}"
        )


def parse_scene_fingerprint(fingerprint_text: str | None) -> SceneFingerprint | None:
    """Read a scene's mark; None if it says nothing that can be relied on."""
    parts = (fingerprint_text or "").split(":")
    if len(parts) != 5 or not parts[3].isdecimal():
        return None
    return SceneFingerprint(parts[0], parts[1], parts[2] or None, int(parts[3]), parts[4])


def build_turn_item(turn: Turn, previous_turn: Turn | None, scene: Scene, pc_name: str) -> TextItem | None:
    """`hero` is the name of whom the player plays. None for a turn without a word."""
    spoken_text = _spoken_text(turn, pc_name)
    if not spoken_text:
        return None
    item_text = "\n".join(
        filter(
            None,
            (
                spoken_text,
                _spoken_text(previous_turn, pc_name)[-MAX_PREVIOUS_CHARS:] if previous_turn else "",
            ),
        )
    )
    return _build_item(turn.id, item_text, {**_scene_scope(scene), "speaker": turn.speaker.value})


def build_scene_item(scene: Scene, summaries: Sequence[Summary], place: str) -> TextItem:
    """`summaries` are those that hold on the scene's line."""
    text_parts = (scene.title, place, scene.goal, scene.summary, *(summary.text for summary in summaries))
    return _build_item(scene.id, _join_lines(text_parts), _scene_scope(scene))


def build_memory_item(memory: Memory, name: str) -> TextItem:
    """`name` is that of whose memory it is."""
    scope = {"universe": memory.universe_id, "entity": memory.entity_id}
    if memory.scene_id is not None:
        scope["scene"] = memory.scene_id
    return _build_item(memory.id, f"{name}: {memory.text}" if name else memory.text, scope)


def build_entity_item(entity: Entity) -> TextItem:
    text_parts = (entity.name, *entity.aliases, entity.description, " ".join(entity.tags))
    scope = {"universe": entity.universe_id, "kind": entity.kind.value}
    return _build_item(entity.id, _join_lines(text_parts), scope)


def build_fact_item(fact: Fact, entities_by_id: Mapping[Id, Entity]) -> TextItem | None:
    """None for what was never true. Those whom it involves are named as they are called now."""
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
    """Return a short print of texts: no two that differ have the same."""
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _build_item(id: Id, text: str, scope: Mapping[str, str]) -> TextItem:
    return TextItem(
        id, text, scope, compute_fingerprint(text, *(f"{key}={scope[key]}" for key in sorted(scope)))
    )


def _spoken_text(turn: Turn, pc_name: str) -> str:
    text = turn.text.strip()
    name = turn.name or (pc_name if turn.speaker is Speaker.PLAYER else "")
    return f"{name}: {text}" if name and text else text


def _scene_scope(scene: Scene) -> dict[str, str]:
    return {"universe": scene.universe_id, "story": scene.story_id, "scene": scene.id}


def _join_lines(parts: Iterable[str]) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())
