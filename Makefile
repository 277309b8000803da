# Signalbox. `make help` lists what there is.
SHELL := /bin/bash
.ONESHELL:
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

DATA ?= ./.signalbox

.PHONY: help toolchain run dev build assets generate test test-go test-race soak-reference soak-sim soak-mutants soak-soundness conformance test-web e2e conformance-xstate bench-ui soak lint fmt verify bench clean

help: ## list the commands
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

toolchain:
	@command -v go >/dev/null || { echo "Signalbox needs Go 1.26 or newer: https://go.dev/dl"; exit 1; }
	@go version | grep -qE 'go1\.(2[6-9]|[3-9][0-9])' || { echo "Signalbox needs Go 1.26 or newer; this is $$(go version)"; exit 1; }
	@command -v node >/dev/null || { echo "Signalbox needs Node.js 20 or newer to build its pages: https://nodejs.org"; exit 1; }
	@node -e 'process.exit(+process.versions.node.split(".")[0] >= 20 ? 0 : 1)' || { echo "Signalbox needs Node.js 20 or newer; this is $$(node --version)"; exit 1; }
	@command -v npm >/dev/null || { echo "Signalbox needs npm, which comes with Node.js"; exit 1; }

node_modules/.stamp: package-lock.json | toolchain
	npm ci --ignore-scripts --no-audit --no-fund
	touch node_modules/.stamp

assets: node_modules/.stamp ## build scripts, styles, fonts and icons into static/dist
	node build.mjs

generate: toolchain ## make _templ.go of the .templ files that changed
	@for f in web/view/*.templ; do if [ "$$f" -nt "$${f%.templ}_templ.go" ]; then echo "templ generate"; go tool templ generate -path web/view; break; fi; done

build: assets generate ## build bin/signalbox
	go build -o bin/signalbox .

run: build ## build everything and start it; data under ./.signalbox
	exec bin/signalbox serve --data $(DATA)

dev: build ## like run, but scripts and styles are read from disk and built again on every change
	trap 'kill 0' EXIT
	node build.mjs --watch &
	bin/signalbox serve --data $(DATA) --assets static/dist

test: test-go test-web e2e ## everything that must pass
	@echo "All tests passed."

# Of the pure packages, which start no goroutine (policy_test.go), those that
# compute most. The race detector finds nothing there, and would make them seven
# times slower.
PURE := $(addprefix ./,engine/chart/... engine/compile engine/exchange engine/machine engine/poster engine/queue engine/reference/... engine/rehearsal engine/soundness engine/worker/elastic)

test-go: generate assets ## vet and test the Go code, with the race detector where anything is concurrent
	go vet ./...
	go vet -tags soak,conformance ./app ./engine/soundness
	go test -vet=off -timeout 600s $(PURE)
	go test -vet=off -race -timeout 600s $$(go list ./... | grep -vxF "$$(go list $(PURE))")

test-race: generate assets ## test all of the Go code with the race detector
	go test -race -timeout 1200s ./...

soak-reference: ## play 50,000 random drawings on the machine and on the reference
	SIGNALBOX_SOAK=50000 go test -timeout 7200s -run TestTheMachineMeansWhatThePageSays -v ./engine/reference

soak-sim: ## play SEEDS (20,000) simulated worlds on the real engine
	SIGNALBOX_SOAK=$${SEEDS:-20000} go test -count=1 -timeout 0 -run TestSeed -v ./engine/sim

soak-mutants: ## plant 49 bugs, one after the other: the simulation finds each within 2,000 seeds (minutes)
	go vet -tags mutant ./engine/...
	go test -tags mutant -count=1 -timeout 0 -run TestMutants -v ./engine/sim

soak-soundness: toolchain ## compare the proof with every interleaving of 20,000 random drawings, and with the machine (minutes)
	go test -count=1 -timeout 60m -run 'TestProofAgrees|TestStatesThat|TestTheMachine' ./engine/soundness -v -args -oracle 20000 | grep -E 'compared|played|seed|FAIL|^ok'

conformance: toolchain ## compare the proof with BPMN models that others judged (needs SOUNDNESS_DATA, the folder that holds them)
	@[ -d "$(SOUNDNESS_DATA)/soundness-fbpmn" ] && [ -d "$(SOUNDNESS_DATA)/soundness-bpmn-analyzer" ] || { echo "This compares with models that are not part of the repository. Name the folder that holds soundness-fbpmn and soundness-bpmn-analyzer: make conformance SOUNDNESS_DATA=/path/to/it"; exit 1; }
	SOUNDNESS_DATA="$(SOUNDNESS_DATA)" go test -tags conformance -count=1 -v -run TestBPMN ./engine/soundness | grep -vE "^(===|PASS)"

test-web: node_modules/.stamp ## types, style and unit tests of the TypeScript code
	npx tsc -p tsconfig.core.json
	npx tsc -p tsconfig.json
	npx tsc -p tsconfig.tests.json
	npx tsc -p tsconfig.bench.json
	npx biome check
	node build.mjs --tests
	node --test web/build/

e2e: build ## the real program in a real browser (needs chromium)
	@command -v "$${CHROMIUM:-chromium}" >/dev/null || { echo "The browser tests need Chromium: apt-get install chromium, or name one by CHROMIUM=/path/to/it"; exit 1; }
	node web/e2e/all.mjs

conformance-xstate: node_modules/.stamp ## like the tests of engine/exchange, with all recorded machines and 400 random charts (another XState: XSTATE_DIR=/path, with node_modules in it)
	go test -count=1 -run RealXState ./engine/exchange -args -charts 400

soak: generate assets ## SOAK_KILLS faults (1,000) to real processes, then an audit: takes an hour
	go vet -tags soak ./app
	go test -tags soak -count 1 -timeout 0 -run TestSoak -v ./app

lint: ## golangci-lint (built by Go itself the first time)
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run

fmt: node_modules/.stamp ## format everything
	gofmt -w $$(git ls-files '*.go')
	go tool templ fmt web/view
	npx biome check --write web build.mjs

verify: ## generated files are current
	go tool templ generate -path web/view
	git diff --exit-code -- web/view

bench: build ## measure this machine
	bin/signalbox bench

bench-ui: node_modules/.stamp ## measure the canvas beside a page with React Flow in headless Chromium (minutes)
	node web/e2e/bench-kernel.mjs --check

clean: ## remove what was built
	rm -rf bin web/build static/dist/*
	find . -name '*.tsbuildinfo' -not -path './node_modules/*' -delete
