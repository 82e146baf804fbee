"""Reads what plain sentences are about, and finds two that say contrary things. Pure, without a model."""
