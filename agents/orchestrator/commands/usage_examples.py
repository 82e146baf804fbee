"""Says what a command that was typed alone lacks, with an example in names of this world."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.views.replies import CommandHelp
from stores.errors import InputError
from stores.ports import CanonReader
from stores.records.world import EntityKind

_LACKED_PARTS: Final = {"NAME": "a name", "PLACE": "a place", "WORDS": "words"}
"""What a word of a usage in capital letters stands for."""
_PLACEHOLDER: Final = re.compile(r"\b(?:NAME|PLACE|THING)\b")
_KINDS: Final = {"PLACE": EntityKind.PLACE, "THING": EntityKind.OBJECT}
_MAX_READ: Final = 10
"""Places or things that are read to name one."""
_OF_KNOWN_NAMES: Final = frozenset(("fact", "secret", "state", "go", "show", "picture"))
"""Commands that are about what is known; behind others a NAME is a new one."""


async def missing_argument_error(
    command_help: CommandHelp, typed_name: str, context: SceneContext, canon: CanonReader
) -> InputError:
    """Return the error for a command without what it needs: what that is, and an example of this world."""
    first_word = command_help.usage.split()[1].strip(":,")
    return InputError(
        f"/{typed_name} needs {_LACKED_PARTS.get(first_word, 'something')} after it.",
        kept="Nothing was changed.",
        todo=f"As in: {await _name_known(command_help, context, canon)}",
    )


async def _name_known(command_help: CommandHelp, context: SceneContext, canon: CanonReader) -> str:
    """Return the usage of a command with names of this world in it; a part that nothing is known for stays."""
    if command_help.name not in _OF_KNOWN_NAMES:
        return command_help.usage
    names_by_placeholder = {"NAME": _list_people(context)}
    for placeholder, kind in _KINDS.items():
        if placeholder in command_help.usage:
            known_entities = await canon.entities(context.universe.id, kind=kind, limit=_MAX_READ)
            names_by_placeholder[placeholder] = (e.name for e in known_entities if e != context.place)
    return _PLACEHOLDER.sub(lambda match: next(names_by_placeholder[match[0]], match[0]), command_help.usage)


def _list_people(context: SceneContext) -> Iterator[str]:
    """Return the names of those who are here, the hero last, and again from the first."""
    people = sorted(context.present_actors(), key=lambda person: person.id == context.story.pc_id)
    while people:
        yield from (person.name for person in people)
