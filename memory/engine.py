"""Open a database, and hand out transactions: it knows SQLite, as `search` alone does besides.

    URL -> lock -> version check -> migrations -> Database.write() / .read() -> Session

A write is one BEGIN IMMEDIATE transaction with `synchronous=FULL`: when it returns it is on disk,
when it raises nothing of it is. Failures of the storage become house errors here. Another
SQLAlchemy URL passes through without the lock file and the pragmas.

Start at `open_database`. Not here: tables (`tables`), who holds the lock (`holder`).
"""

import errno
import itertools
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    PoolProxiedConnection,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlmodel import Session

from guard.domain.errors import BadValue, StorageFull
from memory import migrations
from memory.holder import Holder, hold, noted
from memory.kept import KEPT, Kept

BUSY_S = 30.0
"""How long a write waits for another process's write, such as `token add` beside a server."""
CONNECTIONS = 64
"""More than the threads that call at once."""
_STORAGE_TROUBLE = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
    }
)
_NOT_OURS = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT})
_DISK_TROUBLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS})


class Database:
    """An open database; any number of threads may use it."""

    def __init__(self, url: str, engine: Engine, holder: Holder | None) -> None:
        self.url = url
        self.engine = engine
        self._holder = holder
        self._writing = engine.execution_options(kernelarc_begin="BEGIN IMMEDIATE")
        # SQLite lets one writer in at a time and makes others poll; a lock queues our own threads.
        self._turn = threading.Lock()
        self._kept = {KEPT: Kept()}
        self._watch: PoolProxiedConnection | None = None
        self._looking = threading.Lock()
        self._numbers = itertools.count()

    @contextmanager
    def write(self) -> Iterator[Session]:
        """One transaction: on disk when the block ends, undone when it raises.

        Raises:
            StorageFull: the disk is full or fails; nothing of the block was kept.
        """
        with self._turn, _storage(self.url), Session(self._writing) as session, session.begin():
            yield session

    @contextmanager
    def read(self) -> Iterator[Session]:
        """One consistent snapshot; never blocks a writer, never waits for one."""
        with _storage(self.url), Session(self.engine, info=self._kept) as session:
            yield session

    def version(self) -> int:
        """A number that is another one after a commit, whoever made it; no disk is read for it."""
        if self.engine.dialect.name != "sqlite":
            return next(self._numbers)
        with self._looking:
            # A connection of its own: one that writes does not see its own commits so.
            self._watch = self._watch or self.engine.raw_connection()
            row = self._watch.cursor().execute("PRAGMA data_version").fetchone()
        return int(row[0])

    def note_holder(self, text: str) -> None:
        """Tell others how to reach the server that holds this database."""
        if self._holder is not None:
            self._holder.note(text)

    def close(self) -> None:
        """Close all connections and drop the lock."""
        if self._watch is not None:
            self._watch.close()
        self.engine.dispose()
        if self._holder is not None:
            self._holder.release()


def open_database(url: str, *, exclusive: bool = True) -> Database:
    """Open a database for writing, creating it or bringing it up to date.

    A server opens it exclusively. `exclusive=False` is for a short command beside a running
    server, such as adding a token: SQLite keeps the two apart, the lock is left alone.

    Raises:
        DatabaseHeld: another server has it.
        DatabaseNewer: a newer version wrote it; nothing was changed.
        BadValue: the URL cannot be used, or names something else than our database.
        StorageFull: it could not be written.
    """
    parsed = _parse(url)
    path = _file(parsed)
    holder = None
    with _storage(url):
        if path is not None:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            holder = hold(_lock_file(path), _shown(parsed)) if exclusive else None
    database = Database(url, _engine(parsed, path), holder)
    try:
        with _storage(url):
            _prepare(database, path)
    except BaseException:
        database.close()
        raise
    return database


def read_database(url: str) -> Database:
    """Open an existing database for reading only, whether or not a server holds it.

    Raises:
        DatabaseNewer: a newer version wrote it.
        BadValue: there is none, or an older version wrote it.
    """
    parsed = _parse(url)
    path = _file(parsed)
    if path is not None and not path.exists():
        raise BadValue("--db", f"there is no database at {str(path)!r}")
    database = Database(url, _engine(parsed, path, read_only=True), None)
    try:
        with _storage(url), database.engine.connect() as connection:
            found = migrations.check(connection, _shown(parsed))
        if found < migrations.latest():
            raise BadValue(
                "--db",
                f"{_shown(parsed)} has schema version {found}, this version reads "
                f"{migrations.latest()}",
                hint="Start the server on it once: that brings it up to date.",
            )
    except BaseException:
        database.close()
        raise
    return database


def read_holder(url: str) -> str | None:
    """What the server that holds a database noted about itself, such as its URL.

    None when no server holds it; empty when one does that has noted nothing yet.
    """
    path = _file(_parse(url))
    return None if path is None else noted(_lock_file(path))


def _prepare(database: Database, path: Path | None) -> None:
    shown = _shown(database.engine.url)
    if path is not None:
        # SQLite gives its -wal and -shm files the mode of this one.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    with database.engine.connect() as connection:
        migrations.check(connection, shown)
    if path is not None:
        # Only after the check: it changes the file, and a newer one must not be touched.
        _keep_a_write_ahead_log(database.engine)
    with database.write() as session:
        migrations.apply(session.connection(), shown)


def _keep_a_write_ahead_log(engine: Engine) -> None:
    connection = engine.raw_connection()
    try:
        # Outside a transaction, where alone SQLite lets the mode change.
        connection.cursor().execute("PRAGMA journal_mode=WAL")
    finally:
        connection.close()


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
        parsed.get_dialect().import_dbapi()
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise BadValue(
            "--db",
            f"{url!r} is not the URL of a database that can be used here: {error}",
            hint="Such as sqlite:////home/me/board.db",
        ) from error
    return parsed


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)


def _file(url: URL) -> Path | None:
    if url.get_backend_name() != "sqlite":
        return None
    if url.database in {None, "", ":memory:"} or "uri" in url.query:
        raise BadValue("--db", f"{_shown(url)!r} names no file, so nothing would be kept")
    return Path(str(url.database)).expanduser().resolve()


def _lock_file(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _engine(url: URL, path: Path | None, *, read_only: bool = False) -> Engine:
    if path is None:
        return create_engine(url)
    engine = create_engine(
        url.set(database=str(path)),
        # With no isolation level the driver leaves BEGIN to us, which alone makes it IMMEDIATE.
        connect_args={"isolation_level": None, "timeout": BUSY_S, "check_same_thread": False},
        max_overflow=CONNECTIONS,
    )

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: Any) -> None:
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute(f"PRAGMA query_only={int(read_only)}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(
            connection.get_execution_options().get("kernelarc_begin", "BEGIN")
        )

    return engine


@contextmanager
def _storage(url: str) -> Iterator[None]:
    """Say in the house's words what the disk or the file is at fault for; pass on the rest."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in _DISK_TROUBLE:
            raise StorageFull(_shown(make_url(url)), reason) from error
        raise BadValue("--db", f"{_shown(make_url(url))}: {reason}") from error
    except (DBAPIError, sqlite3.Error) as error:
        said = error.orig if isinstance(error, DBAPIError) else error
        # The low byte is the kind of failure, the rest its detail.
        kind = getattr(said, "sqlite_errorcode", 0) & 0xFF
        if kind in _STORAGE_TROUBLE:
            raise StorageFull(_shown(make_url(url)), str(said)) from error
        if kind in _NOT_OURS:
            raise BadValue("--db", f"{_shown(make_url(url))}: {said}") from error
        raise
