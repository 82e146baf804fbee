"""What is installed is what was meant: our packages, their data, and nothing heavy before the first frame."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from typer.testing import CliRunner

import agents
import monitor_tui
from monitor_tui.cli.app import app

ROOT = Path(__file__).parent.parent
HEAVY = {
    "apsw",
    "numpy",
    "statemachine",
    "yaml",
    "rapidfuzz",
    "litellm",
    "langgraph",
    "tenacity",
    "keyring",
    "onnxruntime",
    "sqlite3",
    "opentelemetry",
    "prometheus_client",
    "mcp",
    "mcp_types",
    "aiohttp",
    "textual_serve",
}


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that a fresh process has after `statement`."""
    code = f"{statement}; import sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()} | set(done.stdout.split())


def test_package_nothing_heavy_is_imported_before_the_first_frame() -> None:
    loaded = modules_after("import monitor_tui.cli.app, monitor_tui.app")
    assert not loaded & HEAVY
    assert "agents.services.play" not in loaded
    assert "stores.embedded" not in loaded


def test_opening_the_program_loads_no_screen() -> None:
    assert "textual" not in modules_after("import monitor_tui.compose")


def test_our_agents_are_ours() -> None:
    """`agents` is also the import name of another distribution: ours must be the one that is found."""
    assert agents.__file__
    assert monitor_tui.__file__
    assert Path(agents.__file__).parent.parent == Path(monitor_tui.__file__).parent.parent


def locked_names(file: str) -> set[str]:
    lines = (ROOT / file).read_text(encoding="utf-8").split()
    return {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines if "==" in line}


def required_names(requirements: list[str]) -> set[str]:
    """Return the packages that these need on this machine, with all that those need in turn."""
    pending, names = [Requirement(line) for line in requirements], set[str]()
    visited: set[tuple[str, frozenset[str]]] = set()
    while pending:
        requirement = pending.pop()
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if (name, frozenset(requirement.extras)) in visited:
            continue
        visited.add((name, frozenset(requirement.extras)))
        names.add(name)
        with suppress(PackageNotFoundError):
            for line in distribution(requirement.name).requires or ():
                needed = Requirement(line)
                extras = ("", *requirement.extras)
                if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in extras):
                    pending.append(needed)
    return names


def test_requirements_of_a_player_have_no_test_tool_no_server_driver_and_no_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    player, optional, servers, dev = (
        locked_names(f"requirements{kind}.lock") for kind in ("", "-extras", "-servers", "-dev")
    )
    playing = required_names(project["dependencies"])
    assert playing <= player
    assert required_names(extras["servers"]) <= player | servers
    for extra in ("mcp", "serve", "telemetry"):
        assert required_names(extras[extra]) <= player | optional, extra
    assert required_names(extras["dev"]) <= player | optional | servers | dev
    for extra in ("mcp", "serve", "telemetry", "servers", "dev"):
        direct = {re.sub(r"[-_.]+", "-", Requirement(line).name).lower() for line in extras[extra]}
        assert not (direct - playing) & player, extra
    assert not player & servers
    assert not player & optional
    assert not servers & optional
    assert not (player | optional | servers) & dev
    for kind in ("", "-extras", "-servers", "-dev"):
        assert "://" not in (ROOT / f"requirements{kind}.lock").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["mcp", "serve"])
def test_command_without_its_extra_says_what_to_install(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = CliRunner().invoke(app, [command])
    assert result.exit_code == 1
    assert f"Install it: pip install 'monitor-tui[{command}]'." in result.stderr


@pytest.mark.slow
def test_package_wheel_installs_and_runs_outside_the_checkout(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(ROOT)],
        check=True,
    )
    (wheel,) = tmp_path.glob("monitor_tui-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {
        "monitor_tui",
        "screens",
        "widgets",
        "agents",
        "stores",
    }
    place = tmp_path / "place"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(place), str(wheel)], check=True)
    script = tmp_path / "look.play"
    script.write_text("universe: sample\n---\nI look at the sledge.\n", encoding="utf-8")
    code = (
        "import sys; sys.path.insert(0, sys.argv.pop(1));"
        "import monitor_tui; assert 'place' in monitor_tui.__file__, monitor_tui.__file__;"
        "from monitor_tui.cli.app import main; main()"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
            str(place),
            "--home",
            str(tmp_path / "home"),
            "play",
            "--script",
            str(script),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "I look at the sledge." in done.stdout
    for data in (
        "monitor_tui/monitor.tcss",
        "monitor_tui/sample/salt_coast.yaml",
        "agents/canon_keeper/predicates.yaml",
    ):
        assert data in names
    assert [n for n in names if n.startswith("screens/") and n.endswith(".tcss")]
