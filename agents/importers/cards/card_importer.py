"""Imports character cards and lorebooks: keeps the file, and proposes what it says at the gate of its universe."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Final

from agents.events import EventBus, SourceAdded
from agents.importers.cards.card_proposals import (
    CardSite,
    build_card_proposals,
    build_snippets,
    card_entity_id,
    count_unproposed_facts,
)
from agents.importers.cards.card_reading import read_card
from agents.importers.cards.card_receipt import CardReceipt
from agents.importers.cards.card_values import CardFile
from agents.importers.import_records import universe_id_of
from agents.importers.import_views import ImportRequest
from agents.importers.importer import CreateUniverse, finish_despite_cancel
from agents.importers.log_entries import ImportProblem
from agents.proposals.proposals import Proposals
from agents.sanitize import MAX_TITLE_LENGTH, clean
from agents.story_outline import NewUniverse
from stores.ports import CanonReader, IngestLog, ObjectStore
from stores.records.canon import AssertFact, CreateEntity
from stores.records.ids import Clock, Id, derive_id
from stores.records.sources import CARD_MEDIA_TYPE, Source
from stores.records.workflow import ProposedChange
from stores.records.world import ACTORS, EntityKind, Universe

UNNAMED_USER: Final = "the player character"
"""What `{{user}}` stands for where nobody is named."""


@dataclass(frozen=True, slots=True)
class CardImporter:
    """Imports cards. The same file, or the same words in another file, proposes nothing twice."""

    log: IngestLog
    originals: ObjectStore
    canon: CanonReader
    proposals: Proposals
    create_universe: CreateUniverse
    exclusive: Callable[[], AbstractAsyncContextManager[None]]
    clock: Clock
    events: EventBus

    async def read(self, request: ImportRequest) -> CardFile | None:
        """Return the card or lorebook in the file, or None if it is none. Raises InputError for a broken one."""
        return None if request.form else await asyncio.to_thread(read_card, request.data)

    async def preview(self, request: ImportRequest, card: CardFile) -> CardReceipt:
        """Return what the card would propose, and where. Nothing is changed."""
        universe, name = await self._find_universe(request, card)
        receipt, _, _ = await self._prepare(request, card, universe, name)
        return receipt

    async def import_card(self, request: ImportRequest, card: CardFile) -> CardReceipt:
        """Keep the file as a source, and stage what it says. Raises InputError and StoreError."""
        universe, name = await self._find_universe(request, card)
        is_new = universe is None
        if universe is None:
            own_id = None if _requested_name(request) else universe_id_of(request.digest)
            universe = await finish_despite_cancel(self.create_universe(NewUniverse(name), own_id))
        receipt, proposals, site = await self._prepare(request, card, universe, name)
        async with self.exclusive():
            if proposals:
                await self._keep_source(request, card, site)
                await self.proposals.stage(proposals)
        return replace(receipt, new_universe=is_new)

    # --- internals -------------------------------------------------------------------------------------

    async def _prepare(
        self, request: ImportRequest, card: CardFile, universe: Universe | None, universe_name: str
    ) -> tuple[CardReceipt, list[ProposedChange], CardSite]:
        """Return the receipt, the proposals that are new, and where they go."""
        universe_id = universe.id if universe else universe_id_of(request.digest)
        site = CardSite(
            universe_id,
            derive_id("card source", universe_id, request.digest),
            await self._find_user(request, universe),
            self.clock(),
            await self._find_character(card, universe),
        )
        all_proposals = await asyncio.to_thread(build_card_proposals, card, site)
        proposed_ids = await self.log.proposals_by_id([p.id for p in all_proposals]) if universe else {}
        proposals = [p for p in all_proposals if p.id not in proposed_ids]
        changes = [p.change for p in proposals]
        lore_count = sum(isinstance(c, AssertFact) and c.lore is not None for c in changes)
        entity_count = sum(isinstance(c, CreateEntity) for c in changes)
        receipt = CardReceipt(
            form=card.form,
            universe_id=universe_id,
            universe=universe.name if universe else universe_name,
            new_universe=universe is None,
            character=card.character.name if card.character else "",
            entities=entity_count,
            facts=len(changes) - lore_count - entity_count,
            lore_entries=lore_count,
            proposed_before=len(all_proposals) - len(proposals),
            kept_texts=len(card.character.kept_texts) if card.character else 0,
            user=site.user,
            problems=(*card.problems, *_request_problems(request, card)),
        )
        return receipt, proposals, site

    async def _keep_source(self, request: ImportRequest, card: CardFile, site: CardSite) -> None:
        """Store the file and the texts that it proposes as nothing, unless they are there."""
        sources = await self.log.sources(site.universe_id)
        if any(source.id == site.source_id for source in sources):
            return
        title = " ".join(clean(PurePath(request.name).name).split())[:MAX_TITLE_LENGTH] or card.title
        source = Source(
            id=site.source_id,
            universe_id=site.universe_id,
            title=title,
            media_type=CARD_MEDIA_TYPE,
            object_key=await self.originals.put("originals", request.data),
            recorded_at=site.created_at,
        )
        await self.log.put_source(source)
        if snippets := build_snippets(card, site):
            await self.log.put_snippets(snippets)
        self.events.publish(SourceAdded(site.universe_id, site.source_id))

    async def _find_universe(self, request: ImportRequest, card: CardFile) -> tuple[Universe | None, str]:
        """Return the universe that the card goes to (None: it is created) and its name.

        Without a name it is the one that this file was imported into before, or one named as the file names itself.
        """
        requested_name, universes = _requested_name(request), await self.canon.universes()
        for universe in universes if requested_name else ():
            if requested_name.casefold() in (universe.name.casefold(), universe.id):
                return universe, universe.name
        if requested_name:
            return None, requested_name
        for universe in universes:
            source_id = derive_id("card source", universe.id, request.digest)
            sources = await self.log.sources(universe.id)
            if universe.id == universe_id_of(request.digest) or any(s.id == source_id for s in sources):
                return universe, universe.name
        name = card.title or PurePath(request.name).stem.strip() or "Imported card"
        taken_names = {universe.name.casefold() for universe in universes}
        names = (name, *(f"{name} ({number})" for number in range(2, len(taken_names) + 3)))
        return None, next(name for name in names if name.casefold() not in taken_names)

    async def _find_character(self, card: CardFile, universe: Universe | None) -> Id | None:
        """Return whom canon has under the character's name, unless the card itself proposed them."""
        if universe is None or card.character is None:
            return None
        namesakes = await self.canon.find_entity(universe.id, card.character.name)
        actors = [entity for entity in namesakes if entity.kind in ACTORS]
        own_id = card_entity_id(universe.id, card.character.name)
        return actors[0].id if len(actors) == 1 and actors[0].id != own_id else None

    async def _find_user(self, request: ImportRequest, universe: Universe | None) -> str:
        """Return the name that was given, or else that of the universe's only player character."""
        if hero := " ".join(clean(request.hero).split())[:MAX_TITLE_LENGTH]:
            return hero
        people = await self.canon.entities(universe.id, kind=EntityKind.CHARACTER) if universe else []
        heroes = [entity.name for entity in people if entity.is_pc]
        return heroes[0] if len(heroes) == 1 else UNNAMED_USER


def _requested_name(request: ImportRequest) -> str:
    return " ".join(clean(request.universe).split())


def _request_problems(request: ImportRequest, card: CardFile) -> list[ImportProblem]:
    problems = []
    if request.story.strip():
        problems.append(ImportProblem(0, "the story's title is not used: a card makes no story"))
    if unproposed := count_unproposed_facts(card):
        problems.append(
            ImportProblem(
                0, f"{unproposed:,} sentences left out: a card proposes so many facts at most", True
            )
        )
    return problems
