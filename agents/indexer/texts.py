"""What is indexed of what: the one place that says which words stand for a turn, a fact, a memory.

Pure. A mark is a print of everything that was indexed; another one says that the item is out of date.
Measured (design/libraries.md, "Embeddings"): a turn is found much better with its speaker's name before it
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

NEIGHBOUR: Final = 600
"""Characters of the turn before that go with a turn: of a long telling, its end, which is answered."""

BEGUN: Final = "~"
"""The mark of a scene whose turns are being brought up to date: nothing is sure of them."""

CURRENT: Final = "current"
PAST: Final = "past"
"""Scopes (`status`) of a fact: it holds still, or held once."""


class Stand(NamedTuple):
    """What a scene's own item says: `words` prints the item itself, `hero` what its turns are indexed with,
    `head` is the turn that they were brought up to, `turns` how many there are in the index, and `memories`
    where the memories stood."""

    words: str
    hero: str
    head: Id | None
    turns: int
    memories: str

    def mark(self) -> str:
        return f"{self.words}:{self.hero}:{self.head or ''}:{self.turns}:{self.memories}"


def stand_of(mark: str | None) -> Stand | None:
    """Read a scene's mark; None if it says nothing that can be relied on."""
    parts = (mark or "").split(":")
    if len(parts) != 5 or not parts[3].isdecimal():
        return None
    return Stand(parts[0], parts[1], parts[2] or None, int(parts[3]), parts[4])


def of_turn(turn: Turn, before: Turn | None, scene: Scene, hero: str) -> TextItem | None:
    """`hero` is the name of whom the player plays. None for a turn without a word."""
    said = _said(turn, hero)
    if not said:
        return None
    words = "\n".join(filter(None, (said, _said(before, hero)[-NEIGHBOUR:] if before else "")))
    return _item(turn.id, words, {**_of_scene(scene), "speaker": turn.speaker.value})


def of_scene(scene: Scene, summaries: Sequence[Summary], place: str) -> TextItem:
    """`summaries` are those that hold on the scene's line."""
    told = (scene.title, place, scene.goal, scene.summary, *(summary.text for summary in summaries))
    return _item(scene.id, _lines(told), _of_scene(scene))


def of_memory(memory: Memory, name: str) -> TextItem:
    """`name` is that of whose memory it is."""
    scope = {"universe": memory.universe_id, "entity": memory.entity_id}
    if memory.scene_id is not None:
        scope["scene"] = memory.scene_id
    return _item(memory.id, f"{name}: {memory.text}" if name else memory.text, scope)


def of_entity(entity: Entity) -> TextItem:
    words = (entity.name, *entity.aliases, entity.description, " ".join(entity.tags))
    scope = {"universe": entity.universe_id, "kind": entity.kind.value}
    return _item(entity.id, _lines(words), scope)


def of_fact(fact: Fact, names: Mapping[Id, Entity]) -> TextItem | None:
    """None for what was never true. Those whom it involves are named as they are called now."""
    if fact.status is FactStatus.RETCONNED:
        return None
    current = fact.status is FactStatus.CANONICAL and fact.valid_to is None
    called = [names[i.entity_id].name for i in fact.involves if i.entity_id in names]
    said = fact.statement.casefold()
    words = (fact.statement, ", ".join(dict.fromkeys(n for n in called if n.casefold() not in said)))
    scope = {
        "universe": fact.universe_id,
        "status": CURRENT if current else PAST,
        "kind": fact.kind.value,
        "standing": fact.standing.value,
    }
    return _item(fact.id, _lines(words), scope)


def of_snippet(snippet: Snippet) -> TextItem:
    return _item(snippet.id, snippet.text, {"universe": snippet.universe_id, "source": snippet.source_id})


def printed(*parts: str) -> str:
    """Return a short print of texts: no two that differ have the same."""
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _item(id: Id, text: str, scope: Mapping[str, str]) -> TextItem:
    return TextItem(id, text, scope, printed(text, *(f"{key}={scope[key]}" for key in sorted(scope))))


def _said(turn: Turn, hero: str) -> str:
    text = turn.text.strip()
    name = turn.name or (hero if turn.speaker is Speaker.PLAYER else "")
    return f"{name}: {text}" if name and text else text


def _of_scene(scene: Scene) -> dict[str, str]:
    return {"universe": scene.universe_id, "story": scene.story_id, "scene": scene.id}


def _lines(parts: Iterable[str]) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())
