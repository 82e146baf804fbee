"""No path writes canon but the gate: whatever is asked of the services, in any order, canon changes only in the
calls that commit.

Source: product.md: "nothing becomes true in your world without evidence and your decision".
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agents.diagrams.relation_graph import MapSelection
from agents.exports.story_form import StoryForm
from agents.services.branches import BranchService
from agents.services.characters import CharacterService
from agents.services.charts import ChartReader
from agents.services.commitment_ledger import CommitmentService
from agents.services.conflicts import ConflictService
from agents.services.edit_previews import EditPreviews
from agents.services.gate import GateService
from agents.services.grid_maps import GridMapService, read_outline
from agents.services.ingest import IngestService
from agents.services.llm import LlmService
from agents.services.outside_proposals import OutsideProposalService
from agents.services.pictures import PictureService
from agents.services.play import PlayService
from agents.services.policy import PolicyService
from agents.services.provenance import ProvenanceReader
from agents.services.query import QueryService
from agents.services.relation_graph import GraphFormat, RelationGraphReader
from agents.services.services import Services
from agents.services.stories import StoryService
from agents.services.timeline import TimelineReader
from agents.services.world_edits import WorldEditor
from agents.services.world_exports import WorldExports
from agents.solo.grid_maps import GridMapEditor
from agents.story_outline import MainMode
from agents.views.conflict_views import RulingRequest
from agents.views.picture_views import EntityPicture
from agents.views.world_views import EntityEdit, FactEdit, NewEntityFields
from monitor_tui.compose import Program
from stores.authority import Store
from stores.embedded.migrations import COLLECTION_OF_TABLE
from stores.errors import InputError, MonitorError
from stores.outside_inbox import OutsideInbox
from stores.records.grid_maps import GridCell, GridMapEdit, Spot, Terrain
from stores.records.ids import Id, derive_id, utc_now
from stores.records.llm import Persona
from stores.records.outside import OutsideProposal, OutsideStatement
from stores.records.workflow import KindRule, Verdict
from stores.records.world import EntityKind
from tests.agents.ingest.reading_in import read_in, write_book
from tests.agents.orchestrator.scripted_program import Script, telling
from tests.examples import examples
from tests.picture_files import png_of

CONTAINERS = {"story_nodes", "scene_nodes"}
"""Stories and scenes are the Orchestrator's own: they say that something is played, not that it is true."""

CANON = sorted(
    t for t, (store, _) in COLLECTION_OF_TABLE.items() if store is Store.CANON and t not in CONTAINERS
)

COMMITS = {
    "commit",
    "commit_universe",
    "commit_trigger",
    "complete_story",
    "conflicts.make_ruling",
    "people.create_character",
    "ingest.commit",
}
"""Calls by which the GM has something written."""

FOUNDS = {
    "create_universe",
    "add_sample",
    "start_story",
    "branches.make_branch",
    "branches.make_branch_after",
    "branches.fork_story",
    "branches.edit_turn",
    "branches.rename_branch",
}
"""Calls that bring in a world, a branch of one or its name, or a story's own hero and place: what the GM has typed or
chosen whole."""

LINES = (
    "I wait.",
    "> The rain comes in.",
    "/fact Tom ally_of Ann",
    "/fact Tom enemy_of Ann",
    "/fact The well is deep",
    "/npc Tom: a stranger",
    "/npc Ann: the miller",
    "/place Crypt: dark",
    "/go Crypt",
    "/state Mara.hp -1",
    "/axiom The dead stay dead",
    "/roll 2d6",
    "? Is it night",
    "/time +2h",
    "/accept all",
    "/undecide all",
    "/proposals",
    "/court 1",
    "/rules",
    "/promises",
    "/fact promise: Mara owes Tom a coin",
    "/paid 1",
    "/fact promise: Mara feeds the gulls",
    "/broken Mara feeds",
    "/later",
)


