"""Making servers ready for MONITOR, once, with the leave of whoever owns them: a user for each role.

`docker compose` and `make servers` run this after the servers answer. Doing it again sets what should be.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from stores.authority import Store
from stores.servers.server_settings import addresses
from stores.servers.server_stores import need_drivers, objects_server, words_server


async def prepare(environ: Mapping[str, str], stores: frozenset[Store] = frozenset(Store)) -> list[str]:
    """Make every role's users on the servers of these stores; returns a line for each thing done.

    The addresses must carry the owner's own credentials (`mongodb://root:...@host`). Raises InputError if
    something is not said, StoreUnavailable or StoreError naming the server that refused.
    """
    need_drivers(stores)
    known = addresses(environ, stores)
    done: list[str] = []
    if Store.LOG in stores:
        from pymongo import AsyncMongoClient

        from stores.servers.mongo import CONNECT_MS, Document, in_our_words
        from stores.servers.mongo_roles import make_users

        url = known.get("MONGO_URL")
        client: AsyncMongoClient[Document] = AsyncMongoClient(url, serverSelectionTimeoutMS=CONNECT_MS)
        try:
            with in_our_words(url, "The owner"):
                await make_users(client.admin, known.library, partial(known.password, "mongo"))
        finally:
            await client.close()
        done.append("log: a user for each role")
    if Store.WORDS in stores:
        from stores.servers.opensearch_roles import make_users as make_words_users

        opensearch = await words_server(known)
        try:
            await make_words_users(opensearch, partial(known.password, "opensearch"))
        finally:
            await opensearch.close()
        done.append("words: indexes, and a user for each role")
    if Store.OBJECTS in stores:
        from stores.servers.minio_roles import make_users as make_objects_users

        buckets = await objects_server(known)
        try:
            await make_objects_users(buckets, partial(known.password, "minio"))
        finally:
            await buckets.close()
        done.append("objects: buckets, and a user for each role")
    if Store.VECTORS in stores:
        done.append("vectors: nothing to prepare; tokens by role need QDRANT__SERVICE__JWT_RBAC")
    if Store.CANON in stores:
        done.append("canon: Neo4j Community has no roles; sessions of readers are read-only")
    return done
