"""Reads one chunk of a document in five stages: a model's tool calls first, plain rules after it, never nothing."""
