"""Runs LiteLLM in a process of its own: `python -m agents.llm.child`. No other package imports this one.

LiteLLM takes 4.5 CPU seconds and 200 MB to import, changes global state, and prints; here it can be started
late and thrown away. See docs/decisions/0012.
"""
