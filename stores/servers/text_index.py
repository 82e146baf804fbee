"""The text index (BM25) in OpenSearch; see `TextIndex`.

A query is sent as plain words, so nothing in it is an operator. Stop words are left out unless there is nothing else,
as in the embedded index.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from stores.authority import Operation, Role, Store
from stores.embedded.text_query import MAX_QUERY_CHARACTERS, STOP_WORDS
from stores.ports import TextHit, TextItem
from stores.records.ids import Id
from stores.servers.opensearch import OpenSearchServer
from stores.servers.opensearch_schema import MAX_HITS
from stores.servers.scopes import scope_words, to_storable_text
from stores.servers.server_errors import check_collection, check_grants

_MAX_WORDS = 500
"""The most different words of a query; OpenSearch accepts 1,024."""

_BATCH_ITEMS = 1_000
_BATCH_BYTES = 5_000_000
"""Bytes of one request; OpenSearch accepts 100 MB."""

_MAX_KEY_BYTES = 500
"""Bytes of an identifier that is used as a document's key unchanged (OpenSearch accepts 512)."""

_NOT_FOUND = 404


class ServerTextIndex:
    """The text index as `role` may use it.

    Errors: `WriteDenied`, `StoreUnavailable`, `StoreFull` and `StoreError`.

    A put of many texts takes several requests; one that is interrupted is repeated from the start, which changes
    nothing that is there. A search returns 10,000 hits at most.
    """

    def __init__(self, opensearch: OpenSearchServer, role: Role | None) -> None:
        self._opensearch = opensearch
        self._role = role

    async def put(self, collection: str, items: Sequence[TextItem]) -> None:
        check_collection(Store.WORDS, collection)
        if not items:
            return
        check_grants(self._role, Store.WORDS, collection, Operation.INSERT, Operation.UPDATE)
        last_by_id = {item.id: item for item in items}
        await self._send_actions(
            collection, [_action_line("index", id) + _document_line(item) for id, item in last_by_id.items()]
        )

    async def delete(self, collection: str, ids: Collection[Id]) -> None:
        check_collection(Store.WORDS, collection)
        if not ids:
            return
        check_grants(self._role, Store.WORDS, collection, Operation.DELETE)
        await self._send_actions(collection, [_action_line("delete", id) for id in dict.fromkeys(ids)])

    async def search(
        self, collection: str, query: str, *, k: int = 10, scope: Mapping[str, str] | None = None
    ) -> list[TextHit]:
        check_collection(Store.WORDS, collection)
        words = _query_words(query)
        if k < 1 or not words:
            return []
        body = {
            "size": min(k, MAX_HITS),
            "_source": False,
            "track_total_hits": False,
            "query": {
                "bool": {
                    "must": {"match": {"text": {"query": " ".join(words), "operator": "or"}}},
                    "filter": [{"term": {"scope": pair}} for pair in scope_words(scope)],
                }
            },
            "sort": [{"_score": "desc"}, {"id": "asc"}],
        }
        with self._opensearch.translate_errors():
            client = self._opensearch.client_for(self._role)
            response = await client.search(index=self._opensearch.index_name(collection), body=body)
        return [TextHit(str(id), float(score)) for score, id in (h["sort"] for h in response["hits"]["hits"])]

    async def count(self, collection: str, *, scope: Mapping[str, str] | None = None) -> int:
        check_collection(Store.WORDS, collection)
        with self._opensearch.translate_errors():
            client = self._opensearch.client_for(self._role)
            response = await client.count(
                index=self._opensearch.index_name(collection), body=_scope_query(scope)
            )
        return int(response["count"])

    async def fingerprints(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        check_collection(Store.WORDS, collection)
        keys = None if ids is None else [_document_key(id) for id in dict.fromkeys(ids)]
        fingerprint_by_id: dict[Id, str] = {}
        for start in range(0, 1 if keys is None else len(keys), _BATCH_ITEMS):
            batch = None if keys is None else keys[start : start + _BATCH_ITEMS]
            fingerprint_by_id |= await self._read_fingerprints(collection, _scope_query(scope, batch))
        return fingerprint_by_id

    async def _read_fingerprints(self, collection: str, body: dict[str, Any]) -> dict[Id, str]:
        """Return the fingerprints of all matching items, page by page, in the order of `id`."""
        client, fingerprint_by_id = self._opensearch.client_for(self._role), dict[Id, str]()
        body |= {"size": MAX_HITS, "_source": False, "track_total_hits": False, "sort": [{"id": "asc"}]}
        body["docvalue_fields"] = ["mark"]
        while True:
            with self._opensearch.translate_errors():
                response = await client.search(index=self._opensearch.index_name(collection), body=body)
            hits = response["hits"]["hits"]
            for hit in hits:
                fingerprint_by_id[str(hit["sort"][0])] = str(hit.get("fields", {}).get("mark", [""])[0])
            if len(hits) < MAX_HITS:
                return fingerprint_by_id
            body["search_after"] = hits[-1]["sort"]

    async def _send_actions(self, collection: str, actions: Sequence[str]) -> None:
        """Send all of the actions; searches see them after the last one."""
        client = self._opensearch.client_for(self._role)
        parts = list(_split_into_requests(actions))
        for number, part in enumerate(parts, 1):
            with self._opensearch.translate_errors(self._role, is_write=True):
                response = await client.bulk(
                    body="".join(part),
                    index=self._opensearch.index_name(collection),
                    params={"refresh": "true" if number == len(parts) else "false"},
                )
            if response["errors"]:
                self._raise_first_error(response["items"])

    def _raise_first_error(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Raise the error of the first item that failed; a missing item to delete is no error."""
        for result in (result for item in items for result in item.values()):
            if "error" in result and result["status"] != _NOT_FOUND:
                reason = f"{result['error']['type']}: {result['error']['reason']}"
                raise self._opensearch.response_error(result["status"], reason, self._role, is_write=True)


def _scope_query(scope: Mapping[str, str] | None, keys: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the query for items within the scope (and with one of these keys)."""
    filters: list[dict[str, Any]] = [{"term": {"scope": pair}} for pair in scope_words(scope)]
    if keys is not None:
        filters.append({"ids": {"values": list(keys)}})
    return {"query": {"bool": {"filter": filters}}}


def _action_line(action: str, id: Id) -> str:
    return json.dumps({action: {"_id": _document_key(id)}}) + "\n"


def _document_line(item: TextItem) -> str:
    body = {
        "id": item.id,
        "text": to_storable_text(item.text),
        "scope": scope_words(item.scope),
        "mark": item.fingerprint,
    }
    return json.dumps(body, ensure_ascii=False) + "\n"


def _document_key(id: Id) -> str:
    """Return the key for an identifier; one that OpenSearch does not accept is replaced by its digest."""
    raw = id.encode()
    return id if 0 < len(raw) <= _MAX_KEY_BYTES else f"={hashlib.sha256(raw).hexdigest()}"


def _split_into_requests(actions: Sequence[str]) -> Iterator[list[str]]:
    size = 0
    request_numbers = []
    for number, action in enumerate(actions):
        size += len(action.encode())
        request_numbers.append(max(size // _BATCH_BYTES, number // _BATCH_ITEMS))
    for _, part in groupby(zip(request_numbers, actions, strict=True), key=lambda pair: pair[0]):
        yield [action for _, action in part]


def _query_words(query: str) -> list[str]:
    """Return the different words of the query, without stop words unless there is nothing else."""
    text = "".join(
        char if _is_word_character(char) else " " for char in to_storable_text(query[:MAX_QUERY_CHARACTERS])
    )
    words = list(dict.fromkeys(text.split()))
    return ([word for word in words if word.casefold() not in STOP_WORDS] or words)[:_MAX_WORDS]


def _is_word_character(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] in "LN" or category in ("Mn", "Co")
