# Each target sets up .venv itself: on a machine with Python >= 3.11, git and make,
# `make app` and `make test` are all that is needed.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 5006

.PHONY: app test lint bench results clean

app: .venv/.installed
	$(BIN)/panel serve app.py --address 127.0.0.1 --port $(PORT) --show

test: .venv/.installed-test lint
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --ignore tests/browser
	$(BIN)/python -m pytest tests/browser

lint: .venv/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.installed-test
	$(BIN)/python -m benchmarks.run

# make results DATA=folder: all experiments on the benchmarks in that folder; hours.
results: .venv/.installed
	$(BIN)/python -m swviz.experiments all $(if $(DATA),--data "$(DATA)")

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/.installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/.installed-test: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[test,dask,notebooks]"
	touch $@ .venv/.installed

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis test-results
