"""One SQLite file under bad conditions: foreign, damaged, newer, shut, shared, full, cancelled."""

# ruff: noqa: ASYNC240  (files are looked at while nothing else runs)

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import apsw
import pytest

from stores.authority import Role
from stores.embedded.canon_graph import EmbeddedCanon
from stores.embedded.connections import ConnectionFactory
from stores.embedded.database import Database, Priority
from stores.embedded.library import APPLICATION_ID, open_library
from stores.embedded.migrations import COLLECTION_OF_TABLE, MIGRATIONS
from stores.embedded.narrative_log import EmbeddedLog
from stores.errors import LibraryInUse, LibraryUnreadable, StoreError, StoreFull
from stores.queries import FactsAboutQuery, LlmCallQuery
from tests.contract import builders as make
from tests.libraries import no_room_beyond

ROOT = Path(__file__).parent.parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library.db"


@pytest.fixture
async def library(path: Path) -> AsyncIterator[Database]:
    db = await open_library(path)
    yield db
    await db.close()


def in_folder(path: Path) -> set[str]:
    return {file.name for file in path.parent.iterdir()} - {"library.lock"}


def titles(connection: apsw.Connection) -> list[str]:
    return [str(row[0]) for row in connection.execute("SELECT body ->> '$.title' FROM stories ORDER BY made")]


def writing(title: str) -> Callable[[apsw.Connection], None]:
    story = make.story(title=title)

    def write(connection: apsw.Connection) -> None:
        connection.execute("INSERT INTO stories(body) VALUES (?)", (story.model_dump_json(),))

    return write


# --- whose file it is -------------------------------------------------------------------------------


async def test_library_is_created_with_its_folder_and_reopened(tmp_path: Path) -> None:
    path = tmp_path / "new" / "home" / "library.db"
    for _ in range(2):
        db = await open_library(path)
        await db.write(Role.ORCHESTRATOR, writing("The Lamp"))
        await db.close()
        await db.close()
    assert in_folder(path) == {"library.db"}, "the log was folded in and nothing was left beside it"
    db = await open_library(path)
    assert await db.read(titles) == ["The Lamp", "The Lamp"]
    assert in_folder(path) == {"library.db", "library.db-wal", "library.db-shm"}
    await db.close()


def _foreign_database(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE bookmarks (url); INSERT INTO bookmarks VALUES ('x')")
    connection.close()


def _foreign_wal_database(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA application_id = 7; CREATE TABLE bookmarks (url)")
    connection.close()


UNREADABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a foreign database": (_foreign_database, "is not a MONITOR library"),
    "a foreign database in WAL": (_foreign_wal_database, "is not a MONITOR library"),
    "a text file": (lambda path: path.write_text("Dear diary, " * 100), "is not a MONITOR library"),
    "a short text file": (lambda path: path.write_text("hi"), "is not a MONITOR library"),
    "a torn header": (lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(20)), "is damaged"),
    "a folder": (lambda path: path.mkdir(), "cannot be opened"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
async def test_library_open_leaves_foreign_files_alone(path: Path, kind: str) -> None:
    prepare, words = UNREADABLE[kind]
    prepare(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(LibraryUnreadable, match=words) as error:
        await open_library(path)
    assert error.value.kept == "It was left as it is."
    assert error.value.todo
    assert in_folder(path) == {"library.db"}
    assert (path.read_bytes() if path.is_file() else None) == before


async def test_library_open_accepts_an_empty_file(path: Path) -> None:
    path.touch()
    db = await open_library(path)
    await db.close()
    assert path.stat().st_size > 0


async def test_library_that_is_truncated_is_damaged(path: Path) -> None:
    db = await open_library(path)
    await db.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LibraryUnreadable, match="is damaged"):
        await open_library(path)
    assert path.read_bytes() == whole[: len(whole) // 2]
    assert in_folder(path) == {"library.db"}


async def test_library_damage_found_while_reading_is_reported(path: Path) -> None:
    db = await open_library(path)
    for _ in range(50):
        await db.write(Role.ORCHESTRATOR, writing("x" * 4_000))
    await db.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-100_000] + b"\xde\xad" * 50_000)
    db = await open_library(path)
    with pytest.raises(LibraryUnreadable, match="is damaged"):
        await db.read(titles)
    await db.close()


async def test_library_with_an_invalid_record_is_damaged(library: Database) -> None:
    await library.write_as_owner(lambda c: c.execute('INSERT INTO stories(body) VALUES (\'{"id": "s"}\')'))
    with pytest.raises(LibraryUnreadable, match="The story s in the library is damaged"):
        await EmbeddedLog(library, Role.ORCHESTRATOR).stories()


async def test_library_of_a_newer_format_is_left_alone(path: Path) -> None:
    newer = (*MIGRATIONS, lambda connection: None)
    db = await Database.open(
        path, store_of_table=COLLECTION_OF_TABLE, migrations=newer, application_id=APPLICATION_ID
    )
    await db.close()
    before = path.read_bytes()
    with pytest.raises(LibraryUnreadable, match="made by a newer MONITOR") as error:
        await open_library(path)
    assert "Update MONITOR" in error.value.todo
    assert path.read_bytes() == before
    assert in_folder(path) == {"library.db"}


async def test_library_migration_that_fails_is_rolled_back(path: Path) -> None:
    db = await open_library(path)
    await db.write(Role.ORCHESTRATOR, writing("The Lamp"))
    await db.close()

    def add_table(connection: apsw.Connection) -> None:
        connection.execute("CREATE TABLE added (a)")

    def fail(connection: apsw.Connection) -> None:
        raise ValueError("no")

    async def open_with(*steps: Callable[[apsw.Connection], None]) -> Database:
        return await Database.open(
            path,
            store_of_table=COLLECTION_OF_TABLE,
            migrations=(*MIGRATIONS, *steps),
            application_id=APPLICATION_ID,
            exclusive=True,
        )

    with pytest.raises(ValueError, match="no"):
        await open_with(add_table, fail)
    db = await open_with(add_table)
    assert await db.read(lambda c: c.pragma("user_version")) == len(MIGRATIONS) + 1
    assert await db.read(titles) == ["The Lamp"]
    await db.close()


@pytest.mark.slow
@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
async def test_library_of_any_earlier_format_keeps_its_records(path: Path, version: int) -> None:
    old = await Database.open(
        path,
        store_of_table=COLLECTION_OF_TABLE,
        migrations=MIGRATIONS[:version],
        application_id=APPLICATION_ID,
    )
    story = make.story()
    scene = make.scene(story)
    moved = make.transition(scene.id)
    later = {"entries", "budget", "steps"}  # fields that came with later versions

    def write(connection: apsw.Connection) -> None:
        for table, record in (("stories", story), ("scenes", scene), ("transitions", moved)):
            body = record.model_dump_json(exclude=later)
            connection.execute(f"INSERT INTO {table}(body) VALUES (?)", (body,))

    await old.write_as_owner(write)
    await old.close()
    library = await open_library(path)
    log, narrator = EmbeddedLog(library, Role.ORCHESTRATOR), EmbeddedLog(library, Role.NARRATOR)
    try:
        assert await log.stories() == [story]
        assert await log.scene(scene.id) == scene
        assert await log.transitions() == [moved]
        said, call = make.turn(scene), make.call(scene)
        await log.append_turn(said)
        await narrator.record_call(call)
        await narrator.mark_decisions([make.mark(said)])
        assert await log.llm_calls(LlmCallQuery(story_id=story.id)) == [call]
        assert len(await log.decision_marks(scene.id)) == 1
    finally:
        await library.close()


@pytest.mark.slow
@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
async def test_library_of_any_earlier_format_finds_facts_by_entity(path: Path, version: int) -> None:
    """What an index needs of a fact is filled in for those that are there already."""
    old = await Database.open(
        path,
        store_of_table=COLLECTION_OF_TABLE,
        migrations=MIGRATIONS[:version],
        application_id=APPLICATION_ID,
    )
    hero = make.entity("Mara")
    facts = [make.fact(f"Mara is at mile {mile}.", hero, valid_from=mile) for mile in range(5)]

    def write(connection: apsw.Connection) -> None:
        for fact in facts:
            connection.execute("INSERT INTO canon_facts(body) VALUES (?)", (fact.model_dump_json(),))
            connection.execute(
                """INSERT INTO canon_involvements(fact_id, ordinal, role, entity_id, predicate)
                   VALUES (?, 0, 'subject', ?, ?)""",
                (fact.id, hero.id, fact.predicate),
            )
            if version >= 8:  # from then on each write fills these in
                connection.execute(
                    """UPDATE canon_involvements SET (made, begins) =
                         (SELECT f.made, f.valid_from FROM canon_facts f WHERE f.id = fact_id)"""
                )

    await old.write_as_owner(write)
    await old.close()
    library = await open_library(path)
    canon = EmbeddedCanon(library, Role.CANON_KEEPER)
    try:
        later = make.fact("Mara is at mile 5.", hero, valid_from=5)
        await canon.commit(make.batch(facts=(later,)))
        assert await canon.facts_about(hero.id) == [*facts, later]
        assert await canon.facts_about(hero.id, FactsAboutQuery(newest=2)) == [facts[4], later]
        assert await canon.facts_about(hero.id, FactsAboutQuery(begins_within=(1, 3))) == facts[1:4]
    finally:
        await library.close()


SHUT = """
import asyncio, os, sys
from pathlib import Path
from stores.embedded.library import open_library
from stores.errors import LibraryUnreadable
if os.geteuid() == 0:
    os.setuid(65534)  # the rights of a folder do not bind root
try:
    asyncio.run(open_library(Path(sys.argv[1])))
except LibraryUnreadable as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX rights")
@pytest.mark.parametrize("shut", ["folder", "file", "parent"])
async def test_library_that_is_read_only_is_reported(path: Path, shut: str) -> None:
    home = Path("/tmp") / f"monitor-shut-{os.getpid()}-{shut}"
    home.mkdir()
    library = home / ("sub/library.db" if shut == "parent" else "library.db")
    try:
        if shut == "file":
            db = await open_library(library)
            await db.close()
            library.chmod(0o444)
            library.with_suffix(".lock").chmod(0o666)
        home.chmod(0o777 if shut == "file" else 0o555)
        process = await asyncio.to_thread(
            lambda: subprocess.run(
                [sys.executable, "-c", SHUT, library], cwd=ROOT, capture_output=True, text=True
            )
        )
        assert "cannot be opened for writing" in process.stdout, process.stderr
        assert "Check who owns the folder" in process.stdout
        left = {"library.db", "library.lock"} if shut == "file" else set()
        assert {file.name for file in home.iterdir()} == left, "no log was begun beside it"
    finally:
        home.chmod(0o777)
        for file in home.iterdir():
            file.unlink()
        home.rmdir()


# --- one process at a time --------------------------------------------------------------------------

HOLD = """
import asyncio, sys
from pathlib import Path
from stores.embedded.library import open_library
async def hold():
    await open_library(Path(sys.argv[1]))
    print("open", flush=True)
    sys.stdin.read()
asyncio.run(hold())
"""


@pytest.mark.slow
async def test_library_lock_error_names_the_process(path: Path) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, path, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout
        assert await holder.stdout.readline() == b"open\n"
        with pytest.raises(LibraryInUse, match=f"process {holder.pid}"):
            await open_library(path)
    finally:
        holder.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        await holder.communicate()
    db = await open_library(path)
    await db.close()


@pytest.mark.slow
async def test_library_whose_newest_writes_are_missing_is_not_opened(path: Path) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, path, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout
    await holder.stdout.readline()
    holder.kill()
    await holder.communicate()
    log = path.with_name("library.db-wal")
    log.rename(path.with_name("log"))
    for _ in range(2):
        with pytest.raises(
            LibraryUnreadable, match=r"library\.db-wal, the file with what was written last"
        ) as error:
            await open_library(path)
    assert "delete library.lock to open the library without the newest turns" in error.value.todo
    path.with_name("log").rename(log)
    for _ in range(2):  # whole again, and closed properly
        db = await open_library(path)
        await db.close()
        assert not log.exists()


@pytest.mark.slow
async def test_library_whose_lock_was_deleted_opens_without_its_log(path: Path) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, path, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout
    await holder.stdout.readline()
    holder.kill()
    await holder.communicate()
    path.with_name("library.db-wal").unlink()
    path.with_name("library.lock").unlink()
    db = await open_library(path)
    await db.close()


async def copy_of_an_open_library(folder: Path, title: str) -> Path:
    """Return a library as a kill leaves it: with its log, in which the title is."""
    db = await open_library(folder / "library.db")
    await db.write(Role.ORCHESTRATOR, writing(title))
    copy = Path(shutil.copytree(folder, folder.with_name(f"{folder.name} as killed"))) / "library.db"
    await db.close()
    return copy


async def titles_in(path: Path) -> list[str]:
    db = await open_library(path)
    read = await db.read(titles)
    await db.close()
    return read


async def test_library_with_the_log_of_another_is_not_opened(tmp_path: Path) -> None:
    """SQLite itself would replay it: whoever lays one library's log beside another loses turns without a word."""
    ann, bert = [await copy_of_an_open_library(tmp_path / name, name) for name in ("Ann", "Bert")]
    own_log, foreign_log = ann.with_name("library.db-wal"), bert.with_name("library.db-wal")
    kept_log = own_log.read_bytes()
    own_log.write_bytes(foreign_log.read_bytes())
    before = ann.read_bytes()
    for _ in range(2):
        with pytest.raises(
            LibraryUnreadable, match=r"library\.db-wal beside .* is not of this library"
        ) as error:
            await open_library(ann)
    assert "put the library's own back" in error.value.todo
    assert ann.read_bytes() == before
    own_log.write_bytes(kept_log)
    assert await titles_in(ann) == ["Ann"]

    assert not own_log.exists(), "closed properly, it has none"
    own_log.write_bytes(foreign_log.read_bytes())
    with pytest.raises(LibraryUnreadable, match="is not of this library"):
        await open_library(ann)
    own_log.unlink()
    assert await titles_in(ann) == ["Ann"]
    assert await titles_in(bert) == ["Bert"]


async def test_library_that_is_older_than_its_log_is_not_opened(tmp_path: Path) -> None:
    """After a crash I copy the library.db of last week over the one that is there."""
    home = tmp_path / "home"
    for week in range(2):
        db = await open_library(home / "library.db")
        for number in range(20):
            await db.write(Role.ORCHESTRATOR, writing(f"{week}/{number}: {'x' * 500}"))
        await db.close()
        if week == 0:
            last_week = (home / "library.db").read_bytes()
    killed = await copy_of_an_open_library(home, "last")
    this_week, log = killed.read_bytes(), killed.with_name("library.db-wal")
    killed.write_bytes(last_week)
    with pytest.raises(
        LibraryUnreadable, match=r"library\.db is older than library\.db-wal beside it"
    ) as error:
        await open_library(killed)
    assert "Put the newer library.db back" in error.value.todo
    assert killed.read_bytes() == last_week
    killed.write_bytes(this_week)
    assert (await titles_in(killed))[-1] == "last"
    assert not log.exists()
    killed.write_bytes(last_week)
    assert len(await titles_in(killed)) == 20, "closed properly, any copy of it opens"


async def test_library_knows_its_log_however_often_that_was_begun_anew(tmp_path: Path) -> None:
    db = await open_library(tmp_path / "home" / "library.db")
    for number in range(4):
        await db.write(Role.ORCHESTRATOR, writing(str(number)))
        await db.write_as_owner(lambda c: None)
        checkpoint = apsw.Connection(str(db.path))
        checkpoint.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)
        checkpoint.close()
    await db.write(Role.ORCHESTRATOR, writing("last"))
    copy = Path(shutil.copytree(tmp_path / "home", tmp_path / "killed")) / "library.db"
    await db.close()
    assert await titles_in(copy) == ["0", "1", "2", "3", "last"]


