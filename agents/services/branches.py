"""Branches of a world: the map, making and naming them, comparing two, and bringing canon of one to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, NamedTuple

from agents.canon_keeper.evidence_order import sort_evidence
from agents.canon_keeper.keeper import CanonKeeper
from agents.count_words import count_noun
from agents.orchestrator.branch_maker import BranchMaker, MadeBranch, branch_name_of
from agents.orchestrator.dispatcher import Dispatcher
from agents.proposals.evidence import MAX_QUOTE_LENGTH, show_words
from agents.sanitize import clean_line
from agents.services.branch_comparison import (
    CanonSide,
    build_merge_changes,
    facts_only_in,
    find_origins,
    match_entities,
)
from agents.services.branch_map import BranchMapReader
from agents.services.entity_cards import EntityCardReader
from agents.services.manual_edits import NOTHING_STAGED, Edit, ManualEdits, read_present_tick
from agents.services.play import PlayService
from agents.views.branch_views import BranchComparison, BranchMap, ComparedScene
from agents.views.world_views import StagedEdits
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery
from stores.records.canon import Evidence, Fact
from stores.records.ids import Id
from stores.records.play import GM_SPEAKERS, Scene, Speaker
from stores.records.world import Entity, Universe, key_of

ALL_FACTS: Final = 1_000_000
"""More facts than a world has: a comparison leaves none out."""


class _Difference(NamedTuple):
    """Two branches, what each has that the other has not, and which of the other's entities are the first's."""

    here: Universe
    other: Universe
    only_here: list[Fact]
    only_other: list[Fact]
    new_here: list[Entity]
    new_other: list[Entity]
    matches: Mapping[Id, Id]


@dataclass(frozen=True, slots=True)
class BranchService:
    """Reads, makes, names, compares and merges branches. Raises InputError, StoreError."""

    canon: CanonReader
    log: LogReader
    keeper: CanonKeeper
    maker: BranchMaker
    map_reader: BranchMapReader
    entity_cards: EntityCardReader
    manual_edits: ManualEdits
    dispatcher: Dispatcher
    play: PlayService

    async def read_map(self, universe_id: Id, opened_scene_ids: frozenset[Id] = frozenset()) -> BranchMap:
        """Return the main line and branches of a world; opened scenes with their other ways and takes."""
        return await self.map_reader.read_map(universe_id, opened_scene_ids=opened_scene_ids)

    async def make_branch(self, scene_id: Id, turn_id: Id | None, name: str) -> MadeBranch:
        """Make a branch from a turn of any scene (None: from before its first turn)."""
        async with self.dispatcher.exclusive():
            return await self.maker.make_branch(scene_id, turn_id, name)

    async def make_branch_after(self, scene_id: Id, name: str) -> MadeBranch:
        """Make a branch from the end of a scene; of the last one, from where play stands."""
        async with self.dispatcher.exclusive():
            return await self.maker.make_branch_after(scene_id, name)

    async def fork_story(self, story_id: Id, name: str) -> MadeBranch:
        """Make a branch of a story from where it was left."""
        async with self.dispatcher.exclusive():
            last_scene = (await self.log.scenes(story_id))[-1]
            return await self.maker.make_branch(last_scene.id, last_scene.head, name)

    async def edit_turn(self, turn_id: Id, text: str, name: str) -> Id:
        """Put a turn of an earlier scene in other words, on a branch that is made for it; return the branch's story.

        Of a GM turn the words are another take; the line of a player is played anew.
        """
        turn = await self.log.turn(turn_id)
        if turn.speaker not in (*GM_SPEAKERS, Speaker.PLAYER):
            raise InputError("What was rolled stays as it fell.", kept="Nothing was changed.")
        words = clean_line(text)
        is_players = turn.speaker is Speaker.PLAYER
        made = await self.make_branch(turn.scene_id, turn.parent_id if is_players else turn_id, name)
        if is_players:
            await self.play.submit(made.copy.scene_id, words)
        else:
            await self.play.retake(made.copy.scene_id, words)
        return made.copy.story_id

    async def rename_branch(self, universe_id: Id, typed_name: str) -> None:
        """Give a branch another name."""
        async with self.dispatcher.exclusive():
            universe = await self.canon.universe(universe_id)
            if universe.branch is None:
                raise InputError(
                    "The main line has no name of its own.",
                    kept="Nothing was changed.",
                    todo="Name a branch.",
                )
            name, universe_name = await self.maker.require_free_name(universe, typed_name)
            branch = universe.branch.model_copy(update={"name": name})
            renamed = universe.model_copy(update={"name": universe_name, "branch": branch})
            await self.keeper.update_universe(renamed, f"renamed to {universe_name}")

    async def compare(self, here_id: Id, other_id: Id) -> BranchComparison:
        """Return what is in canon of one branch and not of the other, and their scenes side by side."""
        difference = await self._read_difference(here_id, other_id)
        here, other = difference.here, difference.other
        return BranchComparison(
            here,
            other,
            branch_name_of(here),
            branch_name_of(other),
            tuple(await self.entity_cards.build_fact_views(difference.only_here, here.calendar)),
            tuple(await self.entity_cards.build_fact_views(difference.only_other, other.calendar)),
            tuple(difference.new_here),
            tuple(difference.new_other),
            tuple(await self._compare_scenes(here_id, other_id)),
        )

    async def merge(self, here_id: Id, other_id: Id) -> StagedEdits:
        """Propose here everything that is in canon of the other branch and not of this one.

        It waits at the gate of this world, each with the words it rests on there; what cannot be true beside canon
        here waits as a conflict.
        """
        difference = await self._read_difference(here_id, other_id)
        changes = build_merge_changes(
            here_id, difference.only_other, difference.new_other, difference.matches
        )
        if not changes:
            raise InputError(
                f"All that is in canon of “{branch_name_of(difference.other)}” is in canon here.",
                kept=NOTHING_STAGED,
            )
        sources = await self._describe_sources([record for _, record in changes], difference.other)
        edits = [Edit(change, sources[record.id]) for change, record in changes]
        return await self.manual_edits.stage_edits(
            here_id, edits, tick=await read_present_tick(self.log, here_id)
        )

    # --- reading -----------------------------------------------------------------------------------

    async def _read_difference(self, here_id: Id, other_id: Id) -> _Difference:
        if here_id == other_id:
            raise InputError(
                "That is the same branch.",
                kept="Nothing was changed.",
                todo="Choose another one; play stands on the one marked “here”.",
            )
        here, other = await self.canon.universe(here_id), await self.canon.universe(other_id)
        side_here, side_other = await self._read_side(here_id), await self._read_side(other_id)
        matches = match_entities(
            side_here.entities,
            side_other.entities,
            await self._read_origins(here),
            await self._read_origins(other),
        )
        reverse = {here_entity: other_entity for other_entity, here_entity in matches.items()}
        return _Difference(
            here,
            other,
            facts_only_in(side_here, side_other, lambda i: reverse.get(i, i)),
            facts_only_in(side_other, side_here, lambda i: matches.get(i, i)),
            [e for e in side_here.entities.values() if e.id not in reverse],
            [e for e in side_other.entities.values() if e.id not in matches],
            matches,
        )

    async def _read_side(self, universe_id: Id) -> CanonSide:
        entities = await self.canon.entities(universe_id, limit=ALL_FACTS)
        facts = await self.canon.facts(universe_id, FactQuery(limit=ALL_FACTS))
        return CanonSide({e.id: e for e in entities}, facts)

    async def _read_origins(self, universe: Universe) -> dict[Id, Id]:
        by_key = {key_of(u.id): u for u in (await self.canon.readable_universes()).records}
        chain: list[tuple[Universe, list[Id]]] = []
        branch = universe.branch
        while branch is not None and (parent := by_key.get(branch.parent_key)) is not None:
            chain.append((parent, [e.id for e in await self.canon.entities(parent.id, limit=ALL_FACTS)]))
            branch = parent.branch
        return find_origins(universe, chain)

    async def _compare_scenes(self, here_id: Id, other_id: Id) -> list[ComparedScene]:
        here, other = await self._read_scene_lines(here_id), await self._read_scene_lines(other_id)
        compared = [ComparedScene(one, two) for one, two in zip_longest(here, other, fillvalue="")]
        return [each for each in compared if each.here != each.other]

    async def _read_scene_lines(self, universe_id: Id) -> list[str]:
        """Return a line for each scene of the stories that the branch plays, in the order they were made."""
        scenes: list[Scene] = []
        for story in (await self.log.readable_stories(universe_id)).records:
            scenes += await self.log.scenes(story.id)
        scenes.sort(key=lambda s: (s.created_at, s.order))
        heads = await self.log.turns([s.head for s in scenes if s.head])
        return [
            f"{s.label}: {count_noun(heads[s.head].depth + 1 if s.head in heads else 0, 'turn')}"
            + (f". {s.summary}" if s.summary else "")
            for s in scenes
        ]

    async def _describe_sources(self, records: Sequence[Fact | Entity], other: Universe) -> dict[Id, str]:
        """Return for each record what it rests on there, in words: the quotes, and where they were said."""
        evidence = await self.canon.evidence_of_all([record.id for record in records])
        cited = {r.id: sort_evidence(evidence[r.id], _words_of(r))[:2] for r in records}
        pieces = [piece for each in cited.values() for piece in each]
        turns = await self.log.turns([p.turn_id for p in pieces if p.turn_id])
        scenes = await self.log.scenes_by_id([t.scene_id for t in turns.values()])
        branch_name = branch_name_of(other)

        def describe(piece: Evidence) -> str:
            turn = turns.get(piece.turn_id or "")
            place = f", {scenes[turn.scene_id].label}, turn {turn.depth + 1}" if turn else ""
            words = show_words(piece.quote, is_quotation=piece.is_quotation)
            return f"{words} (branch {branch_name}{place})"

        return {
            record_id: " ".join(describe(piece) for piece in each if piece.quote)[:MAX_QUOTE_LENGTH]
            or f"In canon of the branch {branch_name}"
            for record_id, each in cited.items()
        }


def _words_of(record: Fact | Entity) -> str:
    return record.statement if isinstance(record, Fact) else record.name
