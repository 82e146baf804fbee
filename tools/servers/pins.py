"""Every version that `make servers` fetches, in one place. See docs/servers.md for why each was chosen."""

from __future__ import annotations

from typing import Final

MAVEN_DEPENDENCY_PLUGIN: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"

# Neo4j Community, the LTS line. `neo4j` carries the whole database with its Bolt server; the stand-alone
# distribution's own launcher is not published as an artifact.
NEO4J: Final = "5.26.30"

# 2.19.4 and not a later 2.19: the newest whose security plugin is published as well.
OPENSEARCH: Final = "2.19.4"
OPENSEARCH_SECURITY: Final = "2.19.4.0"
LOG4J_CORE: Final = "2.21.0"  # the version OpenSearch's own log4j-api has

# MinIO's community edition is published as source only; a pseudo-version names one commit of it.
MINIO: Final = "v0.0.0-20260212201848-7aac2a2c5b7c"

# A MongoDB wire-protocol server on WiredTiger, with what it needs.
MONGO: Final = "0.7.0b3"
MONGO_REQUIREMENTS: Final = (
    f"SecantusDB=={MONGO}",
    "pymongo==4.20.0",
    "dnspython==2.9.2",
    "s2sphere==0.2.5",
    "future==1.0.0",
    "shapely==2.2.0",
    "numpy==2.4.6",
    "python-dateutil==4.0.0",
    "tzdata==2026.6",
)

# Qdrant's own engine, without its server, which no registry carries.
QDRANT_EDGE: Final = "0.9.0"
QDRANT_REQUIREMENTS: Final = (f"qdrant-edge-py=={QDRANT_EDGE}",)
