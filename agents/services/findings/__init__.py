"""Finds what bears on a question, one module for each place where it may stand on record."""
