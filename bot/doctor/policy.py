"""What a cluster lets a gate be: with an empty list, nothing."""

from bot.doctor.finding import Finding, bad, fine
from gatekit.cluster.policy import Cluster


def check_policy(check: str, cluster: Cluster) -> Finding:
    lists = {"policy.images": cluster.policy.images, "policy.models": cluster.policy.models, "engines": cluster.engines}
    empty = [name for name, values in lists.items() if not values]
    if empty:
        mend = "write down what a pull request may name, and how its engine is started"
        return bad(check, f"{', '.join(empty)}: nothing is allowed, so every gate is refused", mend)
    images, models = ", ".join(cluster.policy.images), ", ".join(cluster.policy.models)
    return fine(check, f"images {images}; models {models}; engines {', '.join(cluster.engines)}")
