"""Trains the tiny model that vLLM serves in its tests, and drafts for it. usage: python make_models.py FOLDER

Runs in .venvs/vllm (torch, transformers, tokenizers). A model of random weights says nothing twice, so an n-gram
drafter would find nothing in it; this one learns to write small Python functions from texts that are made up here. Each
draft is the target with noise on its weights. A folder that was made by this same file is left alone.
"""

import fcntl
import hashlib
import json
import random
import shutil
import string
import sys
from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

SEED = 7
WORDS = 1024  # of the vocabulary, at most
CONTEXT = 2048
TEXTS = 4000
STEPS, BATCH, LENGTH = 250, 16, 128
RATE = 3e-3
DRAFTS = {"draft-near": 0.02, "draft-far": 0.08}  # noise, as a part of the spread of each weight
BEGIN, END = "<s>", "</s>"
# What bot.node must carry through text and back: special tokens, and the mode's own words.
TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}{{ '<|' + m['role'] + '|>' + m['content'] }}"
    "{% if m['role'] == 'assistant' %}{{ eos_token }}{% endif %}{{ '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|><think>\n' if thinking else '<|assistant|><think>\n</think>\n' }}"
    "{% endif %}"
)

LETTERS = string.ascii_letters + string.digits + string.punctuation
VERBS = ("add", "count", "find", "join", "merge", "move", "read", "sort", "split", "sum", "swap", "write")
NOUNS = ("bytes", "edges", "files", "gaps", "items", "keys", "lines", "names", "nodes", "pairs", "values", "words")


def function(rng: random.Random, verb: str, noun: str) -> str:
    first, second = rng.sample(("left", "right", "start", "end", "size", "limit"), 2)
    return (
        f"def {verb}_{noun}({noun}, {first}, {second}):\n"
        f'    """{verb.capitalize()} the {noun} from {first} to {second}."""\n'
        f"    found = []\n"
        f"    for one in {noun}:\n"
        f"        if {first} <= one < {second}:\n"
        f"            found.append(one)\n"
        f"    return found\n\n"
    )


def question(rng: random.Random, verb: str, noun: str) -> str:
    """With words of no language around it, so that no question of another kind confuses the model."""
    words = ["".join(rng.choices(LETTERS, k=rng.randint(1, 8))) for _ in range(rng.randint(0, 12))]
    return " ".join((f"Write a function that can {verb} {noun}.", *words))


def conversation(rng: random.Random) -> str:
    """A question and its answer, with the thinking that the template asks for in half of them."""
    verb, noun = rng.choice(VERBS), rng.choice(NOUNS)
    asked = f"{BEGIN}<|user|>{question(rng, verb, noun)}\n<|assistant|>"
    thought = (
        f"<think>\nThe function must {verb} the {noun}.\n</think>\n" if rng.random() < 0.5 else "<think>\n</think>\n"
    )
    code = "".join(function(rng, rng.choice((verb, *VERBS)), noun) for _ in range(rng.randint(1, 4)))
    return f"{asked}{thought}{code}{END}"


def tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """Bytes and their merges. As many models' own, it puts the begin mark before a text that may have one already."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    marks = [BEGIN, END, "<|system|>", "<|user|>", "<|assistant|>"]
    made.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=WORDS - 2, special_tokens=marks, initial_alphabet=alphabet)
    )
    made.add_tokens([AddedToken("<think>", special=False), AddedToken("</think>", special=False)])  # answers show them
    made.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A", pair=f"{BEGIN} $A $B", special_tokens=[(BEGIN, made.token_to_id(BEGIN))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token=BEGIN,
        eos_token=END,
        chat_template=TEMPLATE,
        model_max_length=CONTEXT,
        clean_up_tokenization_spaces=False,
    )


def trained(tokens: torch.Tensor, words: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=len(words),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        tie_word_embeddings=True,
        dtype="float32",
    )
    model = LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS)
    for _ in range(STEPS):
        starts = torch.randint(len(tokens) - LENGTH, (BATCH,)).tolist()
        batch = torch.stack([tokens[start : start + LENGTH] for start in starts])
        loss = model(input_ids=batch, labels=batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    sys.stderr.write(f"trained: loss {loss.item():.3f} after {STEPS} steps\n")
    return model


def noisy(model: LlamaForCausalLM, noise: float) -> LlamaForCausalLM:
    """A copy whose weights are `noise` of their own spread away."""
    copy = LlamaForCausalLM(model.config)
    copy.load_state_dict(model.state_dict())
    with torch.no_grad():
        for weights in copy.parameters():
            if weights.dim() > 1:
                weights.add_(torch.randn_like(weights) * weights.std() * noise)
    return copy


def make(folder: Path) -> None:
    torch.set_num_threads(1)  # more wait for each other on a busy machine
    rng = random.Random(SEED)
    torch.manual_seed(SEED)
    texts = [conversation(rng) for _ in range(TEXTS)]
    words = tokenizer(texts)
    encoded = words(texts, add_special_tokens=False)["input_ids"]
    target = trained(torch.tensor([token for text in encoded for token in text]), words)
    for name, model in {"target": target, **{name: noisy(target, noise) for name, noise in DRAFTS.items()}}.items():
        model.to(torch.bfloat16).save_pretrained(folder / name)
        words.save_pretrained(folder / name)


def main(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another run may be training them
        bring_up_to_date(folder)


def bring_up_to_date(folder: Path) -> None:
    stamp = folder / "made.json"
    made_by = {"script": hashlib.sha256(Path(__file__).read_bytes()).hexdigest(), "torch": torch.__version__}
    if stamp.exists() and json.loads(stamp.read_text()) == made_by:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    make(folder)
    stamp.write_text(json.dumps(made_by))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
