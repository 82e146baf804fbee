"""`/thread`: what the story has left open, listed, opened, weighed, renamed, closed and opened again.

A commitment shows by itself: only its weight is the books', and to close it is to propose its pay-off.
"""

from __future__ import annotations

import re
from typing import Final

from agents.canon_keeper.commitments import age_in_words, closed_statement, commitment_kind
from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgenda, StoryAgendaReader
from agents.declarations.declarations import DeclarationService
from agents.resolver.threads import MAX_WEIGHT, change_weight, find_open_thread
from agents.resolver.typed_text import one_line
from agents.solo.story_journal import KEPT, Books
from agents.views.play_views import ThreadView
from agents.world_time.calendar import format_tick
from stores.errors import InputError
from stores.records.canon import EndFact
from stores.records.ids import Clock, Id
from stores.records.story_journal import Thread, ThreadAction, ThreadEntry
from stores.records.workflow import Decision, Verdict

MAX_NAME: Final = 160
WAYS: Final = "/thread 2 + or -, /thread 2 close, /thread 2 open, /thread 2 rename Another name"
_NUMBERED: Final = re.compile(r"#?(\d{1,6})(?:(?:\s+|(?=[+-]))(.*))?", re.DOTALL)
_QUOTED: Final = re.compile(r"[\"“](.+)[\"”]", re.DOTALL)
_CLOSE: Final = frozenset({"close", "closed", "done", "end"})
_OPEN: Final = frozenset({"open", "reopen"})
_SHOWN_CLOSED: Final = 10


class Threads:
    """Keeps threads. Stateless: they are in the story's books and among the commitments."""

    def __init__(
        self,
        books: Books,
        agendas: StoryAgendaReader,
        declarations: DeclarationService,
        keeper: CanonKeeper,
        clock: Clock,
    ) -> None:
        self._books = books
        self._agendas = agendas
        self._declarations = declarations
        self._keeper = keeper
        self._clock = clock

    async def list(self, context: SceneContext) -> tuple[str, ...]:
        """Return the threads as lines: the open ones, then those that were closed last."""
        views = thread_views(context, await self._agendas.read_agenda(context))
        closed = [v for v in views if not v.open]
        return tuple(map(_line, (*(v for v in views if v.open), *closed[-_SHOWN_CLOSED:])))

    async def act(self, scene_id: Id, argument: str) -> tuple[str, ...]:
        """Do what was typed behind `/thread`; returns what came of it. Raises InputError."""
        context = await self._books.opened(scene_id)
        numbered = _NUMBERED.fullmatch(argument)
        if numbered is None:
            quoted = _QUOTED.fullmatch(argument)
            return await self.open(context, quoted[1] if quoted else argument)
        agenda = await self._agendas.read_agenda(context)
        thread = _numbered(agenda, int(numbered[1]))
        verb, _, words = (numbered[2] or "").strip().partition(" ")
        match verb.casefold():
            case "":
                return (*(_line(v) for v in thread_views(context, agenda) if v.id == thread.id), WAYS)
            case "+" | "-":
                return await self._weigh(context, thread, 1 if verb == "+" else -1)
            case "rename" | "name":
                return await self._rename(context, agenda, thread, words)
            case word if word in _CLOSE:
                return await self._close(context, agenda, thread)
            case word if word in _OPEN:
                return await self._reopen(context, agenda, thread)
        raise InputError(
            f"{one_line(numbered[2])[:40]!r} is nothing that a thread can do.",
            kept=KEPT,
            todo=f'{WAYS}. A name that begins with a number goes in quotes: /thread "3 days left".',
        )

    async def open(self, context: SceneContext, words: str) -> tuple[str, ...]:
        """Open a thread. Raises InputError without a name, or if one of that name is open."""
        name = _name(words)
        agenda = await self._agendas.read_agenda(context)
        if find_open_thread(agenda.threads, name):
            raise InputError(f"“{name}” is open already.", kept=KEPT, todo="/thread lists what is open.")
        await self._enter(context, None, ThreadAction.OPEN, name=name)
        opened = (await self._agendas.read_agenda(context)).threads
        number = next((n for n, t in enumerate(opened, 1) if t.name == name and t.is_open), 0)
        return (f"Thread {number or len(opened) + 1} is open: {name}",)

    # --- inside --------------------------------------------------------------------------------------

    async def _weigh(self, context: SceneContext, thread: Thread, by: int) -> tuple[str, ...]:
        if not thread.is_open:
            raise _closed(thread)
        weight = change_weight(thread, by).weight
        if weight == thread.weight:
            edge = "It weighs 3 already, the most." if by > 0 else "It weighs 1 already, the least."
            raise InputError(edge, kept=KEPT, todo="/thread 2 close ends one." if by < 0 else "")
        await self._enter(context, thread.id, ThreadAction.WEIGH, by=by)
        return (f"Weighs {weight} of {MAX_WEIGHT} now: {thread.name}",)

    async def _rename(
        self, context: SceneContext, agenda: StoryAgenda, thread: Thread, words: str
    ) -> tuple[str, ...]:
        name = _name(words)
        if thread.fact_id is not None:
            raise InputError(
                "It shows a promise, debt or question in the world's own words.",
                kept=KEPT,
                todo="Propose the change with /fact; /thread opens one in your words beside it.",
            )
        if not thread.is_open:
            raise _closed(thread)
        if find_open_thread(agenda.threads, name):
            raise InputError(f"“{name}” is open already.", kept=KEPT)
        await self._enter(context, thread.id, ThreadAction.RENAME, name=name)
        return (f"Called now: {name}",)

    async def _close(self, context: SceneContext, agenda: StoryAgenda, thread: Thread) -> tuple[str, ...]:
        if not thread.is_open:
            raise InputError(
                f"“{thread.name}” is closed already.", kept=KEPT, todo="/thread 2 open takes it up again."
            )
        if thread.fact_id is None:
            await self._enter(context, thread.id, ThreadAction.CLOSE)
            return (f"Closed: {thread.name}",)
        if agenda.commitments[thread.fact_id].proposal_id in {p.id for p in context.staged_proposals}:
            change = EndFact(fact_id=thread.fact_id, at=context.tick, closed=True)
        else:
            change = await self._keeper.commitments.pay_off(thread.fact_id, context.tick)
        words = closed_statement(agenda.commitments[thread.fact_id])
        await self._declarations.stage_change(context, change, words)
        return (f"Proposed: {words}",)

    async def _reopen(self, context: SceneContext, agenda: StoryAgenda, thread: Thread) -> tuple[str, ...]:
        if thread.is_open:
            raise InputError(f"“{thread.name}” is open.", kept=KEPT)
        if thread.fact_id is None:
            if find_open_thread(agenda.threads, thread.name):
                raise InputError(f"“{thread.name}” is open already, as another thread.", kept=KEPT)
            await self._enter(context, thread.id, ThreadAction.REOPEN)
        else:
            reason = "It is open again."
            decision = Decision(verdict=Verdict.REJECT, by="gm", at=self._clock(), reason=reason)
            await self._keeper.decide([agenda.payoff_proposal_ids[thread.fact_id]], decision)
        return (f"Open again: {thread.name}",)

    async def _enter(
        self, context: SceneContext, thread_id: Id | None, act: ThreadAction, *, name: str = "", by: int = 0
    ) -> None:
        """Enter an act on a thread; None is one that the entry itself begins."""
        stamp = self._books.stamp(context)
        entry = ThreadEntry(**stamp, thread_id=thread_id or stamp["id"], act=act, name=name, by=by)
        await self._books.enter(context, entry)


