"""Analyses prose without a model: words and sentences, names, speech, actions, quotes.

Pure functions that the narrator, the memory manager and search share.
"""
