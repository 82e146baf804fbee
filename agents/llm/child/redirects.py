"""Keeps a prompt with the server that it was sent to: a redirect to another one is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from agents.llm.errors import ModelUnreachable

_RedirectBuilder = Callable[[Any, httpx.Request, httpx.Response], httpx.Request]


def refuse_foreign_redirects() -> None:
    """Let no HTTP client of this process follow a redirect to another server.

    LiteLLM and the clients of the providers each build their own httpx client, so that no setting reaches them all.
    """
    for client_class in (httpx.AsyncClient, httpx.Client):
        build_redirect = client_class._build_redirect_request

        def build_checked_redirect(
            client: httpx.AsyncClient | httpx.Client,
            request: httpx.Request,
            response: httpx.Response,
            build_redirect: _RedirectBuilder = build_redirect,
        ) -> httpx.Request:
            redirect = build_redirect(client, request, response)
            if not _is_same_server(request.url, redirect.url):
                raise _redirect_error(request.url, redirect.url)
            return redirect

        setattr(client_class, "_build_redirect_request", build_checked_redirect)  # noqa: B010


def _is_same_server(sent_to: httpx.URL, redirected_to: httpx.URL) -> bool:
    is_upgrade = (sent_to.scheme, redirected_to.scheme) == ("http", "https")
    return sent_to.host == redirected_to.host and (
        is_upgrade or (sent_to.scheme, sent_to.port) == (redirected_to.scheme, redirected_to.port)
    )


def _redirect_error(sent_to: httpx.URL, redirected_to: httpx.URL) -> ModelUnreachable:
    error = ModelUnreachable(
        f"{sent_to.host} sends its requests on to {redirected_to.host}, and no prompt follows to another server.",
        todo="If you trust that server, enter its address as the model's.",
    )
    error.is_retryable = False
    return error
