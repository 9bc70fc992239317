"""What the bot wrote for a node, read back."""

from pydantic import TypeAdapter

from gatekit.domain.job import Job

_JOB: TypeAdapter[Job] = TypeAdapter(Job)


def parse_job(text: str) -> Job:
    """`job.json` back into a job."""
    return _JOB.validate_json(text)
