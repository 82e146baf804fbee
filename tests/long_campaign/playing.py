"""Plays the campaign: typed scenes by `monitor_tui.play_script`, and between them what the GM does at the gate.

The scenes are in `scenes/`, in the order of their names; `gates.yaml` tells, by the name of a scene's file,
what is done when its lines are played. Everything goes through public doors: the script player, the program.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from agents.views.conflict_views import RulingRequest
from agents.views.proposal_views import ProposalView
from monitor_tui.compose import Program, open_program
from monitor_tui.play_script import ScriptResult, play_script, read_script
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from stores.records.workflow import ProposalStatus, Verdict

HERE = Path(__file__).parent
SCRIPTS = {p.stem: p.read_text(encoding="utf-8") for p in sorted((HERE / "scenes").glob("*.play"))}
"""The scenes by the names of their files, in order; what cannot wait parts a scene in two."""
GATES: Mapping[str, Mapping[str, Any]] = yaml.safe_load((HERE / "gates.yaml").read_text(encoding="utf-8"))
SEED = 1
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Campaign:
    """What was played so far; `replies` are those of all parts, each with the name of its file."""

    program: Program
    universe_id: Id = ""
    story_id: Id = ""
    scene_id: Id = ""
    replies: list[dict[str, Any]] = field(default_factory=list)

    @property
    def played(self) -> ScriptResult:
        """Return it all as though it had been one script."""
        return ScriptResult(self.universe_id, self.story_id, self.scene_id, self.replies)


@asynccontextmanager
async def opened(home: Path, seed: int) -> AsyncIterator[Campaign]:
    """Open a library whose dice, identifiers and clock follow from the seed alone."""
    clock = SteppingClock(START)
    program = await open_program(home, clock=clock, ids=SeededIdGenerator(seed, clock))
    try:
        yield Campaign(program)
    finally:
        await program.close()


async def play_all(campaign: Campaign, scenes: Iterable[str] = SCRIPTS) -> None:
    """Play the scenes one after the other, and review each."""
    for name in scenes:
        await play_part(campaign, name)
        await review(campaign, GATES[name])


async def play_part(campaign: Campaign, name: str) -> None:
    """Play one file of lines. Raises AssertionError, naming the line, if one is refused."""
    script = read_script(SCRIPTS[name])
    played = await play_script(campaign.program.services, script)
    assert not played.error, f"{name}, {played.error}"
    campaign.universe_id, campaign.story_id = played.universe_id, played.story_id
    campaign.scene_id = played.scene_id
    campaign.replies += [{"scene": name, **reply} for reply in played.replies]


async def review(campaign: Campaign, gate: Mapping[str, Any]) -> None:
    """Do at the gate what the sheet says, and commit: what is critical in mid-scene, or the scene's end."""
    services, scene_id = campaign.program.services, campaign.scene_id
    if "critical" in gate:
        await services.gate.commit_trigger(scene_id)
        return
    for title, way in gate.get("ruled", {}).items():
        (row,) = [row for row in await _rows(campaign) if row.title == title]
        against = row.conflicts[0].other_fact
        assert against is not None
        ruling = RulingRequest(row.proposal.id, against.id, **way)
        await services.conflicts.preview_ruling(ruling)
        await services.conflicts.make_ruling(ruling)
    rows = await _rows(campaign)
    for title, words in gate["edited"].items():
        await services.gate.edit_text(_named(rows, [title])[0], words)
    done = set(_named(rows, [*gate["edited"], *gate["all_but"]]))
    for key, verdict in (
        ("rejected", Verdict.REJECT),
        ("colour", Verdict.FLAVOUR),
        ("deferred", Verdict.DEFER),
        ("accepted", Verdict.ACCEPT),
    ):
        chosen = _named(rows, gate[key])
        await services.gate.decide(chosen, verdict)
        done.update(chosen)
    # What was decided on the line keeps its verdict.
    rest = [row.proposal.id for row in rows if row.verdict is None and row.proposal.id not in done]
    assert rest, "nothing was left to accept together"
    await services.gate.decide(rest, Verdict.ACCEPT)
    report = await services.gate.commit(scene_id)
    assert not report.failures, report.failures
    assert report.next_scene_id
    campaign.scene_id = report.next_scene_id


async def _rows(campaign: Campaign) -> Sequence[ProposalView]:
    """Return what waits at the scene's gate."""
    rows = (await campaign.program.services.gate.gate(campaign.scene_id)).proposals
    return [row for row in rows if row.status in (ProposalStatus.PENDING, ProposalStatus.FAILED)]


def _named(rows: Sequence[ProposalView], titles: Collection[str]) -> list[Id]:
    """Return the proposals of these titles. Raises AssertionError for one that is missing, or there twice."""
    found = [[row.proposal.id for row in rows if row.title == title] for title in titles]
    wrong = [title for title, same in zip(titles, found, strict=True) if len(same) != 1]
    assert not wrong, f"not one of each: {wrong}; there are {[row.title for row in rows]}"
    return [proposal_id for (proposal_id,) in found]