async def test_library_killed_within_the_first_write_of_its_log_opens_after_the_next_kill(
    tmp_path: Path,
) -> None:
    """SQLite begins such a log anew with a number that has nothing to do with the one before."""
    killed = await copy_of_an_open_library(tmp_path / "home", "The Lamp")
    log = killed.with_name("library.db-wal")
    log.write_bytes(log.read_bytes()[:100])  # its head, and less than a page
    db = await open_library(killed)
    await db.write(Role.ORCHESTRATOR, writing("The Bell"))
    killed_again = Path(shutil.copytree(killed.parent, tmp_path / "killed again")) / "library.db"
    await db.close()
    assert (await titles_in(killed_again))[-1] == "The Bell"


async def test_library_closed_while_somebody_reads_it_opens_again(path: Path) -> None:
    """SQLite leaves the log to the reader then, which may not remove it."""
    db = await open_library(path)
    await db.write(Role.ORCHESTRATOR, writing("The Lamp"))
    reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    reader.execute("SELECT count(*) FROM stories").fetchall()
    await db.close()
    reader.close()
    assert path.with_name("library.db-wal").stat().st_size
    assert await titles_in(path) == ["The Lamp"]


async def test_library_with_the_lock_of_an_earlier_version_opens(tmp_path: Path) -> None:
    for number, content in enumerate(("4711", "4711 open", "", "\udcff no lock of ours " * 40)):
        copy = await copy_of_an_open_library(tmp_path / str(number), str(number))
        copy.with_suffix(".lock").write_bytes(content.encode(errors="surrogateescape"))
        assert await titles_in(copy) == [str(number)]


