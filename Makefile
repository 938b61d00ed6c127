# `make demo` and `make test` are all a newcomer needs; both set up `.venv` first.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
ASKED ?= /tmp/crag-asked
# What overrides.txt leaves out and the tools of development import.
DEVELOPED := aiohttp|build|pyjwt|toml|zstandard

.PHONY: install demo test test-long check dist docs ask-docs fit format lock clean

install: $(STAMP)

# Another pip does as well; this one reads an index in half the time. What is installed is compiled
# on every core, which pip does on one. An install without the reader's weights is one, too.
$(STAMP): pip.lock requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "crag needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --require-hashes --requirement pip.lock || true
	$(BIN)/python -m pip install --quiet --no-deps --no-compile --require-hashes --requirement requirements.lock
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -qq -j 0 -x '/tests?/' .venv/lib || true
	@$(BIN)/crag model get || true
	@touch $(STAMP)

demo: install
	@sh ./demo.sh $(BIN)

# Compiled first: tests start the program hundreds of times, also where nobody writes bytecode. What
# pytest makes of the tests is kept, too, for the next time.
# Whoever is done takes tests from the others: files differ a hundredfold in what they cost.
test: install
	$(BIN)/python -m compileall -q cli rag state
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal

test-long: install
	$(BIN)/python -m compileall -q cli rag state
	$(BIN)/python -m pytest -n auto --dist worksteal --long

check: install
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports

format: install
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

# Fits every fitted file again. DATA holds labelled sets, DOCS and UNLIKE documentations with questions:
# UNLIKE's, in other words than the pages, are of no figure but its own.
fit: install
	$(BIN)/python tests/benchmarks/fit_grader.py --data $(DATA) --docs $(DOCS) --questions 80
	$(BIN)/python tests/benchmarks/fit_reader.py --docs $(UNLIKE) --home build/fit --write

# Forty newcomers' questions, asked of the documentation itself.
ask-docs: install
	rm -rf $(ASKED) && mkdir -p $(ASKED)/docs/files
	cp README.md docs/*.md $(ASKED)/docs/files && rm $(ASKED)/docs/files/commands.md
	cp tests/benchmarks/docs_questions/queries.jsonl $(ASKED)/docs
	$(BIN)/python tests/benchmarks/shown.py --docs $(ASKED) --out $(ASKED)/rows.jsonl
	$(BIN)/crag eval $(ASKED)/docs --engine local

# The wheel and the sdist, and the wheel used from empty environments; needs a package registry.
dist: install
	.ci/dist $(PYTHONS)

# The documentation's site, into build/site; in an environment of its own.
docs: build/docs/.installed
	NO_MKDOCS_2_WARNING=1 build/docs/bin/python -m mkdocs build --quiet

build/docs/.installed: docs/requirements.lock
	$(PYTHON) -m venv build/docs
	build/docs/bin/python -m pip install --quiet --require-hashes --requirement docs/requirements.lock
	@touch build/docs/.installed

# Needs uv. Names no registry: every machine resolves against its own.
lock:
	mkdir -p build && sed -E "/^($(DEVELOPED));/d" overrides.txt > build/overrides.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --no-emit-find-links --all-extras --group dev pyproject.toml \
	  --override build/overrides.txt \
	  --output-file requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --no-emit-find-links --group docs \
	  --output-file docs/requirements.lock
	echo pip | uv pip compile --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --no-emit-find-links --output-file pip.lock -

clean:
	rm -rf .venv .demo build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
