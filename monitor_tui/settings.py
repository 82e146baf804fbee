"""Settings: from the environment, else from `settings.toml` in the home folder, else the defaults here.

For example `[backup]` with `daily = false`, or MONITOR_BACKUP_DAILY=false. Every field has a description; its
name in the environment is `MONITOR_<SECTION>_<FIELD>`. `docs/settings.md` describes them for users.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from agents.llm.llm_settings import Address, AppSettings
from monitor_tui.nested_names import join_nested_names
from monitor_tui.paths import SETTINGS_FILE
from stores.backup.folder import BACKUP_FOLDER, DEFAULT_KEEP
from stores.errors import InputError
from stores.small_files import read_small_file


class BackupSettings(BaseModel):
    model_config = ConfigDict(extra="forbid")

    daily: bool = True
    """Back up when MONITOR starts and the last backup is older than a day."""

    folder: Path | None = None
    """Where backups stand; `backups` in the home folder if it is not said. Another disk is safer."""

    keep: int = Field(default=DEFAULT_KEEP, ge=1)
    """How many of the newest are kept, beside one a month."""

    @field_validator("folder")
    @classmethod
    def _without_nul(cls, folder: Path | None) -> Path | None:
        if folder is not None and "\0" in str(folder):
            raise ValueError("no folder has such a name")
        return folder

    def place(self, home: Path) -> Path:
        return (self.folder or home / BACKUP_FOLDER).expanduser()


class UiSettings(BaseModel):
    """How the interface looks. What is empty is as it was last chosen in the program."""

    model_config = ConfigDict(extra="forbid")

    theme: str = ""
    """A theme of the palette's list, as `monitor-light`."""

    panel: Literal["", "narrow", "normal", "wide", "hidden"] = ""
    """How wide the panels beside the story are."""

    pictures: Literal["auto", "kitty", "sixel", "blocks", "off"] = "auto"
    """How pictures are shown; `auto`: as the environment says of the terminal."""


def _own_address(value: object) -> object:
    if isinstance(value, str):
        try:
            return str(ip_address("127.0.0.1" if value.strip() == "localhost" else value.strip()))
        except ValueError:
            raise ValueError("an address of this machine should stand here, as 127.0.0.1") from None
    return value


class TelemetrySettings(BaseModel):
    """Where measurements are sent: nowhere, unless it is said."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    prometheus_port: int = Field(default=0, ge=0, le=65_535)
    """Port at which Prometheus is answered (0: it is not)."""

    prometheus_host: Annotated[str, BeforeValidator(_own_address)] = "127.0.0.1"
    """The address of this machine that answers; only programs on this machine reach the default."""

    otlp_endpoint: Address = ""
    """Address of an OpenTelemetry collector, as `http://127.0.0.1:4318` (empty: none)."""

    otlp_seconds: float = Field(default=60.0, ge=1.0, le=3_600.0)
    """Seconds between two sendings of the figures to the collector."""

    @property
    def is_on(self) -> bool:
        return bool(self.prometheus_port or self.otlp_endpoint)


def _join_key_names(value: object) -> object:
    return join_nested_names(value) if isinstance(value, dict) else value


class FileSettings(AppSettings):
    """What a settings file may hold; the sections about the model are `agents.llm.llm_settings`."""

    model_config = ConfigDict(extra="forbid")

    backup: BackupSettings = BackupSettings()
    ui: UiSettings = UiSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    keymap: Annotated[dict[str, str], BeforeValidator(_join_key_names)] = {}
    """Other keys, by the name of what they do; any name may stand here, and the program warns of unknown ones."""


class EnvironmentSettings(FileSettings, BaseSettings):
    """What the environment says, and where it says nothing what is given."""

    model_config = SettingsConfigDict(
        env_prefix="MONITOR_", env_nested_delimiter="_", env_nested_max_split=1, extra="forbid"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return env_settings, init_settings


class ReadSettings(NamedTuple):
    """The settings of a home, and a sentence for each name in the file that is no setting."""

    values: EnvironmentSettings
    warnings: tuple[str, ...]


def read_settings(home: Path) -> EnvironmentSettings:
    """Read the settings for a home. Raises InputError that names the file and what is wrong in it."""
    return read_settings_with_warnings(home).values


def read_settings_with_warnings(home: Path) -> ReadSettings:
    """Read the settings for a home; an unknown name is left out, and warned of with the nearest known one.

    Raises InputError that names the file and what is wrong in it.
    """
    file = home / SETTINGS_FILE

    try:
        known_values, unknown_names = split_unknown(parse_settings_file(file))
        values = EnvironmentSettings(**known_values)
    except ValidationError as error:
        raise unusable_settings_error(file, validation_text(error)) from None
    except RecursionError:
        raise unusable_settings_error(file, "its tables are nested too deep") from None
    except (OSError, ValueError) as error:
        raise unusable_settings_error(file, str(error)) from error
    return ReadSettings(values, tuple(_unknown_name_warning(file, name) for name in unknown_names))


def parse_settings_file(file: Path) -> dict[str, Any]:
    """Return what the file holds; nothing, if there is none. Raises OSError or ValueError."""
    return tomllib.loads(read_small_file(file).decode("utf-8")) if file.exists() else {}


def split_unknown(values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the values that are settings, and the names (`backup.kepp`) of those that are not."""
    known_values, unknown_names = dict(values), []
    for section, fields in values.items():
        if section not in FileSettings.model_fields:
            del known_values[section]
            unknown_names.append(section)
        elif isinstance(fields, dict) and (names := _field_names(section)):
            known_values[section] = {name: value for name, value in fields.items() if name in names}
            unknown_names += [f"{section}.{name}" for name in fields if name not in names]
    return known_values, tuple(unknown_names)


