"""A gate with many proposals: each new one is checked by itself, and the rows are those of a check of all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.checks.contradictions import CheckRun
from agents.views.proposal_views import ProposalView
from monitor_tui.compose import Program
from stores.embedded.canon_reader import EmbeddedCanonReader
from stores.records.ids import Id
from stores.records.workflow import Verdict
from tests.program import begin, opened

LINES = (
    "/fact The gull number {0} has one red eye",
    "/npc Guest {0}: somebody",
    "/state Mara +seen-{0}",
    "/state Mara.luck_{0} = 3",
    "/fact Mara owes the ferryman of night {0} a coin",
    "/axiom Chest number {0} opens for its owner alone",
    "/clock Thaw {0} 4",
)
COUNT = 35


class Calls:
    """Counts the calls of methods of the program."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.counts: dict[str, int] = {}

    def watch(self, owner: type, name: str) -> None:
        method: Callable[..., Any] = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.counts[name] = self.counts.get(name, 0) + 1
            return method(*args, **kwargs)

        self._monkeypatch.setattr(owner, name, counted)

    def taken(self) -> dict[str, int]:
        counts, self.counts = self.counts, {}
        return counts


async def fill_gate(program: Program, scene_id: Id, count: int = COUNT) -> None:
    await program.services.play.submit(scene_id, "I count what there is.")
    for number in range(count):
        await program.services.play.submit(scene_id, LINES[number % len(LINES)].format(number))


async def rows(program: Program, scene_id: Id) -> tuple[ProposalView, ...]:
    return (await program.services.gate.gate(scene_id)).proposals


@pytest.mark.slow
async def test_gate_checks_a_new_proposal_and_not_those_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await fill_gate(program, scene_id)
        before = await rows(program, scene_id)
        calls = Calls(monkeypatch)
        calls.watch(CheckRun, "check_proposal")
        calls.watch(EmbeddedCanonReader, "facts_about")

        assert await rows(program, scene_id) == before
        assert calls.taken() == {}, "nothing changed"

        await program.services.play.submit(scene_id, "/fact The rope is wet")
        assert len(await rows(program, scene_id)) == len(before) + 1
        await program.services.play.scene(scene_id)
        assert calls.taken() == {"check_proposal": 1}

        accepted = before[3].proposal.id
        await program.services.gate.decide([accepted], Verdict.ACCEPT)
        verdicts = {row.proposal.id: row.verdict for row in await rows(program, scene_id)}
        assert verdicts[accepted] is Verdict.ACCEPT
        assert calls.taken() == {}, "what is accepted was checked as though it were"

        await program.services.gate.decide([accepted], Verdict.REJECT)
        await rows(program, scene_id)
        assert calls.taken()["check_proposal"] == len(before) + 1, "those after it may no longer meet it"


@pytest.mark.slow
async def test_gate_shows_the_same_rows_as_after_a_restart(tmp_path: Path) -> None:
    """Proposals that meet each other, and what takes back what was there, in a row of gates."""
    lines = (
        "/npc Tam: the pier-keeper",
        "/fact Tam owns the rope",
        "/fact Tam owns the rope",
        "/state Mara.hp = 7",
        "/state Mara.hp = 3",
        "/state Mara +wounded",
        "/state Tam.alive = false",
        "/fact Tam sings",
        "/npc Tamm: a stranger",
        "/place Tower: a ruin",
        "/undo",
        "/state Mara -wounded",
        "/axiom Nobody sings at night",
    )
    scene_id = None
    for session, first in enumerate(range(0, len(lines), 4)):
        async with opened(tmp_path, seed=session + 1) as program:
            if scene_id is None:
                scene_id = await begin(program)
                await program.services.play.submit(scene_id, "I look up.")
            for line in lines[first : first + 4]:
                await program.services.play.submit(scene_id, line)
                shown = await rows(program, scene_id)
            await program.services.gate.decide([shown[-1].proposal.id], Verdict.ACCEPT)
            shown = await rows(program, scene_id)
        async with opened(tmp_path, seed=100 + session) as program:
            assert await rows(program, scene_id) == shown
            open_ids = [row.proposal.id for row in shown if row.status == "pending"]
            await program.services.gate.decide([open_ids[1]], Verdict.REJECT)
            await program.services.gate.commit(scene_id, [open_ids[0]])
            await program.services.play.submit(scene_id, "/fact The lamp is lit")
            shown = await rows(program, scene_id)
        async with opened(tmp_path, seed=200 + session) as program:
            assert await rows(program, scene_id) == shown


@pytest.mark.slow
async def test_gate_of_many_tags_compares_each_fact_with_its_own_like(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty tags of one hero, and no fact is compared with all others."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I look up.")
        compared: list[int] = []
        similar_facts = CanonDraft.similar_facts

        def counted(draft: CanonDraft, fact: Any) -> Any:
            similar = list(similar_facts(draft, fact))
            compared.append(len(similar))
            return iter(similar)

        for number in range(30):
            await program.services.play.submit(scene_id, f"/fact Mara likes the gull {number}")
            await program.services.play.submit(scene_id, f"/state Mara +seen-{number}")
        monkeypatch.setattr(CanonDraft, "similar_facts", counted)
        await program.services.play.scene(scene_id)
        await program.services.gate.decide([(await rows(program, scene_id))[0].proposal.id], Verdict.REJECT)
        await rows(program, scene_id)
        assert max(compared) == 0
