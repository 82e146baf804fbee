"""Reusable parts of screens. State flows down by reactives and `show(...)`, messages go up."""