def _field_names(section: str) -> frozenset[str]:
    """Return the names of a section's fields; none for one that takes any."""
    model = FileSettings.model_fields[section].annotation
    if isinstance(model, type) and issubclass(model, BaseModel):
        return frozenset(model.model_fields)
    return frozenset()


def _unknown_name_warning(file: Path, name: str) -> str:
    section, _, field = name.partition(".")
    if field and section in FileSettings.model_fields:
        hint = nearest_name_hint(field, sorted(_field_names(section)), prefix=f"{section}.")
        return f"“{name[:60]}” in {file.name} is no setting, and is left out.{hint}"
    known_names = [
        known_name
        for section in FileSettings.model_fields
        for known_name in (section, *(f"{section}.{field}" for field in _field_names(section)))
    ]
    return (
        f"“{name[:60]}” in {file.name} is no setting, and is left out.{nearest_name_hint(name, known_names)}"
    )


def nearest_name_hint(name: str, known_names: Iterable[str], *, prefix: str = "") -> str:
    """Return a question after the known name that is most like this one, with `prefix`; empty if none is."""
    from rapidfuzz import process  # not before the first frame

    nearest = process.extractOne(name, list(known_names), score_cutoff=60)
    return f" Did you mean {prefix}{nearest[0]}?" if nearest else ""


def environment_names() -> tuple[str, ...]:
    """The variables that hold settings now, and so win over the file."""
    sections = tuple(f"MONITOR_{name.upper()}_" for name in EnvironmentSettings.model_fields)
    return tuple(sorted(name for name in os.environ if name.upper().startswith(sections)))


def validation_text(error: ValidationError) -> str:
    """Return what is wrong with which setting, in plain words."""
    faults = (f"{_setting_name(e['loc'])}: {_plain_fault(e)}" for e in error.errors())
    return "; ".join(dict.fromkeys(faults))


def _setting_name(place: tuple[int | str, ...]) -> str:
    """Return the setting that a fault is in, without the places that only say which of several forms was tried."""
    return ".".join(str(part) for part in place if part not in _FORMS_OF_A_LIST)


_FORMS_OF_A_LIST = ("tuple[str, ...]", "str")


def _plain_fault(fault: ErrorDetails) -> str:
    limits = fault.get("ctx", {})
    match fault["type"]:
        case "int_parsing" | "int_parsing_size" | "int_type" | "int_from_float":
            return "a whole number should stand here"
        case "float_parsing" | "float_type" | "finite_number":
            return "a number should stand here"
        case "bool_parsing" | "bool_type":
            return "true or false should stand here"
        case "string_type":
            return "words in quotes should stand here"
        case "tuple_type":
            return "words in quotes should stand here"
        case "path_type":
            return "a folder in quotes should stand here"
        case "greater_than":
            return f"it should be more than {limits['gt']:,.15g}"
        case "greater_than_equal":
            return f"it should be {limits['ge']:,.15g} or more"
        case "less_than_equal":
            return f"it should be {limits['le']:,.15g} or less"
        case "too_long":
            return f"it should have at most {limits['max_length']} entries"
        case "literal_error":
            return f"it should be {limits['expected']}"
        case "extra_forbidden":
            return "there is no such setting"
        case "model_type" | "model_attributes_type" | "dict_type":
            return "a section with fields should stand here"
        case _:
            return fault["msg"].removeprefix("Value error, ")


def unusable_settings_error(file: Path, reason: str) -> InputError:
    return InputError(
        f"The settings cannot be used: {reason}.",
        kept="Nothing was changed.",
        todo=f"Correct {file}, or the MONITOR_ variables of the environment.",
    )
