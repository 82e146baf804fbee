"""Diagrams of a world as values: the graph of relations, the lanes of the timeline, the series of charts.

Pure: records go in, and what screens draw and files contain comes out.
"""