@dataclass
class Play:
    """A library in play, and a hand that does things to it at random."""

    program: Program
    scene_id: Id
    dice: random.Random
    home: Path
    staged: list[Id] = field(default_factory=list)

    @property
    def services(self) -> Services:
        return self.program.services

    async def universe(self) -> Id:
        return (await self.services.play.scene(self.scene_id)).universe.id

    async def entity(self) -> Id:
        return self.dice.choice(await self.services.world.list_entities(await self.universe())).id

    async def fact(self) -> Id:
        facts = (await self.services.world.provenance.read_canon_at(await self.universe(), "always")).facts
        return self.dice.choice(facts).fact.id if facts else "none"

    async def proposal(self) -> Id:
        rows = [
            *(await self.services.play.scene(self.scene_id)).proposals,
            *(await self.services.gate.gate(None, await self.universe())).proposals,
        ]
        return self.dice.choice(rows).proposal.id if rows else "none"

    async def memory(self) -> Id:
        """Somebody's memory, once what was played is remembered."""
        await self.services.jobs.wait_until_idle()
        people = await self.services.characters.list_characters(await self.universe())
        known = [
            m
            for row in people
            for m in (await self.services.characters.read_character(row.entity.id)).memories
        ]
        return self.dice.choice(known).memory.id if known else "none"

    async def turn(self) -> Id:
        rows = await self.services.play.transcript(self.scene_id, 0, 50)
        return self.dice.choice(rows).turn.id if rows else "none"

    async def story(self) -> Id:
        return (await self.services.play.scene(self.scene_id)).story.id

    async def outside(self) -> OutsideProposal:
        """What a chat client proposes: a fact, also one that canon has or that would kill somebody."""
        text = self.dice.choice(["Tom is dead", "Tom ally_of Ann", "The tower leans"])
        return OutsideProposal(
            id=derive_id("outside", self.dice.random()),
            universe_id=await self.universe(),
            content=OutsideStatement(text=text),
            created_at=utc_now(),
        )

    async def source(self) -> Id:
        """A document of the universe, read in the first time."""
        universe_id = await self.universe()
        sources = (await self.services.ingest.list_sources(universe_id)).sources
        if sources:
            return self.dice.choice(sources).source.id
        (progress,) = await self.services.ingest.start(self.book(), universe_id)
        await read_in(self.program)
        return progress.source_id

    def book(self) -> str:
        return write_book(self.home, "# Tom\n\n**Tom** fears **Ann**. **Ann** owns the mill.\n")

    def picture(self) -> str:
        path = self.home / "picture.png"
        path.write_bytes(png_of(color=self.dice.choice(["red", "green"])))
        return str(path)

    async def attached_picture(self) -> EntityPicture:
        """A picture of somebody, if anybody has one."""
        pictures = (await self.services.pictures.list_pictures(await self.universe())).values()
        if not pictures:
            raise InputError("Nobody has a picture.")
        return self.dice.choice(list(pictures))

    async def source_proposal(self) -> Id:
        """Something that a document proposes, if anything is open."""
        source_id = await self.source()
        groups = (await self.services.ingest.read_review(source_id)).groups
        if not groups:
            return "none"
        rows = await self.services.ingest.read_rows(source_id, self.dice.choice(groups).key)
        return self.dice.choice(rows.rows).view.proposal.id

    async def ruling(self) -> RulingRequest:
        """A ruling on something that is held, if anything is."""
        rows = (await self.services.play.scene(self.scene_id)).proposals
        held = [r for r in rows if (r.conflicts or r.similar_matches) and r.status == "pending"]
        proposal_id = self.dice.choice(held).proposal.id if held else await self.proposal()
        cases = (await self.services.conflicts.read_conflicts(proposal_id)).conflicts
        if not cases:
            raise InputError("It meets nothing.")
        case = self.dice.choice(cases)
        way = self.dice.choice(case.options)
        choice = self.dice.choice(way.variants) if way.variants else None
        return RulingRequest(
            proposal_id,
            case.against,
            way.name,
            yielding=choice.yielding if choice else None,
            entity_id=choice.entity_id if choice else None,
            name=choice.suggested if choice else "",
            when=way.suggested,
        )


Call = Callable[[Play], Awaitable[object]]


async def move_on(play: Play) -> None:
    """Commit as the gate does; when that closes the scene, play goes on in the next."""
    report = await play.services.gate.commit(play.scene_id)
    play.scene_id = report.next_scene_id or play.scene_id


