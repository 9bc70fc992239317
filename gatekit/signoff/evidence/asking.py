"""What the acceptance of every point of a change is judged with."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gatekit.bench.repo.settings import RepoSettings
from gatekit.goldens.lookup import Curve
from gatekit.serving.drafts import DraftReader
from gatekit.signoff.change.change import Change
from gatekit.signoff.checklist.form import Form

_INJECTS = "synthetic"
_SOURCE = ("acceptance", " al ", "curve", "speed-bench")


@dataclass(frozen=True)  # without slots: what many points ask for is made once and kept
class Asking:
    change: Change
    curves: Mapping[str, Curve]
    settings: RepoSettings
    form: Form

    @cached_property
    def reader(self) -> DraftReader:
        return DraftReader(self.change.tree.shelf, self.change.tree.layout)

    @cached_property
    def injected(self) -> bool:
        """Whether the repository has code that may set simulated acceptance at launch."""
        files = self.change.tree.snapshot.files
        code = (data for path, data in files.items() if path.endswith((".sh", ".py")))
        return any(_INJECTS in data.decode(errors="replace").lower() for data in code)

    @cached_property
    def source(self) -> str | None:
        """What the details say of where an acceptance length comes from."""
        said = (line.text for line in self.form.details)
        return next((text for text in said if any(word in f" {text.lower()} " for word in _SOURCE)), None)
