"""The process that reads documents, started as `python -m agents.ingest.documents.child`.

Documents come from anywhere, and libraries in C and Rust take them apart: so each is read in a process of its
own, with bounds on memory and time, that can be ended at any moment. Nothing imports this package.
"""
