"""Settings: what the environment says, else `settings.toml` in the home folder, else what stands here.

    [backup]                      MONITOR_BACKUP_DAILY=false
    daily = false

Every field says what it does; its name in the environment is `MONITOR_<SECTION>_<FIELD>`.
"""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from agents.llm.llm_settings import AppSettings
from stores.backup.folder import BACKUP_FOLDER, DEFAULT_KEEP
from stores.errors import InputError

SETTINGS_FILE = "settings.toml"


class BackupSettings(BaseModel):
    model_config = ConfigDict(extra="forbid")

    daily: bool = True
    """Back up when MONITOR starts and the last backup is older than a day."""

    folder: Path | None = None
    """Where backups stand; `backups` in the home folder if it is not said. Another disk is safer."""

    keep: int = Field(default=DEFAULT_KEEP, ge=1)
    """How many of the newest are kept, beside one a month."""

    def place(self, home: Path) -> Path:
        return (self.folder or home / BACKUP_FOLDER).expanduser()


class FileSettings(AppSettings):
    """What a settings file may hold; the sections about the model are `agents.llm.llm_settings`."""

    model_config = ConfigDict(extra="forbid")

    backup: BackupSettings = BackupSettings()


class EnvironmentSettings(FileSettings, BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="MONITOR_", env_nested_delimiter="_", env_nested_max_split=1, extra="forbid"
    )


def read_settings(home: Path) -> EnvironmentSettings:
    """Read the settings for a home. Raises InputError that names the file and what is wrong in it."""
    file = home / SETTINGS_FILE

    class HomeSettings(EnvironmentSettings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return env_settings, TomlConfigSettingsSource(settings_cls, file)

    try:
        return HomeSettings()
    except ValidationError as error:
        raise unusable_settings_error(file, validation_text(error)) from error
    except (OSError, ValueError) as error:
        raise unusable_settings_error(file, str(error)) from error


def environment_names() -> tuple[str, ...]:
    """The variables that hold settings now, and so win over the file."""
    sections = tuple(f"MONITOR_{name.upper()}_" for name in EnvironmentSettings.model_fields)
    return tuple(sorted(name for name in os.environ if name.upper().startswith(sections)))


def validation_text(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())


def unusable_settings_error(file: Path, reason: str) -> InputError:
    return InputError(
        f"The settings cannot be used: {reason}.",
        kept="Nothing was changed.",
        todo=f"Mend {file}, or the MONITOR_ variables of the environment.",
    )
