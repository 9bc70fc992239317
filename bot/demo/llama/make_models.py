"""Writes the small engine's models and a tokenizer for the replayer. usage: python make_models.py FOLDER

Runs in the engine's environment (numpy, gguf). The target is a Llama of random weights over bytes; each draft has the
same weights plus noise, so that the noise decides how many of its tokens the target accepts. The same bytes on every
run; a file that is already there with the right content is left alone.
"""

import json
import logging
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np

WIDTH = 64
LAYERS = 2
HEADS = 2
KEY_HEADS = 1
INNER = 128
CONTEXT = 2048
SEED = 7
SPREAD = 0.3  # standard deviation of the weights
SPECIAL = ("<unk>", "<s>", "</s>")
# Each message on a line of its own, then the mark of the thinking mode where a request asks for it.
TEMPLATE = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}{% if thinking %}[thinking]\n{% endif %}"

NOISE = {
    "target.gguf": 0.0,
    "draft-near.gguf": 0.01,
    "draft-third.gguf": 0.04,  # about a third of its tokens are accepted
    "draft-far.gguf": 0.2,
}


@dataclass(frozen=True)
class Vocabulary:
    """A byte-level vocabulary: three special tokens, the 256 bytes, and one merge because the format wants one."""

    tokens: tuple[str, ...]
    merge: tuple[str, str]


def byte_letters() -> tuple[str, ...]:
    """The printable letter that stands for each byte in GPT-2's vocabulary format, by byte."""
    plain = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    stand_ins = iter(range(256, 512))
    return tuple(chr(byte if byte in plain else next(stand_ins)) for byte in range(256))


def vocabulary() -> Vocabulary:
    letters = byte_letters()
    space = letters[ord(" ")]
    return Vocabulary((*SPECIAL, *letters, space + space), (space, space))


def tensors(noise: float, size: int) -> Iterator[tuple[str, "np.ndarray"]]:
    """Name and values of every tensor: the target's own plus `noise` times an independent draw of the same spread."""
    own, other = np.random.default_rng(SEED), np.random.default_rng(SEED + 1000)

    def draw(*shape: int, spread: float = SPREAD) -> "np.ndarray":
        weights = own.standard_normal(shape).astype(np.float32)
        return (weights + noise * other.standard_normal(shape).astype(np.float32)) * np.float32(spread)

    ones = np.ones(WIDTH, np.float32)
    yield "token_embd.weight", draw(size, WIDTH, spread=1.0)
    head = draw(size, WIDTH)
    head[~speakable(size)] = 0
    yield "output.weight", head
    yield "output_norm.weight", ones
    for layer in range(LAYERS):
        block, keys = f"blk.{layer}.", KEY_HEADS * WIDTH // HEADS
        yield block + "attn_norm.weight", ones
        yield block + "attn_q.weight", draw(WIDTH, WIDTH)
        yield block + "attn_k.weight", draw(keys, WIDTH)
        yield block + "attn_v.weight", draw(keys, WIDTH)
        yield block + "attn_output.weight", draw(WIDTH, WIDTH)
        yield block + "ffn_norm.weight", ones
        yield block + "ffn_gate.weight", draw(INNER, WIDTH)
        yield block + "ffn_up.weight", draw(INNER, WIDTH)
        yield block + "ffn_down.weight", draw(WIDTH, INNER)


def speakable(size: int) -> "np.ndarray":
    """Which tokens the model may say: printable ASCII, so that answers are text and never end early."""
    mask = np.zeros(size, bool)
    mask[len(SPECIAL) + 0x20 : len(SPECIAL) + 0x7F] = True
    return mask


def write_model(path: Path, noise: float) -> None:
    words = vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("gatekit-demo")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    add_vocabulary(writer, words)
    for name, values in tensors(noise, len(words.tokens)):
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_vocabulary(writer: "gguf.GGUFWriter", words: Vocabulary) -> None:
    kind = gguf.TokenType
    ordinary = len(words.tokens) - len(SPECIAL)
    writer.add_vocab_size(len(words.tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(words.tokens)
    writer.add_token_types([kind.UNKNOWN, kind.CONTROL, kind.CONTROL, *[kind.NORMAL] * ordinary])
    writer.add_token_merges([" ".join(words.merge)])
    writer.add_bos_token_id(SPECIAL.index("<s>"))
    writer.add_eos_token_id(SPECIAL.index("</s>"))
    writer.add_add_bos_token(True)
    writer.add_chat_template(TEMPLATE)


def tokenizer_files() -> dict[str, str]:
    """The same vocabulary as the replayer's tokenizer library reads it: file name -> text."""
    words = vocabulary()
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    special = [
        {"id": SPECIAL.index(t), "content": t, "special": True}
        | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        for t in SPECIAL
    ]
    model = {"type": "BPE", "vocab": {t: i for i, t in enumerate(words.tokens)}, "merges": [list(words.merge)]}
    tokenizer = {
        "version": "1.0",
        "added_tokens": special,
        "pre_tokenizer": level,
        "decoder": level,
        "model": model,
    }
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "unk_token": "<unk>",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "model_max_length": CONTEXT,
        "clean_up_tokenization_spaces": False,
        "chat_template": TEMPLATE,
    }
    return {
        "tokenizer.json": json.dumps(tokenizer, ensure_ascii=False, indent=1) + "\n",
        "tokenizer_config.json": json.dumps(config, indent=1) + "\n",
    }


def settle(made: Path, place: Path) -> bool:
    """Moves `made` to `place` unless the same bytes are there. True: something changed."""
    if place.is_file() and place.read_bytes() == made.read_bytes():
        made.unlink()
        return False
    os.replace(made, place)
    return True


def make(folder: Path) -> list[str]:
    """Writes whatever is missing or different under `folder`; the names of what was written."""
    (folder / "tokenizer").mkdir(parents=True, exist_ok=True)
    written = []
    draft = folder / f".making-{os.getpid()}"
    for name, noise in NOISE.items():
        write_model(draft, noise)
        written += [name] * settle(draft, folder / name)
    for name, text in tokenizer_files().items():
        draft.write_text(text, encoding="utf-8")
        written += [f"tokenizer/{name}"] * settle(draft, folder / "tokenizer" / name)
    return written


def main(argv: list[str]) -> int:
    if len(argv) != 1:
        sys.stderr.write("usage: python make_models.py FOLDER\n")
        return 2
    logging.getLogger("gguf").setLevel(logging.WARNING)
    for name in make(Path(argv[0])):
        sys.stdout.write(f"{name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
