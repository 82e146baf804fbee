"""Measures what the program makes of the blind campaign (`python -m tests.long_campaign.blind`).

No model is used. `test_blind_campaign.py` asserts what is reached.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.views.world_views import CommitmentView
from stores.records.canon import Authority
from tests.long_campaign.blind_playing import (
    BlindRun,
    PlayedLine,
    introduces,
    is_promise,
    play_blind_campaign,
    takes_offer,
)
from tests.long_campaign.blind_script import BlindScript, read_blind_script

CLAIM_MISSING = "its claim is not in canon"
NOT_READ = "nothing was proposed for it"
NOT_COMPARED = "it was proposed without a conflict"


@dataclass(frozen=True, slots=True)
class Count:
    """How many of how many; `examples` are those that count against it."""

    value: int
    of: int = 0
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BlindMeasures:
    """The figures of one playing, by name."""

    counts: Mapping[str, Count]
    misses_by_kind: Mapping[str, int] = field(default_factory=dict)
    milliseconds: tuple[float, float, float] = (0, 0, 0)
    """Per exchange: median, 95th percentile, longest."""

    def table(self, *, with_examples: bool = False) -> str:
        """Return the figures as lines of text."""
        width = max(map(len, self.counts))
        lines = []
        for name, count in self.counts.items():
            lines.append(f"{name:<{width}}  {count.value:>4}" + (f" of {count.of}" if count.of else ""))
            if name == CAUGHT:
                lines += [f"    {kind:<{width - 4}}  {n:>4}" for kind, n in self.misses_by_kind.items()]
            if with_examples:
                lines += [f"    - {example}" for example in count.examples]
        median, high, longest = self.milliseconds
        lines.append(f"an exchange takes {median:.0f} ms (p95 {high:.0f} ms, at most {longest:.0f} ms)")
        return "\n".join(lines)


CAUGHT = "contradictions caught"
CLAIMS_READ = "claims proposed"
OTHER_CLAIMS = "claims read on other lines"
FALSE_ALARMS = "alarms on lines without annotation"
CLAIM_ALARMS = "alarms on claims"
PROMISES_MADE = "promises proposed"
WRONG_PROMISES = "promises read where there is none"
OPEN_PROMISES = "promises open at the end that are in the ledger"
STILL_OPEN = "promises kept or broken that are still open"
CLOSED = "promises kept or broken that are closed"
DECISIONS = "decisions in the last prompt"
LIFTED = "decisions dropped that are not in it"
WRONG_DECISIONS = "decisions read where there is none"
WRONG_OFFERS = "offers for lines that settle nothing"
PROBES_TRUE = "probes right of those who know"
PROBES_FALSE = "probes right of those who do not"
FAILED = "proposals that could not be committed"


def measure(script: BlindScript, run: BlindRun) -> BlindMeasures:
    """Count what was caught, kept and known."""
    played = run.played
    planted = [one for one in played if one.line.contradicts]
    claims = {one.line.id: one for one in played if one.line.claim}
    silent = [one for one in planted if not one.warnings]
    counts = {
        CAUGHT: Count(len(planted) - len(silent), len(planted), _texts(silent)),
        CLAIMS_READ: _count_all(claims.values(), lambda one: bool(one.rows)),
        OTHER_CLAIMS: _count_any(
            [one for one in played if not (one.line.claim or one.line.contradicts)],
            # What is read as a promise counts among the promises.
            lambda one: [
                row.title
                for row in one.rows
                if row.proposal.authority is Authority.SYSTEM and not is_promise(row)
            ],
        ),
        FALSE_ALARMS: _count_any(
            [one for one in played if not one.line.is_annotated],
            lambda one: one.warnings,
        ),
        CLAIM_ALARMS: _count_any(list(claims.values()), lambda one: one.warnings),
        **_measure_promises(script, run),
        **_measure_decisions(script, run),
        PROBES_TRUE: _count_probes(run, knows=True),
        PROBES_FALSE: _count_probes(run, knows=False),
        FAILED: Count(len(run.failures), examples=tuple(run.failures)),
    }
    kinds = Counter(_kind_of_miss(one, claims) for one in silent)
    return BlindMeasures(counts, dict(kinds.most_common()), _milliseconds(played))


def _measure_promises(script: BlindScript, run: BlindRun) -> dict[str, Count]:
    assert run.ledger is not None
    promises = {one.line.promise: one for one in run.played if one.line.promise}
    ended = [name for one in run.played for name in (one.line.keeps, one.line.breaks) if name]
    open_ids, closed_ids = _fact_ids(run.ledger.open_commitments), _fact_ids(run.ledger.closed_commitments)
    other = [one for one in run.played if not (one.line.promise or one.line.claim or one.line.contradicts)]
    kept_ids = _fact_ids(c for c in run.ledger.closed_commitments if c.is_paid)
    kept_names = {one.line.keeps for one in run.played if one.line.keeps}
    closed = [
        name
        for name in ended
        if promises[name].promise_ids & (kept_ids if name in kept_names else closed_ids - kept_ids)
    ]
    still_open = [name for name in ended if promises[name].promise_ids & open_ids]
    lost = [name for name in script.open_promises_at_end if not promises[name].promise_ids & open_ids]
    return {
        PROMISES_MADE: _count_all(promises.values(), lambda one: bool(one.promise_ids)),
        WRONG_PROMISES: _count_any(other, lambda one: [row.title for row in one.rows if is_promise(row)]),
        OPEN_PROMISES: _count_names(script.open_promises_at_end, lost),
        CLOSED: _count_names(ended, [name for name in ended if name not in closed]),
        STILL_OPEN: Count(len(still_open), examples=tuple(still_open)),
    }


def _measure_decisions(script: BlindScript, run: BlindRun) -> dict[str, Count]:
    texts: dict[str, set[str]] = {}
    wrong, before = [], set[str]()
    for one in run.played:
        added = set(one.decisions) - before
        if one.line.decision:
            texts[one.line.decision] = added
        elif added:
            wrong.append(f"{one.line.text} -> {'; '.join(added)}")
        if not one.line.contradicts:
            before = set(one.decisions)
    dropped = [one.line.drops for one in run.played if one.line.drops]
    known_names = {described.name for described in (script.hero, *script.people)}

    def is_in_prompt(name: str) -> bool:
        return any(f"- {text}" in run.narrator_prompt for text in texts.get(name, ()))

    return {
        DECISIONS: _count_names(
            script.decisions_at_end, [n for n in script.decisions_at_end if not is_in_prompt(n)]
        ),
        LIFTED: _count_names(dropped, [name for name in dropped if is_in_prompt(name) or not texts[name]]),
        WRONG_DECISIONS: Count(len(wrong), examples=tuple(wrong)),
        WRONG_OFFERS: _count_any(
            [one for one in run.played if not takes_offer(one.line)],
            lambda one: [one.offered_line] if one.offered_line and not introduces(one, known_names) else [],
        ),
    }


# --- counting ---------------------------------------------------------------------------------------


def _kind_of_miss(planted: PlayedLine, claims: Mapping[str, PlayedLine]) -> str:
    if not claims[planted.line.contradicts].rows:
        return CLAIM_MISSING
    return NOT_COMPARED if planted.rows else NOT_READ


def _count_all(played: Iterable[PlayedLine], holds: Callable[[PlayedLine], bool]) -> Count:
    """Count the lines for which it holds; the others are the examples."""
    lines = list(played)
    missed = [one for one in lines if not holds(one)]
    return Count(len(lines) - len(missed), len(lines), _texts(missed))


def _count_any(played: Sequence[PlayedLine], read: Callable[[PlayedLine], Sequence[str]]) -> Count:
    """Count the lines for which something is read, and show what."""
    examples = [f"{one.line.text} -> {'; '.join(read(one))}" for one in played if read(one)]
    return Count(len(examples), len(played), tuple(examples))


def _count_names(names: Sequence[str], missed: Sequence[str]) -> Count:
    return Count(len(names) - len(missed), len(names), tuple(missed))


def _count_probes(run: BlindRun, *, knows: bool) -> Count:
    probes = [(probe, is_right) for probe, is_right in run.probes if probe.knows is knows]
    wrong = [f"{p.who}, scene {p.about.scene}, line {p.about.line}" for p, is_right in probes if not is_right]
    return _count_names([probe.who for probe, _ in probes], wrong)


def _fact_ids(commitments: Iterable[CommitmentView]) -> set[str]:
    return {commitment.fact.fact.id for commitment in commitments}


def _texts(played: Iterable[PlayedLine]) -> tuple[str, ...]:
    return tuple(f"scene {one.scene_number}: {one.line.text}" for one in played)


def _milliseconds(played: Sequence[PlayedLine]) -> tuple[float, float, float]:
    ordered = sorted(1_000 * one.seconds for one in played)
    return ordered[len(ordered) // 2], ordered[len(ordered) * 95 // 100], ordered[-1]


async def measure_blind_campaign(home: Path, *, states_facts: bool = False) -> BlindMeasures:
    """Play the campaign in a new library, and measure it."""
    script = read_blind_script()
    return measure(script, await play_blind_campaign(home, script, states_facts=states_facts))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.long_campaign.blind", description=__doc__)
    parser.add_argument("--examples", action="store_true", help="show what counts against each figure")
    parser.add_argument("--facts", action="store_true", help="state claims and contradictions by /fact, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="monitor-blind-") as folder:
        measures = asyncio.run(measure_blind_campaign(Path(folder), states_facts=options.facts))
        print(measures.table(with_examples=options.examples))


if __name__ == "__main__":
    main()
