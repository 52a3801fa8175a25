# `make bench` and `make test` set up what they need and say what they install.
SHELL := /bin/bash -euo pipefail
PYTHON := .venv/bin/python
export PYTHONPATH := src
# What no registry has, as far as it is there: see ./ab-runner artifacts.
# As the process runtime builds: some servers need a newer JDK than a system's own.
newest_jdk = $(PYTHON) -c 'from ab_runner.runtime.jdks import installed; print(next(j.home for j in installed() if j.compiles))'
artifacts = $${XDG_CACHE_HOME:-$$HOME/.cache}/ab-runner/artifacts

.PHONY: help bench check test test-studies test-hosts aims sessions compose checksums lock

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

bench: ## a quick sweep of twelve servers, to its tables
	@$(need_ab)
	@./ab-runner --protocol quick --servers @core --concurrency 10,100

check: .venv/test.txt ## in a minute: format, lint, types, import rules, and the tests that need neither Docker nor Java
	$(static_checks)
	$(PYTHON) -m pytest --numprocesses auto --ignore tests/e2e

test: .venv/test.txt ## all tests; those that need Docker or ab skip, visibly, where it is missing
	@command -v mvn > /dev/null || { $(call install,openjdk-17-jdk-headless maven); }
	@command -v chromium > /dev/null || ($(call install,chromium)) || echo "make: without a browser its tests skip" >&2
	@./ab-runner artifacts # which servers can be built, and copies of files under their former names
	@$(images) > /dev/null 2>&1 < /dev/null &
	$(static_checks)
	JAVA_HOME=$$($(newest_jdk)) $(maven) --file servers/pom.xml -Dartifacts=$(artifacts) verify
	$(PYTHON) -m pytest --numprocesses 2

test-studies: .venv/test.txt ## the programs of all studies with their tests, and a short sweep of each of their servers (needs Docker)
	for pom in studies/*/servers/pom.xml; do \
		JAVA_HOME=$$($(newest_jdk)) $(maven) --file $$pom verify || exit; \
	done
	$(PYTHON) -m pytest -m studies tests/e2e

test-hosts: .venv/test.txt ## what takes long of sweeps over several hosts: nodes and runners that are killed, a registry (needs Docker, root)
	$(PYTHON) -m pytest -m hosts tests/e2e

aims: .venv/test.txt ## are the aims met? computed anew from benchmarks/records
	PYTHONPATH=src:tests $(PYTHON) benchmarks/aims.py

sessions: ## which sessions of the published result are due, and how to measure them
	@$(PYTHON) benchmarks/sessions.py

compose: .venv/test.txt ## compose.yaml, and the exceptions in docs/fairness.md, from servers/*/server.toml
	@text=$$($(PYTHON) -m ab_runner.catalog.compose) && echo "$$text" > compose.yaml
	@$(PYTHON) -m ab_runner.catalog.fairness

checksums: ## checksums.sha256 beside each Maven parent, from what Maven fetches for new dependencies (needs Maven 3.9)
	for folder in servers studies/*/servers; do \
		mvn --quiet --strict-checksums --file $$folder/pom.xml $(record) -DskipTests package && \
		sed -i '/ abrunner/d' $$folder/.mvn/checksums.sha256 || exit; \
	done

recorder := -Daether.artifactResolver.postProcessor.trustedChecksums
record := $(recorder)=true $(recorder).record=true $(recorder).checksumAlgorithms=SHA-256

lock: ## pins the newest versions of what requirements/*.in name (needs uv)
	cd requirements && uv pip compile $(lock_options) run.in -o run.txt
	cd requirements && uv pip compile $(lock_options) -c run.txt test.in -o test.txt

lock_options := --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header

.venv/test.txt: requirements/run.txt requirements/test.txt
	@./ab-runner --help > /dev/null
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/test.txt
	@cp requirements/test.txt $@

maven := mvn --batch-mode --threads 2 -Dorg.slf4j.simpleLogger.defaultLogLevel=warn --strict-checksums

define static_checks
$(PYTHON) -m ruff check .
$(PYTHON) -m ruff format --check .
$(PYTHON) -m mypy
.venv/bin/lint-imports --no-logo
endef

# $(call install,PACKAGES): root on Debian has them installed, others are told.
install = if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		echo "make: installing $1"; \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install $1 > /dev/null; \
	else \
		echo "make: please install $1 (Debian's names)" >&2; exit 2; \
	fi

# All images, beside the checks: where there are none they take minutes. The tests wait for them and tell what fails.
images = { docker/base-images && docker compose --profile '*' build; }

# Without Docker the load comes from this host's ab.
define need_ab
{ docker version && docker compose version && docker buildx version; } > /dev/null 2>&1 || \
	command -v ab > /dev/null || { $(call install,apache2-utils); }
endef
