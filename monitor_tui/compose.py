"""The composition root: the only place that chooses adapters and hands each agent its narrow handles.

The program, the command line and the tests all build the desk here. Source: design/architecture.md.
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
from agents.context_assembly.agenda import Agendas
from agents.context_assembly.context import ContextAssembly
from agents.context_assembly.package import Packages
from agents.context_assembly.recall import Recollector
from agents.declarations.declarations import DeclarationService
from agents.events import EventBus, Notice
from agents.importers.import_runner import ImportRunner
from agents.importers.importer import Importer
from agents.indexer.port import Embedder
from agents.llm.budget import BudgetGuard
from agents.llm.cancellations import Cancellations
from agents.llm.child_client import ChildModel
from agents.llm.llm_settings import AppSettings
from agents.llm.model_calls import ModelCalls
from agents.llm.prompt_builder import Prompts
from agents.llm.provider_keys import ProviderKeys
from agents.memory_manager.knowledge import Knowledge
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
from agents.orchestrator.scene_views import SceneViewBuilder
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
from monitor_tui.behind import Behind, Work, behind
from monitor_tui.exports import export_universe
from monitor_tui.log_file import read_log_file
from monitor_tui.sample import sample_text
from monitor_tui.settings import read_settings
from monitor_tui.settings_file import SettingsFile
from stores.authority import Role
from stores.backup_kin import Kin
from stores.open import Stores, kinds_named, open_stores
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, IdMaker, SystemIds, utc_now

MenuNotes = Callable[[], tuple[str, ...]]


class Program(NamedTuple):
    """The Services, the stores it stands on (for archives), how to close all, and what runs behind it."""

    services: Services
    stores: Stores
    close: Callable[[], Awaitable[None]]
    behind: Behind | None = None


async def open_program(
    home: Path,
    *,
    clock: Clock = utc_now,
    ids: IdMaker | None = None,
    notes: MenuNotes = lambda: (),
    model: ModelProcess | None = None,
    house: AppSettings | None = None,
    work: Work = Work.NOTHING,
    embedder: Embedder | None = None,
) -> Program:
    """Open the library in `home` (made if absent) and build the desk on it; `notes` are for its menu, `work`
    is how much goes on behind it (with an `embedder`, if not the built-in one).

    The environment says which kind of stores (`kinds_named`), it and settings.toml which model (`house`, and
    LiteLLM in a child process if no other `model` is handed in). Raises `stores.errors.StoreError` kinds when
    the library cannot be opened; nothing stays open then.
    """
    stores = await open_stores(home, clock=clock, kinds=kinds_named(os.environ), environ=os.environ)
    try:
        held = house or read_settings(home)
        made = ids or SystemIds(clock)
        services, behind_play = compose_services(
            stores, home, clock, made, notes, model, held, work, embedder
        )
    except BaseException:
        await stores.close()
        raise

    async def close() -> None:
        await behind_play.close()
        await stores.close()

    return Program(services, stores, close, behind_play)


def compose(
    stores: Stores, home: Path, clock: Clock, ids: IdMaker, notes: MenuNotes = lambda: ()
) -> Services:
    """Build a desk without a model."""
    services, _ = compose_services(stores, home, clock, ids, notes, None, AppSettings())
    return services


def compose_services(
    stores: Stores,
    home: Path,
    clock: Clock,
    ids: IdMaker,
    notes: MenuNotes,
    model: ModelProcess | None,
    house: AppSettings,
    work: Work = Work.NOTHING,
    embedder: Embedder | None = None,
) -> tuple[Services, Behind]:
    """Build the agents, each with the handles that its row of the write matrix allows; returns what runs
    behind them, too: it is to be closed before the stores, and ends what they speak through."""
    events = EventBus()
    stores.listen(lambda change: events.publish(Notice(change.text, change.severity)))
    # One exchange, decision or commit at a time: two keys pressed quickly must not interleave.
    turnstile = asyncio.Lock()
    log = stores.log(Role.ORCHESTRATOR)
    canon = stores.canon(Role.ORCHESTRATOR)
    loops = LoopTransitions(log, clock, events)
    narrator = GmTurnWriter(stores.log(Role.NARRATOR))
    resolver = Resolver(stores.log(Role.RESOLVER), ids, clock)
    keeper = CanonKeeper(
        stores.canon(Role.CANON_KEEPER), stores.log(Role.CANON_KEEPER), load_catalogue(), ids, clock
    )
    predicates = keeper.policies.read_catalogue
    context = ContextAssembly(stores.canon(Role.CONTEXT_ASSEMBLY), stores.log(Role.CONTEXT_ASSEMBLY))
    shelf = cache(partial(random_tables, home))
    agendas = Agendas(canon)
    books = Books(log, context, loops, ids, clock, events)
    people = People(log, canon, context, agendas, books)
    chances = OracleDraws(canon, context, agendas, people, predicates, shelf)
    packs = cache(partial(rule_packs, home))
    rolls = RollService(context, resolver, predicates, chances, packs)
    prompts = cache(partial(persona_prompts, home))
    keys = ProviderKeys()
    speaks = model or ChildModel(keys_for(keys, lambda: houses.current))
    houses = Houses(SettingsFile(home), speaks, keys, prompts, events, current=house)
    purse = BudgetGuard(log, lambda: houses.current.budget, clock)
    stops = Cancellations()
    # What a model is asked and costs is the Narrator's to write down.
    calls = ModelCalls(
        speaks, stores.log(Role.NARRATOR), lambda: houses.current, prompts, purse, stops, clock, events
    )
    behind_play = behind(
        stores, house, speaks, purse, ids, clock, events, work, embedder, catalogue=predicates
    )
    recall = Recollector(
        stores.canon(Role.CONTEXT_ASSEMBLY),
        stores.log(Role.CONTEXT_ASSEMBLY),
        stores.words(Role.CONTEXT_ASSEMBLY),
        stores.vectors(Role.CONTEXT_ASSEMBLY),
        behind_play.meaning,
    )
    packages = Packages(canon, log, context, agendas, recall, clock)
    nodes = NarrationSteps(
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
    tellings = NarrationRunner(log, nodes.build_steps, engine(house.engine.backend, log, clock), loops)
    graph = ExchangePipeline(log, context, narrator, rolls, loops, tellings, clock, events)
    declarations = DeclarationService(context, resolver, predicates, ids, clock, events)
    line = Timeline(log, narrator, ids, clock, events)
    played_notes = Notes(log, ids, clock)
    table = PlayTable(
        DiceRequestService(rolls, line, graph, ids),
        Sheets(context, rolls, declarations),
        RestService(context, rolls, ids, clock),
        DepletionWatcher(context, rolls),
        Settings(log, packs),
        played_notes,
    )
    storyteller = Narration(
        calls, graph, line, context, packages, played_notes, lambda: houses.current.copilot, ids
    )
    stories = StoryLoop(log, canon, canon, keeper, resolver, loops, ids, clock)
    kept = bookkeeping(log, context, agendas, books, people, declarations, keeper, resolver, clock, events)
    views = SceneViewBuilder(log, canon, context, agendas, kept.start, keeper, loops)
    undone = UndoneCanonService(log, canon, resolver, clock, events)
    scenes = SceneLoop(
        log, canon, context, keeper, undone, declarations, stories, views, kept.end, loops, clock, events
    )
    atlas, transcript = Atlas(canon, log), TranscriptReader(log, canon)
    chronicle = Chronicle(log, canon, context, agendas, atlas, transcript)
    universe_gate = UniverseGate(log, canon, keeper, views, events)
    by_hand = ByHand(log, resolver, universe_gate, views, turnstile, ids, clock, events)
    ledger = Ledger(canon, log, keeper, context, atlas, views, declarations, by_hand, turnstile)
    world = WorldServices(
        canon,
        atlas,
        Edits(canon, log, keeper, by_hand, ids, clock),
        Previews(canon, log, keeper, atlas, views, universe_gate, by_hand),
        Annals(canon, log, keeper, atlas, clock),
        ledger,
        partial(export_universe, stores, home, clock),
    )
    court = Courtroom(
        canon,
        log,
        keeper,
        resolver,
        context,
        Statements(canon, atlas, world.record),
        turnstile,
        clock,
        events,
    )
    policy = HouseDesk(canon, log, keeper, resolver, court, by_hand, turnstile, clock, events)
    clerk = Clerk(court, policy, context, ledger)
    bills = Bills(log, canon, purse, clock)
    imagining = Imagining(calls, canon, ids)
    importer = Importer(
        stores.history,
        stores.log(Role.CONTEXT_ASSEMBLY),
        canon,
        stories.create_universe,
        stories.create_hero,
        turnstile,
        clock,
        events,
    )
    imports = ImportRunner(importer, read_log_file, events)
    portraits = Portraits(
        canon,
        log,
        behind_play.memories.misremember,
        Knowledge(canon, log, keeper.policies.read_catalogue),
        atlas,
        table.sheets,
        by_hand,
        universe_gate,
        turnstile,
        ids,
    )
    recollections = Recollections(
        canon,
        log,
        recall,
        Placing(canon, log, atlas, world.record, views),
        calls,
        keeper.policies.read_catalogue,
        GmsWord(declarations, world.edits, loops, turnstile).propose,
        ids,
    )
    models = Models(calls, stops, houses, Xrays(log), bills, log, keeper, turnstile, imagining)
    guard = SceneGuard(log, loops, graph, storyteller.refuse_while_narrating)
    triggers = CommitTriggers(log, scenes, loops, turnstile, events)
    play = PlayService(
        log=log,
        context=context,
        scenes=scenes,
        guard=guard,
        triggers=triggers,
        pipeline=graph,
        timeline=line,
        oracle_draws=chances,
        solo_tools=kept,
        play_table=table,
        views=views,
        narration=storyteller,
        transcript=transcript,
        commands=lambda: commands,
        session_lock=turnstile,
        ids=ids,
        events=events,
    )
    story_service = StoryService(
        canon=canon,
        keeper=keeper,
        resolver=resolver,
        context=context,
        session=SessionLoop(log, canon, keeper, scenes, graph, loops),
        stories=stories,
        pipeline=graph,
        play_table=table,
        story_record_reader=chronicle,
        startup_notes=lambda: (
            *stores.amiss(),
            *packs().notes,
            *shelf().notes,
            *map(str, shelf().errors),
            *(f"{file}: {why}" for file, why in prompts().rejected_files.items()),
            *notes(),
        ),
        load_sample=sample,
        read_health=stores.health,
        loops=loops,
        session_lock=turnstile,
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
        solo_tools=kept,
        views=views,
        universe_gate=universe_gate,
        session_lock=turnstile,
        clock=clock,
        events=events,
    )
    services = Services(
        play=play,
        stories=story_service,
        gate=gate,
        conflicts=court,
        policy=policy,
        world=world,
        characters=portraits,
        query=recollections,
        imports=imports,
        llm=models,
        jobs=behind_play.runner,
        events=events,
    )
    commands = CommandRegistry(
        services,
        declarations,
        turnstile,
        (
            *gate_commands(services, clerk, chronicle),
            *solo_commands(services, kept, turnstile),
            *dice_commands(services, table, turnstile),
            *model_commands(services, storyteller),
            *query_commands(services),
        ),
    )

    async def close() -> None:
        await imports.close()
        await behind_play.close()
        await speaks.close()

    return services, behind_play._replace(close=close)


def engine(backend: str, log: OrchestratorLog, clock: Clock) -> NarrationEngine:
    """Return what runs the turn graph; LangGraph is loaded with the first exchange that a model tells."""
    return PlainNarrationEngine(log, clock) if backend == "inmemory" else LazyLangGraphEngine(log, clock)


def persona_prompts(home: Path) -> Prompts:
    """Read the bundled prompts, and the user's own over them."""
    own = sorted((home / "prompts").glob("*.yaml"))
    return with_user_prompts(load_prompts(), {path.name: _text_of(path) for path in own})


