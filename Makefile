# Every target does its own set-up. The environments live in .venvs/, made from the locks in requirements/.
.PHONY: venv demo test test-vllm check format soak fresh-check bench-ack bench-plan bench-cluster bench-owners bench-reuse bench-start
BIN := .venvs/bot/bin

venv:
	@scripts/venv.sh bot
	@scripts/venv.sh aiperf
	@scripts/venv.sh engine

demo: venv ## one pull request, from a label to its merge, on this machine
	@$(BIN)/gatekit demo $(DEMO)

test: venv ## everything, with real parts
	@scripts/tools.sh
	$(BIN)/python -m scripts.suite $(TESTS)

check: ## format, lint, types, rooms, house rules, docs
	@scripts/venv.sh bot
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/house_check.py

format:
	@scripts/venv.sh bot
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

fresh-check: ## the two commands above in a Debian bookworm that has nothing
	@scripts/fresh_check.sh

soak: venv ## the long versions of the drills; writes what came of them into docs/soak.md
	@scripts/tools.sh
	$(BIN)/python scripts/soak.py

test-vllm: venv ## opt-in: gates on vLLM's CPU build; writes what came of them into docs/vllm.md
	@scripts/venv.sh vllm
	$(BIN)/python scripts/vllm_page.py

bench-ack: venv ## the durable acknowledgement beside gidgethub and probot
	$(BIN)/python benchmarks/ack/run.py

bench-plan: venv ## the gate plan of a whole tree beside PyYAML
	$(BIN)/python -m benchmarks.plan.run

bench-cluster: venv ## 238 gates over one SSH connection to a real SLURM beside the naive way
	@scripts/tools.sh
	$(BIN)/python -m benchmarks.cluster.run

bench-owners: ## 3,000 paths against 1 MB of CODEOWNERS
	@scripts/venv.sh bot
	$(BIN)/python -m benchmarks.codeowners.run

bench-reuse: ## a push that changes nothing, beside the artifacts of 30 runs
	@scripts/venv.sh bot
	$(BIN)/python -m benchmarks.reuse.run

bench-start: ## commands from start to end, beside an earlier checkout
	@scripts/venv.sh bot
	$(BIN)/python -m benchmarks.start.run --against $(or $(AGAINST),../gatekit-8fe7f89)
