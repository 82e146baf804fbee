"""The servers there are."""

from __future__ import annotations

from typing import Final

from tools.servers.base import Server
from tools.servers.minio import Minio
from tools.servers.mongo import Mongo
from tools.servers.neo4j import Neo4j
from tools.servers.opensearch import OpenSearch
from tools.servers.qdrant import Qdrant

# The quickest to be had first; MinIO is built from source.
SERVERS: Final[tuple[Server, ...]] = (Neo4j(), Mongo(), Qdrant(), OpenSearch(), Minio())
