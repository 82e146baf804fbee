"""Whatever the GM did by hand: a retcon taken back, and a merge split again, leave canon as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.services.services import Services
from agents.views.card_views import FactView
from agents.views.world_views import NewEntityFields
from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.canon import FactStatus
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, Verdict
from stores.records.world import EntityKind
from tests.examples import examples
from tests.program import begin, opened

PEOPLE = ("Mara", "Tam", "Ilse")
PLACES = ("Yard", "Crypt", "Chapel")
WHEN = ("always", "day 1", "day 1 dawn", "day 1 noon", "")
SAID = st.one_of(
    st.builds("{} located_in {}".format, st.sampled_from(PEOPLE), st.sampled_from(PLACES)),
    st.builds("{} {} {}".format, st.sampled_from(PEOPLE), st.sampled_from(("ally_of", "enemy_of", "knows")),
              st.sampled_from(PEOPLE)),
    st.builds("{} hp {}".format, st.sampled_from(PEOPLE), st.integers(1, 4)),
    st.builds("event: {} met {}".format, st.sampled_from(PEOPLE), st.sampled_from(PEOPLE)),
    st.builds("promise: {} owes {} a coin".format, st.sampled_from(PEOPLE), st.sampled_from(PEOPLE)),
    st.builds("{} is dead".format, st.sampled_from(PEOPLE)),
)  # fmt: skip
LIVES = st.lists(st.tuples(SAID, st.sampled_from(WHEN)), min_size=1, max_size=7)
FEW = settings(max_examples=examples(25, 6), deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Library:
    """One library for all examples, each in a universe of its own."""

    def __init__(self, folder: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._opened = opened(folder)
        self._desktop = self.run(self._opened.__aenter__())
        self._worlds = 0

    def run(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    def close(self) -> None:
        self.run(self._opened.__aexit__(None, None, None))
        self._loop.close()

    def live(self, lives: list[tuple[str, str]], act: Any) -> None:
        """Let the GM say all this in a new world, then do what the test is about."""
        self._worlds += 1
        self.run(_in_a_world(self._desktop, f"World {self._worlds}", lives, act))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    library = Library(tmp_path_factory.mktemp("worlds"))
    yield library
    library.close()


@pytest.mark.slow
@FEW
@given(LIVES, st.integers(0, 99))
def test_edit_retcon_restored_is_as_if_it_had_never_been(
    library: Library, lives: list[tuple[str, str]], which: int
) -> None:
    async def act(services: Services, universe_id: Id) -> None:
        before = await canon(services, universe_id)
        subjects = [i for i, told in sorted(before["facts"].items()) if told[1] is not FactStatus.RETCONNED]
        subjects += sorted(before["entities"])
        subject = subjects[which % len(subjects)]
        for _ in range(2):
            await services.world.edits.propose_retcon(subject)
            await accept(services, universe_id)
        assert await canon(services, universe_id) == before

    library.live(lives, act)


@pytest.mark.slow
@FEW
@given(LIVES, st.permutations(PEOPLE))
def test_edit_merge_split_again_gives_the_facts_back(
    library: Library, lives: list[tuple[str, str]], order: list[str]
) -> None:
    async def act(services: Services, universe_id: Id) -> None:
        before = await canon(services, universe_id)
        people = {e.name: e.id for e in await services.world.list_entities(universe_id)}
        kept, absorbed = people[order[0]], people[order[1]]
        await services.world.edits.propose_merge(kept, absorbed)
        await accept(services, universe_id)
        merged = await services.world.list_entities(universe_id)
        assert absorbed not in {e.id for e in merged}
        await services.world.edits.propose_split(absorbed)
        await accept(services, universe_id)
        after = await canon(services, universe_id)
        assert after["entities"] == before["entities"]
        assert {i: f for i, f in after["facts"].items() if i in before["facts"]} == before["facts"]
        assert all(
            told[1] is FactStatus.RETCONNED for i, told in after["facts"].items() if i not in before["facts"]
        ), "what the merge wrote is there, and never was so"

    library.live(lives, act)


async def _in_a_world(program: Program, name: str, lives: list[tuple[str, str]], act: Any) -> None:
    services = program.services
    universe_id = (await services.play.scene(await begin(program, name=name))).universe.id
    for kind, names in ((EntityKind.CHARACTER, PEOPLE[1:]), (EntityKind.PLACE, PLACES[1:])):
        for other in names:
            await services.world.edits.propose_entity(universe_id, NewEntityFields(kind, other))
    await accept(services, universe_id)
    for said, since in lives:
        with suppress(InputError):
            await services.world.edits.propose_fact(universe_id, said, since)
            await accept(services, universe_id)
    await act(services, universe_id)


async def accept(services: Services, universe_id: Id) -> None:
    """Accept all that waits, conflicts included: the GM's word overrides what it meets."""
    rows = (await services.gate.gate(None, universe_id)).proposals
    await services.gate.decide([p.proposal.id for p in rows if p.status in OPEN_STATUSES], Verdict.ACCEPT)
    assert (await services.gate.commit_universe(universe_id)).failures == ()


async def canon(services: Services, universe_id: Id) -> dict[str, dict[Id, Any]]:
    """Return entities and facts as they are seen through the program."""
    entities = await services.world.list_entities(universe_id)
    cards = [await services.world.read_card(entity.id) for entity in entities]
    views: list[FactView] = [
        view
        for card in cards
        for view in (*card.facts, *card.history, *(view for _, _, view in card.relations))
    ]
    return {
        "entities": {e.id: e.model_copy(update={"tags": tuple(sorted(e.tags))}) for e in entities},
        "facts": {v.fact.id: _told(v) for v in views},
    }


def _told(view: FactView) -> tuple[Any, ...]:
    fact = view.fact
    return fact.statement, fact.status, fact.valid_from, fact.valid_to, fact.closed, view.superseded_by
