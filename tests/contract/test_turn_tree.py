"""The turn tree against a naive model: any order of append, undo, redo, take and branch."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from stores.authority import Role
from stores.queries import ProposalQuery
from stores.records.ids import Id
from stores.records.play import MoveKind, Turn
from stores.records.workflow import ProposalStatus
from tests.contract import builders as make
from tests.contract.conftest import ADAPTERS, ON_SERVERS, cases
from tests.examples import examples

STAGED = (ProposalStatus.PENDING, ProposalStatus.DEFERRED, ProposalStatus.REJECTED)
WHERE = st.integers(min_value=0, max_value=1_000)


class TurnTree(RuleBasedStateMachine):
    """Plays one scene twice: in the store, and in lists that are walked from the head each time."""

    adapter = "embedded"

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.turns: dict[Id, Turn] = {}
        self.head: Turn | None = None
        self.undone: list[tuple[Id | None, Id | None]] = []
        self.moves = 0
        self.proposed: dict[Id, tuple[Id | None, Id | None]] = {}

    def run(self, doing: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(doing)

    @initialize()
    def open(self) -> None:
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        truth = self.run(self.stack.enter_async_context(ADAPTERS[self.adapter](Path(folder))))
        self.log = truth.log(Role.ORCHESTRATOR)
        self.resolver = truth.log(Role.RESOLVER)
        story = make.story()
        self.scene = make.scene(story)
        self.run(self.log.put_story(story))
        self.run(self.log.create_scene(self.scene))

    def teardown(self) -> None:
        self.run(self.stack.aclose())
        self.runner.close()

    # --- what may be done ---------------------------------------------------------------------------

    @rule()
    def append(self) -> None:
        self.say(self.head, MoveKind.APPEND)

    @rule(where=WHERE, kind=st.sampled_from([MoveKind.TAKE, MoveKind.BRANCH]))
    def say_elsewhere(self, where: int, kind: MoveKind) -> None:
        self.say(self.any_turn(where), kind)

    @precondition(lambda self: self.head is not None)
    @rule()
    def undo(self) -> None:
        self.move(self.parent(self.head), MoveKind.UNDO)

    @precondition(lambda self: self.head is not None)
    @rule(where=WHERE)
    def undo_further(self, where: int) -> None:
        """Undo an exchange: to any turn of the line before the head."""
        line = [None, *self.line()]
        self.move(line[where % (len(line) - 1)], MoveKind.UNDO)

    @precondition(lambda self: self.redo_target() is not None)
    @rule()
    def redo(self) -> None:
        target = self.redo_target()
        assert target
        self.move(self.turns[target], MoveKind.REDO)

    @rule(where=WHERE, kind=st.sampled_from([MoveKind.TAKE, MoveKind.BRANCH]))
    def go_elsewhere(self, where: int, kind: MoveKind) -> None:
        self.move(self.any_turn(where), kind)

    @precondition(lambda self: self.turns)
    @rule(where=WHERE)
    def append_again(self, where: int) -> None:
        """A retry of a turn that is there already."""
        turn = list(self.turns.values())[where % len(self.turns)]
        self.run(self.log.append_turn(turn, MoveKind.BRANCH))

    @rule(where=WHERE, unless=st.none() | WHERE, status=st.sampled_from(STAGED))
    def propose(self, where: int, unless: int | None, status: ProposalStatus) -> None:
        turn = self.any_turn(where)
        but = None if unless is None else self.any_turn(unless)
        change = make.proposal(self.scene, turn, unless_turn=but.id if but else None, status=status)
        self.run(self.resolver.stage([change]))
        self.proposed[change.id] = (change.turn_id, change.unless_turn)

    # --- what must hold -----------------------------------------------------------------------------

    @invariant()
    def the_line_is_the_path_to_the_head(self) -> None:
        line = self.line()
        assert self.run(self.log.line_tail(self.scene.id, 10_000)) == line
        assert self.run(self.log.line_length(self.scene.id)) == len(line)
        assert self.run(self.log.line_tail(self.scene.id, 3)) == line[-3:]
        assert self.run(self.log.line_slice(self.scene.id, 1, 2)) == line[1:3]
        assert self.run(self.log.on_line(self.scene.id, list(self.turns))) == {turn.id for turn in line}
        assert self.run(self.log.scene(self.scene.id)).head == (self.head.id if self.head else None)

    @invariant()
    def nothing_is_lost(self) -> None:
        assert self.run(self.log.all_turns(self.scene.id)) == list(self.turns.values())
        assert len(self.run(self.log.head_moves(self.scene.id))) == self.moves

    @invariant()
    def redo_goes_to_what_was_last_undone_here(self) -> None:
        assert self.run(self.log.redo_target(self.scene.id)) == self.redo_target()

    @invariant()
    def proposals_count_while_their_turn_does(self) -> None:
        on = {turn.id for turn in self.line()}
        for change in self.run(self.log.proposals(ProposalQuery(scene_id=self.scene.id))):
            turn, unless = self.proposed[change.id]
            counts = (turn is None or turn in on) and unless not in on
            if change.status is not ProposalStatus.REJECTED:
                assert (change.status is ProposalStatus.WITHDRAWN) == (not counts)

    # --- the model ----------------------------------------------------------------------------------

    def say(self, after: Turn | None, kind: MoveKind) -> None:
        turn = make.turn(self.scene, after, f"turn {len(self.turns)}")
        self.run(self.log.append_turn(turn, kind))
        self.turns[turn.id] = self.head = turn
        self.moves += 1

    def move(self, to: Turn | None, kind: MoveKind) -> None:
        self.run(self.log.move_head(self.scene.id, to.id if to else None, kind))
        if to != self.head:
            self.moves += 1
            before, after = (turn.id if turn else None for turn in (self.head, to))
            if kind is MoveKind.UNDO:
                self.undone.append((before, after))
            elif kind is MoveKind.REDO:
                self.undone = [(left, here) for left, here in self.undone if here != before]
        self.head = to

    def any_turn(self, where: int) -> Turn | None:
        return [None, *self.turns.values()][where % (len(self.turns) + 1)]

    def parent(self, turn: Turn | None) -> Turn | None:
        return self.turns[turn.parent_id] if turn and turn.parent_id else None

    def line(self) -> list[Turn]:
        line, turn = [], self.head
        while turn:
            line.append(turn)
            turn = self.parent(turn)
        return line[::-1]

    def redo_target(self) -> Id | None:
        here = self.head.id if self.head else None
        return next((left for left, to in reversed(self.undone) if to == here), None)


@pytest.mark.whole
@pytest.mark.parametrize("adapter", cases([name for name in ADAPTERS if name != "neo4j"], ON_SERVERS))
def test_turn_tree_is_consistent_after_any_play(adapter: str) -> None:
    machine = type("TurnTree", (TurnTree,), {"adapter": adapter})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=4 if adapter in ON_SERVERS else examples(25, 8),
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
