# The front door: every target installs what it needs (packages of Debian 12, by name), says what it does, and does it.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help build web screenshots demo test test-slow bench lint fuzz format clean

INSTALL := scripts/install_packages.sh
FUZZ_SECONDS ?= 60

help: ## Show this list
	@echo "lade: bulk imports of other people's files. Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

build: ## Build the release binary build/lade, with its dashboard
	@$(INSTALL) build
	@scripts/build_web.sh
	cmake --preset release -DLADE_TESTS=OFF
	cmake --build --preset release --target lade
	@install build/release/lade build/lade
	@echo "build/lade is ready"

demo: build ## Import a bundled price list into SQLite, show the failed rows, import it again
	@$(INSTALL) demo
	@scripts/demo.sh build/lade

test: ## Everything that CI runs: unit tests, fuzz corpora, text cases, documentation (ASan+UBSan, TSan)
	@$(INSTALL) build test
	@scripts/install_node_tools.sh
	@scripts/build_web.sh
	@PATH="$$(scripts/node_folder.sh):$$PATH" scripts/test.py

test-slow: ## Long simulation and chaos, a million rows on both databases, the corpora of other projects, fuzzing (FUZZ_SECONDS each)
	@$(INSTALL) build test slow fuzz
	@scripts/install_node_tools.sh
	@scripts/build_web.sh
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/test_slow.sh

web: ## Build the dashboard, web/dist
	@$(INSTALL) build
	@scripts/build_web.sh

screenshots: build ## A picture of every page of the dashboard, light and dark: build/screenshots
	@$(INSTALL) test
	@PATH="$$(scripts/node_folder.sh):$$PATH" tests/browser/run.py --lade build/lade --screenshots build/screenshots

bench: ## lade and its peers side by side on this machine (BENCH="--only sqlite --rows 100000")
	@$(INSTALL) build bench
	cmake --preset release -DLADE_TESTS=ON
	cmake --build --preset release
	@install build/release/lade build/lade
	python3 bench/run.py --lade build/lade --generator build/release/generate_components $(BENCH)

lint: ## clang-format and clang-tidy over the C++ sources
	@$(INSTALL) build test lint
	@scripts/format.sh --check
	@scripts/lint.sh

fuzz: ## Run every fuzz target for FUZZ_SECONDS (FUZZ=name for one)
	@$(INSTALL) build test fuzz
	@scripts/fuzz.sh $(FUZZ_SECONDS) $(FUZZ)

format: ## Format the C++ sources
	@$(INSTALL) format
	@scripts/format.sh

clean: ## Remove everything that was built
	rm -rf build
