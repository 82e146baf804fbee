"""The process that holds the embedding model, run as `python -m agents.indexer.child`.

ONNX Runtime and the model take 264 MB, so they live where they can be thrown away when nobody asks. Nothing
imports this package. See docs/decisions/0012..
"""
