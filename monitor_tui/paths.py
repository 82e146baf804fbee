"""Where campaigns live: `--home`, else `MONITOR_HOME`, else the platform's data folder."""

from __future__ import annotations

import os
from pathlib import Path

from stores.errors import InputError

SETTINGS_FILE = "settings.toml"
"""The settings of a home folder; its user writes it."""

ARCHIVE_SUFFIX = ".monitor.zip"
"""What the file name of a campaign's archive ends with."""


def home_folder(chosen_path: Path | None = None) -> Path:
    """Return the home folder; it need not exist yet. Raises InputError for a ~user that is not there."""
    configured_path = chosen_path or os.environ.get("MONITOR_HOME")
    if configured_path:
        try:
            return Path(configured_path).expanduser().absolute()
        except RuntimeError as error:
            raise InputError(f"The home folder {configured_path} is nowhere: {error}") from error
    from platformdirs import user_data_path

    return user_data_path("monitor-tui", appauthor=False)


def trusted_addresses_file() -> Path:
    """Return the file of the servers that may have API keys: the user's own, outside every home folder."""
    from platformdirs import user_config_path

    return user_config_path("monitor-tui", appauthor=False) / "trusted-addresses"
