"""Prepares random draws besides checks: the oracle, reactions, how much, sparks, events, the scene check.

The Resolver seals each draw. Here names are looked up, and canon is read for who is meant and how likely an
answer is.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping, Sequence

from agents.canon_keeper.sentences.tokens import Token, build_name_book, read_tokens
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.declarations.named_entities import read_named_entities
from agents.resolver.bonds import find_bonds
from agents.resolver.clocks import finish_track
from agents.resolver.how_much import roll_amount
from agents.resolver.likelihood import LikelihoodSuggestion, suggest_likelihood
from agents.resolver.oracle import ask_oracle, is_event, read_likelihood
from agents.resolver.random_events import (
    CHECK_RULE,
    SceneStartKind,
    draw_random_event,
    event_candidates,
    roll_scene_check,
)
from agents.resolver.random_tables import draw_row
from agents.resolver.reaction import roll_reaction
from agents.resolver.resolution_requests import ChanceDraw
from agents.resolver.sparks import SPARK_KINDS, draw_spark, find_table
from agents.solo.npcs import NpcService
from agents.solo.presence_checks import require_aware
from agents.solo.universe_tables import UniverseTables
from agents.typed_text import fold_name
from stores.errors import InputError
from stores.ports import CanonReader
from stores.queries import FactsAboutQuery
from stores.records.canon import Fact
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.play import Resolution
from stores.records.world import Entity, EntityKind

_LEAN_PATTERN = re.compile(r"[+-]?[0-3]")


class OracleDraws:
    """Prepares draws from random tables, the world's and the user's included. Read-only."""

    def __init__(
        self,
        canon: CanonReader,
        context: SceneContextLoader,
        agenda_reader: StoryAgendaReader,
        npcs: NpcService,
        read_catalogue: ReadCatalogue,
        tables: UniverseTables,
    ) -> None:
        self._canon = canon
        self._context = context
        self._agenda_reader = agenda_reader
        self._npcs = npcs
        self._read_catalogue = read_catalogue
        self.tables = tables

    async def prepare_draw(self, kind: str, spec: str, context: SceneContext) -> ChanceDraw:
        """Return the draw that `spec` asks for. Raises InputError if it makes no sense here."""
        tension = context.story.tension
        match kind:
            case "oracle":
                likelihood = read_likelihood(spec)
                mode = context.story.tension_mode
                return lambda rng, faces: ask_oracle(likelihood, tension, rng, faces, mode=mode)
            case "howmuch":
                lean = _read_lean(spec)
                return lambda rng, faces: roll_amount(rng, faces, lean=lean)
            case "react":
                return await self._prepare_reaction(spec, context)
            case "event":
                return await self._prepare_event(context)
            case "start":
                return lambda rng, faces: roll_scene_check(tension, rng, faces)
            case "track":
                track = _find_track((await self._agenda_reader.read_agenda(context)).clocks, spec)
                return lambda rng, faces: finish_track(track, rng, faces)
            case "table":
                library_of_world = await self.tables.read_library(context.universe.id)
                table = find_table(library_of_world, spec)
                return lambda rng, faces: draw_row(table, rng, faces, library_of_world.tables)
        is_named = fold_name(spec) not in SPARK_KINDS
        library = (
            await self.tables.read_library(context.universe.id)
            if is_named
            else await self.tables.read_own_tables()
        )
        # An unknown table is told before anything is recorded.
        draw_spark(library, random.Random(0), kind=spec)
        return lambda rng, faces: draw_spark(library, rng, faces, kind=spec)

    async def suggest_likelihood(self, question: str, context: SceneContext) -> LikelihoodSuggestion:
        """Return how likely canon makes a yes, and why."""
        known = await read_named_entities(self._canon, context, question)
        tokens = read_tokens(question, build_name_book(known))
        named_ids = {token.entity for token in tokens if token.entity}
        actor = context.player_character()
        named_entities = {
            e.id: e for e in (*(e for e in known if e.id in named_ids), *filter(None, (actor, context.place)))
        }
        return suggest_likelihood(
            _spell_out_names(tokens, named_entities) if named_ids else question,
            named_entities.values(),
            await self._read_facts(named_entities),
            await self._read_catalogue(context.universe.id),
            tick=context.tick,
            pc_id=actor.id if actor else None,
            place_id=context.place.id if context.place else None,
        )

    async def _prepare_reaction(self, spec: str, context: SceneContext) -> ChanceDraw:
        """Return the draw of an NPC's first reaction to the hero, with their relation."""
        name, sign, amount = re.fullmatch(r"(.*?)\s*(?:([+-])\s*(\d))?", spec, re.DOTALL).groups()  # type: ignore[union-attr]
        if not name:
            others = (p.name for p in context.present_actors() if p.id != context.story.pc_id)
            todo = f"As in: /react {next(others, 'NAME')} +1"
            raise InputError("Whose reaction?", kept="Nothing was played.", todo=todo)
        npc = await self._context.find_one_entity(context, name)
        require_aware(context, npc, "to react", "Nothing was rolled.")
        hero = context.player_character()
        catalogue = await self._read_catalogue(context.universe.id)
        actor_bonds = (
            find_bonds(npc.id, hero.id, await self._read_facts((npc.id, hero.id)), catalogue, context.tick)
            if hero
            else ()
        )
        modifier = int(f"{sign or '+'}{amount or 0}")
        return lambda rng, faces: roll_reaction(
            rng, faces, bonds=actor_bonds, modifier=modifier, name=npc.name
        )

    async def _prepare_event(self, context: SceneContext) -> ChanceDraw:
        """Return the draw of a random event about open threads, people and places of the campaign."""
        agenda = await self._agenda_reader.read_agenda(context)
        people = await self._npcs.list_npcs(context, agenda)
        places = await self._canon.entities(context.universe.id, kind=EntityKind.PLACE, limit=100)
        candidates = event_candidates(agenda.threads, [(p.entity, p.event_weight) for p in people], places)
        tables = await self.tables.read_own_tables()
        return lambda rng, faces: draw_random_event(candidates, tables, rng)

    async def _read_facts(self, entity_ids: Collection[Id]) -> list[Fact]:
        facts: dict[Id, Fact] = {}
        for entity_id in entity_ids:
            facts.update(
                (f.id, f)
                for f in await self._canon.facts_about(entity_id, FactsAboutQuery(history=True, limit=300))
            )
        return list(facts.values())


