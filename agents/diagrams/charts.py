"""Charts of a story and its world as values: what each bar is of, how long it is, and of which parts.

Pure: records go in; `widgets/chart_list.py` draws what comes out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.count_words import count_noun
from agents.diagrams.dice_fairness import DiceFairness
from agents.proposals.decisions import came_to_nothing
from agents.proposals.kinds import CHANGE_KINDS
from stores.ports import LlmSpending
from stores.records.canon import Authority
from stores.records.ids import Id
from stores.records.llm import LlmCall
from stores.records.play import Degree, Resolution, Scene
from stores.records.story_journal import TensionEntry
from stores.records.workflow import ProposalStatus, ProposedChange

MAX_TENSION: Final = 9
MAX_DAYS: Final = 60
"""Days of spending that are charted: the last ones."""
_MICROS_PER_DOLLAR: Final = 1_000_000


class Tone(StrEnum):
    """What a part of a bar means."""

    PLAIN = "plain"
    GOOD = "good"
    MIDDLE = "middle"
    BAD = "bad"


class ChartShape(StrEnum):
    COLUMNS = "columns"
    """Side by side, over time."""
    BARS = "bars"
    """One below the other."""


@dataclass(frozen=True, slots=True)
class ChartBar:
    """One bar or column."""

    label: str
    parts: tuple[tuple[Tone, float], ...]
    """From the beginning of the bar."""
    words: str = ""
    """Its amount in words."""

    @property
    def amount(self) -> float:
        return sum(amount for _, amount in self.parts)


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, and what it shows in words."""

    title: str
    shape: ChartShape
    bars: tuple[ChartBar, ...] = ()
    summary: str = ""
    """What it says, in a sentence; of an empty one, what will be there."""
    full_amount: float | None = None
    """What a whole bar is; None: the largest of them."""
    expected: float | None = None
    """What each bar would have if all were equal."""


def make_tension_chart(scenes: Sequence[Scene], changes: Sequence[TensionEntry], tension_now: int) -> Chart:
    """Return the tension as each scene of a story ended, by the changes that stand."""
    tension = changes[0].before if changes else tension_now
    after_scene = {change.scene_id: change.after for change in changes}
    bars = []
    for scene in scenes:
        tension = after_scene.get(scene.id, tension)
        bars.append(ChartBar(str(scene.order), ((_tension_tone(tension), tension),), str(tension)))
    highest = max((bar.amount for bar in bars), default=0)
    summary = (
        f"Now {tension_now} of {MAX_TENSION}; the highest was {highest:.0f}."
        if bars
        else "No scene was played yet."
    )
    return Chart("Tension by scene", ChartShape.COLUMNS, tuple(bars), summary, full_amount=MAX_TENSION)


def _tension_tone(tension: int) -> Tone:
    return Tone.BAD if tension >= 7 else Tone.MIDDLE if tension >= 5 else Tone.GOOD


_DEGREE_TONES: Final = ((Degree.SUCCESS, Tone.GOOD), (Degree.PARTIAL, Tone.MIDDLE), (Degree.FAIL, Tone.BAD))


def make_check_chart(scenes: Sequence[Scene], resolutions: Iterable[Resolution]) -> Chart:
    """Return by scene how the checks went. A result that was replaced by another does not count."""
    resolutions = tuple(resolutions)
    replaced_turn_ids = {r.instead_of for r in resolutions if r.instead_of}
    degrees: defaultdict[Id, Counter[Degree]] = defaultdict(Counter)
    for resolution in resolutions:
        if resolution.degree is not Degree.NONE and resolution.turn_id not in replaced_turn_ids:
            degrees[resolution.scene_id][resolution.degree] += 1
    total = sum(degrees.values(), Counter[Degree]())
    bars = tuple(
        ChartBar(
            str(scene.order),
            tuple(
                (tone, degrees[scene.id][degree])
                for degree, tone in _DEGREE_TONES
                if degrees[scene.id][degree]
            ),
            str(degrees[scene.id].total() or ""),
        )
        for scene in scenes
    )
    count = total.total()
    summary = "No check was rolled yet."
    if count:
        shares = ", ".join(
            f"{word} {total[degree]} ({total[degree] * 100 / count:.0f}\xa0%)"
            for degree, word in (
                (Degree.SUCCESS, "success"),
                (Degree.PARTIAL, "partial"),
                (Degree.FAIL, "failure"),
            )
            if total[degree]
        )
        summary = f"{count_noun(count, 'check')}: {shares}."
    return Chart("Checks by scene", ChartShape.COLUMNS, bars if count else (), summary)


def make_dice_charts(measured: Sequence[DiceFairness]) -> tuple[Chart, ...]:
    """Return a chart for each kind of die."""
    if not measured:
        return (Chart("Dice", ChartShape.BARS, summary="No die was thrown yet."),)
    return tuple(
        Chart(
            f"Faces of {dice.name}",
            ChartShape.BARS,
            tuple(ChartBar(face, ((Tone.PLAIN, count),), f"{count:,}") for face, count in dice.face_counts),
            dice.verdict,
            expected=dice.throw_count / len(dice.face_counts),
        )
        for dice in measured
    )


# --- the model --------------------------------------------------------------------------------------


