"""Runs one of these engines as a program, from any working directory. usage: python run.py toy_engine ARGS…"""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[3])
    runpy.run_module(f"tests.worlds.engine.{sys.argv.pop(1)}", run_name="__main__", alter_sys=True)
