"""The small real engine: llama.cpp, which really drafts and verifies, with models of half a megabyte.

`make_models.py` and `llama_server.py` are programs for the engine's own environment; the bot never imports them.
"""
