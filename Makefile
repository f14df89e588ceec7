# On a machine with Python 3.11 and make: `make demo`, `make test`.

PYTHON ?= python3
CORES ?= $(shell $(PYTHON) -c 'import os; print(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())')
FUZZ ?= 2000
CONFIG ?= config/config.yaml
SEED ?= 0
RESOLUTION ?= lowest-direct
VERSIONS := .venv/$(RESOLUTION)
OTHER ?= .venv/bin/python
EXCHANGE := PYTHONPATH=src:tests/helpers
BIN := .venv/bin
RUNNING := .venv/.running
INSTALLED := .venv/.installed
ADD := $(BIN)/uv pip install --quiet --python $(BIN)/python --constraint requirements.txt
SNAKEFILES := Snakefile workflow/Snakefile workflow/rules
CODE := src tests benchmarks workflow examples docs

# An active environment's PYTHONPATH or home packages must not leak into .venv; its modules are compiled once.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE
export PYTHONNOUSERSITE := 1

.DEFAULT_GOAL := help
.PHONY: help demo quick results extended archive snapshot figures docs test test-slow test-all fuzz test-slurm test-faults bench lint requirements package clean install approve test-versions

help:  ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-20s%s\n", $$1, $$2}'

install: $(INSTALLED)  ## Make .venv with everything in it

# What runs need; the pins and hashes of requirements.txt hold for every package.
$(RUNNING): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info[:2] >= (3, 11) else "treecrf needs Python 3.11 or newer, and $(PYTHON) is %d.%d; run make PYTHON=python3.11." % sys.version_info[:2])'
	$(PYTHON) -m venv .venv
	@awk '/^[^ ]/ {wanted = /^uv==/} wanted' requirements.txt > .venv/uv.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r .venv/uv.txt
	$(ADD) --editable '.[workflow]'
	@touch $@

# What tests and checks need on top.
$(INSTALLED): $(RUNNING)
	$(ADD) --editable '.[dev]'
	@touch $@

demo: $(RUNNING)  ## Run the workflow on small generated data sets (no download)
	@$(BIN)/python workflow/progress.py --cores $(CORES) --configfile config/demo.yaml

quick: $(RUNNING)  ## Run the protocol shortened, in about 25 minutes; decides no claim; downloads the data
	@$(BIN)/python workflow/progress.py --cores $(CORES) --configfile config/short.yaml

results: $(RUNNING)  ## Run the papers' protocol with nothing cut, in some hours; downloads the data
	@$(BIN)/python workflow/progress.py --cores $(CORES) --configfile config/config.yaml

extended: $(RUNNING)  ## Add to it what the papers do not have: nets, larger samples, other trees, more damaged sets
	@$(BIN)/python workflow/progress.py --cores $(CORES) --configfile config/extended.yaml

archive: $(RUNNING)  ## Write results, page and manifest of the run to one zip in archives/; runs first what is not there
	@$(BIN)/python workflow/progress.py archive --cores $(CORES) --configfile config/config.yaml

snapshot: $(RUNNING)  ## Write finished studies to docs/results and README.md; without results, make both anew from docs/results/evidence (CONFIG: files of settings)
	@$(BIN)/python -m treecrf_studies.report.snapshot --config $(CONFIG)
	@$(BIN)/python -m treecrf_studies.explorer.readme --config $(CONFIG)

figures: $(INSTALLED)  ## Draw the figure of README.md; write the tables of docs/datasets.md (needs the raw files) and docs/walkthrough.md
	@MPLBACKEND=agg $(BIN)/python docs/figures/labelled_sequence.py
	@$(BIN)/python docs/datasets_table.py
	@$(BIN)/python docs/compilation_table.py

docs: $(INSTALLED)  ## Build the documentation in build/docs
	@rm -rf docs/api docs/gallery
	@$(BIN)/sphinx-build -W --keep-going --quiet -d build/doctrees docs build/docs
	@echo "The documentation is build/docs/index.html"

test: $(INSTALLED)  ## Run the quick tests (every module, one run of the workflow)
	$(BIN)/python -m pytest -m "not slow" -n $(CORES) --no-loadscope-reorder

test-slow: $(INSTALLED)  ## Run the other tests: fuzzing, faults, determinism, documentation, Java, JIT off, tiny benchmarks
	$(BIN)/python -m pytest -m slow -n $(CORES) --no-loadscope-reorder
	$(BIN)/python -m pytest benchmarks --tiny