def thread_views(context: SceneContext, agenda: StoryAgenda) -> tuple[ThreadView, ...]:
    """Return the threads as screens and lists show them, with the numbers that `/thread` takes."""
    calendar = context.universe.calendar
    staged = {proposal.id for proposal in context.staged_proposals}
    views = []
    for number, thread in enumerate(agenda.threads, start=1):
        matter = agenda.commitments.get(thread.id)
        age = None if thread.since is None else max(0, context.tick - thread.since)
        views.append(
            ThreadView(
                id=thread.id,
                number=number,
                name=thread.name,
                weight=thread.weight,
                kind=commitment_kind(matter).value if matter else "",
                age="" if age is None else age_in_words(age, calendar),
                open=thread.is_open,
                closed="" if thread.closed_at is None else format_tick(calendar, thread.closed_at),
                proposed=matter is not None and matter.proposal_id in staged,
                paying=thread.id in agenda.payoff_proposal_ids,
            )
        )
    return tuple(views)


def _line(view: ThreadView) -> str:
    kind = f"{view.kind}: " if view.kind else ""
    if view.paying:
        told = "its pay-off is proposed"
    elif not view.open:
        told = f"closed {view.closed}"
    else:
        told = ", ".join(filter(None, (view.age, "proposed" if view.proposed else "")))
    sign = "•" * view.weight if view.open else "✓"
    return f"{view.number}. {sign} {kind}{view.name}" + (f"  ({told})" if told else "")


def _numbered(agenda: StoryAgenda, number: int) -> Thread:
    if not 1 <= number <= len(agenda.threads):
        there = f"They are numbered 1 to {len(agenda.threads)}." if agenda.threads else "None is open yet."
        raise InputError(f"There is no thread {number}.", kept=KEPT, todo=f"{there} /thread lists them.")
    return agenda.threads[number - 1]


def _name(words: str) -> str:
    name = one_line(words).strip(' "“”')
    if not name:
        raise InputError("It needs a name.", kept=KEPT, todo="As in: /thread Who moved the bell?")
    if len(name) > MAX_NAME:
        raise InputError(
            f"That is {len(name)} characters; a thread has at most {MAX_NAME}.",
            kept=KEPT,
            todo="Say it shorter; /gm keeps the long of it.",
        )
    return name


def _closed(thread: Thread) -> InputError:
    return InputError(
        f"“{thread.name}” is closed.", kept=KEPT, todo="/thread 2 open takes a closed one up again."
    )
