"""The settings that the Settings screen shows: their order, labels and meaning, and how a typed value is read.

The personas, the model and the engine are not among them: the Model screen sets those up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from agents.views.settings_views import SettingGroup, SettingSource, SettingView
from monitor_tui.settings import FileSettings, validation_text
from stores.errors import InputError

SettingValue = str | int | float | bool

NEXT_START: Final = True


class SettingRow(NamedTuple):
    """A setting: its section and field, and what is said of it."""

    section: str
    field: str
    label: str
    meaning: str
    empty_text: str = "none"
    is_for_next_start: bool = False

    @property
    def name(self) -> str:
        return f"{self.section}.{self.field}"


ROWS: Final[Mapping[str, tuple[SettingRow, ...]]] = {
    "Look": (
        SettingRow("ui", "theme", "Theme", "Colours", "as last chosen in the palette"),
        SettingRow(
            "ui", "panel", "Panels", "Width of the panels beside the story", "as F9 last made them in play"
        ),
        SettingRow(
            "ui",
            "pictures",
            "Pictures",
            "auto: pixels where the terminal is known to show them, blocks elsewhere",
        ),
    ),
    "What MONITOR does unasked": (
        SettingRow(
            "play",
            "offer_moves",
            "Offer moves",
            "Offer a move of the rules for a plain line that calls for it",
        ),
        SettingRow(
            "gate", "model_doubts", "Model doubts", "Have the model warn of new sentences that it doubts"
        ),
        SettingRow(
            "copilot",
            "pause",
            "Wait with proposals",
            "Stage what a narration changes only with your next line, not at once",
        ),
    ),
    "Budgets in US dollars (one world's or story's own: on the bill, b)": (
        SettingRow("budget", "day", "Each day", "What all models together may cost in a day", "no limit"),
        SettingRow("budget", "story", "Each story", "What a story may cost", "no limit"),
        SettingRow("budget", "universe", "Each world", "What a world may cost", "no limit"),
        SettingRow(
            "budget",
            "weekly_tokens",
            "Tokens a week",
            "Tokens of a world in a week; it bounds models without a price, too",
            "no limit",
        ),
        SettingRow("budget", "cheaper_model", "Cheaper model", "Takes over what a budget holds back"),
    ),
    "Search by meaning": (
        SettingRow(
            "embedding",
            "model",
            "Embedding model",
            "builtin, none (words alone), or a provider's, as openai/text-embedding-3-small",
            is_for_next_start=NEXT_START,
        ),
        SettingRow(
            "embedding",
            "api_base",
            "Its address",
            "For a server of your own",
            "the provider's own",
            NEXT_START,
        ),
    ),
    "Backups": (
        SettingRow(
            "backup", "daily", "Every day", "Back up when MONITOR starts", is_for_next_start=NEXT_START
        ),
        SettingRow(
            "backup",
            "folder",
            "Folder",
            "Another disk is safer",
            "backups, in the home folder",
            NEXT_START,
        ),
        SettingRow("backup", "keep", "Kept", "How many of the newest are kept", is_for_next_start=NEXT_START),
    ),
    "Measurements: nowhere, unless you say where to": (
        SettingRow(
            "telemetry",
            "prometheus_port",
            "Prometheus port",
            "0: it is not answered",
            is_for_next_start=NEXT_START,
        ),
        SettingRow(
            "telemetry",
            "prometheus_host",
            "Its address",
            "The address of this machine that answers",
            is_for_next_start=NEXT_START,
        ),
        SettingRow(
            "telemetry",
            "otlp_endpoint",
            "OpenTelemetry",
            "Address of a collector, as http://127.0.0.1:4318",
            is_for_next_start=NEXT_START,
        ),
        SettingRow(
            "telemetry",
            "otlp_seconds",
            "Every",
            "Seconds between two sendings of the figures",
            is_for_next_start=NEXT_START,
        ),
    ),
}
"""The rows by the heading that they stand under."""

_ROW_BY_NAME: Final = {row.name: row for rows in ROWS.values() for row in rows}


def build_groups(
    settings: FileSettings, file_names: frozenset[str], environment: tuple[str, ...], themes: tuple[str, ...]
) -> tuple[SettingGroup, ...]:
    """Return all settings with their values; `file_names` are those that the file holds."""
    return tuple(
        SettingGroup(
            title, tuple(_build_view(row, settings, file_names, environment, themes) for row in rows)
        )
        for title, rows in ROWS.items()
    )


def find_row(name: str) -> SettingRow:
    """Return the row of a setting. Raises InputError."""
    if row := _ROW_BY_NAME.get(name):
        return row
    raise InputError(f"There is no setting {name[:60]}.", kept="Nothing was changed.")


def parse_setting(row: SettingRow, typed_value: str, themes: tuple[str, ...]) -> SettingValue | None:
    """Read what was typed; None, if it is empty. Raises InputError that names the setting and what is wrong."""
    text = typed_value.strip()
    if not text:
        return None
    section_class = _section_class(row.section)
    if row.name == "ui.theme" and text not in themes:
        raise refused_value_error(row, "there is no theme of this name")
    try:
        parsed = section_class.model_validate({row.field: _plain_number(row, text)})
    except ValidationError as error:
        raise refused_value_error(row, validation_text(error).partition(": ")[2]) from None
    parsed_value = getattr(parsed, row.field)
    return parsed_value if isinstance(parsed_value, str | int | float) else str(parsed_value)


def refused_value_error(row: SettingRow, reason: str) -> InputError:
    return InputError(
        f"{row.label}: {reason}.",
        kept="Nothing was changed.",
        todo="Type another value, or none at all.",
        field=row.name,
    )


def environment_name(row: SettingRow) -> str:
    """Return the variable that overrides a setting."""
    return f"MONITOR_{row.section}_{row.field}".upper()


def _build_view(
    row: SettingRow,
    settings: FileSettings,
    file_names: frozenset[str],
    environment: tuple[str, ...],
    themes: tuple[str, ...],
) -> SettingView:
    value = getattr(getattr(settings, row.section), row.field)
    kind, choices = _kind_of(row, themes)
    source = SettingSource.FILE if row.name in file_names else SettingSource.USUAL
    if environment_name(row) in (name.upper() for name in environment):
        source = SettingSource.ENVIRONMENT
    return SettingView(
        name=row.name,
        label=row.label,
        meaning=row.meaning,
        value=_typed_form(value),
        empty_text=row.empty_text,
        source=source,
        kind=kind,
        choices=choices,
        is_for_next_start=row.is_for_next_start,
    )


def _typed_form(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    return "" if value is None else str(value)


def _kind_of(
    row: SettingRow, themes: tuple[str, ...]
) -> tuple[Literal["switch", "choice", "text"], tuple[str, ...]]:
    annotation = _section_class(row.section).model_fields[row.field].annotation
    if row.name == "ui.theme":
        return "choice", themes
    if annotation is bool:
        return "switch", ()
    if get_origin(annotation) is Literal:
        return "choice", tuple(filter(None, get_args(annotation)))
    return "text", ()


def _plain_number(row: SettingRow, text: str) -> str:
    """Return a number without spaces, a dollar sign, and the commas between thousands; other text as it is."""
    annotation: Any = _section_class(row.section).model_fields[row.field].annotation
    types = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    digits = text.replace(" ", "").removeprefix("$").removesuffix("$")
    if int in types:
        return digits.replace(",", "")
    return digits.replace(",", ".") if float in types else text


def _section_class(section: str) -> type[BaseModel]:
    section_class = FileSettings.model_fields[section].annotation
    assert isinstance(section_class, type)
    assert issubclass(section_class, BaseModel)
    return section_class


def names_in(values: Mapping[str, object]) -> Iterator[str]:
    """Yield the names of the settings that a settings file holds."""
    for section, fields in values.items():
        if isinstance(fields, Mapping):
            yield from (f"{section}.{field}" for field in fields)
