# `make book` builds the site, `make test` runs every test and every notebook.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements.lock
SITE := _build/html
BENCH_LOCK := tests/benchmarks/requirements.lock

export NUMBA_CACHE_DIR ?= $(CURDIR)/.numba_cache
# Tests and notebooks start a few hundred processes: without kept bytecode each compiles all that it
# imports, and takes 5 seconds before it begins in place of 2.
unexport PYTHONDONTWRITEBYTECODE

# What a page may show. A file that comes or goes changes the list, and so the name of the stamp.
SOURCES := _config.yml _toc.yml CITATION.cff $(sort $(shell find book dplit data -type f \
	-not -path 'data/sets/*' -not -path '*/__pycache__/*' -not -path '*/.*'))
LIST := $(firstword $(shell echo '$(SOURCES)' | cksum))
BUILT := $(SITE)/.built-$(LIST)

.PHONY: help install book pdf slides site test test-versions lab refresh bench clean

help:
	@echo "make install   install what the book and the tests need into $(VENV)"
	@echo "make book      build the site from the stored outputs and say where it is"
	@echo "make pdf       print the book into one PDF, by Chromium"
	@echo "make slides    make slides of chapters (ARGS='majority depth')"
	@echo "make test      run the tests and every notebook (ARGS='-k ledger' passes options to pytest)"
	@echo "make test-versions  the README and the forests with the oldest and the newest releases allowed"
	@echo "make lab       open the notebooks in JupyterLab"
	@echo "make refresh   re-execute the notebooks whose code has changed"
	@echo "make bench     measure the time of the hot loops"
	@echo "make clean     remove what was built"

# uv installs in a fifth of pip's time. Where it can't be had, where it fails, as at a certificate that pip is told of,
# and where pip has another index or a proxy, which uv doesn't read, pip does the same. Both say what arrives.
PIP = $(BIN)/python -m pip
PIP_INSTALL = $(PIP) install --disable-pip-version-check --no-input
TOLD = $(PIP) config list | \
	grep -Eq '[.](index-url|no-index|client-cert|proxy|trusted-host)='
by_uv = $(BIN)/uv pip install --python $(BIN)/python $(1) || { echo "uv stopped: pip goes on alone"; false; }
install = { test -x $(BIN)/uv && ! $(TOLD) && { $(by_uv); }; } || $(PIP_INSTALL) $(1)

$(BIN)/python:
	@echo "making the environment $(VENV)"
	$(PYTHON) -m venv $(VENV)
	@$(TOLD) || $(PIP_INSTALL) -q -c $(LOCK) uv || echo "no uv: pip goes on alone"

# One stamp for each extra of pyproject.toml that is installed; the lock says which versions.
$(VENV)/.book $(VENV)/.test $(VENV)/.lab: $(VENV)/.%: $(LOCK) pyproject.toml | $(BIN)/python
	@echo "installing into $(VENV) what dplit[$*] needs: with everything about a gigabyte, some minutes"
	@$(call install,-c $(LOCK) -e '.[$*]')
	@touch $@

install: $(VENV)/.book $(VENV)/.test

book: site
	@echo "The book is at file://$(abspath $(SITE))/index.html"

# All pages in one, typeset by a headless Chromium: some minutes, and 2 GB of memory.
pdf: site
	$(BIN)/python book/pdf.py $(ARGS)

slides: site
	$(BIN)/python book/slides.py $(ARGS)

site: $(BUILT)

$(BUILT): $(SOURCES) $(LOCK) | $(VENV)/.book
	rm -rf _build
	$(BIN)/jupyter-book build . --all -W -n --keep-going
	touch $(SITE)/.built $@

# The site is built by the first test that reads it, while another process runs other tests.
test: $(VENV)/.test $(VENV)/.book
	$(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder --nbval --benchmark-skip $(ARGS)

# The oldest releases that pyproject.toml allows, and the newest that there are: an environment each, by uv.
test-versions: $(VENV)-lowest-direct/.installed $(VENV)-highest/.installed
	for v in $(^D); do NUMBA_CACHE_DIR=$(CURDIR)/$$v/numba $$v/bin/python -m pytest -n auto --dist loadscope \
		--benchmark-skip tests/test_readme.py tests/forests $(ARGS) || exit 1; done

$(VENV)-%/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/uv venv -q --clear --python $(BIN)/python $(@D)
	$(BIN)/uv pip install -q --python $(@D)/bin/python --resolution $* -e '.[test]'
	@touch $@

lab: $(VENV)/.lab
	$(BIN)/jupyter lab book $(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS)

refresh: $(VENV)/.book
	$(BIN)/python book/refresh.py $(ARGS)

bench: $(VENV)/.test .venv-bench/.installed
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only $(ARGS)

# diffprivlib needs an older scikit-learn than this project: it has an environment of its own.
.venv-bench/.installed: $(BENCH_LOCK)
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install -qq --disable-pip-version-check --no-input -r $(BENCH_LOCK)
	touch $@

clean:
	rm -rf _build dist .pytest_cache .ruff_cache .hypothesis .benchmarks .numba_cache
	find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +
