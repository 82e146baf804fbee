"""Whether the copy here and the library on the servers belong together, and which of the two is behind.

Asked when MONITOR opens and whenever a server is back. What cannot be joined without losing something is
an error in words, and nothing is changed on either side. Source: issue "The five stores".
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import NamedTuple

from stores.authority import Role, Store
from stores.mirror import words
from stores.mirror.board import NAMES
from stores.mirror.link import Link
from stores.mirror.marks import CanonMarks, LogMarks, Term
from stores.mirror.place import Place
from stores.mirror.tenure import Tenure
from stores.records.ids import Id

_Said = Mapping[Store, Id | None]
"""What each server says whose library it has."""


class Joined(Enum):
    """How the two stand. `BEHIND`: the copy lacks something, and is to be made anew from the servers."""

    NEW = auto()
    CURRENT = auto()
    BEHIND = auto()


class Here(NamedTuple):
    """What the copy is: its place, which universes it has, whether it holds nothing at all, what waits."""

    place: Place
    universes: frozenset[Id]
    empty: bool
    waiting: int


class Seen(NamedTuple):
    """What a look at the servers showed: `library` is theirs (None: they bear no mark yet)."""

    how: Joined
    library: Id | None
    terms: list[Term]


class Joining:
    """Compares a copy with the marks on its servers. Raises Apart, Outage, or what a server refuses."""

    def __init__(self, links: Mapping[Store, Link], log: LogMarks | None, tenure: Tenure | None) -> None:
        self._links = links
        self._log = log
        self._tenure = tenure
        canon = links.get(Store.CANON)
        self._marks: dict[Store, LogMarks | CanonMarks] = {Store.LOG: log} if log else {}
        if canon:
            self._marks[Store.CANON] = CanonMarks(canon)

    async def look(self, here: Here, *, to_fetch: bool) -> Seen:
        """Compare with every server of truth that is reached; the log's is, if there is one.

        With `to_fetch`, a copy that is behind is an Outage while a server to fetch it from is missing.
        """
        said = {store: await marks.identity() for store, marks in self._marks.items() if self._reached(store)}
        for store, identity in said.items():
            if identity is None and store in here.place.joined:
                raise words.lost(NAMES[store])
        known = {identity for identity in said.values() if identity is not None}
        if len(known) > 1:
            raise words.two_libraries()
        terms = await self._log.terms() if self._log else []
        if not known:
            return Seen(await self._unmarked(here), None, terms)
        (library,) = known
        return Seen(self._marked(here, library, terms, said if to_fetch else None), library, terms)

    async def claim(self, store: Store, library: Id) -> None:
        """Say on a server whose library it has, if it does not say so yet."""
        if await self._marks[store].claim(library) != library:
            raise words.another_library()

    async def recheck(self, store: Store, place: Place) -> None:
        """Look whether a server that is back is still this library's."""
        there = await self._marks[store].identity()
        if there is None and store in place.joined:
            raise words.lost(NAMES[store])
        if there not in (None, place.library):
            raise words.another_library()

    def _marked(self, here: Here, library: Id, terms: list[Term], said: _Said | None) -> Joined:
        place = here.place
        if place.library != library:
            if place.joined:
                raise words.another_library()
            if not here.empty or here.waiting:
                raise words.not_of_the_servers()
            return self._to_be_fetched(said)
        if self._tenure is None:
            return Joined.CURRENT
        if (terms[-1].number if terms else 0) < place.term:
            raise words.servers_are_older()
        if self._tenure.is_current(terms, place.term) and not place.stale:
            return Joined.CURRENT
        if here.waiting:
            raise words.both_have_more(terms[-1].holder.host)
        return self._to_be_fetched(said)

    def _to_be_fetched(self, said: _Said | None) -> Joined:
        """Everything must be there to be fetched: all servers of truth, each with the same mark."""
        for store, link in self._links.items() if said is not None else ():
            if not self._reached(store):
                raise link.outage()
            if said is not None and said.get(store) is None:
                raise words.lost(NAMES[store])
        return Joined.BEHIND

    async def _unmarked(self, here: Here) -> Joined:
        """No server says whose library it has: they are new, or were filled by a migration."""
        there = await self._universes_there()
        if there is None:
            if not here.empty and here.place.library is None:
                raise words.not_of_the_servers()
            return Joined.NEW
        if not here.waiting and (here.empty or (here.universes and here.universes <= there)):
            return Joined.BEHIND
        raise words.not_of_the_servers()

    async def _universes_there(self) -> set[Id] | None:
        """Return the universes on the servers; None if there is nothing at all on those that are reached."""
        found: set[Id] = set()
        played = False
        if self._reached(Store.CANON):
            universes = await self._links[Store.CANON].read(Role.ORCHESTRATOR, "universes")
            found = {universe.id for universe in universes}
        if self._reached(Store.LOG):
            played = bool(await self._links[Store.LOG].read(Role.ORCHESTRATOR, "stories"))
        return found if found or played else None

    def _reached(self, store: Store) -> bool:
        return store in self._links and self._links[store].reached