def bookkeeping(
    log: OrchestratorLog,
    context: ContextAssembly,
    agendas: Agendas,
    books: Books,
    people: People,
    declarations: DeclarationService,
    keeper: CanonKeeper,
    resolver: Resolver,
    clock: Clock,
    events: EventBus,
) -> Bookkeeping:
    """Build what keeps a story going beside its line."""
    threads = Threads(books, agendas, declarations, keeper, clock)
    clocks, tensions = Clocks(books, agendas, declarations), Tensions(log)
    return Bookkeeping(
        context=context,
        books=books,
        threads=threads,
        clocks=clocks,
        people=people,
        tensions=tensions,
        start=SceneStartRules(log),
        end=SceneEndActions(log, agendas, tensions, resolver, clock, events),
        zero=SessionZero(books, agendas, threads, clocks, declarations),
    )


def kins() -> tuple[Kin, ...]:
    """What a restore has to know of derived identifiers that only agents can read."""
    return (partial(derive_statement_keys, load_catalogue()),)


def random_tables(home: Path) -> TableLibrary:
    """Read the bundled tables, and the user's own over them."""
    return read_tables(sorted((home / "tables").glob("*.yaml")), bundled_tables())


def rule_packs(home: Path) -> PackLibrary:
    """Read the bundled rule packs, and the user's own over them."""
    own = sorted((home / "systems").glob("*.yaml"))
    return add_user_packs(load_bundled_packs(), {path.name: _text_of(path) for path in own})


def _text_of(path: Path) -> str:
    """Read a pack; one that cannot be read has no text, and is refused by name like any bad one."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def sample() -> WorldSeed:
    """Read the bundled universe."""
    return read_seed(sample_text())
