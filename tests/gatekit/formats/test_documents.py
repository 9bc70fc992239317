"""YAML and JSON of strangers: what is read, what is refused, and with which sentence."""

import pytest

from gatekit.domain.errors import BadInput
from gatekit.formats.yaml_document import read_yaml
from gatekit.formats.yaml_reader import YamlLimits
from tests.shared import shared_snapshot


def data(text: str) -> object:
    return read_yaml("a.yaml", text.encode()).data


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("# nothing\n", None),
        ("- 1\n- 0x10\n- 1_000\n- 017\n", [1, 16, 1000, 15]),
        ("- 1.5\n- 1.0e+3\n- 1e3\n", [1.5, 1000.0, "1e3"]),
        (f"- {2**63 - 1}\n- {-(2**63)}\n", [2**63 - 1, -(2**63)]),
        ("- yes\n- off\n- 'on'\n- True\n", [True, False, "on", True]),
        ("- ~\n- null\n-\n- ''\n", [None, None, None, ""]),
        ("- 2026-08-22\n- 12:30\n", ["2026-08-22", 750]),
        ("- !!str 12\n", ["12"]),
        ("4: four\n'x': 1\n", {4: "four", "x": 1}),
        ("a: |\n  one\n  two\nb: >-\n  one\n  two\n", {"a": "one\ntwo\n", "b": "one two"}),
        ("---\na: 1\n", {"a": 1}),
        ("a:\t1\n", {"a": 1}),
    ],
)
def test_scalars_mean_what_yaml_1_1_says_and_dates_stay_text(text: str, expected: object) -> None:
    assert data(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x {k: 1}\nb: *x\n", {"a": {"k": 1}, "b": {"k": 1}}),
        ("a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}\n", {"a": {"k": 1, "l": 2}, "b": {"k": 1, "l": 3}}),
        ("b: {l: 3, <<: {l: 1, m: 2}}\n", {"b": {"l": 3, "m": 2}}),
        ("b: {<<: [{l: 1}, {l: 2, m: 2}]}\n", {"b": {"l": 1, "m": 2}}),
        ("a: &x 1\nb: [*x, *x]\n", {"a": 1, "b": [1, 1]}),
        ("a: {'<<': 1}\n", {"a": {"<<": 1}}),
    ],
)
def test_anchors_and_merge_keys_work(text: str, expected: object) -> None:
    assert data(text) == expected


def test_merged_keys_stand_before_the_mappings_own() -> None:
    merged = data("a: &x {k: 1, l: 2}\nb: {m: 3, <<: *x}\n")
    assert isinstance(merged, dict)
    assert list(merged["b"]) == ["k", "l", "m"]


@pytest.mark.parametrize(
    ("place", "where"),
    [
        ((), "a.yaml"),
        (("top",), "a.yaml:1"),
        (("top", "rows"), "a.yaml:2"),
        (("top", "rows", 1), "a.yaml:5"),
        (("top", "rows", 1, "tp"), "a.yaml:5"),
        (("top", "rows", 1, "ep"), "a.yaml:5"),
        (("top", "merged", "one"), "a.yaml:7"),
        (("nowhere", "tp"), "a.yaml"),
    ],
)
def test_a_place_has_the_line_of_its_deepest_known_part(place: tuple[str | int, ...], where: str) -> None:
    text = b"top:\n  rows:\n  - tp: 1\n  -\n    tp: 2\n  base: &b\n    one: 1\n  merged: {<<: *b}\n"
    assert read_yaml("a.yaml", text).where(*place) == where


def test_the_first_line_can_have_another_number() -> None:
    assert read_yaml("a.yaml", b"a: 1\nb: 2\n", first_line=40).where("b") == "a.yaml:41"


