"""Being joined to the servers: at the opening, when one of them is back, and for as long as it lasts."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stores.authority import Store
from stores.embedded.database import Database
from stores.embedded.library import open_library
from stores.errors import MonitorError
from stores.history import History
from stores.mirror import words
from stores.mirror.board import Board
from stores.mirror.fill import Tell, fill, put_in_place
from stores.mirror.joining import Here, Joined, Joining, Seen
from stores.mirror.link import Link, Outage
from stores.mirror.place import Place, is_empty, place_of, settle_in, universes_of
from stores.mirror.tenure import Taken, Tenure
from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class Copying:
    """How a copy is made anew: where, from what, how long that may take, and who hears how far it is."""

    home: Path
    history: Callable[[], History] | None
    seconds: float
    tell: Tell


class Membership:
    """What holds between this copy and its servers. `links` has those of log and canon.

    `library` is the open copy; `open_joined` may put another in its place.
    """

    def __init__(
        self,
        library: Database,
        links: Mapping[Store, Link],
        joining: Joining,
        tenure: Tenure | None,
        board: Board,
        mirror: Id,
        waiting: Counter[Store],
    ) -> None:
        self.library = library
        self._links = links
        self._joining = joining
        self._tenure = tenure
        self._board = board
        self._mirror = mirror
        self._held = False
        self._barred: dict[Store, MonitorError] = {}
        self._waiting = waiting
        self._one_at_a_time = asyncio.Lock()

    async def open_joined(self, copying: Copying) -> None:
        """Join the servers that are reached, and make the copy anew if it lacks something.

        With the log's server down (or canon's, if the log is not on one) there is nothing to join: then
        play begins on the copy as it is. Raises Apart, LibraryInUse, or Outage where a copy is needed
        first; the library is open all the same, to be closed by the caller.
        """
        here = await self._here()
        try:
            await self._join(here, await self._look(here, to_fetch=True), copying)
        except Outage as outage:
            if here.place.library is None and not here.empty:
                raise words.not_of_the_servers() from None
            place = await place_of(self.library)
            if place.stale:
                raise words.no_copy_yet(outage.what) from None
            await self._settle(place._replace(library=place.library or _new_id()))

    async def admit(self, store: Store) -> None:
        """Look at a server of truth that is reached (again). Raises what keeps it apart."""
        async with self._one_at_a_time:
            if self._held:
                await self._recheck(store)
            elif self._decides(store):
                here = await self._here()
                await self._join(here, await self._look(here, to_fetch=False), None)

    async def make_sure(self) -> None:
        """Raise Outage or another MonitorError unless writes may be sent to the servers now."""
        for error in self._barred.values():
            raise error
        if not self._held:
            raise next(iter(self._links.values())).outage()
        if self._tenure is not None:
            try:
                await self._tenure.make_sure()
            except Taken as error:
                self._bar(error)
                raise

    async def distrust(self) -> None:
        """The copy lacks something that the servers have: it is to be made anew at the next opening."""
        await self._settle((await place_of(self.library))._replace(stale=True))

    async def leave(self) -> None:
        """Give the library back, for another machine to take at once."""
        log_answers = Store.LOG in self._links and self._links[Store.LOG].answers
        if self._tenure is not None and self._held and log_answers and not self._barred:
            await self._tenure.end()

    # --- inside -------------------------------------------------------------------------------------

    async def _recheck(self, store: Store) -> None:
        place = await place_of(self.library)
        try:
            await self._joining.recheck(store, place)
            if store is Store.LOG and self._tenure is not None:
                await self._tenure.renew()
        except Taken as error:
            self._bar(error)
            raise
        except Outage:
            raise
        except MonitorError as error:
            self._barred[store] = error
            raise
        self._barred.pop(store, None)
        await self._claim([store], place)

    async def _look(self, here: Here, *, to_fetch: bool) -> Seen:
        decisive = [link for store, link in self._links.items() if self._decides(store)]
        if not all(link.reached for link in decisive):
            raise decisive[0].outage()
        return await self._joining.look(here, to_fetch=to_fetch)

    def _decides(self, store: Store) -> bool:
        """The log's server says who has the library; where there is none, canon's says whose it is."""
        return store is Store.LOG or Store.LOG not in self._links

    async def _join(self, here: Here, seen: Seen, copying: Copying | None) -> None:
        """Join as `seen`; without `copying` the copy is in use, and cannot be made anew."""
        behind = seen.how is Joined.BEHIND
        if behind and copying is None:
            raise words.played_elsewhere(seen.terms[-1].holder.host if seen.terms else "another machine")
        if behind and (copying is None or copying.history is None or len(self._links) < 2):
            raise words.of_two_kinds()
        place = here.place._replace(library=seen.library or here.place.library or _new_id())
        place = place._replace(mirror=self._mirror, stale=behind)
        await self._settle(place)  # before the servers hear of it, so that a crash finds its way back
        reached = [store for store, link in self._links.items() if link.reached]
        if seen.library is None:
            await self._claim(reached, place)
        number = await self._tenure.begin(seen.terms) if self._tenure else place.term
        place = place._replace(term=number, stale=False)
        if behind and copying is not None:
            await self._make_anew(place, copying, aside=not here.empty and not here.place.joined)
        await self._settle(place._replace(joined=here.place.joined))
        await self._claim(reached, await place_of(self.library))
        self._held = True

    async def _make_anew(self, place: Place, copying: Copying, *, aside: bool) -> None:
        assert copying.history is not None
        link = next(iter(self._links.values()))
        await fill(
            copying.home,
            self.library,
            link,
            copying.history(),
            place,
            copying.seconds,
            copying.tell,
        )
        if aside:
            await settle_in(self.library, Place())
        await self.library.close()
        kept = await asyncio.to_thread(put_in_place, copying.home, aside=aside)
        if kept:
            copying.tell(f"What was in the home folder before is kept as {kept.name}.")
        self.library = await open_library(copying.home / "library.db")

    async def _claim(self, stores: list[Store], place: Place) -> None:
        """Mark servers as this library's, and note that they were."""
        assert place.library is not None
        for store in stores:
            if store not in place.joined:
                await self._joining.claim(store, place.library)
        if not place.joined.issuperset(stores):
            await self._settle(place._replace(joined=place.joined.union(stores)))

    async def _here(self) -> Here:
        place = await place_of(self.library)
        return Here(
            place,
            frozenset(await universes_of(self.library)),
            await is_empty(self.library),
            sum(self._waiting[store] for store in self._links),
        )

    async def _settle(self, place: Place) -> None:
        await settle_in(self.library, place._replace(mirror=self._mirror))

    def _bar(self, error: MonitorError) -> None:
        for store in self._links:
            self._barred[store] = error
            self._board.apart(store, str(error))


def _new_id() -> Id:
    return str(uuid.uuid4())
