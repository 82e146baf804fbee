"""`/thread`: the story's open threads, listed, opened, weighted, renamed, closed and reopened.

A commitment is listed by itself: only its weight is in the journal, and closing it proposes its pay-off.
"""

from __future__ import annotations

import re
from typing import Final

from agents.canon_keeper.commitments import (
    age_in_words,
    closed_statement,
    commitment_kind,
    settled_error,
)
from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgenda, StoryAgendaReader
from agents.declarations.declarations import DeclarationService
from agents.name_matching import match_names
from agents.resolver.threads import MAX_WEIGHT, change_weight, find_open_thread
from agents.solo.story_journal import NOTHING_CHANGED, StoryJournal
from agents.typed_text import one_line
from agents.views.scene_views import ThreadView
from agents.world_time.calendar import format_tick
from stores.errors import InputError
from stores.records.canon import EndFact
from stores.records.ids import Clock, Id
from stores.records.story_journal import Thread, ThreadAction, ThreadEntry
from stores.records.workflow import Decision, Verdict

MAX_THREAD_NAME: Final = 160
USAGE: Final = (
    "/thread 2 + or -, /thread 2 close (or close: OUTCOME), /thread 2 open, /thread 2 rename Another name"
)
_NUMBERED_COMMAND: Final = re.compile(r"#?(\d{1,6})(?:(?:\s+|(?=[+-]))(.*))?", re.DOTALL)
_CLOSING: Final = "close|closed|done|end|ended|finish|finished|solved|resolved|drop|delete|remove"
_NAMED_COMMAND: Final = re.compile(
    rf"(.+?)\s+(\+|-|(?:{_CLOSING})(?:\s*:\s*.+)?|open|reopen|rename .+)", re.I | re.DOTALL
)
_VERB_FIRST_COMMAND: Final = re.compile(rf"({_CLOSING}|open|reopen)(?:\s*:\s*|\s+)(.+)", re.I | re.DOTALL)
_RENAME_FIRST_COMMAND: Final = re.compile(r"rename\s+(.+?)(?:\s*:\s+|\s+to\s+)(.+)", re.I | re.DOTALL)
_OUTCOME: Final = re.compile(r"(.+?)\s*:\s+(.+)", re.DOTALL)
_NEVER_BEGINS_NAME: Final = frozenset({"close", "closed", "delete", "remove"})
"""What begins a name only in quotes: a thread is meant that is open."""
_CLOSES_NUMBER: Final = re.compile(rf"(?:{_CLOSING})\s+#?(\d{{1,6}})(?:\s*:.*)?", re.I | re.DOTALL)
_CLOSES_NAME: Final = re.compile(
    r"(?:close|closed|delete|remove)\s+(?P<after>[^:]+?)(?:\s*:.*)?"
    r"|(?P<before>.+?)\s+(?:close|closed|delete|remove)(?:\s*:.*)?",
    re.I | re.DOTALL,
)
"""What closes a thread by its name, in words that begin and end no name."""
_QUOTED_NAME: Final = re.compile(r"[\"“](.+)[\"”]", re.DOTALL)
_CLOSE_WORDS: Final = frozenset(_CLOSING.split("|"))
_REOPEN_WORDS: Final = frozenset({"open", "reopen"})
_MAX_NAMED_NUMBERS: Final = 20
"""Numbers of threads that are named when one that was typed is not there."""
_MAX_CLOSED_LISTED: Final = 10


