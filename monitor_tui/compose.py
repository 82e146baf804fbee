"""The composition root: the services of one home folder, on its stores, agents and files.

The program, the command line and the tests all build their services here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from agents.canon_keeper.conflicts.precedent_keys import derive_statement_keys
from agents.canon_keeper.predicates import load_catalogue
from agents.events import EventBus, Notice
from agents.indexer.embedding_port import Embedder
from agents.llm.llm_settings import AppSettings
from agents.services.llm_setup import ModelProcess
from agents.services.services import Services
from monitor_tui.background_jobs import BackgroundJobs, BackgroundMode
from monitor_tui.compose_play import Agents, Surroundings
from monitor_tui.compose_services import ServiceComposer
from monitor_tui.settings import read_settings_with_warnings
from monitor_tui.settings_file import SettingsFile
from monitor_tui.user_files import UserFiles
from stores.backup.derived_ids import DerivationFinder
from stores.open import StoreKind, Stores, open_stores, read_store_kinds
from stores.records.ids import Clock, IdGenerator, SystemIdGenerator, utc_now

ReadMenuNotes = Callable[[], tuple[str, ...]]


class Program(NamedTuple):
    """The services, the stores they stand on (for archives), how to close all, and what runs behind play."""

    services: Services
    stores: Stores
    close: Callable[[], Awaitable[None]]
    background_jobs: BackgroundJobs | None = None


async def open_program(
    home: Path,
    *,
    stores: Stores | None = None,
    clock: Clock = utc_now,
    ids: IdGenerator | None = None,
    notes: ReadMenuNotes = lambda: (),
    model: ModelProcess | None = None,
    settings: AppSettings | None = None,
    mode: BackgroundMode = BackgroundMode.OFF,
    embedder: Embedder | None = None,
    timer: Callable[[], float] = time.perf_counter,
) -> Program:
    """Open the library in `home` (made if absent), unless its `stores` are open, and build the services on it.

    `notes` are lines for its menu; `mode` says how much runs behind play, with `embedder` if not with the
    built-in one. The environment says which kind of stores, it and settings.toml which model (`settings`, and
    LiteLLM in a child process if no other `model` is given); `timer` gives the seconds by which calls and steps
    are timed. Raises `stores.errors.StoreError` kinds when the
    library cannot be opened; nothing stays open then.
    """
    kinds = read_store_kinds(os.environ)
    are_files = stores is None and all(kind is StoreKind.EMBEDDED for kind in kinds.values())
    stores = stores or await open_stores(home, clock=clock, kinds=kinds, environ=os.environ)
    try:
        file_settings = read_settings_with_warnings(home)
        app_settings = settings or file_settings.values
        services, background_jobs = compose_services(
            stores,
            home,
            clock,
            ids or SystemIdGenerator(clock),
            lambda: (*file_settings.warnings, *notes()),
            model,
            app_settings,
            mode,
            embedder,
            timer,
            home if are_files else None,
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
    """Build services without a model."""
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
    timer: Callable[[], float] = time.perf_counter,
    home_of_stores: Path | None = None,
) -> tuple[Services, BackgroundJobs]:
    """Build the services; returns what runs behind play, too: it is to be closed before the stores."""
    events = EventBus()
    stores.add_notice_listener(lambda change: events.publish(Notice(change.text, change.severity)))
    base = Surroundings(
        stores,
        UserFiles(home),
        SettingsFile(home),
        settings,
        model,
        mode,
        embedder,
        ids,
        clock,
        events,
        timer,
        home_of_stores,
    )
    composer = ServiceComposer(Agents(base), home, notes)
    services = composer.build_services()

    async def close() -> None:
        await services.imports.close()
        await composer.agents.background.close()
        await composer.agents.model.close()

    return services, composer.agents.background._replace(close=close)


def derived_id_readers() -> tuple[DerivationFinder, ...]:
    """Return what a restore has to know of derived identifiers that only agents can read."""
    return (partial(derive_statement_keys, load_catalogue()),)
