# Two commands do everything: `make up` runs Assay, `make test` tests it. Both set themselves up.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := .uv/bin/uv
SUITES := tests/integration tests/contracts tests/e2e src/assay/benchmarks
export ASSAY_HOME ?= $(CURDIR)/.assay
# Benchmarks install packages for the programs they run, several times faster with uv than with pip.
export PATH := $(CURDIR)/.uv/bin:$(PATH)
# uv and Node trust the certificates of the system, as pip does: a company's proxy may have its own.
export UV_SYSTEM_CERTS := true
export NODE_USE_SYSTEM_CA := 1

.PHONY: help up test again check docs types unit format lock system clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

up: $(VENV)/.installed ## Run Assay: API and web UI on http://127.0.0.1:8017
	scripts/system-packages run
	$(BIN)/assay up

test: $(VENV)/.installed-dev system ## Install what is missing, then run every check and test
	$(MAKE) check
	$(BIN)/pytest --numprocesses=4 --dist=loadfile --no-loadscope-reorder --durations=25 $(SUITES) || $(MAKE) again

again: ## Run what failed in `make test` once more, alone: beside others it may have run out of time
	$(BIN)/pytest --last-failed --last-failed-no-failures=none $(SUITES)

check: $(VENV)/.installed-dev ## Format, lint, types, imports, unit tests: under a minute on two cores
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(MAKE) --jobs=2 --output-sync=target types unit

types:
	$(BIN)/basedpyright

unit:
	$(BIN)/lint-imports
	$(BIN)/pytest --numprocesses=2 tests/unit

docs: $(VENV)/.installed-dev ## Build the documentation as a web site in build/docs and check its links
	$(BIN)/python -m scripts.docs_site

format: $(VENV)/.installed-dev ## Format the code and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: $(UV) ## Resolve the dependencies anew into requirements/*.txt
	scripts/lock $(UV)

system: ## Install bubblewrap, Docker, PostgreSQL, Chromium and compilers for the tests
	scripts/system-packages

clean: ## Remove what the other targets made, but not the data folder
	rm -rf $(VENV) .uv build ui/node_modules ui/dist

$(UV):
	$(PYTHON) -c 'import sys; sys.exit("Assay needs Python 3.11 or newer; set PYTHON=…" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .uv || { echo "python3-venv is missing; install it with: apt-get install python3-venv" >&2; exit 1; }
	.uv/bin/pip install --quiet --disable-pip-version-check --requirement requirements/uv.txt

$(VENV)/.installed: requirements/assay.txt pyproject.toml hatch_build.py $(wildcard ui/*.* ui/src/*.* ui/src/*/*.*) | $(UV)
	scripts/install $(UV) $(VENV) requirements/assay.txt
	touch $@

$(VENV)/.installed-dev: requirements/dev.txt pyproject.toml hatch_build.py $(wildcard ui/*.* ui/src/*.* ui/src/*/*.*) | $(UV)
	scripts/install $(UV) $(VENV) requirements/dev.txt
	touch $@ $(VENV)/.installed