class ThreadService:
    """Lists and changes threads, which are in the story's journal and among the commitments."""

    def __init__(
        self,
        journal: StoryJournal,
        agenda_reader: StoryAgendaReader,
        declarations: DeclarationService,
        keeper: CanonKeeper,
        clock: Clock,
    ) -> None:
        self._journal = journal
        self._agenda_reader = agenda_reader
        self._declarations = declarations
        self._keeper = keeper
        self._clock = clock

    async def list_threads(self, context: SceneContext) -> tuple[str, ...]:
        """Return the threads as lines: the open ones, then those that were closed last."""
        views = build_thread_views(context, await self._agenda_reader.read_numbered_agenda(context))
        closed_threads = [v for v in views if not v.is_open]
        return tuple(
            map(_format_thread, (*(v for v in views if v.is_open), *closed_threads[-_MAX_CLOSED_LISTED:]))
        )

    async def apply_command(self, scene_id: Id, argument: str) -> tuple[str, ...]:
        """Do what was typed after `/thread`; return lines on it. Raises InputError."""
        context = await self._journal.load_open_scene(scene_id)
        agenda = await self._agenda_reader.read_numbered_agenda(context)
        await self._refuse_settled(context, agenda, argument.strip())
        argument = _put_verb_last(agenda, argument)
        if numbered_match := _NUMBERED_COMMAND.fullmatch(argument):
            thread, act_text = _find_thread(agenda, int(numbered_match[1])), numbered_match[2] or ""
        elif named_thread := _find_named_thread(agenda, argument):
            thread, act_text = named_thread
        else:
            quoted_match = _QUOTED_NAME.fullmatch(argument)
            return await self.open_thread(context, quoted_match[1] if quoted_match else argument)
        verb, _, new_name = act_text.strip().partition(" ")
        outcome = one_line(act_text.strip()[len(verb.rstrip(":")) :].strip(" :"))
        verb = verb.rstrip(":")
        match verb.casefold():
            case "":
                return (
                    *(_format_thread(v) for v in build_thread_views(context, agenda) if v.id == thread.id),
                    USAGE,
                )
            case "+" | "-":
                return await self._change_weight(context, agenda, thread, 1 if verb == "+" else -1)
            case "rename" | "name":
                return await self._rename(context, agenda, thread, new_name)
            case word if word in _CLOSE_WORDS:
                return await self._close(context, agenda, thread, _parse_outcome(outcome))
            case word if word in _REOPEN_WORDS:
                return await self._reopen(context, agenda, thread)
        raise InputError(
            f"{one_line(act_text)[:40]!r} is nothing that a thread can do.",
            kept=NOTHING_CHANGED,
            todo=f'{USAGE}. A name that begins with a number goes in quotes: /thread "3 days left".',
        )

    async def open_thread(
        self, context: SceneContext, typed_name: str, *, setup_question: str = ""
    ) -> tuple[str, ...]:
        """Open a thread. Raises InputError without a name, or if an open one has that name.

        `setup_question` is the key of the question of session zero that it answers.
        """
        name = _parse_thread_name(typed_name)
        agenda = await self._agenda_reader.read_numbered_agenda(context)
        if find_open_thread(agenda.threads, name):
            raise InputError(
                f"“{name}” is open already.", kept=NOTHING_CHANGED, todo="/thread lists what is open."
            )
        await self._add_entry(context, None, ThreadAction.OPEN, name=name, setup_question=setup_question)
        agenda_after = await self._agenda_reader.read_numbered_agenda(
            await self._journal.load_open_scene(context.scene.id)
        )
        thread = find_open_thread(agenda_after.threads, name)
        assert thread is not None
        return (f"Thread {agenda_after.thread_numbers[thread.id]} is open: {name}",)

    # --- inside --------------------------------------------------------------------------------------

    async def _refuse_settled(self, context: SceneContext, agenda: StoryAgenda, argument: str) -> None:
        """Raise InputError if the command is for a commitment that is settled, and for no thread that is listed."""
        numbered = _NUMBERED_COMMAND.fullmatch(argument) or _CLOSES_NUMBER.fullmatch(argument)
        closing = _CLOSES_NAME.fullmatch(argument)
        if numbered is not None:
            number, name = int(numbered[1]), ""
            is_listed = agenda.find_thread(number) is not None
        elif closing is not None:
            number, name = 0, closing["before"] or closing["after"]
            is_listed = bool(match_names(name, [(thread.name, thread.id) for thread in agenda.threads]))
        else:
            return
        if is_listed:
            return
        commitments = await self._keeper.commitments.list_commitments(
            context.universe.id, context.tick, include_closed=True
        )
        settled = {c.fact.id: c.fact for c in commitments if not c.is_open}
        if number:
            named_ids = [i for i in settled if agenda.thread_numbers.get(i) == number]
        else:
            named_ids = match_names(name, [(fact.statement, i) for i, fact in settled.items()])
        for fact_id in named_ids[-1:]:
            raise settled_error(settled[fact_id], kept=NOTHING_CHANGED)

    async def _change_weight(
        self, context: SceneContext, agenda: StoryAgenda, thread: Thread, delta: int
    ) -> tuple[str, ...]:
        if not thread.is_open:
            raise _closed_error(agenda, thread)
        weight = change_weight(thread, delta).weight
        if weight == thread.weight:
            limit_message = (
                "It weighs 3 already, the most." if delta > 0 else "It weighs 1 already, the least."
            )
            raise InputError(
                limit_message, kept=NOTHING_CHANGED, todo="/thread 2 close ends one." if delta < 0 else ""
            )
        await self._add_entry(context, thread.id, ThreadAction.WEIGH, weight_change=delta)
        return (f"Weighs {weight} of {MAX_WEIGHT} now: {thread.name}",)

    async def _rename(
        self, context: SceneContext, agenda: StoryAgenda, thread: Thread, typed_name: str
    ) -> tuple[str, ...]:
        name = _parse_thread_name(typed_name)
        if thread.fact_id is not None:
            raise InputError(
                "It shows a promise, debt or question in the world's own words.",
                kept=NOTHING_CHANGED,
                todo="Propose the change with /fact; or /thread opens one in your own words.",
            )
        if not thread.is_open:
            raise _closed_error(agenda, thread)
        if find_open_thread(agenda.threads, name):
            raise InputError(f"“{name}” is open already.", kept=NOTHING_CHANGED)
        await self._add_entry(context, thread.id, ThreadAction.RENAME, name=name)
        return (f"Called now: {name}",)

    async def _close(
        self, context: SceneContext, agenda: StoryAgenda, thread: Thread, outcome: str
    ) -> tuple[str, ...]:
        if not thread.is_open:
            raise _closed_error(agenda, thread)
        if thread.fact_id is None:
            await self._add_entry(context, thread.id, ThreadAction.CLOSE, name=outcome)
            return (f"Closed: {thread.name}" + (f" ({outcome})" if outcome else ""),)
        if agenda.commitments[thread.fact_id].proposal_id in {p.id for p in context.staged_proposals}:
            change = EndFact(fact_id=thread.fact_id, at=context.tick, closed=True)
        else:
            change = await self._keeper.commitments.pay_off(thread.fact_id, context.tick)
        closing_text = closed_statement(agenda.commitments[thread.fact_id])
        reason = f" ({outcome})" if outcome else ""
        await self._declarations.stage_change(context, change, f"{closing_text}{reason}")
        return (f"Proposed: {closing_text}{reason}",)

    async def _reopen(self, context: SceneContext, agenda: StoryAgenda, thread: Thread) -> tuple[str, ...]:
        if thread.is_open:
            raise InputError(
                f"“{thread.name}” is open already.",
                kept=NOTHING_CHANGED,
                todo=f"/thread {agenda.thread_numbers[thread.id]} close closes it.",
            )
        if thread.fact_id is None:
            if find_open_thread(agenda.threads, thread.name):
                raise InputError(f"“{thread.name}” is open already, as another thread.", kept=NOTHING_CHANGED)
            await self._add_entry(context, thread.id, ThreadAction.REOPEN)
        else:
            reason = "It is open again."
            decision = Decision(verdict=Verdict.REJECT, by="gm", at=self._clock(), reason=reason)
            await self._keeper.decide([agenda.payoff_proposal_ids[thread.fact_id]], decision)
        return (f"Open again: {thread.name}",)

    async def _add_entry(
        self,
        context: SceneContext,
        thread_id: Id | None,
        act: ThreadAction,
        *,
        name: str = "",
        weight_change: int = 0,
        setup_question: str = "",
    ) -> None:
        """Enter an act on a thread; `None` stands for a thread that the entry itself opens."""
        stamp = self._journal.build_stamp(context)
        entry = ThreadEntry(
            **stamp,
            thread_id=thread_id or stamp["id"],
            act=act,
            name=name,
            by=weight_change,
            setup_question=setup_question,
        )
        await self._journal.add_entry(context, entry)