CALLS: dict[str, Call] = {
    # --- what commits -------------------------------------------------------------------------------
    "commit": move_on,
    "commit_universe": lambda p: _with(p.universe, p.services.gate.commit_universe),
    "commit_trigger": lambda p: p.services.gate.commit_trigger(p.scene_id),
    "conflicts.make_ruling": lambda p: _with(p.ruling, p.services.conflicts.make_ruling),
    "people.create_character": lambda p: _with(
        p.universe, lambda u: p.services.characters.create_character(u, "Ysolde")
    ),
    # --- what does not --------------------------------------------------------------------------------
    "find_scene_of_gate": lambda p: p.services.gate.find_scene_of_gate(p.scene_id),
    "recover": lambda p: p.services.stories.recover(),
    "enter": lambda p: p.services.stories.enter(MainMode.UNIVERSE),
    "leave": lambda p: p.services.stories.leave(),
    "menu": lambda p: p.services.stories.menu(),
    "read_main_state": lambda p: p.services.stories.read_main_state(),
    "count_waiting_prose": lambda p: p.services.stories.count_waiting_prose(),
    "universes": lambda p: p.services.stories.universes(),
    "systems": lambda p: p.services.stories.systems(),
    "sample_outline": lambda p: p.services.stories.sample_outline(),
    "characters": lambda p: _with(p.universe, p.services.stories.characters),
    "read_dead_ids": lambda p: _with(p.universe, p.services.stories.read_dead_ids),
    "places": lambda p: _with(p.universe, p.services.stories.places),
    "read_world_now": lambda p: _with(p.universe, p.services.stories.read_world_now),
    "stories": lambda p: p.services.stories.stories(),
    "draft_closure": lambda p: _with(p.story, p.services.stories.draft_closure),
    "resume": lambda p: _with(p.story, p.services.stories.resume),
    "suspend": lambda p: p.services.stories.suspend(),
    "scene": lambda p: p.services.play.scene(p.scene_id),
    "transcript": lambda p: p.services.play.transcript(p.scene_id, 0, 9),
    "previous_end": lambda p: p.services.play.previous_end(p.scene_id, 3),
    "export_story": lambda p: _with(p.story, p.services.stories.export_story),
    "write_story": lambda p: _with(p.story, lambda s: p.services.stories.write_story(s, StoryForm.EPUB)),
    "exports.export_vault": lambda p: _with(
        p.universe, lambda u: p.services.open_exports().export_vault(u, str(p.home / "vault"))
    ),
    "exports.export_wiki": lambda p: _with(
        p.universe, lambda u: p.services.open_exports().export_wiki(u, str(p.home / "wiki"))
    ),
    "exports.export_statblocks": lambda p: _with(p.universe, p.services.open_exports().export_statblocks),
    "exports.write_statblocks": lambda p: _with(p.universe, p.services.open_exports().write_statblocks),
    "exports.export_lorebook": lambda p: _with(p.universe, p.services.open_exports().export_lorebook),
    "exports.write_lorebook": lambda p: _with(p.universe, p.services.open_exports().write_lorebook),
    "exports.sync_vault": lambda p: _sync_edited_vault(p),
    "submit": lambda p: p.services.play.submit(p.scene_id, p.dice.choice(LINES)),
    "pass_time": lambda p: p.services.play.pass_time(p.scene_id, "+1h"),
    "alter_roll": lambda p: p.services.play.alter_roll(p.scene_id, "reroll", "1"),
    "rest": lambda p: p.services.play.rest(p.scene_id, ""),
    "sheet": lambda p: p.services.play.sheet(p.scene_id),
    "edit_sheet": lambda p: _sheet(p),
    "set_tension": lambda p: p.services.play.set_tension(p.scene_id, p.dice.randint(1, 9)),
    "check_start": lambda p: p.services.play.check_start(p.scene_id),
    "finish_track": lambda p: p.services.play.finish_track(p.scene_id, "1"),
    "undo": lambda p: p.services.play.undo(p.scene_id),
    "redo": lambda p: p.services.play.redo(p.scene_id),
    "read_last_narration": lambda p: p.services.play.read_last_narration(p.scene_id),
    "retake": lambda p: p.services.play.retake(p.scene_id, "Otherwise."),
    "walk_takes": lambda p: p.services.play.walk_takes(p.scene_id, 1),
    "branch": lambda p: _with(p.turn, lambda turn: p.services.play.branch(p.scene_id, turn)),
    "edit_turn": lambda p: _with(
        p.turn, lambda turn: p.services.play.edit_turn(p.scene_id, turn, "Otherwise.")
    ),
    "branches.read_map": lambda p: _with(p.universe, p.services.branches.read_map),
    "branches.compare": lambda p: _two_branches(p, p.services.branches.compare),
    "branches.merge": lambda p: _two_branches(p, p.services.branches.merge),
    "end_scene": lambda p: p.services.gate.end_scene(p.scene_id, "It is over"),
    "rename_scene": lambda p: p.services.gate.rename_scene(p.scene_id, "Another name"),
    "reopen_scene": lambda p: p.services.gate.reopen_scene(p.scene_id),
    "gate": lambda p: p.services.gate.gate(p.scene_id),
    "decide": lambda p: _with(
        p.proposal, lambda i: p.services.gate.decide([i], p.dice.choice([*Verdict, None]))
    ),
    "edit_text": lambda p: _with(p.proposal, lambda i: p.services.gate.edit_text(i, "Otherwise")),
    "set_knowers": lambda p: _with(
        p.proposal, lambda i: p.services.gate.set_knowers(i, p.dice.choice(["", "Tom, Ann", "all"]))
    ),
    "undo_last_decision": lambda p: _with(
        p.universe, lambda i: p.services.gate.undo_last_decision(p.scene_id, i)
    ),
    "drop_offer": lambda p: p.services.play.drop_offer(p.scene_id, "/time +1h"),
    "dismiss_trigger": lambda p: p.services.gate.dismiss_trigger(p.scene_id),
    "list_entities": lambda p: _with(p.universe, p.services.world.list_entities),
    "find_last_universe_id": lambda p: p.services.stories.find_last_universe_id(),
    "read_entity_name_index": lambda p: _with(p.universe, p.services.world.read_entity_name_index),
    "list_named_entities": lambda p: _with(p.universe, p.services.world.list_named_entities),
    "list_entity_names": lambda p: _with(p.universe, p.services.world.list_entity_names),
    "count_entities": lambda p: _with(p.universe, p.services.world.count_entities),
    "list_table_names": lambda p: _with(p.universe, p.services.world.list_table_names),
    "read_card": lambda p: _with(p.entity, p.services.world.read_card),
    "trace": lambda p: _with(p.turn, p.services.play.trace),
    "edits.propose_entity": lambda p: _with(
        p.universe,
        lambda u: p.services.world.edits.propose_entity(u, NewEntityFields(EntityKind.OBJECT, "Lamp")),
    ),
    "edits.propose_entity_edit": lambda p: _with(
        p.entity, lambda e: p.services.world.edits.propose_entity_edit(e, EntityEdit("Other name"))
    ),
    "edits.propose_lock": lambda p: _with(p.entity, lambda e: p.services.world.edits.propose_lock(e, True)),
    "edits.propose_fact": lambda p: _with(
        p.universe, lambda u: p.services.world.edits.propose_fact(u, "The tower leans")
    ),
    "edits.plan_entity": lambda p: _with(
        p.universe,
        lambda u: p.services.world.edits.plan_entity(u, NewEntityFields(EntityKind.OBJECT, "Lamp"), "lamp"),
    ),
    "edits.plan_typed_fact": lambda p: _with(
        p.universe, lambda u: p.services.world.edits.plan_typed_fact(u, "The tower leans")
    ),
    "outside.list_waiting": lambda p: _with(p.universe, p.services.outside.list_waiting),
    "outside.check": lambda p: _with(p.outside, p.services.outside.check),
    "outside.preview": lambda p: _with(p.outside, p.services.outside.preview),
    "outside.take_in": lambda p: _with(p.outside, lambda o: _take_in(p, o)),
    "edits.propose_axiom": lambda p: _with(
        p.universe, lambda u: p.services.world.edits.propose_axiom(u, "Salt burns")
    ),
    "edits.propose_correction": lambda p: _with(
        p.fact, lambda f: p.services.world.edits.propose_correction(f, FactEdit("It was otherwise."))
    ),
    "edits.propose_end": lambda p: _with(p.fact, p.services.world.edits.propose_end),
    "edits.propose_knowers": lambda p: _with(
        p.fact, lambda f: p.services.world.edits.propose_knowers(f, p.dice.choice(["", "Tom, Ann", "all"]))
    ),
    "edits.propose_retcon": lambda p: _with(p.fact, p.services.world.edits.propose_retcon),
    "edits.propose_merge": lambda p: _two(p, p.services.world.edits.propose_merge),
    "edits.propose_split": lambda p: _with(p.entity, p.services.world.edits.propose_split),
    "previews.count_waiting": lambda p: _with(p.universe, p.services.world.previews.count_waiting),
    "previews.list_proposed_entities": lambda p: _with(
        p.universe, p.services.world.previews.list_proposed_entities
    ),
    "previews.list_proposals_about": lambda p: _with(
        p.entity, p.services.world.previews.list_proposals_about
    ),
    "previews.preview_retcon": lambda p: _with(p.fact, p.services.world.previews.preview_retcon),
    "previews.find_lookalikes": lambda p: _with(p.universe, p.services.world.previews.find_lookalikes),
    "previews.preview_merge": lambda p: _two(p, p.services.world.previews.preview_merge),
    "previews.list_absorbed": lambda p: _with(p.entity, p.services.world.previews.list_absorbed),
    "record.read_evidence": lambda p: _with(p.fact, p.services.world.provenance.read_evidence),
    "record.read_fact_history": lambda p: _with(p.fact, p.services.world.provenance.read_fact_history),
    "record.read_canon_at": lambda p: _with(p.universe, p.services.world.provenance.read_canon_at),
    "record.read_removed_canon": lambda p: _with(p.universe, p.services.world.provenance.read_removed_canon),
    "relations.read_graph": lambda p: _with(p.universe, p.services.world.relation_graph.read_graph),
    "relations.export_graph": lambda p: _with(
        p.universe, lambda u: p.services.world.relation_graph.export_graph(u, MapSelection(is_whole=True))
    ),
    "relations.render_graph": lambda p: _with(
        p.universe,
        lambda u: p.services.world.relation_graph.render_graph(
            u, MapSelection(is_whole=True), p.dice.choice(list(GraphFormat))
        ),
    ),
    "maps.read_maps": lambda p: _with(p.universe, p.services.world.grid_maps.read_maps),
    "maps.bind_place": lambda p: _with(
        p.universe,
        lambda u: p.services.world.grid_maps.bind_place(u, "Loft", p.dice.choice([None, p.scene_id])),
    ),
    "maps.export_map": lambda p: _with(p.universe, lambda u: _export_map(p, u)),
    "maps.render_map": lambda p: _with(p.universe, lambda u: _render_map(p, u)),
    "maps.save_edit": lambda p: _with(p.universe, lambda u: _draw_map(p, u)),
    "maps.find_hero_step": lambda p: p.services.play.submit(p.scene_id, "/go east"),
    "charts.read_charts": lambda p: _with(p.universe, p.services.world.charts.read_charts),
    "timeline.read_lanes": lambda p: _with(p.universe, p.services.world.timeline.read_lanes),
    "timeline.find_first_turn": lambda p: p.services.world.timeline.find_first_turn(p.scene_id),
    "timeline.read_timeline": lambda p: _with(p.universe, p.services.world.timeline.read_timeline),
    "record.read_relations": lambda p: _with(p.entity, p.services.world.provenance.read_relations),
    "ledger.read_commitments": lambda p: _with(p.universe, p.services.world.commitments.read_commitments),
    "ledger.list_open_commitments": lambda p: _with(
        p.universe, p.services.world.commitments.list_open_commitments
    ),
    "ledger.propose_pay_off": lambda p: _with(p.fact, p.services.world.commitments.propose_pay_off),
    "conflicts.read_conflicts": lambda p: _with(p.proposal, p.services.conflicts.read_conflicts),
    "conflicts.preview_ruling": lambda p: _with(p.ruling, p.services.conflicts.preview_ruling),
    "conflicts.list_rulings": lambda p: _with(p.universe, p.services.conflicts.list_rulings),
    "policy.read_policy": lambda p: _with(p.universe, p.services.policy.read_policy),
    "policy.set_rule": lambda p: _with(
        p.universe, lambda u: p.services.policy.set_rule(u, "assert_fact", p.dice.choice(list(KindRule)))
    ),
    "policy.set_predicates": lambda p: _with(
        p.universe, lambda u: p.services.policy.set_predicates(u, "adores: {}")
    ),
    "recall.answer_question": lambda p: _with(
        p.universe, lambda u: p.services.query.answer_question("Who is Tom?", universe_id=u)
    ),
    "recall.recall_turns": lambda p: _with(
        p.universe, lambda u: p.services.query.recall_turns("Tom", universe_id=u)
    ),
    "recall.read_knowledge": lambda p: _with(
        p.universe, lambda u: p.services.query.read_knowledge("Tom", universe_id=u)
    ),
    "recall.search_words": lambda p: _with(
        p.universe, lambda u: p.services.query.search_words("Tom", universe_id=u)
    ),
    "recall.propose_statement": lambda p: _with(
        p.universe, lambda u: p.services.query.propose_statement(p.scene_id, u, "The mill burns")
    ),
    "people.list_characters": lambda p: _with(p.universe, p.services.characters.list_characters),
    "people.read_character": lambda p: _with(p.entity, p.services.characters.read_character),
    "people.find_who_knows": lambda p: _with(p.fact, p.services.characters.find_who_knows),
    "people.misremember": lambda p: _with(
        p.memory, lambda m: p.services.characters.misremember(m, "It snowed.")
    ),
    "narrate_again": lambda p: p.services.play.narrate_again(p.scene_id, "less gore"),
    "continue_narration": lambda p: p.services.play.continue_narration(p.scene_id),
    "suggest_actions": lambda p: p.services.play.suggest_actions(p.scene_id),
    "finish_narration": lambda p: p.services.play.finish_narration(p.scene_id),
    "model.start_process": lambda p: p.services.llm.start_process(),
    "model.suggest_story": lambda p: _with(p.universe, lambda u: p.services.llm.suggest_story(u, "a keeper")),
    "model.read_xray": lambda p: _with(p.turn, p.services.llm.read_xray),
    "model.read_bill": lambda p: p.services.llm.read_bill(),
    "model.read_story_cost": lambda p: _with(p.story, p.services.llm.read_story_cost),
    "model.read_setup": lambda p: p.services.llm.read_setup(),
    "model.set_share": lambda p: _with(p.universe, lambda u: p.services.llm.set_share(u, 2)),
    "model.list_prompts": lambda p: p.services.llm.list_prompts(),
    "model.set_budget": lambda p: _with(
        p.universe, lambda u: p.services.llm.set_budget("universe", 10**9, subject=u)
    ),
    "model.test_model": lambda p: p.services.llm.test_model(),
    "ingest.preview": lambda p: _with(p.universe, lambda u: p.services.ingest.preview(p.book(), u)),
    "ingest.start": lambda p: _with(p.universe, lambda u: p.services.ingest.start(p.book(), u)),
    "ingest.start_text": lambda p: _with(
        p.universe, lambda u: p.services.ingest.start_text("Notes", "The mill burned down.", u)
    ),
    "ingest.read_progress": lambda p: _with(p.universe, p.services.ingest.read_progress),
    "ingest.pause": lambda p: _with(p.source, p.services.ingest.pause),
    "ingest.resume": lambda p: _with(p.source, p.services.ingest.resume),
    "ingest.cancel": lambda p: _with(p.source, p.services.ingest.cancel),
    "ingest.enrich": lambda p: _with(p.source, p.services.ingest.enrich),
    "ingest.read_without_model": lambda p: _with(p.source, p.services.ingest.read_without_model),
    "ingest.export_page": lambda p: _with(p.source, lambda s: p.services.ingest.export_page(s, 1)),
    "ingest.list_sources": lambda p: _with(p.universe, p.services.ingest.list_sources),
    "ingest.search": lambda p: _with(p.source, lambda s: p.services.ingest.search(s, "mill")),
    "ingest.read_page": lambda p: _with(p.source, lambda s: p.services.ingest.read_page(s, 1)),
    "ingest.read_review": lambda p: _with(p.source, p.services.ingest.read_review),
    "ingest.find_acceptable": lambda p: _with(p.source, lambda s: p.services.ingest.find_acceptable(s, [""])),
    "ingest.find_undecided": lambda p: _with(p.source, lambda s: p.services.ingest.find_undecided(s, [""])),
    "ingest.undo_last_decision": lambda p: _with(p.source, p.services.ingest.undo_last_decision),
    "ingest.read_rows": lambda p: _with(p.source, lambda s: p.services.ingest.read_rows(s, "")),
    "ingest.decide": lambda p: _with(
        p.source_proposal, lambda i: p.services.ingest.decide([i], p.dice.choice([*Verdict, None]))
    ),
    "ingest.accept_named": lambda p: _with(p.source_proposal, lambda i: p.services.ingest.accept_named([i])),
    "ingest.decide_groups": lambda p: _with(
        p.source, lambda s: p.services.ingest.decide_groups(s, [""], Verdict.ACCEPT)
    ),
    "ingest.commit": lambda p: _with(p.source, p.services.ingest.commit),
    "ingest.preview_withdrawal": lambda p: _with(p.source, p.services.ingest.preview_withdrawal),
    "ingest.withdraw": lambda p: _with(p.source, p.services.ingest.withdraw),
    "ingest.preview_edition": lambda p: _with(
        p.source, lambda s: p.services.ingest.preview_edition(s, p.book())
    ),
    "ingest.ingest_edition": lambda p: _with(
        p.source, lambda s: p.services.ingest.ingest_edition(s, p.book())
    ),
    "ingest.read_page_picture": lambda p: _with(
        p.source, lambda s: p.services.ingest.read_page_picture(s, 1, 60, 60)
    ),
    "pictures.find_picture": lambda p: _with(p.entity, p.services.pictures.find_picture),
    "pictures.list_pictures": lambda p: _with(p.universe, p.services.pictures.list_pictures),
    "pictures.attach_picture": lambda p: _with(
        p.entity, lambda e: p.services.pictures.attach_picture(e, p.picture())
    ),
    "pictures.remove_picture": lambda p: _with(p.entity, p.services.pictures.remove_picture),
    "pictures.undo_picture": lambda p: _with(p.entity, p.services.pictures.undo_picture),
    "pictures.read_small": lambda p: _with(
        p.attached_picture, lambda one: p.services.pictures.read_small(one, 60, 60)
    ),
    "pictures.read_original": lambda p: _with(p.attached_picture, p.services.pictures.read_original),
    "policy.propose_undo": lambda p: _with(p.proposal, p.services.policy.propose_undo),
}

