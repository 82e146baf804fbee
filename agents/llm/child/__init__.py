"""The process that speaks LiteLLM, run as `python -m agents.llm.child`. Nothing imports this package.

LiteLLM costs 4.5 CPU seconds and 200 MB to import, changes global state, and prints: so it lives here, where
it can be started late and thrown away. Source: design/libraries.md, "Model"; docs/decisions/0012.
"""
