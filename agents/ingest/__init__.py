"""Reads documents into a universe: pages, chunks, what they hold, and the proposals that rest on them.

Nothing here writes canon: what is found is proposed, with the chunk that it stands in as its evidence.
"""
