"""Qdrant's REST API over Qdrant's own embedded engine: a stand-in, as no package registry carries the server.

The engine (filters, payload indexes, scores, its write-ahead log) is Qdrant's, from `qdrant-edge-py`; HTTP,
collections, aliases, keys and tokens are ours. What is not here answers 501 and says so. It runs in a virtual
environment of its own, and is for tests only.
"""
