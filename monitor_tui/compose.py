"""The composition root: the only place that chooses adapters and hands each agent its narrow handles.

The program, the command line and the tests all build the desk here.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from agents.canon_keeper.conflicts.precedent_keys import derive_statement_keys
from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.predicates import load_catalogue
from agents.context_assembly.context_package import ContextPackageBuilder
from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.declarations.declarations import DeclarationService
from agents.events import EventBus, Notice
from agents.importers.import_runner import ImportRunner
from agents.importers.importer import Importer
from agents.indexer.embedding_port import Embedder
from agents.llm.budget import BudgetGuard
from agents.llm.cancellations import Cancellations
from agents.llm.child_client import ChildModel
from agents.llm.llm_settings import AppSettings
from agents.llm.model_calls import ModelCalls
from agents.llm.prompt_builder import Prompts
from agents.llm.provider_keys import ProviderKeys
from agents.memory_manager.fact_knowledge import KnowledgeReader
from agents.narrator.change_extraction import ChangeExtractor
from agents.narrator.gm_turn_writer import GmTurnWriter
from agents.orchestrator.commands.dice_commands import dice_commands
from agents.orchestrator.commands.gate_commands import gate_commands
from agents.orchestrator.commands.model_commands import model_commands
from agents.orchestrator.commands.query_commands import query_commands
from agents.orchestrator.commands.registry import CommandRegistry
from agents.orchestrator.commands.solo_commands import solo_commands
from agents.orchestrator.commit_triggers import CommitTriggers
from agents.orchestrator.dice_requests import DiceRequestService
from agents.orchestrator.exchange_pipeline import ExchangePipeline
from agents.orchestrator.loops import LoopTransitions
from agents.orchestrator.narration.inputs import NarrationInputLoader
from agents.orchestrator.narration.narration import Narration
from agents.orchestrator.narration.runner import (
    LazyLangGraphEngine,
    NarrationEngine,
    NarrationRunner,
    PlainNarrationEngine,
)
from agents.orchestrator.narration.steps import NarrationSteps
from agents.orchestrator.rests import RestService
from agents.orchestrator.rolls import RollService
from agents.orchestrator.scene_guard import SceneGuard
from agents.orchestrator.scene_loop import SceneLoop
from agents.orchestrator.session import SessionLoop
from agents.orchestrator.story_loop import StoryLoop
from agents.orchestrator.timeline import Timeline
from agents.orchestrator.undone_canon import UndoneCanonService
from agents.personas.persona_set import Personas
from agents.personas.prompt_files import load_prompts, with_user_prompts
from agents.resolver.random_tables import TableLibrary
from agents.resolver.resolver import Resolver
from agents.resolver.rulesets import PackLibrary, add_user_packs, load_bundled_packs
from agents.resolver.table_files import bundled_tables, read_tables
from agents.search.hybrid_search import HybridSearch
from agents.services.bill import Bills
from agents.services.characters import Portraits
from agents.services.commitment_ledger import Ledger
from agents.services.conflict_commands import Clerk
from agents.services.conflict_statements import Statements
from agents.services.conflicts import Courtroom
from agents.services.edit_previews import Previews
from agents.services.entity_cards import Atlas
from agents.services.gate import GateService
from agents.services.llm import Models
from agents.services.llm_setup import Houses, ModelProcess, keys_for
from agents.services.manual_edits import ByHand
from agents.services.play import PlayService
from agents.services.policy import HouseDesk
from agents.services.propose_fact import GmsWord
from agents.services.provenance import Annals
from agents.services.query import Recollections
from agents.services.result_formatter import Placing
from agents.services.scene_views import SceneViewBuilder
from agents.services.services import Services
from agents.services.stories import StoryService
from agents.services.story_ideas import Imagining
from agents.services.story_record import Chronicle
from agents.services.transcript_rows import TranscriptReader
from agents.services.universe_gate import UniverseGate
from agents.services.world import WorldServices
from agents.services.world_edits import Edits
from agents.services.world_import import WorldSeed, read_seed
from agents.services.xray import Xrays
from agents.solo.character_sheets import Sheets
from agents.solo.depletion import DepletionWatcher
from agents.solo.notes import Notes
from agents.solo.npcs import People
from agents.solo.oracle_draws import OracleDraws
from agents.solo.play_table import PlayTable
from agents.solo.scene_end import SceneEndActions
from agents.solo.scene_start import SceneStartRules
from agents.solo.session_zero import SessionZero
from agents.solo.solo_tools import Bookkeeping
from agents.solo.story_clocks import Clocks
from agents.solo.story_journal import Books
from agents.solo.story_settings import Settings
from agents.solo.story_threads import Threads
from agents.solo.tension import Tensions
from monitor_tui.background_jobs import BackgroundJobs, BackgroundMode, build_background_jobs
from monitor_tui.campaign_exports import export_universe
from monitor_tui.import_file import read_log_file
from monitor_tui.sample import sample_text
from monitor_tui.settings import read_settings
from monitor_tui.settings_file import SettingsFile
from stores.authority import Role
from stores.backup.derived_ids import Kin
from stores.open import Stores, open_stores, read_store_kinds
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, IdGenerator, SystemIdGenerator, utc_now

ReadMenuNotes = Callable[[], tuple[str, ...]]


class Program(NamedTuple):
    """The Services, the stores it stands on (for archives), how to close all, and what runs behind it."""

    services: Services
    stores: Stores
    close: Callable[[], Awaitable[None]]
    background_jobs: BackgroundJobs | None = None


async def open_program(
    home: Path,
    *,
    clock: Clock = utc_now,
    ids: IdGenerator | None = None,
    notes: ReadMenuNotes = lambda: (),
    model: ModelProcess | None = None,
    settings: AppSettings | None = None,
    mode: BackgroundMode = BackgroundMode.OFF,
    embedder: Embedder | None = None,
) -> Program:
    """Open the library in `home` (made if absent) and build the desk on it; `notes` are for its menu, `work`
    is how much goes on behind it (with an `embedder`, if not the built-in one).

    The environment says which kind of stores (`kinds_named`), it and settings.toml which model (`house`, and
    LiteLLM in a child process if no other `model` is handed in). Raises `stores.errors.StoreError` kinds when
    the library cannot be opened; nothing stays open then.
    """
    stores = await open_stores(home, clock=clock, kinds=read_store_kinds(os.environ), environ=os.environ)
    try:
        app_settings = settings or read_settings(home)
        id_maker = ids or SystemIdGenerator(clock)
        services, background_jobs = compose_services(
            stores, home, clock, id_maker, notes, model, app_settings, mode, embedder
        )
    except BaseException:
        await stores.close()
        raise

    async def close() -> None:
        await background_jobs.close()
        await stores.close()

    return Program(services, stores, close, background_jobs)


def compose(
    stores: Stores, home: Path, clock: Clock, ids: IdGenerator, notes: ReadMenuNotes = lambda: ()
) -> Services:
    """Build a desk without a model."""
    services, _ = compose_services(stores, home, clock, ids, notes, None, AppSettings())
    return services


def compose_services(
    stores: Stores,
    home: Path,
    clock: Clock,
    ids: IdGenerator,
    notes: ReadMenuNotes,
    model: ModelProcess | None,
    settings: AppSettings,
    mode: BackgroundMode = BackgroundMode.OFF,
    embedder: Embedder | None = None,
) -> tuple[Services, BackgroundJobs]:
    """Build the agents, each with the handles that its row of the write matrix allows; returns what runs
    behind them, too: it is to be closed before the stores, and ends what they speak through."""
    events = EventBus()
    stores.add_notice_listener(lambda change: events.publish(Notice(change.text, change.severity)))
    # One exchange, decision or commit at a time: two keys pressed quickly must not interleave.
    session_lock = asyncio.Lock()
    log = stores.log(Role.ORCHESTRATOR)
    canon = stores.canon(Role.ORCHESTRATOR)
    loops = LoopTransitions(log, clock, events)
    narrator = GmTurnWriter(stores.log(Role.NARRATOR))
    resolver = Resolver(stores.log(Role.RESOLVER), ids, clock)
    keeper = CanonKeeper(
        stores.canon(Role.CANON_KEEPER), stores.log(Role.CANON_KEEPER), load_catalogue(), ids, clock
    )
    predicates = keeper.policies.read_catalogue
    context = SceneContextLoader(stores.canon(Role.CONTEXT_ASSEMBLY), stores.log(Role.CONTEXT_ASSEMBLY))
    read_tables_once = cache(partial(load_random_tables, home))
    agendas = StoryAgendaReader(canon)
    story_journal = Books(log, context, loops, ids, clock, events)
    people = People(log, canon, context, agendas, story_journal)
    chances = OracleDraws(canon, context, agendas, people, predicates, read_tables_once)
    packs = cache(partial(load_rule_packs, home))
    rolls = RollService(context, resolver, predicates, chances, packs)
    prompts = cache(partial(load_persona_prompts, home))
    keys = ProviderKeys()
    model_process = model or ChildModel(keys_for(keys, lambda: llm_setup.current))
    llm_setup = Houses(SettingsFile(home), model_process, keys, prompts, events, current=settings)
    budget_guard = BudgetGuard(log, lambda: llm_setup.current.budget, clock)
    cancellations = Cancellations()
    # What a model is asked and costs is the Narrator's to write down.
    calls = ModelCalls(
        model_process,
        stores.log(Role.NARRATOR),
        lambda: llm_setup.current,
        prompts,
        budget_guard,
        cancellations,
        clock,
        events,
    )
    background_jobs = build_background_jobs(
        stores,
        settings,
        model_process,
        budget_guard,
        ids,
        clock,
        events,
        mode,
        embedder,
        catalogue=predicates,
    )
    hybrid_search = HybridSearch(
        stores.canon(Role.CONTEXT_ASSEMBLY),
        stores.log(Role.CONTEXT_ASSEMBLY),
        stores.words(Role.CONTEXT_ASSEMBLY),
        stores.vectors(Role.CONTEXT_ASSEMBLY),
        background_jobs.question_vectors,
    )
    packages = ContextPackageBuilder(canon, log, context, agendas, hybrid_search, clock)
    narration_steps = NarrationSteps(
        NarrationInputLoader(log, context, packages, clock),
        Personas.create(calls),
        narrator,
        ChangeExtractor(canon),
        rolls,
        stores.log(Role.MEMORY_MANAGER),
        predicates,
        clock,
        events,
    )
    narration_runner = NarrationRunner(
        log, narration_steps.build_steps, build_narration_engine(settings.engine.backend, log, clock), loops
    )
    pipeline = ExchangePipeline(log, context, narrator, rolls, loops, narration_runner, clock, events)
    declarations = DeclarationService(context, resolver, predicates, ids, clock, events)
    timeline = Timeline(log, narrator, ids, clock, events)
    play_notes = Notes(log, ids, clock)
    play_table = PlayTable(
        DiceRequestService(rolls, timeline, pipeline, ids),
        Sheets(context, rolls, declarations),
        RestService(context, rolls, ids, clock),
        DepletionWatcher(context, rolls),
        Settings(log, packs),
        play_notes,
    )
    narration = Narration(
        calls, pipeline, timeline, context, packages, play_notes, lambda: llm_setup.current.copilot, ids
    )
    stories = StoryLoop(log, canon, canon, keeper, resolver, loops, ids, clock)
    solo_tools = build_solo_tools(
        log, context, agendas, story_journal, people, declarations, keeper, resolver, clock, events
    )
    views = SceneViewBuilder(log, canon, context, agendas, solo_tools.start, keeper, loops)
    undone_canon = UndoneCanonService(log, canon, resolver, clock, events)
    scenes = SceneLoop(
        log,
        canon,
        context,
        keeper,
        undone_canon,
        declarations,
        stories,
        views,
        solo_tools.end,
        loops,
        clock,
        events,
    )
    entity_cards, transcript = Atlas(canon, log), TranscriptReader(log, canon)
    story_record_reader = Chronicle(log, canon, context, agendas, entity_cards, transcript)
    universe_gate = UniverseGate(log, canon, keeper, views, events)
    manual_edits = ByHand(log, resolver, universe_gate, views, session_lock, ids, clock, events)
    commitments = Ledger(
        canon, log, keeper, context, entity_cards, views, declarations, manual_edits, session_lock
    )
    world = WorldServices(
        canon,
        entity_cards,
        Edits(canon, log, keeper, manual_edits, ids, clock),
        Previews(canon, log, keeper, entity_cards, views, universe_gate, manual_edits),
        Annals(canon, log, keeper, entity_cards, clock),
        commitments,
        partial(export_universe, stores, home, clock),
    )
    conflicts = Courtroom(
        canon,
        log,
        keeper,
        resolver,
        context,
        Statements(canon, entity_cards, world.record),
        session_lock,
        clock,
        events,
    )
    policy = HouseDesk(canon, log, keeper, resolver, conflicts, manual_edits, session_lock, clock, events)
    conflict_commands = Clerk(conflicts, policy, context, commitments)
    bills = Bills(log, canon, budget_guard, clock)
    story_ideas = Imagining(calls, canon, ids)
    importer = Importer(
        stores.history,
        stores.log(Role.CONTEXT_ASSEMBLY),
        canon,
        stories.create_universe,
        stories.create_hero,
        session_lock,
        clock,
        events,
    )
    imports = ImportRunner(importer, read_log_file, events)
    character_service = Portraits(
        canon,
        log,
        background_jobs.memories.misremember,
        KnowledgeReader(canon, log, keeper.policies.read_catalogue),
        entity_cards,
        play_table.sheets,
        manual_edits,
        universe_gate,
        session_lock,
        ids,
    )
    query_service = Recollections(
        canon,
        log,
        hybrid_search,
        Placing(canon, log, entity_cards, world.record, views),
        calls,
        keeper.policies.read_catalogue,
        GmsWord(declarations, world.edits, loops, session_lock).propose,
        ids,
    )
    models = Models(
        calls, cancellations, llm_setup, Xrays(log), bills, log, keeper, session_lock, story_ideas
    )
    guard = SceneGuard(log, loops, pipeline, narration.refuse_while_narrating)
    triggers = CommitTriggers(log, scenes, loops, session_lock, events)
    play = PlayService(
        log=log,
        context=context,
        scenes=scenes,
        guard=guard,
        triggers=triggers,
        pipeline=pipeline,
        timeline=timeline,
        oracle_draws=chances,
        solo_tools=solo_tools,
        play_table=play_table,
        views=views,
        narration=narration,
        transcript=transcript,
        commands=lambda: commands,
        session_lock=session_lock,
        ids=ids,
        events=events,
    )
    story_service = StoryService(
        canon=canon,
        keeper=keeper,
        resolver=resolver,
        context=context,
        session=SessionLoop(log, canon, keeper, scenes, pipeline, loops),
        stories=stories,
        pipeline=pipeline,
        play_table=play_table,
        story_record_reader=story_record_reader,
        startup_notes=lambda: (
            *stores.current_problems(),
            *packs().notes,
            *read_tables_once().notes,
            *map(str, read_tables_once().errors),
            *(f"{file}: {why}" for file, why in prompts().rejected_files.items()),
            *notes(),
        ),
        load_sample=load_sample,
        read_health=stores.health,
        loops=loops,
        session_lock=session_lock,
        ids=ids,
        clock=clock,
        events=events,
    )
    gate = GateService(
        log=log,
        canon=canon,
        keeper=keeper,
        context=context,
        scenes=scenes,
        guard=guard,
        triggers=triggers,
        solo_tools=solo_tools,
        views=views,
        universe_gate=universe_gate,
        session_lock=session_lock,
        clock=clock,
        events=events,
    )
    services = Services(
        play=play,
        stories=story_service,
        gate=gate,
        conflicts=conflicts,
        policy=policy,
        world=world,
        characters=character_service,
        query=query_service,
        imports=imports,
        llm=models,
        jobs=background_jobs.runner,
        events=events,
    )
    commands = CommandRegistry(
        services,
        declarations,
        session_lock,
        (
            *gate_commands(services, conflict_commands, story_record_reader),
            *solo_commands(services, solo_tools, session_lock),
            *dice_commands(services, play_table, session_lock),
            *model_commands(services, narration),
            *query_commands(services),
        ),
    )

    async def close() -> None:
        await imports.close()
        await background_jobs.close()
        await model_process.close()

    return services, background_jobs._replace(close=close)


def build_narration_engine(backend: str, log: OrchestratorLog, clock: Clock) -> NarrationEngine:
    """Return what runs the turn graph; LangGraph is loaded with the first exchange that a model tells."""
    return PlainNarrationEngine(log, clock) if backend == "inmemory" else LazyLangGraphEngine(log, clock)


def load_persona_prompts(home: Path) -> Prompts:
    """Read the bundled prompts, and the user's own over them."""
    own = sorted((home / "prompts").glob("*.yaml"))
    return with_user_prompts(load_prompts(), {path.name: _read_text(path) for path in own})


