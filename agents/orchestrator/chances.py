"""What chance is asked besides checks: the oracle, reactions, how much, sparks, events, the scene check.

Each is a draw that the Resolver seals. Here it is made ready: names are found, and canon is read for who
is meant and for what an answer is likely to be. Source: design/product.md, "Solo procedures".
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Collection, Sequence

from agents.canon_keeper.house import ReadCatalogue
from agents.context_assembly.agenda import Agendas
from agents.context_assembly.context import ContextAssembly, SceneContext
from agents.orchestrator.declare import mentioned
from agents.orchestrator.finding import in_scene
from agents.orchestrator.people import People
from agents.resolver.bonds import bonds
from agents.resolver.clocks import finish
from agents.resolver.events import CHECK_RULE, Start, candidates_of, check_scene, random_event
from agents.resolver.how_much import how_much
from agents.resolver.likelihood import Suggestion, suggest
from agents.resolver.oracle import ask, is_event, read_likelihood
from agents.resolver.random_tables import Shelf
from agents.resolver.reaction import react
from agents.resolver.requests import Chance
from agents.resolver.sparks import spark
from stores.errors import InputError
from stores.ports import CanonReader
from stores.records.canon import Fact
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.play import Resolution
from stores.records.world import EntityKind

KINDS = frozenset({"oracle", "howmuch", "react", "spark", "event", "start", "track"})
_LEAN = re.compile(r"[+-]?[0-3]")


class Chances:
    """Makes draws ready. Stateless and read-only; `shelf` gives the random tables, the user's included."""

    def __init__(
        self,
        canon: CanonReader,
        context: ContextAssembly,
        agendas: Agendas,
        people: People,
        predicates: ReadCatalogue,
        shelf: Callable[[], Shelf],
    ) -> None:
        self._canon = canon
        self._context = context
        self._agendas = agendas
        self._people = people
        self._predicates = predicates
        self._shelf = shelf

    async def ready(self, kind: str, spec: str, context: SceneContext) -> Chance:
        """Return the draw that `spec` asks for. Raises InputError if it makes no sense here."""
        tension = context.story.tension
        match kind:
            case "oracle":
                likelihood = read_likelihood(spec)
                mode = context.story.tension_mode
                return lambda rng, faces: ask(likelihood, tension, rng, faces, mode=mode)
            case "howmuch":
                lean = _lean(spec)
                return lambda rng, faces: how_much(rng, faces, lean=lean)
            case "react":
                return await self._reaction(spec, context)
            case "event":
                return await self._event(context)
            case "start":
                return lambda rng, faces: check_scene(tension, rng, faces)
            case "track":
                track = _track((await self._agendas.of(context)).clocks, spec)
                return lambda rng, faces: finish(track, rng, faces)
        shelf = await asyncio.to_thread(self._shelf)
        spark(shelf, random.Random(0), kind=spec)  # an unknown table is told before anything is recorded
        return lambda rng, faces: spark(shelf, rng, faces, kind=spec)

    async def suggest(self, question: str, context: SceneContext) -> Suggestion:
        """Return how likely canon makes a yes, with its reasons."""
        find = in_scene(context, self._context, guess=True)
        who = context.actor()
        named = {e.id: e for e in (*await mentioned(question, find), *filter(None, (who, context.place)))}
        return suggest(
            question,
            named.values(),
            await self._facts(named),
            await self._predicates(context.universe.id),
            tick=context.tick,
            me=who.id if who else None,
            here=context.place.id if context.place else None,
        )

    async def _reaction(self, spec: str, context: SceneContext) -> Chance:
        """An NPC's first reaction to the hero, with what stands between them."""
        name, sign, amount = re.fullmatch(r"(.*?)\s*(?:([+-])\s*(\d))?", spec, re.DOTALL).groups()  # type: ignore[union-attr]
        if not name:
            raise InputError("Whose reaction?", kept="Nothing was played.", todo="As in: /react Old Tam +1")
        npc = await self._context.named(context, name)
        hero = context.actor()
        catalogue = await self._predicates(context.universe.id)
        between = (
            bonds(npc.id, hero.id, await self._facts((npc.id, hero.id)), catalogue, context.tick)
            if hero
            else ()
        )
        modifier = int(f"{sign or '+'}{amount or 0}")
        return lambda rng, faces: react(rng, faces, bonds=between, modifier=modifier)

    async def _event(self, context: SceneContext) -> Chance:
        """A random event about the campaign's own: open threads, people, places."""
        agenda = await self._agendas.of(context)
        people = await self._people.of(context, agenda)
        places = await self._canon.entities(context.universe.id, kind=EntityKind.PLACE, limit=100)
        candidates = candidates_of(agenda.threads, [(p.entity, p.chance) for p in people], places)
        shelf = await asyncio.to_thread(self._shelf)
        return lambda rng, faces: random_event(candidates, shelf, rng)

    async def _facts(self, entity_ids: Collection[Id]) -> list[Fact]:
        facts: dict[Id, Fact] = {}
        for entity_id in entity_ids:
            facts.update((f.id, f) for f in await self._canon.facts_about(entity_id, history=True, limit=300))
        return list(facts.values())


def brought_by(result: Resolution, tension: int) -> tuple[str, str] | None:
    """Return what a sealed result brings with it (kind and what is asked of it): an oracle's answer may
    bring a random event, an interrupted scene does, an altered one begins with a spark."""
    if result.rule.startswith("oracle"):
        fell = (die for die in result.dice if not die.rerolled)
        return ("event", "") if any(is_event(die.face, tension) for die in fell) else None
    if result.rule.startswith(CHECK_RULE):
        how = result.text.split(" · ")
        return ("event", "") if Start.INTERRUPTED in how else ("spark", "") if Start.ALTERED in how else None
    return None


def _track(clocks: Sequence[ProgressClock], name: str) -> ProgressClock:
    """Return the track of that very name, even if a roll has closed it that is now taken otherwise. Raises
    InputError if it is gone."""
    found = next((clock for clock in clocks if clock.is_track and clock.name == name), None)
    if found is None:
        raise InputError(
            f"There is no track {name[:60]!r}.", kept="Nothing was rolled.", todo="/track lists them."
        )
    return found


def _lean(spec: str) -> int:
    """Read how the scale leans, from -3 (little) to +3 (much)."""
    if not spec:
        return 0
    if not _LEAN.fullmatch(spec):
        raise InputError(
            f"{spec[:40]!r} does not say how it leans.",
            kept="Nothing was played.",
            todo="/howmuch, or /howmuch +2 (much is likely) down to /howmuch -3 (little is).",
        )
    return int(spec)
