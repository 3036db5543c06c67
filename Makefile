# `make book` builds the site, `make test` runs every test and every notebook.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
SITE := _build/html
BUILT := $(SITE)/.built
BENCH_LOCK := tests/benchmarks/requirements.lock
PIP_INSTALL := -m pip install -qq --disable-pip-version-check --no-input

export NUMBA_CACHE_DIR ?= $(CURDIR)/.numba_cache

SOURCES := _config.yml _toc.yml $(shell find book dplit data -type f \
	-not -path '*/__pycache__/*' -not -path '*/.*')

.PHONY: help install book site test lab refresh bench clean

help:
	@echo "make book      build the site from the stored outputs and say where it is"
	@echo "make test      run the tests and every notebook (ARGS='-k ledger' passes options to pytest)"
	@echo "make lab       open the notebooks in JupyterLab"
	@echo "make refresh   re-execute the notebooks whose code has changed"
	@echo "make bench     measure the time of the hot loops"
	@echo "make clean     remove what was built"

install: $(INSTALLED)

$(INSTALLED): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP_INSTALL) -r requirements.lock
	$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation -e .
	touch $@

book: $(INSTALLED)
	rm -rf _build
	$(MAKE) --no-print-directory site
	@echo "The book is at file://$(abspath $(SITE))/index.html"

site: $(BUILT)

$(BUILT): $(SOURCES) | $(INSTALLED)
	$(BIN)/jupyter-book build . --all -W -n --keep-going
	touch $@

test: $(INSTALLED) site
	$(BIN)/python -m pytest -n auto --dist loadscope --nbval --benchmark-skip $(ARGS)

lab: $(INSTALLED)
	$(BIN)/jupyter lab book

refresh: $(INSTALLED)
	$(BIN)/python book/refresh.py $(ARGS)

bench: $(INSTALLED) .venv-bench/.installed
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only $(ARGS)

# diffprivlib needs an older scikit-learn than this project: it has an environment of its own.
.venv-bench/.installed: $(BENCH_LOCK)
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python $(PIP_INSTALL) -r $(BENCH_LOCK)
	touch $@

clean:
	rm -rf _build dist .pytest_cache .ruff_cache .hypothesis .benchmarks .numba_cache
	find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +
