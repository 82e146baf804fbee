"""Existing play brought in: logs of other tables become stories, scenes and turns, and nothing of them canon.

Reading is pure (`reading.read_log` and what it calls); `importer` writes what was read, a scene at a time.
"""
