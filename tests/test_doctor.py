"""`monitor doctor`: it finds what is wrong, tries what is forbidden, and leaves everything as it was."""

# ruff: noqa: ASYNC240  (files are looked at while nothing else runs)

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from monitor_tui.environment_checks import check_environment
from stores.authority import WRITE_MATRIX, Role, Store
from stores.doctor import Attempt, AttemptOutcome, DoctorFinding
from stores.embedded.permissions import allow_all_writes
from tests.libraries import fill, library
from tests.test_worked_examples import monitor

Spoil = Callable[[apsw.Connection], object]


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    """A home that was played in, closed."""
    async with library(tmp_path / "home") as stores:
        await fill(stores)
    return tmp_path / "home"


def state_of(home: Path) -> dict[str, str]:
    """Every file of the home by its content, but for the lock, which says who had it last."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }


def spoil(home: Path, *statements: str) -> None:
    """Change the library as no program of ours would."""
    connection = apsw.Connection(str(home / "library.db"))
    allow_all_writes(connection)
    for statement in statements:
        connection.execute(statement)
    connection.close()


async def examined(home: Path) -> tuple[dict[str, DoctorFinding], list[Attempt]]:
    async with library(home) as stores:
        findings = {finding.what: finding async for finding in stores.doctor.findings()}
        return findings, [attempt async for attempt in stores.doctor.attempts()]


@pytest.mark.slow
async def test_doctor_finds_a_sound_library_and_changes_nothing(home: Path) -> None:
    before = state_of(home)
    findings, attempts = await examined(home)
    assert {finding.state for finding in findings.values()} == {"ok"}
    assert Counter(attempt.outcome for attempt in attempts)[AttemptOutcome.PASSED] == 0
    assert state_of(home) == before


@pytest.mark.slow
async def test_doctor_tries_every_role_on_every_store(home: Path) -> None:
    _, attempts = await examined(home)
    refused = {(a.role, a.store): a.outcome for a in attempts if a.outcome is not AttemptOutcome.UNTRIED}
    for role in Role:
        for store in Store:
            everything = {g.collection for g in WRITE_MATRIX[role] if g.store is store and g.columns is None}
            whole = role is Role.CANON_KEEPER and store is Store.CANON
            whole |= role is Role.INDEXER and store in (Store.VECTORS, Store.WORDS)
            if whole:
                assert everything
                assert (role, store) not in refused
            else:
                ours = AttemptOutcome.REFUSED_HERE if store is Store.OBJECTS else AttemptOutcome.REFUSED
                assert refused[role, store] is ours, (role, store)
    by_nobody = {a.what for a in attempts if a.role is None and a.outcome is AttemptOutcome.REFUSED}
    assert {"update turns", "delete turns", "delete resolutions", "update head_moves"} <= by_nobody
    assert len([a for a in attempts if a.outcome is AttemptOutcome.REFUSED]) > 1_500


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trigger", "role", "what"),
    [
        ("turns_speaker", Role.NARRATOR, "insert turns as player"),
        ("scenes_delete", Role.ORCHESTRATOR, "replace scenes"),
        ("turns_no_delete", None, "delete turns"),
    ],
)
async def test_doctor_reports_and_rolls_back_what_is_not_refused(
    trigger: str, role: Role | None, what: str, home: Path
) -> None:
    spoil(home, f"DROP TRIGGER {trigger}")
    before = state_of(home)
    _, attempts = await examined(home)
    passed = {
        (attempt.role, attempt.what) for attempt in attempts if attempt.outcome is AttemptOutcome.PASSED
    }
    assert (role, what) in passed
    assert state_of(home) == before
    done = monitor(home, "doctor", expect=1)
    assert f"passed        {role or '(nobody)'}: {what}" in done.stdout
    assert "Nothing was changed by looking." in done.stderr


ILL: dict[str, tuple[str, str]] = {
    "lines lead to their heads": ("lines lead to their heads", "DELETE FROM line WHERE depth = 1"),
    "a line that goes astray": (
        "lines lead to their heads",
        """UPDATE line SET turn_id = (SELECT id FROM turns t WHERE t.scene_id = line.scene_id
           AND t.depth = 1 AND t.id <> line.turn_id) WHERE depth = 1""",
    ),
    "heads stand where they moved": (
        "heads stand where they moved",
        "UPDATE scenes SET head = (SELECT id FROM turns WHERE depth = 0 AND scene_id = scenes.id)",
    ),
    "every fact has evidence": (
        "every fact has evidence",
        "DELETE FROM canon_supports WHERE subject_id IN (SELECT id FROM canon_facts)",
    ),
    "relations are those of the facts": (
        "relations are those of the facts",
        "UPDATE canon_relations SET valid_to = 3",
    ),
    "a relation that nobody finds": ("relations are those of the facts", "DELETE FROM canon_relations"),
    "references lead somewhere": (
        "references lead somewhere",
        "DELETE FROM canon_evidence WHERE made = (SELECT min(made) FROM canon_evidence)",
    ),
    "what was committed is in canon": (
        "what was committed is in canon",
        "DELETE FROM canon_facts WHERE made = 1",
    ),
    "a fact without its statement": (
        "every record can be read",
        "UPDATE canon_facts SET body = json_remove(body, '$.statement') WHERE made = 1",
    ),
    "an archived log that is lost": (
        "documents are whole",
        "UPDATE archived_logs SET body = json_set(body, '$.object_key', hex(zeroblob(32)))",
    ),
    "documents are whole": (
        "documents are whole",
        "UPDATE sources SET body = json_set(body, '$.object_key', hex(zeroblob(32)))",
    ),
    "clock": (
        "clock",
        """INSERT INTO transitions (body) SELECT json_set(body, '$.seq', 99, '$.at', '2999-01-01T00:00:00Z')
           FROM transitions LIMIT 1""",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", ILL)
async def test_doctor_finds_inconsistencies(case: str, home: Path) -> None:
    what, statement = ILL[case]
    spoil(home, "PRAGMA foreign_keys = 0", statement)
    before = state_of(home)
    findings, _ = await examined(home)
    assert findings[what].state == "bad", findings
    assert findings[what].says
    assert state_of(home) == before


@pytest.mark.slow
async def test_doctor_finds_a_damaged_page(home: Path) -> None:
    path = home / "library.db"
    data = bytearray(path.read_bytes())
    page = 4096 * (len(data) // 4096 - 2)
    data[page : page + 200] = b"\xff" * 200
    path.write_bytes(data)
    findings, _ = await examined(home)
    assert findings["library.db is whole"].state == "bad"


@pytest.mark.slow
@pytest.mark.parametrize("column", ["name", "description"])
async def test_doctor_names_a_record_with_bytes_that_are_no_text(column: str, home: Path) -> None:
    spoil(
        home,
        f"""UPDATE canon_entities SET body = CAST(replace(CAST(body AS BLOB), '"{column}":"',
            '"{column}":"' || CAST(x'ff' AS TEXT)) AS TEXT) WHERE made = 1""",
    )
    findings, _ = await examined(home)
    assert findings["every record can be read"].state == "bad"
    assert "entity" in findings["every record can be read"].says


@pytest.mark.slow
async def test_doctor_finds_a_changed_original(home: Path) -> None:
    (path,) = (home / "objects" / "originals").glob("??/*")
    path.chmod(0o600)
    path.write_bytes(b"something else")
    findings, _ = await examined(home)
    assert findings["documents are whole"].state == "bad"
    assert path.name in findings["documents are whole"].says


@pytest.mark.slow
async def test_doctor_finds_a_new_library_sound(tmp_path: Path) -> None:
    findings, attempts = await examined(tmp_path / "new")
    assert {finding.state for finding in findings.values()} == {"ok"}
    assert {a.outcome for a in attempts} == {
        AttemptOutcome.REFUSED,
        AttemptOutcome.REFUSED_HERE,
        AttemptOutcome.UNTRIED,
    }


# --- around the stores ------------------------------------------------------------------------------


def around(home: Path, now: datetime | None = None) -> dict[str, DoctorFinding]:
    return {finding.what: finding for finding in check_environment(home, now or datetime.now(UTC))}


@pytest.mark.slow
async def test_doctor_reports_versions(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = around(home)
    assert (found["home is private"].state, found["room on the disk"].state) == ("ok", "ok")
    assert found["backups"].state == "warning"
    monitor(home, "backup")
    assert around(home)["backups"].state == "ok"
    assert around(home, datetime.now(UTC) + timedelta(days=8))["backups"].state == "warning"
    assert around(home, datetime(2001, 1, 1, tzinfo=UTC))["clock"].state == "bad"
    home.chmod(0o755)
    assert around(home)["home is private"].state == "warning"
    (home / "settings.toml").write_text("[backup]\nkeep = 'many'\n")
    assert around(home)["settings"].state == "bad"
    full = shutil.disk_usage(home)._replace(free=1_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    assert around(home)["room on the disk"].state == "warning"


@pytest.mark.slow
async def test_doctor_command_reports_and_changes_nothing(home: Path) -> None:
    before = state_of(home)
    done = monitor(home, "doctor")
    assert "✓ library.db is whole" in done.stdout
    assert "canon_keeper" in done.stdout
    assert "Nothing is wrong; 1 thing to look at (!)." in done.stdout
    told = json.loads(monitor(home, "doctor", "--json").stdout)
    assert told["well"]
    assert told["versions"]["apsw"]
    assert told["refused"]["refused"] > 1_500
    assert state_of(home) == before
    listed = monitor(home, "doctor", "--all").stdout
    assert "refused       narrator: insert turns as player" in listed


@pytest.mark.slow
@pytest.mark.slow
async def test_doctor_command_fails_when_something_is_wrong(home: Path) -> None:
    spoil(home, "DELETE FROM canon_supports")
    done = monitor(home, "doctor", expect=1)
    assert "every fact has evidence" in done.stderr
    assert not json.loads(monitor(home, "doctor", "--json", expect=1).stdout)["well"]


@pytest.mark.slow
async def test_doctor_command_reads_a_copy_of_a_library_in_use(home: Path) -> None:
    async with library(home):
        done = monitor(home, "doctor")
    assert "has this library open" in done.stderr
    assert "Nothing is wrong" in done.stdout
