"""What a config starts from, as the checks follow it."""

import pytest

from tests.worlds.bench.small_bench import CONFIG, KEY, config, row
from tests.worlds.signoff.signed import change


@pytest.mark.parametrize("named", ["../run.sh", "/etc/run.sh", "recipes/../../../run.sh"])
def test_what_lies_outside_the_repository_is_refused_once_and_followed_nowhere(named: str) -> None:
    found = change({CONFIG: config(row("[4]", named=named))}).effective[KEY]
    assert found.files == ()
    assert found.unread == (f"{named!r} is no path inside the repository; write it without `..` or a leading `/`",)
