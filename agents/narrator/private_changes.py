"""Who alone may know what a narration changed, since it was whispered or done behind a back. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from agents.context_assembly.context_package import ContextPackage
from agents.narrator.change_quotes import ChangeQuote
from agents.personas.outputs import ChangeKind, ReportedChange
from agents.prose.speech import find_speech_spans
from stores.records.canon import AssertFact, Payload, Secrecy
from stores.records.ids import Id
from stores.records.play import Turn
from stores.records.world import Entity

_SAID_KINDS: Final[frozenset[ChangeKind]] = frozenset({"promise", "debt", "question", "said", "wants"})
"""Kinds that come about by words, which only those know who heard them."""


def keep_private(
    payload: Payload,
    change: ReportedChange,
    quote: ChangeQuote,
    words: Turn | None,
    package: ContextPackage,
    find_entity: Callable[[str], Entity | None],
) -> Payload:
    """Return the change as a secret of those who alone heard of it; as it is if everybody here did."""
    if not isinstance(payload, AssertFact) or payload.secrecy is not None:
        return payload
    heard_ids = _find_hearers(change, quote, words, find_entity)
    if not heard_ids:
        return payload
    pc_id = package.scene.story.pc_id
    subject_ids = (i.entity_id for i in payload.involves if i.role == "subject")
    known_to = tuple(dict.fromkeys((*([pc_id] if pc_id else []), *heard_ids, *subject_ids)))
    if all(p.entity.id in known_to for p in package.present_npcs()):
        return payload
    return payload.model_copy(update={"secrecy": Secrecy(known_to=known_to)})


def _find_hearers(
    change: ReportedChange,
    quote: ChangeQuote,
    words: Turn | None,
    find_entity: Callable[[str], Entity | None],
) -> Collection[Id]:
    """Return who heard it, as the model says, or else who the player's whisper was for, if it was said in answer."""
    hearers = [entity.id for name in change.heard_by if (entity := find_entity(name))]
    if hearers or words is None or change.kind not in _SAID_KINDS:
        return hearers
    start, end = quote.quote.start, quote.quote.end
    is_spoken = any(a < end and start < b for a, b in find_speech_spans(quote.turn.text))
    return words.hearers if is_spoken or quote.turn is words else ()
