"""The `monitor` command."""

from monitor_tui.cli.app import main

__all__ = ["main"]