async def test_library_lock_that_was_deleted_lets_no_second_process_in(path: Path) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, path, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout
        await holder.stdout.readline()
        path.with_name("library.lock").unlink()
        for _ in range(2):
            with pytest.raises(LibraryInUse, match="Another MONITOR has this library open"):
                await open_library(path)
    finally:
        holder.kill()
        await holder.communicate()
    db = await open_library(path)
    await db.close()


async def test_library_lock_is_shared_by_folders_that_link_to_one_library(tmp_path: Path) -> None:
    path, link = tmp_path / "one" / "library.db", tmp_path / "two" / "library.db"
    db = await open_library(path)
    link.parent.mkdir()
    link.symlink_to(path)
    with pytest.raises(LibraryInUse, match=f"process {os.getpid()}"):
        await open_library(link)
    await db.close()
    db = await open_library(link)
    with pytest.raises(LibraryInUse, match=f"process {os.getpid()}"):
        await open_library(path)
    await db.write(Role.ORCHESTRATOR, writing("over the link"))
    await db.close()
    db = await open_library(path)
    assert await db.read(titles) == ["over the link"]
    await db.close()


async def test_library_that_links_to_a_foreign_file_gets_no_lock_beside_it(tmp_path: Path) -> None:
    foreign, lock = tmp_path / "thesis.db", tmp_path / "thesis.lock"
    foreign.write_text("Chapter one. " * 100)
    lock.write_text("mine")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "library.db").symlink_to(foreign)
    with pytest.raises(LibraryUnreadable, match="is not a MONITOR library"):
        await open_library(tmp_path / "home" / "library.db")
    assert lock.read_text() == "mine"