NOT_TRIED = FOUNDS | {"complete_story", "abandon", "story_record"}
"""Beginnings, and ends after which nothing is left to try."""

SETTINGS = {
    *("model.choose_model", "model.set_fallbacks", "model.set_persona", "model.set_key"),
    *("model.save_prompt", "model.reset_prompt", "model.set_others"),
}
"""What changes the user's settings and keyring, and stands in no library."""

TOLD = "Tom nods. A woman named Sister Ysolde has been waiting by the well."
RECORD = {
    "summary": "Ysolde waits.",
    "changes": [
        {
            "kind": "new",
            "subject": "Sister Ysolde",
            "object": "character",
            "quote": "A woman named Sister Ysolde",
            "weight": 90,
        }
    ],
}
SCRIPT: Script = {
    Persona.NARRATOR: TOLD,
    Persona.ARCHIVIST: json.dumps(RECORD),
    Persona.MONITOR: "{}",
    Persona.DIRECTOR: "- I wait.\n- I look around.",
    Persona.LIBRARIAN: "Tom is the keeper [1].",
}


async def _with(what: Callable[[], Awaitable[object]], call: Callable[..., Awaitable[object]]) -> object:
    return await call(await what())


async def _take_in(play: Play, outside: OutsideProposal) -> object:
    await OutsideInbox(play.home).add(outside)
    return await play.services.outside.take_in()


