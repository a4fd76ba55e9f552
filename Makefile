# The one door for tasks; CI runs the same. Needs make and Python 3.11 or later; uses uv where it is there.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: demo test check lint types tests long proof error goldens docs pictures bench locks wheel clean help

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST)

demo: $(VENV)/.run ## set everything up and play a tournament with the shipped bots
	@$(BIN)/arena run --game cash-a-catch
	@echo 'the command arena, in this shell: . $(BIN)/activate'

test: lint types tests ## set everything up, then lint, types and tests

check: lint types long ## the same with the longer tests, as CI runs it

lint: $(VENV)/.dev ## ruff, and which room imports which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo --no-cache

types: $(VENV)/.dev ## mypy --strict
	$(BIN)/mypy
	@# what is no package: each is named by its way from the nearest of these folders, so that all scripts named bot.py fit in
	MYPYPATH=benchmarks:examples/learn $(BIN)/mypy --strict --explicit-package-bases bots/*/bot.py bots/search/guides benchmarks examples/learn
	MYPYPATH=examples/night-nets:examples/night-nets/tests:examples/king-of-the-hill:examples/king-of-the-hill/tests:examples/poker:examples/poker/tests $(BIN)/mypy --strict --explicit-package-bases examples/night-nets examples/king-of-the-hill examples/poker
	@# their tests have modules of the same names as those of night-nets
	MYPYPATH=examples/love-letter:examples/love-letter/tests $(BIN)/mypy --strict --explicit-package-bases examples/love-letter
	MYPYPATH=examples/hearts:examples/hearts/tests $(BIN)/mypy --strict --explicit-package-bases examples/hearts

# a file stays with one worker, so that what its tests share is made once; the slowest files come first
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

tests: $(VENV)/.dev ## the suite
	$(PYTEST) -m "not proof and not long"

long: $(VENV)/.dev ## the suite with its longer tests
	$(PYTEST) -m "not proof"

# it samples the numbers of the machine, which others beside it would move
ALONE := tests/sandbox/test_channels.py

proof: $(VENV)/.dev ## the long proofs, and property tests over fresh examples; the workflow nightly runs them
	$(PYTEST) -m "not proof" --hypothesis-profile fresh
	$(BIN)/pytest -m proof $(ALONE)
	$(PYTEST) -m proof --timeout 3600 $(addprefix --ignore=,$(ALONE))

error: $(VENV)/.dev ## part of the proofs: how often tables are wrong, written to docs/decisions/error.md (some hours)
	$(BIN)/python -m tests.ratings.error

goldens: $(VENV)/.dev ## write the golden matches, and what mistakes are told, again; read the diff
	$(BIN)/python -m tests.shelf.renew_goldens
	$(BIN)/python -m tests.golden.renew

docs: $(VENV)/.dev ## write help texts and shown outputs in the docs anew
	$(BIN)/python -m tests.renew_docs

pictures: $(VENV)/.dev ## screenshots of the pages into dist/pictures/, and those of the documents (needs Chromium); look at them
	$(BIN)/python -m tests.page.pictures dist/pictures docs/pictures

bench: $(VENV)/.dev ## measure: one table of ratios from one pinned run; AGAINST=REV: this checkout and another commit in turns
ifdef AGAINST
	$(BIN)/python benchmarks/against.py $(AGAINST)
else
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/selfplay.py
	$(BIN)/python benchmarks/isolation.py
endif

wheel: $(VENV)/.dev ## build the wheel into dist/
	$(BIN)/python -m hatchling build -t wheel

locks: ## resolve the requirements anew (needs uv)
	uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml -o requirements/run.txt
	uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group build -o requirements/build.txt
	uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml --group dev -c requirements/build.txt -c requirements/run.txt -o requirements/dev.txt

clean: ## forget what was set up
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "arena: expected Python 3.11 or later, got " + sys.version.split()[0] + "; try make PYTHON=python3.12")'
	@if command -v uv >/dev/null 2>&1; then uv venv -q --python "$$(command -v $(PYTHON))" $(VENV); else $(PYTHON) -m venv $(VENV); fi

# uv installs into a virtual environment without pip in it; pip does the same, slower
define install
	@if command -v uv >/dev/null 2>&1; then \
	  uv pip install -q --python $(BIN)/python --require-hashes -r $(1) && uv pip install -q --python $(BIN)/python --no-deps -e .; \
	else \
	  $(BIN)/python -m pip --disable-pip-version-check install -q --use-pep517 --require-hashes -r $(1) && $(BIN)/python -m pip --disable-pip-version-check install -q --no-deps -e .; \
	fi
	@touch $@
endef

$(VENV)/.run: requirements/run.txt pyproject.toml | $(VENV)/bin/python
	$(call install,requirements/run.txt)

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(VENV)/bin/python
	$(call install,requirements/dev.txt)
	@touch $(VENV)/.run
