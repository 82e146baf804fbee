"""Says once a scene that a name in typed lines is not known, with the command that makes it known."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.declarations.misspelt_names import ask_who_is_meant, find_meant, select_similar_ids
from agents.declarations.named_entities import list_scene_entities, read_named_entities
from agents.declarations.unknown_names import UnknownName, expand_name, find_known_spans, find_unknown
from agents.declarations.unknown_things import may_be_one
from agents.solo.cast_moves import CastMoves
from agents.solo.described_moves import begin_with_names
from agents.solo.notices import CommandHint
from agents.views.scene_views import Offer
from stores.ports import CanonReader
from stores.records.ids import Id
from stores.records.world import ACTORS, EntityKind, EntityStatus, fold_name

LEFT: Final = "left and is not known:"
"""The end of an offer to make somebody known who is not here any more."""
_COMMANDS: Final = {EntityKind.CHARACTER: "/npc", EntityKind.PLACE: "/place", EntityKind.OBJECT: "/thing"}


class NameNotices:
    """Makes the notices, and remembers what was told of in which scene."""

    def __init__(self, canon: CanonReader, cast_moves: CastMoves) -> None:
        self._canon = canon
        self._cast_moves = cast_moves
        self._noted: set[tuple[Id, str]] = set()

    def add(self, context: SceneContext, words: str) -> bool:
        """Remember that something was told of in a scene; return whether it was not yet."""
        key = (context.scene.id, _key_of(words))
        is_new = key not in self._noted
        self._noted.add(key)
        return is_new

    def notice_departed(self, names: Sequence[str], context: SceneContext) -> list[CommandHint]:
        """Return a notice on each of those who were offered to be brought in and left since, not made known."""
        left = [name for name in names if (context.scene.id, _key_of(f"here {name}")) in self._noted]
        for name in left:  # if they come again, they are offered again
            self._noted.remove((context.scene.id, _key_of(f"here {name}")))
        return [
            CommandHint(
                f"“{name}” left and is not known: {command} makes them known",
                command,
                (Offer(f"“{name}” {LEFT}", command),),
            )
            for name in left
            for command in _list_commands(UnknownName(name, EntityKind.CHARACTER))
        ]

    async def notice_each(
        self, unknown_names: Sequence[UnknownName], context: SceneContext
    ) -> list[CommandHint]:
        """Return a notice on each of the names that has not been told of. Raises StoreError."""
        new_names = await self._select_new(unknown_names, context)
        return [
            _build_notice(one, question) for one, question in await self._ask_who_is_meant(new_names, context)
        ]

    async def notice_others(
        self, text: str, context: SceneContext, shared_names: Sequence[str] = ()
    ) -> list[CommandHint]:
        """Return one notice on all names of a text that have not been told of. Raises StoreError.

        `shared_names` are names of several who are known, which the reply asks about.
        """
        hero = context.player_character()
        other_words = [
            *shared_names,
            context.universe.name,
            *(context.working_state(hero).numbers if hero else ()),
        ]
        if not find_unknown(text, list_scene_entities(context), other_words):
            return []
        known = await read_named_entities(self._canon, context, text)
        unknown_names = await self._select_new(find_unknown(text, known, other_words), context)
        asked_names = await self._ask_who_is_meant(unknown_names, context)
        if len(asked_names) < 2:
            return [_build_notice(one, question) for one, question in asked_names]
        names = [f"“{one.name}”{_in_brackets(question)}" for one, question in asked_names]
        commands = [_describe_commands(one) for one, _ in asked_names]
        listed_commands = begin_with_names(commands)
        sentence = f"{begin_with_names(names)} are not known in this world: {listed_commands} make them known"
        offers = tuple(offer for one, question in asked_names for offer in _build_offers(one, question))
        return [CommandHint(sentence, offers[0].command, offers)]

    async def _select_new(
        self, unknown_names: Sequence[UnknownName], context: SceneContext
    ) -> list[UnknownName]:
        """Return the names in full, as earlier lines of the scene have them, that were not told of in it.

        That somebody may come in is told of anew; so is a place that was taken for somebody, and where the hero goes.
        """
        if not unknown_names:
            return []
        words = await self._cast_moves.read_scene_words(context)
        earlier_names = [span.name for span in find_known_spans(words, list_scene_entities(context))]
        new_names = []
        for one in unknown_names:
            one = one._replace(name=expand_name(one.name, earlier_names))
            if one.may_be_earlier and self._names_one_thing(one.name, context, words):
                continue
            if not await self._canon.find_entity(context.universe.id, one.name):
                is_new = self.add(context, one.name)
                is_new_here = one.is_here and self.add(context, f"here {one.name}")
                is_new_place = one.kind is EntityKind.PLACE and self.add(context, f"place {one.name}")
                is_new_goal = one.is_gone_to and self.add(context, f"to {one.name}")
                new_names += [one] if is_new or is_new_here or is_new_place or is_new_goal else []
        return new_names

    async def _ask_who_is_meant(
        self, unknown_names: Sequence[UnknownName], context: SceneContext
    ) -> list[tuple[UnknownName, str]]:
        """Return each name with the question whether somebody or a place is meant whose name it nearly is.

        Empty for a name that is like none, and for a thing that has no name of its own. What is nearly somebody's
        name is taken for a person.
        """
        names = [one.name for one in unknown_names if not one.name.islower()]
        if not names:
            return [(one, "") for one in unknown_names]
        folded_names = await self._canon.folded_names(context.universe.id)
        similar_ids = await asyncio.to_thread(select_similar_ids, names, folded_names)
        canon_entities = await self._canon.entities_by_id(similar_ids - context.entities.keys())
        known = [
            *list_scene_entities(context),
            *(e for e in canon_entities.values() if e.status is EntityStatus.CANONICAL and not e.merged_into),
        ]
        asked_names = list[tuple[UnknownName, str]]()
        for one in unknown_names:
            meant = find_meant(one.name, known) if one.name in names else []
            is_person = bool(meant) and all(entity.kind in ACTORS for entity in meant)
            if is_person:
                one = one._replace(kind=EntityKind.CHARACTER, may_be_place=False)
            asked_names.append((one, ask_who_is_meant(meant)))
        return asked_names

    def _names_one_thing(self, name: str, context: SceneContext, words: str) -> bool:
        """Say whether the name may mean one thing that lines of the scene told of: `purse`, a purse of silver."""
        folded_words = fold_name(words)
        things = [
            key
            for scene_id, key in self._noted
            if scene_id == context.scene.id and key in folded_words and may_be_one(name, key)
        ]
        return len(things) == 1


def _key_of(words: str) -> str:
    return fold_name(words).removeprefix("the ")


def _in_brackets(question: str) -> str:
    return f" ({question})" if question else ""


def _build_notice(one: UnknownName, question: str = "") -> CommandHint:
    """Return the notice on one name; `question`: who else may be meant by it."""
    whom = "them" if one.kind is EntityKind.CHARACTER else "it"
    effect = f"brings {whom} in" if one.is_here else f"makes {whom} known"
    offers = _build_offers(one, question)
    command = offers[0].command
    use = f"{command} {effect}"
    if len(offers) > 1:
        use = f"{offers[1].command} makes it known as a place, {command} as a person"
    text = f"“{one.name}” is not known in this world{_in_brackets(question)}: {use}"
    return CommandHint(text, command, offers)


def _build_offers(one: UnknownName, question: str = "") -> tuple[Offer, ...]:
    """Return what makes the name known: as a person, and as a place if it may be one."""
    reason = f"“{one.name}” is not known{_in_brackets(question)}:"
    return tuple(Offer(reason, command) for command in _list_commands(one))


def _list_commands(one: UnknownName) -> list[str]:
    kinds = [one.kind, *([EntityKind.PLACE] if one.may_be_place else [])]
    named = f"{'here ' if one.is_here else ''}{one.name}"
    descriptions = {EntityKind.CHARACTER: f": {one.description}" if one.description else ""}
    return [f"{_COMMANDS[kind]} {named}{descriptions.get(kind, '')}" for kind in kinds]


def _describe_commands(one: UnknownName) -> str:
    command, *others = _list_commands(one)
    return f"{command} (or {others[0]})" if others else command
