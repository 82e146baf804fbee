"""What every test runs under: a clean environment, set before Textual reads it at import.

The snapshot report prints the whole environment, so nothing stays in it that is not needed.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import settings

from monitor_tui import typed_run
from tests.unasked_files import is_left_out

KEPT = ("CI", "PATH", "HOME", "LANG", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "VIRTUAL_ENV")
KEPT_PREFIXES = ("PYTEST_", "PYTHON", "COV_", "COVERAGE_", "LC_", "MONITOR_", "TEXTUAL_SNAPSHOT_")

for _name in tuple(os.environ):
    if _name not in KEPT and not _name.startswith(KEPT_PREFIXES):
        del os.environ[_name]
os.environ.pop("MONITOR_HOME", None)  # no test touches a real library
os.environ.update(TEXTUAL_ANIMATIONS="none", TERM="xterm-256color", COLORTERM="truecolor", TZ="UTC")
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="monitor-tests-")  # nor the user's own files
atexit.register(shutil.rmtree, os.environ["XDG_CONFIG_HOME"], ignore_errors=True)
# A busy machine is no counterexample; and in CI the searches are the same each time, so that none is refused for
# what another one brought in. By hand they are random.
settings.register_profile("monitor", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("monitor")
typed_run.TYPING_SECONDS = 0.0  # a test that types letter by letter sets it
if hasattr(time, "tzset"):
    time.tzset()  # record times are shown in the machine's own zone


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over files of which no test is asked for."""
    is_test_file = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if is_test_file and is_left_out(collection_path, config.getoption("markexpr")) else None


def pytest_collection_finish() -> None:
    """Set the modules and some thousand tests aside: no garbage collection shall go over them again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def pytest_runtest_teardown() -> None:
    """Let go of what was drawn in the test, if it drew: the last thousand widgets would be collected over and over."""
    if "textual._styles_cache" in sys.modules:
        from monitor_tui.garbage import forget_closed_widgets

        forget_closed_widgets()
