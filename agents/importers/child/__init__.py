"""The process that reads a long log, started as `python -m agents.importers.child`. Nothing imports this package."""
