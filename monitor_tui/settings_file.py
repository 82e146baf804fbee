"""Changes settings.toml one section at a time; everything else in it stays as it is, comments included."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agents.llm.llm_settings import AppSettings
from monitor_tui.atomic_file import replace_file
from monitor_tui.paths import SETTINGS_FILE
from monitor_tui.settings import (
    FileSettings,
    environment_names,
    read_settings,
    split_unknown,
    unusable_settings_error,
    validation_text,
)
from stores.small_files import read_small_file

SettingValue = str | float | bool | list[str]


class SettingsFile:
    """The settings of a home, as `agents.services.llm_setup` wants to have them."""

    def __init__(self, home: Path) -> None:
        self._home = home

    @property
    def file(self) -> str:
        return str(self._home / SETTINGS_FILE)

    def from_environment(self) -> tuple[str, ...]:
        return environment_names()

    async def read(self) -> AppSettings:
        return await asyncio.to_thread(read_settings, self._home)

    async def write(self, section: str, changes: Mapping[str, SettingValue | None]) -> None:
        await asyncio.to_thread(write_settings, self._home, section, changes)


def write_settings(home: Path, section: str, changes: Mapping[str, SettingValue | None]) -> None:
    """Change one section of settings.toml; None takes a field out.

    The file is replaced whole or not at all, and only its owner may read it. Raises InputError if the file
    cannot be read as it is, or would not be usable after: then nothing was changed.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    file = home / SETTINGS_FILE
    try:
        document = tomlkit.parse(read_small_file(file).decode("utf-8") if file.exists() else "")
        unknown_names_before = set(split_unknown(document.unwrap())[1])
        section_table = document.get(section)
        if section_table is None:
            section_table = tomlkit.table()
            document.append(section, section_table)
        for field, value in changes.items():
            table, key = _find_place(section_table, field)
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value
        if not section_table.unwrap():
            document.remove(section)
        known_values, unknown_names = split_unknown(document.unwrap())
        if not unknown_names_before.issuperset(unknown_names):
            raise ValueError(f"there is no section {section}, or no such field in it")
        FileSettings.model_validate(known_values)
    except ValidationError as error:
        raise unusable_settings_error(file, validation_text(error)) from error
    except (OSError, ValueError, TypeError, AttributeError, TOMLKitError) as error:
        raise unusable_settings_error(file, str(error)) from error
    # A settings file that is a link stays one.
    replace_file(file.resolve(), tomlkit.dumps(document))


def _find_place(table: MutableMapping[str, Any], name: str) -> tuple[MutableMapping[str, Any], str]:
    """Return the table and key where a name stands: `scene.gate` may be a table in a table."""
    first, _, rest = name.partition(".")
    if name not in table and rest and isinstance(inner := table.get(first), MutableMapping):
        return _find_place(inner, rest)
    return table, name
