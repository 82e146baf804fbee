"""The contract of the canon graph; see `CanonReader` and `CanonWriter` in `stores/ports.py`."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from stores.authority import Role
from stores.errors import NotFound, WriteDenied
from stores.queries import FactQuery, FactsAboutQuery, FactsQuery
from stores.records.canon import (
    Appearance,
    Fact,
    FactChange,
    FactKind,
    FactStatus,
    Involvement,
    Secrecy,
    Supersession,
)
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.world import BranchOrigin, Entity, EntityKind, EntityNames, EntityStatus, key_of
from tests.contract import builders as make
from tests.contract.conftest import Truth

CANONICAL, SUPERSEDED, RETCONNED = FactStatus.CANONICAL, FactStatus.SUPERSEDED, FactStatus.RETCONNED


@pytest.fixture
def keeper(truth: Truth) -> Any:
    return truth.canon(Role.CANON_KEEPER)


async def commit(keeper: Any, **given: Any) -> None:
    await keeper.commit(make.batch(**given))


def names(entities: list[Entity]) -> list[str]:
    return [entity.name for entity in entities]


# --- universes and containers -----------------------------------------------------------------------


async def test_universe_is_replaced_by_a_commit(keeper: Any) -> None:
    first, second = make.universe(), make.universe(id=make.new_id(), name="Ash")
    await commit(keeper, universe=first)
    await commit(keeper, universe=second)
    origin = BranchOrigin(
        name="No bridge",
        parent_key=key_of(second.id),
        scene_key=key_of(make.new_id()),
        scene_label="Scene 2 “Mill”",
        turn_number=7,
        copy_key=key_of(make.new_id()),
        at=make.now(),
    )
    locked = first.model_copy(update={"locked": True, "branch": origin})
    await commit(keeper, universe=locked)
    assert await keeper.universes() == [locked, second]
    assert await keeper.universe(first.id) == locked


async def test_canon_raises_not_found_for_unknown_identifiers(keeper: Any) -> None:
    missing = make.new_id()
    for reading in (keeper.universe, keeper.entity, keeper.fact):
        with pytest.raises(NotFound, match=missing):
            await reading(missing)
    assert await keeper.entities_by_id([missing]) == {}
    assert await keeper.facts_by_id([missing]) == {}
    assert await keeper.facts_about(missing) == []
    assert await keeper.neighbourhood([missing]) == ((), ())


async def test_orchestrator_may_only_create_story_and_scene_nodes(truth: Truth, keeper: Any) -> None:
    orchestrator = truth.canon(Role.ORCHESTRATOR)
    story = make.story_node()
    second, first = make.scene_node(story, 2), make.scene_node(story, 1)
    for _ in range(2):
        await orchestrator.create_story_node(story)
        await orchestrator.create_scene_node(second)
        await orchestrator.create_scene_node(first)
    assert await keeper.story_nodes(make.UNIVERSE) == [story]
    assert await keeper.scene_nodes(story.id) == [first, second]
    with pytest.raises(WriteDenied):
        await orchestrator.commit(make.batch(entities=(make.entity(),)))
    with pytest.raises(WriteDenied):
        await orchestrator.commit(make.batch(story_status={story.id: "completed"}))

    await commit(keeper, scene_status={first.id: "completed"}, story_status={story.id: "abandoned"})
    assert [node.status for node in await keeper.scene_nodes(story.id)] == ["completed", "active"]
    assert (await keeper.story_nodes(make.UNIVERSE))[0].status == "abandoned"
    await orchestrator.create_scene_node(first)
    assert (await keeper.scene_nodes(story.id))[0].status == "completed"


@pytest.mark.parametrize("role", [r for r in Role if r is not Role.CANON_KEEPER])
async def test_commit_is_refused_to_all_but_the_canon_keeper(truth: Truth, keeper: Any, role: Role) -> None:
    with pytest.raises(WriteDenied):
        await truth.canon(role).commit(make.batch(universe=make.universe()))
    assert await keeper.universes() == []


# --- entities ---------------------------------------------------------------------------------------


async def test_entities_are_sorted_by_name_without_case(keeper: Any) -> None:
    entities = [make.entity(name) for name in ("mara", "Bren", "Ärla", "anselm")]
    place = make.entity("Cellar", kind=EntityKind.PLACE)
    elsewhere = make.entity("Zed", universe_id=make.new_id())
    await commit(keeper, entities=(*entities, place, elsewhere))
    assert names(await keeper.entities(make.UNIVERSE)) == ["anselm", "Bren", "Cellar", "mara", "Ärla"]
    assert names(await keeper.entities(make.UNIVERSE, kind=EntityKind.PLACE)) == ["Cellar"]
    assert names(await keeper.entities(make.UNIVERSE, limit=2)) == ["anselm", "Bren"]
    assert await keeper.entities_by_id([place.id, make.new_id()]) == {place.id: place}
    assert await keeper.count(make.UNIVERSE) == (5, 0)
    assert await keeper.count() == (6, 0)


async def test_entity_search_matches_any_part_of_a_name_literally(keeper: Any) -> None:
    odd = make.entity("100% _Salt_ 'n'", aliases=("STRAẞE \\", "Café"))
    plain = make.entity("1000 Salts")
    await commit(keeper, entities=(odd, plain))

    async def found(text: str) -> set[str]:
        return set(names(await keeper.entities(make.UNIVERSE, search=text)))

    assert await found("salt") == {odd.name, plain.name}
    for text in ("%", "_salt_", "'N'", "strasse", "\\", "CAFE\u0301"):
        assert await found(text) == {odd.name}, text
    assert await found("%salt") == set()
    assert await found("x" * 60_000) == set()
    assert await found("\ud800") == set()
    assert names(await keeper.entities(make.UNIVERSE, search="0", limit=1)) == ["100% _Salt_ 'n'"]


async def test_find_entity_matches_the_exact_name_or_alias(keeper: Any) -> None:
    mara, other = make.entity("Mara", aliases=("the Lampwright", "Éa")), make.entity("MARA")
    await commit(keeper, entities=(mara, other))
    assert await keeper.find_entity(make.UNIVERSE, "mara") == [mara, other]
    assert await keeper.find_entity(make.UNIVERSE, "The LAMPWRIGHT") == [mara]
    assert await keeper.find_entity(make.UNIVERSE, "E\u0301a") == [mara]
    assert await keeper.find_entity(make.UNIVERSE, "lamp") == []
    assert await keeper.find_entity(make.new_id(), "Mara") == []


async def test_entities_are_found_by_several_names_at_once(keeper: Any) -> None:
    mara, other = make.entity("Mara Venn", aliases=("Mara", "The Lampwright")), make.entity("Élan")
    await commit(keeper, entities=(mara, other, make.entity("Nobody")))
    names = ["the lampwright", "MARA", "E\u0301lan", "lamp"]
    assert await keeper.entities_named(make.UNIVERSE, names) == [mara, other]
    assert await keeper.entities_named(make.UNIVERSE, []) == []
    assert await keeper.entities_named(make.new_id(), names) == []


async def test_find_entity_after_rename_uses_the_new_name_only(keeper: Any) -> None:
    mara = make.entity("Mara", aliases=("Lamp",))
    await commit(keeper, entities=(mara,))
    renamed = mara.model_copy(update={"name": "Nerys", "aliases": ()})
    for _ in range(2):
        await commit(keeper, entities=(renamed,))
    assert await keeper.find_entity(make.UNIVERSE, "Mara") == []
    assert await keeper.find_entity(make.UNIVERSE, "lamp") == []
    assert await keeper.find_entity(make.UNIVERSE, "nerys") == [renamed]
    assert await keeper.entity(mara.id) == renamed


@pytest.mark.parametrize("status", [EntityStatus.MERGED, EntityStatus.RETCONNED])
async def test_entities_omit_one_that_left_canon(keeper: Any, status: EntityStatus) -> None:
    kept, gone = make.entity("Mara"), make.entity("Marra")
    await commit(keeper, entities=(kept, gone))
    out = gone.model_copy(update={"status": status, "merged_into": kept.id})
    await commit(keeper, entities=(out,))
    assert await keeper.entities(make.UNIVERSE) == [kept]
    assert await keeper.entities(make.UNIVERSE, search="marra") == []
    assert await keeper.find_entity(make.UNIVERSE, "marra") == []
    assert await keeper.entity(gone.id) == out
    assert await keeper.entities_by_id([gone.id]) == {gone.id: out}
    assert await keeper.merged_entities(make.UNIVERSE) == ([out] if status is EntityStatus.MERGED else [])
    assert await keeper.count(make.UNIVERSE) == (1, 0)
    await commit(keeper, entities=(gone,))
    assert await keeper.find_entity(make.UNIVERSE, "marra") == [gone]
    assert await keeper.merged_entities(make.UNIVERSE) == []


# --- facts ------------------------------------------------------------------------------------------


async def test_facts_about_finds_any_role_oldest_first(keeper: Any) -> None:
    mara, bren = make.entity("Mara"), make.entity("Bren")
    tired = make.fact("Mara is tired.", mara)
    ally = make.relation(bren, "ally_of", mara)
    witnessed = make.fact("The lamp fell.", involves=(Involvement(role="witness", entity_id=mara.id),))
    itself = make.fact("Mara is Mara.", mara, mara, predicate="same")
    unrelated = make.fact("Bren is cold.", bren)
    await commit(keeper, entities=(mara, bren), facts=(tired, ally, witnessed, itself, unrelated))
    assert await keeper.facts_about(mara.id) == [tired, ally, witnessed, itself]
    assert await keeper.facts_about(mara.id, FactsAboutQuery(predicate="ally_of")) == [ally]
    assert await keeper.facts_about(mara.id, FactsAboutQuery(limit=2)) == [tired, ally]
    assert await keeper.facts_by_id([ally.id, tired.id]) == {tired.id: tired, ally.id: ally}


async def test_facts_about_omits_ended_facts_without_history(keeper: Any) -> None:
    mara = make.entity()
    ended = make.fact("Mara was at sea.", mara, valid_from=0, valid_to=10)
    event = make.fact("Mara landed.", mara, kind=FactKind.EVENT, valid_from=10, valid_to=11)
    now = make.fact("Mara is ashore.", mara, valid_from=10)
    await commit(keeper, entities=(mara,), facts=(ended, event, now))
    for reading, argument, query_type in (
        (keeper.facts_about, mara.id, FactsAboutQuery),
        (keeper.facts, make.UNIVERSE, FactQuery),
    ):
        assert await reading(argument) == [event, now]
        assert await reading(argument, query_type(history=True)) == [ended, event, now]
    assert await keeper.facts(make.UNIVERSE, FactQuery(kind=FactKind.EVENT)) == [event]
    assert await keeper.facts(make.UNIVERSE, FactQuery(limit=1)) == [event]
    assert await keeper.facts(make.new_id(), FactQuery(history=True)) == []


async def test_facts_at_returns_facts_that_hold_at_the_tick(keeper: Any) -> None:
    always = make.fact("The sea is salt.")
    morning = make.fact("The lamp burns.", valid_from=0, valid_to=60, kind=FactKind.STATE)
    later = make.fact("The lamp is out.", valid_from=60, kind=FactKind.STATE)
    never = make.fact("The lamp was stolen.", status=RETCONNED)
    await commit(keeper, facts=(always, morning, later, never))
    held = {-1: [always], 0: [always, morning], 59: [always, morning], 60: [always, later]}
    for tick, facts in held.items():
        assert await keeper.facts_at(make.UNIVERSE, tick) == facts, tick
    assert await keeper.facts_at(make.UNIVERSE, 60, kind=FactKind.STATE) == [later]
    assert await keeper.facts_at(make.UNIVERSE, 60, limit=1) == [always]


async def test_superseded_fact_is_kept_and_linked(keeper: Any) -> None:
    mara = make.entity()
    old, new = make.fact("Mara is tired.", mara), make.fact("Mara is rested.", mara)
    await commit(keeper, entities=(mara,), facts=(old,))
    await commit(
        keeper,
        facts=(new,),
        fact_changes=(FactChange(fact_id=old.id, status=SUPERSEDED, valid_to=30),),
        supersedes=(Supersession(newer_id=new.id, older_id=old.id),),
    )
    was = old.model_copy(update={"status": SUPERSEDED, "valid_to": 30})
    assert await keeper.facts_about(mara.id) == [new]
    assert await keeper.facts_about(mara.id, FactsAboutQuery(history=True)) == [was, new]
    assert await keeper.facts_at(make.UNIVERSE, 29) == [was, new]
    assert await keeper.facts_at(make.UNIVERSE, 30) == [new]
    assert await keeper.superseded_by(old.id) == [new]
    assert await keeper.supersedes(new.id) == [was]
    assert await keeper.superseded_by(new.id) == []
    assert await keeper.count(make.UNIVERSE) == (1, 1)


async def test_commit_is_idempotent(keeper: Any) -> None:
    mara, bren = make.entity("Mara"), make.entity("Bren")
    ally, quote = make.relation(mara, "ally_of", bren), make.evidence(turn_id="t1")
    whole = make.batch(
        universe=make.universe(),
        entities=(mara, bren),
        facts=(ally,),
        evidence=(quote,),
        supports=(make.support(ally, quote), make.support(mara, quote)),
        supersedes=(Supersession(newer_id=ally.id, older_id=ally.id),),
        appearances=(Appearance(entity_id=mara.id, scene_id="s1"),),
        fact_changes=(FactChange(fact_id=ally.id, status=CANONICAL, valid_to=None),),
    )

    async def everything() -> list[Any]:
        return [
            await keeper.universes(),
            await keeper.entities(make.UNIVERSE),
            await keeper.facts(make.UNIVERSE, FactQuery(history=True)),
            await keeper.neighbourhood([mara.id]),
            await keeper.evidence_of(ally.id),
            await keeper.supported_by(["t1"]),
            await keeper.supersedes(ally.id),
            await keeper.appearances(mara.id),
        ]

    await keeper.commit(whole)
    before = await everything()
    assert all(before)
    await keeper.commit(whole)
    assert await everything() == before


async def test_commit_replayed_does_not_revive_an_ended_fact(keeper: Any) -> None:
    mara, bren = make.entity("Mara"), make.entity("Bren")
    ally = make.relation(mara, "ally_of", bren)
    await commit(keeper, entities=(mara, bren), facts=(ally,))
    await commit(keeper, fact_changes=(FactChange(fact_id=ally.id, status=RETCONNED),))
    await commit(keeper, facts=(ally,))
    assert (await keeper.fact(ally.id)).status is RETCONNED
    assert (await keeper.neighbourhood([mara.id])).facts == ()


async def test_commit_is_all_or_nothing(keeper: Any) -> None:
    mara = make.entity()
    with pytest.raises(NotFound):
        await commit(keeper, entities=(mara,), fact_changes=(FactChange(fact_id="gone", status=RETCONNED),))
    with pytest.raises(NotFound):
        await commit(keeper, entities=(mara,), scene_status={"gone": "completed"})
    assert await keeper.count() == (0, 0)


async def test_facts_preserve_any_text_and_value(keeper: Any) -> None:
    values: list[Any] = [True, 3, 2.5, 1.0, "nul\x00 ☃ \u202e", None, 2**40]
    facts = [make.fact("é" * 1_000_000 if v is None else repr(v), value=v) for v in values]
    marked = make.entity("'; DROP TABLE canon_facts; --", numbers={"hp": 3, "luck": 0.5}, tags=("wet",))
    await commit(keeper, entities=(marked,), facts=tuple(facts))
    found = await keeper.facts(make.UNIVERSE)
    assert found == facts
    assert [type(f.value) for f in found] == [type(v) for v in values]
    assert await keeper.entity(marked.id) == marked


# --- neighbourhood ----------------------------------------------------------------------------------


async def test_neighbourhood_follows_relations_both_ways(keeper: Any) -> None:
    a, b, c, d = people = [make.entity(name) for name in "ABCD"]
    facts = (make.relation(a, "knows", b), make.relation(c, "knows", b), make.relation(c, "owns", d))
    await commit(keeper, entities=tuple(people), facts=facts)

    async def near(hops: int, *roots: Entity) -> tuple[list[str], list[Id]]:
        found = await keeper.neighbourhood([root.id for root in roots], hops=hops)
        return names(found.entities), [fact.id for fact in found.facts]

    ids = [fact.id for fact in facts]
    assert await near(0, a) == (["A"], [])
    assert await near(1, a) == (["A", "B"], ids[:1])
    assert await near(2, a) == (["A", "B", "C"], ids[:2])
    assert await near(3, a) == (["A", "B", "C", "D"], ids)
    assert await near(9, d, a) == (["D", "A", "B", "C"], ids)


async def test_neighbourhood_omits_ended_relations(keeper: Any) -> None:
    """Ended and retconned relations, plain facts and entities out of canon are not followed."""
    root, *others = people = [make.entity(name) for name in ("Root", "Ended", "Retconned", "Merged", "Near")]
    ended, retconned, _, near = facts = [make.relation(root, "knows", other) for other in others]
    plain = make.relation(root, "saw", make.entity("Plain"), kind=FactKind.EVENT)
    people[3] = people[3].model_copy(update={"status": EntityStatus.MERGED})
    await commit(keeper, entities=tuple(people), facts=(*facts, plain))
    changes = (
        FactChange(fact_id=ended.id, status=CANONICAL, valid_to=5),
        FactChange(fact_id=retconned.id, status=RETCONNED),
    )
    await commit(keeper, fact_changes=changes)
    found = await keeper.neighbourhood([root.id])
    assert names(found.entities) == ["Root", "Near"]
    assert found.facts == (near,)

    restored = FactChange(fact_id=retconned.id, status=CANONICAL)
    await commit(keeper, fact_changes=(restored,))
    assert names((await keeper.neighbourhood([root.id])).entities) == ["Root", "Retconned", "Near"]


async def test_neighbourhood_of_a_hub_is_bounded(keeper: Any) -> None:
    hub = make.entity("Hub")
    spokes = [make.entity(f"Spoke {n}") for n in range(300)]
    facts = [make.relation(hub, "rules_over", spoke) for spoke in spokes]
    facts += [make.relation(one, "knows", two) for one, two in pairwise(spokes)]
    await commit(keeper, entities=(hub, *spokes), facts=tuple(facts))
    found = await keeper.neighbourhood([hub.id], limit=20)
    assert len(found.entities) == 20
    assert found.entities[0] == hub
    near = {entity.id for entity in found.entities}
    assert found.facts
    assert all(i.entity_id in near for fact in found.facts for i in fact.involves)
    assert await keeper.neighbourhood([hub.id], limit=20) == found
    assert names((await keeper.neighbourhood([hub.id, spokes[0].id], limit=1)).entities) == ["Hub"]


# --- what rests on what -----------------------------------------------------------------------------


async def test_evidence_is_found_from_subject_and_from_turn(keeper: Any) -> None:
    mara = make.entity()
    tired, wet = make.fact("Mara is tired.", mara), make.fact("Mara is wet.", mara)
    said, seen = make.evidence("I am tired.", turn_id="t1"), make.evidence("Rain.", turn_id="t2", page=3)
    typed = make.evidence("By hand.", span=(3, 9))
    await commit(
        keeper,
        entities=(mara,),
        facts=(tired, wet),
        evidence=(said, seen, typed),
        supports=(
            make.support(tired, said),
            make.support(tired, seen),
            make.support(wet, seen),
            make.support(mara, typed),
        ),
        appearances=tuple(Appearance(entity_id=mara.id, scene_id=s) for s in ("s2", "s1")),
    )
    assert await keeper.evidence_of(tired.id) == [said, seen]
    nothing = make.new_id()
    assert await keeper.evidence_of_all([tired.id, nothing]) == {tired.id: [said, seen], nothing: []}
    assert await keeper.evidence_of(mara.id) == [typed]
    assert await keeper.supported_by(["t1"]) == [("t1", tired.id)]
    assert set(await keeper.supported_by(["t2", "t1", "t3"])) == {
        ("t1", tired.id),
        ("t2", tired.id),
        ("t2", wet.id),
    }
    assert await keeper.supported_by([]) == []
    assert await keeper.appearances(mara.id) == ["s2", "s1"]


async def test_what_rests_on_a_document_is_found_with_its_evidence(keeper: Any) -> None:
    mara, book, other_book = make.entity("Mara"), make.new_id(), make.new_id()
    tired, wet = make.fact("Mara is tired.", mara), make.fact("Mara is wet.", mara)
    in_book = make.evidence("She yawned.", source_id=book, page=7)
    in_other = make.evidence("She dripped.", source_id=other_book)
    await commit(
        keeper,
        entities=(mara,),
        facts=(tired, wet),
        evidence=(in_book, in_other),
        supports=(make.support(tired, in_book), make.support(wet, in_other), make.support(mara, in_book)),
    )
    assert sorted(await keeper.evidence_from(book)) == sorted([(tired.id, in_book), (mara.id, in_book)])
    assert await keeper.evidence_from(other_book) == [(wet.id, in_other)]
    assert await keeper.evidence_from(make.new_id()) == []


async def test_commit_is_atomic_for_concurrent_readers(keeper: Any) -> None:
    async def write(n: int) -> None:
        entity = make.entity(f"E{n}")
        await commit(
            keeper, entities=(entity,), facts=tuple(make.fact(f"{n}.{m}", entity) for m in range(10))
        )

    async def watch() -> None:
        while (counted := await keeper.count())[0] < 30:
            assert counted[1] == counted[0] * 10

    await asyncio.gather(*(write(n) for n in range(30)), watch(), watch(), watch())
    assert await keeper.count() == (30, 300)


async def test_facts_are_found_by_statement_and_by_predicate(keeper: Any) -> None:
    told = make.fact("The bell, it was MOVED!", predicate="stated")
    other = make.fact("The bell hangs.", predicate="hangs", status=RETCONNED)
    await commit(keeper, facts=(told, other))
    assert await keeper.facts_by_statement(make.UNIVERSE, ["the bell it was moved", "nothing"]) == [told]
    assert await keeper.facts_by_statement(make.UNIVERSE, ["the bell hangs"]) == [other]
    assert await keeper.facts_by_statement(make.UNIVERSE, []) == []
    assert await keeper.facts_by_statement(make.new_id(), ["the bell hangs"]) == []
    assert await keeper.facts(make.UNIVERSE, FactQuery(predicate="stated")) == [told]
    assert await keeper.facts(make.UNIVERSE, FactQuery(predicate="hangs")) == []
    assert await keeper.facts(make.UNIVERSE, FactQuery(predicate="hangs", history=True)) == [other]


async def test_facts_of_several_questions_are_found_once_and_in_their_order(keeper: Any) -> None:
    mara = make.entity("Mara")
    told = make.fact("The bell is gone.", predicate="stated")
    old = make.fact("Mara was here.", mara, predicate="hangs", status=SUPERSEDED)
    new = make.fact("Mara is there.", mara, predicate="stated")
    await commit(keeper, entities=(mara,), facts=(told, old, new))
    query = FactsQuery(
        ids=[new.id],
        about=[(mara.id, FactsAboutQuery(predicate="stated")), (mara.id, FactsAboutQuery(history=True))],
        of_universe=[FactQuery(predicate="stated"), FactQuery(predicate="nothing")],
        statement_keys=["mara was here"],
    )
    assert await keeper.facts_of_all(make.UNIVERSE, query) == [new, old, told]
    assert await keeper.facts_of_all(make.UNIVERSE, FactsQuery()) == []
    elsewhere = FactsQuery(of_universe=[FactQuery()], statement_keys=["mara was here"])
    assert await keeper.facts_of_all(make.new_id(), elsewhere) == []


async def test_facts_are_found_by_predicate_prefix(keeper: Any) -> None:
    tide = ProgressClock(name="Tide", filled=2, per_scene=1)
    facts = [
        make.fact("The tide comes.", predicate="clock:Tide", value=2, clock=tide),
        make.fact("A clock of odd signs.", predicate="clock:𝕏%_\uffff", value=1),
        make.fact("The clock stands.", predicate="clock"),
        make.fact("The clockwork runs.", predicate="clockwork"),
        make.fact("Another case.", predicate="Clock:Tide"),
    ]
    await commit(keeper, facts=tuple(facts))
    assert await keeper.facts(make.UNIVERSE, FactQuery(prefix="clock:")) == facts[:2]
    assert await keeper.facts(make.UNIVERSE, FactQuery(prefix="clock:%")) == []
    assert await keeper.facts(make.new_id(), FactQuery(prefix="clock:")) == []


async def test_facts_about_nobody_are_found_by_the_newest(keeper: Any) -> None:
    mara = make.entity("Mara Venn")
    unnamed = [
        make.fact(f"The password is {word}.", predicate="stated") for word in ("salt", "tin", "pepper")
    ]
    named = make.fact(
        "Mara sings.", predicate="stated", involves=(Involvement(role="subject", entity_id=mara.id),)
    )
    await commit(keeper, entities=(mara,), facts=(*unnamed, named))
    query = FactQuery(predicate="stated", only_about_nobody=True)
    assert await keeper.facts(make.UNIVERSE, query) == unnamed
    assert await keeper.facts(make.UNIVERSE, replace(query, newest=2)) == unnamed[1:]


async def test_names_are_found_by_their_words(keeper: Any) -> None:
    mara = make.entity("Mara Venn", aliases=("The Lampwright", "ÉLAN"))
    vess, gone = make.entity("Vess of the Venn"), make.entity("Venn Gone", status=EntityStatus.RETCONNED)
    await commit(keeper, entities=(mara, vess, gone))
    assert await keeper.names_with_words(make.UNIVERSE, ["VENN"]) == [
        ("mara venn", mara.id),
        ("vess of the venn", vess.id),
    ]
    assert await keeper.names_with_words(make.UNIVERSE, ["E\u0301lan", "LampWright", "nobody"]) == [
        ("the lampwright", mara.id),
        ("élan", mara.id),
    ]
    gil = make.entity("Gil O’Dowd-Lé")
    await commit(keeper, entities=(gil,))
    for word in ("o’dowd", "dowd", "LÉ", "gil", "o’dowd-lé"):
        assert await keeper.names_with_words(make.UNIVERSE, [word]) == [("gil o’dowd-lé", gil.id)], word
    for part in ("en", "la", "lan", "wright", "vess of th", "l", "*", "[a-z]"):
        assert await keeper.names_with_words(make.UNIVERSE, [part]) == [], part
    many = [f"word {number}" for number in range(2_500)]
    assert await keeper.names_with_words(make.UNIVERSE, [*many, "venn", "_"]) == [
        ("mara venn", mara.id),
        ("vess of the venn", vess.id),
    ]
    assert await keeper.names_with_words(make.UNIVERSE, []) == []
    assert await keeper.names_with_words(make.new_id(), ["venn"]) == []


async def test_entity_names_and_folded_names_list_canonical_entities(keeper: Any) -> None:
    mara = make.entity("Mara Venn", aliases=("Mara", "ÉLAN"))
    gone = make.entity("Gone", status=EntityStatus.RETCONNED)
    await commit(keeper, entities=(mara, gone))
    assert await keeper.folded_names(make.UNIVERSE) == [
        ("mara", mara.id),
        ("mara venn", mara.id),
        ("élan", mara.id),
    ]
    assert await keeper.folded_names(make.new_id()) == []
    assert await keeper.entity_names(make.UNIVERSE) == ["Mara Venn"]
    assert await keeper.named_entities(make.UNIVERSE) == [
        EntityNames(mara.id, mara.kind, "Mara Venn", ("Mara", "ÉLAN"))
    ]
    assert await keeper.named_entities(make.new_id()) == []


# --- what the contradiction checks ask ----------------------------------------------------------------


async def test_facts_about_filters_by_first_tick(keeper: Any) -> None:
    mara = make.entity()
    facts = [make.fact(f"Deed {tick}.", mara, valid_from=tick) for tick in (5, 10, 15)]
    ever = make.fact("Ever.", mara)
    await commit(keeper, entities=(mara,), facts=(*facts, ever))
    assert await keeper.facts_about(mara.id, FactsAboutQuery(begins_within=(5, 10))) == facts[:2]
    assert await keeper.facts_about(mara.id, FactsAboutQuery(begins_within=(16, 99))) == []
    assert len(await keeper.facts_about(mara.id)) == 4
    assert await keeper.facts_about(mara.id, FactsAboutQuery(newest=2)) == [facts[2], ever]
    assert await keeper.facts_about(mara.id, FactsAboutQuery(begins_within=(5, 10), newest=1)) == [facts[1]]


async def test_commitment_fact_is_closed_and_reopened(keeper: Any) -> None:
    vow = make.fact("Mara promised.", kind=FactKind.COMMITMENT)
    await commit(keeper, facts=(vow,))
    for closed in (True, False):
        status = FactStatus.SUPERSEDED if closed else FactStatus.CANONICAL
        change = FactChange(fact_id=vow.id, status=status, closed=closed)
        await commit(keeper, fact_changes=(change,))
        await commit(keeper, fact_changes=(change.model_copy(update={"closed": None}),))
        assert (await keeper.fact(vow.id)).closed is closed


async def test_secrets_are_found_as_long_as_they_are_not_revealed(keeper: Any) -> None:
    mara = make.entity()
    told = make.fact("Mara opened the sluice.", mara, secrecy=Secrecy(known_to=(mara.id,)))
    plain = make.fact("Mara is tired.", mara)
    await commit(keeper, entities=(mara,), facts=(told, plain))
    assert await keeper.facts(make.UNIVERSE, FactQuery(only_secrets=True)) == [told]

    async def change_secrecy(fact: Fact, secrecy: Secrecy | None) -> None:
        await commit(keeper, fact_changes=(FactChange(fact_id=fact.id, status=CANONICAL, secrecy=secrecy),))

    await change_secrecy(told, Secrecy(known_to=(mara.id,), is_revealed=True))
    await change_secrecy(plain, Secrecy())
    assert await keeper.facts(make.UNIVERSE, FactQuery(only_secrets=True)) == [
        plain.model_copy(update={"secrecy": Secrecy()})
    ]
    await change_secrecy(plain, None)
    assert [f.is_secret for f in await keeper.facts(make.UNIVERSE)] == [False, True]
