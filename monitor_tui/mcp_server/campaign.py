"""One universe, open for one request of a chat client: what it may read, in lines of text.

Every request opens the library anew and only for reading: it sees what play has written up to now, and holds nothing
open between two requests.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from agents.embeddings import Embedding
from agents.indexer.embedding_port import Embedder
from agents.sanitize import clean
from agents.services.services import Services
from agents.views.menu_views import StoryCard
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from monitor_tui.mcp_server.held_back import NOTHING_HELD_BACK, HeldBack, read_held_back
from monitor_tui.mcp_server.no_model import NoModel
from stores.authority import Role
from stores.errors import InputError
from stores.open import open_stores_beside, read_store_kinds
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.world import Entity, Universe

Item = TypeVar("Item")

MAX_ANSWER_LENGTH: Final = 24_000
"""Characters of one answer; a scene of an evening has about as many."""
MAX_LISTED_NAMES: Final = 12
_CUT_NOTE: Final = "… cut here: ask for less, or for something narrower."


@dataclass(frozen=True, slots=True)
class CampaignAccess:
    """What a server may show."""

    home: Path
    universe: str = ""
    """The only universe that it reads, by its name; empty: all of them."""
    with_secrets: bool = False
    """Whether it also shows the secrets that no hero may know."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """An open universe."""

    program: Program
    universe: Universe
    held_back: HeldBack

    @property
    def services(self) -> Services:
        return self.program.services

    @property
    def canon(self) -> CanonReader:
        return self.program.stores.canon(Role.CONTEXT_ASSEMBLY)

    @property
    def log(self) -> LogReader:
        return self.program.stores.log(Role.CONTEXT_ASSEMBLY)

    async def find_story(self, title: str = "") -> StoryCard:
        """Return the story of that title, or the one that was played last. Raises InputError."""
        cards = [c for c in await self.services.stories.stories() if c.universe.id == self.universe.id]
        if title.strip():
            return pick_named("story", title, [(c.story.id, c.story.title, c) for c in cards])
        if not cards:
            raise InputError(
                f"No story was played in {self.universe.name} yet.", todo="Begin one in MONITOR first."
            )
        last_played = [(await self._read_last_moment(card), n) for n, card in enumerate(cards)]
        return cards[max(last_played)[1]]

    async def _read_last_moment(self, card: StoryCard) -> str:
        scenes = await self.log.scenes(card.story.id)
        heads = await self.log.turns([scene.head for scene in scenes if scene.head])
        return max((turn.created_at for turn in heads.values()), default=card.story.created_at).isoformat()

    async def find_scene(self, number: int | None, story_title: str = "") -> tuple[StoryCard, Scene]:
        """Return a scene of a story by its number; without one, the last. Raises InputError."""
        card = await self.find_story(story_title)
        scenes = await self.log.scenes(card.story.id)
        if not scenes:
            raise InputError(f"“{card.story.title}” has no scene yet.")
        if number is None:
            return card, scenes[-1]
        matching = [scene for scene in scenes if scene.order == number]
        if not matching:
            raise InputError(
                f"“{card.story.title}” has no scene {number}.",
                todo=f"Its scenes are {scenes[0].order} to {scenes[-1].order}.",
            )
        return card, matching[0]

    async def find_entity(self, name: str) -> Entity:
        """Return the one entity of that name. Raises InputError that names near ones."""
        entities = await self.canon.find_entity(self.universe.id, " ".join(clean(name).split()))
        if len(entities) == 1:
            return entities[0]
        if entities:
            names = ", ".join(f"{e.name} ({e.kind})" for e in entities)
            raise InputError(f"Several are called so: {names}.", todo="Give the whole name.")
        near = await self.services.world.list_entities(self.universe.id, name.strip(), limit=MAX_LISTED_NAMES)
        names = ", ".join(entity.name for entity in near) or "none"
        raise InputError(
            f"Nobody and nothing in {self.universe.name} is called that.", todo=f"Near that are: {names}."
        )

    def _strike_lines(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            shown = line if isinstance(line, ClientWords) else self.held_back.strike(line)
            if shown.strip() or not line:
                yield shown

    def finish(self, lines: Iterable[str], limit: int = MAX_ANSWER_LENGTH) -> str:
        """Return the lines as one harmless text: nothing that is held back, no escapes, and not too long."""
        text = clean("\n".join(self._strike_lines(lines)))
        if len(text) <= limit:
            return text
        whole_lines, _, _ = text[:limit].rpartition("\n")
        return f"{whole_lines or text[:limit]}\n{_CUT_NOTE}"


class ClientWords(str):
    """A line of what a client proposed. It is not struck: that would tell that the client has guessed a secret."""

    __slots__ = ()


def pick_named(what: str, name: str, items: Sequence[tuple[Id, str, Item]]) -> Item:
    """Return the one item of that name or identifier. Raises InputError that lists the names there are."""
    wanted = " ".join(clean(name).split()).casefold()
    matching = [row for row in items if wanted in (row[1].casefold(), row[0])]
    if len(matching) == 1:
        return matching[0][2]
    if matching:
        ids = ", ".join(item_id for item_id, _, _ in matching[:MAX_LISTED_NAMES])
        raise InputError(f"Several have that name as a {what}.", todo=f"Name it by its identifier: {ids}.")
    listed = ", ".join(item_name for _, item_name, _ in items[:MAX_LISTED_NAMES]) or "none yet"
    raise InputError(f"There is no {what} of that name.", todo=f"There are: {listed}.")


def _pick_universe(name: str, universes: Sequence[Universe]) -> Universe:
    return pick_named("universe", name, [(u.id, u.name, u) for u in universes])


class SharedEmbedder:
    """An embedding model that outlasts the request that it is opened for. Implements `Embedder`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        return self._embedder.model

    async def embed(
        self, texts: Sequence[str], *, urgent: bool = False, universe_id: Id = ""
    ) -> list[Embedding]:
        return await self._embedder.embed(texts, urgent=urgent, universe_id=universe_id)

    def warm(self) -> None:
        self._embedder.warm()

    async def close(self) -> None:
        """Do nothing: whoever started the model closes it."""