@pytest.mark.parametrize(
    ("place", "name", "where"),
    [
        ((), "one", "a.yaml:1"),
        ((), "three", "a.yaml:3"),
        ((), "six", "a.yaml:3"),
        (("four",), "x", "a.yaml:5"),
        (("five", 1), "z", "a.yaml:4"),
        (("nowhere", 7), "x", "a.yaml"),
    ],
)
def test_a_key_that_is_missing_belongs_beside_its_neighbours(
    place: tuple[str | int, ...], name: str, where: str
) -> None:
    text = b"two: 2\n\nfour:\n\n  y: 1\n"
    if "five" in place:
        text = b"five:\n- a: 1\n-\n  y: 1\n  x: 2\n"
    read = read_yaml("a.yaml", text)
    order = ("one", "two", "three", "four", "five", "six") if not place else ("x", "y", "z")
    assert read.gap(place, name, order) == where


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("a: 1\nb: 2\na: 3\n", "a.yaml:3: has the key `a` twice in one mapping; keep one of them"),
        ("a:\n\tb: 1\n", "a.yaml:2: is indented with a tab; use spaces"),
        ("a: \x07\n", "a.yaml:1: holds a control character; take it out"),
        ("a: [1\nb: 2\n", "a.yaml:2: is no valid YAML"),
        ("a: 'x\n", "a.yaml:2: is no valid YAML: found unexpected end of stream; correct"),
        ("a: 'x\nb: 1\nc: 2\n", "a.yaml:1: opens a quote that is not closed as it should be; close it"),
        (
            "a: [x\n\nb: c\nd: e\n",
            "a.yaml:3: is no valid YAML: did not find expected ',' or ']', in what begins in line 1; correct this line",
        ),
        ("on: push\n", "a.yaml:1: has a key that YAML reads as True; put the key in quotes"),
        ("1.5: x\n", "a.yaml:1: has a key that YAML reads as 1.5; put the key in quotes"),
        ("~: x\n", "a.yaml:1: has a key that YAML reads as None; put the key in quotes"),
        ("? [a]\n: 1\n", "a.yaml:1: has a mapping or a list as a key; use plain text"),
        ("a: &x k\n*x : 1\n", "a.yaml:2: has an alias as a key; write the key out"),
        ("a: .inf\n", "a.yaml:1: holds a number that is not finite"),
        ("a: [.nan]\n", "a.yaml:1: holds a number that is not finite"),
        ("a: 1.0e+999\n", "a.yaml:1: holds a number that is not finite"),
        *(
            (f"a: {number}\n", "a.yaml:1: holds a number that cannot be read; put it in quotes if it is text")
            for number in (
                "9" * 5000,
                2**63,
                -(2**63) - 1,
                "0x" + "f" * 17,
                ":".join(["1"] * 30),  # of base 60
                "0b1" + "0" * 63,
                "1" + "_0" * 30,
                "0." + "1" * 80,
            )
        ),
        ('a: "\\0"\n', "a.yaml:1: holds the character NUL; take it out"),
        ("a: !!python/object:os.system x\n", "a.yaml:1: uses the tag `tag:yaml.org,2002:python/object:os.system`"),
        ("a: !!set {x}\n", "a.yaml:1: uses the tag `tag:yaml.org,2002:set`; write the value without a tag"),
        ("a: ! 12\n", "a.yaml:1: uses the tag `!`; write the value without a tag"),
        ('"a\\nb": 1\n"a\\nb": 2\n', "a.yaml:2: has the key `a\ufffdb` twice in one mapping; keep one of them"),
        (f"? {'k' * 999}\n: 1\n" * 2, f"a.yaml:3: has the key `{'k' * 100}…` twice in one mapping; keep one of them"),
        ("a: *x\n", "a.yaml:1: uses the alias `*x`, which has no anchor before it; add the anchor"),
        ("a: &x [*x]\n", "a.yaml:1: uses the alias `*x` inside its own anchor; take it out"),
        ("a: {<<: 1}\n", "a.yaml:1: merges with `<<` what is no mapping; name a mapping there"),
        ("a: {<<: {b: 1}, <<: {c: 1}}\n", "a.yaml:1: holds `<<` twice in one mapping; use one `<<` with a list"),
        ("a: 1\n---\nb: 1\n", "a.yaml:2: starts a second document; keep one and take the line `---` out"),
    ],
)
def test_what_is_refused_says_where_and_what_to_change(text: str, refusal: str) -> None:
    with pytest.raises(BadInput) as refused:
        data(text)
    assert str(refused.value).startswith(refusal)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("raw", "refusal"),
    [
        (b"a: 1\nb: \xff\n", "a.yaml:2: is no UTF-8; save the file as UTF-8"),
        ("a: 1\n".encode("utf-16"), "a.yaml:1: is no UTF-8; save the file as UTF-8"),
        (b"a: 1\n\0", "a.yaml:2: holds the character NUL; take it out"),
    ],
)
def test_bytes_that_are_no_text_are_refused(raw: bytes, refusal: str) -> None:
    with pytest.raises(BadInput, match=refusal):
        read_yaml("a.yaml", raw)


