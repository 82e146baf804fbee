"""Translates LiteLLM's exceptions into our errors, in words for the player and without API keys."""

from __future__ import annotations

import json
import os
import re
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx
from litellm import exceptions as litellm_errors

from agents.llm.child.model_facts import find_similar_names
from agents.llm.errors import (
    ModelBusy,
    ModelCut,
    ModelError,
    ModelKeyRefused,
    ModelRefused,
    ModelRejected,
    ModelTimeout,
    ModelTooLong,
    ModelUnknown,
    ModelUnreachable,
)
from agents.llm.model_names import key_name, provider_of
from agents.llm.trusted_addresses import TRUST_VARIABLE, may_send_key
from agents.sanitize import clean
from agents.secret_masking import mask_known_secrets

_MAX_REASON_CHARACTERS: Final = 200
"""Characters of a provider's own message that are shown."""

_PREFIX: Final = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)\b[:\s-]*)+")
_TOO_LONG: Final = re.compile(
    r"(?i)context.{0,20}(length|size|window)|maximum context|too many (input )?tokens"
)
_NO_KEY: Final = re.compile(
    r"(?i)missing credentials|no api[_ ]?key|api[_ ]?key (is )?(missing|not set|must be set)"
)
_NO_CREDIT: Final = re.compile(r"(?i)insufficient_quota|billing|credit balance|payment")
_NOT_A_MODEL_STATUSES: Final = (405, 501, 505)
_NOT_HTTP: Final = (httpx.RequestError, httpx.UnsupportedProtocol, httpx.LocalProtocolError)
"""What LiteLLM's transport raises for an answer that is not HTTP."""

_OVERLOADED: Final = (503, 529)


def to_model_error(
    error: BaseException, model: str, api_base: str = "", *, seconds: float = 0.0
) -> ModelError:
    """Return our error for an exception of litellm.exceptions (1.102.4)."""
    if our_error := next((one for one in _cause_chain(error) if isinstance(one, ModelError)), None):
        return our_error
    error = getattr(error, "original_exception", None) or error  # MidStreamFallbackError wraps it
    server = api_base or provider_of(model) or "the provider"
    reason, status = _reason(error), getattr(error, "status_code", None)
    if _NO_KEY.search(str(error)):
        return _key_refused(model, server, api_base, reason)
    match error:
        case TimeoutError() | litellm_errors.Timeout():
            return ModelTimeout(f"{server} did not finish in {seconds:g} s.", todo=_TIMEOUT_ADVICE)
        case litellm_errors.ContextWindowExceededError():
            return _too_long(model, reason)
        case litellm_errors.ContentPolicyViolationError():
            return ModelRefused(f"{server} declined the content{reason}.", todo="Put it in other words.")
        case litellm_errors.AuthenticationError() | litellm_errors.PermissionDeniedError():
            return _key_refused(model, server, api_base, reason)
        case litellm_errors.NotFoundError():
            return _not_found(model, api_base, reason)
        case litellm_errors.RateLimitError():
            return _busy(error, server, reason)
        case litellm_errors.BadRequestError() | litellm_errors.UnprocessableEntityError():
            return _bad_request(model, server, reason, str(error))
        case _ if any(isinstance(one, httpx.RequestError) for one in _cause_chain(error)):
            return _no_connection(error, server)
    if status in _OVERLOADED:
        return _busy(error, server, reason)
    if status in _NOT_A_MODEL_STATUSES:
        return _not_a_model_server(server, f" (HTTP {status})")
    if isinstance(status, int) and status >= 500 and not isinstance(error, litellm_errors.APIConnectionError):
        return ModelUnreachable(
            f"{server} has trouble of its own (HTTP {status}{reason}).", todo="Try again later."
        )
    if isinstance(error, litellm_errors.APIConnectionError):
        return _no_connection(error, server)
    return ModelRejected(f"{server} answered with an error ({type(error).__name__}{reason}).")


def cut_error(error: ModelError) -> ModelCut:
    """Return the same error, for an answer that had already begun."""
    return ModelCut(f"The answer broke off: {error.what}", todo="Keep what came, or ask again.")


_TIMEOUT_ADVICE: Final = (
    "Try again, choose a faster model, or allow more time: seconds under [model] in settings.toml."
)


def _key_refused(model: str, server: str, api_base: str, reason: str) -> ModelError:
    name = key_name(model)
    if os.environ.get(name) and api_base and not may_send_key(api_base, os.environ.get(TRUST_VARIABLE, "")):
        return ModelKeyRefused(
            f"{server} wants a key. Yours was not sent: this address was not entered on this computer.",
            todo=f"If you trust it: monitor model trust {api_base}",
        )
    if name and not os.environ.get(name):
        todo = f"Set {name}, or keep the key with /model."
        return ModelKeyRefused(f"{server} wants a key, and there is none.", todo=todo)
    return ModelKeyRefused(
        f"{server} does not take the key{reason}.",
        todo=f"Look at {name or 'your account there'}: is the key whole, and may it use this model?",
    )


