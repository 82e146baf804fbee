"""Runs `make test-integration`: starts the servers, runs the tests that need them, and reports which were real.

Servers that are not available are named with the reason; their tests are skipped, never passed. Exit code:
that of the tests; `NO_SERVERS` if no server could be started.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tools import timed_run as watched

_ROOT: Final = Path(__file__).resolve().parent.parent
_EXPORT: Final = re.compile(r"export (\w+)='?(.*?)'?$")
_TEST_FOLDERS: Final = ("tests/contract", "tests/servers")
_STOPPING_TESTS: Final = "tests/servers/test_stops.py"
"""Kills the servers, so it runs alone, after all others."""
_NO_TESTS: Final = 5
_TESTS_FAILED: Final = 1
_MAX_FAILURES: Final = 6
"""Failures after which the run ends: a server that hangs would use up the timeout of every test."""
_SUITE_SECONDS: Final = 1200.0
"""Seconds for the suites on servers, more than twice what they take on two cores."""
NO_SERVERS: Final = 75
"""Tells CI that a machine has no servers, as opposed to failing tests (EX_TEMPFAIL)."""


def main(arguments: list[str]) -> int:
    """Run everything; `arguments` are passed on to pytest.

    If any test fails or hangs, all run once more on restarted servers, in case the machine killed or
    starved one; both runs are shown.
    """
    code = _run(arguments)
    if code in (_TESTS_FAILED, watched.HUNG):
        print("Some failed or hung (above). Once more, all of them, on servers started anew:", flush=True)
        code = _run(arguments)
        print("Not well again." if code else "All of them passed this time.", flush=True)
    return code


def _run(arguments: list[str]) -> int:
    """Start the servers, run the tests, stop the servers; returns pytest's code, or `NO_SERVERS`."""
    with tempfile.TemporaryDirectory(prefix="monitor-integration-") as folder:
        run, env_file = Path(folder) / "run", Path(folder) / "env"
        launcher = [sys.executable, "-m", "tools.servers"]
        run_arguments = ["--run", str(run)]
        subprocess.run(
            [*launcher, "start", *run_arguments, "--env-file", str(env_file)], cwd=_ROOT, check=False
        )
        try:
            if not env_file.exists():
                print("No server could be started: nothing was tested on servers.", file=sys.stderr)
                return NO_SERVERS
            environ = {
                **os.environ,
                **_read_env_file(env_file),
                "MONITOR_SERVERS_SECRET": os.urandom(16).hex(),
            }
            # A test past its time ends its worker (thread): cleaning up after a hung server may hang too.
            tests = [sys.executable, "-m", "pytest", "-v", "-m", "servers", "--timeout-method", "thread"]
            tests += ["--maxfail", str(_MAX_FAILURES), *arguments]
            # Each server belongs to one worker, so that its tests never run at the same time.
            shared_arguments = [
                "-n",
                "2",
                "--dist",
                "loadgroup",
                "--timeout",
                "300",
                "--ignore",
                _STOPPING_TESTS,
                *_TEST_FOLDERS,
            ]
            codes = [
                watched.run([*tests, *suite_arguments], environ | extra_env, _ROOT, patience=patience)
                for suite_arguments, extra_env, patience in (
                    (shared_arguments, {}, _SUITE_SECONDS),
                    ([_STOPPING_TESTS], {"MONITOR_TEST_RUN": str(run)}, _SUITE_SECONDS / 2),
                )
            ]
            print(f"Servers in this run: {environ.get('MONITOR_TEST_SERVERS', 'none')}.")
            return next((code for code in codes if code not in (0, _NO_TESTS)), min(codes))
        finally:
            subprocess.run([*launcher, "stop", *run_arguments], cwd=_ROOT, check=False)


def _read_env_file(env_file: Path) -> dict[str, str]:
    matches = (_EXPORT.match(line) for line in env_file.read_text().splitlines())
    return {match[1]: match[2] for match in matches if match}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