def build_thread_views(context: SceneContext, agenda: StoryAgenda) -> tuple[ThreadView, ...]:
    """Return the threads as screens and lists show them, in the order of the numbers that `/thread` takes."""
    calendar = context.universe.calendar
    staged_ids = {proposal.id for proposal in context.staged_proposals}
    views = []
    for thread in agenda.threads:
        commitment = agenda.commitments.get(thread.id)
        age_ticks = None if thread.since is None else max(0, context.tick - thread.since)
        views.append(
            ThreadView(
                id=thread.id,
                number=agenda.thread_numbers[thread.id],
                name=thread.name,
                weight=thread.weight,
                kind=commitment_kind(commitment).value if commitment else "",
                age="" if age_ticks is None else age_in_words(age_ticks, calendar),
                is_open=thread.is_open,
                outcome=thread.outcome,
                closed_at="" if thread.closed_at is None else format_tick(calendar, thread.closed_at),
                is_proposed=commitment is not None and commitment.proposal_id in staged_ids,
                is_paying_off=thread.id in agenda.payoff_proposal_ids,
            )
        )
    return tuple(sorted(views, key=lambda view: view.number))


def _format_thread(view: ThreadView) -> str:
    kind_prefix = f"{view.kind}: " if view.kind else ""
    if view.is_paying_off:
        details = "settling is proposed"
    elif not view.is_open:
        details = f"closed {view.closed_at}" + (f": {view.outcome}" if view.outcome else "")
    else:
        details = ", ".join(filter(None, (view.age, "proposed" if view.is_proposed else "")))
    sign = "•" * view.weight if view.is_open else "✓"
    return f"{view.number}. {sign} {kind_prefix}{view.name}" + (f"  ({details})" if details else "")


