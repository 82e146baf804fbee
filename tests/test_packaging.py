"""What is installed is what was meant: our packages, their data, and nothing heavy before the first frame."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
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
from tools.man_page import MAN_PAGE, build_man_page

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
    "PIL",
    "textual_image",
    "taskiq",
    "redis",
}


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that a fresh process has after `statement`."""
    code = f"{statement}; import sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()} | set(done.stdout.split())


@pytest.mark.slow
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


PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def build_wheel(folder: Path) -> Path:
    options = ("--no-deps", "--no-build-isolation", "--wheel-dir", str(folder))
    subprocess.run([*PIP, "wheel", *options, str(ROOT)], check=True)
    (wheel,) = folder.glob("monitor_tui-*.whl")
    return wheel


def write_play_script(folder: Path) -> Path:
    script = folder / "look.play"
    script.write_text("universe: sample\n---\nI look at the sledge.\n", encoding="utf-8")
    return script


@pytest.mark.slow
def test_package_wheel_installs_and_runs_outside_the_checkout(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path)
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if not re.search(r"\.(dist-info|data)/", name)} == {
        "monitor_tui",
        "screens",
        "widgets",
        "agents",
        "stores",
    }
    shared = {name.partition("/data/")[2] for name in names if ".data/" in name}
    assert shared == {"share/man/man1/monitor.1", "share/applications/monitor.desktop"}
    place = tmp_path / "place"
    subprocess.run([*PIP, "install", "--no-deps", "--target", str(place), str(wheel)], check=True)
    script = write_play_script(tmp_path)
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


@pytest.fixture(scope="module")
def installers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of a fresh environment with pipx and uv, as the registry has them."""
    folder = tmp_path_factory.mktemp("installers")
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "pip"), "--disable-pip-version-check", "--quiet"]
    if subprocess.run([*pip, "install", "pipx", "uv"], check=False).returncode != 0:
        pytest.skip("no registry has pipx and uv here")
    return folder / "bin"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="bash completes")
@pytest.mark.parametrize(
    "install",
    [
        ("pipx", "install", "--pip-args=--constraint={lock}"),
        ("uv", "tool", "install", "--constraints={lock}"),
    ],
    ids=["pipx", "uv"],
)
def test_wheel_installed_by_a_tool_plays_and_completes_commands(
    install: tuple[str, ...], installers: Path, tmp_path: Path
) -> None:
    """I install it as I do my other tools: it plays, Tab completes it, and it brings its man page and desktop entry."""
    home, wheel = tmp_path / "me", build_wheel(tmp_path)
    home.mkdir()
    path = os.pathsep.join((str(home / ".local" / "bin"), str(installers), os.environ["PATH"]))
    places = ("XDG_", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(places)}
    kept["UV_NATIVE_TLS"] = "true"  # trust what this machine trusts, as pip does
    environment = kept | {"HOME": str(home), "PATH": path}

    def run(*command: str) -> str:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run(*(word.format(lock=ROOT / "requirements.lock") for word in install), str(wheel))
    assert run("monitor", "--version") == f"monitor-tui {distribution('monitor-tui').version}\n"
    played = run(
        "monitor", "--home", str(home / "play"), "play", "--script", str(write_play_script(tmp_path))
    )
    assert "I look at the sledge." in played
    run("bash", "-c", "monitor --install-completion; true")  # the shell is told by who runs it
    ask = "COMP_WORDS=(monitor exp); COMP_CWORD=1; _monitor_completion monitor; echo ${COMPREPLY[*]}"
    assert run("bash", "-c", f"source ~/.bashrc; {ask}") == "export\n"
    shared = {path.name for path in home.rglob("monitor.*") if "share" in path.parts[-4:]}
    assert shared >= {"monitor.1", "monitor.desktop"}


def test_man_page_is_what_the_commands_say() -> None:
    assert MAN_PAGE.read_text(encoding="utf-8") == build_man_page(), "run `make man`"


def test_shell_that_asks_how_a_line_goes_on_is_answered_and_opens_no_screen() -> None:
    environment = {
        **os.environ,
        "_MONITOR_COMPLETE": "complete_bash",
        "COMP_WORDS": "monitor exp",
        "COMP_CWORD": "1",
    }
    code = "import sys; sys.argv = ['monitor']; from monitor_tui.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    assert done.stdout.split() == ["export"]