@asynccontextmanager
async def open_library(access: CampaignAccess, embedder: Embedder | None = None) -> AsyncIterator[Program]:
    """Open the library for one request. Raises StoreError and InputError."""
    stores = await open_stores_beside(access.home, kinds=read_store_kinds(os.environ))
    mode = BackgroundMode.OFF if embedder is None else BackgroundMode.QUERY
    shared_embedder = None if embedder is None else SharedEmbedder(embedder)
    program = await open_program(
        access.home, stores=stores, model=NoModel(), mode=mode, embedder=shared_embedder
    )
    try:
        yield program
    finally:
        await program.close()


async def list_universes(program: Program, access: CampaignAccess) -> list[Universe]:
    """Return the universes that the server may show."""
    universes = await program.services.stories.universes()
    if not access.universe:
        return universes
    return [_pick_universe(access.universe, universes)]


async def choose_universe(program: Program, access: CampaignAccess, name: str) -> Universe:
    """Return the universe of that name; without one, the only one. Raises InputError."""
    universes = await list_universes(program, access)
    if access.universe and name.strip().casefold() not in ("", universes[0].name.casefold(), universes[0].id):
        raise InputError(
            f"This server reads {universes[0].name} alone.", todo="Leave the universe out, or name that one."
        )
    if not universes:
        raise InputError("The library is empty.", todo="Play a story in MONITOR first.")
    if not name.strip():
        if len(universes) == 1:
            return universes[0]
        names = ", ".join(u.name for u in universes[:MAX_LISTED_NAMES])
        raise InputError("There are several universes.", todo=f"Say which one: {names}.")
    return _pick_universe(name, universes)


@asynccontextmanager
async def open_campaign(
    access: CampaignAccess, universe_name: str = "", embedder: Embedder | None = None
) -> AsyncIterator[Campaign]:
    """Open a universe for one request. Raises StoreError and InputError."""
    async with open_library(access, embedder) as program:
        universe = await choose_universe(program, access, universe_name)
        yield await build_campaign(program, universe, access)


async def build_campaign(program: Program, universe: Universe, access: CampaignAccess) -> Campaign:
    """Return a universe with what is held back of it."""
    canon, log = program.stores.canon(Role.CONTEXT_ASSEMBLY), program.stores.log(Role.CONTEXT_ASSEMBLY)
    held_back = NOTHING_HELD_BACK if access.with_secrets else await read_held_back(canon, log, universe.id)
    return Campaign(program, universe, held_back)
