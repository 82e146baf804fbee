"""The process that runs the embedding model, started as `python -m agents.indexer.child`.

ONNX Runtime and the model take 264 MB, so they run in a process that can end when idle. Nothing imports
this package; see docs/decisions/0012.
"""
