"""Log and canon: a whole copy here, the servers there, and one order of writes for both.

Who writes waits for the server as long as it answers, so that what it refuses is refused to the caller,
and what it takes both have. In between the write stands in the outbox, not yet applied: a crash at any
point leaves it to be asked again, which is harmless, for every write is idempotent. When the server gives
no answer, the write is applied here and stays in the outbox; from then on everything is written here first
and sent behind it, log and canon in one row: what the servers hold is always a moment of the play, and a
commit never overtakes the plan of it. Readers are shown the server while it has everything, else the copy.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import apsw

from stores.authority import Role, Store
from stores.embedded.canon_graph import EmbeddedCanon
from stores.embedded.database import Database, Transactions
from stores.embedded.narrative_log import EmbeddedLog
from stores.errors import MonitorError, StoreFull
from stores.mirror.audit import MOST, differing, scene_of
from stores.mirror.board import Board
from stores.mirror.calls import pack
from stores.mirror.link import Link, Outage
from stores.mirror.loads import LOAD, Loads
from stores.mirror.order import BEHIND, Order
from stores.mirror.outbox import TRUTH, Beside, Letter, Outbox, mark_applied, post, remove
from stores.mirror.stamps import Stamps
from stores.records.ids import Id

log = logging.getLogger(__name__)


class Member(Protocol):
    """What holds between the copy and its servers."""

    async def make_sure(self) -> None:
        """Raise Outage or another MonitorError unless writes may be sent to the servers now."""
        ...

    async def distrust(self) -> None:
        """The copy does not take what a server took."""
        ...


class Truth:
    """Reads and writes of log and canon. `links` has those of the two that are on servers."""

    def __init__(
        self,
        db: Database,
        outbox: Outbox,
        links: Mapping[Store, Link],
        board: Board,
        loads: Loads,
        stamps: Stamps,
        membership: Member,
    ) -> None:
        self._db = db
        self._outbox = outbox
        self._links = links
        self._board = board
        self._loads = loads
        self._stamps = stamps
        self._membership = membership
        self._order = Order()
        self._in_step = False
        self._unsettled = False
        self._under_way: set[asyncio.Task[Any]] = set()
        self._moved: set[Id] = set()
        self.on_waiting: Callable[[], None] = lambda: None

    # --- reading ------------------------------------------------------------------------------------

    async def read(
        self, store: Store, role: Role, method: str, args: tuple[Any, ...], named: Mapping[str, Any]
    ) -> Any:
        """Call a reading method where everything is that was written so far."""
        link = self._links.get(store)
        if link and self._in_step and link.answers:
            try:
                return await link.read(role, method, *args, **named)
            except Outage:
                log.info("%s is read from the copy.", method)
        await self.settle()
        return await getattr(_handle(self._db, store, role, self._stamps), method)(*args, **named)

    async def settle(self) -> None:
        """Apply here what a server has taken and a full disk kept us from applying."""
        if self._unsettled:
            async with self._order.turn():
                await self._settle()

    # --- writing ------------------------------------------------------------------------------------

    async def write(self, letter: Letter) -> Any:
        """Make a write. Durable here and (while its server answers) there when it returns.

        Raises what the store refuses it for; then it is neither here nor there. A caller that is cancelled
        meanwhile leaves a write that is under way to be finished.
        """
        if letter.live is not None and letter.store in self._links:
            letter = letter._replace(arguments=pack(letter.store, letter.method, *letter.live))
        return await self._finished(self._write(letter))

    async def recover(self) -> None:
        """Ask again for what was on its way when the process ended. Call once, before anything else."""
        for letter in await self._outbox.unapplied(TRUTH):
            try:
                if await self._may_send(letter):
                    await self._sent_and_taken(letter, again=True)
                else:
                    await self._keep(letter)
            except MonitorError as error:
                # Nobody was ever told that it was done, and now it cannot be.
                log.warning("%s was cut off by a crash, and is refused now: %s", letter.method, error)
        with suppress(MonitorError):
            await self.emptied()

    async def close(self) -> None:
        """Finish what is under way."""
        if self._under_way:
            await asyncio.wait(self._under_way)

    async def _write(self, letter: Letter) -> Any:
        async with self._order.turn(behind=letter.method in BEHIND):
            if letter.store not in self._links:
                return await self._apply(letter, lambda connection: None)
            await self._settle()
            if self._in_step and await self._may_send(letter):
                return await self._sent_and_taken(await self._ask(letter))
            return await self._write_here(letter)

    async def _may_send(self, letter: Letter) -> bool:
        if not all(self._links[store].answers for store in _servers_of(letter, self._links)):
            return False
        try:
            await self._membership.make_sure()
        except MonitorError:
            return False
        return True

    async def _ask(self, letter: Letter) -> Letter:
        """Note durably that the server is about to be asked."""

        def ask(connection: apsw.Connection) -> int:
            return post(connection, letter)

        seq = await (self._db.write(letter.role, ask) if letter.role else self._db.write_as_owner(ask))
        self._outbox.waiting[letter.store] += 1
        return letter._replace(seq=seq)

    async def _sent_and_taken(self, letter: Letter, *, again: bool = False) -> Any:
        try:
            refused = await self._send(letter, again=again)
        except Outage:
            return await self._keep(letter)
        except MonitorError:
            await self._outbox.remove(letter)
            raise
        if refused:
            await self._outbox.remove(letter)
            return refused
        await self._take(letter)
        return refused

    async def _take(self, letter: Letter) -> None:
        """Apply what the server has taken. It is true whatever happens here."""
        try:
            await self._apply(letter, partial(remove, seq=letter.seq), finish=True)
            self._outbox.gone(letter)
        except StoreFull:
            log.warning("There is no room here for %s; it stays in the outbox.", letter.method)
            self._unsettled = True
        except MonitorError as error:
            log.exception("The copy does not take what the server took: %s", letter.method)
            await self._outbox.remove(letter)
            await self._membership.distrust()
            self._board.apart(
                letter.store, f"{error} The server has it all; the copy is made anew at the next opening."
            )

    async def _settle(self) -> None:
        if self._unsettled:
            for letter in await self._outbox.unapplied(TRUTH):
                await self._apply(letter, partial(remove, seq=letter.seq), finish=True)
                self._outbox.gone(letter)
            self._unsettled = False

    async def _keep(self, letter: Letter) -> Any:
        """Apply what got no answer, and leave it in the outbox to be asked again."""
        try:
            refused = await self._apply(letter, partial(mark_applied, seq=letter.seq))
        except MonitorError:
            await self._outbox.remove(letter)
            raise
        if refused:
            await self._outbox.remove(letter)
        else:
            self._falls_behind()
        return refused

    async def _write_here(self, letter: Letter) -> Any:
        kept = letter._replace(applied=True)
        refused = await self._apply(kept, lambda connection: post(connection, kept))
        if not refused:
            self._outbox.waiting[letter.store] += 1
            self._falls_behind()
        return refused

    def _falls_behind(self) -> None:
        self._in_step = False
        for store in self._links:
            self._board.waits(store)
        self.on_waiting()

    async def _apply(
        self, letter: Letter, also: Callable[[apsw.Connection], Any], *, finish: bool = False
    ) -> Any:
        """Do here what the letter says, and `also` in the same commit; `also` not if it is refused."""
        db = Beside(self._db, lambda connection, refused: None if refused else also(connection))
        if letter.method == LOAD:
            return await self._loads.here(letter, db, finish=finish)
        assert letter.role is not None
        handle = _handle(db, letter.store, letter.role, lambda: letter.at)
        return await letter.to(getattr(handle, letter.method))

    # --- sending ------------------------------------------------------------------------------------

    async def deliver(self, letter: Letter) -> None:
        """Send a letter that waited. Raises Outage, or why it may not be sent or is refused."""
        for store in _servers_of(letter, self._links):
            if not self._links[store].answers:
                raise self._links[store].outage()
        await self._membership.make_sure()
        self._board.catching_up(letter.store)
        await self._send(letter, again=True)
        if letter.store is Store.LOG and (scene_id := scene_of(letter)):
            self._moved.add(scene_id)

    async def emptied(self) -> bool:
        """Nothing waits any more: the servers that answer have everything, and are read from now on."""
        async with self._order.turn():
            if await self._outbox.oldest(TRUTH, 1):
                return False
            await self._membership.make_sure()
            differing = await self._differing()
            self._in_step = True
        for store, link in self._links.items():
            if link.answers:
                self._board.up(store)
        if differing:
            await self._membership.distrust()
            self._board.apart(
                Store.LOG,
                f"they tell otherwise of {len(differing)} scene(s). Play goes by the server; the copy is made"
                " anew at the next opening.",
            )
        return True

    async def _differing(self) -> list[Id]:
        """Look at the scenes that were played while the log's server was away."""
        if not self._moved:
            return []
        here = _handle(self._db, Store.LOG, Role.CONTEXT_ASSEMBLY, self._stamps)
        found = await differing(here, self._links[Store.LOG], sorted(self._moved)[:MOST])
        self._moved.clear()
        return found

    async def _send(self, letter: Letter, *, again: bool) -> Any:
        if letter.method == LOAD:
            return await self._loads.there(letter, self._links[letter.store], again=again)
        link = self._links[letter.store]
        with self._stamps.at(letter.at):
            return await letter.to(partial(link.write, letter.role, letter.method))

    async def _finished(self, job: Coroutine[Any, Any, Any]) -> Any:
        task = asyncio.ensure_future(job)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # its caller may be gone
        return await asyncio.shield(task)


def _servers_of(letter: Letter, links: Mapping[Store, Link]) -> tuple[Store, ...]:
    """Return the servers that a letter needs: an import goes to both."""
    return tuple(links) if letter.method == LOAD else (letter.store,)


def _handle(db: Transactions, store: Store, role: Role, clock: Callable[[], Any]) -> Any:
    if store is Store.LOG:
        return EmbeddedLog(db, role, clock=clock)
    return EmbeddedCanon(db, role)
