"""Prepares servers for MONITOR, once, as their owner: creates a user for each role.

`docker compose` and `make servers` run this after the servers answer. It may be run again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from stores.authority import Store
from stores.servers.server_settings import read_server_settings
from stores.servers.server_stores import connect_minio, connect_opensearch, require_drivers


async def provision_servers(
    environ: Mapping[str, str], stores: frozenset[Store] = frozenset(Store)
) -> list[str]:
    """Create every role's users on the servers of these stores; return a line for each step.

    The addresses must carry the owner's own credentials (`mongodb://root:...@host`). Raises InputError if
    a setting is missing, StoreUnavailable or StoreError naming the server that refused.
    """
    require_drivers(stores)
    settings = read_server_settings(environ, stores)
    report_lines: list[str] = []
    if Store.LOG in stores:
        from pymongo import AsyncMongoClient

        from stores.servers.mongo import CONNECT_MS, Document, translate_mongo_errors
        from stores.servers.mongo_roles import make_users

        url = settings.get("MONGO_URL")
        client: AsyncMongoClient[Document] = AsyncMongoClient(url, serverSelectionTimeoutMS=CONNECT_MS)
        try:
            with translate_mongo_errors(url, "The owner"):
                await make_users(client.admin, settings.library, partial(settings.derive_password, "mongo"))
        finally:
            await client.close()
        report_lines.append("log: a user for each role")
    if Store.WORDS in stores:
        from stores.servers.opensearch_roles import make_users as make_words_users

        opensearch = await connect_opensearch(settings)
        try:
            await make_words_users(opensearch, partial(settings.derive_password, "opensearch"))
        finally:
            await opensearch.close()
        report_lines.append("words: indexes, and a user for each role")
    if Store.OBJECTS in stores:
        from stores.servers.minio_roles import make_users as make_objects_users

        buckets = await connect_minio(settings)
        try:
            await make_objects_users(buckets, partial(settings.derive_password, "minio"))
        finally:
            await buckets.close()
        report_lines.append("objects: buckets, and a user for each role")
    if Store.VECTORS in stores:
        report_lines.append("vectors: nothing to prepare; tokens by role need QDRANT__SERVICE__JWT_RBAC")
    if Store.CANON in stores:
        report_lines.append("canon: Neo4j Community has no roles; sessions of readers are read-only")
    return report_lines
