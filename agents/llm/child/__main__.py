"""Starts the child: takes over the pipes, silences output, imports LiteLLM, and serves until stdin ends."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import logging
import os
import signal
import sys
from typing import Any

from agents.child_processes import claim_stdout
from agents.llm.wire_format import encode_line
from agents.secret_masking import mask_known_secrets

# LiteLLM reads these at import: no price list from the network, no `.env` from the current folder.
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
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl+C belongs to the screen; the child ends with its stdin
    outlet = claim_stdout()
    os.environ.update(QUIET_ENVIRONMENT)
    try:
        litellm = _load_litellm()
        if options.provider:
            module, _, attribute = options.provider.partition(":")
            handler = getattr(importlib.import_module(module), attribute)
            litellm.custom_provider_map = [{"provider": "scripted", "custom_handler": handler}]
            litellm.utils.custom_llm_setup()
        from agents.llm.child.redirects import refuse_foreign_redirects
        from agents.llm.child.request_server import RequestServer

        refuse_foreign_redirects()
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the installation is told
        failure_text = mask_known_secrets(f"{type(error).__name__}: {error}", os.environ)
        outlet.write(encode_line({"failed": failure_text[:500]}))
        raise SystemExit(1) from None
    outlet.write(encode_line({"ready": _version()}))
    asyncio.run(RequestServer(sys.stdin.buffer, outlet).run())
    outlet.close()
    os._exit(0)  # threads of libraries are not waited for


def _load_litellm() -> Any:
    import litellm

    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = True  # an unsupported temperature is no reason to fail
    litellm.disable_hf_tokenizer_download = True
    litellm.num_retries = 0
    return litellm


def _version() -> str:
    from importlib.metadata import version

    return version("litellm")


if __name__ == "__main__":
    main()
