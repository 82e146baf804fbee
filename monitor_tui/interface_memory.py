"""How the interface looks: as settings.toml says, else as it was last chosen in the program.

It is read before the first frame, so it parses the two files itself and is content with what it can read; what
is wrong in settings.toml is reported by `monitor_tui.settings` when the library opens.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import tomllib
from collections.abc import Mapping
from pathlib import Path

from monitor_tui.atomic_file import replace_file
from monitor_tui.nested_names import join_nested_names
from monitor_tui.paths import SETTINGS_FILE
from screens.play.panel_width import PanelWidth
from stores.small_files import read_small_file

CHOICES_FILE = "interface.json"
"""The choices that were made in the program. It may be deleted."""

log = logging.getLogger("monitor")


class InterfaceMemory:
    """The theme, the width of the panels and the key map; without a home nothing outlasts the program."""

    def __init__(self, home: Path | None = None) -> None:
        self._home = home
        self._file = home / CHOICES_FILE if home else None
        chosen = _read_choices(self._file) if self._file else {}
        self._chosen_theme = _text(chosen, "theme")
        self._chosen_panel = _text(chosen, "panel")
        self._is_saved = True
        self._write_lock = threading.Lock()
        self.read_settings()

    def read_settings(self) -> None:
        """Read what the settings say, which wins over what was chosen. It may wait for the disk."""
        settings = _read_settings(self._home) if self._home else {}
        ui_settings = _section(settings, "ui")
        self.fixed_theme = os.environ.get("MONITOR_UI_THEME", "") or _text(ui_settings, "theme")
        """The theme that the settings name; it wins over what was chosen."""
        fixed_panel = os.environ.get("MONITOR_UI_PANEL", "") or _text(ui_settings, "panel")
        self.theme = self.fixed_theme or self._chosen_theme
        self.pictures = os.environ.get("MONITOR_UI_PICTURES", "") or _text(ui_settings, "pictures")
        """How the settings say that pictures are shown; empty if they do not."""
        self.panel_width = _panel_width(fixed_panel) or _panel_width(self._chosen_panel) or PanelWidth.NORMAL
        keymap = join_nested_names(_section(settings, "keymap"))
        self.keymap = {name: keys.replace(" ", "") for name, keys in keymap.items() if isinstance(keys, str)}
        """Keys by the name of what they do."""

    def choose_theme(self, theme: str) -> None:
        self.theme = self._chosen_theme = theme
        self._is_saved = False

    def choose_panel_width(self, width: PanelWidth) -> None:
        self.panel_width, self._chosen_panel = width, width.value
        self._is_saved = False

    def save(self) -> None:
        """Write what was chosen, unless it is written. It may wait for the disk: call it in a thread."""
        with self._write_lock:
            if self._is_saved or self._file is None:
                return
            self._is_saved = True
            choices = {"theme": self._chosen_theme, "panel": self._chosen_panel}
            try:
                replace_file(self._file, json.dumps({key: value for key, value in choices.items() if value}))
            except OSError as error:
                # A look that is forgotten is no reason to interrupt play.
                log.warning("the choices of the interface cannot be written: %s", error)


def _read_settings(home: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(_read_text(home / SETTINGS_FILE))
    except (OSError, ValueError, RecursionError):
        return {}


def _read_choices(file: Path) -> Mapping[str, object]:
    try:
        choices = json.loads(_read_text(file))
    except (OSError, ValueError, RecursionError):
        return {}
    return choices if isinstance(choices, dict) else {}


def _read_text(file: Path) -> str:
    return read_small_file(file).decode("utf-8")


def _section(settings: Mapping[str, object], name: str) -> Mapping[str, object]:
    section = settings.get(name)
    return section if isinstance(section, Mapping) else {}


def _text(section: Mapping[str, object], name: str) -> str:
    value = section.get(name)
    return value if isinstance(value, str) else ""


def _panel_width(text: str) -> PanelWidth | None:
    return PanelWidth(text) if text in list(PanelWidth) else None