async def test_library_lock_refuses_a_second_open_in_one_process(library: Database, path: Path) -> None:
    with pytest.raises(LibraryInUse, match=f"process {os.getpid()}"):
        await open_library(path)
    await library.write(Role.ORCHESTRATOR, writing("still here"))
    assert await library.read(titles) == ["still here"]


# --- a full disk ------------------------------------------------------------------------------------


async def test_library_on_a_full_disk_loses_nothing(library: Database, path: Path) -> None:
    await library.write(Role.ORCHESTRATOR, writing("before"))
    log = path.with_name("library.db-wal")
    with no_room_beyond(log.stat().st_size):
        for _ in range(3):
            with pytest.raises(StoreFull, match="The disk is full; not everything could be written") as error:
                await library.write(Role.ORCHESTRATOR, writing("x" * 100_000))
        assert await library.read(titles) == ["before"]
    assert error.value.kept == "What was written before is safe."
    assert error.value.todo == "Free some space and try again."
    await library.write(Role.ORCHESTRATOR, writing("after"))
    assert await library.read(titles) == ["before", "after"]


async def test_library_that_is_full_is_reported(library: Database) -> None:
    def fill(connection: apsw.Connection) -> None:
        connection.pragma("max_page_count", connection.pragma("page_count"))
        writing("x" * 100_000)(connection)

    with pytest.raises(StoreFull, match="The disk is full"):
        await library.write_as_owner(fill)
    await library.write(Role.ORCHESTRATOR, writing("after"))
    assert await library.read(titles) == ["after"]


# --- the queue --------------------------------------------------------------------------------------