test-versions: $(INSTALLED)  ## Run a core of the tests with other versions of packages (RESOLUTION=lowest-direct or highest, OTHER=python3.13)
	$(BIN)/uv venv --quiet --clear --python $(OTHER) $(VERSIONS)
	$(BIN)/uv pip install --quiet --python $(VERSIONS)/bin/python --resolution $(RESOLUTION) '.[report,rivals]' \
		'hypothesis>=6.170' 'pytest>=9' 'pytest-benchmark>=5' 'pytest-xdist>=3.8' 'pyphen>=0.18' 'seqeval>=1.2.2'
	@mkdir -p $(VERSIONS)/here $(VERSIONS)/there
	$(EXCHANGE) $(BIN)/python tests/treecrf_studies/helpers/exchange.py write $(VERSIONS)/here
	$(EXCHANGE) $(VERSIONS)/bin/python tests/treecrf_studies/helpers/exchange.py check $(VERSIONS)/here
	$(EXCHANGE) $(VERSIONS)/bin/python tests/treecrf_studies/helpers/exchange.py write $(VERSIONS)/there
	$(EXCHANGE) $(BIN)/python tests/treecrf_studies/helpers/exchange.py check $(VERSIONS)/there
	PYTHONPATH=src $(VERSIONS)/bin/python -m pytest -q -m "not slow" -n $(CORES) -p no:cacheprovider -W ignore::DeprecationWarning \
		$(addprefix tests/treecrf/,chain inputs io missing models/boosted models/linear readers trees test_sequences.py)

test-all: test-versions  ## Run all tests, quick and slow ones in one session, which runs the workflow once for both
	$(BIN)/python -m pytest -n $(CORES) --no-loadscope-reorder
	$(BIN)/python -m pytest benchmarks --tiny

approve: $(INSTALLED)  ## Show what the run of the tests finds otherwise than what was approved, and approve it
	TREECRF_APPROVE=1 $(BIN)/python -m pytest -q -s tests/workflow/test_approved.py

fuzz: $(INSTALLED)  ## Give every reader 2,000 damaged inputs (FUZZ=another number, SEED=another seed)
	TREECRF_FUZZ=$(FUZZ) PYTEST_ADDOPTS=--hypothesis-seed=$(SEED) $(BIN)/python -m pytest -s tests/treecrf/fuzz tests/treecrf_studies/fuzz

test-slurm: $(INSTALLED)  ## Start a Slurm here (needs root), run the demo on it, compare with a local run
	$(BIN)/python tests/slurm/compare_with_local.py

test-faults: $(INSTALLED)  ## Kill runs, damage files, fill a disk, compare with an undisturbed run
	$(BIN)/python tests/faults/kill_and_damage.py

bench: $(INSTALLED)  ## Measure speed
	$(BIN)/python -m pytest benchmarks

lint: $(INSTALLED)  ## Check style, types and the workflow
	$(BIN)/ruff check --no-cache $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/snakefmt --check $(SNAKEFILES)
	$(BIN)/snakemake --lint --configfile config/config.yaml

requirements:  ## Compile requirements.txt from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --extra dev --python-version 3.11 --universal --generate-hashes \
		--no-header --no-emit-index-url --no-emit-find-links --quiet -o requirements.txt
	printf 'check-wheel-contents>=0.6,<1\nsetuptools>=77\ntwine>=7,<8\n' | $(BIN)/uv pip compile - --python-version 3.11 --universal \
		--generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links --exclude-newer 2026-09-01 --quiet -o .github/package.txt

package: $(INSTALLED)  ## Build the source archive and the wheel in dist/, and check them
	@rm -rf dist
	@$(BIN)/uv build --quiet --out-dir dist --build-constraints .github/package.txt --require-hashes
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/package
	@$(BIN)/uv pip install --quiet --python build/package/bin/python --require-hashes -r .github/package.txt
	@build/package/bin/twine check --strict dist/*.whl dist/*.tar.gz
	@build/package/bin/check-wheel-contents dist/*.whl
	@test -n "$$(find dist -name '*.whl' -size -1500k)" || { echo "the wheel has 1.5 MB or more"; exit 1; }
	@! tar tzf dist/*.tar.gz | grep '/results/'

clean:  ## Remove results, reports and caches; keeps .venv and the raw files
	rm -rf results reports build dist docs/api docs/gallery .snakemake .pytest_cache .mypy_cache .ruff_cache .benchmarks
	find src tests benchmarks workflow -name __pycache__ -type d -prune -exec rm -rf {} +
