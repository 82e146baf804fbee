"""Builds the bill: what calls of a model cost, summed in five ways, and the budgets. Read-only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from agents.count_words import count_noun
from agents.llm.budget import BUDGET_RULES, Budget, BudgetGuard, compute_budgets, format_dollars
from agents.views.llm_views import BillRow, BillView, BudgetView
from stores.ports import CanonReader, LlmSpending, LogReader
from stores.queries import LlmCallQuery
from stores.records.ids import Clock, Id
from stores.records.llm import LlmCall
from stores.records.play import Story, Turn

MAX_LISTED_CALLS = 500
"""The newest calls that are listed one by one and by turn."""

MAX_TURN_LABEL = 48
"""Characters of a turn that label it."""


class BillReader:
    """Builds bills."""

    def __init__(self, log: LogReader, canon: CanonReader, budget_guard: BudgetGuard, clock: Clock) -> None:
        self._log = log
        self._canon = canon
        self._budget_guard = budget_guard
        self._clock = clock

    async def read_bill(self, *, story_id: Id | None = None) -> BillView:
        """Return the bill; with `story_id` its calls, turns and budgets are that story's."""
        spending = await self._log.llm_spending()
        calls = await self._log.llm_calls(LlmCallQuery(story_id=story_id, last=MAX_LISTED_CALLS))
        stories_by_id = {story.id: story for story in (await self._log.readable_stories()).records}
        turns = await self._log.turns({call.turn_id for call in calls if call.turn_id})
        return BillView(
            by_call=tuple(calls),
            by_turn=tuple(_sum_by_turn(calls, turns)),
            by_persona=tuple(_sort_by_cost(_sum_by(spending, lambda row: row.persona))),
            by_story=tuple(_sort_by_cost(_sum_by_story(spending, stories_by_id))),
            by_day=tuple(sorted(_sum_by(spending, lambda row: row.day), key=lambda r: r.label, reverse=True)),
            budgets=tuple(
                await self._read_budgets(spending, stories_by_id.get(story_id) if story_id else None)
            ),
            limitation_rules=BUDGET_RULES,
        )

    async def read_story_cost(self, story_id: Id) -> tuple[int, bool]:
        """Return what a story has cost in millionths of a US dollar, and whether every price is known."""
        rows = [row for row in await self._log.llm_spending() if row.story_id == story_id]
        return sum(row.micros for row in rows), not any(row.unpriced for row in rows)

    async def read_story_costs(self, story_id: Id) -> BillRow:
        """Return what all calls of a story have cost, in sum."""
        total = BillRow("the story", 0, 0, 0, 0, subject=story_id)
        for row in await self._log.llm_spending():
            total = _add_spending(total, row) if row.story_id == story_id else total
        return total

    async def _read_budgets(self, spending: Sequence[LlmSpending], story: Story | None) -> list[BudgetView]:
        """Return the budgets of a story, its universe and the day; without one, of every universe."""
        universe_names = {u.id: u.name for u in (await self._canon.readable_universes()).records}
        budgets_by_scope: dict[tuple[str, Id | None], Budget] = {}
        for universe_id in [story.universe_id] if story else universe_names:
            for budget in await self._budget_guard.budgets(universe_id, story.id if story else None):
                if budget.is_in_tokens and budget.limit is None:
                    continue
                budgets_by_scope[budget.scope, budget.subject] = budget
        today = self._clock().strftime("%Y-%m-%d")
        budgets_by_scope.setdefault(("day", None), Budget("day", 0, None))
        names = {**universe_names, **({story.id: story.title} if story else {})}
        budget_views = []
        for budget in budgets_by_scope.values():
            if budget.is_in_tokens:
                label = f"this week, {names.get(budget.subject or '', '')}"
                budget_views.append(
                    BudgetView("week", label, budget.spent, budget.limit, budget.subject, budget.limitation)
                )
                continue
            # What was spent is summed here: the purse leaves it out where nothing is limited.
            budget_with_spending = replace(budget, spent=_spent_on_budget(budget, spending, today))
            label = (
                names.get(budget_with_spending.subject, "")
                if budget_with_spending.subject
                else f"today, {today}"
            )
            budget_views.append(
                BudgetView(
                    budget_with_spending.scope,
                    label,
                    budget_with_spending.spent,
                    budget_with_spending.limit,
                    budget_with_spending.subject,
                    budget_with_spending.limitation,
                )
            )
        return sorted(budget_views, key=lambda view: ("story", "universe", "day", "week").index(view.scope))


def describe_cost(costs: BillRow) -> str:
    """Return what a model has cost in words; empty if none was asked."""
    if not costs.call_count:
        return ""
    tokens = f"{costs.tokens_in + costs.tokens_out:,} tokens in {count_noun(costs.call_count, 'call')}"
    if costs.unpriced_count == costs.call_count:
        return f"The model used {tokens}; its price is not known."
    unpriced = f", {costs.unpriced_count} of them without a known price" if costs.unpriced_count else ""
    return f"The model cost {format_dollars(costs.micros)}: {tokens}{unpriced}."


def _spent_on_budget(budget: Budget, spending: Sequence[LlmSpending], today: str) -> int:
    subject = (budget.subject, budget.limit) if budget.subject else None
    budgets = compute_budgets(
        spending,
        story=subject if budget.scope == "story" else None,
        universe=subject if budget.scope == "universe" else None,
        day=(today, budget.limit),
    )
    return next(scope_budget.spent for scope_budget in budgets if scope_budget.scope == budget.scope)


def _sum_by(spending: Iterable[LlmSpending], key: Callable[[LlmSpending], str]) -> list[BillRow]:
    rows: dict[str, BillRow] = {}
    for row in spending:
        rows[key(row)] = _add_spending(rows.get(key(row)) or BillRow(key(row), 0, 0, 0, 0), row)
    return list(rows.values())


def _sum_by_story(spending: Iterable[LlmSpending], stories: Mapping[Id, Story]) -> list[BillRow]:
    rows: dict[Id | None, BillRow] = {}
    for row in spending:
        story = stories.get(row.story_id) if row.story_id else None
        label = story.title if story else "in no story"
        subject = story.id if story else None
        rows[subject] = _add_spending(rows.get(subject) or BillRow(label, 0, 0, 0, 0, subject=subject), row)
    return list(rows.values())


def _add_spending(total: BillRow, row: LlmSpending) -> BillRow:
    return replace(
        total,
        call_count=total.call_count + row.calls,
        tokens_in=total.tokens_in + row.tokens_in,
        tokens_out=total.tokens_out + row.tokens_out,
        micros=total.micros + row.micros,
        unpriced_count=total.unpriced_count + row.unpriced,
    )


def _sort_by_cost(rows: Iterable[BillRow]) -> list[BillRow]:
    return sorted(rows, key=lambda row: (-row.micros, -row.tokens_in, row.label))


def _sum_by_turn(calls: Sequence[LlmCall], turns: Mapping[Id, Turn]) -> list[BillRow]:
    """Return the cost of calls by the turn they served, the newest first.

    A turn that was never narrated has a row too.
    """
    rows: dict[Id | None, BillRow] = {}
    for call in calls:
        turn = turns.get(call.turn_id) if call.turn_id else None
        turn_row = rows.pop(call.turn_id, None) or _empty_turn_row(turn)
        rows[call.turn_id] = replace(
            turn_row,
            call_count=turn_row.call_count + 1,
            tokens_in=turn_row.tokens_in + call.tokens_in,
            tokens_out=turn_row.tokens_out + call.tokens_out,
            micros=turn_row.micros + call.cost.micros,
            unpriced_count=turn_row.unpriced_count + (not call.cost.known),
        )
    return list(rows.values())[::-1]


def _empty_turn_row(turn: Turn | None) -> BillRow:
    return BillRow(_label_turn(turn), 0, 0, 0, 0, subject=turn.id if turn else None)


def _label_turn(turn: Turn | None) -> str:
    if turn is None:
        return "no turn: tests, questions to the GM, unused narration"
    text = " ".join(turn.text.split())
    return (
        f"turn {turn.depth + 1} · {text if len(text) <= MAX_TURN_LABEL else text[: MAX_TURN_LABEL - 1] + '…'}"
    )
