"""Where campaigns live: `--home`, else `MONITOR_HOME`, else the platform's data folder."""

from __future__ import annotations

import os
from pathlib import Path


def home_folder(chosen: Path | None = None) -> Path:
    """Return the home folder; it need not exist yet."""
    if chosen is not None:
        return chosen.expanduser().absolute()
    if named := os.environ.get("MONITOR_HOME"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("monitor-tui", appauthor=False)