async def _two(play: Play, call: Callable[[Id, Id], Awaitable[object]]) -> object:
    return await call(await play.entity(), await play.entity())


async def _two_branches(play: Play, call: Callable[[Id, Id], Awaitable[object]]) -> object:
    """Call with the world that is played and another one, as if that were a branch."""
    universes = await play.services.stories.universes()
    return await call(await play.universe(), play.dice.choice(universes).id)


async def _sheet(play: Play) -> object:
    hero = (await play.services.play.scene(play.scene_id)).story.pc_id
    return await play.services.play.edit_sheet(play.scene_id, hero or "none", {"hp": 5}, {"weary": True})


async def _sync_edited_vault(play: Play) -> object:
    folder = play.home / "vault"
    exports = play.services.open_exports()
    await exports.export_vault(await play.universe(), str(folder))
    for note in (folder / "Characters").glob("*.md"):
        note.write_text(note.read_text().replace("## Facts", "## Facts\n- fears the tide"))
    return await exports.sync_vault(str(folder))


async def _draw_map(play: Play, universe_id: Id) -> GridMapEdit:
    """Begin a map that shows the place of the scene, with drawn cells around it."""
    editor, scene = play.services.world.grid_maps.editor, await play.services.play.scene(play.scene_id)
    cells = [
        GridCell(
            spot=Spot(column, 0), terrain=Terrain.WOOD, place_id=None if column else scene.scene.place_id
        )
        for column in range(3)
    ]
    edit = editor.build_edit(universe_id, None, "a map", outline=read_outline("Wood 3 x 1"), cells=cells)
    await editor.save_edit(edit)
    return edit