def make_spending_charts(spending: Sequence[LlmSpending], calls: Sequence[LlmCall]) -> tuple[Chart, ...]:
    """Return tokens and money by day, by agent, and tokens by section of the prompts."""
    if not spending:
        return (Chart("Tokens by day", ChartShape.COLUMNS, summary="No model was asked yet."),)
    tokens_by_day = _sum_by(spending, lambda row: row.day, lambda row: row.tokens_in + row.tokens_out)
    money_by_day = _sum_by(spending, lambda row: row.day, lambda row: row.micros)
    unpriced_count = sum(row.unpriced for row in spending)
    unpriced = f" {count_noun(unpriced_count, 'call')} without a known price." if unpriced_count else ""
    total_tokens, total_micros = sum(tokens_by_day.values()), sum(money_by_day.values())
    charts = [
        _day_chart("Tokens by day", tokens_by_day, _short_number, f"{total_tokens:,} tokens in all."),
        _day_chart("Money by day", money_by_day, _dollars, f"{_dollars(total_micros)} in all.{unpriced}"),
    ]
    agents = _sum_by(spending, lambda row: row.persona, lambda row: row.tokens_in + row.tokens_out)
    money_by_agent = _sum_by(spending, lambda row: row.persona, lambda row: row.micros)
    charts.append(
        Chart(
            "Tokens and money by agent",
            ChartShape.BARS,
            tuple(
                ChartBar(
                    name.capitalize(),
                    ((Tone.PLAIN, tokens),),
                    f"{tokens:,}  {_dollars(money_by_agent[name])}",
                )
                for name, tokens in _largest_first(agents)
            ),
        )
    )
    sections: Counter[str] = Counter()
    for call in calls:
        for section in call.sections:
            if not section.dropped:
                sections[section.name] += section.tokens
    charts.append(
        Chart(
            "Tokens by section of the prompt",
            ChartShape.BARS,
            tuple(
                ChartBar(name, ((Tone.PLAIN, tokens),), f"{tokens:,}")
                for name, tokens in _largest_first(sections)
            ),
            f"Of the last {count_noun(len(calls), 'call')}.",
        )
    )
    return tuple(charts)


def _sum_by(
    spending: Iterable[LlmSpending], key: Callable[[LlmSpending], str], amount: Callable[[LlmSpending], int]
) -> dict[str, int]:
    sums: Counter[str] = Counter()
    for row in spending:
        sums[key(row)] += amount(row)
    return dict(sums)


def _largest_first(amounts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(((n, a) for n, a in amounts.items() if a), key=lambda item: (-item[1], item[0]))


def _day_chart(title: str, amounts: Mapping[str, int], in_words: Callable[[int], str], summary: str) -> Chart:
    bars = tuple(
        ChartBar(day[5:], ((Tone.PLAIN, amount),), in_words(amount))
        for day, amount in sorted(amounts.items())[-MAX_DAYS:]
    )
    return Chart(title, ChartShape.COLUMNS, bars, summary)


def _short_number(amount: int) -> str:
    """Return a number in four cells at most: `950`, `12k`, `3.4M`."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if amount >= size:
            scaled = amount / size
            return f"{scaled:.1f}{unit}" if scaled < 9.95 else f"{scaled:.0f}{unit}"
    return str(amount)


def _dollars(micros: int) -> str:
    dollars = micros / _MICROS_PER_DOLLAR
    return f"${dollars:,.2f}" if dollars >= 0.01 or not micros else f"${dollars:.4f}"


# --- the gate ---------------------------------------------------------------------------------------

ORIGIN_WORDS: Final = {
    Authority.GM: "You, as the GM",
    Authority.PLAYER: "A roll",
    Authority.SYSTEM: "Read from the story",
    Authority.SOURCE: "A document",
}


def make_gate_charts(scenes: Sequence[Scene], proposals: Sequence[ProposedChange]) -> tuple[Chart, ...]:
    """Return what came of proposals, by kind, by whose word they rest on, and how many each scene had."""
    by_kind = _acceptance_chart(
        "Accepted by kind", proposals, lambda p: CHANGE_KINDS[p.change.kind].plural.capitalize()
    )
    by_origin = _acceptance_chart(
        "Accepted by whose word it is", proposals, lambda p: ORIGIN_WORDS[p.authority]
    )
    counts = Counter(p.scene_id for p in proposals if p.status is not ProposalStatus.WITHDRAWN)
    bars = tuple(
        ChartBar(str(scene.order), ((Tone.PLAIN, counts[scene.id]),), str(counts[scene.id] or ""))
        for scene in scenes
    )
    mean = sum(counts[s.id] for s in scenes) / len(scenes) if scenes else 0
    summary = f"{mean:.1f} a scene." if any(bar.amount for bar in bars) else "Nothing was proposed yet."
    per_scene = Chart("Proposals by scene", ChartShape.COLUMNS, bars if mean else (), summary)
    return by_kind, by_origin, per_scene


def _acceptance_chart(
    title: str, proposals: Sequence[ProposedChange], name: Callable[[ProposedChange], str]
) -> Chart:
    statuses = (ProposalStatus.ACCEPTED, ProposalStatus.REJECTED)
    decided = [p for p in proposals if p.status in statuses and not came_to_nothing(p)]
    accepted = Counter(name(p) for p in decided if p.status is ProposalStatus.ACCEPTED)
    totals = Counter(name(p) for p in decided)
    bars = tuple(
        ChartBar(
            label,
            ((Tone.GOOD, accepted[label]), (Tone.BAD, count - accepted[label])),
            f"{accepted[label]:,} of {count:,}",
        )
        for label, count in _largest_first(totals)
    )
    if not decided:
        return Chart(title, ChartShape.BARS, summary="Nothing was decided at the gate yet.")
    share = accepted.total() * 100 / len(decided)
    return Chart(
        title, ChartShape.BARS, bars, f"{accepted.total():,} of {len(decided):,} accepted ({share:.0f}\xa0%)."
    )
