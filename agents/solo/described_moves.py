"""Puts into words what a turn of plain narration makes of the cast, and who could not be in it. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import groupby, takewhile

from agents.context_assembly.scene_context import SceneContext
from agents.declarations.shared_names import ask_for_name, name_bearers
from agents.name_forms import join_names, name_at_start, name_within
from agents.prose.death_phrases import find_figurative_death
from agents.prose.names import names_of
from agents.solo.cast_moves import RecordedMoves
from agents.solo.journal_lines import describe_presence
from agents.solo.notices import CommandHint
from agents.views.scene_views import Offer
from stores.records.ids import Id
from stores.records.story_journal import Awareness, PlaceEntry, PresenceEntry


def describe_moves(context: SceneContext, entries: Sequence[PresenceEntry | PlaceEntry]) -> tuple[str, ...]:
    """Return a line on each entry, in the order of the words; the living who stay behind together share one."""
    known_entries = [e for e in entries if isinstance(e, PresenceEntry) and e.entity_id in context.entities]
    is_elsewhere = context.place is not None and any(
        isinstance(e, PlaceEntry) and e.place_id == context.place.id for e in entries
    )
    lines = (
        [f"The scene goes on in {name_within(context.place.name)}."] if is_elsewhere and context.place else []
    )
    if is_elsewhere:
        lines += _describe_company(context, {e.entity_id for e in known_entries})
    for is_left_behind, group in groupby(known_entries, key=lambda e: _is_left_alive(context, e)):
        moved = list(group)
        if is_left_behind:
            lines.append(_describe_left_behind([context.entities[e.entity_id].name for e in moved]))
        else:
            lines += [_describe_move(context, entry) for entry in moved]
    # Who comes in and along is said once.
    return tuple(dict.fromkeys(lines))


def _is_left_alive(context: SceneContext, entry: PresenceEntry) -> bool:
    return not entry.here and entry.is_left_behind and not _is_dead_by(context, entry)


def _is_dead_by(context: SceneContext, entry: PresenceEntry) -> bool:
    return entry.awareness is Awareness.DEAD or context.is_dead(context.entities[entry.entity_id])


def describe_acting_dead(moves: RecordedMoves) -> tuple[str, ...]:
    """Return a warning for each of the dead who do something, are spoken to or fought."""
    return tuple(f"⚠ {name_at_start(entity.name)} is dead." for entity in moves.acting_dead)


def describe_figurative_deaths(text: str, context: SceneContext) -> list[str]:
    """Return a line on each of the living here whose death the words tell as a figure of speech."""
    people = [e for e in context.present_actors() if not context.is_dead(e)]
    deaths = ((e.name, find_figurative_death(text, names_of(e))) for e in people)
    return [
        f"“{words}” is taken for a figure of speech: > {name_at_start(name)} dies. says that it is so."
        for name, words in deaths
        if words
    ]


def notice_missed(context: SceneContext, moves: RecordedMoves) -> list[CommandHint]:
    """Return the notice that those who are spoken to or fought are not here; none if all are, or died of it.

    `context` is the scene after the moves.
    """
    names = [entity.name for entity in moves.missed if not context.is_dead(entity)]
    if not names:
        return []
    command = f"/cast + {', '.join(names)}"
    verb = "is" if len(names) == 1 else "are"
    offer = Offer(f"{begin_with_names(names)} {verb} not here:", command)
    return [CommandHint(f"{offer.text} brings them in", command, (offer,))]


def describe_unclear_place(moves: RecordedMoves) -> list[str]:
    """Return a line on which of several places the hero may have gone to; the scene goes on where it was."""
    if (place := moves.unclear_place) is None:
        return []
    return [f"{name_bearers(place)}: the scene stays where it is. {ask_for_name(place)}"]


def _describe_move(context: SceneContext, entry: PresenceEntry) -> str:
    """Return in words what becomes of somebody by an entry; the death may be proposed or canon already."""
    entity = context.entities[entry.entity_id]
    if entry.is_left_behind and not entry.here and _is_dead_by(context, entry):
        return f"The body of {name_within(entity.name)} stays behind."
    own_entries = [e for e in context.scene_presence_entries() if e.entity_id == entity.id]
    earlier_entries = list(takewhile(lambda e: e.id != entry.id, own_entries))
    line = describe_presence(entry, entity.name, earlier_entries[-1] if earlier_entries else None)
    if entry.here and entry.awareness is Awareness.DEAD and not context.is_dead(entity):
        return f"{line.removesuffix('.')}: /fact {entity.name} is dead proposes it."
    return line


def _describe_company(context: SceneContext, moved_ids: Set[Id]) -> list[str]:
    """Return a line on those who are at another place now without a word on it, as they were with the hero before."""
    names = [
        actor.name
        for actor in context.present_actors()
        if actor.id not in {context.story.pc_id, *moved_ids} and not context.is_dead(actor)
    ]
    return [f"{begin_with_names(names)} {'is' if len(names) == 1 else 'are'} with you."] if names else []


def _describe_left_behind(names: Sequence[str]) -> str:
    """Return in words who stays behind, and how to take that back."""
    verb = "stays" if len(names) == 1 else "stay"
    return f"{begin_with_names(names)} {verb} behind: /cast + {', '.join(names)} brings them along."


def begin_with_names(names: Sequence[str]) -> str:
    """Return names as a sentence that begins with them lists them: `Vess, Bela and Tam`."""
    return join_names([name_at_start(names[0]), *map(name_within, names[1:])])
