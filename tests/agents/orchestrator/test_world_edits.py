"""The GM's own hand on the world: every edit waits at the universe's gate, and is refused in words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.services.services import Services
from agents.views.card_views import FactView
from agents.views.proposal_views import ProposalView
from agents.views.world_views import EntityEdit, FactEdit, NewEntityFields
from stores.errors import InputError, NotFound
from stores.records.canon import EvidenceKind, FactStatus, Standing
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, Verdict
from stores.records.world import Entity, EntityKind
from tests.program import begin, opened


class World:
    """A story in a yard, and its GM."""

    def __init__(self, services: Services, scene_id: Id, universe_id: Id) -> None:
        self.services = services
        self.scene_id = scene_id
        self.id = universe_id

    @property
    def edits(self):  # type: ignore[no-untyped-def]
        return self.services.world.edits

    async def named(self, name: str) -> Entity:
        (found,) = [e for e in await self.services.world.list_entities(self.id, name) if e.name == name]
        return found

    async def waiting(self) -> list[ProposalView]:
        """Return what waits at the gate of the universe."""
        return [
            p for p in (await self.services.gate.gate(None, self.id)).proposals if p.status in OPEN_STATUSES
        ]

    async def accept(self) -> None:
        """Accept all that waits at the gate, and write it."""
        await self.services.gate.decide([p.proposal.id for p in await self.waiting()], Verdict.ACCEPT)
        report = await self.services.gate.commit_universe(self.id)
        assert report.failures == ()

    async def bring(self, kind: EntityKind, *names: str) -> None:
        for name in names:
            await self.edits.propose_entity(self.id, NewEntityFields(kind, name))
        await self.accept()

    async def told(self, name: str) -> dict[str, Id]:
        """Return what is so of somebody, as canon says it, with its facts."""
        card = await self.services.world.read_card((await self.named(name)).id)
        views = [*card.facts, *(view for _, _, view in card.relations)]
        return {view.fact.statement: view.fact.id for view in views}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        yield World(program.services, scene_id, (await program.services.play.scene(scene_id)).universe.id)


def as_is(entity: Entity, **changes: object) -> EntityEdit:
    """Return the edit that leaves the entity as it is, but for the changes."""
    own = {
        "name": entity.name,
        "aliases": entity.aliases,
        "description": entity.description,
        "numbers": tuple(entity.numbers.items()),
        "tags": entity.tags,
    }
    return EntityEdit(**own | changes)  # type: ignore[arg-type]


# --- entities -----------------------------------------------------------------------------------------


async def test_edit_waits_at_the_gate_and_rests_on_the_act(world: World) -> None:
    mara = await world.named("Mara")
    staged = await world.edits.propose_entity_edit(
        mara.id,
        as_is(
            mara, name="Mara Venn", description="A diver.", numbers=(("hp", 8), ("might", 1)), tags=("wet",)
        ),
    )
    assert staged.waiting == 3
    assert staged.titles == ("Mara → Mara Venn", "Mara: HP 10 → 8", "Mara is wet")
    assert staged.lines[-1] == "3 wait at the gate: g"
    assert await world.named("Mara") == mara, "nothing is true before the gate"
    assert {p.mark for p in await world.waiting()} == {"accept"}

    await world.accept()
    now = await world.named("Mara Venn")
    assert (now.aliases, now.description, now.numbers["hp"], now.tags) == (("Mara",), "A diver.", 8, ("wet",))
    card = await world.services.world.read_card(now.id)
    (hp,) = [v for v in card.facts if v.fact.predicate == "hp"]
    (basis,) = await world.services.world.provenance.read_evidence(hp.fact.id)
    assert basis.evidence.kind is EvidenceKind.MANUAL
    assert basis.evidence.quote == "Mara's HP is 8."
    assert basis.who.startswith("you, 20")


async def test_edit_only_what_differs_is_proposed(world: World) -> None:
    mara = await world.named("Mara")
    with pytest.raises(InputError, match="like that already"):
        await world.edits.propose_entity_edit(mara.id, as_is(mara))
    with pytest.raises(InputError, match="like that already"):
        await world.edits.propose_lock(mara.id, False)
    assert await world.services.world.previews.count_waiting(world.id) == 0


async def test_edit_same_twice_waits_once(world: World) -> None:
    mara = await world.named("Mara")
    await world.edits.propose_lock(mara.id, True)
    with pytest.raises(InputError, match="proposed already"):
        await world.edits.propose_lock(mara.id, True)
    await world.edits.propose_entity_edit(mara.id, as_is(mara, tags=("wet",)))
    again = await world.edits.propose_entity_edit(mara.id, as_is(mara, tags=("wet", "cold")))
    assert again.titles == ("Mara is cold",)
    assert again.waiting == 3


async def test_lock_and_unlock(world: World) -> None:
    mara = await world.named("Mara")
    for locked in (True, False):
        await world.edits.propose_lock(mara.id, locked)
        await world.accept()
        assert (await world.named("Mara")).locked is locked


async def test_edit_tag_and_a_number_go_again(world: World) -> None:
    mara = await world.named("Mara")
    await world.edits.propose_entity_edit(
        mara.id, as_is(mara, numbers=(*mara.numbers.items(), ("luck", 3)), tags=("wet",))
    )
    await world.accept()
    mara = await world.named("Mara")
    assert (mara.numbers["luck"], mara.tags) == (3, ("wet",))
    await world.edits.propose_entity_edit(mara.id, as_is(mara, numbers=(("hp", 10), ("might", 1)), tags=()))
    await world.accept()
    mara = await world.named("Mara")
    assert (dict(mara.numbers), mara.tags) == ({"hp": 10, "might": 1}, ())
    with pytest.raises(InputError, match="has had hp from the beginning"):
        await world.edits.propose_entity_edit(mara.id, as_is(mara, numbers=(("might", 1),)))


async def test_something_new_of_any_kind(world: World) -> None:
    for kind in EntityKind:
        await world.edits.propose_entity(
            world.id, NewEntityFields(kind, f"The {kind}", "New.", ("It",), (("size", 2),), ("odd",))
        )
    await world.accept()
    for kind in EntityKind:
        entity = await world.named(f"The {kind}")
        assert (entity.kind, entity.aliases, entity.tags) == (kind, ("It",), ("odd",))
        assert (entity.description, dict(entity.numbers)) == ("New.", {"size": 2})


@pytest.mark.parametrize(
    ("thing", "why"),
    [
        (NewEntityFields(EntityKind.PLACE, "  "), "needs a name"),
        (NewEntityFields(EntityKind.PLACE, "x" * 90), "90 characters"),
        (NewEntityFields(EntityKind.PLACE, "Pit", "x" * 2_000), "2,000 characters"),
        (
            NewEntityFields(EntityKind.PLACE, "Pit", numbers=(("depth", 10**20),)),
            "more than a sheet can hold",
        ),
        (NewEntityFields(EntityKind.PLACE, "Pit", tags=tuple(map(str, range(30)))), "30"),
    ],
)
async def test_edit_what_cannot_be_brought_in_is_refused(
    world: World, thing: NewEntityFields, why: str
) -> None:
    with pytest.raises(InputError, match=why):
        await world.edits.propose_entity(world.id, thing)
    assert await world.services.world.previews.count_waiting(world.id) == 0


async def test_edit_what_is_gone_cannot_be_edited(world: World) -> None:
    for act in (
        world.edits.propose_lock("nobody", True),
        world.edits.propose_merge("nobody", "nothing"),
        world.edits.propose_retcon("nobody"),
        world.edits.propose_end("nothing"),
        world.edits.propose_split("nobody"),
        world.edits.propose_correction("nothing", FactEdit("So.")),
    ):
        with pytest.raises(InputError):
            await act
    with pytest.raises(NotFound):
        await world.edits.propose_fact("nowhere", "Mara is here")


# --- facts --------------------------------------------------------------------------------------------


async def test_edit_fact_is_said_as_after_the_command(world: World) -> None:
    await world.bring(EntityKind.PLACE, "Crypt")
    await world.edits.propose_fact(world.id, "Mara located_in Crypt")
    await world.edits.propose_fact(world.id, "Mara hates the sea", since="always")
    await world.edits.propose_axiom(world.id, "The dead cannot cross salt")
    await world.accept()
    told = await world.told("Mara")
    assert {"Mara is in Crypt.", "Mara hates the sea."} <= told.keys()
    hates = (await world.services.world.provenance.read_fact_history(told["Mara hates the sea."])).facts[0]
    assert hates.fact.valid_from is None
    moment = await world.services.world.provenance.read_canon_at(world.id, search="salt")
    assert [v.fact.statement for v in moment.facts] == ["The dead cannot cross salt."]


async def test_edit_value_given_anew_ends_the_one_before(world: World) -> None:
    await world.bring(EntityKind.PLACE, "Crypt", "Chapel")
    await world.edits.propose_fact(world.id, "Mara located_in Crypt", since="day 1")
    await world.accept()
    await world.edits.propose_fact(world.id, "Mara located_in Chapel", since="day 1 dawn")
    (row,) = await world.waiting()
    assert (row.mark, row.conflicts) == ("accept", ())
    await world.accept()
    told = await world.told("Mara")
    assert "Mara is in Chapel." in told
    assert "Mara is in Crypt." not in told
    history = await world.services.world.provenance.read_fact_history(told["Mara is in Chapel."])
    assert [(v.fact.statement, v.is_current) for v in history.facts] == [
        ("Mara is in Crypt.", False),
        ("Mara is in Chapel.", True),
    ]
    assert history.facts[0].superseded_by == "Mara is in Chapel."


async def test_edit_one_that_waits_to_be_created_can_be_spoken_of(world: World) -> None:
    await world.edits.propose_entity(world.id, NewEntityFields(EntityKind.PLACE, "Crypt"))
    await world.edits.propose_fact(world.id, "Mara located_in Crypt")
    await world.accept()
    assert "Mara is in Crypt." in await world.told("Mara")


@pytest.mark.parametrize(
    ("text", "since", "why"),
    [
        ("", "", "needs a sentence"),
        ("x" * 1_200, "", "1,200 characters"),
        ("Mara is tired", "elevenses", "names no day"),
        ("Mara is tired", "day 3 elevenses", "not a time of this calendar"),
        ("Mara is tired", "day 3 25:00", "A day has no 25:00"),
    ],
)
async def test_edit_what_cannot_be_said_is_refused(world: World, text: str, since: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        await world.edits.propose_fact(world.id, text, since)
    assert await world.services.world.previews.count_waiting(world.id) == 0


async def test_edit_fact_is_ended(world: World) -> None:
    await world.edits.propose_fact(world.id, "Mara keeps a dog", since="day 1")
    await world.accept()
    (fact_id,) = (await world.told("Mara")).values()
    with pytest.raises(InputError, match="not even begun"):
        await world.edits.propose_end(fact_id, "2 days before day 1")
    await world.edits.propose_end(fact_id, "day 1 dawn")
    await world.accept()
    assert "Mara keeps a dog." not in await world.told("Mara")
    at_night = await world.services.world.provenance.read_canon_at(world.id, "day 1 1:00")
    assert "Mara keeps a dog." in [v.fact.statement for v in at_night.facts]
    with pytest.raises(InputError, match="over already"):
        await world.edits.propose_end(fact_id)


async def test_edit_what_happened_is_not_ended(world: World) -> None:
    await world.edits.propose_fact(world.id, "event: Mara fell")
    await world.accept()
    (fact_id,) = (await world.told("Mara")).values()
    with pytest.raises(InputError, match="What happened cannot end"):
        await world.edits.propose_end(fact_id)


async def test_edit_fact_is_corrected_on_its_own_evidence(world: World) -> None:
    await world.services.play.submit(world.scene_id, "I keep a dog.")
    await world.services.play.submit(world.scene_id, "/fact Mara keeps a dog")
    await world.services.gate.commit(world.scene_id)
    (fact_id,) = (await world.told("Mara")).values()
    with pytest.raises(InputError, match="like that already"):
        await world.edits.propose_correction(fact_id, FactEdit("Mara keeps a dog."))
    await world.edits.propose_correction(fact_id, FactEdit("Mara keeps a hound", standing=Standing.RUMOUR))
    await world.accept()
    ((statement, new_id),) = (await world.told("Mara")).items()
    assert statement == "Mara keeps a hound."
    quotes = {b.evidence.quote for b in await world.services.world.provenance.read_evidence(new_id)}
    assert {"I keep a dog.", "Corrected: Mara keeps a hound."} <= quotes
    with pytest.raises(InputError, match="history"):
        await world.edits.propose_correction(fact_id, FactEdit("Mara keeps a cat."))


async def test_edit_value_is_corrected_with_its_sentence_and_its_sheet(world: World) -> None:
    mara = await world.named("Mara")
    await world.edits.propose_entity_edit(mara.id, as_is(mara, numbers=(("hp", 7), ("might", 1))))
    await world.accept()
    told = await world.told("Mara")
    with pytest.raises(InputError, match="does not fit"):
        await world.edits.propose_correction(told["Mara's HP is 7."], FactEdit("Mara's HP is 7.", "many"))
    await world.edits.propose_correction(told["Mara's HP is 7."], FactEdit("Mara's HP is 7.", "9"))
    await world.accept()
    assert (await world.named("Mara")).numbers["hp"] == 9
    assert "Mara's HP is 9." in await world.told("Mara")


async def test_edit_relation_is_corrected_at_its_other_end(world: World) -> None:
    await world.bring(EntityKind.PLACE, "Crypt", "Chapel")
    await world.edits.propose_fact(world.id, "Mara located_in Crypt")
    await world.accept()
    fact_id = (await world.told("Mara"))["Mara is in Crypt."]
    with pytest.raises(InputError, match="There is no 'Cellar'"):
        await world.edits.propose_correction(fact_id, FactEdit("Mara is in Crypt.", object_name="Cellar"))
    await world.edits.propose_correction(fact_id, FactEdit("Mara is in Crypt.", object_name="Chapel"))
    await world.accept()
    card = await world.services.world.read_card((await world.named("Mara")).id)
    assert [(v.fact.statement, other.name) for _, other, v in card.relations] == [
        ("Mara is in Chapel.", "Chapel")
    ]


async def test_edit_tag_is_corrected_on_the_sheet(world: World) -> None:
    mara = await world.named("Mara")
    await world.edits.propose_entity_edit(mara.id, as_is(mara, tags=("wet",)))
    await world.accept()
    await world.edits.propose_correction(
        (await world.told("Mara"))["Mara is wet."], FactEdit("Mara is wet.", "cold")
    )
    await world.accept()
    assert (await world.named("Mara")).tags == ("cold",)
    assert list(await world.told("Mara")) == ["Mara is cold."]


async def test_edit_rule_is_reworded(world: World) -> None:
    await world.edits.propose_axiom(world.id, "The dead do not cross salt, says Mara")
    await world.accept()
    (fact_id,) = (await world.told("Mara")).values()
    await world.edits.propose_correction(fact_id, FactEdit("The dead never cross salt, says Mara"))
    await world.accept()
    assert list(await world.told("Mara")) == ["The dead never cross salt, says Mara."]


# --- retcons ------------------------------------------------------------------------------------------


async def test_edit_retcon_and_its_way_back(world: World) -> None:
    await world.bring(EntityKind.PLACE, "Crypt", "Chapel")
    for place, since in (("Crypt", "day 1"), ("Chapel", "day 1 dawn")):
        await world.edits.propose_fact(world.id, f"Mara located_in {place}", since)
        await world.accept()
    fact_id = (await world.told("Mara"))["Mara is in Chapel."]
    impact = await world.services.world.previews.preview_retcon(fact_id)
    assert not impact.is_restore
    assert not impact.is_staged
    assert impact.changes == (
        ("Mara is in Chapel.", "true", "never true"),
        ("Mara is in Crypt.", "true until Day 1, dawn", "true"),
    )
    await world.edits.propose_retcon(fact_id)
    assert (await world.services.world.previews.preview_retcon(fact_id)).is_staged
    await world.accept()
    assert "Mara is in Crypt." in await world.told("Mara")
    taken = await world.services.world.provenance.read_removed_canon(world.id)
    assert [v.fact.id for v in taken.facts] == [fact_id]

    back = await world.services.world.previews.preview_retcon(fact_id)
    assert back.is_restore
    await world.edits.propose_retcon(fact_id)
    await world.accept()
    assert "Mara is in Chapel." in await world.told("Mara")
    assert (await world.services.world.provenance.read_removed_canon(world.id)).facts == ()


async def test_edit_retcon_preview_names_turns_that_tell_of_the_fact(world: World) -> None:
    """They rest on nothing formal, and stop making sense all the same."""
    play = world.services.play
    for line in (
        "/npc here Wenna: a smith",
        "/fact Wenna forged the iron bell",
        "/accept all",
        "/commit",
        "> The iron bell that Wenna forged hangs in the tower. Gulls sit on it.",
        "> Wenna sweeps her floor.",
        "> An iron bell rings somewhere.",
    ):
        await play.submit(world.scene_id, line)
    await world.services.jobs.wait_until_idle()
    fact_id = (await world.told("Wenna"))["Wenna forged the iron bell."]
    (retold,) = (await world.services.world.previews.preview_retcon(fact_id)).retold_turns
    assert retold.title.endswith(": The iron bell that Wenna forged hangs in the tower.")
    assert (await play.trace(retold.turn_id or "")).is_on_line


async def test_edit_entity_is_retconned_and_restored(world: World) -> None:
    await world.bring(EntityKind.PLACE, "Crypt")
    crypt = await world.named("Crypt")
    await world.edits.propose_retcon(crypt.id)
    await world.accept()
    assert await world.services.world.list_entities(world.id, "Crypt") == []
    taken = await world.services.world.provenance.read_removed_canon(world.id)
    assert [e.id for e in taken.entities] == [crypt.id]
    await world.edits.propose_retcon(crypt.id)
    await world.accept()
    assert await world.named("Crypt") == crypt


# --- merges -------------------------------------------------------------------------------------------


async def test_edit_two_that_are_one_and_two_again(world: World) -> None:
    await world.bring(EntityKind.CHARACTER, "Wenna Pike", "Wenna", "Old Tam")
    await world.edits.propose_fact(world.id, "Wenna ally_of Old Tam")
    await world.edits.propose_fact(world.id, "Wenna Pike keeps a dog")
    await world.accept()
    wenna, pike = await world.named("Wenna"), await world.named("Wenna Pike")
    (pair,) = await world.services.world.previews.find_lookalikes(world.id, wenna.id)
    assert (pair.first.id, pair.second.id) == (wenna.id, pike.id)

    view = await world.services.world.previews.preview_merge(pike.id, wenna.id)
    assert [v.fact.statement for v in view.moved_facts] == ["Wenna and Old Tam are allies."]
    assert (view.added_names, view.conflicts, view.is_staged) == (("Wenna",), (), False)
    await world.edits.propose_merge(pike.id, wenna.id)
    assert (await world.services.world.previews.preview_merge(pike.id, wenna.id)).is_staged
    await world.accept()
    assert [e.id for e in await world.services.world.previews.list_absorbed(pike.id)] == [wenna.id]
    card = await world.services.world.read_card(pike.id)
    assert [other.name for _, other, _ in card.relations] == ["Old Tam"]
    for one in (pike, wenna):
        acts = [b.evidence.quote for b in await world.services.world.provenance.read_evidence(one.id)]
        assert acts == [f"Added: {one.name}", "Wenna is Wenna Pike."]
    with pytest.raises(InputError, match="merged"):
        await world.edits.propose_retcon(wenna.id)

    await world.edits.propose_split(wenna.id)
    await world.accept()
    assert await world.named("Wenna") == wenna
    assert await world.services.world.previews.list_absorbed(pike.id) == ()
    assert "Wenna and Old Tam are allies." in await world.told("Wenna")
    assert "Wenna Pike keeps a dog." in await world.told("Wenna Pike")


async def test_edit_one_cannot_be_merged_with_itself(world: World) -> None:
    mara = await world.named("Mara")
    with pytest.raises(InputError, match="the same one"):
        await world.edits.propose_merge(mara.id, mara.id)


# --- what was known, and the ledger -------------------------------------------------------------------


async def test_canon_at_a_moment_of_both_times(world: World) -> None:
    await world.edits.propose_fact(world.id, "Mara keeps a dog", since="day 1")
    await world.accept()
    (fact_id,) = (await world.told("Mara")).values()
    begun = (await world.services.stories.universes())[0].recorded_at
    await world.edits.propose_retcon(fact_id)
    then = (await world.waiting())[0].proposal.created_at
    await world.accept()

    async def so(when: str = "", known: str = "") -> list[str]:
        view = await world.services.world.provenance.read_canon_at(world.id, when, known)
        return [v.fact.statement for v in view.facts if "dog" in v.fact.statement]

    assert await so() == []
    assert await so("day 2") == []
    assert await so(known=f"{then.astimezone():%Y-%m-%d}") == [], "by the end of that day it was retconned"
    assert await so(known=f"{begun.astimezone():%Y-%m-%d %H:%M:%S.%f}") == []
    known = f"{then.astimezone():%Y-%m-%d %H:%M:%S.%f}"
    assert await so(known=known) == ["Mara keeps a dog."]
    assert await so("day 2", known) == ["Mara keeps a dog."]
    assert await so("1 day before day 1", known) == []
    assert (
        await world.services.world.provenance.read_canon_at(world.id, "day 2")
    ).world_time == "Day 2, night"
    for bad in ("yesterday", "day 2 elevenses"):
        with pytest.raises(InputError):
            await so(bad)
    with pytest.raises(InputError, match="no date"):
        await so(known="Tuesday")
    with pytest.raises(InputError, match="in the future"):
        await so(known="2030-01-01")


async def test_edit_promise_is_paid_by_hand_and_from_play(world: World) -> None:
    await world.services.play.submit(world.scene_id, "I swear that I owe the well a coin.")
    for words in ("promise: Mara owes the well a coin", "promise: Mara will come back"):
        await world.services.play.submit(world.scene_id, f"/fact {words}")
    assert [
        p.title for p in (await world.services.world.commitments.read_commitments(world.id)).proposals
    ] == [
        "Mara owes the well a coin.",
        "Mara will come back.",
    ]
    await world.services.gate.commit(world.scene_id)
    ledger = await world.services.world.commitments.read_commitments(world.id, world.scene_id)
    assert [entry.number for entry in ledger.open_commitments] == [1, 2]
    coin, back = (entry.fact.fact.id for entry in ledger.open_commitments)
    await world.services.world.commitments.propose_pay_off(coin, world.scene_id)
    assert (await world.services.world.previews.count_waiting(world.id)) == 0, "it waits at the scene's gate"
    with pytest.raises(InputError, match="proposed already"):
        await world.services.world.commitments.propose_pay_off(coin, world.scene_id)
    staged = await world.services.world.commitments.propose_pay_off(back)
    assert staged.waiting == 1
    assert all(
        entry.is_staged
        for entry in (await world.services.world.commitments.read_commitments(world.id)).open_commitments
    )
    await world.accept()
    await world.services.gate.commit(world.scene_id)
    ledger = await world.services.world.commitments.read_commitments(world.id)
    assert ledger.open_commitments == ()
    assert {(e.fact.fact.id, e.is_paid, e.number) for e in ledger.closed_commitments} == {
        (coin, True, 0),
        (back, True, 0),
    }
    (ending,) = [
        v
        for v in (await world.services.world.provenance.read_fact_history(coin)).facts
        if v.fact.closed and v.is_current
    ]
    assert "I swear that I owe the well a coin." in {
        b.evidence.quote for b in await world.services.world.provenance.read_evidence(ending.fact.id)
    }


async def test_edit_timeline_and_the_map(world: World) -> None:
    await world.bring(EntityKind.CHARACTER, "Tam", "Ilse")
    for words, since in (
        ("event: Mara fell", "day 2"),
        ("event: Mara was born", "always"),
        ("event: Mara rose", "day 1"),
        ("Mara ally_of Tam", ""),
        ("Tam enemy_of Ilse", ""),
    ):
        await world.edits.propose_fact(world.id, words, since)
    await world.accept()
    line = await world.services.world.timeline.read_timeline(world.id)
    assert [(h.day, h.mentioned.fact.statement) for h in line if isinstance(h.mentioned, FactView)] == [
        ("At an unknown time", "Mara was born."),
        ("Day 1", "Mara rose."),
        ("Day 2", "Mara fell."),
    ]
    assert len(await world.services.world.timeline.read_timeline(world.id, "ROSE")) == 1
    ties = (await world.services.world.provenance.read_relations((await world.named("Mara")).id)).ties
    assert [(t.depth, t.words, t.other.name) for t in ties] == [
        (1, "is an ally of", "Tam"),
        (2, "is an enemy of", "Ilse"),
    ]


async def test_edit_retconned_fact_keeps_its_status_in_history(world: World) -> None:
    await world.edits.propose_fact(world.id, "Mara keeps a dog")
    await world.accept()
    (fact_id,) = (await world.told("Mara")).values()
    await world.edits.propose_retcon(fact_id)
    await world.accept()
    history = await world.services.world.provenance.read_fact_history(fact_id)
    assert [v.fact.status for v in history.facts] == [FactStatus.RETCONNED]
    quotes = [b.evidence.quote for b in await world.services.world.provenance.read_evidence(fact_id)]
    assert quotes == ["Mara keeps a dog", "Never true: Mara keeps a dog."], "and by whose word it went"


async def test_edit_what_canon_notes_of_an_edit_is_no_deed_of_anybody(world: World) -> None:
    mara = await world.named("Mara")
    await world.edits.propose_entity_edit(mara.id, as_is(mara, description="A diver."))
    await world.edits.propose_fact(world.id, "Mara keeps a dog", since="day 1")
    await world.accept()
    (dog,) = [i for words, i in (await world.told("Mara")).items() if "dog" in words]
    await world.edits.propose_fact(world.id, "Mara is dead", since="day 1 2:00")
    (row,) = await world.waiting()
    assert (row.mark, row.conflicts) == ("accept", ()), "she was described anew later, by nobody in the world"
    await world.accept()
    await world.edits.propose_end(dog)
    (row,) = await world.waiting()
    assert (row.mark, row.conflicts) == ("accept", ()), "what holds of the dead may end"


async def test_edit_what_a_merge_left_behind_comes_back_with_the_split(world: World) -> None:
    await world.bring(EntityKind.CHARACTER, "Tam", "Old Tam")
    await world.bring(EntityKind.PLACE, "Crypt", "Chapel")
    for words in (
        "Tam located_in Crypt",
        "Old Tam located_in Chapel",
        "Tam knows Mara",
        "Old Tam knows Mara",
    ):
        await world.edits.propose_fact(world.id, words)
        await world.accept()
    tam, old = await world.named("Tam"), await world.named("Old Tam")
    view = await world.services.world.previews.preview_merge(tam.id, old.id)
    assert [(ours, theirs.fact.statement) for ours, theirs in view.conflicts] == [
        ("Tam is in Crypt.", "Old Tam is in Chapel.")
    ]
    assert [v.fact.statement for v in view.repeated_facts] == ["Old Tam knows Mara."]
    before = await world.told("Old Tam")
    await world.edits.propose_merge(tam.id, old.id)
    await world.accept()
    told = (await world.told("Tam")).keys()
    assert "Not moved in the merge: Old Tam is in Chapel." in told
    await world.edits.propose_split(old.id)
    await world.accept()
    assert await world.told("Old Tam") == before
    assert (await world.told("Tam")).keys() == {"Tam is in Crypt.", "Tam knows Mara."}


async def test_correction_takes_nothing_else_out_of_canon(world: World) -> None:
    """What it contradicts stays until the player rules which of the two is true."""
    play, gate = world.services.play, world.services.gate
    for line in (
        *(
            "/thing Glass Bell",
            "/fact The Glass Bell was made in the north.",
            "/fact The Glass Bell is made of silver.",
        ),
        "/accept all",
    ):
        await play.submit(world.scene_id, line)
    await gate.commit(world.scene_id)
    told = await world.told("Glass Bell")
    corrected_id = told["The Glass Bell was made in the north."]
    await world.edits.propose_correction(corrected_id, FactEdit("The Glass Bell is made of gold."))
    (row,) = await world.waiting()
    assert row.conflicts
    assert "Accepting corrects this one alone, and both stand; C resolves which is true." in row.reasons
    assert [before for _, before, _ in row.diff if before] == ["The Glass Bell was made in the north."]
    await world.accept()
    assert set(await world.told("Glass Bell")) == {
        "The Glass Bell is made of gold.",
        "The Glass Bell is made of silver.",
    }


async def test_card_of_a_thing_names_the_scenes_whose_facts_tell_of_it(world: World) -> None:
    play, gate = world.services.play, world.services.gate
    for line in ("/npc here Dob", "/thing crown", "/accept all", "/end", "/accept all"):
        await play.submit(world.scene_id, line)
    report = await gate.commit(world.scene_id)
    assert report.next_scene_id
    for line in ("> Dob takes the crown.", "/accept all"):
        await play.submit(report.next_scene_id, line)
    await gate.commit(report.next_scene_id)
    card = await world.services.world.read_card((await world.named("crown")).id)
    assert len(card.appearance_titles) == 2
