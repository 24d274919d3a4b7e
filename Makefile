# make demo | test | check | test-gpu | clean.  `make help` says what each does.
# On a host without network: make demo WHEELS=folder (see CONTRIBUTING.md).

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# One stamp per way of installing, so that changing the way installs anew.
STAMP  := $(VENV)/.installed$(if $(WHEELS),-from-wheels)
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
SAY    := printf '%s\n'

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check test-gpu install clean

help:
	@$(SAY) 'make demo      install, then three agents make a kernel faster through a real server' \
	        'make test      everything CI runs: check, then all tests that need no GPU' \
	        'make check     lint, format, types and import rules alone' \
	        'make test-gpu  the tests that need an NVIDIA GPU' \
	        'make install   only create $(VENV)' \
	        'make clean     remove $(VENV), caches and build results' \
	        '' \
	        'WHEELS=folder  install from a folder of wheels, keeping the host'"'"'s own torch and triton' \
	        'PYTHON=...     the interpreter to start from (default: python3)'

demo: $(STAMP)
	@$(BIN)/python -m examples.demo $(ARGS)

test: check
	@$(BIN)/python -m pytest $(ARGS)

check: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

test-gpu: $(STAMP)
	@$(BIN)/python -m pytest -m gpu $(ARGS)

install: $(STAMP)

$(VENV)/.installed: pyproject.toml constraints.txt
	@sh scripts/preflight.sh '$(PYTHON)'
	@$(SAY) 'Installing into $(VENV): a few minutes, once.'
	@'$(PYTHON)' -m venv --clear $(VENV)
	@$(PIP) install -c constraints.txt -e '.[torch,triton,cuda,dev]'
	@touch $@

# The interpreter on the PATH may itself be an environment that holds torch. Then
# --system-site-packages would show the one below it instead, so a .pth file names the folders of
# the very interpreter that runs here. What lies in the folder of wheels comes before them.
$(VENV)/.installed-from-wheels: pyproject.toml
	@sh scripts/preflight.sh '$(PYTHON)' '$(WHEELS)'
	@$(SAY) 'Installing into $(VENV) from $(WHEELS), with the packages of $(PYTHON).'
	@'$(PYTHON)' -m venv --clear $(VENV)
	@'$(PYTHON)' scripts/host_packages.py $(VENV)
	@$(PIP) install --no-index --find-links '$(WHEELS)' 'setuptools>=77'
	@$(PIP) install --no-index --find-links '$(WHEELS)' --no-build-isolation -e '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	       .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