def _put_verb_last(agenda: StoryAgenda, argument: str) -> str:
    """Return `2 close: OUTCOME` for `close 2: OUTCOME`, likewise for a name; else the argument as it is.

    `end the feud` opens a thread. Raises InputError for what closes none: `close it: found`.
    """
    if renaming := _RENAME_FIRST_COMMAND.fullmatch(argument.strip()):
        turned_argument = f"{renaming[1]} rename {renaming[2]}"
        return turned_argument if _is_command(agenda, turned_argument) else argument
    match = _VERB_FIRST_COMMAND.fullmatch(argument.strip())
    if match is None:
        return argument
    verb, name = match[1].casefold(), match[2].strip()
    if _is_command(agenda, f"{name} {verb}"):
        return f"{name} {verb}"
    with_outcome = _OUTCOME.fullmatch(name)
    if with_outcome is None and verb not in _NEVER_BEGINS_NAME:
        # `/thread open Who did it` opens it, `/thread end the feud` has that name.
        return name if verb in _REOPEN_WORDS and name[0].isupper() else argument
    if with_outcome is not None and verb in _CLOSE_WORDS and _is_command(agenda, f"{with_outcome[1]} {verb}"):
        return f"{with_outcome[1]} {verb}: {with_outcome[2]}"
    typed_name = with_outcome[1] if with_outcome else name
    raise InputError(
        f"{one_line(typed_name)[:60]!r} names no thread.",
        kept=NOTHING_CHANGED,
        todo='/thread lists them with numbers. A name that begins so goes in quotes: /thread "close the gate".',
    )


def _is_command(agenda: StoryAgenda, argument: str) -> bool:
    numbered = _NUMBERED_COMMAND.fullmatch(argument) is not None
    return numbered or _find_named_thread(agenda, argument) is not None


def _find_named_thread(agenda: StoryAgenda, argument: str) -> tuple[Thread, str] | None:
    """Return the one thread that a typed name means and what is to be done with it; None for another thread's name.

    Raises InputError if several have the name.
    """
    match = _NAMED_COMMAND.fullmatch(argument)
    if match is None:
        return None
    threads_by_id = {thread.id: thread for thread in agenda.threads}
    matching_ids = match_names(match[1], [(thread.name, thread.id) for thread in agenda.threads])
    if len(matching_ids) > 1:
        numbers = sorted(agenda.thread_numbers[thread_id] for thread_id in matching_ids)
        raise InputError(
            f"{one_line(match[1])[:60]!r} could be thread {' or '.join(map(str, numbers))}.",
            kept=NOTHING_CHANGED,
            todo=f"Say which by its number: /thread {numbers[0]} {match[2].partition(':')[0].strip()}.",
        )
    return (threads_by_id[matching_ids[0]], match[2]) if len(matching_ids) == 1 else None


def _find_thread(agenda: StoryAgenda, number: int) -> Thread:
    thread = agenda.find_thread(number)
    if thread is None:
        numbers = sorted(agenda.thread_numbers[t.id] for t in agenda.threads)[-_MAX_NAMED_NUMBERS:]
        hint = f"Their numbers: {', '.join(map(str, numbers))}." if numbers else "None is open yet."
        raise InputError(
            f"There is no thread {number}.", kept=NOTHING_CHANGED, todo=f"{hint} /thread lists them."
        )
    return thread


def _parse_thread_name(typed_name: str) -> str:
    name = one_line(typed_name).strip(' "“”')
    if not name:
        raise InputError("It needs a name.", kept=NOTHING_CHANGED, todo="As in: /thread Who moved the bell?")
    if len(name) > MAX_THREAD_NAME:
        raise InputError(
            f"That is {len(name)} characters; a thread has at most {MAX_THREAD_NAME}.",
            kept=NOTHING_CHANGED,
            todo="Shorten it; /note can hold the details.",
        )
    return name


def _parse_outcome(typed_outcome: str) -> str:
    """Return how a thread ended. Raises InputError if it is longer than a thread's name may be."""
    return _parse_thread_name(typed_outcome) if typed_outcome else ""


def _closed_error(agenda: StoryAgenda, thread: Thread) -> InputError:
    return InputError(
        f"“{thread.name}” is closed already.",
        kept=NOTHING_CHANGED,
        todo=f"/thread {agenda.thread_numbers[thread.id]} open takes it up again.",
    )
