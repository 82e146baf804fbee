"""The bill: what calls of a model have cost, summed five ways, and the budgets that bound it. Read only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from agents.llm.budget import BUDGET_RULES, Budget, BudgetGuard, compute_budgets
from agents.views.llm_views import BillRow, BillView, BudgetView
from stores.ports import CanonReader, LlmSpending, LogReader
from stores.records.ids import Clock, Id
from stores.records.llm import LlmCall
from stores.records.play import Story, Turn

CALLS = 500
"""The newest calls that are listed one by one, and by their turns."""

WORDS = 48
"""Characters of a turn that name it."""


class Bills:
    """Builds bills. Stateless."""

    def __init__(self, log: LogReader, canon: CanonReader, purse: BudgetGuard, clock: Clock) -> None:
        self._log = log
        self._canon = canon
        self._purse = purse
        self._clock = clock

    async def view(self, *, story_id: Id | None = None) -> BillView:
        """Return the bill; with `story_id` its calls, turns and budgets are that story's."""
        spent = await self._log.llm_spending()
        calls = await self._log.llm_calls(story_id=story_id, last=CALLS)
        stories = {story.id: story for story in await self._log.stories()}
        turns = await self._log.turns({call.turn_id for call in calls if call.turn_id})
        return BillView(
            by_call=tuple(calls),
            by_turn=tuple(_by_turn(calls, turns)),
            by_persona=tuple(_dearest(_summed(spent, lambda row: row.persona))),
            by_story=tuple(_dearest(_by_story(spent, stories))),
            by_day=tuple(sorted(_summed(spent, lambda row: row.day), key=lambda r: r.label, reverse=True)),
            budgets=tuple(await self._budgets(spent, stories.get(story_id) if story_id else None)),
            rules=BUDGET_RULES,
        )

    async def cost(self, story_id: Id) -> tuple[int, bool]:
        """Return what a story has cost in millionths of a US dollar, and whether every price is known."""
        rows = [row for row in await self._log.llm_spending() if row.story_id == story_id]
        return sum(row.micros for row in rows), not any(row.unpriced for row in rows)

    async def _budgets(self, spent: Sequence[LlmSpending], story: Story | None) -> list[BudgetView]:
        """Return the budgets of a story, its universe and the day; without one, of every universe."""
        universes = {u.id: u.name for u in await self._canon.universes()}
        found: dict[tuple[str, Id | None], Budget] = {}
        for universe_id in [story.universe_id] if story else universes:
            for budget in await self._purse.budgets(universe_id, story.id if story else None):
                found[budget.scope, budget.subject] = budget
        today = self._clock().strftime("%Y-%m-%d")
        found.setdefault(("day", None), Budget("day", 0, None))
        names = {**universes, **({story.id: story.title} if story else {})}
        shown = []
        for budget in found.values():
            # What was spent is summed here: the purse leaves it out where nothing is limited.
            stood = replace(budget, spent=_spent_of(budget, spent, today))
            label = names.get(stood.subject, "") if stood.subject else f"today, {today}"
            shown.append(
                BudgetView(stood.scope, label, stood.spent, stood.limit, stood.subject, stood.limitation)
            )
        return sorted(shown, key=lambda view: ("story", "universe", "day").index(view.scope))


def _spent_of(budget: Budget, spent: Sequence[LlmSpending], today: str) -> int:
    subject = (budget.subject, budget.limit) if budget.subject else None
    stood = compute_budgets(
        spent,
        story=subject if budget.scope == "story" else None,
        universe=subject if budget.scope == "universe" else None,
        day=(today, budget.limit),
    )
    return next(each.spent for each in stood if each.scope == budget.scope)


def _summed(spent: Iterable[LlmSpending], key: Callable[[LlmSpending], str]) -> list[BillRow]:
    rows: dict[str, BillRow] = {}
    for row in spent:
        rows[key(row)] = _added(rows.get(key(row)) or BillRow(key(row), 0, 0, 0, 0), row)
    return list(rows.values())


def _by_story(spent: Iterable[LlmSpending], stories: Mapping[Id, Story]) -> list[BillRow]:
    rows: dict[Id | None, BillRow] = {}
    for row in spent:
        story = stories.get(row.story_id) if row.story_id else None
        label = story.title if story else "in no story"
        subject = story.id if story else None
        rows[subject] = _added(rows.get(subject) or BillRow(label, 0, 0, 0, 0, subject=subject), row)
    return list(rows.values())


def _added(sum_: BillRow, row: LlmSpending) -> BillRow:
    return replace(
        sum_,
        calls=sum_.calls + row.calls,
        tokens_in=sum_.tokens_in + row.tokens_in,
        tokens_out=sum_.tokens_out + row.tokens_out,
        micros=sum_.micros + row.micros,
        unpriced=sum_.unpriced + row.unpriced,
    )


def _dearest(rows: Iterable[BillRow]) -> list[BillRow]:
    return sorted(rows, key=lambda row: (-row.micros, -row.tokens_in, row.label))


def _by_turn(calls: Sequence[LlmCall], turns: Mapping[Id, Turn]) -> list[BillRow]:
    """Sum calls by the turn they served, the newest first. A turn that was never told has a row too."""
    rows: dict[Id | None, BillRow] = {}
    for call in calls:
        turn = turns.get(call.turn_id) if call.turn_id else None
        served = rows.pop(call.turn_id, None) or _row_of(turn)
        rows[call.turn_id] = replace(
            served,
            calls=served.calls + 1,
            tokens_in=served.tokens_in + call.tokens_in,
            tokens_out=served.tokens_out + call.tokens_out,
            micros=served.micros + call.cost.micros,
            unpriced=served.unpriced + (not call.cost.known),
        )
    return list(rows.values())[::-1]


def _row_of(turn: Turn | None) -> BillRow:
    return BillRow(_named(turn), 0, 0, 0, 0, subject=turn.id if turn else None)


def _named(turn: Turn | None) -> str:
    if turn is None:
        return "no turn: tests, asides, and what was never told"
    words = " ".join(turn.text.split())
    return f"turn {turn.depth + 1} · {words if len(words) <= WORDS else words[: WORDS - 1] + '…'}"
