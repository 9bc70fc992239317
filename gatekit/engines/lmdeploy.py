"""LMDeploy: no gate starts it. `gatekit al` reads its scrapes, whose counters are named as vLLM's are."""

from gatekit.domain.gates import EngineName
from gatekit.engines.counters import Counters, SeriesNames


class LmDeploy:
    name = EngineName("lmdeploy")
    counters: Counters = SeriesNames(
        drafts="lmdeploy:spec_decode_num_drafts",
        accepted="lmdeploy:spec_decode_num_accepted_tokens",
        draft_tokens="lmdeploy:spec_decode_num_draft_tokens",
        per_position="lmdeploy:spec_decode_num_accepted_tokens_per_pos",
        generated="lmdeploy:generation_tokens",
    )
