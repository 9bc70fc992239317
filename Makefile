# Every target does its own set-up. The environments live in .venvs/, made from the locks in requirements/.
.PHONY: venv demo test check
BIN := .venvs/bot/bin

venv:
	@scripts/venv.sh bot
	@scripts/venv.sh aiperf
	@scripts/venv.sh engine

test: venv
	$(BIN)/pytest

check:
	@scripts/venv.sh bot
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
