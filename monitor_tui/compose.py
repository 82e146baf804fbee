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

from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.kinship import sides
from agents.canon_keeper.predicates import load_catalogue
from agents.context_assembly.agenda import Agendas
from agents.context_assembly.context import ContextAssembly
from agents.context_assembly.package import Packages
from agents.context_assembly.recall import Recollector
from agents.importing.importer import Importer
from agents.importing.imports import Imports
from agents.indexer.port import Embedder
from agents.memory_manager.knowledge import Knowledge
from agents.messages import EventBus, Notice
from agents.model.calls import ModelCalls
from agents.model.client import ChildModel
from agents.model.keys import Keys
from agents.model.prompt_files import load_prompts, with_user_prompts
from agents.model.prompts import Prompts
from agents.model.purse import Purse
from agents.model.settings import HouseSettings
from agents.model.stops import Stops
from agents.narrator.extract import Extraction
from agents.narrator.narrator import Narrator
from agents.orchestrator.annals import Annals
from agents.orchestrator.atlas import Atlas
from agents.orchestrator.bill import Bills
from agents.orchestrator.bookkeeping import Bookkeeping
from agents.orchestrator.books import Books
from agents.orchestrator.by_hand import ByHand
from agents.orchestrator.chances import Chances
from agents.orchestrator.chronicle import Chronicle
from agents.orchestrator.clerk import Clerk
from agents.orchestrator.clerk_commands import clerk_commands
from agents.orchestrator.clocks import Clocks
from agents.orchestrator.commands import Commands
from agents.orchestrator.commit_triggers import CommitTriggers
from agents.orchestrator.courtroom import Courtroom
from agents.orchestrator.declarations import Declarations
from agents.orchestrator.dicing import Dicing
from agents.orchestrator.found import Placing
from agents.orchestrator.founding import WorldSeed, read_seed
from agents.orchestrator.gms_word import GmsWord
from agents.orchestrator.ground import Grounds
from agents.orchestrator.house_desk import HouseDesk
from agents.orchestrator.imagining import Imagining
from agents.orchestrator.ledger import Ledger
from agents.orchestrator.line import Line
from agents.orchestrator.loops import Loops
from agents.orchestrator.model_commands import model_commands
from agents.orchestrator.model_house import Houses, Speaker, keys_for
from agents.orchestrator.models import Models
from agents.orchestrator.notes import Notes
from agents.orchestrator.people import People
from agents.orchestrator.portraits import Portraits
from agents.orchestrator.recall_commands import recall_commands
from agents.orchestrator.recollection import Recollections
from agents.orchestrator.rests import Rests
from agents.orchestrator.rolls import Rolls
from agents.orchestrator.running_out import RunningOut
from agents.orchestrator.scene import SceneLoop
from agents.orchestrator.scene_end import SceneEnd
from agents.orchestrator.scene_guard import SceneGuard
from agents.orchestrator.scene_start import SceneStart
from agents.orchestrator.scene_views import SceneViews
from agents.orchestrator.session import Session
from agents.orchestrator.session_zero import SessionZero
from agents.orchestrator.settings import Settings
from agents.orchestrator.sheets import Sheets
from agents.orchestrator.statements import Statements
from agents.orchestrator.story import StoryLoop
from agents.orchestrator.story_commands import story_commands
from agents.orchestrator.storyteller import Storyteller
from agents.orchestrator.table import PlayTable
from agents.orchestrator.table_commands import table_commands
from agents.orchestrator.telling import Engine, LazyLangGraph, PlainEngine, Tellings
from agents.orchestrator.tension import Tensions
from agents.orchestrator.threads import Threads
from agents.orchestrator.transcript import Transcript
from agents.orchestrator.turn_graph import TurnGraph
from agents.orchestrator.turn_nodes import TurnNodes
from agents.orchestrator.undone import Undone
from agents.orchestrator.universe_gate import UniverseGate
from agents.orchestrator.world_desk import WorldServices
from agents.orchestrator.world_edits import Edits
from agents.orchestrator.world_previews import Previews
from agents.orchestrator.xray import Xrays
from agents.personas.cast import Personas
from agents.resolver.random_tables import Shelf
from agents.resolver.resolver import Resolver
from agents.resolver.rulesets import Library, bundled, with_user_packs
from agents.resolver.table_files import bundled_tables, read_tables
from agents.services.gate import GateService
from agents.services.play import PlayService
from agents.services.services import Services
from agents.services.stories import StoryService
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
    model: Speaker | None = None,
    house: HouseSettings | None = None,
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
    services, _ = compose_services(stores, home, clock, ids, notes, None, HouseSettings())
    return services


