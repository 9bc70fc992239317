"""A server that looks like an engine, writes down every request that it gets, and breaks where it is told to.

usage: recording.py --port P --record FILE [faults]
It writes one JSON object a line: first {"start": {"pid", "argv", "cwd", "env"}}, then {"path", "body"} of each POST.
Every answer counts 7 generated tokens, 2 drafts and 3 accepted draft tokens.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TOKENS, DRAFTS, ACCEPTED = 7, 2, 3
SLEEPER = ("/bin/sleep", "3600.25")


def render(messages: Sequence[Mapping[str, str]], kwargs: Mapping[str, Any] | None) -> str:
    """This engine's chat template."""
    said = "".join(f"<{message['role']}>{message['content']}</{message['role']}>" for message in messages)
    return f"{said}<assistant {json.dumps(kwargs)}>"


class Recording:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.lock = threading.Lock()
        self.answered = 0
        self.scraped = 0

    def note(self, entry: Mapping[str, Any]) -> None:
        with self.lock, Path(self.options.record).open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def metrics(self) -> str:
        with self.lock:
            self.scraped += 1
            moved = self.answered + min(self.scraped, self.options.restless)
            lines = [
                "# HELP vllm:spec_decode_num_drafts_total drafts",
                "# TYPE vllm:spec_decode_num_drafts_total counter",
                f'vllm:spec_decode_num_drafts_total{{engine="0"}} {DRAFTS * moved}',
                f'vllm:spec_decode_num_accepted_tokens_total{{engine="0"}} {ACCEPTED * moved}',
                f'vllm:generation_tokens_total{{engine="0"}} {TOKENS * moved}',
                "process_start_time_seconds 1796029000.5",
                f"scrapes_total {self.scraped}",
            ]
        return "\n".join(lines) + "\n"

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        if path == "/tokenize" and "messages" in body and self.options.prompts_only:
            return 422, {"error": {"message": "prompt: Field required"}}
        helper = self.helper(path, body)
        if helper is not None:
            return 200, helper
        time.sleep(self.options.pace)
        if self.options.refuse and self.options.refuse in json.dumps(body):
            return 400, {"error": {"message": "this prompt is refused"}}
        with self.lock:
            self.answered += 1
            if self.options.die_after and self.answered >= self.options.die_after:
                os._exit(9)
        said = body["prompt"] if "prompt" in body else body["messages"][-1]["content"]
        text = f"an answer to {len(said)} letters{self.options.say}"
        usage = {"prompt_tokens": len(said), "completion_tokens": TOKENS, "total_tokens": len(said) + TOKENS}
        if path == "/v1/completions":
            return 200, {"object": "text_completion", "choices": [{"index": 0, "text": text}], "usage": usage}
        message = {"role": "assistant", "content": text}
        return 200, {"object": "chat.completion", "choices": [{"index": 0, "message": message}], "usage": usage}

    def helper(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What engines offer beside answers: rendering, and tokens, of which a letter is one."""
        kwargs = body.get("chat_template_kwargs")
        if path == "/apply-template":
            return {"prompt": render(body["messages"], kwargs)}
        if path == "/tokenize":
            text = render(body["messages"], kwargs) if "messages" in body else body["prompt"]
            return {"tokens": [ord(letter) for letter in text]}
        if path == "/detokenize":
            text = "".join(map(chr, body["tokens"]))
            text = text.replace("é", "e") if self.options.forgetful else text
            return {"prompt": text} if "skip_special_tokens" not in body else {"text": text}  # as vLLM; as SGLang
        return None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    world: Recording

    def log_message(self, format: str, *args: object) -> None:
        return

    def reply(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        if self.path == "/health":
            self.reply(503 if self.world.options.never_healthy else 200, b"", "text/plain")
        elif self.path == "/metrics":
            self.reply(200, self.world.metrics().encode(), "text/plain; version=0.0.4")
        elif self.path == "/version":
            self.reply(200, b'{"version": "1.2.3"}', "application/json")
        else:
            self.reply(404, b"{}", "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.startswith("/v1/"):
            self.world.note({"path": self.path, "body": body})
        status, answer = self.world.answer(self.path, body)
        self.reply(status, json.dumps(answer).encode(), "application/json")


def serve(options: argparse.Namespace) -> ThreadingHTTPServer:
    handler = type("Bound", (Handler,), {"world": Recording(options)})
    return ThreadingHTTPServer(("127.0.0.1", options.port), handler)


def leave_a_daemon() -> int:
    """A process that left our session, its parent and its environment behind. Returns its pid."""
    leave = (
        "os.setsid(); pid = os.fork(); pid and print(pid, flush=True); pid or os.execve(sys.argv[1], sys.argv[1:], {})"
    )
    return int(first_line([sys.executable, "-c", f"import os, sys; {leave}", *SLEEPER]))


def first_line(argv: Sequence[str]) -> str:
    """Starts a program and goes on as soon as it has said one line."""
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process.stdout.readline()


def take_the_port(options: argparse.Namespace) -> None:
    """Once: leaves a stranger behind that listens on our port, and ends."""
    taken = Path(options.record).with_suffix(".taken")
    if taken.exists():
        return
    taken.touch()
    listen = "s = socket.create_server(('127.0.0.1', int(sys.argv[1])))"
    code = f"import socket, sys, time; {listen}; print(1, flush=True); time.sleep(600)"
    first_line([sys.executable, "-c", code, str(options.port)])
    os._exit(1)


def options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--record", required=True)
    parser.add_argument("--say", default="", help="at the end of every answer")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds for an answer")
    parser.add_argument("--refuse", help="answer 400 where this text is in the body")
    parser.add_argument("--die-at-start", type=int, help="exit with this code")
    parser.add_argument("--die-after", type=int, help="exit in the middle of this answer")
    parser.add_argument("--never-healthy", action="store_true")
    parser.add_argument("--restless", type=int, default=0, help="the counters move by themselves for so many scrapes")
    parser.add_argument("--forgetful", action="store_true", help="detokenising loses accents")
    parser.add_argument("--prompts-only", action="store_true", help="tokenize prompts, but no messages")
    parser.add_argument("--daemon", action="store_true")
    parser.add_argument("--clash", action="store_true", help="lose the port to a stranger, once")
    return parser.parse_args(words)


def main() -> None:
    chosen = options(sys.argv[1:])
    if chosen.die_at_start is not None:
        sys.stdout.write("the model file is broken\n")
        sys.exit(chosen.die_at_start)
    if chosen.clash:
        take_the_port(chosen)
    server = serve(chosen)
    start = {"pid": os.getpid(), "argv": sys.argv, "cwd": os.getcwd(), "env": dict(os.environ)}
    if chosen.daemon:
        start["daemon"] = leave_a_daemon()
    server.RequestHandlerClass.world.note({"start": start})
    server.serve_forever()


if __name__ == "__main__":
    main()
