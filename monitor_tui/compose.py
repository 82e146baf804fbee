"""The composition root: the services of one home folder, on its stores, agents and files.

The program, the command line and the tests all build their services here. Importing this is cheap: what the
menu does not need is imported when the menu stands.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from monitor_tui.background_mode import BackgroundMode
from stores.authority import Role
from stores.errors import LibraryUnreadable
from stores.open import StoreKind, Stores, open_stores, read_store_kinds
from stores.records.ids import Clock, ForwardClock, IdGenerator, SystemIdGenerator, utc_now

if TYPE_CHECKING:
    from datetime import datetime

    from agents.indexer.embedding_port import Embedder
    from agents.llm.llm_settings import AppSettings
    from agents.services.llm_setup import ModelProcess
    from agents.services.services import Services
    from agents.views.menu_views import MenuView
    from monitor_tui.background_jobs import BackgroundJobs
    from stores.backup.derived_ids import DerivationFinder
    from stores.ports import LogReader

ReadMenuNotes = Callable[[], tuple[str, ...]]
ShowMenu = Callable[["MenuView"], None]

_LOADED_BEHIND_MENU = ("monitor_tui.settings", "monitor_tui.compose_services")
"""What most of the program's modules are imported by: a third of a second."""

_MEASURED_MODES = (BackgroundMode.PLAY, BackgroundMode.INGEST)
"""In which measurements are sent, if settings.toml says where to: a command that ends at once has none to send."""


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
    show_menu: ShowMenu | None = None,
) -> Program:
    """Open the library in `home` (made if absent), unless its `stores` are open, and build the services on it.

    `notes` are lines for its menu; `mode` says how much runs behind play, with `embedder` if not with the
    built-in one. The environment says which kind of stores, it and settings.toml which model (`settings`, and
    LiteLLM in a child process if no other `model` is given); `timer` gives the seconds by which calls and steps
    are timed. `show_menu` is called with the menu as soon as the stores are open, before the services are built:
    without notes, and before anything was recovered. Raises `stores.errors.StoreError` kinds when the
    library cannot be opened; nothing stays open then.
    """
    kinds = read_store_kinds(os.environ)
    are_files = stores is None and all(kind is StoreKind.EMBEDDED for kind in kinds.values())
    forward_clock = ForwardClock(clock)
    stores = stores or await open_stores(home, clock=forward_clock, kinds=kinds, environ=os.environ)
    try:
        if show_menu is not None:
            show_menu(await _read_menu(stores))
        for moment in await _read_latest_moments(stores.log(Role.CONTEXT_ASSEMBLY)):
            forward_clock.go_on_from(moment)
        for module in _LOADED_BEHIND_MENU:  # in a thread, so that the screen is drawn meanwhile
            await asyncio.to_thread(import_module, module)
        from agents.telemetry.span_recorder import TraceFeed
        from monitor_tui.compose_services import compose_services
        from monitor_tui.settings import TelemetrySettings, read_settings_with_warnings
        from monitor_tui.telemetry_setup import start_telemetry

        file_settings = read_settings_with_warnings(home)
        app_settings = settings or file_settings.values
        traces, telemetry_notes = TraceFeed(), list[str]()
        services, background_jobs = compose_services(
            stores,
            home,
            forward_clock,
            ids or SystemIdGenerator(forward_clock),
            lambda: (*file_settings.warnings, *telemetry_notes, *notes()),
            model,
            app_settings,
            mode,
            embedder,
            timer,
            home if are_files else None,
            traces,
        )
        telemetry_settings = (
            file_settings.values.telemetry if mode in _MEASURED_MODES else TelemetrySettings()
        )
        telemetry = await start_telemetry(
            telemetry_settings, traces, services.events, services.jobs.read_longest_waits
        )
        if telemetry.note:
            telemetry_notes.append(telemetry.note)
    except BaseException:
        await stores.close()
        raise

    async def close() -> None:
        await background_jobs.close()
        await telemetry.close()
        await stores.close()

    return Program(services, stores, close, background_jobs)


def compose(
    stores: Stores, home: Path, clock: Clock, ids: IdGenerator, notes: ReadMenuNotes = lambda: ()
) -> Services:
    """Build services without a model."""
    from agents.llm.llm_settings import AppSettings
    from monitor_tui.compose_services import compose_services

    services, _ = compose_services(stores, home, clock, ids, notes, None, AppSettings())
    return services


def derived_id_readers() -> tuple[DerivationFinder, ...]:
    """Return what a restore has to know of derived identifiers that only agents can read."""
    from agents.canon_keeper.conflicts.precedent_keys import derive_statement_keys
    from agents.canon_keeper.predicates import load_catalogue
    from agents.ingest.source_copies import derive_source_ids

    return (partial(derive_statement_keys, load_catalogue()), derive_source_ids)


async def _read_latest_moments(log: LogReader) -> list[datetime]:
    """Return when the program last wrote a transition, and last wrote to the journal of each story."""
    stories = (await log.readable_stories()).records
    moments = [story.entries[-1].at for story in stories if story.entries]
    with suppress(LibraryUnreadable):  # a damaged transition is told of where it is needed
        moments += [transition.at for transition in await log.transitions(limit=1)]
    return moments


async def _read_menu(stores: Stores) -> MenuView:
    reader_module = await asyncio.to_thread(import_module, "agents.services.menu")
    role = Role.CONTEXT_ASSEMBLY
    reader = reader_module.MenuReader(stores.log(role), stores.canon(role), stores.health)
    view: MenuView = await reader.read_menu()
    return view
