"""The address of a sign-off, and the key that its verdict is filed under."""

import pytest

from gatekit.domain.errors import Refusal
from gatekit.domain.ids import PrRef, Repo
from gatekit.signoff.resource import Resource, Surface, read_key, read_url

REPO = Repo("Org", "bench")
PULL = "https://github.com/Org/bench/pull/7"


@pytest.mark.parametrize(
    ("key", "resource"),
    [
        ("issuecomment-12", Resource(Surface.CONVERSATION, 12)),
        ("pullrequestreview-12", Resource(Surface.REVIEW, 12)),
        ("discussion_r12", Resource(Surface.INLINE, 12)),
        ("discussion-r12", None),
        ("issuecomment-012", None),
        ("issuecomment-0", None),
        ("issuecomment-", None),
        ("issuecomment-12 ", None),
        ("issuecomment-１", None),
    ],
)
def test_a_key_names_one_resource(key: str, resource: Resource | None) -> None:
    assert read_key(key) == resource
    assert resource is None or resource.key == key


@pytest.mark.parametrize(
    ("url", "resource"),
    [
        (f"{PULL}#issuecomment-5", Resource(Surface.CONVERSATION, 5)),
        (f"{PULL}/files#discussion_r5", Resource(Surface.INLINE, 5)),
        ("https://github.com/ORG/Bench/pull/7#pullrequestreview-5", Resource(Surface.REVIEW, 5)),
    ],
)
def test_the_address_of_a_sign_off(url: str, resource: Resource) -> None:
    assert read_url(url, REPO) == (PrRef(REPO, 7), resource)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (PULL, "This is no address of a sign-off"),
        (f"{PULL}#issuecomment-5 now", "This is no address of a sign-off"),
        (f"{PULL}#issuecomment-05", "This is no address of a sign-off"),
        (f"{PULL}/commits#issuecomment-5", "This is no address of a sign-off"),
        (f"{PULL}?a=b#issuecomment-5", "This is no address of a sign-off"),
        ("http://github.com/Org/bench/pull/7#issuecomment-5", "This is no address of a sign-off"),
        ("https://github.com.evil.example/Org/bench/pull/7#issuecomment-5", "This is no address of a sign-off"),
        ("https://github.com/Org/bench/issues/7#issuecomment-5", "This is no address of a sign-off"),
        ("https://github.com/Org/other/pull/7#issuecomment-5", "leads to another repository: give one of Org/bench"),
    ],
)
def test_anything_else_is_refused(url: str, said: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_url(url, REPO)
    assert said in str(refused.value)