async def _export_map(play: Play, universe_id: Id) -> None:
    edit = await _draw_map(play, universe_id)
    await play.services.world.grid_maps.export_map(universe_id, edit.map_id)


async def _render_map(play: Play, universe_id: Id) -> None:
    await _draw_map(play, universe_id)
    await play.services.world.grid_maps.render_map(universe_id, "wood", play.dice.choice(list(GraphFormat)))


def canon_of(home: Path) -> str:
    """Return a digest of every row of canon, read by the SQLite that the stores use: a second one in this
    process would drop their locks, and what runs behind play reads meanwhile."""
    seen = hashlib.sha256()
    connection = apsw.Connection(str(home / "library.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        for name in CANON:
            for row in connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2"):
                seen.update(repr((name, row)).encode())
    finally:
        connection.close()
    return seen.hexdigest()


async def play_on(home: Path, names: list[str], seed: int) -> set[str]:
    """Make these calls; returns those in which canon changed."""
    changed = set[str]()
    async with telling(home, SCRIPT) as scripted:
        program = scripted.program
        play = Play(program, scripted.scene_id, random.Random(seed), home)
        for line in ("/npc Tom: the keeper", "/npc Ann: the miller", "/fact Tom ally_of Ann"):
            await program.services.play.submit(play.scene_id, line)
        await program.services.gate.commit(play.scene_id)
        for line in ("I wait.", "/fact Tom enemy_of Ann", "/npc Tom: another"):
            await program.services.play.submit(play.scene_id, line)
        before = canon_of(home)
        for name in names:
            # Most of what is tried at random makes no sense; it must still change nothing.
            with suppress(MonitorError):
                await CALLS[name](play)
            after = canon_of(home)
            if after != before:
                changed.add(name)
            before = after
    return changed


@pytest.mark.slow
@settings(
    max_examples=examples(12, 4),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(st.lists(st.sampled_from(sorted(CALLS)), min_size=25, max_size=60), st.integers(0, 2**16))
def test_canon_changes_only_in_calls_that_commit(names: list[str], seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        changed = asyncio.run(play_on(Path(folder), names, seed))
    assert changed <= COMMITS, "the gate alone writes canon"


@pytest.mark.slow
def test_gate_every_call_alone_and_a_commit_after_it() -> None:
    """Each call is made, none but commits write, and commits do: the test could not pass by doing nothing."""
    names = [name for pair in ((n, "commit") for n in sorted(CALLS) if n != "commit") for name in pair]
    lively = [*("conflicts.make_ruling",) * 3, *("submit",) * 6, *names]
    with tempfile.TemporaryDirectory() as folder:
        changed = asyncio.run(play_on(Path(folder), lively, seed=4))
    assert changed <= COMMITS
    assert {"commit", "conflicts.make_ruling"} <= changed


def test_gate_every_operation_of_the_services_is_tried() -> None:
    """Whoever adds an operation to a service has it tried here too."""

    def operations(service: type, prefix: str = "") -> set[str]:
        return {
            f"{prefix}{name}"
            for name, value in vars(service).items()
            if asyncio.iscoroutinefunction(value) and not name.startswith("_")
        }

    known = operations(PlayService) | operations(StoryService) | operations(GateService)
    known |= {
        "list_entities",
        "count_entities",
        "list_entity_names",
        "list_table_names",
        "read_card",
        "read_entity_name_index",
        "list_named_entities",
    }
    known |= operations(WorldEditor, "edits.") | operations(EditPreviews, "previews.")
    known |= (
        operations(TimelineReader, "timeline.")
        | operations(RelationGraphReader, "relations.")
        | operations(GridMapService, "maps.")
        | operations(GridMapEditor, "maps.")
        | operations(ChartReader, "charts.")
        | operations(ProvenanceReader, "record.")
        | operations(CommitmentService, "ledger.")
    )
    known |= (
        operations(ConflictService, "conflicts.")
        | operations(PolicyService, "policy.")
        | operations(LlmService, "model.")
        | operations(IngestService, "ingest.")
        | operations(PictureService, "pictures.")
    )
    known |= operations(BranchService, "branches.") | operations(OutsideProposalService, "outside.")
    known |= operations(WorldExports, "exports.")
    known |= operations(QueryService, "recall.") | operations(CharacterService, "people.")
    known -= {
        "record.locate_evidence",  # of one piece of evidence: read with the other record calls
        "record.describe_source",
        "edits.plan_fact",  # what a changed note of a vault comes to: tried as `exports.sync_vault`
        "edits.plan_correction",
    }
    assert known - NOT_TRIED - SETTINGS == set(CALLS)
