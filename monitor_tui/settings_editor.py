"""Reads all settings of a home for the Settings screen, and changes one at a time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path

from agents.views.settings_views import KeyView, SettingSource, SettingsView
from monitor_tui.paths import SETTINGS_FILE
from monitor_tui.setting_rows import (
    SettingRow,
    build_groups,
    environment_name,
    find_row,
    names_in,
    parse_setting,
    refused_value_error,
)
from monitor_tui.settings import environment_names, parse_settings_file, read_settings
from monitor_tui.settings_file import SettingValue, write_settings
from stores.errors import InputError


class SettingsEditor:
    """Implements `agents.services.settings_editing.SettingsEditing`.

    `take_effect` reads what was written into the running program.
    """

    def __init__(self, home: Path, take_effect: Callable[[], Awaitable[object]]) -> None:
        self._home = home
        self._take_effect = take_effect

    async def read_settings(self) -> SettingsView:
        return await asyncio.to_thread(self._read_settings)

    async def save_setting(self, name: str, typed_value: str) -> SettingsView:
        row = find_row(name)
        value = parse_setting(row, typed_value, _list_themes())
        _require_not_in_environment(row)
        if row.name == "backup.folder" and isinstance(value, str):
            await asyncio.to_thread(_require_folder, row, value)
        await self._write(row.section, {row.field: value})
        return await self.read_settings()

    async def save_keys(self, name: str, keys: tuple[str, ...]) -> SettingsView:
        if keys:
            await asyncio.to_thread(_require_free_keys, name, keys, await self.read_settings())
        await self._write("keymap", {name: ",".join(keys) or None})
        return await self.read_settings()

    async def _write(self, section: str, changes: Mapping[str, SettingValue | None]) -> None:
        await asyncio.to_thread(write_settings, self._home, section, changes)
        await self._take_effect()

    def _read_settings(self) -> SettingsView:
        settings = read_settings(self._home)
        file_names = frozenset(names_in(parse_settings_file(self._home / SETTINGS_FILE)))
        return SettingsView(
            groups=build_groups(settings, file_names, environment_names(), _list_themes()),
            keys=tuple(_read_keys(settings.keymap)),
            file=str(self._home / SETTINGS_FILE),
            home=str(self._home),
        )


def _require_not_in_environment(row: SettingRow) -> None:
    if environment_name(row) in map(str.upper, os.environ):
        raise InputError(
            f"{environment_name(row)} is set in the environment, and wins over the settings file.",
            kept="Nothing was changed.",
            todo=f"Change it there, or start MONITOR without {environment_name(row)}.",
            field=row.name,
        )


def _require_folder(row: SettingRow, folder: str) -> None:
    """Raise InputError unless it is a whole path, at which no file stands."""
    path = Path(folder).expanduser()
    if not path.is_absolute():
        raise refused_value_error(row, "a whole path should stand here, as /media/disk/monitor or ~/backups")
    if path.exists() and not path.is_dir():
        raise refused_value_error(row, "a file has this name")


def _list_themes() -> tuple[str, ...]:
    from textual.theme import BUILTIN_THEMES  # not before the first frame of the program

    from monitor_tui.theme import DARK, LIGHT

    return (DARK.name, LIGHT.name, *sorted(BUILTIN_THEMES))


def _read_keys(keymap: Mapping[str, str]) -> Iterator[KeyView]:
    """Yield what every key of the program does, once for each name, by the screen or panel where it works."""
    from monitor_tui.app import MonitorApp
    from monitor_tui.key_names import read_own_bindings

    listed_names: set[str] = set()
    for place, bindings in read_own_bindings(MonitorApp):
        for name in dict.fromkeys(b.id for b in bindings if b.id):
            if name in listed_names:
                continue
            listed_names.add(name)
            named_bindings = [b for b in bindings if b.id == name]
            usual_keys = tuple(dict.fromkeys(b.key for b in named_bindings))
            own_keys = tuple(filter(None, keymap.get(name, "").replace(" ", "").split(",")))
            yield KeyView(
                name,
                place,
                named_bindings[0].description,
                named_bindings[0].tooltip,
                own_keys or usual_keys,
                usual_keys,
                SettingSource.FILE if own_keys else SettingSource.USUAL,
            )


def _require_free_keys(name: str, keys: tuple[str, ...], settings: SettingsView) -> None:
    """Raise InputError for a name that there is not, or a key that does something else on the same screen."""
    from monitor_tui.app import MonitorApp
    from monitor_tui.key_names import read_bindings

    view_by_name = {view.name: view for view in settings.keys}
    if name not in view_by_name:
        raise InputError(f"There is no key of the name {name[:60]}.", kept="Nothing was changed.")
    for bindings in read_bindings(MonitorApp):
        names = {b.id for b in bindings if b.id}
        if name not in names:
            continue
        usual_keys = set(view_by_name[name].usual_keys)
        # What shares a key already (undo, or say where undo is) is never active at the same time.
        others = [
            view_by_name[n] for n in names - {name} if not usual_keys.intersection(view_by_name[n].usual_keys)
        ]
        for other in others:
            if taken := next((key for key in keys if key in other.keys), None):
                raise InputError(
                    f"{taken} is {other.label} there ({other.meaning}).",
                    kept="Nothing was changed.",
                    todo="Choose another key, or give that one another first.",
                )
