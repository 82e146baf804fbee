"""Start: take the pipes, quiet everything that might print, import LiteLLM, serve until stdin ends."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import logging
import os
import signal
import sys
from typing import Any

from agents.child_processes import own_pipe
from agents.llm.wire_format import encode_line
from agents.secret_masking import strike_known

# Read at LiteLLM's import: no price list from the network, and no `.env` of whatever folder we stand in.
QUIET_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOG": "ERROR",
    "LITELLM_TELEMETRY": "False",
}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument(
        "--provider", default="", help="module:attribute of a litellm.CustomLLM, for tests"
    )
    options = arguments.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the screen's; we end when stdin does
    outlet = own_pipe()
    os.environ.update(QUIET_ENVIRONMENT)
    try:
        litellm = _load_litellm()
        if options.provider:
            module, _, attribute = options.provider.partition(":")
            handler = getattr(importlib.import_module(module), attribute)
            litellm.custom_provider_map = [{"provider": "scripted", "custom_handler": handler}]
            litellm.utils.custom_llm_setup()
        from agents.llm.child.request_server import RequestServer
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the installation is told
        failure_text = strike_known(f"{type(error).__name__}: {error}", os.environ)
        outlet.write(encode_line({"failed": failure_text[:500]}))
        raise SystemExit(1) from None
    outlet.write(encode_line({"ready": _version()}))
    asyncio.run(RequestServer(sys.stdin.buffer, outlet).run())
    outlet.close()
    os._exit(0)  # no word to say to anybody: threads of libraries are not waited for


def _load_litellm() -> Any:
    import litellm

    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = True  # a temperature that a model does not take is not worth an error
    litellm.disable_hf_tokenizer_download = True
    litellm.num_retries = 0
    return litellm


def _version() -> str:
    from importlib.metadata import version

    return version("litellm")


if __name__ == "__main__":
    main()
