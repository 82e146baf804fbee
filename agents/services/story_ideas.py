"""A story begun in words: what the world has is told to the Monitor, whose idea fills a form. Read only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agents.llm.call_context import CallContext, PersonaCalls, PromptParts
from agents.llm.errors import BudgetExhausted, ModelError
from agents.personas.monitor import Monitor
from agents.personas.outputs import StoryIdea
from agents.sanitize import clean
from stores.errors import InputError
from stores.ports import CanonReader
from stores.records.canon import FactKind
from stores.records.ids import Id, IdGenerator
from stores.records.world import Entity, EntityKind, Universe

LONGEST: Final = 2_000
"""Characters that are taken: a sentence or two, or a paragraph."""
KEPT: Final = "The form is as it was."
MOST_RULES: Final = 20
MOST_PEOPLE: Final = 30
MOST_PLACES: Final = 20


class Imagining:
    """Has stories imagined. Stateless."""

    def __init__(self, calls: PersonaCalls, canon: CanonReader, ids: IdGenerator) -> None:
        self._monitor = Monitor(calls)
        self._canon = canon
        self._ids = ids

    async def idea(self, universe_id: Id | None, words: str, world: str) -> StoryIdea:
        """Return an idea for a story in this universe, or (None) in the `world` of these words, which is not
        created yet. Each time is a call of its own, on the universe's bill.

        Raises InputError without words, or with too many; ModelError.
        """
        wanted = _wanted(words)
        universe = await self._canon.universe(universe_id) if universe_id else None
        sections = await self._of(universe) if universe else {"world": world}
        occasion = CallContext(universe_id or "", None, None, self._ids.new())
        try:
            return await self._monitor.suggest_story(wanted, sections, occasion)
        except ModelError as error:
            error.kept = KEPT
            if isinstance(error, BudgetExhausted):
                error.todo = "Bill on the menu raises it; or fill the form in yourself."
            raise

    async def _of(self, universe: Universe) -> PromptParts:
        people = await self._canon.entities(universe.id, kind=EntityKind.CHARACTER, limit=MOST_PEOPLE)
        places = await self._canon.entities(universe.id, kind=EntityKind.PLACE, limit=MOST_PLACES)
        rules = await self._canon.facts(universe.id, kind=FactKind.AXIOM)
        about = (universe.name, universe.genre, universe.tone, universe.description)
        return {
            "world": "\n".join(filter(None, about)),
            "rules": "\n".join(f"- {rule.statement}" for rule in rules[:MOST_RULES]),
            "cast": _listed(people),
            "named": _listed(places),
        }


def _wanted(words: str) -> str:
    wanted = clean(words)
    if not wanted:
        raise InputError("There is nothing to make a story of.", kept=KEPT, todo="A sentence or two will do.")
    if len(wanted) > LONGEST:
        raise InputError(
            f"That is {len(wanted):,} characters; {LONGEST:,} is the most.", kept=KEPT, todo="Say it shorter."
        )
    return wanted


def _listed(entities: Iterable[Entity]) -> str:
    return "\n".join(f"- {e.name}: {' '.join(e.description.split())}".rstrip(": ") for e in entities)