SMALL = YamlLimits(bytes=1000, depth=5, nodes=100, aliases=20)
BOMB = "a0: &a0 [x, x, x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 4)}]\n" for n in range(1, 6))


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("x" * 1001, "a.yaml: has 1001 bytes, more than the 1000 that are read; make it smaller"),
        ("[[[[[[1]]]]]]", "a.yaml:1: nests deeper than 5 levels; make it flatter"),
        ("[" * 900, "a.yaml:1: nests deeper than 5 levels; make it flatter"),
        ("- 1\n" * 101, "a.yaml:100: holds more than 100 values, aliases written out; make it smaller"),
        (BOMB, "a.yaml:3: holds more than 100 values, aliases written out; make it smaller"),
        ("a: &a x\nb: [" + "*a, " * 21 + "]\n", "a.yaml:2: uses more than 20 aliases; write some of the values out"),
        ("a: &a [[[1]]]\nb: &b [*a]\nc: [*b]\n", "a.yaml:3: nests deeper than 5 levels; make it flatter"),
        ("a: &a {x: {y: {z: 1}}}\nb: {c: {d: {<<: *a}}}\n", "a.yaml:2: nests deeper than 5 levels; make it flatter"),
    ],
)
def test_limits_stop_the_reading(text: str, refusal: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_yaml("a.yaml", text.encode(), SMALL)
    assert str(refused.value) == refusal


def test_a_document_right_at_its_limits_is_read() -> None:
    assert read_yaml("a.yaml", b"[[[[[1]]]]]", SMALL).data == [[[[[1]]]]]
    assert read_yaml("a.yaml", b"- 1\n" * 99, SMALL).data == [1] * 99


def test_a_bomb_of_a_billion_values_is_refused_by_the_usual_limits() -> None:
    layers = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))
    with pytest.raises(BadInput, match="more than 200000 values"):
        data("a0: &a0 [x]\n" + layers)


REPEATS = YamlLimits(repeats=True)


@pytest.mark.parametrize(
    ("text", "expected", "repeats"),
    [
        ("a: 1\nb: 2\na: 3\n", {"a": 3, "b": 2}, (("a", 3, False),)),
        ("a: 1\na: 1\n", {"a": 1}, (("a", 2, True),)),
        ("a: 1\na: true\n", {"a": True}, (("a", 2, False),)),
        ("a: 1\na: 2\na: 1\n", {"a": 1}, (("a", 2, False), ("a", 3, False))),
        ("a: [1]\na: [2, 3]\n", {"a": [2, 3]}, (("a", 2, False),)),
        ("a: &x {b: 1}\na: *x\n", {"a": {"b": 1}}, (("a", 2, True),)),
        ("a:\n- b: {c: 1, c: 2}\n", {"a": [{"b": {"c": 2}}]}, (("a.0.b.c", 2, False),)),
        ("a: {<<: {b: 1}, b: 2}\n", {"a": {"b": 2}}, ()),
    ],
)
def test_a_setting_may_stand_twice_where_the_limits_say_so(
    text: str, expected: object, repeats: tuple[tuple[str, int, bool], ...]
) -> None:
    document = read_yaml("a.yaml", text.encode(), REPEATS)
    assert document.data == expected
    assert tuple((each.place, each.line, each.alike) for each in document.repeats) == repeats


@pytest.mark.parametrize("text", ["a: {b: 1}\na: {b: 2}\n", "a: 1\na: {b: 2}\n", "a: {b: 2}\na: 1\n"])
def test_a_block_never_stands_twice(text: str) -> None:
    with pytest.raises(BadInput, match="has the key `a` twice in one mapping; keep one of them"):
        read_yaml("a.yaml", text.encode(), REPEATS)


def test_real_files_are_read_with_the_lines_of_their_keys() -> None:
    files = shared_snapshot("data/inferencex").files
    for path in ("configs/nvidia-master.yaml", "configs/amd-master.yaml"):
        document = read_yaml(path, files[path])
        assert isinstance(document.data, dict)
        lines = files[path].decode().splitlines()
        for key in document.data:
            number = int(document.where(key).rpartition(":")[2])
            assert lines[number - 1].startswith(f"{key}:")
