# Everything one does with Ogham from its folder. `make help` lists it; ARGS="..." hands arguments on, as in
#   make test ARGS="-k clover -x"      make run ARGS="--port 9000"

# The Python, 3.11 or newer and with pip, that .venv is made from.
PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
# On as many processes as there are cores, eight at most: each test worker has a database of its own.
PYTEST = $(BIN)/python -m pytest -n logical --maxprocesses 8 --dist loadgroup

.DEFAULT_GOAL := help
.PHONY: help run test prove postfix lint format openapi bench lock clean ready-run ready-develop

help:  ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-14s %s\n", $$1, $$2}'

run: ready-run  ## start Ogham: API, worker, schedule, mail and mailbox in one process
	@$(BIN)/ogham up $(ARGS)

test: ready-develop  ## all tests, in the sizes that keep them quick
	@$(PYTEST) $(ARGS)

prove: ready-develop  ## the same tests with the numbers that were promised, and a table of them at the end
	@$(PYTEST) --size=prove $(ARGS)

postfix: ready-develop  ## mail out and in through a real Postfix (as root, where it is installed)
	@$(BIN)/python -m pytest tests/mail/test_postfix.py -rs $(ARGS)

lint: ready-develop  ## style, types, and which package may import which
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

format: ready-develop  ## let ruff mend what it can
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

openapi: ready-develop  ## write openapi.yaml anew
	@$(BIN)/python -c "from ogham.grown import openapi_yaml; print(openapi_yaml(), end='')" > openapi.yaml.new
	@mv openapi.yaml.new openapi.yaml

bench: ready-develop  ## how fast it is on this machine
	@$(BIN)/python -m bench $(ARGS)

# Needs uv, and the network. Universal: one lock for every system and Python; its hashes are those of the public index.
# ARGS=--upgrade takes newer versions. Say nothing of hosts or folders in a lock: a test looks.
UV ?= uv
COMPILE = $(UV) pip compile --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-config --quiet
lock:  ## write locks/ anew from pyproject.toml
	@$(COMPILE) $(ARGS) pyproject.toml --extra build --output-file locks/run.txt
	@$(COMPILE) $(ARGS) pyproject.toml --extra build --extra develop --constraint locks/run.txt --output-file locks/develop.txt
	@$(COMPILE) $(ARGS) --group source --no-deps --output-file locks/source.txt

clean:  ## remove .venv and all that tools left behind; matches and mails stay
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage* htmlcov build *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

ready-run:
	@"$(PYTHON)" deploy/bootstrap.py run

ready-develop:
	@"$(PYTHON)" deploy/bootstrap.py develop