def compose_services(
    stores: Stores,
    home: Path,
    clock: Clock,
    ids: IdMaker,
    notes: MenuNotes,
    model: Speaker | None,
    house: HouseSettings,
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
    loops = Loops(log, clock, events)
    narrator = Narrator(stores.log(Role.NARRATOR))
    resolver = Resolver(stores.log(Role.RESOLVER), ids, clock)
    keeper = CanonKeeper(
        stores.canon(Role.CANON_KEEPER), stores.log(Role.CANON_KEEPER), load_catalogue(), ids, clock
    )
    predicates = keeper.houses.catalogue
    context = ContextAssembly(stores.canon(Role.CONTEXT_ASSEMBLY), stores.log(Role.CONTEXT_ASSEMBLY))
    shelf = cache(partial(random_tables, home))
    agendas = Agendas(canon)
    books = Books(log, context, loops, ids, clock, events)
    people = People(log, canon, context, agendas, books)
    chances = Chances(canon, context, agendas, people, predicates, shelf)
    packs = cache(partial(rule_packs, home))
    rolls = Rolls(context, resolver, predicates, chances, packs)
    prompts = cache(partial(persona_prompts, home))
    keys = Keys()
    speaks = model or ChildModel(keys_for(keys, lambda: houses.current))
    houses = Houses(SettingsFile(home), speaks, keys, prompts, events, current=house)
    purse = Purse(log, lambda: houses.current.budget, clock)
    stops = Stops()
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
    nodes = TurnNodes(
        Grounds(log, context, packages, clock),
        Personas.by(calls),
        narrator,
        Extraction(canon),
        rolls,
        stores.log(Role.MEMORY_MANAGER),
        predicates,
        clock,
        events,
    )
    tellings = Tellings(log, nodes.nodes, engine(house.engine.backend, log, clock), loops)
    graph = TurnGraph(log, context, narrator, rolls, loops, tellings, clock, events)
    declarations = Declarations(context, resolver, predicates, ids, clock, events)
    line = Line(log, narrator, ids, clock, events)
    played_notes = Notes(log, ids, clock)
    table = PlayTable(
        Dicing(rolls, line, graph, ids),
        Sheets(context, rolls, declarations),
        Rests(context, rolls, ids, clock),
        RunningOut(context, rolls),
        Settings(log, packs),
        played_notes,
    )
    storyteller = Storyteller(
        calls, graph, line, context, packages, played_notes, lambda: houses.current.copilot, ids
    )
    stories = StoryLoop(log, canon, canon, keeper, resolver, loops, ids, clock)
    kept = bookkeeping(log, context, agendas, books, people, declarations, keeper, resolver, clock, events)
    views = SceneViews(log, canon, context, agendas, kept.start, keeper, loops)
    undone = Undone(log, canon, resolver, clock, events)
    scenes = SceneLoop(
        log, canon, context, keeper, undone, declarations, stories, views, kept.end, loops, clock, events
    )
    atlas, transcript = Atlas(canon, log), Transcript(log, canon)
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
        stories.new_hero,
        turnstile,
        clock,
        events,
    )
    imports = Imports(importer, read_log_file, events)
    portraits = Portraits(
        canon,
        log,
        behind_play.memories.misremember,
        Knowledge(canon, log, keeper.houses.catalogue),
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
        keeper.houses.catalogue,
        GmsWord(declarations, world.edits, loops, turnstile).propose,
        ids,
    )
    models = Models(calls, stops, houses, Xrays(log), bills, log, keeper, turnstile, imagining)
    guard = SceneGuard(log, loops, graph, storyteller.refuse_while_telling)
    triggers = CommitTriggers(log, scenes, loops, turnstile, events)
    play = PlayService(
        log=log,
        context=context,
        scenes=scenes,
        guard=guard,
        triggers=triggers,
        graph=graph,
        line=line,
        chances=chances,
        kept=kept,
        table=table,
        views=views,
        storyteller=storyteller,
        transcript=transcript,
        commands=lambda: commands,
        turnstile=turnstile,
        ids=ids,
        events=events,
    )
    story_service = StoryService(
        canon=canon,
        keeper=keeper,
        resolver=resolver,
        context=context,
        session=Session(log, canon, keeper, scenes, graph, loops),
        stories=stories,
        graph=graph,
        table=table,
        chronicle=chronicle,
        startup_notes=lambda: (
            *stores.amiss(),
            *packs().notes,
            *shelf().notes,
            *map(str, shelf().refused),
            *(f"{file}: {why}" for file, why in prompts().refused.items()),
            *notes(),
        ),
        sample=sample,
        health=stores.health,
        loops=loops,
        turnstile=turnstile,
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
        kept=kept,
        views=views,
        universe_gate=universe_gate,
        turnstile=turnstile,
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
    commands = Commands(
        services,
        declarations,
        turnstile,
        (
            *clerk_commands(services, clerk, chronicle),
            *story_commands(services, kept, turnstile),
            *table_commands(services, table, turnstile),
            *model_commands(services, storyteller),
            *recall_commands(services),
        ),
    )

    async def close() -> None:
        await imports.close()
        await behind_play.close()
        await speaks.close()

    return services, behind_play._replace(close=close)


def engine(backend: str, log: OrchestratorLog, clock: Clock) -> Engine:
    """Return what runs the turn graph; LangGraph is loaded with the first exchange that a model tells."""
    return PlainEngine(log, clock) if backend == "inmemory" else LazyLangGraph(log, clock)


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
    declarations: Declarations,
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
        start=SceneStart(log),
        end=SceneEnd(log, agendas, tensions, resolver, clock, events),
        zero=SessionZero(books, agendas, threads, clocks, declarations),
    )


def kins() -> tuple[Kin, ...]:
    """What a restore has to know of derived identifiers that only agents can read."""
    return (partial(sides, load_catalogue()),)


def random_tables(home: Path) -> Shelf:
    """Read the bundled tables, and the user's own over them."""
    return read_tables(sorted((home / "tables").glob("*.yaml")), bundled_tables())


def rule_packs(home: Path) -> Library:
    """Read the bundled rule packs, and the user's own over them."""
    own = sorted((home / "systems").glob("*.yaml"))
    return with_user_packs(bundled(), {path.name: _text_of(path) for path in own})


def _text_of(path: Path) -> str:
    """Read a pack; one that cannot be read has no text, and is refused by name like any bad one."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def sample() -> WorldSeed:
    """Read the bundled universe."""
    return read_seed(sample_text())
