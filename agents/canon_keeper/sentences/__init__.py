"""Reads plain English sentences into claims, and finds two that cannot both be true. Pure, without a model."""
