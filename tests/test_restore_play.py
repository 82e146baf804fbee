"""Play goes on in a restored copy as it does in the original, from wherever it was cut off.

What is derived must be made again as the same thing: a roll that was sealed and not told, a commit that was
half written, an undo whose retcon was proposed, a pair of statements that the court has ruled on.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from agents.canon_keeper.conflicts.precedent_keys import derive_statement_keys
from agents.canon_keeper.predicates import load_catalogue
from monitor_tui.compose import Program, open_program
from stores.authority import Role
from stores.backup.campaign_copy import find_ids
from stores.backup.derived_ids import find_derivations
from stores.backup.restoring import restore_backup
from stores.backup.writing import write_backup
from stores.embedded.database import Database, Priority
from stores.errors import MonitorError
from stores.queries import ProposalQuery
from stores.records.canon import AssertFact, RetconFact
from stores.records.ids import Id, SeededIdGenerator, SteppingClock
from stores.records.workflow import ProposalStatus
from tests.libraries import Told, everything
from tests.program import begin

START = datetime(2026, 1, 1, tzinfo=UTC)
OPEN = (ProposalStatus.PENDING, ProposalStatus.DEFERRED)
KIN = (partial(derive_statement_keys, load_catalogue()),)

LINES = (
    "I look about.",
    "/thread The rope that was cut",
    "/clock Tide 6",
    "/note This may be the wrong yard",
    "> The yard is empty.",
    "I force the gate. /check might vs 2; success: Mara.hp -1; fail: Mara.hp -2",
    "/npc Tom: the keeper",
    "/npc Ann: the miller",
    "/commit",
    "/fact Tom ally_of Ann",
    "/commit",
    "I wait.",
    "/fact Tom enemy_of Ann",
    "/court ? old",
    "I call out.",
    "/rules state_change auto-accept",
    "/place Cellar",
    "/fact event: The lamp went out",
    "/commit",
    "/undo yes",
    "/undo yes",
    "I wait for the morning. /check might vs 3; success: Mara +calm; fail: Mara +tired",
    "/fact event: A dog barked",
    "/end Mara found nobody",
    "/commit",
    "I go on.",
)
MORE = (
    "I turn back.",
    "/fact Tom enemy_of Ann",
    "/clock Tide +1",
    "/undo yes",
    "/redo",
    "/commit",
    "I listen.",
    "/fact event: A bell rang",
    "/npc Old Jon",
    "/commit",
    "/undo yes",
    "/end Mara went home",
    "/commit",
    "I rest.",
)
"""No dice: their faces come from seeds that are new in each world."""


class PowerCut(BaseException):
    """The machine stops: nobody catches this."""


@asynccontextmanager
async def at_desk(home: Path, day: int = 0) -> AsyncIterator[Program]:
    clock = SteppingClock(START + timedelta(days=day))
    program = await open_program(home, clock=clock, ids=SeededIdGenerator(1, clock, salt=str(day)))
    try:
        yield program
    finally:
        await program.close()


async def play(program: Program, lines: tuple[str, ...], scene_id: Id) -> Id:
    """Type the lines; what is refused is passed over, as a player would. `?` is the one in conflict."""
    for line in lines:
        try:
            reply = await program.services.play.submit(
                scene_id, line.replace("?", await in_conflict(program, scene_id))
            )
        except MonitorError:
            continue
        if reply.goto == "scene" and reply.subject:
            scene_id = reply.subject
    return scene_id


async def in_conflict(program: Program, scene_id: Id) -> str:
    rows = (await program.services.play.scene(scene_id)).proposals
    return next((str(row.number) for row in rows if row.conflicts), "nobody")


async def play_until_cut(home: Path) -> bool:
    """Play from the beginning; returns whether the power went."""
    async with at_desk(home) as program:
        try:
            await play(program, LINES, await begin(program))
        except PowerCut:
            return True
    return False


async def copied(program: Program, folder: Path) -> tuple[Id, Id]:
    """Back up and restore beside it; returns the universe and its copy."""
    done = await write_backup(program.stores, folder / "backups", library_id="")
    (back,) = await restore_backup(program.stores, done.path, derivation_finders=KIN)
    (universe,) = done.manifest.universes
    assert back.is_copy
    return universe.id, back.universe_id


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, bool], dict[str, Any]]:
    """Cuts the power at a write: `cut(number, done)`; 0 never cuts, and counts."""
    write = Database.write
    state = {"at": 0, "done": False, "count": 0}

    async def watched(self: Database, role: Role, work: Any, priority: Priority = Priority.PLAY) -> Any:
        state["count"] += 1
        if state["count"] == state["at"]:
            if state["done"]:
                await write(self, role, work, priority)
            raise PowerCut
        return await write(self, role, work, priority)

    def at(number: int, done: bool) -> dict[str, Any]:
        state.update(at=number, done=done, count=0)
        return state

    monkeypatch.setattr(Database, "write", watched)
    return at


async def compare_after_cut(home: Path, cut: Any, number: int, done: bool) -> None:
    cut(number, done)
    assert await play_until_cut(home), number
    cut(0, False)
    async with at_desk(home, day=1) as program:
        original, copy = await copied(program, home)
        assert shape(await everything(program.stores), original) == shape(
            await everything(program.stores), copy
        )
        await program.services.stories.recover()
        told = await everything(program.stores)
        assert shape(told, original) == shape(told, copy), "recovered otherwise"
        await play_on(program, original)
        await play_on(program, copy)
        told = await everything(program.stores)
        assert shape(told, original) == shape(told, copy), "played on otherwise"


async def play_on(program: Program, universe_id: Id) -> None:
    for card in await program.services.stories.stories():
        if card.universe.id == universe_id and card.state == "active":
            await play(program, MORE, await program.services.stories.resume(card.story.id))


async def count_writes(home: Path, cut: Any) -> int:
    state = cut(0, False)
    assert not await play_until_cut(home)
    return int(state["count"])


@pytest.mark.slow
async def test_restored_copy_plays_on_like_its_original(tmp_path: Path, cut: Any) -> None:
    """The power goes at a write of a small campaign: here at some of them, in the chaos suite at all."""
    writes = await count_writes(tmp_path / "all", cut)
    assert writes > 60
    for number in random.Random(11).sample(range(8, writes + 1), 8):
        await compare_after_cut(tmp_path / str(number), cut, number, done=bool(number % 2))


@pytest.mark.chaos
async def test_restored_copy_plays_on_after_a_cut_at_every_write(tmp_path: Path, cut: Any) -> None:
    writes = await count_writes(tmp_path / "all", cut)
    for number in range(8, writes + 1):
        for done in (False, True):
            await compare_after_cut(tmp_path / f"{number}{done}", cut, number, done)


@pytest.mark.slow
async def test_restored_copy_has_all_derived_identifiers(tmp_path: Path) -> None:
    """The court does not hear again what it has ruled on, and undoing a decision finds what it made."""
    async with at_desk(tmp_path) as program:
        await play(program, LINES, await begin(program))
        _, copy = await copied(program, tmp_path)
        (scene_id,) = [
            await program.services.stories.resume(card.story.id)
            for card in await program.services.stories.stories()
            if card.universe.id == copy
        ]
        await program.services.play.submit(scene_id, "/fact Tom enemy_of Ann")
        (row,) = [
            row for row in (await program.services.play.scene(scene_id)).proposals if row.status in OPEN
        ]
        assert (row.mark, "You resolved this before" in " ".join(row.reasons)) == ("reject", True)

        log = program.stores.log(Role.CONTEXT_ASSEMBLY)
        canon = program.stores.canon(Role.CONTEXT_ASSEMBLY)
        told = await log.proposals(ProposalQuery(universe_id=copy, statuses=[ProposalStatus.ACCEPTED]))
        barked = next(p for p in told if isinstance(p.change, AssertFact) and "barked" in p.change.statement)
        await program.services.policy.propose_undo(barked.id)
        staged = (await log.proposals(ProposalQuery(universe_id=copy, statuses=[ProposalStatus.PENDING])))[
            -1
        ].payload
        assert isinstance(staged, RetconFact)
        assert (await canon.fact(staged.fact_id)).statement == "A dog barked."


@pytest.mark.slow
async def test_restored_copy_covers_every_derived_identifier(tmp_path: Path) -> None:
    """`derived_ids` has to know every way of deriving one, or a retry in a copy makes it twice."""
    async with at_desk(tmp_path) as program:
        await play(program, LINES + MORE, await begin(program))
        told = await everything(program.stores)
        (of,) = [records for universe_id, records in told.items() if universe_id]
        assert of["rulings"]
        known = {id for records in of.values() for record in records for id in find_ids(record)}
        made = {d.make(*d.ids) for each in (find_derivations, *KIN) for d in each(of.__getitem__)}
        assert len(made & known) > 30
        assert {id for id in known - made if UUID(id).version != 7} == set()


# --- the same shape ---------------------------------------------------------------------------------

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BY_ID = ("supports", "supersessions", "head_moves")
"""Collections that are told in the order of identifiers, not of making."""


def shape(told: Told, universe_id: Id) -> dict[str, list[str]]:
    """A universe's records without what must differ: identifiers are numbered as they come, and times,
    seeds and the universe's name are left out."""
    numbers: dict[str, str] = {}

    def numbered(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0], f"#{len(numbers)}")

    def line(record: Any) -> str:
        return _ID.sub(numbered, json.dumps(_bare(record.model_dump(mode="json")), sort_keys=True))

    of = told[universe_id]
    shaped = {name: [line(record) for record in of[name]] for name in of if name not in _BY_ID}
    return shaped | {name: sorted(line(record) for record in of[name]) for name in _BY_ID}


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        left_out = {key for key in value if key == "at" or key.endswith("_at") or key == "seed"}
        left_out |= {"name"} if "calendar" in value else set()
        if "pair" in value:  # kept in the order of its keys
            value = value | {"pair": sorted(value["pair"], key=lambda side: side != value["upheld"])}
        return {key: _bare(one) for key, one in value.items() if key not in left_out}
    return [_bare(one) for one in value] if isinstance(value, list) else value
