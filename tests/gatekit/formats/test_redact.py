"""Secrets do not reach a comment or the database; ordinary log lines stay as they are."""

import pytest

from gatekit.formats.redact import log_tail, one_line, redact, shortened

KEY = "MIIEowIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0g"


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("clone with ghs_16C7e42F292c6912E7710c838347Ae178B4a", "clone with ***"),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a.", "***."),
        ("ghs_1234_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIx.c2ln end", "*** end"),
        ("a://b@c", "a://***@c"),
        ("a://b@", "a://***@"),
        ("github_pat_11ABCDEFG0123456789_abcdefghijklmnop", "***"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3", "jwt ***"),
        ("login hf_AbCdEfGhIjKlMnOpQrStUvWx ok", "login *** ok"),
        ("glpat-ABCDEFGHIJKLMNOPQRST", "***"),
        ("nvapi-ABCDEFGHIJKLMNOPQRSTUVWX", "***"),
        ("key sk-proj-abcdefghij0123456789", "key ***"),
        ("AKIAIOSFODNN7EXAMPLE and ASIAIOSFODNN7EXAMPLE", "*** and ***"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: ***"),
        ("got Bearer abcdefgh12345678, denied", "got Bearer ***, denied"),
        ("HF_TOKEN=abc", "HF_TOKEN=***"),
        ("export GITHUB_TOKEN='a b'", "export GITHUB_TOKEN=***"),
        ('{"token": "abc", "model": "tiny"}', '{"token": ***, "model": "tiny"}'),
        ("token: abc123", "token: ***"),
        ("password=12345 user=bot", "password=*** user=bot"),
        ('DB_PASSWORD: "two words" next', "DB_PASSWORD: *** next"),
        ("AWS_SECRET_ACCESS_KEY=wJalr/XUtn+FEMI", "AWS_SECRET_ACCESS_KEY=***"),
        ("WANDB_API_KEY=abc", "WANDB_API_KEY=***"),
        ("X-Api-Key: abc", "X-Api-Key: ***"),
        ("--api-key abc --hf-token def --model tiny", "--api-key *** --hf-token *** --model tiny"),
        ("https://bot:hunter2@host.example/x", "https://***@host.example/x"),
        ("postgres://u:p@db/x", "postgres://***@db/x"),
        ("GET /x?token=abc&n=1", "GET /x?token=***&n=1"),
        ("\x1b[31mpassword=abc\x1b[0m", "password=***"),
    ],
)
def test_a_secret_is_hidden(line: str, left: str) -> None:
    assert redact(line) == left


@pytest.mark.parametrize(
    "line",
    [
        "",
        "INFO 11-30 08:53:04 model_runner.py:1025] Loading model weights took 1.2 GB",
        "max_tokens=4096 num_draft_tokens: 3 tokens: 1920",
        "time per output token: 12.5ms, tokenizer=/models/tiny, token_ids=[1, 2]",
        "eos_token=</s> pad_token=<pad>",
        "hf_hub_download failed for tiny/model",
        "using sk-learn, task-force-of-something-long",
        "Bearer of news",
        "sha256:4f163d8b2c2f2a7d8e0c4d2b6a1f0e9d8c7b6a5f4e3d2c1b0a9f8e7d6c5b4a39",
        "https://host.example/a@b and a@b.example",
        "ghs_short",
    ],
)
def test_an_ordinary_line_stays(line: str) -> None:
    assert redact(line) == line


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"a\n-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n{KEY}\n-----END RSA PRIVATE KEY-----\nb", "a\n***\n***\nb"),
        (f"a\n-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}", "a\n***"),  # its end was cut off
        (f"{KEY}\n{KEY}\n-----END PRIVATE KEY-----\nb", "***\nb"),  # its beginning was
        (f"key: -----BEGIN PRIVATE KEY-----{KEY}-----END PRIVATE KEY----- b", "***"),
        ("-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", None),  # no secret
    ],
)
def test_a_private_key_is_hidden_wherever_the_text_was_cut(text: str, left: str | None) -> None:
    assert redact(text) == (text if left is None else left)


def test_the_tail_holds_the_last_lines_that_say_something() -> None:
    log = "one\n\ntwo   \nHF_TOKEN=abc\n   indented\n\n\n"
    assert log_tail(log, 3) == ("two", "HF_TOKEN=***", "   indented")
    assert log_tail(log, 0) == ()
    assert log_tail("", 5) == ()


def test_a_progress_bar_shows_its_last_state() -> None:
    assert log_tail("loading:  10%\rloading:  99%\rloaded\r\nready\r\n", 5) == ("loaded", "ready")


def test_a_secret_is_hidden_before_the_line_is_cut() -> None:
    (line,) = log_tail("x" * 20 + " hf_AbCdEfGhIjKlMnOpQrStUvWx", 1, width=30)
    assert line == "x" * 20 + " ***"
    (line,) = log_tail("y" * 100, 1, width=30)
    assert line == "y" * 29 + "…"


@pytest.mark.parametrize(
    ("text", "line"),
    [("it\nbroke.", "it broke"), ("  a  b ", "a b"), ("x" * 400, "x" * 299 + "…"), ("password=1\n", "password=***")],
)
def test_words_to_stand_in_a_sentence(text: str, line: str) -> None:
    assert one_line(text) == line


def test_shortened_says_that_it_is() -> None:
    assert (shortened("abc", 3), shortened("abcd", 3)) == ("abc", "ab…")


@pytest.mark.parametrize(
    "piece", ["a_", "--a_", "token_", "password=", "a://", "eyJ.", '"', "-----BEGIN ", "ghs_", "\n"]
)
def test_a_hostile_log_is_still_a_log(piece: str) -> None:
    """Repetition must not make the patterns try every way to match: the suite would stand still here."""
    line = piece * 1000
    assert redact("\n".join([line[:4000]] * 50))