def _not_found(model: str, api_base: str, reason: str) -> ModelError:
    similar_names = find_similar_names(model)
    if api_base:
        return ModelUnknown(
            f"{api_base} knows no “{model.partition('/')[2]}”, or is no OpenAI-compatible address{reason}.",
            todo="Look at the model's name there, and whether the address ends in /v1.",
        )
    todo = (
        f"Did you mean {', '.join(similar_names)}?"
        if similar_names
        else "Look at the provider's list of models."
    )
    return ModelUnknown(f"{provider_of(model) or 'The provider'} has no “{model}”{reason}.", todo=todo)


def _busy(error: BaseException, server: str, reason: str) -> ModelError:
    if _NO_CREDIT.search(str(error)):
        busy_error = ModelBusy(
            f"Your account at {server} has no credit left{reason}.", todo="Look at it there."
        )
        busy_error.is_retryable = False
        return busy_error
    retry_after = _retry_after(error)
    wait_advice = f"Wait {retry_after:,.0f} s" if retry_after else "Wait a little"
    return ModelBusy(
        f"{server} takes no more for the moment{reason}.",
        todo=f"{wait_advice} and ask again.",
        retry_after=retry_after,
    )


def _bad_request(model: str, server: str, reason: str, error_text: str) -> ModelError:
    if _TOO_LONG.search(error_text):
        return _too_long(model, reason)
    return ModelRejected(f"{server} does not take the request as it is{reason}.")


def _too_long(model: str, reason: str) -> ModelError:
    return ModelTooLong(
        f"The prompt does not fit into what {model} can read at once{reason}.",
        todo="Choose a model with a larger window, or end the scene: its summary is shorter than it.",
    )


def _no_connection(error: BaseException, server: str) -> ModelError:
    causes = list(_cause_chain(error))
    if any(type(one) in _NOT_HTTP for one in causes):
        return _not_a_model_server(server)
    if any(isinstance(one, httpx.RemoteProtocolError | httpx.ReadError) for one in causes):
        return ModelUnreachable(
            f"{server} broke the connection, or is no model server.",
            todo="Look whether the server is well, and at the address and its port.",
        )
    if any(isinstance(one, socket.gaierror) for one in causes):
        return ModelUnreachable(
            f"The name of {server} cannot be found.", todo="Is this machine online, and the address right?"
        )
    if any(isinstance(one, ssl.SSLError) for one in causes):
        return ModelUnreachable(
            f"{server} has no connection that can be trusted.",
            todo="Look at its certificate, and whether the address begins with http or https.",
        )
    return ModelUnreachable(
        f"Nobody answers at {server}.", todo="Is the server running, and this machine online?"
    )


def _not_a_model_server(server: str, detail: str = "") -> ModelError:
    error = ModelUnreachable(
        f"Something answers at {server}, but it is no model server{detail}.",
        todo="Look at the address and its port; an OpenAI-compatible server's usually ends in /v1.",
    )
    error.is_retryable = False
    return error


def _reason(error: BaseException) -> str:
    """Return the provider's own message in one short line without secrets: `: ...`, or nothing."""
    body = getattr(error, "body", None)
    message: Any = body.get("message") if isinstance(body, dict) else None
    text = _PREFIX.sub(
        "", message if isinstance(message, str) else str(getattr(error, "message", None) or error)
    )
    brace = text.find("{")
    if brace >= 0:
        try:
            inner = json.loads(text[brace:])
            inner = inner.get("error", inner)
            text = str(inner.get("message", text) if isinstance(inner, dict) else inner)
        except (ValueError, RecursionError):
            pass
    text = " ".join(clean(mask_known_secrets(text, os.environ)).split()).rstrip(".")
    if not text or "<html" in text.lower():
        return ""
    return f": {text[:_MAX_REASON_CHARACTERS]}{'…' if len(text) > _MAX_REASON_CHARACTERS else ''}"


def _retry_after(error: BaseException) -> float | None:
    """Return the seconds that the provider asks to wait: `retry-after` as a number or a date."""
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or getattr(error, "litellm_response_headers", None) or {}
    if header := headers.get("retry-after-ms"):
        return _number(header, 0.001)
    header = headers.get("retry-after")
    if not header:
        return None
    if (seconds := _number(header)) is not None:
        return seconds
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _number(text: str, unit: float = 1.0) -> float | None:
    try:
        return max(0.0, float(text) * unit)
    except ValueError:
        return None


def _cause_chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
