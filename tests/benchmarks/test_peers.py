"""How other terminal programs are found, and the rows that compare them with MONITOR."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.peers import OURS, Measurements, find_command, make_rows


def _install(folder: Path, command: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    program = folder / "bin" / command
    program.touch(mode=0o755)
    return program


def test_peer_is_found_in_any_named_environment_and_before_path(tmp_path: Path) -> None:
    named, on_path = _install(tmp_path / "b", "posting"), _install(tmp_path / "c", "posting")
    folders = {"MONITOR_BENCH_PEERS": f"{tmp_path / 'a'}:{tmp_path / 'b'}", "PATH": str(tmp_path / "c/bin")}
    assert find_command("posting", folders) == str(named)
    assert find_command("posting", {"PATH": folders["PATH"]}) == str(on_path)


def test_peer_that_is_not_installed_is_not_found(tmp_path: Path) -> None:
    assert find_command("harlequin", {"MONITOR_BENCH_PEERS": str(tmp_path), "PATH": str(tmp_path)}) is None


def test_peer_rows_have_each_figure_and_how_many_times_ours_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.peers.HAS_PROC", True)
    measured = {
        OURS: Measurements([0.5, 0.4, 0.6], peak_memory=100, core_percent=0.0),
        "Other": Measurements([1.0], is_synchronized=False, peak_memory=150, core_percent=1.5),
    }
    rows = [(row.name, row.p50, row.unit) for row in make_rows(measured)]
    assert rows == [
        ("first frame, median of 3: MONITOR", 500, "ms"),
        ("first frame, median of 3: Other (to a pause of 50 ms)", 1_000, "ms"),
        ("  divided by MONITOR's", 2, "x"),
        ("peak memory of all its processes, 15 s later: MONITOR", 100, "MB"),
        ("peak memory of all its processes, 15 s later: Other", 150, "MB"),
        ("  divided by MONITOR's", 1.5, "x"),
        ("share of a core, 10 s at rest: MONITOR", 0, "%"),
        ("share of a core, 10 s at rest: Other", 1.5, "%"),
    ]