def _spell_out_names(tokens: Sequence[Token], entities: Mapping[Id, Entity]) -> str:
    """Return a question with the full name of each whom it names, for comparing it with sentences of canon."""
    return " ".join(entities[token.entity].name if token.entity else token.text for token in tokens)


def followup_roll_of(result: Resolution, tension: int) -> tuple[str, str] | None:
    """Return the follow-up roll of a sealed result (its kind and question), or None.

    An oracle's answer may bring a random event, an interrupted scene does, an altered one begins with a spark.
    """
    if result.rule.startswith("oracle"):
        counted_dice = (die for die in result.dice if not die.rerolled)
        return ("event", "") if any(is_event(die.face, tension) for die in counted_dice) else None
    if result.rule.startswith(CHECK_RULE):
        text_parts = result.text.split(" · ")
        return (
            ("event", "")
            if SceneStartKind.INTERRUPTED in text_parts
            else ("spark", "")
            if SceneStartKind.ALTERED in text_parts
            else None
        )
    return None


def _find_track(clocks: Sequence[ProgressClock], name: str) -> ProgressClock:
    """Return the track of exactly that name, also if the roll that is being altered has closed it.

    Raises InputError if there is none.
    """
    matching_track = next((clock for clock in clocks if clock.is_track and clock.name == name), None)
    if matching_track is None:
        raise InputError(
            f"There is no track {name[:60]!r}.", kept="Nothing was rolled.", todo="/track lists them."
        )
    return matching_track


def _read_lean(spec: str) -> int:
    """Return how the scale leans, from -3 (little) to +3 (much)."""
    if not spec:
        return 0
    if not _LEAN_PATTERN.fullmatch(spec):
        raise InputError(
            f"{spec[:40]!r} does not say how it leans.",
            kept="Nothing was played.",
            todo="/howmuch, or /howmuch +2 (much is likely) down to /howmuch -3 (little is).",
        )
    return int(spec)
