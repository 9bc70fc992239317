"""The demo's prompts: written for it, in the shape of SPEED-Bench's prepared files, under the project's own licence.

One JSON object a line: `question_id` (32 hex digits, from the digest of the turns), `category`, `sub_category`, and the
user's turns as `messages`. Most rows are `coding`; the others show that a replay takes its own category only.
"""

from pathlib import Path

FILE = Path(__file__).with_name("coding.jsonl")
SHA256 = "ac53b845a00f66d6671fb54c667db5893ecf79921c0962ea1465df7894bca484"
CATEGORY = "coding"
COUNT = 24  # rows of CATEGORY; three of them have further turns
