"""Has the Monitor persona suggest a story from the GM's words, to fill the set-up form. Read-only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agents.llm.call_context import CallContext, PersonaCalls, PromptParts
from agents.llm.errors import BudgetExhausted, ModelError
from agents.personas.outputs import StoryIdea
from agents.personas.personas import Monitor
from agents.sanitize import clean
from stores.errors import InputError
from stores.ports import CanonReader
from stores.queries import FactQuery
from stores.records.canon import FactKind
from stores.records.ids import Id, IdGenerator
from stores.records.world import Entity, EntityKind, Universe

MAX_IDEA_LENGTH: Final = 2_000
"""Characters that are accepted: a sentence or two, or a paragraph."""
FORM_UNCHANGED: Final = "The form is as it was."
MAX_RULES: Final = 20
MAX_CHARACTERS: Final = 30
MAX_PLACES: Final = 20


class StoryIdeas:
    """Suggests stories."""

    def __init__(self, calls: PersonaCalls, canon: CanonReader, ids: IdGenerator) -> None:
        self._monitor = Monitor(calls)
        self._canon = canon
        self._ids = ids

    async def suggest_story(
        self, universe_id: Id | None, typed_idea: str, world_description: str
    ) -> StoryIdea:
        """Return an idea for a story in this universe, or in the described one if there is none yet.

        Each call costs, by the universe's budget. Raises InputError without words, or with too many;
        ModelError.
        """
        idea_text = _clean_idea(typed_idea)
        universe = await self._canon.universe(universe_id) if universe_id else None
        sections = await self._build_sections(universe) if universe else {"world": world_description}
        call_context = CallContext(universe_id or "", None, None, self._ids.new())
        try:
            return await self._monitor.suggest_story(idea_text, sections, call_context)
        except ModelError as error:
            error.kept = FORM_UNCHANGED
            if isinstance(error, BudgetExhausted):
                error.todo = "Bill on the menu raises it; or fill the form in yourself."
            raise

    async def _build_sections(self, universe: Universe) -> PromptParts:
        characters = await self._canon.entities(universe.id, kind=EntityKind.CHARACTER, limit=MAX_CHARACTERS)
        places = await self._canon.entities(universe.id, kind=EntityKind.PLACE, limit=MAX_PLACES)
        rules = await self._canon.facts(universe.id, FactQuery(kind=FactKind.AXIOM))
        world_lines = (universe.name, universe.genre, universe.tone, universe.description)
        return {
            "world": "\n".join(filter(None, world_lines)),
            "rules": "\n".join(f"- {rule.statement}" for rule in rules[:MAX_RULES]),
            "cast": _list_entities(characters),
            "named": _list_entities(places),
        }


def _clean_idea(typed_idea: str) -> str:
    idea_text = clean(typed_idea)
    if not idea_text:
        raise InputError(
            "There is nothing to make a story of.", kept=FORM_UNCHANGED, todo="A sentence or two will do."
        )
    if len(idea_text) > MAX_IDEA_LENGTH:
        raise InputError(
            f"That is {len(idea_text):,} characters; {MAX_IDEA_LENGTH:,} is the most.",
            kept=FORM_UNCHANGED,
            todo="Say it shorter.",
        )
    return idea_text


def _list_entities(entities: Iterable[Entity]) -> str:
    return "\n".join(f"- {e.name}: {' '.join(e.description.split())}".rstrip(": ") for e in entities)
