# Each target sets up .venv itself: on a machine with Python >= 3.11, git and make,
# `make app` and `make test` are all that is needed.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 5006
WORKERS ?= 1
BROWSER_TESTS := $(BIN)/python -m pytest tests/browser -o cache_dir=.pytest_cache/browser

.PHONY: app notebooks test lint unit browser bench results docs screenshots clean

app: .venv/.installed
	$(BIN)/swviz --port $(PORT) --workers $(WORKERS)

notebooks: .venv/.installed-test
	$(BIN)/jupyter lab notebooks

# Tests start many processes: where nothing compiled is kept, each compiles the
# app anew, and pytest rewrites the assertions of all tests once more.
unit browser: export PYTHONDONTWRITEBYTECODE :=

# A browser waits half of its time, and the others work meanwhile: by two processes,
# which also take what the browser leaves when it has ended, so they come second.
test: .venv/.installed-test
	@$(MAKE) --no-print-directory --jobs=2 unit browser

unit: lint
	nice $(BIN)/python -m pytest --numprocesses auto --dist loadfile --ignore tests/browser

# What it says is kept, and shown in one piece: it runs beside others.
browser: .venv/.installed-test
	@mkdir -p test-results
	@$(BROWSER_TESTS) >test-results/browser.txt 2>&1; \
	code=$$?; cat test-results/browser.txt; exit $$code

lint: .venv/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.installed-test
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m docs.make_tables

# make results DATA=folder: all experiments on the benchmarks in that folder; hours.
results: .venv/.installed
	$(BIN)/python -m swviz.experiments all $(if $(DATA),--data "$(DATA)")

# From what is committed, without a network: open build/docs/index.html.
docs: .venv/.installed-test
	$(BIN)/python -m sphinx -W --keep-going -q -c docs . build/docs
	@echo "The documentation is in build/docs/index.html"

# Every picture in docs/images, taken and drawn anew; wants a Chromium.
screenshots: .venv/.installed-test
	$(BIN)/python -m docs.make_gallery
	$(BIN)/python -m docs.make_screenshots

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/.installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/.installed-test: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[test,dask,notebooks,docs]"
	touch $@ .venv/.installed

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis test-results build/docs
