"""Words by BM25 in OpenSearch. The words of each method are those of `TextIndex`.

What was typed goes there as plain words: nothing in a text is an operator. Common words are left out, as in
the embedded twin, unless there is nothing else.
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
from stores.servers.opensearch import OpenSearch
from stores.servers.opensearch_schema import MOST_HITS
from stores.servers.scopes import pairs, storable
from stores.servers.server_errors import check_collection, check_leave

_MOST_WORDS = 500
"""Different words of a query that are asked for; OpenSearch takes 1,024."""

_ITEMS_AT_ONCE = 1_000
_BYTES_AT_ONCE = 5_000_000
"""In one request, where OpenSearch takes 100 MB."""

_LONGEST_KEY = 500
"""Bytes of an identifier that can be a document's key as it is (OpenSearch takes 512)."""

_GONE = 404


class ServerWords:
    """The text index as `role` may use it. Errors: `WriteDenied`, `StoreUnavailable`, `StoreFull` and
    `StoreError`.

    A put of more than a thousand texts goes in several requests; one that breaks off is done again from
    the start, and changes nothing that is there. A search brings 10,000 hits at most.
    """

    def __init__(self, opensearch: OpenSearch, role: Role | None) -> None:
        self._opensearch = opensearch
        self._role = role

    async def put(self, collection: str, items: Sequence[TextItem]) -> None:
        check_collection(Store.WORDS, collection)
        if not items:
            return
        check_leave(self._role, Store.WORDS, collection, Operation.INSERT, Operation.UPDATE)
        last = {item.id: item for item in items}
        await self._bulk(collection, [_line("index", id) + _document(item) for id, item in last.items()])

    async def delete(self, collection: str, ids: Collection[Id]) -> None:
        check_collection(Store.WORDS, collection)
        if not ids:
            return
        check_leave(self._role, Store.WORDS, collection, Operation.DELETE)
        await self._bulk(collection, [_line("delete", id) for id in dict.fromkeys(ids)])

    async def search(
        self, collection: str, query: str, *, k: int = 10, scope: Mapping[str, str] | None = None
    ) -> list[TextHit]:
        check_collection(Store.WORDS, collection)
        words = _telling(query)
        if k < 1 or not words:
            return []
        body = {
            "size": min(k, MOST_HITS),
            "_source": False,
            "track_total_hits": False,
            "query": {
                "bool": {
                    "must": {"match": {"text": {"query": " ".join(words), "operator": "or"}}},
                    "filter": [{"term": {"scope": pair}} for pair in pairs(scope)],
                }
            },
            "sort": [{"_score": "desc"}, {"id": "asc"}],
        }
        with self._opensearch.in_our_words():
            client = self._opensearch.client(self._role)
            answer = await client.search(index=self._opensearch.index(collection), body=body)
        return [TextHit(str(id), float(score)) for score, id in (h["sort"] for h in answer["hits"]["hits"])]

    async def count(self, collection: str, *, scope: Mapping[str, str] | None = None) -> int:
        check_collection(Store.WORDS, collection)
        with self._opensearch.in_our_words():
            client = self._opensearch.client(self._role)
            answer = await client.count(index=self._opensearch.index(collection), body=_within(scope))
        return int(answer["count"])

    async def fingerprints(
        self,
        collection: str,
        *,
        ids: Collection[Id] | None = None,
        scope: Mapping[str, str] | None = None,
    ) -> dict[Id, str]:
        check_collection(Store.WORDS, collection)
        keys = None if ids is None else [_key(id) for id in dict.fromkeys(ids)]
        found: dict[Id, str] = {}
        for start in range(0, 1 if keys is None else len(keys), _ITEMS_AT_ONCE):
            some = None if keys is None else keys[start : start + _ITEMS_AT_ONCE]
            found |= await self._marks(collection, _within(scope, some))
        return found

    async def _marks(self, collection: str, body: dict[str, Any]) -> dict[Id, str]:
        """Return the marks of all that the query finds, however many: page by page, in the order of `id`."""
        client, found = self._opensearch.client(self._role), dict[Id, str]()
        body |= {"size": MOST_HITS, "_source": False, "track_total_hits": False, "sort": [{"id": "asc"}]}
        body["docvalue_fields"] = ["mark"]
        while True:
            with self._opensearch.in_our_words():
                answer = await client.search(index=self._opensearch.index(collection), body=body)
            hits = answer["hits"]["hits"]
            for hit in hits:
                found[str(hit["sort"][0])] = str(hit.get("fields", {}).get("mark", [""])[0])
            if len(hits) < MOST_HITS:
                return found
            body["search_after"] = hits[-1]["sort"]

    async def _bulk(self, collection: str, actions: Sequence[str]) -> None:
        """Do all of the actions; when the last is done, every search sees them."""
        client = self._opensearch.client(self._role)
        parts = list(_parts(actions))
        for number, part in enumerate(parts, 1):
            with self._opensearch.in_our_words(self._role, writes=True):
                answer = await client.bulk(
                    body="".join(part),
                    index=self._opensearch.index(collection),
                    params={"refresh": "true" if number == len(parts) else "false"},
                )
            if answer["errors"]:
                self._raise_first(answer["items"])

    def _raise_first(self, items: Sequence[Mapping[str, Any]]) -> None:
        """Raise what became of the first item that failed. That there is nothing to delete is no failure."""
        for result in (result for item in items for result in item.values()):
            if "error" in result and result["status"] != _GONE:
                reason = f"{result['error']['type']}: {result['error']['reason']}"
                raise self._opensearch.refused(result["status"], reason, self._role, writes=True)


def _within(scope: Mapping[str, str] | None, keys: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the request for what is within the scope (and has one of these keys)."""
    filters: list[dict[str, Any]] = [{"term": {"scope": pair}} for pair in pairs(scope)]
    if keys is not None:
        filters.append({"ids": {"values": list(keys)}})
    return {"query": {"bool": {"filter": filters}}}


def _line(action: str, id: Id) -> str:
    return json.dumps({action: {"_id": _key(id)}}) + "\n"


def _document(item: TextItem) -> str:
    body = {"id": item.id, "text": storable(item.text), "scope": pairs(item.scope), "mark": item.fingerprint}
    return json.dumps(body, ensure_ascii=False) + "\n"


def _key(id: Id) -> str:
    """Any string can be an identifier; what is no key for OpenSearch is known there by its digest."""
    raw = id.encode()
    return id if 0 < len(raw) <= _LONGEST_KEY else f"={hashlib.sha256(raw).hexdigest()}"


def _parts(actions: Sequence[str]) -> Iterator[list[str]]:
    size = 0
    place_of = []
    for number, action in enumerate(actions):
        size += len(action.encode())
        place_of.append(max(size // _BYTES_AT_ONCE, number // _ITEMS_AT_ONCE))
    for _, part in groupby(zip(place_of, actions, strict=True), key=lambda pair: pair[0]):
        yield [action for _, action in part]


def _telling(query: str) -> list[str]:
    """Cut the query into its different words, without the common ones unless there is nothing else."""
    text = "".join(char if _in_word(char) else " " for char in storable(query[:MAX_QUERY_CHARACTERS]))
    words = list(dict.fromkeys(text.split()))
    return ([word for word in words if word.casefold() not in STOP_WORDS] or words)[:_MOST_WORDS]


def _in_word(char: str) -> bool:
    kind = unicodedata.category(char)
    return kind[0] in "LN" or kind in ("Mn", "Co")