class Gate:
    """Work that holds the writer thread until it is let go."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.opened = threading.Event()

    def __call__(self, connection: apsw.Connection) -> None:
        self.entered.set()
        assert self.opened.wait(30)
        writing("held")(connection)


async def test_writer_thread_serves_play_before_background(library: Database) -> None:
    gate = Gate()
    held = asyncio.create_task(library.write(Role.ORCHESTRATOR, gate))
    await asyncio.to_thread(gate.entered.wait)
    queued = [
        asyncio.create_task(library.write(Role.ORCHESTRATOR, writing(f"{priority.name} {n}"), priority))
        for n, priority in enumerate((Priority.BACKGROUND, Priority.PLAY, Priority.BACKGROUND, Priority.PLAY))
    ]
    await asyncio.sleep(0)  # each task queues its write in its first step
    gate.opened.set()
    await asyncio.gather(held, *queued)
    assert await library.read(titles) == ["held", "PLAY 1", "PLAY 3", "BACKGROUND 0", "BACKGROUND 2"]


async def test_write_that_is_cancelled_is_all_or_nothing(library: Database) -> None:
    gate = Gate()
    running = asyncio.create_task(library.write(Role.ORCHESTRATOR, gate))
    await asyncio.to_thread(gate.entered.wait)
    waiting = asyncio.create_task(library.write(Role.ORCHESTRATOR, writing("waiting")))
    kept = asyncio.create_task(library.write(Role.ORCHESTRATOR, writing("kept")))
    await asyncio.sleep(0)
    for task in (running, waiting):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    gate.opened.set()
    await kept
    assert await library.read(titles) == ["held", "kept"], "what had begun was finished, the other dropped"


async def test_write_that_fails_is_rolled_back(library: Database) -> None:
    def half(connection: apsw.Connection) -> None:
        writing("half")(connection)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await library.write(Role.ORCHESTRATOR, half)
    assert await library.read(titles) == []


async def test_read_runs_during_a_write(library: Database) -> None:
    gate = Gate()
    held = asyncio.create_task(library.write(Role.ORCHESTRATOR, gate))
    await asyncio.to_thread(gate.entered.wait)
    assert await asyncio.gather(*(library.read(titles) for _ in range(10))) == [[]] * 10
    gate.opened.set()
    await held
    assert await library.read(titles) == ["held"]


async def test_library_close_finishes_queued_writes(path: Path) -> None:
    db = await open_library(path)
    writes = [asyncio.create_task(db.write(Role.ORCHESTRATOR, writing(str(n)))) for n in range(20)]
    await asyncio.sleep(0)
    await db.close()
    await asyncio.gather(*writes)
    for late in (db.read(titles), db.write(Role.ORCHESTRATOR, writing("late"))):
        with pytest.raises(StoreError, match="is closed"):
            await late
    db = await open_library(path)
    assert await db.read(titles) == [str(n) for n in range(20)]
    await db.close()


async def test_library_writes_nothing_to_the_terminal(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path.write_bytes(b"SQLite format 3\0" + bytes(4_000))
    with pytest.raises(LibraryUnreadable):
        await open_library(path)
    path.unlink()
    db = await open_library(path)
    with pytest.raises(StoreError):
        await db.read(lambda c: c.execute("SELECT * FROM nowhere"))
    await db.close()
    assert capfd.readouterr() == ("", "")


def test_database_statements_are_prepared_once(tmp_path: Path) -> None:
    """Also those with `LIMIT ?`, and those before a write of many rows."""
    connections = ConnectionFactory(tmp_path / "prepared.db", {}, "OFF")
    connection = connections.open_as_owner(APPLICATION_ID, [])
    connection.execute("CREATE TABLE words (word TEXT)")
    prepared_count = 0

    def count(*_: object) -> int:
        nonlocal prepared_count
        prepared_count += 1
        return apsw.SQLITE_OK

    connection.authorizer = count
    for limit in (1, 200, -1):
        connection.execute("SELECT word FROM words LIMIT ?", (limit,)).fetchall()
        connection.executemany("INSERT INTO words VALUES (?)", ((str(n),) for n in range(200)))
        if limit == 1:
            assert prepared_count > 0
            prepared_count = 0
    connection.close()
    assert prepared_count == 0