def build_solo_tools(
    log: OrchestratorLog,
    context: SceneContextLoader,
    agendas: StoryAgendaReader,
    story_journal: Books,
    people: People,
    declarations: DeclarationService,
    keeper: CanonKeeper,
    resolver: Resolver,
    clock: Clock,
    events: EventBus,
) -> Bookkeeping:
    """Build what keeps a story going beside its line."""
    threads = Threads(story_journal, agendas, declarations, keeper, clock)
    clocks, tensions = Clocks(story_journal, agendas, declarations), Tensions(log)
    return Bookkeeping(
        context=context,
        books=story_journal,
        threads=threads,
        clocks=clocks,
        people=people,
        tensions=tensions,
        start=SceneStartRules(log),
        end=SceneEndActions(log, agendas, tensions, resolver, clock, events),
        zero=SessionZero(story_journal, agendas, threads, clocks, declarations),
    )


def derived_id_readers() -> tuple[Kin, ...]:
    """What a restore has to know of derived identifiers that only agents can read."""
    return (partial(derive_statement_keys, load_catalogue()),)


def load_random_tables(home: Path) -> TableLibrary:
    """Read the bundled tables, and the user's own over them."""
    return read_tables(sorted((home / "tables").glob("*.yaml")), bundled_tables())


def load_rule_packs(home: Path) -> PackLibrary:
    """Read the bundled rule packs, and the user's own over them."""
    own = sorted((home / "systems").glob("*.yaml"))
    return add_user_packs(load_bundled_packs(), {path.name: _read_text(path) for path in own})


def _read_text(path: Path) -> str:
    """Read a pack; one that cannot be read has no text, and is refused by name like any bad one."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def load_sample() -> WorldSeed:
    """Read the bundled universe."""
    return read_seed(sample_text())
