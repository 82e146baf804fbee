"""Writes GraphML and the texts of XML, well-formed for any name: what XML cannot hold is left out. Pure.

GraphML: http://graphml.graphdrawing.org/specification.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

_NOT_IN_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class GraphMlKey(NamedTuple):
    """What nodes or edges have: `domain` is `node`, `edge` or `all`."""

    name: str
    domain: str
    type: str


class GraphMlNode(NamedTuple):
    id: str
    values: Mapping[str, str]


class GraphMlEdge(NamedTuple):
    source: str
    target: str
    values: Mapping[str, str]
    id: str = ""
    is_directed: bool = True


def write_graphml(
    graph_id: str, keys: Iterable[GraphMlKey], nodes: Iterable[GraphMlNode], edges: Iterable[GraphMlEdge]
) -> str:
    """Return a graph as GraphML."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(
            f'  <key id="{key.name}" for="{key.domain}" attr.name="{key.name}" attr.type="{key.type}"/>'
            for key in keys
        ),
        f'  <graph id="{graph_id}" edgedefault="directed">',
    ]
    lines += [f"    <node id={xml_attribute(node.id)}>{_data(node.values)}</node>" for node in nodes]
    for edge in edges:
        edge_id = f" id={xml_attribute(edge.id)}" if edge.id else ""
        directed = "" if edge.is_directed else ' directed="false"'
        lines.append(
            f"    <edge{edge_id} source={xml_attribute(edge.source)} target={xml_attribute(edge.target)}{directed}>"
            f"{_data(edge.values)}</edge>"
        )
    return "\n".join((*lines, "  </graph>", "</graphml>", ""))


def xml_text(value: str) -> str:
    """Return a text as it stands in XML."""
    return escape(_NOT_IN_XML.sub("", value))


def xml_attribute(value: str) -> str:
    """Return the value of an attribute of XML, with its quotes."""
    return quoteattr(_NOT_IN_XML.sub("", value))


def _data(values: Mapping[str, str]) -> str:
    return "".join(f'<data key="{key}">{xml_text(value)}</data>' for key, value in values.items())
