# Realia. `make help` lists what there is. Needs make and Python 3.11 or later.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.9
export UV_PYTHON_DOWNLOADS := never

.PHONY: help setup demo demo-reset lint test smoke bench-sandbox bench-analysis messages compile-messages requirements python-check

help:
	@echo "make setup       a virtual environment with everything for development"
	@echo "make demo        set everything up and serve a study on http://127.0.0.1:8000"
	@echo "make demo-reset  remove the demo's data"
	@echo "make test        the test suite (what this machine cannot run is named)"
	@echo "make lint        ruff, mypy, templates, migrations, deployment check"
	@echo "make bench-sandbox  the sandbox engine beside SQL by hand, pages, the trace; SCALE=5m, QUICK=1"
	@echo "make bench-analysis  the statistics beside libraries and plain loops; QUICK=1"
	@echo "make messages    gather what participants read for translators; make compile-messages after translating"
	@echo "make bench-export  ten million trace events exported, and the memory it takes; QUICK=1"
	@echo "make smoke       a whole study with simulated experts, checked end to end"

python-check:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "Realia needs Python 3.11 or later: $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "This Python has no venv module. On Debian: apt install python3-venv"; exit 1; }

# One stamp per set of requirements, so that the second run takes no time.
$(VENV)/.run-time: requirements.txt | python-check
	@$(PYTHON) .ci/install.py $(PYTHON) $(VENV) $(UV_VERSION) requirements.txt
	@touch $@

$(VENV)/.development: requirements-dev.txt | python-check
	@$(PYTHON) .ci/install.py $(PYTHON) $(VENV) $(UV_VERSION) requirements-dev.txt
	@touch $@ $(VENV)/.run-time

setup: $(VENV)/.development
	@echo "Ready. Next: make demo, or make test"

demo: $(if $(wildcard $(VENV)/.development),$(VENV)/.development,$(VENV)/.run-time)
	@REALIA_DEMO=1 REALIA_VAR="$${REALIA_VAR:-var/demo}" exec $(BIN)/python manage.py demo $(if $(PORT),--port $(PORT))

demo-reset: $(if $(wildcard $(VENV)/.development),$(VENV)/.development,$(VENV)/.run-time)
	@REALIA_DEMO=1 REALIA_VAR="$${REALIA_VAR:-var/demo}" $(BIN)/python manage.py demo --reset

test: $(VENV)/.development
	$(BIN)/python -m pytest $(ARGS)

smoke: $(if $(wildcard $(VENV)/.development),$(VENV)/.development,$(VENV)/.run-time)
	@$(BIN)/python manage.py smoke $(if $(QUICK),--experts 8)

bench-sandbox: $(if $(wildcard $(VENV)/.development),$(VENV)/.development,$(VENV)/.run-time)
	@REALIA_VAR="$${REALIA_VAR:-var/bench}" $(BIN)/python manage.py migrate --verbosity 0
	@REALIA_VAR="$${REALIA_VAR:-var/bench}" $(BIN)/python manage.py bench_sandbox $(if $(SCALE),--scale $(SCALE)) $(if $(QUICK),--quick)

# Beside libraries that only tests use, so it needs what development needs.
bench-analysis: $(VENV)/.development
	@$(BIN)/python tests/analysis/bench_analysis.py $(if $(QUICK),--quick)

messages: $(VENV)/.development
	@$(BIN)/python locale/messages.py update

compile-messages: $(VENV)/.development
	@$(BIN)/python locale/messages.py compile

bench-export: $(if $(wildcard $(VENV)/.development),$(VENV)/.development,$(VENV)/.run-time)
	@REALIA_VAR="$${REALIA_VAR:-var/bench}" $(BIN)/python manage.py bench_trace $(if $(QUICK),--quick)

lint: $(VENV)/.development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy study analysis
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/python manage.py makemigrations --check --dry-run
	REALIA_VAR=$$(mktemp -d) REALIA_URL=https://realia.example.test REALIA_SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))') REALIA_KEYS=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))') REALIA_LOOKUP_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(60))') REALIA_EPHEMERAL=1 DATABASE_URL=postgresql://localhost/realia $(BIN)/python manage.py check --deploy --fail-level WARNING

requirements: $(VENV)/.development
	$(BIN)/uv pip compile -q --upgrade --generate-hashes --no-header --no-emit-index-url --universal --python-version 3.11 pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile -q --upgrade --generate-hashes --no-header --no-emit-index-url --universal --python-version 3.11 pyproject.toml --group dev -c requirements.txt -o requirements-dev.txt
