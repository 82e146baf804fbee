"""A whole small campaign, played through the stores as the agents would: something of everything."""

from __future__ import annotations

from typing import Any

from stores.authority import Role
from stores.open import Stores
from stores.records.canon import (
    Appearance,
    Authority,
    CreateEntity,
    EvidenceKind,
    FactChange,
    FactStatus,
    StateChange,
    StateOp,
    Supersession,
)
from stores.records.grid_maps import GridCell, GridOutline, GridShape, GridWay, Spot, Terrain, WayKind
from stores.records.ids import Id, derive_id
from stores.records.llm import Money, Persona
from stores.records.play import MoveKind, Speaker
from stores.records.story_journal import ThreadAction, ThreadEntry
from stores.records.workflow import Loop, ProposalStatus, Verdict
from stores.records.world import EntityKind, EntityStatus
from tests.contract import builders as make

BOOK = b"%PDF-1.7 The Book of the Coast"
LEDGER = b"A cold archive of an old campaign"
ODD = "Ωmega “quoted” \\ back\tslash\nnew line 🜂 e\u0301 \u2028 עברית"


async def play_campaign(stores: Stores, *, name: str = "The Salt Coast", text: str = ODD) -> Id:
    """Write the campaign and return its universe. `text` goes wherever words go."""
    universe = make.universe(id=make.new_id(), name=name, description=text)
    of_it: dict[str, Any] = {"universe_id": universe.id}
    log, canon = stores.log(Role.ORCHESTRATOR), stores.canon(Role.ORCHESTRATOR)

    # The world: one entity absorbed by another, one fact retconned, one ended.
    mara = make.entity(text, aliases=("M.", text), numbers={"hp": 7, "luck": 0.1}, tags=("wet",), **of_it)
    bell = make.entity("The Bell", kind=EntityKind.OBJECT, **of_it)
    twin = make.entity("Marra", status=EntityStatus.MERGED, merged_into=mara.id, **of_it)
    owns = make.relation(mara, "owns", bell, valid_from=0, **of_it)
    never = make.fact(text, mara, value=1.0, **of_it)
    instead = make.fact("It was not so.", mara, value=False, authority=Authority.SYSTEM, **of_it)

    # Play: a branch, a take, an undo; the head stands in the middle of the tree.
    opened = ThreadEntry(
        id=make.new_id(),
        scene_id=make.new_id(),
        turn_id=make.new_id(),
        at=make.now(),
        thread_id=make.new_id(),
        act=ThreadAction.OPEN,
        name=text,
    )
    story = make.story(title=text, tension=9, entries=(opened,), **of_it)
    first = make.scene(story, 1, cast=(mara.id,), goal=text)
    second = make.scene(story, 2, tick=600)
    await log.put_story(story)
    await log.create_scene(first)
    await log.create_scene(second)
    story_node = make.story_node(id=story.id, **of_it)
    await canon.create_story_node(story_node)
    for order, scene in enumerate((first, second), 1):
        await canon.create_scene_node(make.scene_node(story_node, order, id=scene.id))
    one = make.turn(first, None, text)
    two = make.turn(first, one, "I ring it.", hearers=(mara.id, bell.id))
    answer = make.turn(first, two, text, speaker=Speaker.GM, exchange_id=two.id)
    again = make.turn(first, two, "Another.", speaker=Speaker.GM, exchange_id=two.id, take=2)
    branch = make.turn(first, one, "I do not ring it.")
    await log.append_turn(one)
    await log.append_turn(two)
    await stores.log(Role.NARRATOR).append_gm_turn(answer)
    await stores.log(Role.NARRATOR).append_gm_turn(again, MoveKind.TAKE)
    await log.append_turn(branch, MoveKind.BRANCH)
    await log.move_head(first.id, answer.id, MoveKind.UNDO)
    await log.move_head(first.id, two.id, MoveKind.UNDO)
    await log.add_note(make.note(first, two, text))
    outline = GridOutline(name=text[:80] or "Map", shape=GridShape.ROOMS, columns=3, rows=2)
    cells = (GridCell(spot=Spot(1, 1), place_id=make.new_id(), terrain=Terrain.BUILT, text=text[:200]),)
    ways = (GridWay(ends=(Spot(0, 1), Spot(1, 1)), kind=WayKind.DOOR),)
    map_edit = make.map_edit(**of_it, outline=outline, cells=cells, ways=ways)
    await log.add_map_edit(map_edit)
    await log.add_map_edit(make.map_edit(**of_it, map_id=map_edit.map_id, undoes=map_edit.id))
    # Calls of a model: of a turn, of one that was undone, and of no scene at all; a decision on either line.
    narrator = stores.log(Role.NARRATOR)
    for call in (
        make.call(first, answer, answer=text, seconds=0.1, **of_it),
        make.call(first, branch, cost=Money(known=False), error=text, **of_it),
        make.call(**of_it, persona=Persona.MONITOR),
    ):
        await narrator.record_call(call)
    await narrator.mark_decisions([make.mark(t, text, reason=text, **of_it) for t in (two, branch)])
    await log.record_transition(make.transition(first.id, detail=text, score=0.25))
    await log.record_transition(make.transition(story.id, loop=Loop.STORY))
    await log.record_transition(make.transition(two.id, loop=Loop.TURN))

    # Proposals: accepted with an edit, rejected, deferred, and two that are withdrawn.
    resolver = stores.log(Role.RESOLVER)
    made = CreateEntity(entity_id=make.new_id(), entity_kind=EntityKind.PLACE, name=text)
    create = make.proposal(first, two, payload=made, evidence=(make.evidence(text, turn_id=two.id),))
    hurt = make.proposal(
        first, two, payload=StateChange(entity_id=mara.id, key="hp", op=StateOp.ADD, value=-2)
    )
    off = make.proposal(first, branch)
    unless = make.proposal(first, None, unless_turn=two.id)
    later = make.proposal(second)
    await resolver.seal(make.resolution(two, text=text, expression="2d6", total=9), [create, hurt])
    await resolver.stage([off, unless, later])
    keeper = stores.log(Role.CANON_KEEPER)
    edited = make.decision(edited=made.model_copy(update={"name": "The Stair"}), reason=text)
    no = make.decision(Verdict.REJECT)
    await keeper.decide({create.id: edited, hurt.id: no, later.id: make.decision(Verdict.DEFER)})
    quote = make.evidence(text, turn_id=two.id, scene_id=first.id, span=(0, 3))
    page = make.evidence("p. 3", kind=EvidenceKind.CHUNK, page=3)
    batch = make.batch(
        universe=universe,
        entities=(mara, bell, twin),
        facts=(owns, never, instead),
        evidence=(quote, page),
        supports=(
            *(make.support(subject, quote) for subject in (owns, instead, mara)),
            make.support(never, page),
        ),
        supersedes=(Supersession(newer_id=instead.id, older_id=never.id),),
        appearances=(Appearance(entity_id=mara.id, scene_id=first.id),),
        scene_status={first.id: "completed"},
        **of_it,
    )
    outcomes = (
        make.outcome(create, decision=edited),
        make.outcome(hurt, ProposalStatus.REJECTED, decision=no),
        make.outcome(off, ProposalStatus.FAILED, error=text),
    )
    closing = make.canonization(*outcomes, of=first, batch=batch, **of_it)
    await keeper.plan_canonization(closing)
    await stores.canon(Role.CANON_KEEPER).commit(batch)
    await stores.canon(Role.CANON_KEEPER).commit(
        make.batch(
            fact_changes=(FactChange(fact_id=never.id, status=FactStatus.RETCONNED, valid_to=4),), **of_it
        )
    )
    await keeper.mark_written(closing.id)
    await keeper.close_canonization(closing, [create.id])
    await keeper.plan_canonization(make.canonization(of=second, **of_it))

    await keeper.put_ruling(make.ruling(id=make.new_id(), **of_it, reason=text))
    await keeper.put_policy(make.policy(id=universe.id, **of_it, predicates="adores: {}"))

    # Memory, a log put away, work of the background, a document, and an exchange that a crash cut short.
    memories = stores.log(Role.MEMORY_MANAGER)
    seen = make.memory(mara, text, importance=0.3, scene_id=first.id, turn_id=one.id)
    told: dict[str, Any] = {
        "told_by": bell.id,
        "about": (mara.id, bell.id),
        "corrects": seen.id,
        "source": text,
    }
    askew = make.memory(
        mara, id=derive_id("memory", "misremembered", seen.id), corrects=seen.id, mistaken=True
    )
    await memories.put_memories([seen, make.memory(mara, **told), askew])
    so_far = make.summary(first, id=derive_id("summary", "rolling", two.id), last_turn=two.id)
    await memories.put_summaries([make.summary(first, text, first_turn=one.id), so_far])
    cold = await stores.objects(Role.ARCHIVIST).put("archives", LEDGER)
    put_away = make.archived(first, id=make.new_id(), object_key=cold, head=one.id)
    await stores.log(Role.ARCHIVIST).mark_archived(put_away)
    await log.put_job(make.job(first.id, **of_it))
    ingest = stores.log(Role.INGEST)
    key = await stores.objects(Role.INGEST).put("originals", BOOK)
    book = make.source(title=text, object_key=key, media_type="application/pdf", **of_it)
    await ingest.put_source(book)
    await ingest.put_pages([make.page(book, n, text=text, label=text) for n in range(1, 3)])
    await ingest.put_snippets([make.snippet(book, n, text=text, page=n, span=(n, n + 9)) for n in range(3)])
    typed = make.turn(second, None, "I open the")
    await log.begin_exchange(
        typed,
        MoveKind.APPEND,
        make.checkpoint(typed, state={"words": text, "depth": 1, "list": [1, 2.5, None, True]}),
        [make.transition(typed.id, loop=Loop.TURN)],
    )
    return universe.id
