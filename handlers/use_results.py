"""Whether the artifacts of a workflow run hold the results that their names promise."""

from collections.abc import Sequence

from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Repo
from gatekit.use.decision import Answer, No, Rejected
from gatekit.use.workflow_runs import Artifact, to_read
from handlers.errors import NotThere
from handlers.ports.use_ports import WorkflowRuns


async def with_rows(answer: Answer, listed: Sequence[Artifact], repo: Repo, runs: WorkflowRuns) -> Answer:
    """The answer by their names, once one of them was read that holds a result row. Anything odd makes it a no."""
    if isinstance(answer, Rejected):
        return answer
    found = to_read(listed)
    try:
        for artifact in found:
            if await runs.rows(repo, artifact):
                return answer
    except BadInput as odd:
        return Rejected(No.NOT_USABLE, answer.run, str(odd))
    except NotThere:
        return Rejected(No.EXPIRED, answer.run)
    return Rejected(No.NO_ROWS, answer.run, ", ".join(one.name for one in found))
