"""No path writes canon but the gate: not another role, and not the keeper outside a commit."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import agents
from stores.authority import COLLECTIONS, WRITE_MATRIX, Operation, Role, Store, find_grants
from stores.embedded.canon_graph import EmbeddedCanon
from stores.embedded.migrations import COLLECTION_OF_TABLE
from stores.errors import InputError, WriteDenied
from stores.records.canon import CanonBatch, Fact
from stores.records.ids import Id
from stores.records.workflow import KindRule, RulingKind, Verdict
from stores.records.world import EntityKind
from tests.agents.canon_keeper.conftest import KeeperLibrary
from tests.agents.canon_keeper.proposal_builders import (
    CHAPEL,
    CRYPT,
    JON,
    LANTERN,
    MARA,
    UNIVERSE,
    creates,
    dies,
    entity,
    fact,
    hurt,
    new_id,
    ruling,
    says,
)

IN_CHAPEL = fact("located_in", MARA, CHAPEL, valid_from=50)
VOW = fact("promised", MARA, JON, kind="commitment", statement="Mara promised.", valid_from=0)
CONTAINERS = {"story_nodes", "scene_nodes"}
CANON_TABLES = sorted(
    keeper_library for keeper_library, (store, _) in COLLECTION_OF_TABLE.items() if store is Store.CANON
)


async def canon_of(keeper_library: KeeperLibrary) -> str:
    """Return a digest of every row of every canon table."""

    def digest(connection: object) -> str:
        seen = hashlib.sha256()
        for name in CANON_TABLES:
            for row in connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2"):  # type: ignore[attr-defined]
                seen.update(repr((name, row)).encode())
        return seen.hexdigest()

    return await keeper_library.canon._db.read(digest)


async def test_gate_nothing_but_a_commit_changes_canon(keeper_library: KeeperLibrary) -> None:
    """Every public call of the keeper and of what belongs to it, with canon looked at after each."""
    await keeper_library.lay(IN_CHAPEL, VOW)
    wound, move, found, death = await keeper_library.stage(
        hurt(MARA, 1),
        says("located_in", MARA, CRYPT, valid_from=50),
        creates("Hidden Chamber"),
        dies(JON, tick=300),
    )
    proposals = [wound, move, found, death]
    keeper, before = keeper_library.keeper, await canon_of(keeper_library)
    hearing = await keeper.rulings.read_conflict(move.id)
    order = await keeper.rulings.plan_ruling(hearing, RulingKind.NEW)
    moment = IN_CHAPEL.recorded_at
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "judge": lambda: keeper.assess(proposals),
        "views": lambda: keeper.build_views(proposals),
        "decide": lambda: keeper.decide([wound.id], ruling(Verdict.ACCEPT)),
        "decide and take back": lambda: keeper.decide([wound.id], None),
        "recover": lambda: keeper.recover(),
        "rulings.read_conflict": lambda: keeper.rulings.read_conflict(move.id),
        "rulings.plan_ruling": lambda: keeper.rulings.plan_ruling(hearing, RulingKind.SPLIT),
        "stage the order": lambda: keeper_library.stage(*order.staged_proposals),
        "retcon_previews.preview": lambda: keeper.retcon_previews.preview(IN_CHAPEL.id),
        "history.read_predicate_history": lambda: keeper.history.read_predicate_history(
            MARA.id, "located_in"
        ),
        "history.read_facts_known_at": lambda: keeper.history.read_facts_known_at(UNIVERSE, moment),
        "commitments.ledger": lambda: keeper.commitments.list_commitments(UNIVERSE, 100, include_closed=True),
        "commitments.pay_off": lambda: keeper.commitments.pay_off(VOW.id),
        "policies.set_rule": lambda: keeper.policies.set_rule(UNIVERSE, "state_change", KindRule.ACCEPT),
        "policies.read_tallies": lambda: keeper.policies.read_tallies(UNIVERSE),
        "policies.set_predicates": lambda: keeper.policies.set_predicates(UNIVERSE, "adores: {}"),
        "merges.preview": lambda: keeper.merges.preview_merge(MARA.id, JON.id),
        "merges.lookalikes": lambda: keeper.merges.find_lookalikes(UNIVERSE),
        "put_ruling": lambda: keeper_library.log.put_ruling(order.ruling),
    }
    for name, call in calls.items():
        await call()
        assert await canon_of(keeper_library) == before, name
    await keeper.find_critical(proposals)
    await keeper.select_trigger_batch(proposals, [death])
    with pytest.raises(InputError):
        await keeper.merges.plan_split(LANTERN.id)
    assert await canon_of(keeper_library) == before
    await keeper.commit([wound], reason="the gate")
    assert await canon_of(keeper_library) != before, "and a commit does"


@pytest.mark.parametrize("role", [r for r in Role if r is not Role.CANON_KEEPER])
async def test_gate_no_other_role_commits(role: Role, keeper_library: KeeperLibrary) -> None:
    await keeper_library.lay(IN_CHAPEL)
    before = await canon_of(keeper_library)
    said: Fact = fact("owns", MARA, LANTERN)
    thing = entity("Bell", EntityKind.OBJECT)
    for batch in ({"facts": (said,)}, {"entities": (thing,)}):
        with pytest.raises(WriteDenied):
            await EmbeddedCanon(keeper_library.canon._db, role).commit(
                CanonBatch(id=new_id(), universe_id=UNIVERSE, **batch)
            )
    assert await canon_of(keeper_library) == before


def test_gate_matrix_gives_canon_to_the_keeper_alone() -> None:
    writers: dict[str, set[Role]] = {name: set() for name in COLLECTIONS[Store.CANON]}
    for role in WRITE_MATRIX:
        for name in writers:
            if any(find_grants(role, Store.CANON, name, op) for op in Operation):
                writers[name].add(role)
    for name, roles in writers.items():
        also = {Role.ORCHESTRATOR} if name in CONTAINERS else set()
        assert roles == {Role.CANON_KEEPER} | also, name


@pytest.mark.slow
def test_gate_only_the_journal_hands_a_batch_to_canon() -> None:
    """Of all agents' code, one line writes canon, and it comes after the plan is in the log."""
    calls: list[tuple[Id, int]] = []
    root = Path(agents.__path__[0])
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = ast.unparse(node.func.value)
                if node.func.attr == "commit" and owner.endswith(("canon", "_canon", "_containers")):
                    calls.append((path.relative_to(root).as_posix(), node.lineno))
    assert [path for path, _ in calls] == ["canon_keeper/commit_journal.py"]
