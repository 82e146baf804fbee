"""The log file in the home folder: small, rotated, with secrets masked."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from agents.secret_masking import mask_secrets

LOG_NAME = "monitor.log"
_CHATTY_LOGGERS = ("httpx", "neo4j", "opensearch", "pymongo", "urllib3")
"""Drivers of servers that tell of every single request."""


class SecretMaskingFormatter(logging.Formatter):
    """Replaces what looks like a key or a password in all that is written, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        return mask_secrets(super().format(record))


def start_log(home: Path, name: str = LOG_NAME) -> Path:
    """Send the program's log to `home`; returns the file. An unwritable home only costs the log."""
    path = home / name
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    for logger_name in _CHATTY_LOGGERS:
        logging.getLogger(logger_name).setLevel(logging.WARNING)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(
            path, maxBytes=1_000_000, backupCount=2, encoding="utf-8"
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(SecretMaskingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    # Nothing may write to the terminal while the screen is up: this handler is the only one.
    root.handlers[:] = [handler]
    return path
