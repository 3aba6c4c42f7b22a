# Two commands do everything on a fresh machine: `make demo` and `make test`.
# uv is used where it is installed, else python3 -m venv and pip.
# The stamp file makes a second run work without the network.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# What tests with real model servers need: some 2 GB and 20 minutes of building, once. cmake and a C++ compiler must be there.
REAL := .real
# Other people's clients of OpenAI's API, each in an environment of its own: some 1.5 GB. node and npm must be there.
CLIENTS := .clients
# aider pins packages that have no wheels for the newest Pythons.
CLIENTS_PYTHON ?= $(PYTHON)
# What builds the documentation and the packages.
TOOLS := .tools
# torch for processors alone is a tenth of what PyPI has for Linux; where its index cannot be reached, PyPI's will do.
TORCH := torch==2.13.0
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

# Seconds of fuzzing for each target (FUZZ_ONLY: those whose names hold this), by atheris in an environment of its own.
FUZZ := .fuzz
SECONDS ?= 60
FUZZ_ONLY ?=

# A worker for each core; each begins with a stretch of the tests, and takes over what others have not come to.
PARALLEL ?= -n auto --maxprocesses 8 --dist worksteal

.PHONY: demo test slow postgres ray faults real clients fuzz mutants soak check audit docs dist clean

demo: $(STAMP)
	@echo '$$ quaestor index'
	@$(BIN)/quaestor index
	@echo
	@echo '$$ quaestor search "where is a citation verified" -k 3'
	@$(BIN)/quaestor search "where is a citation verified" -k 3
	@echo
	@echo '$$ quaestor ask "Why is a secret file left out of the index?"'
	@$(BIN)/quaestor ask "Why is a secret file left out of the index?"

test: $(STAMP)
	$(BIN)/python -m pytest $(PARALLEL)

slow: $(STAMP)
	$(BIN)/python -m pytest -m slow
	$(BIN)/python -m pytest $(PARALLEL) -m "hypothesis and not slow and not real and not postgres and not faults" \
		--hypothesis-profile thorough

# QUAESTOR_POSTGRES names the folder of other programs than those of PostgreSQL 18, which the tests install: all tests use them.
postgres: $(STAMP)
	$(BIN)/python -m pytest $(PARALLEL) -m postgres

# A cluster of three nodes on this machine, in an environment of its own: Ray takes some 200 MB.
RAY := .ray
ray: $(STAMP) $(RAY)/.installed
	PYTHONPATH=src:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
		$(RAY)/venv/bin/python -m pytest -m ray tests/indexing/test_ray_cluster.py

$(RAY)/.installed: pyproject.toml
	$(PYTHON) -m venv $(RAY)/venv
	$(RAY)/venv/bin/python -m pip install --quiet "ray>=2.40"
	@touch $@

# Some hours on two cores; QUAESTOR_ROUNDS=20 bounds the rounds of each fault. The table is kept in faults.jsonl.
faults: $(STAMP)
	QUAESTOR_FAULTS=faults.jsonl $(BIN)/python -m pytest -m faults $(PARALLEL)

real: $(STAMP) $(REAL)/tiny/tiny.gguf $(REAL)/llama/bin/llama-server
	QUAESTOR_REAL=$(REAL) $(BIN)/python -m pytest -m real

$(REAL)/venv/.installed:
	$(PYTHON) -m venv $(REAL)/venv
	$(REAL)/venv/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(REAL)/venv/bin/python -m pip install --quiet --retries 0 --timeout 10 --index-url $(TORCH_INDEX) "$(TORCH)" \
		|| $(REAL)/venv/bin/python -m pip install --quiet "$(TORCH)"
	nice -n 10 $(REAL)/venv/bin/python -m pip install --quiet --group real
	@touch $@

$(REAL)/tiny/tiny.gguf: tests/real/make_tiny_model.py tests/real/tiny_texts.py tests/real/tiny_gguf.py \
		tests/real/template.jinja tests/real/transcripts.json tests/real/results.json $(REAL)/venv/.installed
	$(REAL)/venv/bin/python tests/real/make_tiny_model.py $(REAL)/tiny

$(REAL)/llama/bin/llama-server: $(REAL)/venv/.installed
	tests/real/build_llama_server.sh $(REAL)/venv/bin/python $(REAL)/llama

# Each client, each feature: it passes, or is refused with the reason; prints the table of docs/clients.md.
clients: $(STAMP) $(CLIENTS)/.installed
	QUAESTOR_CLIENTS=$(CLIENTS) $(BIN)/python -m pytest -m clients tests/clients

