"""Imports existing play: logs of other programs become stories, scenes and turns. None of it becomes canon.

`log_reading.read_log` and the parsers that it calls are pure; `importer` writes the records, one scene at a
time.
"""