$(CLIENTS)/.installed: $(wildcard tests/clients/environment/*)
	for name in python aider; do \
		$(CLIENTS_PYTHON) -m venv $(CLIENTS)/$$name && \
		nice $(CLIENTS)/$$name/bin/python -m pip install --quiet --requirement tests/clients/environment/$$name.txt || exit 1; \
	done
	mkdir -p $(CLIENTS)/javascript
	cp tests/clients/environment/package.json tests/clients/environment/package-lock.json $(CLIENTS)/javascript
	cd $(CLIENTS)/javascript && nice npm ci --silent --no-audit --no-fund
	@touch $@

# The fuzzer's environment holds the fuzzer alone; everything else it finds where the tests do.
fuzz: $(STAMP) $(FUZZ)/.installed
	PYTHONPATH=src:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
		nice -n 10 $(FUZZ)/venv/bin/python tests/fuzz/run_atheris.py \
		--folder $(FUZZ) --seconds $(SECONDS) --only "$(FUZZ_ONLY)"

$(FUZZ)/.installed:
	$(PYTHON) -m venv $(FUZZ)/venv
	$(FUZZ)/venv/bin/python -m pip install --quiet --require-hashes --requirement tests/fuzz/requirements.txt
	@touch $@

# The code changed a little, one expression at a time, by mutmut: do the tests notice? Minutes for each scope; ONLY=tokens,window.
# SEED draws another sample of a large scope than the one that tests were written for.
MUTANTS := .mutants
mutants: $(STAMP) $(MUTANTS)/.installed
	export PYTHONPATH=src:$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); \
		$(MUTANTS)/venv/bin/python -m pytest -q tests/mutants/test_run_mutmut.py && \
		nice -n 10 $(MUTANTS)/venv/bin/python tests/mutants/run_mutmut.py --only "$(ONLY)" $(if $(SEED),--seed $(SEED))

$(MUTANTS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(MUTANTS)/venv
	$(MUTANTS)/venv/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(MUTANTS)/venv/bin/python -m pip install --quiet --group mutants
	@touch $@

# One server on a clone of this repository, with edits and git at work in it.
MINUTES ?= 60
soak: $(STAMP)
	nice -n 10 $(BIN)/python benchmarks/soak.py --minutes $(MINUTES)

check: $(STAMP)
	$(BIN)/ruff check src training tests benchmarks
	$(BIN)/ruff format --check src training tests benchmarks
	$(BIN)/mypy

# Is what is installed what is pinned, to the byte, and are weaknesses known of it? Asks OSV's database and PyPI's.
# Without a network ADVISORIES=FOLDER is asked: a clone of github.com/pypa/advisory-database or github.com/pyupio/safety-db.
ADVISORIES ?=
audit: $(STAMP)
	$(BIN)/python tests/security/audit_dependencies.py $(if $(ADVISORIES),--advisories "$(ADVISORIES)")

# The documentation as a site in .site; a dead link is an error.
docs: $(TOOLS)/.installed
	$(TOOLS)/bin/mkdocs build

# A wheel and an sdist in dist/, each checked, and installed into an empty environment that runs the demo's commands.
dist: $(TOOLS)/.installed
	rm -rf dist
	$(TOOLS)/bin/python -m build --quiet --outdir dist
	$(TOOLS)/bin/python -m twine check --strict dist/*
	@for package in dist/*.whl dist/*.tar.gz; do \
		echo "$$package in an empty environment"; \
		rm -rf $(TOOLS)/empty && $(PYTHON) -m venv $(TOOLS)/empty && $(TOOLS)/empty/bin/python -m pip install --quiet "$$package" && \
		QUAESTOR_HOME=$(TOOLS)/empty/home $(TOOLS)/empty/bin/quaestor index && \
		QUAESTOR_HOME=$(TOOLS)/empty/home $(TOOLS)/empty/bin/quaestor search "where is a citation verified" -k 3 && \
		QUAESTOR_HOME=$(TOOLS)/empty/home $(TOOLS)/empty/bin/quaestor ask "Why is a secret file left out of the index?" \
		|| exit 1; \
	done

$(TOOLS)/.installed: pyproject.toml
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(TOOLS)/bin/python -m pip install --quiet --group docs --group dist
	@touch $@

$(STAMP): pyproject.toml requirements.lock
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
		uv pip install --quiet --python $(BIN)/python -r requirements.lock && \
		uv pip install --quiet --python $(BIN)/python --no-deps -e . ; \
	else \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e . ; \
	fi
	@touch $(STAMP)

clean:
	rm -rf $(VENV) $(TOOLS) .site dist
